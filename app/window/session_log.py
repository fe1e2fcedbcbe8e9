"""The card with the log of this run, which the help menu opens."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.system.log_buffer import LOG_BUFFER
from app.widgets.buttons import CloseButton, CopyButton
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox
from app.widgets.overlay import Overlay
from app.widgets.popups import record_view
from app.widgets.theme_aware import ThemeAware

_REFRESH_MS = 1000


class SessionLog(ThemeAware, Overlay):
    """Shows the log and, while it is open, what is added to it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, 900, 560)

    def make(self) -> None:
        title = self.bound("Log of this session", label(self, "title"))
        self.view = self.bound("Log of this session", record_view(self), QWidget.setAccessibleName)
        self.view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.copy = CopyButton(self, lambda: LOG_BUFFER.text)
        self.bound("Copy log", self.copy, QWidget.setAccessibleName)
        self._timer = QTimer(self, interval=_REFRESH_MS)
        self._timer.timeout.connect(self._show_log)
        self.column.setContentsMargins(20, 16, 20, 16)
        head = fill(hbox(), (title, 1), CloseButton(self, self.close_overlay))
        fill(self.column, head, (self.view, 1), fill(hbox(), self.copy, 1))
        self.restyle()

    def fill(self) -> None:
        self._show_log()
        self.view.setFocus()

    def _show_log(self) -> None:
        """Show the newest lines, unless the user has scrolled up or selected something."""
        text = LOG_BUFFER.text or self.tr("The log is empty.")
        bar = self.view.verticalScrollBar()
        if text != self.view.toPlainText() and not self.view.textCursor().hasSelection():
            at_end = bar.value() == bar.maximum()
            self.view.setPlainText(text)
            if at_end:
                bar.setValue(bar.maximum())

    def retranslate(self) -> None:
        self._show_log()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # It is hidden before it is made.
        if self._is_made:
            self._timer.stop()
