"""Edits, regenerated answers and branches: every version is kept and can be shown."""

from __future__ import annotations

import threading

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import STORY, Script, ScriptedEngine


def test_an_edited_question_is_a_sibling_and_both_can_be_seen(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])
    window = open_window(engine)
    window.ask_and_wait("first", "second")
    original = window.session.chat.id
    window.turn(0).press("branch")
    qtbot.waitUntil(lambda: window.turns == [("first", "One.")])
    assert window.session.chat.id != original
    assert len(window.titles) == 2
    window.open_chat(window.titles[1])
    qtbot.waitUntil(lambda: window.session.chat.id == original)
    window.turn(0).press_question("edit")
    window.turn(0).editor.edit.setPlainText("changed")
    QTest.keyClick(window.turn(0).editor.edit, Qt.Key.Key_Return)
    window.wait_until_answered()
    assert window.turns == [("changed", "Three.")]
    assert [m["content"] for m in engine.requests[-1].messages] == ["changed"]
    window.settle()
    assert window.turn(0).question_version == "2/2"
    window.turn(0).press_question("previous")
    qtbot.waitUntil(lambda: window.turns == [("first", "One."), ("second", "Two.")])
    assert window.turn(0).question_version == "1/2"
    window.turn(0).press_question("next")
    qtbot.waitUntil(lambda: window.turns == [("changed", "Three.")])


def test_another_answer_keeps_the_one_before(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.activateWindow()
    window.ask_and_wait("first")
    button = window.turn().view.answer_row.button("again")
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    # The keys go to the composer when another answer takes the place.
    assert window.composer.edit.hasFocus()
    qtbot.waitUntil(lambda: window.turns == [("first", "Two.")])
    window.settle()
    assert window.turn().answer_version == "2/2"
    window.turn().press("previous")
    qtbot.waitUntil(lambda: window.turns == [("first", "One.")])


def test_the_keys_go_to_the_composer_when_an_edit_ends(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.activateWindow()
    window.ask_and_wait("first")
    for key, typed in ((Qt.Key.Key_Escape, ""), (Qt.Key.Key_Return, "!")):
        window.trigger("edit-last")
        editor = window.turn().editor
        assert editor.edit.hasFocus()
        QTest.keyClicks(editor.edit, typed)
        QTest.keyClick(editor.edit, key)
        assert window.composer.edit.hasFocus()
    window.wait_until_answered()
    window.settle()


def test_switching_versions_lets_an_answer_go_on(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script(STORY)])
    window = open_window(engine)
    window.ask_and_wait("first")
    engine.gate = threading.Semaphore(5)
    window.trigger("ask-again")
    qtbot.waitUntil(lambda: bool(window.answer().text))
    session = window.session
    session.chats.switch(session.chat, session.chat.turns[0].answer_node, -1)
    qtbot.waitUntil(lambda: window.turns == [("first", "One.")])
    engine.gate.release(1000)
    qtbot.waitUntil(lambda: session.answers.quiet)
    session.chats.switch(session.chat, session.chat.turns[0].answer_node, 1)
    qtbot.waitUntil(lambda: window.turns == [("first", STORY)])


def test_the_menu_of_an_answer_has_sections_and_nothing_that_cannot_be(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    sections: list[list[str]] = [[]]
    for action in window.turn().menu().actions():
        if action.isSeparator():
            sections.append([])
        else:
            assert action.isEnabled()
            sections[-1].append(action.text())
    assert [section[0] for section in sections] == [
        "Copy the answer as Markdown",
        "Edit the message",
        "Delete the message and its answer",
    ]
