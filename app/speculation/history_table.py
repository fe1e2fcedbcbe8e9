"""The table of past answers: which figures it shows, in which order, and their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QDateTime,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.models.wording import recorded_name
from app.speculation import figures

if TYPE_CHECKING:
    from app.conversations.request_history import RequestRow


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Marks a text for Qt's extractor, which looks for this name."""
    return text


# The store's column of each of ours, with its heading.
COLUMNS = (
    ("finished_at", QT_TRANSLATE_NOOP("History", "When")),
    ("main_model", QT_TRANSLATE_NOOP("History", "Main model")),
    ("draft_model", QT_TRANSLATE_NOOP("History", "Draft model")),
    ("method", QT_TRANSLATE_NOOP("History", "Method")),
    ("accept_rate", QT_TRANSLATE_NOOP("History", "Accept rate")),
    ("speedup", QT_TRANSLATE_NOOP("History", "Speed-up")),
    ("decode_tps", QT_TRANSLATE_NOOP("History", "Tokens/s")),
    ("generated_tokens", QT_TRANSLATE_NOOP("History", "Tokens")),
)
_WORDS = ("finished_at", "main_model", "draft_model", "method")


def method_name(method: str) -> str:
    translate = QCoreApplication.translate
    names = {
        "auto": translate("Preferences", "Automatic"),
        "draft": translate("Preferences", "Draft model"),
        "ngram": translate("Preferences", "Lookup"),
        "off": translate("Preferences", "Off"),
    }
    return names.get(method, method)


def cell(row: RequestRow, column: str) -> str:
    """A figure as a person reads it, in the language of the window."""
    value = getattr(row, column)
    if column == "finished_at":
        return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(value)), QLocale.FormatType.ShortFormat)
    if column == "method":
        return method_name(value)
    if column == "accept_rate":
        return figures.percent(value)
    if column == "speedup":
        return figures.times(value)
    if column in ("main_model", "draft_model"):
        return recorded_name(value) if value else figures.NONE
    return figures.number(value, 1 if column == "decode_tps" else 0)


class HistoryTable(QAbstractTableModel):
    """`order_wanted` carries a store's column and whether it goes down: the store sorts, over everything it holds."""

    order_wanted = Signal(str, bool)

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.rows: list[RequestRow] = []

    def show_rows(self, rows: list[RequestRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], COLUMNS[index.column()][0]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate("History", COLUMNS[section][1])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(COLUMNS[section][0])
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if column >= 0:
            self.order_wanted.emit(COLUMNS[column][0], order == Qt.SortOrder.DescendingOrder)


def _alignment(column: str) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column in _WORDS else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
