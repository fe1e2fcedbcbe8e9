"""The parts of the app outside of its windows: the number on its icon, icons in the menu bar, and notifications."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.system.paths import in_bundle
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


def has_system_tray() -> bool:
    """Whether the system has a menu bar or tray for icons of programs."""
    return QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()


def bring_to_front(window: QWidget) -> None:
    """Show the window in front of other apps' windows, restored if it was minimised."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()


def system_tray(parent: QObject, name: str) -> QSystemTrayIcon | None:
    """Return a new icon in the menu bar, or None if the system has none."""
    if not has_system_tray():
        return None
    picture = icon(name, "text")
    # macOS uses only the shape and gives it the menu bar's colour.
    picture.setIsMask(True)
    return QSystemTrayIcon(picture, parent)


class Notifier(QObject):
    """Shows notifications of one kind, with an icon of that `name` in the menu bar until the user comes back.

    `opened` follows a click on either, and `seen` follows when the user is back.
    """

    opened = Signal()
    seen = Signal()

    def __init__(self, name: str, window: QWidget) -> None:
        super().__init__(window)
        self._name, self._window = name, window
        self._tray: QSystemTrayIcon | None = None
        QApplication.instance().applicationStateChanged.connect(self._state_changed)  # type: ignore[union-attr]

    def notify(self, sentence: str) -> bool:
        """Show a notification, unless a window of the app is in front. Returns whether the user was told.

        Where a notification may not appear, the app's icon asks for attention: macOS shows none of a program without a
        bundle of its own, and tells nobody whether it still shows those of the old kind that Qt sends.
        """
        if QApplication.activeWindow() is not None:
            return False
        if self._tray is None and (tray := system_tray(self, self._name)) is not None:
            self._tray = tray
            tray.activated.connect(self._open)
            tray.messageClicked.connect(self._open)
        if self._tray is not None:
            self._tray.show()
        on_mac = sys.platform == "darwin"
        if self._tray is not None and (in_bundle() or not on_mac):
            self._tray.showMessage(QApplication.applicationDisplayName(), sentence)
        if self._tray is None or on_mac:
            QApplication.alert(self._window, _ALERT_MS)
        return True

    def _open(self) -> None:
        # A click on the icon, unlike one on the notification itself, does not activate the program on macOS.
        bring_to_front(self._window)
        self.opened.emit()
        self._end()

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._end()

    def _end(self) -> None:
        if self._tray is not None:
            self._tray.hide()
        self.seen.emit()
