"""Read-only tables of figures: the model of the rows, and the view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

HEADING_HEIGHT = 34
# How many rows a column's width is measured from.
_ROWS_MEASURED = 50

Row = TypeVar("Row")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """`heading` is translated when it is shown; `text` formats a row's figure. `is_words` aligns the column left."""

    key: str
    heading: str
    text: Callable[[Row], str]
    is_words: bool = False


class FigureTable(QAbstractTableModel, Generic[Row]):
    """`rows` in `columns`, whose headings belong to the translation context `context`."""

    def __init__(self, context: str, columns: tuple[Column[Row], ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._columns = context, columns
        self.rows: list[Row] = []

    def show_rows(self, rows: list[Row]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(self.rows[index.row()])
        return _alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate(self._context, column.heading)
        return _alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None


class FigureView(QTableView):
    """Selects whole rows; Tab leaves it for the next control."""

    def __init__(self, table: FigureTable[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(table)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setResizeContentsPrecision(_ROWS_MEASURED)
        header.setHighlightSections(False)
        header.setMinimumHeight(HEADING_HEIGHT)


def _alignment(column: Column[Any]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column.is_words else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
