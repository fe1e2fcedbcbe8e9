"""The request history: a table of all answers, the speed-up of each pair in words, and their export."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFileDialog, QPushButton, QWidget

from app.conversations.database.records import FAILED, GIVEN_BEFORE, LOOPS, UNCOUNTED, AnswerSource
from app.conversations.measured import MeasuredPairs, gain_in, is_gain
from app.conversations.request_history import RequestRow, Totals
from app.session.history_service import HistoryService, Requests
from app.settings.declarations import PAGES
from app.settings_window.pages import PageParts
from app.widgets.buttons import ConfirmButton
from app.widgets.controls import Chooser
from app.widgets.figure_table import FigureColumn, FigureTable, FigureView
from app.widgets.labels import label, set_name, tip
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import set_style_class, styled
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.models import pair_name
from app.wording.sources import method_name, recorded_name, source_name

_MOST_ROWS = 5000
# The most pairs of which a sentence says how much faster they are.
_MOST_SENTENCES = 4
# The margins on the left and right in pixels.
_MARGIN = 32
# The least number of characters for which the chooser of pairs has room.
_NAME_CHARACTERS = 28
_NAMES = ("main_model", "draft_model", "client")
# Columns that a narrow table leaves out, the least needed first.
_SPARE = ("method", "generated_tokens", "client", "decode_tps", "draft_model", "accept_rate")


def _model(name: str) -> str:
    """Return the name to show for a model; "–" for none."""
    return recorded_name(name) if name else figures.NONE


def _asked_by(row: RequestRow) -> str:
    """Return what asked: a program, or a call of a tool in a chat; "" for a chat."""
    if row.message_id is None:
        return row.client
    # An answer that used a tool has several rows, which its figures in the chat sum up.
    return QCoreApplication.translate("History", "Tool call") if row.called else ""


def _used(row: RequestRow) -> str:
    """Return what proposed the draft tokens or, where that was not recorded, the method that was chosen."""
    if row.drafted == 0:
        return QCoreApplication.translate("History", "none")
    sources = json.loads(row.sources or "[]")
    names = [source_name(str(source)) for source in sources]
    return QLocale().createSeparatedList(names) or method_name(row.method)


def _accepted(row: RequestRow) -> str:
    """Return how many of the draft tokens of a request were accepted; "–" if there were none."""
    if not row.drafted:
        return figures.NONE
    words = QCoreApplication.translate("History", "{accepted} of {drafted}")
    return words.format(accepted=figures.number(row.accepted or 0, 0), drafted=figures.number(row.drafted, 0))


def _outcome(row: RequestRow) -> str:
    """Return why the speed of a request says nothing of its pair; "" if it does."""
    if row.finish_reason in LOOPS:
        return QCoreApplication.translate("History", "repeats itself")
    if row.finish_reason == GIVEN_BEFORE:
        return QCoreApplication.translate("History", "given before")
    return QCoreApplication.translate("History", "failed") if row.finish_reason == FAILED else ""


# The keys are the columns of the store, which sorts by them.
COLUMNS: tuple[FigureColumn[RequestRow], ...] = (
    FigureColumn("finished_at", "Date", lambda row: figures.moment(row.finished_at), is_words=True),
    FigureColumn("main_model", "Main model", lambda row: _model(row.main_model), is_words=True),
    FigureColumn("draft_model", "Draft model", lambda row: _model(row.draft_model), is_words=True),
    FigureColumn("method", "Method", _used, is_words=True),
    FigureColumn("client", "Source", _asked_by, is_words=True),
    FigureColumn("accept_rate", "Drafts accepted", _accepted),
    FigureColumn("speedup", "Speed-up", _outcome),
    FigureColumn("decode_tps", "Tokens/s", lambda row: figures.speed(row.decode_tps)),
    FigureColumn("generated_tokens", "Tokens", lambda row: figures.number(row.generated_tokens, 0)),
)


class HistoryTable(FigureTable["RequestRow"]):
    """Emits `order_wanted` with a column of the store and whether to sort descending: the store sorts all rows."""

    order_wanted = Signal(str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("History", COLUMNS, parent)
        # What is measured of each pair.
        self.measured: MeasuredPairs = {}

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the figure of a cell, and as its tip what a double click does."""
        if role == Qt.ItemDataRole.DisplayRole and COLUMNS[index.column()].key == "speedup":
            row = self.rows[index.row()]
            return _outcome(row) or self._speedup(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            row = self.rows[index.row()]
            shown = self.data(index, Qt.ItemDataRole.DisplayRole)
            if row.message_id is None:
                words = QCoreApplication.translate(
                    "History", "{program}, through the local API: only statistics are kept"
                )
            else:
                words = QCoreApplication.translate("History", "{title}: double-click to show the answer")
            return tip(f"{shown}\n{words.format(title=row.title, program=row.client)}")
        return super().data(index, role)

    def _speedup(self, row: RequestRow) -> str:
        """Return the speed-up of the pair of a request where the panel shows it for that answer, else "–"."""
        totals = self.measured.get(AnswerSource(row.main_model, row.draft_model, row.method).pair)
        if totals is None or row.finish_reason in UNCOUNTED:
            return figures.NONE
        return figures.about(gain_in(row, totals.speedup))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if column >= 0:
            self.order_wanted.emit(COLUMNS[column].key, order == Qt.SortOrder.DescendingOrder)


class HistoryPage(ThemeAware, QWidget):
    """The request history. Reads the store when it is shown, sorted or filtered.

    While it is visible, it also reads after every answer. `answer_wanted` carries the chat and the message of a row
    after a double click or Enter. Rows of the local API have no answers to show; a button deletes them all.
    """

    answer_wanted = Signal(int, int)

    def __init__(self, history: HistoryService, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._order: tuple[str, bool] = ("finished_at", True)
        self._requests = Requests([], [], {})
        self._title = label(self, "page-title")
        self.sentences = label(self, "reason", wraps=True)
        self.outcome = label(self, "muted", wraps=True)
        self.pair = self.bound("Models", Chooser(self), QWidget.setAccessibleName)
        self.pair.setSizeAdjustPolicy(Chooser.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.pair.setMinimumContentsLength(8)
        self.csv, self.json = (styled(QPushButton(text, self), "button") for text in ("CSV…", "JSON…"))
        self.delete = _DeleteRequestsButton(self)
        self.table = HistoryTable(self)
        places = {column.key: index for index, column in enumerate(COLUMNS)}
        self.view = FigureView(self.table, self, [places[key] for key in _NAMES], [places[key] for key in _SPARE])
        self.bound("Answers and statistics", self.view, QWidget.setAccessibleName)
        self.view.setObjectName("history")
        self.view.horizontalHeader().setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        self.view.setSortingEnabled(True)
        buttons = fill(hbox(spacing=8), self.delete, self.csv, self.json, 0)
        self._line = fill(hbox(spacing=8), (self.pair, 1), buttons)
        column = vbox(self, margins=(_MARGIN, 24, _MARGIN, 24), spacing=10)
        fill(column, self._title, self.sentences, self._line, (self.view, 1), self.outcome)
        for hidden in (self.sentences, self.outcome, self.delete):
            hidden.hide()
        self.table.order_wanted.connect(self._sort)
        self.view.activated.connect(self._show_answer)
        self.pair.activated.connect(lambda _: self.refresh())
        self.csv.clicked.connect(partial(self._choose_file, "csv"))
        self.json.clicked.connect(partial(self._choose_file, "json"))
        self.delete.confirmed.connect(history.delete_programs)
        history.changed.connect(self._refresh_if_shown)
        self.restyle()

    @property
    def _chosen(self) -> tuple[str, str] | None:
        """The pair whose rows are shown, main and draft model; None for all."""
        data = self.pair.currentData()
        return (data[0], data[1]) if data else None

    def _is_chosen(self, pair: tuple[str, str]) -> bool:
        """Return whether a pair is the chosen one, or its main model with lookups; any is if all are chosen."""
        chosen = self._chosen
        return chosen is None or pair in (chosen, (chosen[0], ""))

    def refresh(self) -> None:
        """Read the store again and show the result."""
        order, down = self._order
        self._history.read(order, down, self._chosen, _MOST_ROWS, self._take)

    def _take(self, requests: Requests) -> None:
        """Show what was read: the rows, and the figures of each pair."""
        self._requests = requests
        self.table.measured = requests.measured
        self.table.show_rows(requests.rows)
        self._show_pairs()
        self._show_sentences()
        self.sentences.show()
        for button in (self.csv, self.json):
            button.setEnabled(bool(requests.rows))
        self.delete.setVisible(any(row.message_id is None for row in requests.rows))
        self._place_buttons()

    def _place_buttons(self) -> None:
        """Put the buttons next to the chooser of pairs, or below it if it is too narrow for a name."""
        buttons = [button for button in (self.delete, self.csv, self.json) if not button.isHidden()]
        taken = sum(button.sizeHint().width() + self._line.spacing() for button in buttons)
        room = self.width() - 2 * _MARGIN - taken
        is_wide = room >= self.fontMetrics().averageCharWidth() * _NAME_CHARACTERS
        self._line.setDirection(QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def _sort(self, column: str, down: bool) -> None:
        if (column, down) != self._order:
            self._order = (column, down)
            self.refresh()

    def _show_answer(self, index: QModelIndex) -> None:
        row = self.table.rows[index.row()]
        if row.message_id is not None:
            self.answer_wanted.emit(row.conversation_id, row.message_id)

    def _refresh_if_shown(self) -> None:
        if self.isVisible():
            self.refresh()

    def _show_pairs(self) -> None:
        """List the pairs to choose from, and keep the choice."""
        chosen = self._chosen
        self.pair.clear()
        self.pair.addItem(self.tr("All models"), None)
        for main, draft in self._requests.pairs:
            self.pair.addItem(pair_name(main, draft), [main, draft])
        self.pair.setCurrentIndex(max(0, self.pair.findData(list(chosen)) if chosen else 0))

    def _show_sentences(self) -> None:
        """Say which pairs are faster with draft tokens; of the others, that it was measured or not.

        The sentence is hidden until the store was read, because until then it would say that there are no answers.
        """
        known = [
            totals
            for pair, totals in self._requests.measured.items()
            if totals.speedup is not None and self._is_chosen(pair)
        ]
        most_used = sorted(known, key=lambda totals: totals.answers, reverse=True)
        faster = [totals for totals in most_used if is_gain(totals.speedup)][:_MOST_SENTENCES]
        if faster:
            words = "\n".join(map(self._sentence, faster))
        elif known:
            words = self.tr("Draft tokens made no answers noticeably faster so far.")
        elif any(map(self._is_chosen, self._requests.tried)):
            words = self.tr("Compare measured no speed-up yet: this Mac was too busy, or the answer too short.")
        elif self.table.rows:
            words = self.tr("No speed-up measured yet. Compare measures it.")
        else:
            words = self.tr("No answers yet. Each answer adds a row with its speed-up.")
        self.sentences.setText(words)
        set_style_class(self.sentences, "reason" if faster else "reason-plain")

    def _sentence(self, summary: Totals) -> str:
        """Say how much faster a pair is."""
        if summary.draft_model and summary.method != "ngram":
            text = self.tr("{main} is {faster} with {draft} on this Mac.")
        else:
            text = self.tr("{main} is {faster} with prompt lookup on this Mac.")
        main = recorded_name(summary.main_model)
        draft = recorded_name(summary.draft_model)
        return text.format(main=main, faster=figures.as_fast(summary.speedup), draft=draft)

    def _choose_file(self, kind: str) -> None:
        name = str(Path.home() / f"tandem-history.{kind}")
        file, _ = QFileDialog.getSaveFileName(self, self.tr("Export the history"), name, f"*.{kind}")
        if file:
            self.export_to(Path(file), kind)

    def export_to(self, file: Path, kind: str) -> None:
        """Write the table's rows as "csv" or "json", on the store's thread."""

        def done(written: bool) -> None:
            good = self.tr("Saved to {file}.")
            bad = self.tr("The file could not be saved. Choose another folder.")
            self.outcome.setText(good.format(file=file) if written else bad)
            self.outcome.show()

        self._history.export(list(self.table.rows), file, kind, done)

    def retranslate(self) -> None:
        self._title.setText(QCoreApplication.translate("Settings", PAGES["history"]))
        for button in (self.csv, self.json):
            set_name(button, self.tr("Export as {kind}").format(kind=button.text()))
        self._place_buttons()
        self.outcome.hide()
        self.table.show_rows(self.table.rows)
        self._show_pairs()
        self._show_sentences()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()


class _DeleteRequestsButton(ConfirmButton):
    """Deletes the requests of other programs once that was confirmed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.restyle()

    def retranslate(self) -> None:
        self.setText(self.tr("Delete all of them?") if self.asks else self.tr("Delete API requests…"))


def build(parts: PageParts) -> HistoryPage:
    """Return the page Request history."""
    page = HistoryPage(parts.session.history)
    show = parts.session.chats.show_message
    shown = parts.models.chat_wanted.emit
    page.answer_wanted.connect(lambda chat, message: show(chat, message, lambda _: shown()))
    return page
