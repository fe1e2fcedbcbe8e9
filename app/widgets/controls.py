"""The controls of settings: a choice, numbers, a number or a word, a switch, segments. None reacts to the wheel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRect, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QPushButton,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QWidget,
)

from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.layouts import fill, hbox
from app.widgets.popups import round_corners, round_field_menu
from app.widgets.style_class import styled
from app.widgets.theme_aware import WidgetMixin

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractSpinBox as SpinBoxMixin
else:
    SpinBoxMixin = object


# The corners of a tick, in widths of its box.
_TICK_CORNERS = ((0.24, 0.52), (0.43, 0.70), (0.76, 0.32))

# Of a box for numbers with two decimals.
_SMALLEST_STEP = 0.01


class _WithoutWheel(WidgetMixin):
    """Leaves the mouse wheel to the page around the control, which scrolls."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Chooser(_WithoutWheel, QComboBox):
    """A choice of one of `values`, whose texts `set_texts` sets; `chosen` gets the value that the user picks.

    It paints its own arrow, because a style sheet that shapes the box removes Qt's.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        values: Iterable[object] = (),
        chosen: Callable[[Any], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        # Qt's default delegate draws the list as a system menu and ignores the style sheet.
        self.setItemDelegate(QStyledItemDelegate(self))
        round_corners(self.view().window())
        for value in values:
            self.addItem("", value)
        if chosen is not None:
            self.activated.connect(lambda: chosen(self.currentData()))

    def set_values(self, values: Sequence[object]) -> None:
        """Offer other values, without texts."""
        if list(values) != [self.itemData(index) for index in range(self.count())]:
            self.clear()
            for value in values:
                self.addItem("", value)

    def set_texts(self, texts: Iterable[str]) -> None:
        """Set the texts of the values, in their order."""
        for index, text in enumerate(texts):
            self.setItemText(index, text)

    def set_value(self, value: object) -> None:
        self.setCurrentIndex(self.findData(value))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        arrow = QRect(self.width() - 26, (self.height() - 16) // 2, 16, 16)
        with QPainter(self) as painter:
            icon("chevron-down").paint(painter, arrow)


class _StepBox(_WithoutWheel, SpinBoxMixin):
    """A spin box that paints its two arrows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The style sheet's padding widens the box on the left without moving the text there.
        self.lineEdit().setTextMargins(7, 0, 0, 0)
        round_field_menu(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the arrows, faint at the end of the range."""
        super().paintEvent(event)
        colours = theme.colours()
        can = self.stepEnabled()
        middle = self.height() / 2
        centre = self.width() - 14.0
        flags = QAbstractSpinBox.StepEnabledFlag
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for step, direction in ((flags.StepUpEnabled, -1), (flags.StepDownEnabled, 1)):
                pen = QPen(QColor(colours.muted if can & step else colours.line), 1.5)
                pen.setCapStyle(Qt.PenCapStyle.RoundCap)
                painter.setPen(pen)
                tip = QPointF(centre, middle + 7 * direction)
                for side in (-3.5, 3.5):
                    painter.drawLine(tip, QPointF(centre + side, middle + 3.5 * direction))


class WholeNumber(_StepBox, QSpinBox):
    """A box for whole numbers."""


class Number(_StepBox, QDoubleSpinBox):
    """A box for numbers with two decimals."""


def number_box(
    parent: QWidget, least: float, most: float, step: float, is_whole: bool, entered: Callable[[Any], object]
) -> WholeNumber | Number:
    """Return a box for numbers from `least` to `most`. `entered` gets a number once it is entered, not while typed."""
    box: WholeNumber | Number
    if is_whole:
        box = WholeNumber(parent)
        box.setRange(int(least), int(most))
        box.setSingleStep(int(step))
        box.valueChanged.connect(entered)
    else:
        box = Number(parent)
        box.setRange(least, most)
        box.setSingleStep(step)
        box.valueChanged.connect(lambda value: entered(round(value, 2)))
    box.setKeyboardTracking(False)
    return box


class NumberOrWord(QWidget):
    """A tick box with a word, such as "No limit", and where it is not ticked a box for a number.

    `entered` gets the number, or `least`, which the word stands for. `first` is the number that is offered first.
    """

    def __init__(
        self,
        parent: QWidget | None,
        least: float,
        most: float,
        step: float,
        is_whole: bool,
        first: float,
        entered: Callable[[Any], object],
    ) -> None:
        super().__init__(parent)
        self._least = least
        self._first = first
        self._entered = entered
        self.word = TickBox(self)
        lowest = least + 1 if is_whole else least + _SMALLEST_STEP
        self.box = number_box(self, lowest, most, step, is_whole, entered)
        # Nothing moves when it is shown or hidden.
        policy = self.box.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.box.setSizePolicy(policy)
        fill(hbox(self, margins=(0, 0, 0, 0), spacing=8), self.word, (self.box, 1))
        self.setFocusProxy(self.word)
        self.word.clicked.connect(self._choose)

    def _choose(self, by_word: bool) -> None:
        """Take the word, or the number that was shown before."""
        value = self._least if by_word else max(self.box.value(), self._first)
        self.show_number(value)
        self._entered(value)
        if not by_word:
            self.box.setFocus()
            self.box.selectAll()

    def show_number(self, value: Any) -> None:
        """Show a number, or the word for `least`, without calling `entered`."""
        by_word = value <= self._least
        self.word.setChecked(by_word)
        self.box.setHidden(by_word)
        if not by_word:
            with QSignalBlocker(self.box):
                self.box.setValue(value)

    def set_word(self, word: str) -> None:
        """Set the word of the tick box."""
        self.word.setText(word)
        self.setAccessibleName(self.accessibleName())

    def setAccessibleName(self, name: str) -> None:
        """Name the box, and the tick box by its word, too."""
        super().setAccessibleName(name)
        self.box.setAccessibleName(name)
        self.word.setAccessibleName(f"{self.word.text()}: {name}")


class Switch(QAbstractButton):
    """A switch. The side of its knob shows the state without the colour."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        return QSize(44, 28)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        colours = theme.colours()
        track = QRectF(self.width() - 39, (self.height() - 22) / 2, 38, 22)
        is_on = self.isChecked()
        groove, knob = (colours.main, colours.on_accent) if is_on else (colours.selection, colours.muted)
        ring = colours.main if is_on else colours.muted
        if not self.isEnabled():
            groove = colours.selection
            knob = colours.faint
            ring = colours.line
        elif self.hasFocus():
            ring = colours.text
        left = track.right() - 19 if is_on else track.left() + 3
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(ring), 2 if self.hasFocus() else 1))
            painter.setBrush(QColor(groove))
            painter.drawRoundedRect(track, 11, 11)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(knob))
            painter.drawEllipse(QRectF(left, track.top() + 3, 16, 16))


class TickBox(QCheckBox):
    """A check box. Its tick shows the state without the colour, and a ring the focus."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        box = QRectF(self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self))
        colours = theme.colours()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.hasFocus():
                painter.setPen(QPen(QColor(colours.text), 2))
                painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 3, 3)
            if self.isChecked():
                painter.setPen(QPen(QColor(colours.on_accent if self.isEnabled() else colours.faint), 2))
                painter.drawPolyline([box.topLeft() + QPointF(*point) * box.width() for point in _TICK_CORNERS])


class Segments(QFrame):
    """A row of `count` buttons, exactly one of them down. Used with the mouse, or with Tab and Space."""

    def __init__(self, count: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("segments")
        self.buttons = [styled(QPushButton(self), "segment") for _ in range(count)]
        for button in self.buttons:
            button.setCheckable(True)
            button.setAutoExclusive(True)
        fill(hbox(self, margins=(0, 0, 0, 0), spacing=0), *self.buttons)
