"""Windows that come and go on the screen, and the app outside of them: its icons, numbers on one, notifications."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.system.mac_windows import mac_windows
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
    """Return whether the system has a menu bar or tray for icons of programs."""
    return QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()


def bring_to_front(window: QWidget) -> None:
    """Show the window in front of other apps' windows, restored if it was minimised."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()


def hide_window(window: QWidget) -> None:
    """Hide a window, which may be in full screen.

    Qt only takes it from the screen. On macOS the Space of a window in full screen would stay, black, unless AppKit
    closes the window, too.
    """
    windows = mac_windows()
    if windows is not None and window.isFullScreen():
        windows.close(window.winId())
    window.hide()


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

    `opened` is emitted after a click on the notification or the icon. `seen` is emitted whenever the app comes to the
    front, also if nothing was shown before.
    """

    opened = Signal()
    seen = Signal()

    def __init__(self, name: str, window: QWidget) -> None:
        super().__init__(window)
        self._name = name
        self._window = window
        self._tray: QSystemTrayIcon | None = None
        QApplication.instance().applicationStateChanged.connect(self._state_changed)  # type: ignore[union-attr]

    def notify(self, sentence: str) -> bool:
        """Show a notification, unless a window of the app is in front. Return False if one is, and nothing was shown.

        Without a tray, the app's icon asks for attention instead. On macOS the icon in the Dock always does, too:
        outside of a bundle macOS shows no notification, and in a bundle it does not say whether it showed it.
        """
        if QApplication.activeWindow() is not None:
            return False
        on_mac = sys.platform == "darwin"
        tray = self._tray_icon()
        if tray is not None:
            tray.show()
            if in_bundle() or not on_mac:
                tray.showMessage(QApplication.applicationDisplayName(), sentence)
        if tray is None or on_mac:
            QApplication.alert(self._window, _ALERT_MS)
        return True

    def _tray_icon(self) -> QSystemTrayIcon | None:
        """Return the icon in the menu bar, which is made at the first call; None if the system has no tray."""
        if self._tray is None:
            self._tray = system_tray(self, self._name)
            if self._tray is not None:
                self._tray.activated.connect(self._open)
                self._tray.messageClicked.connect(self._open)
        return self._tray

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
