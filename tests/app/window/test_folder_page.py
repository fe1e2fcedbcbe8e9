"""The page of a folder: instructions, files with what they take, what new chats begin with, and its chats."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from app.composer.picture_button import PictureButton
from app.composer.welcome import Welcome
from app.conversations.conversation_list import ConversationList
from app.conversations.database.records import Folder
from app.conversations.projects import models_of
from app.widgets.controls import Chooser
from app.window.folder_page import FolderPage
from engine import starter_pair
from tests.app.picture_files import RULES, picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver, texts
from tests.app.window_parts import button


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script("Heron.")])


@pytest.fixture
def window(start_chat: StartChat, engine: ScriptedEngine) -> WindowDriver:
    """A window with the folder Novel, and a model whose tokens can be counted."""
    window = start_chat(engine)
    window.session.models.load(str(starter_pair()[0]), None)
    window.in_store(lambda store: store.conversations.create_folder("Novel"))
    window.settle()
    return window


@pytest.fixture
def page(window: WindowDriver) -> FolderPage:
    return open_page(window)


def open_page(window: WindowDriver) -> FolderPage:
    window.sidebar.choose("Novel", "System prompt and files…")
    return window.find(FolderPage)


def novel(window: WindowDriver) -> Folder:
    window.settle()
    return window.session.list.folders[0]


def add(window: WindowDriver, page: FolderPage, path: Path) -> None:
    button = page.add_folder if path.is_dir() else page.add_files
    with window.file_dialog(path):
        button.click()
    window.wait(lambda: not page.files.reading)
    window.settle()


def test_after_files_were_chosen_or_removed_the_keyboard_is_in_the_system_prompt(
    window: WindowDriver, page: FolderPage, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("note")
    for path in (tmp_path / "notes.txt", tmp_path):
        page.chats.setFocus()
        add(window, page, path)
        assert page.prompt.edit.hasFocus()
    away = page.files.findChildren(QToolButton)[0]
    away.setFocus()
    QTest.keyClick(away, Qt.Key.Key_Space)
    assert page.prompt.edit.hasFocus()


def choose(chooser: Chooser, name: str) -> None:
    chooser.setCurrentIndex(chooser.findText(name))
    chooser.activated.emit(chooser.currentIndex())


def test_what_is_typed_and_added_begins_the_next_chat(window: WindowDriver, page: FolderPage, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("The code word is heron.")
    page.prompt.edit.setPlainText("Answer in one word.")
    add(window, page, tmp_path / "notes.md")
    window.wait(lambda: page.usage.text().endswith("tokens"))
    assert "notes.md" in texts(page.files)
    page.new_chat.click()
    assert page.isHidden()
    window.ask_and_wait("Which word?")
    [request] = [one for one in window.session.models.engine.requests if not one.shared]
    system = "notes.md\n```\nThe code word is heron.\n```\n\nAnswer in one word."
    assert request.messages[0]["content"] == system
    assert window.sidebar.rows == ["Folders", "[Novel]", "-Which word?"]
    page = open_page(window)
    assert page.prompt.edit.toPlainText() == "Answer in one word."
    assert [page.chats.item(row).text() for row in range(page.chats.count())] == ["Which word?"]
    window.session.chats.new_chat()
    page.chats.itemClicked.emit(page.chats.item(0))
    window.settle()
    assert (page.isHidden(), window.turns[0][0]) == (True, "Which word?")


def test_the_meter_says_what_to_remove(window: WindowDriver, page: FolderPage, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("lazy dog " * 40_000)
    (tmp_path / "short.txt").write_text("Short.")
    for name in ("long.txt", "short.txt"):
        add(window, page, tmp_path / name)
    window.wait(lambda: page.usage.text().endswith("Remove: long.txt"))
    assert page.usage.property("styleClass") == "problem"
    # The line below the message box counts them too.
    page.new_chat.click()
    window.wait(lambda: "too long for this model" in window.context_text)
    page = open_page(window)
    remove = next(button for button in page.files.findChildren(QToolButton) if "long.txt" in button.accessibleName())
    remove.click()
    assert [source.files[0].name for source in novel(window).sources] == ["short.txt"]
    window.wait(lambda: page.usage.property("styleClass") == "muted")
    window.wait(lambda: "too long" not in window.context_text)


def test_what_cannot_be_read_is_said_in_a_sentence(window: WindowDriver, page: FolderPage, tmp_path: Path) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "cover.png").write_bytes(b"\x89PNG\r\n")
    add(window, page, book)
    add(window, page, book / "cover.png")
    refused, unread = page.problem.text().splitlines()
    assert refused == "cover.png cannot be used: the picture is damaged, animated or too large."
    assert unread == "Not read: book/cover.png"
    page.close_overlay()
    book.rename(tmp_path / "moved")
    page = open_page(window)
    window.wait(lambda: "book is no longer there. Chats begin with what it contained before." in page.problem.text())


def test_a_picture_has_a_preview_and_its_cost_and_is_left_out_by_a_model_that_cannot_see(
    window: WindowDriver, page: FolderPage, engine: ScriptedEngine, tmp_path: Path
) -> None:
    (tmp_path / "heron.png").write_bytes(picture())
    (tmp_path / "notes.md").write_text("Heron.")
    for name in ("heron.png", "notes.md"):
        add(window, page, tmp_path / name)
    window.wait(lambda: "0 tokens" in texts(page.files))
    left_out = "can't see pictures, so chats begin without those of the folder."
    assert page.left_out.text().endswith(left_out)
    [shown] = [one for one in page.files.findChildren(PictureButton) if one.isVisible()]
    window.wait(lambda: shown.grab().toImage().pixelColor(20, 20) == QColor("red"))
    page.new_chat.click()
    window.settle()
    assert left_out in "\n".join(texts(window.find(Welcome)))
    window.ask_and_wait("Who?")
    engine.pictures = RULES
    window.session.models.load(str(starter_pair()[0]), None)
    window.settle()
    page = open_page(window)
    window.wait(lambda: "210 tokens" in texts(page.files))
    assert page.left_out.isHidden()
    page.new_chat.click()
    window.settle()
    assert left_out not in "\n".join(texts(window.find(Welcome)))
    # The line below the message box counts it, too.
    window.wait(lambda: window.context_text[:1].isdigit() and int(window.context_text.split()[0]) > 210)
    window.ask_and_wait("Who?")
    assert [len(one.pictures) for one in engine.requests if not one.shared] == [0, 1]
    # Taken out, it is gone.
    page = open_page(window)
    remove = next(one for one in page.files.findChildren(QToolButton) if "heron.png" in one.accessibleName())
    remove.click()
    assert [source.files[0].name for source in novel(window).sources] == ["notes.md"]
    assert list(window.session.store.pictures.iterdir()) == []


def test_a_picture_that_is_too_large_for_the_context_is_named(
    window: WindowDriver, page: FolderPage, engine: ScriptedEngine, tmp_path: Path
) -> None:
    engine.pictures = RULES
    window.session.models.load(str(starter_pair()[0]), None)
    pages = tmp_path / "pages"
    pages.mkdir()
    (tmp_path / "notes.md").write_text("one two three " * 100)
    for number in range(4):
        (pages / f"{number}.png").write_bytes(picture(size=(1540, 1540 - number)))
    for path in (pages, tmp_path / "notes.md"):
        add(window, page, path)
    page.new_chat.click()
    window.wait(lambda: any("too long for this model, mostly pages" in text for text in texts(window.composer)))


def test_new_chats_begin_with_the_chosen_preset_models_and_tools(window: WindowDriver, page: FolderPage) -> None:
    loaded = window.session.models.pair.paths
    choose(page.preset, "Precise")
    choose(page.tools, "On")
    choose(page.models, page.models.itemText(1))
    assert models_of(novel(window)) == loaded
    assert (page.preset.currentText(), page.tools.currentText()) == ("Precise", "On")
    page.close_overlay()
    window.session.models.load("org/another", None)
    window.settle()
    window.write("Half a question")
    window.sidebar.choose("Novel", "New chat in this folder")
    window.wait(lambda: window.session.models.pair.paths == loaded)
    assert window.preset_button.text() == "Precise"
    assert (window.session.tools.is_on(window.session.chat), window.unsent) == (True, "Half a question")
    window.session.chats.new_chat()
    assert window.session.chat.own == {}
    # What a person chose for the empty chat stays.
    window.session.settings.set_own(window.session.chat, "My own.", {})
    window.sidebar.choose("Novel", "New chat in this folder")
    assert window.session.chat.system_prompt == "My own."


def test_the_page_follows_its_folder_and_closes_with_it(window: WindowDriver, page: FolderPage) -> None:
    # Typing goes on while the folder changes, and is stored when the page closes.
    QTest.keyClicks(page.prompt.edit, "Be ")
    window.session.list.change(ConversationList.rename_folder, novel(window).id, "Story")
    window.settle()
    QTest.keyClicks(page.prompt.edit, "brief.")
    assert "Story" in texts(page)
    QTest.keyClick(page.prompt.edit, Qt.Key.Key_Escape)
    assert novel(window).instructions == "Be brief."
    window.sidebar.choose("Story", "System prompt and files…")
    window.session.list.change(ConversationList.delete_folder, novel(window).id)
    window.settle()
    assert page.isHidden()


@pytest.mark.parametrize("typed", ["Travel", "여행"])
def test_what_is_typed_after_the_folder_button_is_its_name_and_enter_ends_that(
    window: WindowDriver, typed: str
) -> None:
    button(window.sidebar.pane, "New folder").click()
    window.settle()
    page = window.find(FolderPage)
    window.wait(page.isVisible)
    field = window.window.focusWidget()
    if typed.isascii():
        QTest.keyClicks(field, typed)
    else:
        window.compose("행", field, commit="여")
        # Enter belongs to the input method while it composes.
        QTest.keyClick(field, Qt.Key.Key_Return)
        window.compose("", field, commit="행")
    QTest.keyClick(field, Qt.Key.Key_Return)
    QTest.keyClicks(window.window.focusWidget(), "more words")
    window.settle()
    assert [folder.name for folder in window.session.list.folders] == ["Novel", typed]
    page.close_overlay()
    window.settle()
    assert [folder.instructions for folder in window.session.list.folders] == ["", ""]


def test_a_project_with_a_file_takes_four_clicks(window: WindowDriver, tmp_path: Path) -> None:
    button(window.sidebar.pane, "New folder").click()
    window.settle()
    page = window.find(FolderPage)
    window.wait(page.isVisible)
    assert page.name.text() == "New folder"
    page.name.setFocus()
    page.name.setText("Thesis")
    (tmp_path / "notes.txt").write_text("note")
    add(window, page, tmp_path / "notes.txt")
    page.new_chat.click()
    window.settle()
    assert [folder.name for folder in window.session.list.folders] == ["Novel", "Thesis"]
    shown = "\n".join(texts(window.find(Welcome)))
    assert "This chat is in the folder “Thesis”. It begins with these files: notes.txt" in shown
    window.trigger("new-chat")
    assert "Thesis" not in "\n".join(texts(window.find(Welcome)))


def test_a_click_opens_the_page_and_one_on_the_mark_closes_the_folder(window: WindowDriver) -> None:
    window.sidebar.click_mark("Novel")
    window.settle()
    assert novel(window).closed
    window.sidebar.click("Novel")
    page = window.find(FolderPage)
    assert page.isVisible()
    # A chat that begins in a closed folder would be hidden.
    page.new_chat.click()
    window.settle()
    assert not novel(window).closed


def test_what_is_too_long_is_named(window: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("one two three " * 2_000)
    (tmp_path / "short.md").write_text("one")
    page = open_page(window)
    for name in ("short.md", "README.md"):
        add(window, page, tmp_path / name)
    page.new_chat.click()
    said = "too long for this model, mostly README.md"
    window.wait(lambda: any(said in text for text in texts(window.composer)))
