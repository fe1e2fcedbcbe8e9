"""The table of the request history."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.conversations.records import FAILED
from app.conversations.request_history import RequestRow
from app.widgets.figure_table import Column, FigureTable
from app.widgets.labels import tip
from app.wording import figures
from app.wording.sources import method_name, recorded_name, source_name


def _moment(row: RequestRow) -> str:
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(row.finished_at)), QLocale.FormatType.ShortFormat)


def _model(name: str) -> str:
    return recorded_name(name) if name else figures.NONE


def _asked_by(row: RequestRow) -> str:
    return QCoreApplication.translate("History", "Chat") if row.message_id is not None else row.client


def _used(row: RequestRow) -> str:
    """Return what proposed the draft tokens or, where that was not recorded, the method that was chosen."""
    if row.drafted == 0:
        return QCoreApplication.translate("History", "none")
    sources = json.loads(row.sources or "[]")
    return ", ".join(source_name(str(source)) for source in sources) or method_name(row.method)


def _outcome(row: RequestRow) -> str:
    return QCoreApplication.translate("History", "failed") if row.finish_reason == FAILED else figures.speedup(row)


# The keys are the columns of the store, which sorts by them.
COLUMNS: tuple[Column[RequestRow], ...] = (
    Column("finished_at", "Date", _moment, is_words=True),
    Column("main_model", "Main model", lambda row: _model(row.main_model), is_words=True),
    Column("draft_model", "Draft model", lambda row: _model(row.draft_model), is_words=True),
    Column("method", "Method", _used, is_words=True),
    Column("client", "Source", _asked_by, is_words=True),
    Column("accept_rate", "Accepted", lambda row: figures.percent(row.accept_rate)),
    Column("speedup", "Speed-up", _outcome),
    Column("decode_tps", "Tokens/s", lambda row: figures.number(row.decode_tps)),
    Column("generated_tokens", "Tokens", lambda row: figures.number(row.generated_tokens, 0)),
)


class HistoryTable(FigureTable["RequestRow"]):
    """Emits `order_wanted` with a column of the store and whether to sort descending: the store sorts all rows."""

    order_wanted = Signal(str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("History", COLUMNS, parent)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole:
            row, shown = self.rows[index.row()], super().data(index, Qt.ItemDataRole.DisplayRole)
            if row.message_id is None:
                words = QCoreApplication.translate(
                    "History", "{program}, through the local API: only statistics are kept"
                )
            else:
                words = QCoreApplication.translate("History", "{title}: double-click to show the answer")
            return tip(f"{shown}\n{words.format(title=row.title, program=row.client)}")
        return super().data(index, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if column >= 0:
            self.order_wanted.emit(COLUMNS[column].key, order == Qt.SortOrder.DescendingOrder)
