"""The card of a comparison: two bars that race as tokens come, the gain, and the answer; two texts if they differ."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QMargins, QPoint, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QGuiApplication, QPainter, QPixmap
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from app.conversations.measured import is_gain
from app.speculation.charts import SpeedBar
from app.speculation.compared_text import ComparedText
from app.speculation.comparison import (
    SPECULATED_RUNS,
    Comparer,
    Comparison,
    ComparisonResult,
    ComparisonStep,
)
from app.speculation.gauges import Headline
from app.widgets import theme
from app.widgets.buttons import CONFIRMED_MS, CloseButton
from app.widgets.controls import Segments
from app.widgets.icons import Mark, icon
from app.widgets.labels import ElidedLabel, label, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.overlay import Overlay, WrappingArea
from app.widgets.style_class import set_style_class, styled
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.errors import error_sentence, joined, quoted
from app.wording.models import pair_name
from app.wording.sentences import translate
from engine.events import Token

# In pixels at the normal text size.
_CARD_WIDTH = 860
# The greatest height of the answers, in pixels at the normal text size.
_MOST_TEXT = 420
# The least height in which the answers scroll, in pixels at the normal text size.
_LEAST_SCROLLED = 140
# The margins of the card, whose scroll bar is in the right one.
_MARGINS = (20, 16, 20, 16)
# Around the result in a picture of it, in pixels at the normal text size.
_PICTURE_MARGIN = 20
# An answer that differs by this factor from what its pair has gained otherwise is not told by the pair's figure.
_USUAL = 1.25


class RunRow:
    """One way of decoding in a row of `grid`: its name, its bar and its speed."""

    def __init__(self, mark: str, grid: QGridLayout, row: int, parent: QWidget) -> None:
        role = "draft" if mark == "draft-on" else "main"
        self.mark = Mark(16, parent, icon(mark, role))
        self.heading = label(parent, "muted")
        self.bar = SpeedBar(role, parent)
        self.speed = label(parent, "strong")
        for column, view in enumerate((self.mark, self.heading, self.bar, self.speed)):
            grid.addWidget(view, row, column)

    def show_speed(self, speed: float | None, share: float | None, *, counts: bool) -> None:
        """Show a speed and the share of the bar that is filled; None for a row that is not shown.

        The bar of a speed that does not count is grey.
        """
        for view in (self.mark, self.heading, self.bar, self.speed):
            view.setVisible(share is not None)
        self.bar.show_speed(speed, share or 0.0, counts=counts)
        words = translate("Figures", "{value} tokens/s")
        self.speed.setText(words.format(value=figures.speed(speed)) if speed else "")


class ComparisonView(ThemeAware, Overlay):
    """Shows the comparer's comparison.

    Closing the card stops it; the action `again` repeats it. Long answers scroll, or in a low window the whole card,
    never one within the other. `asked` carries the question of a demonstration, which is to be asked in the chat.
    """

    asked = Signal(str)

    def __init__(self, comparer: Comparer, again: QAction, window: QWidget) -> None:
        super().__init__(window, _CARD_WIDTH)
        self._comparer = comparer
        self._action = again
        self._shown: Comparison | None = None
        self._has_ended = False

    def make(self) -> None:
        self.title = self.bound("Compare", label(self, "title"))
        self.subtitle = styled(ElidedLabel(self), "muted")
        self.stop = self.bound("Stop", styled(QPushButton(self), "button"))
        self.again = self.bound("Compare again", styled(QPushButton(self), "button"))
        self.copy = styled(QPushButton(self), "button")
        self.ask = self.bound("Ask in the chat", styled(QPushButton(self), "button"))
        body = QWidget(self)
        body.setObjectName("overlayBody")
        self._area = WrappingArea(self)
        self._area.setWidget(body)
        left, top, right, bottom = _MARGINS
        beside_bar = (0, 0, self._area.bar_width, 0)
        self.column.setContentsMargins(left, top, right - self._area.bar_width, bottom)
        self.column.setSpacing(12)
        self._make_result(body)
        self.verdict = label(self, "muted", wraps=True)
        self.kinds = Segments(2, self)
        self.texts = ComparedText(self), ComparedText(self)
        column = vbox(body, margins=(0, 0, 0, 0), spacing=12)
        fill(column, self.result, self.verdict, fill(hbox(), 1, self.kinds))
        self.uses = [self.bound("Use this one", styled(QPushButton(self), "button-small")) for _ in self.texts]
        self._sides = [QWidget(body) for _ in self.texts]
        self._row = hbox(spacing=12)
        for side, (text, use) in enumerate(zip(self.texts, self.uses, strict=True)):
            use.clicked.connect(partial(self._use, side))
            fill(vbox(self._sides[side], margins=(0, 0, 0, 0), spacing=6), text, fill(hbox(), use, 1), 1)
            fill(self._row, (self._sides[side], 1))
        fill(column, self._row, 1)
        for text in self.texts:
            text.grown.connect(self.fit_in_window)
            text.mark_shown.connect(partial(self._scroll_to, text))
        head = fill(hbox(margins=beside_bar), self.title, (self.subtitle, 1), CloseButton(self, self.close_overlay))
        foot = fill(hbox(margins=beside_bar, spacing=12), self.copy, 1, self.ask, self.stop, self.again)
        fill(self.column, head, (self._area, 1), foot)
        self.kinds.buttons[0].setChecked(True)
        for button in self.kinds.buttons:
            button.clicked.connect(self.refresh)
        self.stop.clicked.connect(self._comparer.cancel)
        self.again.clicked.connect(self._action.trigger)
        self.ask.clicked.connect(self._ask)
        self.copy.clicked.connect(self._copy_picture)
        self._action.changed.connect(self.refresh)
        self.closed.connect(self._comparer.cancel)
        self._comparer.changed.connect(self.refresh)
        self.restyle()

    def _make_result(self, body: QWidget) -> None:
        """Make what a picture of the result shows."""
        self.result = QWidget(body)
        race = QGridLayout()
        race.setHorizontalSpacing(8)
        race.setColumnStretch(2, 1)
        self.speculated = RunRow("draft-on", race, 0, self.result)
        self.plain = RunRow("main-model", race, 1, self.result)
        self.gain = Headline(self.result)
        self.pair = label(self.result, "muted")
        fill(vbox(self.result, margins=(0, 0, 0, 0), spacing=12), self.gain, race, self.pair)

    def fit_in_window(self) -> None:
        room = self._room_of_texts()
        scrolls = room >= theme.scaled(_LEAST_SCROLLED)
        for text in self.texts:
            text.fit(min(theme.scaled(_MOST_TEXT), room) if scrolls else None)
        self._forget_heights()
        super().fit_in_window()

    def _room_of_texts(self) -> int:
        """Return the height that the rest of the card leaves to the texts in the window."""
        self._forget_heights()
        sides = [(side.sizeHint().height(), text.height()) for side, text in zip(self._sides, self.texts, strict=True)]
        if self._sides[1].isHidden():
            del sides[1]
        around = self.column.totalHeightForWidth(self.fitting_width()) - max(height for height, _ in sides)
        # Below a text there may be a button.
        return self.most_height() - around - max(height - text_height for height, text_height in sides)

    def _forget_heights(self) -> None:
        """Compute the heights of all levels anew, which the event loop would do later, one by one."""
        # Qt tells only the outermost layout of a widget.
        self._row.invalidate()
        for view in (*self._sides, self._area):
            view.updateGeometry()

    def fill(self) -> None:
        self.refresh()
        self._area.setFocus()

    def refresh(self) -> None:
        self.stop.setVisible(self._comparer.running)
        self.again.setVisible(not self._comparer.running)
        self.again.setEnabled(self._action.isEnabled())
        comparison = self._comparer.comparison
        self.ask.setVisible(comparison is not None and comparison.is_demonstration and not comparison.running)
        self.ask.setEnabled(self._action.isEnabled())
        if comparison is None:
            return
        self.subtitle.setText(" ".join(comparison.question.split()))
        if comparison is not self._shown:
            self._shown = comparison
            for text in self.texts:
                text.begin()
        self._show_race(comparison)
        self._show_texts(comparison)
        words = "\n".join(part for part in (self._progress(comparison), self._compared(comparison)) if part)
        show_words(self.verdict, words)
        self.verdict.setAccessibleName(words)
        if self.isVisible():
            self.fit_in_window()
        if not comparison.running and not self._has_ended:
            # What is said at the end takes room from the texts.
            for text in self.texts:
                text.show_mark()
        self._has_ended = not comparison.running

    def _show_race(self, comparison: Comparison) -> None:
        """Show how far both ways are, and at the end their speeds.

        Those of a busy computer are grey, and those that say nothing of drafts are not shown: they would look like a
        gain.
        """
        shares: tuple[float | None, float | None] = None, None
        if comparison.running or comparison.has_ratio:
            race = comparison.race()
            shares = race.speculated, race.plain
        counts = comparison.running or comparison.counts
        for racer, speed, share in zip((self.speculated, self.plain), comparison.speeds, shares, strict=True):
            racer.show_speed(speed, share, counts=counts)
        show_words(self.gain, self._step(comparison) if comparison.running else self._gain(comparison))
        set_style_class(self.gain, "big-good" if self._is_good(comparison) else "big")
        self.pair.setText(pair_name(*comparison.pair))
        self.pair.setVisible(comparison.counts)
        self.copy.setVisible(comparison.counts)

    def _step(self, comparison: Comparison) -> str:
        """Return the headline of the run that is under way: which of the two runs of its way it is."""
        if comparison.step is ComparisonStep.PREFILL:
            return self.tr("Reading the prompt…")
        is_speculated = comparison.step in SPECULATED_RUNS
        with_drafts = self.tr("With speculation: run {number} of 2")
        words = with_drafts if is_speculated else self.tr("Without speculation: run {number} of 2")
        is_first = comparison.step in (ComparisonStep.SPECULATED, ComparisonStep.PLAIN)
        return words.format(number=figures.number(1 if is_first else 2, 0))

    def _gain(self, comparison: Comparison) -> str:
        """Say how fast the pair is, or that the computer was busy; "" if this answer's gain is another one."""
        if not comparison.has_ratio:
            return ""
        if comparison.was_busy:
            return self.tr("Too busy to measure")
        if not self._is_usual(comparison):
            return ""
        is_same = comparison.verdict() is ComparisonResult.SAME
        text = self.tr("About {times} as fast, same text") if is_same else self.tr("About {times} as fast")
        return text.format(times=figures.about(self._comparer.speedup))

    def _is_good(self, comparison: Comparison) -> bool:
        return comparison.counts and self._is_usual(comparison) and is_gain(self._comparer.speedup)

    def _is_usual(self, comparison: Comparison) -> bool:
        """Whether this answer was about as much faster as the pair is."""
        speedup = self._comparer.speedup
        ratio = comparison.ratio
        if speedup is None or ratio is None:
            return False
        return 1.0 / _USUAL <= ratio / speedup <= _USUAL

    def _show_texts(self, comparison: Comparison) -> None:
        """Show the answer, and both only where they differ."""
        differ = comparison.divergence() is not None
        as_tokens = differ or self.kinds.buttons[1].isChecked()
        single = max(comparison.speculated, comparison.plain, key=lambda answer: len(answer.tokens))
        if comparison.step is ComparisonStep.PLAIN:
            single = comparison.plain
        self._sides[1].setVisible(differ)
        shown = (comparison.speculated, comparison.plain) if differ else (single,)
        for text, answer in zip(self.texts, shown, strict=False):
            text.show_answer(answer, as_tokens=as_tokens, ended=not comparison.running)
            text.mark(comparison.same_tokens() if differ else None)
        self.kinds.setVisible(not differ)

        for use, answer in zip(self.uses, (comparison.speculated, comparison.plain), strict=True):
            use.setVisible(differ and comparison.is_new(answer))

    def _scroll_to(self, text: ComparedText, place: QPoint) -> None:
        """Scroll the card to a place in a text."""
        body = self._area.widget()
        assert body is not None
        point = text.mapTo(body, place)
        self._area.ensureVisible(point.x(), point.y(), 0, self._area.height() // 3)

    def _copy_picture(self) -> None:
        """Copy the result as a picture: gain, bars and models, on the card's ground."""
        QGuiApplication.clipboard().setPixmap(self._picture())
        self.copy.setText(translate("CopyButton", "Copied"))
        QTimer.singleShot(CONFIRMED_MS, self, self._name_copy)

    def _picture(self) -> QPixmap:
        margin = theme.scaled(_PICTURE_MARGIN)
        ratio = self.devicePixelRatioF()
        size = self.result.size().grownBy(QMargins(margin, margin, margin, margin))
        picture = QPixmap(size * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(theme.colours().panel))
        with QPainter(picture) as painter:
            place = QPoint(margin, margin)
            self.result.render(painter, place, renderFlags=QWidget.RenderFlag.DrawChildren)
        return picture

    def _name_copy(self) -> None:
        self.copy.setText(self.tr("Copy as picture"))

    def _use(self, side: int) -> None:
        """Show the text of a side in the chat, as another version of its answer."""
        comparison = self._comparer.comparison
        if comparison is not None:
            self._comparer.use((comparison.speculated, comparison.plain)[side])
        self.close_overlay()

    def _ask(self) -> None:
        """Ask the question of a demonstration in the chat."""
        comparison = self._comparer.comparison
        self.close_overlay()
        if comparison is not None:
            self.asked.emit(comparison.question)

    def _progress(self, comparison: Comparison) -> str:
        if comparison.running:
            return ""
        if comparison.step is ComparisonStep.CANCELLED:
            return self.tr("Stopped.")
        if comparison.error is not None:
            return error_sentence(comparison.error)
        return self._without_gain(comparison)

    def _without_gain(self, comparison: Comparison) -> str:
        """Say why no gain is shown, or that this answer's differs from its pair's; "" if the pair's gain is shown."""
        if not comparison.speculated.stats.drafted:
            speed = figures.speed_sentence(comparison.speculated.stats)
            return joined(figures.why(comparison.speculated, even_chosen=True), speed and f"{speed}.")
        if comparison.speculated.repeats:
            return self.tr("This answer repeats itself, so its speed says nothing about other answers.")
        if comparison.ratio is None:
            return self.tr("The answer is too short to compare speeds.")
        if comparison.has_ratio and comparison.was_busy:
            return self.tr("The same run was much faster another time. Compare again when this Mac is less busy.")
        if comparison.has_ratio and self._comparer.speedup is not None and not self._is_usual(comparison):
            words = self.tr("Most answers here are {gain}; this one differs.")
            return words.format(gain=figures.as_fast(self._comparer.speedup))
        return ""

    def _compared(self, comparison: Comparison) -> str:
        verdict = comparison.verdict()
        count = comparison.same_tokens()
        if verdict is None or comparison.step is ComparisonStep.FAILED:
            return ""
        if verdict is ComparisonResult.SAME:
            # The headline says so, if there is one.
            same = self.tr("The same text as without drafts: all %Ln token(s) match.", "", count)
            return "" if self.gain.isVisibleTo(self) and comparison.counts else same
        differing = comparison.divergence()
        assert differing is not None
        place = figures.number(count + 1, 0)
        sentence = self._difference(verdict, comparison)
        return sentence.format(place=place, guessed=_token(differing[0]), plain=_token(differing[1]))

    def _difference(self, verdict: ComparisonResult, comparison: Comparison) -> str:
        """Say why the texts differ, with fields for the place and both tokens."""
        if verdict is ComparisonResult.UNEXPECTED:
            return self.tr(
                "The texts differ from token {place} on: {guessed} or {plain}. This should not happen. "
                "Please report it and attach the diagnostics from Settings > Advanced."
            )
        if comparison.keeps_distribution_only:
            return self.tr(
                "Different texts, both sampled from the main model's own distribution, because “Same "
                "distribution” is selected."
            )
        return self.tr(
            "Identical up to token {place}. There, rounding can decide between {guessed} and {plain}. Both answers are "
            "right."
        )

    def retranslate(self) -> None:
        self.speculated.heading.setText(self.tr("With speculation"))
        self.plain.heading.setText(self.tr("Without speculation"))
        for racer, text in zip((self.speculated, self.plain), self.texts, strict=True):
            racer.bar.setAccessibleName(racer.heading.text())
            text.tokens.setAccessibleName(racer.heading.text())
        for button, name in zip(self.kinds.buttons, (self.tr("Text"), self.tr("Tokens")), strict=True):
            button.setText(name)
        self._name_copy()
        self.refresh()


def _token(token: Token | None) -> str:
    """Return a token in quotation marks, with visible line breaks."""
    return quoted("" if token is None else token.text.replace("\n", "↵"))
