"""A moving picture has a frame for each change of the window, and is no larger than a README takes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image
from PySide6.QtWidgets import QLabel

from app.widgets.application import Application
from tests.tools import moving_pictures
from tests.tools.moving_pictures import Film

PICTURES = Path(__file__).parents[2] / "resources" / "pictures"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving_pictures, "FRAME_MS", 10)


def film_of(qapp: Application, texts: list[str]) -> Film:
    """Film a label that has each of the texts for two frames."""
    shown = QLabel("")
    shown.setFixedSize(120, 40)
    film = Film(qapp, SimpleNamespace(window=shown))
    for text in texts:
        shown.setText(text)
        taken = iter((False, False, True))
        film.take_until(lambda taken=taken: next(taken))
    return film


def test_frames_that_are_the_same_are_one(qapp: Application, tmp_path: Path) -> None:
    film_of(qapp, ["one", "two", "two", "three"]).save(tmp_path / "film.webp")
    with Image.open(tmp_path / "film.webp") as film:
        assert (film.n_frames, film.size, film.format) == (3, (120, 40), "WEBP")


def test_a_film_that_is_too_large_for_a_readme_is_an_error(
    qapp: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving_pictures, "MOST_BYTES", 10)
    with pytest.raises(ValueError, match="bytes"):
        film_of(qapp, ["one", "two"]).save(tmp_path / "film.webp")


@pytest.mark.parametrize("name", moving_pictures.FILMS)
def test_the_readme_has_the_films(name: str) -> None:
    readme = (PICTURES.parents[1] / "README.md").read_text()
    assert f"resources/pictures/{name}.webp" in readme
    with Image.open(PICTURES / f"{name}.webp") as film:
        assert film.n_frames > 20
    assert (PICTURES / f"{name}.webp").stat().st_size <= moving_pictures.MOST_BYTES
