"""The measurements of each pair on this computer in a table, with buttons that clear them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QPushButton, QWidget

from app.library.measured import Measured
from app.session.session import Session
from app.system.translatable import QT_TRANSLATE_NOOP
from app.widgets.figure_table import HEADING_HEIGHT, FigureColumn, FigureTable, FigureView
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.models import pair_name
from app.wording.sources import source_name
from engine.methods import PROPOSERS
from engine.tuning import ContextFigures, LearnedPair, Pair, best_of

_ROWS_SHOWN = 8
# Columns to hide if not all fit, the least needed first, and the characters of a pair's names to keep in view.
_SPARE, _PAIR_CHARACTERS = ("rounds", "plain_tps", "accept_rate", "context"), 26


@dataclass(frozen=True)
class LearnedRow:
    """One pair in one range of context lengths, where `source` is expected to be fastest."""

    pair: LearnedPair
    at: ContextFigures
    source: str


def _rows(pairs: Iterable[LearnedPair]) -> list[LearnedRow]:
    """Return a row for each pair and context length: the loaded pair first, then the last used ones."""
    latest_first = list(pairs)[::-1]
    ordered = sorted(latest_first, key=lambda pair: not pair.loaded)
    return [
        LearnedRow(pair, at, max(PROPOSERS, key=lambda source: best_of(at, source)[1]))
        for pair in ordered
        for at in pair.contexts
    ]


def _context(row: LearnedRow) -> str:
    translate, below = QCoreApplication.translate, row.at.tokens_below
    first = figures.number(row.at.tokens_from, 0)
    if below is None:
        return translate("Learned", "from {first}").format(first=first)
    return translate("Learned", "{first} to {last}").format(first=first, last=figures.number(below - 1, 0))


def _depth(row: LearnedRow) -> str:
    translate = QCoreApplication.translate
    depth, _ = best_of(row.at, row.source)
    if not depth:
        return translate("Learned", "none (plain)")
    return translate("Learned", "{depth} ({source})").format(
        depth=figures.number(depth, 0), source=source_name(row.source)
    )


def _speedup(row: LearnedRow) -> str:
    if row.at.speedup is None:
        return figures.NONE
    speedup, low, high = row.at.speedup
    return figures.speedup(Measured(speedup, None, low, high))


def _accept_rate(row: LearnedRow) -> str:
    """Format the accepted share of the source's draft tokens at all positions."""
    positions = [one for one in row.pair.acceptance if one.source == row.source]
    reached = sum(one.reached for one in positions)
    return figures.percent(sum(one.accepted for one in positions) / reached if reached else None)


def _rounds(row: LearnedRow) -> str:
    drafted = sum(one.samples for one in row.at.depths if one.source == row.source)
    return figures.number(row.at.plain_samples + drafted, 0)


COLUMNS: tuple[FigureColumn[LearnedRow], ...] = (
    FigureColumn(
        "models",
        QT_TRANSLATE_NOOP("Learned", "Models"),
        lambda row: pair_name(row.pair.main, row.pair.draft),
        is_words=True,
    ),
    FigureColumn("context", QT_TRANSLATE_NOOP("Learned", "Context"), _context),
    FigureColumn("depth", QT_TRANSLATE_NOOP("Learned", "Best draft length"), _depth, is_words=True),
    FigureColumn("speedup", QT_TRANSLATE_NOOP("Learned", "Speed-up"), _speedup),
    FigureColumn(
        "plain_tps", QT_TRANSLATE_NOOP("Learned", "Plain tokens/s"), lambda row: figures.number(row.at.plain_tps)
    ),
    FigureColumn("accept_rate", QT_TRANSLATE_NOOP("Learned", "Acceptance rate"), _accept_rate),
    FigureColumn("rounds", QT_TRANSLATE_NOOP("Learned", "Rounds"), _rounds),
)


class LearnedSection(ThemeAware, QWidget):
    """Shows what the engine has learned; asks it when shown and after every change, and emits `found` with it."""

    found = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._title, self._note = label(self, "title"), label(self, "muted", wraps=True)
        self.bound("Measured on this Mac", self._title)
        self.table = FigureTable("Learned", COLUMNS, self)
        places = {column.key: index for index, column in enumerate(COLUMNS)}
        self.view = FigureView(self.table, self, [places["models"]], [places[key] for key in _SPARE], _PAIR_CHARACTERS)
        self.bound("Measurements per model pair", self.view, QWidget.setAccessibleName)
        self.forget = self.bound("Clear this pair", styled(QPushButton(self), "button"))
        self.forget_all = self.bound("Clear all", styled(QPushButton(self), "button"))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        buttons = fill(hbox(margins=(0, 8, 0, 0)), self.forget, self.forget_all, 1)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=4), self._title, self._note, self.view, buttons)
        self.forget.clicked.connect(self._forget_chosen)
        self.forget_all.clicked.connect(lambda: self._forget(None))
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._set_button_texts())
        session.models.changed.connect(self._refresh_if_shown)
        session.answers.ended.connect(self._refresh_if_shown)
        self.restyle()

    def refresh(self) -> None:
        """Ask the engine again and show the result."""
        if not self._session.models.call_engine(lambda engine: engine.learned(), self._take):
            self._take(())

    def _refresh_if_shown(self) -> None:
        if self.isVisible():
            self.refresh()

    def _take(self, pairs: tuple[LearnedPair, ...]) -> None:
        self.found.emit(pairs)
        rows = _rows(pairs)
        if rows != self.table.rows:
            self.table.show_rows(rows)
        shown = min(len(rows), _ROWS_SHOWN)
        height = (
            max(HEADING_HEIGHT, self.view.horizontalHeader().sizeHint().height())
            + shown * self.view.verticalHeader().defaultSectionSize()
        )
        # Leave room for the horizontal scroll bar.
        self.view.setFixedHeight(height + self.view.horizontalScrollBar().sizeHint().height() + 4)
        self.view.setVisible(bool(rows))
        self._set_button_texts()
        self._set_note_text()

    @property
    def _chosen(self) -> Pair | None:
        chosen = self.view.selectionModel().selectedRows()
        return self.table.rows[chosen[0].row()].pair.pair if chosen else None

    def _forget_chosen(self) -> None:
        if (pair := self._chosen) is not None:
            self._forget(pair)

    def _forget(self, pair: Pair | None) -> None:
        self._session.models.call_engine(lambda engine: engine.forget_learned(pair), lambda _: self.refresh())

    def _set_button_texts(self) -> None:
        self.forget.setEnabled(self._chosen is not None)
        self.forget_all.setEnabled(bool(self.table.rows))

    def _set_note_text(self) -> None:
        if self.table.rows:
            self._note.setText(
                self.tr(
                    "Updated as you chat and used to choose the draft length. Anything you clear is measured again."
                )
            )
        else:
            self._note.setText(self.tr("No measurements yet. Load models and chat."))

    def retranslate(self) -> None:
        self.table.show_rows(self.table.rows)
        self._set_button_texts()
        self._set_note_text()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
