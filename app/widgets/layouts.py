"""Make and fill boxes, apply layouts at once, and keep content in place beside a scroll bar; a layout that wraps."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget

# The number of nested widgets that grow with a line of an answer, from its block to the chat that scrolls.
_LEVELS = 8

Box = TypeVar("Box", bound=QBoxLayout)
Margins = tuple[int, int, int, int]


def hbox(parent: QWidget | None = None, *, margins: Margins | None = None, spacing: int | None = None) -> QHBoxLayout:
    """Return a row in `parent`, or one for another layout. None keeps the margins or spacing of the style."""
    return _spaced(QHBoxLayout() if parent is None else QHBoxLayout(parent), margins, spacing)


def vbox(parent: QWidget | None = None, *, margins: Margins | None = None, spacing: int | None = None) -> QVBoxLayout:
    """Return a column, with the same arguments as `hbox`."""
    return _spaced(QVBoxLayout() if parent is None else QVBoxLayout(parent), margins, spacing)


def _spaced(box: Box, margins: Margins | None, spacing: int | None) -> Box:
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    return box


BoxPart = QWidget | QLayout | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag] | int


def fill(box: Box, *parts: BoxPart) -> Box:
    """Add parts to the end of a box and return it.

    A number is a stretch; a widget may come with its own stretch and alignment.
    """
    for part in parts:
        content, how = (part[0], part[1:]) if isinstance(part, tuple) else (part, ())
        if isinstance(content, int):
            box.addStretch(content)
        elif isinstance(content, QLayout):
            box.addLayout(content, *how)
        else:
            box.addWidget(content, *how)
    return box


def settle_layouts() -> None:
    """Make every layout apply new heights now, so that Qt does not paint between the levels of a growing column."""
    for _ in range(_LEVELS):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


def keep_right_edge(area: QAbstractScrollArea, content: QLayout) -> None:
    """Shrink the right margin of `content` while there is a vertical scroll bar, so that its edge stays in place."""
    bar = area.verticalScrollBar()
    margins = content.contentsMargins()

    def fit(_minimum: int, maximum: int) -> None:
        bar_width = min(bar.sizeHint().width(), margins.right()) if maximum else 0
        content.setContentsMargins(margins.left(), margins.top(), margins.right() - bar_width, margins.bottom())

    bar.rangeChanged.connect(fit)


def centred(widget: QWidget, width: int) -> QHBoxLayout:
    """Return a row with the widget in its middle, at most `width` pixels wide."""
    widget.setMaximumWidth(width)
    return fill(hbox(margins=(24, 0, 24, 0)), 1, (widget, 1000), 1)


def top_in(widget: QWidget, ancestor: QWidget) -> int:
    """Return how far the top of `widget` is below the top of `ancestor`, in pixels."""
    return widget.mapTo(ancestor, QPoint(0, 0)).y()


class FlowRow(QWidget):
    """Widgets in a row, or in several where they do not fit. It asks for the width of one row."""

    def __init__(self, parent: QWidget, *, spacing: int = 8) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self, spacing)

    def add(self, *widgets: QWidget) -> None:
        for widget in widgets:
            self._flow.addWidget(widget)

    def sizeHint(self) -> QSize:
        hints = self._hints()
        width = sum(hint.width() + self._flow.spacing() for hint in hints) - self._flow.spacing()
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSizeHint(self) -> QSize:
        return QSize(max((hint.width() for hint in self._hints()), default=0), 0)

    def _hints(self) -> list[QSize]:
        items = [self._flow.itemAt(index) for index in range(self._flow.count())]
        return [item.sizeHint() for item in items if item is not None and not item.isEmpty()]


class FlowLayout(QLayout):
    """Gives items the size they ask for, up to the width of the layout; hidden widgets get no space.

    With `steady_height` the height is that with all of them, so that nothing below moves when one is shown.
    A subclass that places its items in another way overrides `_cells`.
    """

    def __init__(self, parent: QWidget, spacing: int, *, steady_height: bool = False) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._steady_height = steady_height
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        cells = self._cells(width, with_hidden=self._steady_height)
        return max((cell.bottom() + 1 for cell in cells), default=0)

    def setGeometry(self, bounds: QRect) -> None:
        super().setGeometry(bounds)
        for item, cell in zip(self._items, self._cells(bounds.width()), strict=True):
            item.setGeometry(cell.translated(bounds.topLeft()))

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        return QSize(0, max((item.sizeHint().height() for item in self._items), default=0))

    def _cells(self, width: int, *, with_hidden: bool = False) -> list[QRect]:
        """Return the geometry of each item in a layout of that width."""
        cells: list[QRect] = []
        left = top = row_height = 0
        for item in self._items:
            hint = item.sizeHint()
            widget = item.widget()
            if item.isEmpty():
                if widget is None or not with_hidden:
                    cells.append(QRect())
                    continue
                # The item of a hidden widget has no size.
                hint = widget.sizeHint()
            size = hint.boundedTo(QSize(max(1, width), hint.height()))
            if left and left + size.width() > width:
                left = 0
                top = top + row_height + self.spacing()
                row_height = 0
            cells.append(QRect(QPoint(left, top), size))
            left += size.width() + self.spacing()
            row_height = max(row_height, size.height())
        return cells
