"""The table of what was learned: which figures it shows and their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt

from app.models.wording import pair_name
from app.speculation import figures

if TYPE_CHECKING:
    from app.speculation.learned import LearnedRow


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Marks a text for Qt's extractor, which looks for this name."""
    return text


HEADINGS = (
    QT_TRANSLATE_NOOP("Learned", "Models"),
    QT_TRANSLATE_NOOP("Learned", "Context"),
    QT_TRANSLATE_NOOP("Learned", "Best depth"),
    QT_TRANSLATE_NOOP("Learned", "Speed-up"),
    QT_TRANSLATE_NOOP("Learned", "Plain tokens/s"),
    QT_TRANSLATE_NOOP("Learned", "Accept rate"),
    QT_TRANSLATE_NOOP("Learned", "Rounds"),
)


def cells(row: LearnedRow) -> tuple[str, ...]:
    """The figures of a row as a person reads them, in the order of HEADINGS."""
    translate = QCoreApplication.translate
    if row.tokens_below is None:
        context = translate("Learned", "from {first}").format(first=figures.number(row.tokens_from, 0))
    else:
        context = translate("Learned", "{first} to {last}").format(
            first=figures.number(row.tokens_from, 0), last=figures.number(row.tokens_below - 1, 0)
        )
    depth = translate("Learned", "{depth} ({source})").format(
        depth=figures.number(row.depth, 0), source=figures.source_name(row.source)
    )
    return (
        pair_name(row.main, row.draft),
        context,
        depth if row.depth else translate("Learned", "none, plain"),
        figures.times(row.speedup) if row.depth else figures.NONE,
        figures.number(row.plain_tps),
        figures.percent(row.accept_rate),
        figures.number(row.samples, 0),
    )


class LearnedTable(QAbstractTableModel):
    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.rows: list[LearnedRow] = []

    def show_rows(self, rows: list[LearnedRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADINGS)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return cells(self.rows[index.row()])[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate("Learned", HEADINGS[section])
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column in (0, 2) else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
