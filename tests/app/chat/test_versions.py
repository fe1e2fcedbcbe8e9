"""Edits, other answers and branches: every version is kept and can be seen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.app.chats_shown import settle, titles, turns, view
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window.test_main_window import STORY, answer_of, ask, wait_for_end

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow


def test_an_edited_question_is_a_sibling_and_both_can_be_seen(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])
    window = open_window(engine)
    for question in ("first", "second"):
        ask(window, question)
        wait_for_end(window, qtbot)
    settle(window, qtbot)
    view(window, 0).question_row.button("edit").click()
    editor = view(window, 0).editor
    assert editor is not None
    editor.edit.setPlainText("changed")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    wait_for_end(window, qtbot)
    assert turns(window) == [("changed", "Three.")]
    assert [m["content"] for m in engine.requests[-1].messages] == ["changed"]
    settle(window, qtbot)
    assert view(window, 0).question_row._count.text() == "2/2"
    view(window, 0).question_row.button("previous").click()
    qtbot.waitUntil(lambda: turns(window) == [("first", "One."), ("second", "Two.")])
    assert view(window, 0).question_row._count.text() == "1/2"
    view(window, 0).question_row.button("next").click()
    qtbot.waitUntil(lambda: turns(window) == [("changed", "Three.")])


def test_another_answer_keeps_the_one_before(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    window._actions["ask-again"].trigger()
    qtbot.waitUntil(lambda: turns(window) == [("first", "Two.")])
    settle(window, qtbot)
    assert view(window).answer_row._count.text() == "2/2"
    view(window).answer_row.button("previous").click()
    qtbot.waitUntil(lambda: turns(window) == [("first", "One.")])


@pytest.mark.parametrize("ends_with", ["sending", "cancelling"])
def test_the_keys_go_to_the_composer_when_an_edit_ends(open_window: OpenWindow, qtbot: QtBot, ends_with: str) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.activateWindow()
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    window._actions["edit-last"].trigger()
    editor = view(window).editor
    assert editor is not None
    assert editor.edit.hasFocus()
    if ends_with == "sending":
        QTest.keyClicks(editor.edit, "!")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return if ends_with == "sending" else Qt.Key.Key_Escape)
    assert window._composer.edit.hasFocus()
    wait_for_end(window, qtbot)
    settle(window, qtbot)


def test_the_keys_go_to_the_composer_when_another_answer_takes_the_place(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.activateWindow()
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    button = view(window).answer_row.button("again")
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert window._composer.edit.hasFocus()
    wait_for_end(window, qtbot)
    settle(window, qtbot)


def test_switching_versions_lets_an_answer_go_on(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script(STORY)])
    window = open_window(engine)
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    engine.gate = threading.Semaphore(5)
    window._actions["ask-again"].trigger()
    qtbot.waitUntil(lambda: bool(answer_of(window).text))
    session = window._session
    session.chats.switch(session.chat, session.chat.turns[0].answer_node, -1)
    qtbot.waitUntil(lambda: turns(window) == [("first", "One.")])
    engine.gate.release(1000)
    qtbot.waitUntil(lambda: session.answers.quiet)
    session.chats.switch(session.chat, session.chat.turns[0].answer_node, 1)
    qtbot.waitUntil(lambda: turns(window) == [("first", STORY)])


def test_a_branch_is_a_chat_of_its_own(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    for question in ("first", "second"):
        ask(window, question)
        wait_for_end(window, qtbot)
    settle(window, qtbot)
    original = window._session.chat.id
    view(window, 0).answer_row.button("branch").click()
    qtbot.waitUntil(lambda: turns(window) == [("first", "One.")])
    assert window._session.chat.id != original
    assert len(titles(window)) == 2
