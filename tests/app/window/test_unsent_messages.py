"""What is being written: kept with its chat, counted, undone, brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from app.session.attachments import count_tokens
from engine import starter_pair
from tests.app.chats_shown import paste
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window.test_main_window import ask, wait_for_end

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application
    from tests.app.conftest import OpenWindow


def test_the_up_key_brings_back_what_was_written(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    for question in ("first", "second"):
        ask(window, question)
        wait_for_end(window, qtbot)
    edit = window._composer.edit
    seen = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        QTest.keyClick(edit, key)
        seen.append(edit.toPlainText())
    assert seen == ["second", "first", "first", "second", ""]
    edit.setPlainText("my own")
    QTest.keyClick(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == "my own"


def test_the_context_is_counted_while_writing(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    session, starter = window._session, starter_pair()[0]
    info = window._composer._info
    (tmp_path / "notes.txt").write_text("Tandem guesses.")
    session.models.load(str(starter), None)
    qtbot.waitUntil(lambda: not session.models.pair.loading)
    window._composer.edit.setPlainText("What is Tandem?")
    words = count_tokens(starter, "What is Tandem?")
    assert words
    qtbot.waitUntil(lambda: info.text() == f"{words} of 4,096 tokens")
    paste(window, tmp_path / "notes.txt")
    notes = count_tokens(starter, "Tandem guesses.")
    assert notes
    qtbot.waitUntil(lambda: info.text() == f"{words + notes} of 4,096 tokens")
    assert f"{notes} tokens" in [label.text() for label in window._composer.files.findChildren(QLabel)]
    ask(window, "What is Tandem?")
    wait_for_end(window, qtbot)
    stats = session.chat.turns[-1].answer.stats
    qtbot.waitUntil(lambda: info.text() == f"{stats.prompt_tokens + stats.generated_tokens} of 4,096 tokens")


def test_what_no_context_holds_is_told_before_it_is_sent(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine())
    window._session.models.load(str(starter_pair()[0]), None)
    qtbot.waitUntil(lambda: not window._session.models.pair.loading)
    window._composer.edit.setPlainText("word " * 5000)
    qtbot.waitUntil(lambda: window._composer._info.text().endswith("too long for this model"))


def test_what_is_written_in_a_chat_can_be_undone_after_another_was_shown(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    first, edit = window._session.chat, window._composer.edit
    QTest.keyClicks(edit, "one two")
    window._actions["new-chat"].trigger()
    QTest.keyClicks(edit, "another")
    window._session.chats.open(first)
    assert edit.toPlainText() == "one two"
    edit.undo()
    assert edit.toPlainText() != "one two"
    edit.redo()
    assert edit.toPlainText() == "one two"
    assert first.unsent == "one two"


def test_a_message_that_was_sent_comes_back_with_undo(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    edit = window._composer.edit
    QTest.keyClicks(edit, "a question")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    wait_for_end(window, qtbot)
    assert edit.toPlainText() == ""
    edit.undo()
    assert edit.toPlainText() == "a question"


def test_what_is_being_composed_stays_in_the_chat_that_is_left(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    first, edit = window._session.chat, window._composer.edit
    QCoreApplication.sendEvent(edit, QInputMethodEvent("초안", []))
    window._actions["new-chat"].trigger()
    assert edit.toPlainText() == ""
    window._session.chats.open(first)
    assert edit.toPlainText() == "초안"


def test_what_is_being_composed_is_in_the_draft_when_the_window_closes(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    QCoreApplication.sendEvent(window._composer.edit, QInputMethodEvent("초안", []))
    window.close()
    assert window._session.chat.unsent == "초안"


def test_a_question_of_the_welcome_leaves_the_draft_where_it_is(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("An app.")]))
    session, edit = window._session, window._composer.edit
    QTest.keyClicks(edit, "half a thought")
    window._welcome.asked.emit("What is Tandem?")
    wait_for_end(window, qtbot)
    first = session.chat
    session.chats.new_chat()
    session.chats.open(first)
    assert edit.toPlainText() == first.unsent == "half a thought"


def test_words_that_are_sent_while_an_answer_goes_on_stay_in_the_box(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("A long", reason="length"), Script(" story.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    session, edit = window._session, window._composer.edit
    QTest.keyClicks(edit, "second")

    def press(_chat: object, _turn: object) -> None:
        if session.chat.streaming and len(session.chat.turns) == 1:
            QTest.keyClick(edit, Qt.Key.Key_Return)

    session.answers.arrived.connect(press)
    window._actions["continue-answer"].trigger()
    qtbot.waitUntil(lambda: session.chat.turns[0].answer.text == "A long story.")
    wait_for_end(window, qtbot)
    assert edit.toPlainText() == "second"


def test_a_draft_is_as_large_as_other_text_after_the_text_size_changed(
    open_window: OpenWindow, qtbot: QtBot, qapp: Application
) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    first, edit = window._session.chat, window._composer.edit
    QTest.keyClicks(edit, "a draft")
    window._session.chats.new_chat()
    try:
        qapp.theme.set_text_size(130)
        window._session.chats.open(first)
        assert edit.document().defaultFont().pixelSize() == edit.font().pixelSize() == 18
        assert edit.document().isUndoAvailable()
    finally:
        qapp.theme.set_text_size(100)
