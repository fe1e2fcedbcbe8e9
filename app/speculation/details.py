"""The second level of the live panel, behind a fold: more figures and charts."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from app.session.answer import Answer
from app.speculation.charts import PositionLine, TimeBar
from app.speculation.explanations import EXPLANATIONS
from app.speculation.gauges import Figure, Section, set_text
from app.widgets.buttons import fold_head
from app.widgets.labels import label, wrapped_tip
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.rounding import verification_sentence
from engine.tuning import LearnedPair


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
        self.first, self.saved, self.cached = shown = tuple(Figure(self._figures) for _ in range(3))
        self.time = TimeBar(self._body)
        self.positions = PositionLine(self._body)
        self._time_section = Section(self.time, self._body, with_words=True)
        self._positions_section = Section(self.positions, self._body)
        grid = QGridLayout(self._figures)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(12)
        for index, figure in enumerate(shown):
            grid.addWidget(figure, index // 2, index % 2)
            grid.setColumnStretch(index % 2, 1)
        self.costs = label(self._body, "muted", wraps=True)
        self._learned: tuple[LearnedPair, ...] = ()
        # The last one may come while an answer is written.
        fill(self._column, self._figures, self._time_section, self.costs, self._positions_section)

    def show_answer(self, answer: Answer) -> None:
        """Show the figures and charts of an answer."""
        stats = answer.figures
        words = self.tr("first token ({time} for pictures)") if stats.picture_s else self.tr("first token")
        self.first.show_value(figures.seconds(stats.ttft_s), words.format(time=figures.seconds(stats.picture_s)))
        self.saved.show_value(figures.duration(stats.saved_s), self.tr("time saved"))
        self.cached.show_value(figures.number(stats.cached_tokens, 0), self.tr("tokens already read"))
        self.positions.show_stats(stats)
        self._positions_section.setVisible(self.positions.has_rejected)
        self.time.show_stats(stats)
        set_text(self._time_section.words, self.time.words())

    def show_costs(self, learned: tuple[LearnedPair, ...]) -> None:
        """Say what verifying costs with the loaded pair, as far as it was measured."""
        self._learned = learned
        rounding = next((pair.rounding for pair in learned if pair.loaded), None)
        words = verification_sentence(rounding)
        self.costs.setText(words)
        self.costs.setVisible(bool(words))

    def retranslate(self) -> None:
        for figure, key in ((self.first, "first"), (self.saved, "saved"), (self.cached, "cached")):
            figure.setToolTip(wrapped_tip(EXPLANATIONS[key]))
        self._positions_section.explain("positions")
        self._time_section.explain("time")
        self._time_section.words.reserve_height([self.time.longest_words()])
        self.show_costs(self._learned)
