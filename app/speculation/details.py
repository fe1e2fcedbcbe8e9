"""The second level of the live panel, behind a fold: more figures and charts."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.session.answer import Answer
from app.speculation.charts import PositionLine, TimeBar
from app.speculation.explanations import EXPLANATIONS
from app.speculation.gauges import Section, SteadySentence, set_text
from app.widgets.buttons import fold_head
from app.widgets.labels import label, wrapped_tip
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.rounding import verification_sentence
from engine.stats import RequestStats
from engine.tuning import LearnedPair

# The least seconds saved that are said.
LEAST_SAVED = 0.05


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
        self.words = SteadySentence(self._body)
        self.time = TimeBar(self._body)
        self.positions = PositionLine(self._body)
        self._time_section = Section(self.time, self._body, with_words=True)
        self._positions_section = Section(self.positions, self._body)
        self.costs = label(self._body, "muted", wraps=True)
        self._learned: tuple[LearnedPair, ...] = ()
        # The last one may come while an answer is written.
        fill(self._column, self.words, self._time_section, self.costs, self._positions_section)

    def show_answer(self, answer: Answer) -> None:
        """Show the figures and charts of an answer."""
        stats = answer.figures
        set_text(self.words, self._words_of(stats))
        self.positions.show_stats(stats)
        self._positions_section.setVisible(self.positions.has_rejected)
        self.time.show_stats(stats)
        set_text(self._time_section.words, self.time.words())

    def _words_of(self, stats: RequestStats) -> str:
        """Say when the answer began and what was saved, and how much of the prompt had been read before."""
        first = []
        if stats.ttft_s is not None:
            first.append(self.tr("First token after {time}").format(time=figures.seconds(stats.ttft_s)))
        if stats.picture_s:
            first.append(self.tr("{time} of it for pictures").format(time=figures.seconds(stats.picture_s)))
        if (stats.saved_s or 0.0) >= LEAST_SAVED:
            first.append(self.tr("drafts saved {time}").format(time=figures.duration(stats.saved_s)))
        remembered = ""
        if stats.cached_tokens:
            remembered = self.tr("{cached} of {prompt} prompt tokens were remembered.").format(
                cached=figures.number(stats.cached_tokens, 0), prompt=figures.number(stats.prompt_tokens, 0)
            )
        return figures.joined_lines(" · ".join(first), remembered)

    def show_costs(self, learned: tuple[LearnedPair, ...]) -> None:
        """Say what verifying costs with the loaded pair, as far as it was measured."""
        self._learned = learned
        rounding = next((pair.rounding for pair in learned if pair.loaded), None)
        words = verification_sentence(rounding)
        self.costs.setText(words)
        self.costs.setVisible(bool(words))

    def retranslate(self) -> None:
        self.words.setToolTip(wrapped_tip(*(EXPLANATIONS[key] for key in ("first", "saved", "cached"))))
        longest = RequestStats(ttft_s=8.88, saved_s=88.8, cached_tokens=8888, prompt_tokens=8888)
        self.words.reserve_height([self._words_of(longest)])
        self._positions_section.explain("positions")
        self._time_section.explain("time")
        self._time_section.words.reserve_height([self.time.longest_words()])
        self.show_costs(self._learned)
