"""The table of what was learned: which figures it shows and their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.system.translatable import QT_TRANSLATE_NOOP
from app.widgets.figure_table import Column, FigureTable
from app.wording import figures
from app.wording.models import pair_name

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.library.learned_pairs import LearnedRow


def _context(row: LearnedRow) -> str:
    translate = QCoreApplication.translate
    first = figures.number(row.tokens_from, 0)
    if row.tokens_below is None:
        return translate("Learned", "from {first}").format(first=first)
    return translate("Learned", "{first} to {last}").format(first=first, last=figures.number(row.tokens_below - 1, 0))


def _depth(row: LearnedRow) -> str:
    translate = QCoreApplication.translate
    if not row.depth:
        return translate("Learned", "none, plain")
    depth = figures.number(row.depth, 0)
    return translate("Learned", "{depth} ({source})").format(depth=depth, source=figures.source_name(row.source))


def _speedup(row: LearnedRow) -> str:
    return figures.times(row.speedup) if row.depth else figures.NONE


COLUMNS: tuple[Column[LearnedRow], ...] = (
    Column("models", QT_TRANSLATE_NOOP("Learned", "Models"), lambda row: pair_name(row.main, row.draft), is_words=True),
    Column("context", QT_TRANSLATE_NOOP("Learned", "Context"), _context),
    Column("depth", QT_TRANSLATE_NOOP("Learned", "Best depth"), _depth, is_words=True),
    Column("speedup", QT_TRANSLATE_NOOP("Learned", "Speed-up"), _speedup),
    Column("plain_tps", QT_TRANSLATE_NOOP("Learned", "Plain tokens/s"), lambda row: figures.number(row.plain_tps)),
    Column("accept_rate", QT_TRANSLATE_NOOP("Learned", "Accept rate"), lambda row: figures.percent(row.accept_rate)),
    Column("rounds", QT_TRANSLATE_NOOP("Learned", "Rounds"), lambda row: figures.number(row.samples, 0)),
)


class LearnedTable(FigureTable["LearnedRow"]):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Learned", COLUMNS, parent)
