"""GGUF repositories in the window: a quantisation is chosen, downloaded, answers, and is deleted on its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants
from pytestqt.qtbot import QtBot

from app.library.library import Library
from app.models.page import INSTALLED
from tests.app.hub_library import TINY_MAIN
from tests.app.window_driver import WindowDriver
from tests.fakehub.server import FakeHub
from tests.tiny_gguf import write_gguf

REPOSITORY = "tiny-org/Tiny-Main-GGUF"


@pytest.fixture(autouse=True)
def files(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Serve two quantisations, a split one without its second part, and a tower."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    names = ("Tiny-Main-Q4_K_M.gguf", "Tiny-Main-Q8_0.gguf", "Tiny-Main-F16-00001-of-00002.gguf")
    found = {name: write_gguf(tmp_path / "made" / name, seed=n).read_bytes() for n, name in enumerate(names)}
    hub.add(
        REPOSITORY,
        {**found, "mmproj-F16.gguf": b"GGUF"},
        tags=("gguf", f"base_model:quantized:{TINY_MAIN}"),
        architecture="llama",
    )
    return found


def cards(page: Any, *names: str) -> list[Any]:
    return [card for card in page.cards if card.entry.id.startswith(names)]


def searched(page: Any, words: str, qtbot: QtBot) -> Any:
    """Return the card of the repository once its files are listed."""
    page.field.setText(words)
    page.field.textEdited.emit(words)
    qtbot.waitUntil(lambda: any(card.quantisation is not None for card in page.cards))
    return cards(page, REPOSITORY)[0]


def pick(card: Any, tag: str) -> None:
    """Choose the quantisation whose text begins so."""
    box = card.quantisation
    index = next(index for index in range(box.count()) if box.itemText(index).startswith(tag))
    box.setCurrentIndex(index)
    box.activated.emit(index)


def test_a_quantisation_is_chosen_downloaded_and_deleted_alone(
    page: Any, library: Library, files: dict[str, bytes], qtbot: QtBot
) -> None:
    card = searched(page, "tiny-main", qtbot)
    # The conversion to MLX comes first, with the reason.
    assert [one.entry.id for one in page.cards[:2]] == [TINY_MAIN, f"{REPOSITORY}/Tiny-Main-Q4_K_M"]
    assert "Tiny Main with MLX weights is faster and needs no second copy on the disk." in card.facts.text()
    assert "without mmproj-F16.gguf" in card.facts.text()
    texts = [card.quantisation.itemText(index).replace("\u00a0", " ") for index in range(3)]
    assert sorted(texts) == ["F16 · 120 kB", "Q4_K_M · 120 kB", "Q8_0 · 120 kB"]
    assert (card.name.text(), card.badge.text()) == ("Tiny Main Q4_K_M (tiny-org)", "recommended")
    pick(card, "F16")
    assert not card.main_button.isEnabled()
    assert "Tiny-Main-F16-00002-of-00002.gguf" in card.facts.text()
    pick(card, "Q8_0")
    card.main_button.click()
    qtbot.waitUntil(lambda: [one.state for one in library.downloads] == ["ready"])
    page.show_tab(INSTALLED)
    qtbot.waitUntil(lambda: cards(page, REPOSITORY) != [])
    [installed] = cards(page, REPOSITORY)
    assert installed.entry.id == f"{REPOSITORY}/Tiny-Main-Q8_0"
    assert Path(installed.entry.path).read_bytes() == files["Tiny-Main-Q8_0.gguf"]
    installed.remove_button.click()
    qtbot.waitUntil(lambda: "Delete this model?" in installed.facts.text())
    installed.main_button.click()
    qtbot.waitUntil(lambda: cards(page, REPOSITORY) == [])
    assert library.downloads == ()


@pytest.mark.full
def test_what_was_downloaded_answers(hub_window: WindowDriver, hub: FakeHub, library: Library, qtbot: QtBot) -> None:
    # It cannot be over before the first look at it.
    hub.bytes_a_second = 500_000
    library.get(f"{REPOSITORY}/Tiny-Main-Q8_0")
    qtbot.waitUntil(lambda: "Tiny Main Q8_0 · 8-bit is ready." in hub_window.banner_text)
    hub_window.press_banner("Chat")
    models = hub_window.session.models
    qtbot.waitUntil(lambda: models.pair.main is not None and not models.pair.loading)
    assert "Tiny-Main-Q8_0" in models.pair.paths[0]
    hub_window.ask_and_wait("Hello")
    assert hub_window.answer().text != ""


@pytest.mark.parametrize(("words", "shown"), [
    (REPOSITORY, [TINY_MAIN, f"{REPOSITORY}/Tiny-Main-Q4_K_M"]),
    (f"hf.co/{REPOSITORY}:Q8_0", [TINY_MAIN, f"{REPOSITORY}/Tiny-Main-Q4_K_M"]),
])  # fmt: skip
def test_before_a_pasted_repository_comes_the_same_model_for_mlx(
    words: str, shown: list[str], page: Any, qtbot: QtBot
) -> None:
    searched(page, words, qtbot)
    assert [card.entry.id for card in page.cards] == shown


def test_an_architecture_that_cannot_be_loaded_is_said_before_a_download(page: Any, hub: FakeHub, qtbot: QtBot) -> None:
    hub.repositories[REPOSITORY].architecture = "qwen4exp"
    card = searched(page, REPOSITORY, qtbot)
    assert "Its architecture is not supported yet (qwen4exp)." in card.facts.text()
    assert not card.main_button.isEnabled()
