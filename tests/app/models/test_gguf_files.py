"""GGUF files in the window: loaded when they are dropped, with what they became on the Models page, and removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants
from pytestqt.qtbot import QtBot

from app.library.library import Library
from app.models.page import INSTALLED
from tests.app.window_driver import WindowDriver
from tests.tiny_gguf import pretend_conversion, write_gguf, write_in_ollama


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the library's models, which the engine also uses."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def card_of(page: Any, name: str) -> Any:
    return next(card for card in page.cards if card.entry.id == name)


def test_a_file_that_is_dropped_or_pasted_is_converted_loaded_and_listed(
    hub_window: WindowDriver, library: Library, cache: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    file = write_gguf(tmp_path / "Tiny-Chat-Q8_0.gguf")
    hub_window.paste(file)
    models = hub_window.session.models
    qtbot.waitUntil(lambda: models.pair.main is not None and not models.pair.loading)
    folder = models.pair.paths[0]
    assert Path(folder).parent.parent == cache / "tandem-gguf"
    qtbot.waitUntil(lambda: library.inventory is not None and library.inventory.at(folder) is not None)
    entry = library.inventory.at(folder) if library.inventory else None
    assert entry is not None
    assert entry.name == "Tiny Chat Q8_0"
    assert entry.gguf is not None
    assert entry.gguf.source == str(file)
    assert hub_window.attached == []


def test_a_file_that_cannot_be_loaded_says_so_on_the_page_and_in_the_picker(
    hub_window: WindowDriver, library: Library, own_home: Path, qtbot: QtBot
) -> None:
    write_gguf(own_home / ".lmstudio/models/org/m/m-Q8_0.gguf", general__architecture="qwen4exp")
    library.rescan()
    qtbot.waitUntil(lambda: library.inventory is not None and library.inventory.entry("org/m/m-Q8_0") is not None)
    said = "Cannot be used. Its architecture is not supported yet (qwen4exp). Choose another model or update Tandem."
    hub_window.settings.open("models")
    page = hub_window.settings_page("models")
    page.show_tab(INSTALLED)
    card = card_of(page, "org/m/m-Q8_0")
    assert (card.facts.text(), card.main_button.isEnabled()) == (said, False)
    hub_window.settings.close()
    hub_window.picker("main").open()
    [row] = [one for one in hub_window.picker("main").choices if one.id == "org/m/m-Q8_0"]
    assert not row.usable


def test_the_page_names_the_file_and_what_became_of_its_codes_and_removes_only_the_conversion(
    page: Any, library: Library, cache: Path, own_home: Path, qtbot: QtBot
) -> None:
    blob = write_in_ollama(own_home / ".ollama/models", "registry.ollama.ai/library", "qwen3", "8b")
    page.show_tab(INSTALLED)
    library.rescan()
    qtbot.waitUntil(lambda: any(card.entry.id == "qwen3:8b" for card in page.cards))
    card = card_of(page, "qwen3:8b")
    assert "GGUF, converted when it is first used" in card.facts.text()
    assert card.main_button.isEnabled()
    assert not card.remove_button.isVisibleTo(card)

    pretend_conversion(blob, cache, requantised=("a", "b"))
    library.rescan()
    qtbot.waitUntil(lambda: card_of(page, "qwen3:8b").entry.gguf is not None)
    card = card_of(page, "qwen3:8b")
    origin = f"The weights are those of the file {blob}; the codes were quantized anew in 2 of 21 tensors."
    assert card.details.text().endswith(origin)
    card.remove_button.click()
    qtbot.waitUntil(lambda: f"The file {blob} stays." in card.facts.text())
    card.main_button.click()
    qtbot.waitUntil(lambda: card_of(page, "qwen3:8b").entry.gguf is None)
    assert blob.exists()
    assert not list((cache / "tandem-gguf").iterdir())
