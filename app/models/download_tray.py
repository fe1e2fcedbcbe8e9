"""Shows downloads outside the window: a number on the app's icon, and notifications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.widgets.outside import notify, show_count, system_tray
from engine.machine.keep_awake import KeepAwake

if TYPE_CHECKING:
    from app.library.library import Library


class DownloadTray(QObject):
    """Shows the library's downloads. `downloads_wanted` follows a click on a notification or its icon."""

    downloads_wanted = Signal()

    def __init__(self, library: Library, window: QWidget) -> None:
        super().__init__(window)
        self._library, self._window = library, window
        self._tray: QSystemTrayIcon | None = None
        self._awake = KeepAwake("Tandem downloads a model")
        library.downloads_changed.connect(self.refresh)
        QApplication.instance().applicationStateChanged.connect(self._state_changed)  # type: ignore[union-attr]

    def refresh(self) -> None:
        """Show how many downloads run."""
        running = self._library.running
        show_count("downloads", running)
        self._awake.keep(running > 0)

    def notify(self, sentence: str) -> None:
        """Show a notification, unless the app is in front. Its icon stays until the user has seen it."""
        if QApplication.activeWindow() is not None:
            return
        if self._tray is None and (tray := system_tray(self, "arrow-down")) is not None:
            self._tray = tray
            tray.activated.connect(self._show_downloads)
            tray.messageClicked.connect(self._show_downloads)
        notify(self._window, self._tray, sentence)

    def _show_downloads(self) -> None:
        self._hide()
        self._window.activateWindow()
        self.downloads_wanted.emit()

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._hide()

    def _hide(self) -> None:
        if self._tray is not None:
            self._tray.setVisible(False)
