"""The card of a comparison: both answers side by side, their speeds, and whether the texts are the same."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QPushButton, QScrollArea, QWidget

from app.session.answer import Answer
from app.speculation.charts import SpeedBar
from app.speculation.comparison import Comparer, Comparison, ComparisonResult, ComparisonStep
from app.widgets import theme
from app.widgets.buttons import CloseButton
from app.widgets.icons import Mark, icon
from app.widgets.labels import ElidedLabel, label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.overlay import Overlay, WrappingArea
from app.widgets.style_class import set_style_class, styled
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.errors import error_sentence, joined, quoted
from engine.events import Token

_WIDTH, _HEIGHT = 1000, 640
# The least height of the answers, in pixels at the normal text size.
_LEAST_TEXT = 120


class Side:
    """One of the two answers in a column of `grid`: its heading, its speed, and its text with tinted draft tokens."""

    def __init__(self, mark: str, grid: QGridLayout, column: int, parent: QWidget) -> None:
        role = "draft" if mark == "draft-on" else "main"
        self.heading = label(parent, "title", wraps=True)
        self.speed, self.words = label(parent, "big"), label(parent, "muted", wraps=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.bar = SpeedBar(role, parent)
        from app.chat.token_view import TokenView

        self.text = TokenView(parent)
        self._body = QWidget(parent)
        fill(vbox(self._body, margins=(9, 5, 9, 5)), self.text, 1)
        self._area = QScrollArea(parent)
        self._area.setObjectName("comparedText")
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self._body)
        self._area.setMinimumHeight(theme.scaled(_LEAST_TEXT))
        grid.addLayout(fill(hbox(spacing=6), Mark(16, parent, icon(mark, role)), (self.heading, 1)), 0, column)
        for row, view in enumerate((self.speed, self.bar, self.words, self._area), start=1):
            grid.addWidget(view, row, column)
        grid.setColumnStretch(column, 1)
        bar = self._area.verticalScrollBar()
        self._follows, self._marked = True, False
        bar.rangeChanged.connect(lambda _, most: bar.setValue(most) if self._follows else None)
        bar.valueChanged.connect(lambda value: setattr(self, "_follows", value >= bar.maximum() - 4))

    def show_answer(self, answer: Answer, words: str, fastest: float | None) -> None:
        """Show an answer; the speed `fastest` fills the bar, and without it there is none."""
        self.bar.setVisible(fastest is not None)
        self.bar.show_speed(answer.stats.decode_tps, fastest or 0.0)
        self.speed.setText(figures.number(answer.stats.decode_tps) if words else "")
        self.words.setText(words)
        self.text.show_tokens(answer.tokens)

    def mark(self, index: int | None) -> None:
        """Mark the token `index`, the first that differs, and scroll to it once."""
        place = self.text.mark(index)
        if place is None:
            self._marked = False
        elif not self._marked:
            self._marked, self._follows = True, False
            point = self.text.mapTo(self._body, place.center())
            self._area.ensureVisible(point.x(), point.y(), 0, self._area.height() // 3)


class ComparisonView(ThemeAware, Overlay):
    """Shows the comparer's comparison. Closing the card stops it; the action `again` repeats it.

    The answers scroll if the window is too low.
    """

    def __init__(self, comparer: Comparer, again: QAction, window: QWidget) -> None:
        super().__init__(window, _WIDTH, _HEIGHT)
        self._comparer, self._action = comparer, again

    def make(self) -> None:
        self.title, self.subtitle = self.bound("Compare", label(self, "title")), styled(ElidedLabel(self), "muted")
        self.stop = self.bound("Stop", styled(QPushButton(self), "button"))
        self.again = self.bound("Compare again", styled(QPushButton(self), "button"))
        self.column.setContentsMargins(20, 16, 20, 16)
        self.column.setSpacing(12)
        body = QWidget(self)
        body.setObjectName("overlayBody")
        self._area = WrappingArea(self)
        self._area.setWidget(body)
        self._sides = QGridLayout()
        self._sides.setHorizontalSpacing(24)
        self._sides.setVerticalSpacing(4)
        self._sides.setRowStretch(4, 1)
        self.speculated = Side("draft-on", self._sides, 0, self)
        self.plain = Side("main-model", self._sides, 1, self)
        self.verdict = label(self, "reason", wraps=True)
        fill(vbox(body, margins=(0, 0, 0, 0), spacing=12), self.verdict).addLayout(self._sides, 1)
        head = fill(hbox(), self.title, (self.subtitle, 1), CloseButton(self, self.close_overlay))
        fill(self.column, head, (self._area, 1), fill(hbox(spacing=12), 1, self.stop, self.again))
        self.stop.clicked.connect(self._comparer.cancel)
        self.again.clicked.connect(self._action.trigger)
        self._action.changed.connect(self.refresh)
        self.closed.connect(self._comparer.cancel)
        self._comparer.changed.connect(self.refresh)
        self.restyle()

    def fit_in_window(self) -> None:
        # The event loop may not have laid out changed content yet.
        self._area.updateGeometry()
        super().fit_in_window()

    def fill(self) -> None:
        self.refresh()
        self._area.setFocus()

    def refresh(self) -> None:
        self.stop.setVisible(self._comparer.running)
        self.again.setVisible(not self._comparer.running)
        self.again.setEnabled(self._action.isEnabled())
        comparison = self._comparer.comparison
        if comparison is None:
            return
        self.subtitle.setText(" ".join(comparison.question.split()))
        answers = (comparison.speculated, comparison.plain)
        fastest = None if comparison.alike else max(answer.stats.decode_tps or 0.0 for answer in answers)
        # Two figures for the same way of decoding would look like a gain.
        hidden = comparison.speculated if comparison.alike and comparison.plain.tokens else None
        for side, answer in zip((self.speculated, self.plain), answers, strict=True):
            side.show_answer(answer, "" if answer is hidden else self._figures(answer), fastest)
            side.mark(comparison.same_tokens() if comparison.divergence() else None)
        self._say(comparison)

    def _figures(self, answer: Answer) -> str:
        stats = answer.stats
        parts = [self.tr("tokens/s")]
        if stats.ttft_s is not None:
            parts.append(self.tr("{value} to first token").format(value=figures.seconds(stats.ttft_s)))
        if stats.accept_rate is not None:
            parts.append(self.tr("{value} accepted").format(value=figures.percent(stats.accept_rate)))
            if (per_round := figures.tokens_a_round(stats)) != figures.NONE:
                parts.append(self.tr("{value} tokens per round").format(value=per_round))
        return " · ".join(parts)

    def _say(self, comparison: Comparison) -> None:
        words = "\n".join(part for part in (self._progress(comparison), self._compared(comparison)) if part)
        stats = comparison.speculated.stats
        good = comparison.verdict() is not ComparisonResult.DIFFERENT and comparison.step is not ComparisonStep.FAILED
        is_fast = figures.helps(stats) or comparison.roughly_helps
        set_style_class(self.verdict, "reason" if good and is_fast else "reason-plain")
        if self.verdict.text() != words:
            self.verdict.setText(words)
            self.verdict.setAccessibleName(words)

    def _progress(self, comparison: Comparison) -> str:
        if comparison.step is ComparisonStep.PREFILL:
            return self.tr("Processing the prompt first, so both runs start from the same point.")
        if comparison.step is ComparisonStep.SPECULATED:
            return self.tr("Generating with speculation…")
        if comparison.step is ComparisonStep.PLAIN:
            return self.tr("Generating again without speculation…")
        if comparison.step is ComparisonStep.CANCELLED:
            return self.tr("Stopped.")
        if comparison.error is not None:
            return error_sentence(comparison.error)
        return self._speeds(comparison)

    def _speeds(self, comparison: Comparison) -> str:
        stats = comparison.speculated.stats
        if not stats.drafted:
            return figures.why(comparison.speculated, even_chosen=True)
        if comparison.speculated.repeats:
            return self.tr("This answer repeats itself, so its speed says nothing about other answers.")
        if stats.speedup is not None:
            text = self.tr("{times} as fast with speculation.").format(times=figures.speedup(stats))
        elif comparison.ratio is not None:
            # The load may have changed between the two runs.
            text = self.tr("Roughly {times} as fast with speculation.").format(times=figures.times(comparison.ratio))
        else:
            return self.tr("The answer is too short to compare speeds.")
        changed = "" if comparison.speeds_agree() else self.tr("The load on this Mac changed between the two runs.")
        return joined(text, figures.busy(stats), changed)

    def _compared(self, comparison: Comparison) -> str:
        verdict, count = comparison.verdict(), comparison.same_tokens()
        if verdict is ComparisonResult.NONE or comparison.step is ComparisonStep.FAILED:
            return ""
        if verdict is ComparisonResult.SAME:
            return self.tr("The same text as without drafts: all %Ln token(s) match.", "", count)
        if verdict is ComparisonResult.SAME_SO_FAR:
            return self.tr("Identical so far: %Ln token(s).", "", count)
        differing = comparison.divergence()
        assert differing is not None
        return self._divergence(verdict).format(
            place=figures.number(count + 1, 0),
            guessed=_token(differing[0]),
            plain=_token(differing[1]),
            gap=figures.small(comparison.gap()),
        )

    def _divergence(self, verdict: ComparisonResult) -> str:
        if verdict is ComparisonResult.TIE:
            return self.tr(
                "Identical up to token {place}. There the scores of {guessed} and {plain} are only {gap} apart, so "
                "rounding decides. Both answers are right."
            )
        if verdict is ComparisonResult.PERHAPS:
            return self.tr("Identical up to token {place}. There, between {guessed} and {plain}, rounding may decide.")
        if verdict is ComparisonResult.OTHER_RULE:
            return self.tr(
                "Different texts, both sampled from the main model's own distribution, because “Same "
                "distribution” is selected."
            )
        return self.tr(
            "The texts differ from token {place} on: {guessed} or {plain}. This should not happen. "
            "Please report it and attach the diagnostics from Settings > Advanced."
        )

    def retranslate(self) -> None:
        self.speculated.heading.setText(self.tr("With speculation"))
        self.plain.heading.setText(self.tr("Without speculation"))
        for side in (self.speculated, self.plain):
            side.text.setAccessibleName(side.heading.text())
            side.bar.setAccessibleName(side.heading.text())
        self.verdict.setText("")
        self.refresh()


def _token(token: Token | None) -> str:
    """Return a token in quotation marks, with visible line breaks."""
    return quoted("" if token is None else token.text.replace("\n", "↵"))
