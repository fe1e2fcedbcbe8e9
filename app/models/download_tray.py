"""Shows downloads outside the window: a number on the app's icon, an icon in the menu bar, notifications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.widgets.outside import notify, show_count, system_tray
from app.wording.figures import percent
from engine.machine.keep_awake import KeepAwake

if TYPE_CHECKING:
    from app.library.library import Library


class DownloadTray(QObject):
    """Shows the library's downloads. `downloads_wanted` follows a click on the menu bar icon or a notification."""

    downloads_wanted = Signal()

    def __init__(self, library: Library, window: QWidget) -> None:
        super().__init__(window)
        self._library, self._window = library, window
        self._tray: QSystemTrayIcon | None = None
        self._unread = False
        self._awake = KeepAwake("Tandem downloads a model")
        library.downloads_changed.connect(self.refresh)
        QApplication.instance().applicationStateChanged.connect(self._state_changed)  # type: ignore[union-attr]

    def refresh(self) -> None:
        """Show how many downloads run, and their progress."""
        running = self._library.running
        show_count("downloads", running)
        self._awake.keep(running > 0)
        if running and self._tray is None:
            self._prepare()
        if self._tray is not None:
            self._tray.setToolTip(self._words())
            self._tray.setVisible(bool(running) or self._unread)

    def notify(self, sentence: str) -> None:
        """Show a notification, unless the app is in front."""
        if QApplication.activeWindow() is None:
            self._prepare()
            self._unread = True
            notify(self._window, self._tray, sentence)

    def _words(self) -> str:
        running = [one for one in self._library.downloads if one.state in ("resolving", "downloading", "verifying")]
        done, total = sum(one.bytes_done for one in running), sum(one.bytes_total for one in running)
        words = self.tr("%n download(s) running", "", self._library.running)
        return f"{words} · {percent(done / total)}" if total else words

    def _prepare(self) -> None:
        if self._tray is None:
            self._tray = system_tray(self, "arrow-down")
            if self._tray is not None:
                self._tray.activated.connect(self._show_downloads)
                self._tray.messageClicked.connect(self._show_downloads)

    def _show_downloads(self) -> None:
        self._mark_read()
        self._window.activateWindow()
        self.downloads_wanted.emit()

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._mark_read()

    def _mark_read(self) -> None:
        if self._unread:
            self._unread = False
            self.refresh()
