"""A card that shows a measurement, which can be stopped while it runs and repeated afterwards."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QPushButton, QToolButton, QWidget

from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, label, set_name
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.overlay import Overlay, WrappingArea
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled


class Measurement(Protocol):
    """A measurement that runs; emits `changed` after every step."""

    @property
    def changed(self) -> SignalInstance: ...

    @property
    def running(self) -> bool: ...

    def cancel(self) -> None: ...


class MeasurementCard(Restyled, Overlay):
    """Closing the card stops the measurement; the action `again` repeats it.

    In a subclass, `make` fills `content`, which scrolls if the window is too low, and ends with `follow`.
    """

    def __init__(
        self, measurement: Measurement, again: QAction, window: QWidget, width: int, height: int | None = None
    ) -> None:
        super().__init__(window, width, height)
        self._measurement, self._action = measurement, again

    def make(self) -> None:
        self.title, self.subtitle = label(self, "title"), styled(ElidedLabel(self), "muted")
        self._close = self.bound("Close", styled(QToolButton(self), "quiet"), set_name)
        self.stop = self.bound("Stop", styled(QPushButton(self), "button"))
        self.again = styled(QPushButton(self), "button")
        self.column.setContentsMargins(20, 16, 20, 16)
        self.column.setSpacing(12)
        body = QWidget(self)
        body.setObjectName("overlayBody")
        self.content = vbox(body, margins=(0, 0, 0, 0), spacing=12)
        self._area = WrappingArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(body)

        head = fill(hbox(), self.title, (self.subtitle, 1), self._close)
        fill(self.column, head, (self._area, 1), fill(hbox(spacing=12), 1, self.stop, self.again))

    def fit_in_window(self) -> None:
        # The event loop may not have laid out changed content yet.
        self._area.updateGeometry()
        super().fit_in_window()

    def follow(self) -> None:
        """Connect the card to the measurement."""
        self.stop.clicked.connect(self._measurement.cancel)
        self.again.clicked.connect(self._action.trigger)
        self._action.changed.connect(self.refresh)
        self._close.clicked.connect(self.close_overlay)
        self.closed.connect(self._measurement.cancel)
        self._measurement.changed.connect(self.refresh)
        self.restyle()

    def fill(self) -> None:
        self.refresh()
        self._area.setFocus()

    def refresh(self) -> None:
        """Show the measurement's state."""
        self.stop.setVisible(self._measurement.running)
        self.again.setVisible(not self._measurement.running)
        self.again.setEnabled(self._action.isEnabled())

    def retranslate(self) -> None:
        self.refresh()

    def apply_theme(self) -> None:
        self._close.setIcon(icon("close", theme.colours().muted))
