"""Keys that a widget handles itself although the window has shortcuts for them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def is_escape(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape


def claims_escape(event: QEvent) -> bool:
    """Accept `event` if Qt asks by it who handles Esc. Returns whether it did.

    Otherwise the shortcut that stops an answer would get the key.
    """
    if event.type() != QEvent.Type.ShortcutOverride or not is_escape(event):
        return False
    event.accept()
    return True
