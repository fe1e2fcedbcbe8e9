"""Finds texts that a window shows cut off."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.labels import ElidedLabel
from app.window.chip import Chip

# Asked once, before a layout has followed, nothing is cut yet.
_TIMES_IN_A_ROW = 2
# The share of a long name that is shown at least; its tip has all of it.
_ELIDED = 0.6


def cut_texts(window: QWidget) -> list[str]:
    """Texts of visible labels, buttons and chips that have less width than they need; a name may be elided a little."""
    labels = [label for label in window.findChildren(QLabel) if label.text() and not label.wordWrap()]
    buttons = [button for button in window.findChildren(QAbstractButton) if button.text() or isinstance(button, Chip)]
    shown = [view for view in (*labels, *buttons) if view.isVisible() and not isinstance(view.parent(), Chip)]
    return [view.text() or view.accessibleName() for view in shown if _needed(view) > view.width() + 1]


def _needed(view: QWidget) -> float:
    return view.sizeHint().width() * (_ELIDED if isinstance(view, ElidedLabel) else 1)


def wait_until_nothing_is_cut(window: QWidget, qtbot: QtBot, cut: Callable[[QWidget], list[str]] = cut_texts) -> None:
    """Layouts follow in the event loop, one after the other from the inside out. `cut` finds the texts."""
    whole = 0

    def stays_whole() -> bool:
        nonlocal whole
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        whole = 0 if cut(window) else whole + 1
        return whole == _TIMES_IN_A_ROW

    with contextlib.suppress(qtbot.TimeoutError):
        qtbot.waitUntil(stays_whole)
    assert cut(window) == [], f"{cut(window)} at {window.size()}"
