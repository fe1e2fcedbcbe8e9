"""The message box: Enter, input methods, growing. The input-method events are those of real platforms."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction, QInputMethodEvent, QKeyEvent, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton
from pytestqt.qtbot import QtBot

from app.composer.composer import Composer
from app.session.chats import Chat
from app.widgets.layouts import settle_layouts
from tests.app.conftest import Show


@pytest.fixture
def composer(show: Show[Composer]) -> Composer:
    send, stop = QAction("Send"), QAction("Stop")
    composer = show(Composer(send, stop), 500, 120)
    composer.actions_kept = (send, stop)  # type: ignore[attr-defined]
    composer.edit.setFocus()
    return composer


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    texts: list[str] = []
    composer.sent.connect(texts.append)
    return texts


def button(composer: Composer) -> QToolButton:
    return composer.findChild(QToolButton, "send")


def compose(composer: Composer, preedit: str) -> None:
    QCoreApplication.sendEvent(composer.edit, QInputMethodEvent(preedit, []))


def commit(composer: Composer, text: str, preedit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(text)
    QCoreApplication.sendEvent(composer.edit, event)


def press_enter(composer: Composer, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, modifiers)


@pytest.mark.parametrize(
    ("before", "preedits", "chosen"),
    [("", ("に", "にほ", "にほん", "日本"), "日本"), ("我用", ("t", "tan", "tan'dem"), "tandem")],
    ids=["Japanese candidate", "pinyin as Latin letters"],
)
def test_enter_that_confirms_a_candidate_does_not_send(
    composer: Composer, sent: list[str], before: str, preedits: tuple[str, ...], chosen: str
) -> None:
    commit(composer, before)
    for preedit in preedits:
        compose(composer, preedit)
    press_enter(composer)
    assert sent == []
    commit(composer, chosen)
    assert composer.edit.toPlainText() == before + chosen
    press_enter(composer)
    assert sent == [before + chosen]


def test_one_enter_sends_a_korean_sentence_with_its_last_syllable(composer: Composer, sent: list[str]) -> None:
    compose(composer, "아")
    compose(composer, "안")
    commit(composer, "안", "녀")
    compose(composer, "녕")
    # The macOS two-set keyboard commits the syllable and passes the same Return on.
    commit(composer, "녕")
    press_enter(composer)
    assert sent == ["안녕"]
    assert composer.edit.toPlainText() == ""


@pytest.mark.first
def test_the_send_button_commits_what_is_being_composed_first(composer: Composer, sent: list[str]) -> None:
    commit(composer, "반갑습니")
    compose(composer, "다")
    QTest.mouseClick(button(composer), Qt.MouseButton.LeftButton)
    assert sent == ["반갑습니다"]
    assert composer.edit.toPlainText() == ""
    assert composer.edit.preedit() == ""


def test_nothing_is_doubled_by_the_message_after_a_send_while_composing(composer: Composer, sent: list[str]) -> None:
    compose(composer, "가")
    composer.send()
    commit(composer, "나")
    press_enter(composer)
    assert sent == ["가", "나"]


def test_shift_enter_makes_a_new_line_and_the_enter_of_the_keypad_sends(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.edit, "one")
    press_enter(composer, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.edit, "two")
    assert sent == []
    pad = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    QCoreApplication.sendEvent(composer.edit, pad)
    assert sent == ["one\ntwo"]


def test_text_is_sent_without_space_around_it_but_code_keeps_its_indent(composer: Composer, sent: list[str]) -> None:
    for text, asked in (
        *(("", ""), ("   ", ""), ("\n\n", ""), ("  hello ", "hello"), ("\tone\n\ttwo", "\tone\n\ttwo")),
        ("\n  \n    if found:\n        return\n\n", "    if found:\n        return"),
        ("שלום e\u0301 한 👩\u200d💻", "שלום e\u0301 한 👩\u200d💻"),
    ):
        composer.edit.setPlainText(text)
        press_enter(composer)
        assert sent == ([asked] if asked else [])
        sent.clear()


def test_the_box_grows_with_its_text_up_to_ten_lines(composer: Composer) -> None:
    heights = []
    for count in (1, 3, 10, 30):
        composer.edit.setPlainText("\n".join(["line"] * count))
        heights.append(composer.edit.height())
    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_the_keys_are_named_once_something_is_written_and_nothing_moves(composer: Composer) -> None:
    keys = composer.findChild(QLabel, options=Qt.FindChildOption.FindDirectChildrenOnly)
    height = composer.sizeHint().height()
    assert not keys.text().strip()
    composer.edit.setPlainText("one")
    assert keys.text() == "Enter to send · Shift+Enter for a new line"
    assert composer.sizeHint().height() == height
    composer.edit.clear()
    assert not keys.text().strip()


def test_lines_of_every_script_are_seen_whole(composer: Composer) -> None:
    composer.edit.setPlainText("하나\nふたつ\n三\nأربعة\nपाँच\nหก")
    lines = composer.edit.document().lineCount()
    assert composer.edit.verticalScrollBar().maximum() == 0
    first, last = (composer.edit.document().findBlockByNumber(number) for number in (0, lines - 1))
    offset = composer.edit.contentOffset()
    shown = composer.edit.viewport().rect().toRectF()
    for block in (first, last):
        assert shown.contains(composer.edit.blockBoundingGeometry(block).translated(offset))


def test_a_box_that_gets_too_little_room_lets_its_text_scroll(composer: Composer) -> None:
    composer.edit.setPlainText("line\n" * 8 + "the end")
    composer.edit.moveCursor(QTextCursor.MoveOperation.End)
    least = composer.minimumSizeHint().height()
    assert least < composer.sizeHint().height()
    composer.resize(500, least)
    settle_layouts()
    tools = button(composer).mapTo(composer, button(composer).rect().topLeft()).y()
    bottom = composer.edit.mapTo(composer, composer.edit.rect().bottomLeft()).y()
    assert bottom < tools
    assert composer.edit.viewport().rect().contains(composer.edit.cursorRect())
    assert composer.edit.verticalScrollBar().isVisible()


def test_the_button_stops_while_an_answer_streams(composer: Composer, sent: list[str], qtbot: QtBot) -> None:
    composer.set_streaming(True)
    composer.edit.setPlainText("next question")
    with qtbot.waitSignal(composer.actions_kept[1].triggered):  # type: ignore[attr-defined]
        QTest.mouseClick(button(composer), Qt.MouseButton.LeftButton)
    assert sent == []


def test_the_unsent_messages_of_chats_that_left_memory_go_with_them(composer: Composer) -> None:
    def documents() -> int:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return len(composer.edit.findChildren(QTextDocument))

    few = 0
    for number in range(20):
        chat = Chat()
        composer.show_unsent(chat, f"unsent {number}")
        # What was written elsewhere, as in the quick entry, is another document.
        composer.show_unsent(chat, f"written elsewhere {number}")
        few = few or documents()
    assert composer.edit.toPlainText() == "written elsewhere 19"
    assert documents() == few
