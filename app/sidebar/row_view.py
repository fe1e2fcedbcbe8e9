"""The view of the chats in the left pane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QListView

from app.sidebar.row_menu import MOVE_DOWN, MOVE_UP

_Index = QModelIndex | QPersistentModelIndex


class RowView(QListView):
    """Leaves the keys that move a folder to the pane; QListView would move the selection."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if QKeySequence(event.keyCombination()) in (MOVE_UP, MOVE_DOWN):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def dataChanged(self, first: _Index, last: _Index, roles: Sequence[int] = ()) -> None:
        # The height of a row does not depend on its text, so skip QListView, which measures all rows again.
        QAbstractItemView.dataChanged(self, first, last, list(roles))

    @contextmanager
    def anchored(self) -> Iterator[None]:
        """Keep the position of visible rows while rows are changed in the context, unless the list is at its top."""
        bar = self.verticalScrollBar()
        before = self._visible_rows() if bar.value() else []
        yield
        there = [(row, top, position) for row, top, position in before if row.isValid()]
        if there:
            # The row whose number changed least is the anchor.
            row, top, _ = min(there, key=lambda one: abs(one[0].row() - one[2]))
            bar.setValue(bar.value() + self.visualRect(row).top() - top)

    def _visible_rows(self) -> list[tuple[QPersistentModelIndex, int, int]]:
        """Return the visible rows, each with its top in pixels and its number."""
        first = self.indexAt(QPoint(1, 1))
        rows, bottom = [], self.viewport().height()
        for number in range(first.row(), self.model().rowCount()) if first.isValid() else ():
            index = self.model().index(number, 0)
            top = self.visualRect(index).top()
            if top >= bottom:
                break
            rows.append((QPersistentModelIndex(index), top, number))
        return rows
