"""A layout that puts its items side by side and starts a new row when one is full."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Gives items the size they ask for, up to the width of the layout; hidden widgets get no space."""

    def __init__(self, parent: QWidget, spacing: int) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
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
        return max((cell.bottom() + 1 for cell in self._cells(width)), default=0)

    def setGeometry(self, bounds: QRect) -> None:
        super().setGeometry(bounds)
        for item, cell in zip(self._items, self._cells(bounds.width()), strict=True):
            item.setGeometry(cell.translated(bounds.topLeft()))

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        return QSize(0, max((item.sizeHint().height() for item in self._items), default=0))

    def _cells(self, width: int) -> list[QRect]:
        """Return the geometry of each item in a layout of that width."""
        cells: list[QRect] = []
        left = top = row_height = 0
        for item in self._items:
            if item.isEmpty():
                cells.append(QRect())
                continue
            size = item.sizeHint().boundedTo(QSize(max(1, width), item.sizeHint().height()))
            if left and left + size.width() > width:
                left, top, row_height = 0, top + row_height + self.spacing(), 0
            cells.append(QRect(QPoint(left, top), size))
            left += size.width() + self.spacing()
            row_height = max(row_height, size.height())
        return cells
