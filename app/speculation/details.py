"""The second level of the live panel, behind a fold: more figures, charts and totals."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from app.conversations.request_history import Totals
from app.session.answer import Answer
from app.speculation.charts import PositionBars, TimeBar
from app.speculation.explanations import EXPLANATIONS, NAMES
from app.speculation.gauges import Figure, Section, set_text
from app.widgets.buttons import fold_head
from app.widgets.labels import label, wrapped_tip
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.rounding import verification_sentence
from engine.tuning import LearnedPair


class TotalsView(ThemeAware, QWidget):
    """A small table with a column for the chat and one for the week."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._totals: tuple[Totals, ...] = (Totals(), Totals())
        self._title = label(self, "caption")
        heads = self.bound("This chat", label(self, "caption")), self.bound("Last 7 days", label(self, "caption"))
        names = (
            self.bound("Answers", label(self, "muted")),
            self.bound("Acceptance rate", label(self, "muted")),
            self.bound("Speed-up", label(self, "muted")),
            self.bound("Time saved", label(self, "muted")),
        )
        self._cells = [[label(self, "strong") for _ in heads] for _ in names]
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self._title, 0, 0)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column, view in enumerate(heads):
            grid.addWidget(view, 0, column + 1, right)
        for row, (name, cells) in enumerate(zip(names, self._cells, strict=True), 1):
            grid.addWidget(name, row, 0)
            for column, cell in enumerate(cells):
                grid.addWidget(cell, row, column + 1, right)
        vbox(self, margins=(0, 8, 0, 0)).addLayout(grid)
        self.restyle()

    def show_totals(self, chat: Totals, week: Totals) -> None:
        self._totals = chat, week
        self._show_figures()

    @property
    def any_answers(self) -> bool:
        return any(one.answers for one in self._totals)

    def _show_figures(self) -> None:
        for column, one in enumerate(self._totals):
            shown = (
                figures.number(one.answers, 0),
                figures.percent(one.accept_rate),
                figures.speedup(one),
                figures.duration(one.saved_s) if figures.speedup_is_known(one) else figures.NONE,
            )
            for cells, text in zip(self._cells, shown, strict=True):
                cells[column].setText(text)

    def retranslate(self) -> None:
        self._title.setText(NAMES["totals"])
        self._title.setToolTip(wrapped_tip(EXPLANATIONS["totals"]))
        self._show_figures()


class Details(ThemeAware, QWidget):
    """The fold and what it hides. `toggled` follows when the user unfolds or folds it."""

    toggled = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.fold = self.bound("Details", fold_head(self))
        self._body = QWidget(self)
        self._body.hide()
        self._column = vbox(self._body, margins=(0, 0, 0, 0), spacing=8)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=8), fill(hbox(), self.fold, 1), self._body)
        self._make_figures()
        self.fold.toggled.connect(self._body.setVisible)
        self.fold.clicked.connect(self.toggled)
        self.restyle()

    def _make_figures(self) -> None:
        self._figures = QWidget(self._body)
        self.depth_figure, self.first, self.saved, self.cached = (Figure(self._figures) for _ in range(4))
        self._charts = QWidget(self._body)
        self.positions, self.time = PositionBars(self._charts), TimeBar(self._charts)
        self._positions_section = Section(self.positions, self._charts)
        self._time_section = Section(self.time, self._charts, with_words=True)
        self.totals = TotalsView(self._body)
        grid = QGridLayout(self._figures)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(12)
        for index, figure in enumerate((self.depth_figure, self.first, self.saved, self.cached)):
            grid.addWidget(figure, index // 2, index % 2)
            grid.setColumnStretch(index % 2, 1)
        charts = vbox(self._charts, margins=(0, 0, 0, 0), spacing=8)
        fill(charts, self._positions_section, self._time_section)
        self.costs = label(self._body, "muted", wraps=True)
        self._learned: tuple[LearnedPair, ...] = ()
        fill(self._column, self._figures, self._charts, self.costs, self.totals)

    def show_answer(self, answer: Answer | None, known: bool) -> None:
        """Show the figures and charts of an answer, if they are `known`."""
        for view in (self._charts, self._figures):
            view.setVisible(known)
        # Without any answer yet, a table of dashes would say nothing.
        self.totals.setVisible(answer is not None or self.totals.any_answers)
        if answer is None:
            return
        stats, depth = answer.figures, figures.depth_in_use(answer)
        decimals = 0 if depth is None or depth == int(depth) else 1
        self.depth_figure.show_value(figures.number(depth, decimals), figures.depth_text(answer))
        words = self.tr("first token ({time} for pictures)") if stats.picture_s else self.tr("first token")
        self.first.show_value(figures.seconds(stats.ttft_s), words.format(time=figures.seconds(stats.picture_s)))
        self.saved.show_value(figures.duration(stats.saved_s), self.tr("time saved"))
        self.cached.show_value(figures.number(stats.cached_tokens, 0), self.tr("tokens already read"))
        self.positions.show_stats(stats)
        self.time.show_stats(stats)
        set_text(self._time_section.words, self.time.words())

    def show_costs(self, learned: tuple[LearnedPair, ...]) -> None:
        """Say what verifying costs with the loaded pair, as far as it was measured."""
        self._learned = learned
        found = next((pair.rounding for pair in learned if pair.loaded), None)
        words = verification_sentence(found)
        self.costs.setText(words)
        self.costs.setVisible(bool(words))

    def retranslate(self) -> None:
        shown = self.depth_figure, self.first, self.saved, self.cached
        for figure, key in zip(shown, ("depth", "first", "saved", "cached"), strict=True):
            figure.setToolTip(wrapped_tip(EXPLANATIONS[key]))
        self._positions_section.explain("positions")
        self._time_section.explain("time")
        self._time_section.words.reserve_height([self.time.longest_words()])
        self.depth_figure.reserve_width(figures.depth_texts())
        self.show_costs(self._learned)
