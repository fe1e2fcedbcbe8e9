"""The live panel on the right: the figures of speculation of one answer, while it is written and afterwards."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QWidget

from app.actions.actions import Actions
from app.session.answer import Answer
from app.speculation.charts import Chart, LineChart, PositionBars, TimeBar
from app.speculation.gauges import ActionButtons, ActionSegments, Figure, Legend
from app.speculation.history import RoundHistory
from app.speculation.round_strip import RoundStrip
from app.widgets import theme
from app.widgets.focus_ring import FocusRing
from app.widgets.labels import label
from app.widgets.layouts import keep_right_edge, vbox
from app.widgets.restyled import Restyled
from app.widgets.style_class import set_style_class
from app.widgets.throttle import Throttle
from app.wording import figures
from app.wording.speculation import outcome
from engine.stats import RequestStats

WIDTH = 360
# How often figures and charts, and the moving strip, are painted while an answer is written: the engine needs the
# processor more.
_FIGURES_MS, _STRIP_MS = 250, 60
_CHOICES = ("speculation-auto", "speculation-on", "speculation-off")
_MEASUREMENTS = ("compare", "tune")
# Lines kept for the sentence, which is there and gone with every answer.
_SENTENCE_LINES = 4
# What stands where no speed-up was measured: it keeps the line's height.
NOT_MEASURED = figures.NONE


class Section(QWidget):
    """A chart with its title above and its words below."""

    def __init__(self, chart: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.title, self.words = label(self, "caption"), label(self, "muted")
        self.words.setWordWrap(True)
        column = vbox(self, margins=(0, 8, 0, 0), spacing=6)
        for view in (self.title, chart, self.words):
            column.addWidget(view)
        self._chart = chart

    def set_title(self, text: str) -> None:
        self.title.setText(text)
        self._chart.setAccessibleName(text)


class SpeculationPanel(Restyled, QFrame):
    """Shows one answer; call `follow` when it has grown.

    `details_wanted` asks for the tokens and the rounds of a stored answer, once the panel is visible.
    """

    details_wanted = Signal()

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setFixedWidth(theme.scaled(WIDTH))
        self._answer: Answer | None = None
        self._number, self._count = 0, 0
        self._history = RoundHistory()
        self._figures_throttle = Throttle(_FIGURES_MS, self.refresh, self)
        self._strip_throttle = Throttle(_STRIP_MS, lambda: self.strip.show_answer(self._answer), self)
        self._title = label(self, "title")
        self._segments = ActionSegments(actions, _CHOICES, self)
        self.outcome = label(self, "title", wraps=True)
        self._rate_name = label(self, "caption")
        self.rate = label(self, "big")
        self.per_round, self.speed, self.depth_figure, self.first = (Figure(self) for _ in range(4))
        self._sentence = label(self, "reason", wraps=True)
        self._sentence.setMinimumHeight(_SENTENCE_LINES * self._sentence.fontMetrics().lineSpacing())
        self.measurements = ActionButtons(actions, _MEASUREMENTS, self)
        self._strip_name = label(self, "caption")
        self.strip = RoundStrip(self)
        self._legend = Legend(self)
        self._no_rounds = label(self, "muted", wraps=True)
        self.speed_line = LineChart(52, "draft", self)
        self.positions, self.time = PositionBars(self), TimeBar(self)
        charts: tuple[Chart, ...] = (self.speed_line, self.positions, self.time)
        self._speed_section, self._positions_section, self._time_section = (Section(chart, self) for chart in charts)
        self._build()
        self.restyle()

    def _build(self) -> None:
        body = QWidget()
        body.setObjectName("panelBody")
        column = vbox(body, margins=(18, 14, 18, 16), spacing=8)
        top = QHBoxLayout()
        top.addWidget(self._title, 1)
        top.addWidget(self._segments)
        column.addLayout(top)
        self._column = column
        column.addSpacing(4)
        column.addWidget(self.outcome)
        column.addWidget(self._rate_name)
        column.addWidget(self.rate)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(12)
        for index, figure in enumerate((self.per_round, self.speed, self.depth_figure, self.first)):
            grid.addWidget(figure, index // 2, index % 2)
        # The names on the right are longer: they carry the speed-up.
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 3)
        column.addLayout(grid)
        column.addSpacing(4)
        column.addWidget(self._sentence)
        column.addWidget(self.measurements)
        column.addSpacing(8)
        for view in (self._strip_name, self.strip, self._legend, self._no_rounds):
            column.addWidget(view)
        for section in (self._speed_section, self._positions_section, self._time_section):
            column.addWidget(section)
        column.addStretch(1)
        self._body = body
        area = self._area = QScrollArea(self)
        FocusRing(area)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        keep_right_edge(area, column)
        outer = vbox(self, margins=(1, 0, 0, 0))
        outer.addWidget(area)

    def minimumSizeHint(self) -> QSize:
        """Wide enough that no text is cut off beside the scroll bar."""
        bar = self._area.verticalScrollBar().sizeHint().width()
        return QSize(self._body.minimumSizeHint().width() + bar + 1, super().minimumSizeHint().height())

    def add_controls(self, controls: QWidget) -> None:
        """Insert controls below the title and the switch."""
        self._column.insertWidget(1, controls)

    def show_answer(self, answer: Answer | None, number: int = 0, count: int = 0) -> None:
        """Show answer `number` of the `count` that the chat has; the newest needs no number."""
        self._answer, self._number, self._count = answer, number, count
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

    def refresh(self) -> None:
        """Show the answer as it is now."""
        answer = self._answer
        stats = answer.stats if answer else RequestStats()
        self._show_figures(answer, stats)
        if answer is None:
            self._show_sentence(self.tr("Ask something to see how much speculation speeds up the answer."), False)
        else:
            self._show_sentence(*figures.sentence(answer))
        self.strip.show_answer(answer)
        # Answers stored by versions that did not keep rounds have tokens, but not the rejected ones.
        known = answer is None or bool(answer.rounds) or not (answer.ended and answer.tokens)
        for view in (self.strip, self._legend):
            view.setVisible(known)
        self._no_rounds.setVisible(not known)
        self._show_charts(answer, stats)

    def follow(self) -> None:
        """Show what the answer has gained, at most once in an interval; show its end at once."""
        if self._answer is None or self._answer.ended:
            self.refresh()
        else:
            self._strip_throttle.request()
            self._figures_throttle.request()

    def _show_figures(self, answer: Answer | None, stats: RequestStats) -> None:
        set_text(self.outcome, outcome(stats) or NOT_MEASURED)
        set_text(self.rate, figures.percent(stats.accept_rate))
        self.rate.setAccessibleName(f"{self._rate_name.text()}: {self.rate.text()}")
        self.per_round.show_value(figures.number(stats.tokens_per_round), self.tr("tokens per round"))
        self.speed.show_value(figures.number(stats.decode_tps), figures.speed_text(stats))
        depth = figures.depth_in_use(answer) if answer else None
        decimals = 0 if depth is None or depth == int(depth) else 1
        self.depth_figure.show_value(figures.number(depth, decimals), figures.depth_text(answer))
        self.first.show_value(figures.seconds(stats.ttft_s), self.tr("first token"))

    def _show_sentence(self, sentence: str, pays: bool) -> None:
        # An empty sentence keeps its place, so that nothing below it moves.
        set_text(self._sentence, sentence)
        set_style_class(self._sentence, "reason" if pays else "reason-plain")

    def _show_charts(self, answer: Answer | None, stats: RequestStats) -> None:
        history = self._history
        history.follow(answer)
        plain = self.tr("plain decoding: {speed} tokens/s").format(speed=figures.number(stats.plain_tps))
        self.speed_line.show_values(history.speed.values, stats.plain_tps, plain)
        set_text(self._speed_section.words, plain if stats.plain_tps is not None else "")
        self.positions.show_stats(stats)
        self.time.show_stats(stats)
        set_text(self._time_section.words, self.time.words())
        self._speed_section.setVisible(bool(history.speed.values))
        self._positions_section.setVisible(bool(stats.drafted))
        self._time_section.setVisible(bool(history.speed.values))
        for section in (self._speed_section, self._positions_section, self._time_section):
            section.words.setVisible(bool(section.words.text()))

    def retranslate(self) -> None:
        self._title.setText(self.tr("Speculation"))
        self._area.setAccessibleName(self._title.text())
        self._name_answer()
        self._no_rounds.setText(self.tr("No round data: this answer was saved by an older version of Tandem."))
        self._strip_name.setText(self.tr("Rounds"))
        self.strip.setAccessibleName(self._strip_name.text())
        self._speed_section.set_title(self.tr("Tokens per second"))
        self._positions_section.set_title(self.tr("Acceptance by position"))
        self._time_section.set_title(self.tr("Where time went"))
        self._legend.retranslate()
        self.depth_figure.reserve_width(figures.depth_texts())
        self.refresh()


def set_text(shown: QLabel, text: str) -> None:
    """Set a label's text only if it changes, because setting it lays the panel out again."""
    if shown.text() != text:
        shown.setText(text)
