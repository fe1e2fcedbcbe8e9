"""The parts of the app outside of its windows: the number on its icon, and icons in the menu bar."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from app.widgets import theme
from app.widgets.icons import icon

_COUNTS = "tandemCounts"


def show_count(of: str, count: int) -> None:
    """Set the count for `of`; the app's icon shows the sum of all counts, where the system supports a number."""
    application = QApplication.instance()
    if not isinstance(application, QGuiApplication):
        return
    counts = {**(application.property(_COUNTS) or {}), of: count}
    application.setProperty(_COUNTS, counts)
    application.setBadgeNumber(sum(counts.values()))


def system_tray(parent: QObject, name: str) -> QSystemTrayIcon | None:
    """Return a new icon in the menu bar, or None if the system has none."""
    if not (QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()):
        return None
    picture = icon(name, theme.colours().text)
    # macOS uses only the shape and gives it the menu bar's colour.
    picture.setIsMask(True)
    return QSystemTrayIcon(picture, parent)
