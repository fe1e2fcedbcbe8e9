"""Versions, continued answers and edits, while something else is on its way."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent, QTextCursor
from PySide6.QtTest import QTest

from app.session.answer import State
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.shared_window import StartChat


def test_a_question_asked_while_a_version_is_on_its_way_is_not_lost(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])
    window = open_window(engine)
    window.ask_and_wait("first")
    window.trigger("ask-again")
    window.wait(lambda: window.turns == [("first", "Two.")])
    window.settle()
    window.turn().press("previous")
    window.ask("second")
    window.wait(lambda: window.turns == [("first", "One."), ("second", "Three.")])
    assert [m["content"] for m in engine.requests[-1].messages] == ["first", "One.", "second"]
    window.settle()
    path = window.session.store.wait_for(lambda store: [message.content for message in store.messages.path(1)])
    assert path == ["first", "One.", "second", "Three."]


@pytest.mark.parametrize("word", ["edit", pytest.param("again", marks=pytest.mark.full)])
def test_what_is_asked_while_another_branch_is_on_its_way_is_shown_where_it_was_put(
    open_window: OpenWindow, word: str
) -> None:
    engine = ScriptedEngine([Script(f"{number}.") for number in range(4)])
    window = open_window(engine)
    session = window.session
    window.ask_and_wait("first")
    session.answers.edit(session.chat.turns[0], "second")
    window.wait_until_answered()
    window.settle()
    window.ask_and_wait("below the second")
    asked_of = session.chat.turns[0 if word == "edit" else 1]
    session.chats.switch(session.chat, session.chat.turns[0].question_node, -1)
    if word == "edit":
        session.answers.edit(asked_of, "third")
    else:
        session.answers.ask_again(asked_of)
    expected = [("third", "3.")] if word == "edit" else [("second", "1."), ("below the second", "3.")]
    window.wait(lambda: window.turns == expected)
    window.settle()
    asked = [question for question, _ in expected]
    assert [m["content"] for m in engine.requests[-1].messages if m["role"] == "user"] == asked
    path = session.store.wait_for(lambda store: [message.content for message in store.messages.path(1)])
    assert path == [text for turn in expected for text in turn]


@pytest.mark.parametrize("word", ["edit", pytest.param("ask", marks=pytest.mark.full)])
def test_an_answer_is_not_continued_once_something_else_is_asked(start_chat: StartChat, word: str) -> None:
    engine = ScriptedEngine([Script("One.", reason="length"), Script("Two."), Script("Three.")])
    window = start_chat(engine)
    session = window.session
    window.ask_and_wait("first")
    turn = session.chat.turns[0]
    session.answers.continue_answer(turn)
    if word == "edit":
        session.answers.edit(turn, "second")
    else:
        session.answers.ask("second")
    expected = [("second", "Two.")] if word == "edit" else [("first", "One."), ("second", "Two.")]
    window.wait(lambda: window.turns == expected)
    window.wait(lambda: session.answers.is_idle)
    window.settle()
    streaming = session.store.wait_for(lambda store: store.messages.get(turn.answer_node.id).state)
    assert (streaming, len(engine.requests)) == ("complete", 2)


def test_an_answer_goes_on_by_the_settings_of_its_own_chat(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script("One.", reason="length"), Script(" More.")])
    window = start_chat(engine)
    session = window.session
    window.ask_and_wait("first")
    session.settings.set_own(session.chat, "", {"temperature": 0.5, "seed": 7})
    turn = session.chat.turns[0]
    window.trigger("continue-answer")
    window.trigger("new-chat")
    window.wait(lambda: turn.answer.text == "One. More.")
    assert (engine.requests[-1].sampling.temperature, engine.requests[-1].sampling.seed) == (0.5, 7)
    window.settle()


def test_an_answer_further_up_that_goes_on_can_be_stopped(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script("One.", reason="length"), Script("Two."), Script(STORY)])
    window = start_chat(engine)
    window.ask_and_wait("first", "second")
    engine.gate = threading.Semaphore(5)
    turn = window.session.chat.turns[0]
    window.turn(0).press("go-on")
    window.wait(lambda: len(turn.answer.text) > len("One."))
    assert not window.session.answers.ready
    assert window.is_enabled("stop")
    window.trigger("stop")
    engine.gate.release(1000)
    window.wait(lambda: turn.answer.state is State.CANCELLED)
    assert window.session.answers.ready
    window.settle()


def test_what_was_written_in_an_edit_stays_while_it_cannot_be_asked(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script("One."), Script(STORY), Script("Three.")])
    window = start_chat(engine)
    window.ask_and_wait("first")
    window.turn(0).press_question("edit")
    editor = window.turn(0).editor
    editor.edit.setPlainText("changed at length")
    engine.gate = threading.Semaphore(5)
    window.ask("second")
    window.wait(lambda: bool(window.answer().text))
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    assert window.turn(0).editor is editor
    assert editor.edit.toPlainText() == "changed at length"
    engine.gate.release(1000)
    window.wait_until_answered()
    window.settle()
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    window.wait(lambda: window.turns == [("changed at length", "Three.")])
    window.settle()


@pytest.mark.parametrize("send_key", [pytest.param("enter", marks=pytest.mark.full), "modifier"])
def test_an_edit_is_sent_with_the_key_that_sends_messages(start_chat: StartChat, send_key: str) -> None:
    window = start_chat(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask_and_wait("first")
    window.composer.set_send_key(send_key)
    window.write("a draft that stays")
    window.trigger("edit-last")
    editor = window.turn().editor
    if send_key == "modifier":
        QTest.keyClick(editor.edit, Qt.Key.Key_Return)
        assert editor.edit.toPlainText() == "first\n"
    editor.edit.setPlainText("changed")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    window.wait(lambda: window.turns == [("changed", "Two.")])
    assert window.unsent == "a draft that stays"
    window.settle()


def test_an_edit_is_still_there_after_another_chat_was_shown(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask_and_wait("first")
    chat, session = window.session.chat, window.session
    window.turn(0).press_question("edit")
    editor = window.turn(0).editor
    editor.edit.setPlainText("changed at ")
    editor.edit.moveCursor(QTextCursor.MoveOperation.End)
    QCoreApplication.sendEvent(editor.edit, QInputMethodEvent("길", []))
    session.chats.new_chat()
    assert window.unsent == ""
    session.chats.open(chat)
    editor = window.turn(0).editor
    assert editor.edit.toPlainText() == "changed at 길"
    assert window.edit.hasFocus()
    editor.cancelled.emit()
    session.chats.new_chat()
    session.chats.open(chat)
    assert not window.turn(0).is_edited
