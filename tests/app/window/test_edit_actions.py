"""The actions that edit text act on what has the focus; what it cannot paste goes to the message box."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from shiboken6 import isValid

from app.settings.declarations import PAGES
from app.widgets.overlay import Overlay
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver

ANSWER = "<think>\nThoughts.\n</think>\n\nProse.\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
EDITS = ("select-all", "copy", "paste", "cut", "undo", "redo")
OPENED = ("show-tokens", "find-in-chat", "rename-chat", "edit-last")
CARDS = ("palette", "choose-main", "choose-draft", "chat-settings")
Act = Callable[[WindowDriver, str], None]


def by_menu(window: WindowDriver, edit: str) -> None:
    window.trigger(edit)


def by_key(window: WindowDriver, edit: str) -> None:
    keys = QKeySequence(window.action(edit).shortcut())[0]
    QTest.keyClick(QApplication.focusWidget() or window.window, keys.key(), keys.keyboardModifiers())


@pytest.fixture
def window(start_chat: StartChat) -> WindowDriver:
    """A window with an answer that is done and one that is being written."""
    engine = ScriptedEngine([Script(ANSWER), Script(STORY)], gate=threading.Semaphore(200))
    window = start_chat(engine)
    window.resize(1440, 900)
    window.ask_and_wait("question")
    window.turn().view.thinking.head.click()
    while engine.gate.acquire(blocking=False):  # type: ignore[union-attr]
        pass
    engine.gate.release(9)  # type: ignore[union-attr]
    window.ask("Tell me a story")
    window.wait(lambda: window.shown_text() != "")
    return window


def focusable(parent: QWidget) -> list[QWidget]:
    """All widgets on screen that can have the focus."""
    return [
        widget
        for widget in parent.findChildren(QWidget)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and widget.focusProxy() is None
        and widget.isEnabled()
        and widget.isVisible()
        and widget.window() is parent.window()
    ]


def takes_text(widget: QWidget) -> bool:
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    return isinstance(widget, QAbstractSpinBox)


def walk(window: WindowDriver, parent: QWidget, act: Act) -> tuple[set[str], set[str]]:
    """Do every edit at every place of the focus in `parent`.

    Return the classes of the places whose text was copied, and of those where Paste came to the message box.
    """
    copied, pasted = set(), set()
    for widget in focusable(parent):
        for edit in EDITS:
            # Some are replaced, as the results of a search are.
            if not isValid(widget) or not widget.isVisible():
                break
            widget.setFocus()
            kind, is_text, before = type(widget).__name__, takes_text(widget), window.unsent
            QGuiApplication.clipboard().setText("pasted")
            act(window, edit)
            if edit == "copy" and QGuiApplication.clipboard().text() != "pasted":
                copied.add(kind)
            if edit == "paste" and not is_text and window.unsent != before:
                assert window.edit.hasFocus()
                pasted.add(kind)
            elif widget is not window.edit:
                assert window.unsent == before, f"{edit} in {kind}"
    return copied, pasted


@pytest.mark.parametrize("act", [by_key, pytest.param(by_menu, marks=pytest.mark.full)])
def test_edits_act_on_what_has_the_focus_wherever_it_is(window: WindowDriver, act: Act) -> None:
    copied, pasted = walk(window, window.window, act)
    assert {"Prose", "_CodeView", "PlainTextBrowser"} <= copied & pasted
    assert {"Transcript", "RowView", "QToolButton", "RoundStrip", "Chip"} <= pasted
    for opened in OPENED:
        window.trigger(opened)
        walk(window, window.window, act)
    for name in CARDS:
        window.trigger(name)
        card = next(card for card in window.window.findChildren(Overlay) if card.isVisible())
        assert walk(window, card, act)[1] == set(), name
        card.close_overlay()
    QApplication.focusWidget().clearFocus()
    before = window.unsent
    for edit in EDITS:
        act(window, edit)
    assert window.unsent == f"{before}pasted"


def test_edits_in_the_settings_stay_there(window: WindowDriver) -> None:
    """On a Mac, their window has the menus of the main one."""
    for page in PAGES:
        window.settings.open(page)
        window.wait(window.settings.isActiveWindow)
        assert walk(window, window.settings, by_menu)[1] == set()
    window.settings.close()


def test_pasted_over_a_chat_comes_as_in_the_box(window: WindowDriver, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("notes")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    window.turn(0).blocks[0].setFocus()
    QGuiApplication.clipboard().setMimeData(data)
    by_key(window, "paste")
    assert window.edit.hasFocus()
    window.sidebar.list.setFocus()
    QGuiApplication.clipboard().setImage(QImage(8, 8, QImage.Format.Format_RGB32))
    by_key(window, "paste")
    window.wait(lambda: len(window.attached) == 2)
    assert window.attached[0] == "notes.txt"
    assert window.edit.hasFocus()
