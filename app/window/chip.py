"""A model in the header, as a button with its name and, while it is loaded, a bar."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QToolButton, QWidget

from app.widgets import theme
from app.widgets.icons import Mark, icon
from app.widgets.layouts import hbox
from app.widgets.motion import animation_ms
from app.widgets.style_class import styled
from app.widgets.throttle import single_shot

# Widths in pixels at the normal text size. A model's name in less is elided to its last word.
_SHORTEST_NAME = 56
# The greatest width of a model's name.
LONGEST_NAME = 200
# The size of the cross that gives a load up, in pixels.
_CROSS_SIZE = 14
# The height of the bar at the lower edge, in pixels.
_BAR_HEIGHT = 2
# The distance of its ends from the round corners, in pixels.
_BAR_INSET = 9
# The radius of a pulse, in pixels, of one token and of the most that can be told apart.
_LEAST_PULSE = 7
_MOST_PULSE = 13
# How much of its colour a pulse has.
_PULSE_STRENGTH = 0.35


class Chip(QPushButton):
    """A model in the header, with icon, role and name. A click opens the list of models to choose from.

    While the model is being loaded, a bar at the lower edge shows how much of it, and a cross in place of the arrow
    gives it up: `given_up`. They need no room of their own.

    `pulse` lights the icon for a moment, unless the desktop's motion is reduced.
    """

    given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("styleClass", "chip")
        self._mark = Mark(16, self)
        self._role = QLabel(self)
        self._name = QLabel(self)
        self._arrow = Mark(16, self, icon("chevron-down"))
        self._name.setProperty("styleClass", "title")
        self._full_name = ""
        self._name_width = theme.scaled(LONGEST_NAME)
        self._layout = row = hbox(self, margins=(11, 5, 9, 5), spacing=6)
        self.cancel = styled(QToolButton(self), "quiet")
        self.cancel.setIcon(icon("close"))
        self.cancel.setIconSize(QSize(_CROSS_SIZE, _CROSS_SIZE))
        self.cancel.clicked.connect(self._give_up)
        self.cancel.hide()
        self._is_narrow = False
        self._colour = "muted"
        # The radius of the pulse that is shown, 0 for none, and what ends it.
        self._pulse = 0
        self._pulse_end = single_shot(self, lambda: self._show_pulse(0))
        for part in (self._mark, self._role, self._name, self._arrow):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            row.addWidget(part)
        row.addWidget(self.cancel)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.bar.hide()
        for words in (self._role, self._name):
            words.setTextFormat(Qt.TextFormat.PlainText)

    def show_model(self, role: str, name: str, mark: str, colour: str) -> None:
        """Show a model, without a role in words if `role` is "". `mark` names an icon, `colour` one of the theme's.

        Role and icon convey what the colour conveys.
        """
        self._role.setText(role)
        self.set_narrow(self._is_narrow)
        self._colour = colour
        self._mark.show_icon(icon(mark, colour))
        self.set_name(name)

    def pulse(self, tokens: int) -> None:
        """Light the icon for a moment, for so many tokens; not again while it is lit."""
        duration = animation_ms(self)
        if duration and not self._pulse:
            self._show_pulse(min(_MOST_PULSE, _LEAST_PULSE + tokens - 1))
            self._pulse_end.start(duration)

    def _show_pulse(self, radius: int) -> None:
        self._pulse = radius
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._pulse:
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setOpacity(_PULSE_STRENGTH)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(getattr(theme.colours(), self._colour)))
                painter.drawEllipse(QPointF(self._mark.geometry().center()), self._pulse, self._pulse)

    def show_share(self, share: float | None, spoken: str = "") -> None:
        """Show how much of the model is loaded, 0 to 1, and `spoken` to screen readers; None hides the bar."""
        self.bar.setVisible(share is not None)
        self.bar.setValue(round(100 * (share or 0)))
        self.bar.setAccessibleName(spoken)
        self.setAccessibleDescription(spoken)

    def offer_cancel(self, is_offered: bool) -> None:
        """Show the cross, or the arrow in its place."""
        if is_offered and self.cancel.isHidden():
            self.cancel.setEnabled(True)
        self.cancel.setVisible(is_offered)
        self.set_narrow(self._is_narrow)

    def _give_up(self) -> None:
        # It takes a moment, in which it is not given up again.
        self.cancel.setEnabled(False)
        self.given_up.emit()

    def set_name(self, name: str) -> None:
        """Show another name at the same width."""
        self._full_name = name
        self.set_name_width(self._name_width)

    def set_name_width(self, width: int) -> None:
        """Elide the name to `width` pixels: in its middle or, if that is too narrow, to its last word, the size."""
        self._name_width = width
        self._name.ensurePolished()
        mode = Qt.TextElideMode.ElideMiddle if width >= theme.scaled(_SHORTEST_NAME) else Qt.TextElideMode.ElideLeft
        short = self._name.fontMetrics().elidedText(self._full_name, mode, width)
        if mode == Qt.TextElideMode.ElideLeft and short != self._full_name and " " in short:
            short = "…" + short.rpartition(" ")[2]
        self._name.setText(short)
        self.updateGeometry()

    def name_width(self) -> int:
        """Return the width of the whole name in pixels, at most `LONGEST_NAME`."""
        self._name.ensurePolished()
        return min(theme.scaled(LONGEST_NAME), self._name.fontMetrics().horizontalAdvance(self._full_name) + 1)

    def set_narrow(self, narrow: bool) -> None:
        """Show the mark and the name alone, without the role in words and the arrow."""
        self._is_narrow = narrow
        self._role.setHidden(narrow or not self._role.text())
        self._arrow.setHidden(narrow or not self.cancel.isHidden())

    def width_without_name(self) -> int:
        return self.sizeHint().width() - self._name.sizeHint().width()

    def sizeHint(self) -> QSize:
        return self._layout.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.bar.setGeometry(_BAR_INSET, self.height() - _BAR_HEIGHT - 1, self.width() - 2 * _BAR_INSET, _BAR_HEIGHT)
