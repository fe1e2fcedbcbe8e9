"""The notices: every package of the bundle with the text of its licence, and nothing inside that they do not name."""

from __future__ import annotations

import runpy
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.stand_ins import replace_tools_of_the_build

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.fixture
def notices(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    replace_tools_of_the_build(monkeypatch)
    return runpy.run_path(str(PACKAGING / "notices.py"))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The notices of this environment, as they are written into a bundle."""
    resources = tmp_path_factory.mktemp("bundle") / "_internal" / "resources"
    resources.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        replace_tools_of_the_build(patch)
        main = runpy.run_path(str(PACKAGING / "notices.py"))["main"]
        patch.setitem(main.__globals__, "bill_of_materials", lambda *_: "{}")
        main(str(resources.parents[1]), "1.2.3")
    return (resources / "NOTICES.txt").read_text(encoding="utf-8")


def text_of_licence(package: str) -> str:
    licence = next(file for file in distribution(package).files or () if "licen" in file.name.lower())
    return Path(str(licence.locate())).read_text(encoding="utf-8").strip()


def test_notices_have_the_texts_of_licences_word_for_word(text: str) -> None:
    for package in ("tandem-chat", "mlx", "mlx-lm", "mlx-vlm", "numpy"):
        assert text_of_licence(package) in text


def test_notices_have_the_texts_of_all_that_is_built_into_a_library(text: str) -> None:
    files = [file for file in distribution("pypdfium2").files or () if "/licenses/" in str(file)]
    assert {"pdfium.txt", "freetype.txt", "libopenjpeg.txt", "agg23.txt"} <= {file.name for file in files}
    for file in files:
        is_old = file.name == "freetype.txt"
        assert Path(str(file.locate())).read_text(encoding="latin-1" if is_old else "utf-8").strip() in text


def test_texts_that_a_wheel_lacks_are_added(text: str, notices: dict[str, Any]) -> None:
    added = notices["_ADDED"]
    for package, names in added.items():
        _, _, beginning = text.partition(f"\n{distribution(package).metadata['Name']} ")
        notice, _, _ = beginning.partition("=" * 80)
        for name in names:
            assert (PACKAGING / "licences" / f"{name}.txt").read_text(encoding="utf-8").strip() in notice
        # Once its wheel has it, ours is of no use.
        with pytest.raises(StopIteration):
            text_of_licence(package)
    files = {file.stem for file in (PACKAGING / "licences").iterdir()}
    assert files == {name for names in added.values() for name in names}


def test_a_package_without_the_text_of_its_licence_stops_the_build(notices: dict[str, Any]) -> None:
    notices["notice"].__globals__["_LICENCE_FILE"] = notices["re"].compile("nothing")
    with pytest.raises(SystemExit, match="mlx-lm has no text of its licence"):
        notices["notice"](distribution("mlx-lm"))
    assert "Apache" in notices["notice"](distribution("tokenizers"))


def test_what_lies_in_the_bundle_must_be_in_the_notices(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_tools_of_the_build(monkeypatch)
    verify = runpy.run_path(str(PACKAGING / "verify.py"))
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "NOTICES.txt").write_text(text, encoding="utf-8")
    for folder in ("mlx_vlm-0.7.10", "PySide6_Essentials-6.11.3", "somebodys_package-1.0"):
        (tmp_path / f"{folder}.dist-info").mkdir()
        (tmp_path / f"{folder}.dist-info" / "METADATA").touch()
    assert [*verify["missing_notices"](tmp_path)] == ["somebodys-package is not in NOTICES.txt"]
