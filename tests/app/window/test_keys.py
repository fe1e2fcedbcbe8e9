"""Actions with shortcuts: text size, speculation, the chats above and below, printing; and keys without any."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFrame

from app.transcript.auto_height_browser import AutoHeightTextBrowser
from app.widgets.application import Application
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver

_NONE = Qt.KeyboardModifier.NoModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(start_chat: StartChat) -> WindowDriver:
    return start_chat(ScriptedEngine([Script("It is **bold**.")]))


def test_text_size_and_speculation_change_by_key(window: WindowDriver, qapp: Application) -> None:
    sizes = []
    for action in ("zoom-in", "zoom-in", "zoom-in", "zoom-out", "zoom-reset", "zoom-out", "zoom-out"):
        window.trigger(action)
        sizes.append(qapp.theme.text_size)
    assert sizes == [115, 130, 130, 115, 100, 90, 90]
    for choice, method in (("on", "draft"), ("off", "off"), ("auto", "auto")):
        assert window.action(f"speculation-{choice}").shortcut().toString().startswith("Ctrl+Alt+")
        window.trigger(f"speculation-{choice}")
        assert window.session.settings.speculation.method == method


def test_the_chats_above_and_below_are_shown_by_key(window: WindowDriver) -> None:
    for question in ("first", "second", "third"):
        window.trigger("new-chat")
        window.ask_and_wait(question)
    seen = []
    for action in ("next-chat", "next-chat", "next-chat", "previous-chat"):
        window.trigger(action)
        window.settle()
        seen.append(window.session.chat.turns[0].question)
    assert seen == ["second", "first", "first", "second"]


def test_a_chat_is_printed_as_it_reads_and_says_by_what_it_was_written(
    window: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[str] = []
    monkeypatch.setattr(QPrintDialog, "exec", lambda _: QPrintDialog.DialogCode.Accepted)
    monkeypatch.setattr(QTextDocument, "print_", lambda document, _: printed.append(document.toPlainText()))
    assert not window.is_enabled("print-chat")
    window.ask_and_wait("What is it?")
    window.trigger("print-chat")
    assert "What is it?" in printed[0]
    assert printed[0].endswith("It is bold.")
    # The panel has the figure.
    assert window.turn().origin.startswith("main · ")
    title = window.titles[0]
    window.trigger("new-chat")
    window.open_chat(title)
    assert window.turn().origin.startswith("main · ")


def test_what_is_typed_over_the_answer_is_written_into_the_message_box(window: WindowDriver) -> None:
    window.ask_and_wait("What is it?")
    answer = window.parts.transcript.findChild(AutoHeightTextBrowser)
    for has_focus in (answer, window.parts.transcript):
        has_focus.setFocus()
        QTest.keyClicks(has_focus, "a")
        QTest.keyClicks(QApplication.focusWidget(), "bC")
        assert (window.unsent, window.edit.hasFocus()) == ("abC", True)
        window.edit.clear()
    # Commands, and keys that scroll, stay where they are.
    answer.setFocus()
    for key, modifiers in ((Qt.Key.Key_C, _CONTROL), (Qt.Key.Key_Space, _NONE), (Qt.Key.Key_PageDown, _NONE)):
        QTest.keyClick(answer, key, modifiers)
    assert (window.unsent, answer.hasFocus()) == ("", True)


def test_a_click_anywhere_on_the_card_is_one_into_the_message_box(window: WindowDriver) -> None:
    window.ask_and_wait("What is it?")
    composer = window.parts.composer
    card = composer.findChild(QFrame, "composerCard")
    for place in (QPoint(3, 3), QPoint(card.width() // 2, card.height() - 4)):
        window.parts.transcript.setFocus()
        QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=place)
        assert window.edit.hasFocus()
