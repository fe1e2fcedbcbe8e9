"""The parts of the app outside of its windows: the number on its icon, icons in the menu bar, and notifications."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.system.paths import in_bundle
from app.widgets import theme
from app.widgets.icons import icon

_COUNTS = "tandemCounts"
_ALERT_MS = 3000


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


def notify(window: QWidget, tray: QSystemTrayIcon | None, sentence: str) -> None:
    """Show a notification of the icon `tray`; where it would not appear, the app's icon asks for attention.

    macOS shows none of a program without a bundle of its own, although Qt says that it does.
    """
    if tray is not None:
        tray.show()
    if tray is not None and (in_bundle() or sys.platform != "darwin"):
        tray.showMessage(QApplication.applicationDisplayName(), sentence)
    else:
        QApplication.alert(window, _ALERT_MS)
