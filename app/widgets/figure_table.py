"""Read-only tables of figures: the model of the rows, and the view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QResizeEvent
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
    """Selects whole rows; Tab leaves it for the next control.

    `spare` are the columns that may be left out, the least needed first, where not all of them fit side by side.
    """

    def __init__(self, table: FigureTable[Any], parent: QWidget | None = None, spare: Sequence[int] = ()) -> None:
        super().__init__(parent)
        self._spare = spare
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
        table.modelReset.connect(self.fit_columns)

    def fit_columns(self) -> None:
        """Show as many columns as fit, and always those that may not be left out."""
        header = self.horizontalHeader()
        widths = [self._least_width(index) for index in range(header.count())]
        missing = sum(widths) - self.viewport().width()
        for index in self._spare:
            self.setColumnHidden(index, missing > 0)
            missing -= widths[index]

    def _least_width(self, column: int) -> int:
        header = self.horizontalHeader()
        if header.sectionResizeMode(column) is QHeaderView.ResizeMode.Stretch:
            return header.minimumSectionSize()
        # A hidden column has no size of its own.
        shown = max(self.sizeHintForColumn(column), header.sectionSizeFromContents(column).width())
        return max(header.minimumSectionSize(), shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()


def _alignment(column: Column[Any]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column.is_words else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
