"""Read-only tables of figures: the model of the rows, and the view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QStyleOptionHeader, QTableView, QWidget

from app.widgets.labels import tip

_HEADING_HEIGHT = 34
# Only this many rows are measured for the width of a column.
_ROWS_MEASURED = 50
# A column of names asks for at most this many characters while other columns need the width.
_NAME_CHARACTERS = 16

Row = TypeVar("Row")


@dataclass(frozen=True)
class FigureColumn(Generic[Row]):
    """A column: `heading` is translated when it is shown, `text` formats a row's figure, `is_words` aligns left."""

    key: str
    heading: str
    text: Callable[[Row], str]
    is_words: bool = False


class FigureTable(QAbstractTableModel, Generic[Row]):
    """The model of a table. The headings of `columns` belong to the translation context `context`."""

    def __init__(self, context: str, columns: tuple[FigureColumn[Row], ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._columns = columns
        self.rows: list[Row] = []
        self.blank_columns: set[int] = set()

    def show_rows(self, rows: list[Row]) -> None:
        self.beginResetModel()
        self.rows = rows
        # The numbers of the columns in which no row says anything, if there are rows.
        self.blank_columns = {
            number for number, column in enumerate(self._columns) if rows and not any(map(column.text, rows))
        }
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(self.rows[index.row()])
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(column.text(self.rows[index.row()]))
        return _alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate(self._context, column.heading)
        return _alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None


class FigureView(QTableView):
    """The view of a table. It selects whole rows; Tab leaves it for the next control.

    Only values of the columns `names` are ever cut, and no heading is; these columns share the width that the others
    leave. Where not all columns fit next to _NAME_CHARACTERS of each name, those in `spare` are hidden, the first one
    first. One of these in which no row says anything is hidden anyway.
    """

    def __init__(
        self,
        table: FigureTable[Any],
        parent: QWidget | None = None,
        names: Sequence[int] = (),
        spare: Sequence[int] = (),
    ) -> None:
        super().__init__(parent)
        self._table = table
        self._names = names
        self._spare = spare
        self.setModel(table)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        header = _Heading(Qt.Orientation.Horizontal, self)
        header.setSectionsClickable(True)
        self.setHorizontalHeader(header)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed if names else QHeaderView.ResizeMode.ResizeToContents)
        header.setResizeContentsPrecision(_ROWS_MEASURED)
        header.setHighlightSections(False)
        header.setMinimumHeight(_HEADING_HEIGHT)
        table.modelReset.connect(self.fit_columns)

    def fit_columns(self) -> None:
        """Size the columns, and hide as many of the spare ones as do not fit."""
        if not self._names:
            return
        header = self.horizontalHeader()
        room = self.viewport().width()
        headings = [self._heading_width(index) for index in range(header.count())]
        wanted = [max(width, self.sizeHintForColumn(index)) for index, width in enumerate(headings)]
        most = self.fontMetrics().averageCharWidth() * _NAME_CHARACTERS
        widths = list(wanted)
        for index in self._names:
            widths[index] = max(headings[index], min(wanted[index], most))
        for index in self._spare:
            is_left_out = sum(widths) > room or index in self._table.blank_columns
            self.setColumnHidden(index, is_left_out)
            if is_left_out:
                widths[index] = 0
        # Short names get the width that they want, long ones share the rest.
        names = sorted((index for index in self._names if widths[index]), key=lambda index: wanted[index])
        left = room - sum(width for index, width in enumerate(widths) if index not in names)
        for place, index in enumerate(names):
            widths[index] = max(headings[index], min(wanted[index], left // (len(names) - place)))
            left -= widths[index]
        for index in names:
            widths[index] += max(0, left) // len(names)
        for index, width in enumerate(widths):
            if width:
                header.resizeSection(index, width)

    def _heading_width(self, column: int) -> int:
        """Measure a heading. Qt's own measure assumes bold letters and a sorting arrow in every column."""
        header = self.horizontalHeader()
        option = QStyleOptionHeader()
        option.initFrom(header)
        option.text = self.model().headerData(column, Qt.Orientation.Horizontal)
        if header.isSortIndicatorShown() and header.sortIndicatorSection() == column:
            option.sortIndicator = QStyleOptionHeader.SortIndicator.SortDown
        return self.style().sizeFromContents(QStyle.ContentsType.CT_HeaderSection, option, QSize(), header).width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()


class _Heading(QHeaderView):
    """A header whose arrow points up for ascending order, as in macOS. Qt's arrow points down."""

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        down = QStyleOptionHeader.SortIndicator.SortDown
        up = QStyleOptionHeader.SortIndicator.SortUp
        option.sortIndicator = {down: up, up: down}.get(option.sortIndicator, option.sortIndicator)


def _alignment(column: FigureColumn[Any]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column.is_words else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
