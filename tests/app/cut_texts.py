"""Finds texts that a window shows cut off."""

from __future__ import annotations

import contextlib

from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.window.header import Chip


def cut_texts(window: QWidget) -> list[str]:
    """Texts of visible labels, buttons and chips that have less width than they need."""
    labels = [label for label in window.findChildren(QLabel) if label.text() and not label.wordWrap()]
    buttons = [button for button in window.findChildren(QAbstractButton) if button.text() or isinstance(button, Chip)]
    shown = [view for view in (*labels, *buttons) if view.isVisible() and not isinstance(view.parent(), Chip)]
    return [view.text() or view.accessibleName() for view in shown if view.sizeHint().width() > view.width() + 1]


def wait_until_nothing_is_cut(window: QWidget, qtbot: QtBot) -> None:
    """Layouts follow in the event loop."""
    with contextlib.suppress(qtbot.TimeoutError):
        qtbot.waitUntil(lambda: not cut_texts(window))
    assert cut_texts(window) == [], window.size()
