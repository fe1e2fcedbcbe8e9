"""What the window shows is on disk, and comes back: restarts, continued answers, drafts, and disks that refuse."""

from __future__ import annotations

import sqlite3
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from app.session.answer import State
from app.system.paths import data_folder
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver


@pytest.mark.full
def test_a_chat_is_there_after_a_restart_and_can_be_seen_as_tokens(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask_and_wait("Tell me a story")
    stats, footer, tokens = window.answer().stats, window.footer(), list(window.answer().tokens)
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: window.turns == [("Tell me a story", STORY)])
    assert window.answer().stats == stats
    assert window.footer() == footer
    assert window.shown_text() == STORY
    assert window.titles == ["A story"]
    window.trigger("show-tokens")
    window.wait(lambda: bool(window.turn().tinted))
    assert window.answer().tokens == tokens
    assert window.turn().tinted == "".join(token.text for token in tokens if token.source != "main")


def test_the_question_is_on_disk_before_the_engine_gets_it(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script(STORY)])
    window = open_window(engine)
    stored: list[int] = []
    submit = engine.submit

    def count_first(request, on_event):  # type: ignore[no-untyped-def]
        stored.append(window.session.store.wait_for(lambda store: len(store.messages.path(1))))
        return submit(request, on_event)

    engine.submit = count_first  # type: ignore[method-assign]
    window.ask_and_wait("Tell me a story")
    assert stored == [2]


def test_closing_in_the_middle_keeps_the_text_and_offers_to_continue(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5)))
    window.ask("Tell me a story")
    window.wait(lambda: len(window.answer().text) > 10)
    seen = window.answer().text
    window.close()
    engine = ScriptedEngine([Script(" And so on.")])
    window = open_window(engine)
    window.wait(lambda: bool(window.session.chat.turns))
    assert window.answer().state is State.INTERRUPTED
    assert window.answer().text.startswith(seen)
    partial = window.answer().text
    assert window.turn().note_text
    window.turn().press_note()
    window.wait(lambda: window.answer().state is State.DONE)
    assert window.answer().text == partial + " And so on."
    assert [m["role"] for m in engine.requests[-1].messages] == ["user", "assistant"]
    rounds = [token.round for token in window.answer().tokens]
    assert rounds == sorted(rounds)
    window.settle()
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: window.turns == [("Tell me a story", partial + " And so on.")])


def test_a_draft_stays_with_its_chat_and_survives_a_restart(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    window.write("half a thou")
    window.trigger("new-chat")
    assert window.unsent == ""
    window.write("another idea")
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: window.unsent == "another idea")
    assert window.titles == ["first"]
    window.sidebar.click("first")
    window.wait(lambda: window.unsent == "half a thou")
    window.trigger("new-chat")
    assert window.unsent == "another idea"


@pytest.mark.full
def test_a_chat_is_shown_where_it_was_read_last(open_window: OpenWindow) -> None:
    long = "\n\n".join(f"Paragraph number {number} of a long answer." for number in range(60))
    window = open_window(ScriptedEngine([Script(long)]))
    window.ask_and_wait("first", "second")
    transcript, read = window.transcript, window.session.chat
    bar = transcript.verticalScrollBar()
    window.wait(lambda: bar.maximum() > 1000 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() // 3)
    place = transcript.reading_position
    assert place is not None
    window.trigger("new-chat")
    window.session.chats.open(read)
    window.wait(lambda: transcript.reading_position == place)
    window.settle()
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: bool(window.session.chat.turns))
    window.wait(lambda: window.transcript.reading_position == place)


def test_a_damaged_file_is_told_and_kept(open_window: OpenWindow) -> None:
    data_folder().mkdir(parents=True)
    (data_folder() / "chats.db").write_bytes(b"this is no database" * 400)
    window = open_window(ScriptedEngine())
    window.wait(lambda: window.banner.isVisible())
    assert "chats-damaged" in window.banner_text
    assert list(data_folder().glob("chats-damaged-*.db"))


@pytest.mark.usefixtures("impatient")
def test_a_second_window_says_that_it_keeps_nothing(open_window: OpenWindow) -> None:
    data_folder().mkdir(parents=True)
    other = sqlite3.connect(data_folder() / "chats.db", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    window = open_window(ScriptedEngine([Script("One.")]))
    assert "already running" in window.banner_text
    window.ask_and_wait("first")
    assert window.turns == [("first", "One.")]
    window.close("Quit")
    other.close()


@pytest.mark.full
def test_a_new_chat_that_has_only_a_draft_cannot_be_thrown_away(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.write("half a thou")
    window.wait(lambda: window.session.chat.id is not None)
    for action in ("delete-chat", "archive-chat", "pin-chat", "move-chat", "rename-chat", "export-chat"):
        assert not window.is_enabled(action)
    window.ask_and_wait("first")
    assert window.titles == ["first"]
    assert window.is_enabled("delete-chat")


@pytest.mark.full
def test_the_next_hit_is_one_of_the_turns_that_are_shown(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("A draft."), Script("Another draft."), Script("Nothing.")]))
    window.ask_and_wait("one", "two")
    window.find_in_chat("draft")
    window.trigger("find-next")
    assert window.found_text == "2 of 2"
    window.trigger("ask-again")
    assert window.found_text == "1 of 1"
    window.wait_until_answered()
    window.settle()
    for _ in range(2):
        QTest.keyClick(window.find_bar.edit, Qt.Key.Key_Return)
    assert window.found_text == "1 of 1"


@pytest.mark.full
def test_a_hit_is_not_looked_for_in_another_chat_that_was_chosen_meanwhile(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("A draft."), Script("Two.")]))
    for question in ("first", "second"):
        window.trigger("new-chat")
        window.ask_and_wait(question)
    first = next(chat.id for chat in window.session.list.chats if chat.title == "first")
    session = window.session
    window.search("draft")
    window.wait(lambda: window.sidebar.rows[0] == "Messages")
    window.sidebar.click_row(window.sidebar.model.index(1))
    window.wait(lambda: session.chat.id == first)
    session.chats.new_chat()
    window.settle()
    assert window.turns == []
    assert not window.find_bar.isVisible()


def test_a_new_chat_stays_although_another_was_still_being_read(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    chat = window.session.chat.id
    assert chat is not None
    window.session.chats.open_id(chat)
    window.trigger("new-chat")
    window.settle()
    assert window.turns == []


def colours_on_the_page(window: WindowDriver) -> int:
    page = window.transcript.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return len(set(memoryview(page.constBits()).cast("I")))


def test_the_page_is_empty_from_the_choice_of_another_chat_until_that_is_shown(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One."), Script("Two.")]))
    for question in ("first", "second"):
        window.trigger("new-chat")
        window.ask_and_wait(question)
    chats = window.session.chats
    chats.open_id(window.chat_id("first"))
    assert (window.turns[0][0], colours_on_the_page(window)) == ("second", 1)
    window.wait(lambda: window.turns[0][0] == "first" and colours_on_the_page(window) > 1)
    # One that cannot be read, and one that is on screen, leave the page as it is in the end.
    for chat_id in (10_000, window.chat_id("first")):
        chats.open_id(chat_id)
        window.settle()
        assert (window.turns[0][0], colours_on_the_page(window) > 1) == ("first", True)


@pytest.mark.full
def test_a_chat_that_is_chosen_once_more_stays_as_it_is_read(start_chat: StartChat) -> None:
    long = "\n\n".join(f"Paragraph number {number} of a long answer." for number in range(60))
    window = start_chat(ScriptedEngine([Script(long)]))
    window.ask_and_wait("first", "second")
    bar, chat = window.transcript.verticalScrollBar(), window.session.chat.id
    assert chat is not None
    window.wait(lambda: bar.maximum() > 1000 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() // 3)
    read = bar.value()
    window.turn(0).press_question("edit")
    editor = window.turn(0).editor
    window.session.chats.open_id(chat)
    window.settle()
    assert window.turn(0).editor is editor
    window.turn(0).view.end_edit()
    assert abs(bar.value() - read) < 100
