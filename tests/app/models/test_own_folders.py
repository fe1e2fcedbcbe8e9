"""Models in folders of a person's own: taken off the list or moved to the trash, and never deleted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.library.library import Library
from app.models.page import INSTALLED
from tests.engine.model_files.model_folders import model_files, write_folder

Added = Callable[[Path], Any]


@pytest.fixture
def trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what is in the trash."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data/Trash/files"


@pytest.fixture
def added(page: Any, library: Library, qtbot: QtBot) -> Added:
    """Add folders to the list, and return the page with what they hold."""

    def add(*folders: Path) -> Any:
        page.show_tab(INSTALLED)
        library.settings.change(model_folders=tuple(map(str, folders)))
        qtbot.waitUntil(lambda: bool(page.folder_cards) or any(card.entry.source == "folder" for card in page.cards))
        return page

    return add


def write(folder: Path, **more: bytes) -> Path:
    return write_folder(folder, model_files() | more)


def card_of(page: Any, name: str) -> Any:
    return next(card for card in page.cards if card.entry.id == name)


def test_a_folder_is_taken_off_the_list_with_all_its_models_and_loses_nothing(
    added: Added, library: Library, tmp_path: Path, qtbot: QtBot
) -> None:
    first = write(tmp_path / "mine" / "first")
    second = write(tmp_path / "mine" / "second")
    page = added(tmp_path / "mine", tmp_path / "none")
    [unplugged] = page.folder_cards
    assert (unplugged.name.text(), unplugged.facts.text()) == (
        str(tmp_path / "none"),
        "Not connected. Connect the disk that this folder is on to see its models.",
    )
    card = card_of(page, "first")
    assert card.unlist_button.text() == "Remove from the list"
    card.unlist_button.click()
    assert "with its models from the list? No file is deleted." in card.facts.text()
    assert str(tmp_path / "mine") in card.facts.text().splitlines()
    card.remove_button.click()
    assert library.settings.values.model_folders
    assert (card.main_button.text(), card.remove_button.text()) == ("Chat", "Move to Trash…")
    card.unlist_button.click()
    card.main_button.click()
    assert library.settings.values.model_folders == (str(tmp_path / "none"),)
    qtbot.waitUntil(lambda: not page.cards)
    page.folder_cards[0].unlist_button.click()
    qtbot.waitUntil(lambda: not page.folder_cards)
    assert (first / "config.json").exists()
    assert (second / "model.safetensors").exists()


def test_a_model_is_moved_to_the_trash_after_a_question_with_its_path(
    added: Added, trash: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    folder, other = write(tmp_path / "mine" / "first"), write(tmp_path / "mine" / "second")
    page = added(tmp_path / "mine")
    card = card_of(page, "first")
    assert card.remove_button.text() == "Move to Trash…"
    card.remove_button.click()
    qtbot.waitUntil(lambda: str(folder) in card.facts.text().splitlines())
    assert card.facts.text().startswith("Move this model to the Trash? (")
    assert (card.main_button.text(), card.main_button.property("styleClass")) == ("Move to Trash", "danger")
    # The space that is pressed next does nothing.
    assert not card.main_button.hasFocus()
    assert folder.exists()
    card.main_button.click()
    qtbot.waitUntil(lambda: [one.entry.id for one in page.cards] == ["second"])
    assert not folder.exists()
    assert (other / "config.json").exists()
    assert {path.name for path in (trash / "first").iterdir()} == set(model_files())


def test_other_files_in_a_folder_and_what_a_link_leads_to_stay(
    added: Added, trash: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    folder, real = write(tmp_path / "mine" / "mixed", **{"notes.txt": b"mine"}), write(tmp_path / "real")
    (tmp_path / "mine" / "link").symlink_to(real)
    page = added(tmp_path / "mine")
    for name, stays in (("mixed", True), ("link", False)):
        card = card_of(page, name)
        card.remove_button.click()
        qtbot.waitUntil(lambda card=card: card.main_button.text() == "Move to Trash")
        assert ("Other files in its folder stay." in card.facts.text()) == stays
        card.main_button.click()
        qtbot.waitUntil(lambda name=name: name not in [one.entry.id for one in page.cards])
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    assert {path.name for path in trash.iterdir()} == {*model_files(), "link"}
    assert (real / "model.safetensors").exists()


def test_without_a_trash_nothing_is_deleted_and_it_is_said(
    added: Added, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    (tmp_path / "data").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = write(tmp_path / "mine")
    page = added(folder)
    card = card_of(page, "mine")
    card.remove_button.click()
    qtbot.waitUntil(lambda: card.main_button.text() == "Move to Trash")
    card.main_button.click()
    sentence = f"Can't move {folder} to the Trash. Nothing was deleted."
    qtbot.waitUntil(lambda: page.note.text() == sentence)
    qtbot.waitUntil(lambda: card_of(page, "mine").main_button.text() == "Chat")
    assert {path.name for path in folder.iterdir()} == set(model_files())


def test_a_model_that_comes_into_use_is_not_asked_about_any_more(added: Added, tmp_path: Path, qtbot: QtBot) -> None:
    page = added(write(tmp_path / "mine"))
    card = card_of(page, "mine")
    card.remove_button.click()
    qtbot.waitUntil(lambda: card.main_button.text() == "Move to Trash")
    card.used.emit(card.entry)
    qtbot.waitUntil(lambda: not card_of(page, "mine").remove_button.isEnabled())
    card = card_of(page, "mine")
    assert card.main_button.text() == "Chat"
    assert card.unlist_button.isVisibleTo(card)
