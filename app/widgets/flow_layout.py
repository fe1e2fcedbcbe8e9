"""A layout that puts its items side by side, and begins a new row where one is full."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Items have the size that they ask for, and none is wider than the layout."""

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
        return max((place.bottom() + 1 for place in self._places(width)), default=0)

    def setGeometry(self, room: QRect) -> None:
        super().setGeometry(room)
        for item, place in zip(self._items, self._places(room.width()), strict=True):
            item.setGeometry(place.translated(room.topLeft()))

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        return QSize(0, max((item.sizeHint().height() for item in self._items), default=0))

    def _places(self, width: int) -> list[QRect]:
        places: list[QRect] = []
        left = top = row_height = 0
        for item in self._items:
            size = item.sizeHint().boundedTo(QSize(max(1, width), item.sizeHint().height()))
            if left and left + size.width() > width:
                left, top, row_height = 0, top + row_height + self.spacing(), 0
            places.append(QRect(QPoint(left, top), size))
            left += size.width() + self.spacing()
            row_height = max(row_height, size.height())
        return places
