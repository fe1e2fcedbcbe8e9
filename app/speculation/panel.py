"""The live panel on the right: the figures of speculation of one answer, during and after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QWidget

from app.actions.actions import Actions
from app.chat.token_legend import TokenLegend
from app.conversations.request_history import Totals
from app.session.answer import Answer
from app.speculation.charts import LineChart, PositionBars, TimeBar
from app.speculation.gauges import ActionButtons, ActionSegments, Figure, HelpMark, Section, set_text
from app.speculation.history import RoundHistory
from app.speculation.round_strip import RoundStrip
from app.speculation.sample_round import SampleRound
from app.speculation.totals_view import TotalsView
from app.widgets import theme
from app.widgets.focus_ring import FocusRing
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, keep_right_edge, vbox
from app.widgets.restyled import Restyled
from app.widgets.style_class import set_style_class
from app.widgets.throttle import Throttle
from app.wording import figures
from app.wording.speculation import has_figures, outcome
from engine.stats import RequestStats

WIDTH = 360
# The intervals at which figures with charts, and the strip, are painted during an answer. The engine needs the
# processor more.
_FIGURES_MS, _STRIP_MS = 250, 60
_CHOICES = ("speculation-auto", "speculation-on", "speculation-off")
_MEASUREMENTS = ("compare", "tune")
# The lines that the sentence occupies even while it is empty, and the height of its margins.
_SENTENCE_LINES, _SENTENCE_MARGINS = 3, 18


class SpeculationPanel(Restyled, QFrame):
    """Shows one answer; call `follow` when it has grown. Before the first answer it shows how a round works.

    Emits `details_wanted` to ask for the tokens and rounds of a stored answer once the panel is visible, `shown` with
    the panel's visibility after every change, and `round_chosen` with the number of a round of the strip. The first
    figures, or `make_figures`, make the widgets that show them, so that the window opens sooner.
    """

    details_wanted = Signal()
    shown = Signal(bool)
    round_chosen = Signal(int)

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setFixedWidth(theme.scaled(WIDTH))
        self._answer: Answer | None = None
        self._number, self._count = 0, 0
        self._state = ""
        self._history = RoundHistory()
        self._has_figures = False
        self._figures_throttle = Throttle(_FIGURES_MS, self.refresh, self)
        self._strip_throttle = Throttle(_STRIP_MS, lambda: self.strip.show_answer(self._answer), self)
        body = self._make_area()
        self._title = self.bound("Speculation", label(body, "title"))
        self._segments = ActionSegments(actions, _CHOICES, body)
        self.sample = SampleRound(body)
        self._sentence = label(body, "reason", wraps=True)
        self.measurements = ActionButtons(actions, _MEASUREMENTS, body)
        self.requests = label(body, "muted", wraps=True)
        self.requests.hide()
        self._column = column = vbox(self._body, margins=(18, 14, 18, 16), spacing=8)
        fill(column, fill(hbox(), (self._title, 1), self._segments)).addSpacing(4)
        fill(column, self.sample).addSpacing(4)
        fill(column, self._sentence, self.measurements, self.requests, 1)
        keep_right_edge(self._area, column)
        fill(vbox(self, margins=(1, 0, 0, 0)), self._area)
        self.restyle()

    def make_figures(self) -> None:
        """Make the widgets that show figures, if they are not there yet."""
        if self._has_figures:
            return
        self._has_figures = True
        self._measured = QWidget(self._body)
        self.outcome = label(self._measured, "title", wraps=True)
        self._figures = QWidget(self._measured)
        self._outcome_help, self._rate_help = HelpMark(self._measured), HelpMark(self._figures)
        self._rate_name = label(self._figures, "caption")
        self.rate = label(self._figures, "big")
        self.per_round, self.speed, self.depth_figure, self.first = (Figure(self._figures) for _ in range(4))
        self._charts = QWidget(self._body)
        self.strip, self._legend = RoundStrip(self._charts), TokenLegend(with_rejected=True, parent=self._charts)
        self._no_rounds = label(self._charts, "muted", wraps=True)
        self.speed_line = LineChart(52, "draft", self._charts)
        self.positions, self.time = PositionBars(self._charts), TimeBar(self._charts)
        self._strip_section, self._speed_section, self._positions_section = (
            Section(chart, self._charts) for chart in (self.strip, self.speed_line, self.positions)
        )
        self._time_section = Section(self.time, self._charts, with_words=True)
        self.totals = TotalsView(self._body)
        self.strip.chosen.connect(self.round_chosen)
        self._build_figures()
        charts = vbox(self._charts, margins=(0, 0, 0, 0), spacing=8)
        fill(charts, self._strip_section, self._legend, self._no_rounds)
        fill(charts, self._speed_section, self._positions_section, self._time_section)
        column = self._column
        column.insertWidget(column.indexOf(self.sample), self._measured)
        for view in (self._charts, self.totals):
            column.insertWidget(column.indexOf(self.requests), view)
        self._word_figures()
        self.refresh()

    def _make_area(self) -> QWidget:
        """Make the body that scrolls. It is empty, because each step would lay its content out again."""
        self._area, self._body = QScrollArea(self), QWidget()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        FocusRing(self._area)
        self._body.setObjectName("panelBody")
        self._area.setWidget(self._body)
        return self._body

    def _build_figures(self) -> None:
        heading = fill(hbox(spacing=4), (self.outcome, 1), (self._outcome_help, 0, Qt.AlignmentFlag.AlignTop))
        fill(vbox(self._measured, margins=(0, 0, 0, 0), spacing=8), heading, self._figures)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(12)
        for index, figure in enumerate((self.per_round, self.speed, self.depth_figure, self.first)):
            grid.addWidget(figure, index // 2, index % 2)
        # The names on the right are longer, because they contain the speed-up.
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 3)
        rate_name = fill(hbox(spacing=4), self._rate_name, self._rate_help, 1)
        fill(vbox(self._figures, margins=(0, 0, 0, 0), spacing=8), rate_name, self.rate, grid)

    def minimumSizeHint(self) -> QSize:
        """Return a size at which the scroll bar hides no text."""
        bar = self._area.verticalScrollBar().sizeHint().width()
        return QSize(self._body.minimumSizeHint().width() + bar + 1, super().minimumSizeHint().height())

    def add_controls(self, make: Callable[[QWidget], QWidget]) -> None:
        """Insert the controls that `make` makes in a parent below the title and the switch."""
        self._column.insertWidget(1, make(self._body))

    def show_answer(self, answer: Answer | None, number: int = 0, count: int = 0) -> None:
        """Show answer `number` of the `count` that the chat has; the newest needs no number."""
        self._answer, self._number, self._count = answer, number, count
        if answer is not None:
            self.make_figures()
            self._name_answer()
        self.refresh()
        self._want_details()

    def _name_answer(self) -> None:
        newest = self.tr("Acceptance rate, this answer")
        other = self.tr("Acceptance rate, answer {number} of {count}").format(number=self._number, count=self._count)
        set_text(self._rate_name, newest if self._number == self._count else other)

    def _want_details(self) -> None:
        answer = self._answer
        if answer is not None and answer.ended and answer.text and not answer.tokens and self.isVisible():
            self.details_wanted.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._want_details()
        self.shown.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # A window that is closed or minimised also hides the panel.
        self.shown.emit(not self.isHidden())

    def show_totals(self, chat: Totals, week: Totals) -> None:
        """Show the totals of the chat on screen and of the last week."""
        if chat.answers or week.answers:
            self.make_figures()
        if self._has_figures:
            self.totals.show_totals(chat, week)
            self.totals.setVisible(self._answer is not None or self.totals.any_answers)

    def show_requests(self, lines: Sequence[str]) -> None:
        """Show the requests of other programs below everything else, so that nothing moves."""
        self.requests.setText("\n".join((self.tr("Local API"), *lines)))
        self.requests.setVisible(bool(lines))

    def show_state(self, sentence: str) -> None:
        """Set the sentence of the header: what speculation does now and why."""
        self._state = sentence
        if self._answer is None:
            self.refresh()

    def refresh(self) -> None:
        """Show the answer as it is now."""
        answer = self._answer
        self._sentence.setVisible(answer is None or has_figures(answer))
        self.sample.setVisible(answer is None)
        if self._has_figures:
            known = answer is not None and has_figures(answer)
            self._measured.setVisible(answer is not None)
            # An answer without figures shows only that it has none.
            for view in (self._charts, self._figures):
                view.setVisible(known)
            # Without any answer yet, a table of dashes would say nothing.
            self.totals.setVisible(answer is not None or self.totals.any_answers)
            self.strip.show_answer(answer)
        if answer is None:
            self._show_sentence(self._state, False)
        else:
            self._show_figures(answer, answer.stats)
            self._show_sentence(*figures.sentence(answer))
            self._show_charts(answer, answer.stats)

    def follow(self) -> None:
        """Show what was added to the answer, at most once in an interval; show its end at once."""
        if self._answer is None or self._answer.ended:
            self.refresh()
        else:
            self._strip_throttle.request()
            self._figures_throttle.request()

    def _show_figures(self, answer: Answer, stats: RequestStats) -> None:
        set_text(self.outcome, outcome(answer))
        set_text(self.rate, figures.percent(stats.accept_rate))
        self.rate.setAccessibleName(f"{self._rate_name.text()}: {self.rate.text()}")
        self.per_round.show_value(figures.number(stats.tokens_per_round), self.tr("tokens per round"))
        self.speed.show_value(figures.number(stats.decode_tps), figures.speed_text(stats))
        depth = figures.depth_in_use(answer)
        decimals = 0 if depth is None or depth == int(depth) else 1
        self.depth_figure.show_value(figures.number(depth, decimals), figures.depth_text(answer))
        self.first.show_value(figures.seconds(stats.ttft_s), self.tr("first token"))

    def _show_sentence(self, sentence: str, pays: bool) -> None:
        set_text(self._sentence, sentence)
        set_style_class(self._sentence, "reason" if pays else "reason-plain")

    def _show_charts(self, answer: Answer, stats: RequestStats) -> None:
        # Answers stored by early versions have tokens but no rounds.
        known = bool(answer.rounds) or not (answer.ended and answer.tokens)
        for view in (self._strip_section, self._legend):
            view.setVisible(known)
        self._legend.show_answer(answer)
        self._no_rounds.setVisible(not known)
        set_text(self._strip_section.value, figures.number(stats.rounds, 0) if stats.rounds else "")
        self._history.follow(answer)
        plain = self.tr("plain decoding: {speed} tokens/s").format(speed=figures.number(stats.plain_tps))
        self.speed_line.show_values(
            self._history.speed.values, stats.plain_tps, "" if stats.plain_tps is None else plain
        )
        self.positions.show_stats(stats)
        self.time.show_stats(stats)
        set_text(self._time_section.words, self.time.words())

    def retranslate(self) -> None:
        self._area.setAccessibleName(self._title.text())
        if self._has_figures:
            self._word_figures()
        self.refresh()

    def _word_figures(self) -> None:
        self._name_answer()
        self._no_rounds.setText(self.tr("No round data: this answer was saved by an older version of Tandem."))
        self._explain_figures()
        self._explain_charts()
        self._legend.retranslate()
        self.depth_figure.reserve_width(figures.depth_texts())

    def _explain_figures(self) -> None:
        self._outcome_help.explain(
            self.tr("Speed-up"),
            self.tr("Compared with decoding without speculation, measured by plain rounds within the same answer."),
        )
        self._rate_help.explain(
            self.tr("Acceptance rate"), self.tr("The share of the draft tokens that the main model accepted.")
        )
        self.per_round.explain(
            self.tr("tokens per round"),
            self.tr("How many tokens a round adds to the answer: the accepted ones and one of the main model's own."),
        )
        self.speed.explain(
            self.tr("tokens/s"),
            self.tr(
                "How fast the answer is generated after its first token, and how that compares with plain decoding."
            ),
        )
        self.depth_figure.explain(
            self.tr("drafted per round"),
            self.tr("How many tokens are proposed before the main model checks them."),
        )
        self.first.explain(
            self.tr("first token"),
            self.tr("The time until the first token appears, most of which goes into processing the prompt."),
        )

    def _explain_charts(self) -> None:
        self._strip_section.explain(
            self.tr("Rounds"),
            self.tr(
                "A column for each round, from the bottom up: accepted draft tokens, the main model's own token, "
                "rejected draft tokens."
            ),
        )
        self._speed_section.explain(
            self.tr("Tokens per second"),
            self.tr("The speed over the course of the answer. The dashed line is plain decoding, measured meanwhile."),
        )
        self._positions_section.explain(
            self.tr("Acceptance by position"),
            self.tr("How often the first, the second and each further draft token of a round is accepted."),
        )
        self._time_section.explain(
            self.tr("Where time went"),
            self.tr("How the decoding time splits into drafting, verification by the main model and everything else."),
        )

    def apply_text_size(self) -> None:
        self._sentence.ensurePolished()
        lines = _SENTENCE_LINES * self._sentence.fontMetrics().lineSpacing()
        self._sentence.setMinimumHeight(lines + _SENTENCE_MARGINS)

    def apply_theme(self) -> None:
        self.apply_text_size()
