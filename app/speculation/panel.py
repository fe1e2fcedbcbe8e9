"""The live panel on the right: what speculation gained in one answer, during and after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.actions.actions import Actions
from app.session.answer import Answer
from app.speculation.details import Details
from app.speculation.explanations import EXPLANATIONS
from app.speculation.gauges import ActionButtons, ActionSegments, Headline, Section, SteadySentence, set_text
from app.speculation.round_strip import RoundStrip
from app.transcript.tints.token_legend import TokenLegend
from app.widgets import theme
from app.widgets.keyboard_focus import PassedArea
from app.widgets.labels import label, show_words, wrapped_tip
from app.widgets.layouts import FlowLayout, fill, hbox, keep_right_edge, vbox
from app.widgets.style_class import set_style_class, styled
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import Throttle
from app.wording import figures
from app.wording.speculation import below_outcome, longest_below_outcome, outcome, without_story

WIDTH = 360
# The interval at which figures and charts are painted during an answer, during which the engine needs the processor.
_FIGURES_MS = 250
# The interval at which the strip is painted during an answer.
_STRIP_MS = 60
_CHOICES = ("speculation-auto", "speculation-on", "speculation-off")
_BUTTONS = ("compare", "choose-draft", "request-history")


class SpeculationPanel(ThemeAware, QFrame):
    """Shows one answer; call `follow` when it has grown. Before the first answer it shows how a round works.

    Charts are shown once they have a story to tell, see `Answer.has_story`; before that, and without one, there is one
    line and nothing else.

    Emits `details_wanted` to ask for the tokens and rounds of a stored answer once the panel is visible, `shown` with
    the panel's visibility after every change, and `round_chosen` with the number of a round of the strip.
    """

    details_wanted = Signal()
    shown = Signal(bool)
    round_chosen = Signal(int)

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setFixedWidth(theme.scaled(WIDTH))
        self._answer: Answer | None = None
        self._number = 0
        self._count = 0
        self._state: Callable[[], str] = str
        self._remedy = ""
        self._knows_source = False
        self._figures_throttle = Throttle(_FIGURES_MS, self.refresh, self)
        self._strip_throttle = Throttle(_STRIP_MS, lambda: self.strip.show_answer(self._answer), self)
        body = self._make_area()
        self._title = label(body, "title")
        self._segments_name = label(body, "muted")
        self._segments = ActionSegments(actions, _CHOICES, body)
        self.sample = SampleRound(body)
        self._sentence = label(body, "body", wraps=True)
        self.line = label(body, "muted", wraps=True)
        self.buttons = ActionButtons(actions, _BUTTONS, body)
        self._rule = QFrame(body)
        self._rule.setObjectName("line")
        self.details = Details(body)
        # Whatever changes its height is below everything else, so that nothing moves.
        self._remarks = label(body, "muted", wraps=True)
        self.requests = label(body, "muted", wraps=True)
        for view in (self._remarks, self.requests):
            view.hide()
        column = vbox(self._body, margins=(18, 14, 18, 16), spacing=8)
        fill(column, fill(hbox(spacing=8), (self._title, 1), self._segments_name, self._segments)).addSpacing(4)
        fill(column, self.line, self._make_figures(), self.sample, self.buttons, self._rule)
        fill(column, self.details, self._sentence, self._remarks, self.requests, 1)
        keep_right_edge(self._area, column)
        fill(vbox(self, margins=(1, 0, 0, 0)), self._area)
        self.restyle()

    def _make_figures(self) -> QWidget:
        """Make the widgets that show figures, and return their parent."""
        self._measured = QWidget(self._body)
        self.outcome = Headline(self._measured)
        self.speeds = SteadySentence(self._measured)
        self._figures = QWidget(self._measured)
        self.strip = RoundStrip(self._figures)
        self._legend = TokenLegend(with_rejected=True, parent=self._figures)
        self._strip_section = Section(self.strip, self._figures)
        self._no_rounds = label(self._figures, "muted", wraps=True)
        self.strip.chosen.connect(self.round_chosen)
        column = vbox(self._figures, margins=(0, 0, 0, 0), spacing=8)
        fill(column, self._strip_section, self._legend, self._no_rounds)
        fill(vbox(self._measured, margins=(0, 0, 0, 0), spacing=2), self.outcome, self.speeds, self._figures)
        return self._measured

    def _make_area(self) -> QWidget:
        """Make the area that scrolls, and return its body.

        The body is empty as yet: if it had content, each call here would lay that out again.
        """
        self._area = PassedArea(self)
        self._body = QWidget()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._body.setObjectName("panelBody")
        self._area.setWidget(self._body)
        return self._body

    def minimumSizeHint(self) -> QSize:
        """Return a size at which the scroll bar hides no text."""
        bar = self._area.verticalScrollBar().sizeHint().width()
        return QSize(self._body.minimumSizeHint().width() + bar + 1, super().minimumSizeHint().height())

    def show_answer(self, answer: Answer | None, number: int = 0, count: int = 0) -> None:
        """Show answer `number` of the `count` that the chat has; the newest needs no number."""
        self._answer = answer
        self._number = number
        self._count = count
        self._name_answer()
        self.refresh()
        self._want_details()

    def _name_answer(self) -> None:
        if self._answer is None:
            title = self.tr("How it gets faster")
        elif self._number == self._count:
            title = self.tr("This answer")
        else:
            title = self.tr("Answer {number} of {count}").format(number=self._number, count=self._count)
        set_text(self._title, title)
        self._area.setAccessibleName(title)

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

    def show_requests(self, lines: Sequence[str]) -> None:
        """Show the requests of other programs."""
        self.requests.setText("\n".join((self.tr("Local API"), *lines)))
        self.requests.setVisible(bool(lines))

    def show_state(self, sentence: Callable[[], str], remedy: str, looks_up: bool | None) -> None:
        """Set what the sentence of the header is made of: what speculation does now and why.

        `remedy` is the action to offer if the user has turned speculation off, else "". `looks_up` says whether draft
        tokens come from an earlier text; None if it is not known yet what proposes them.
        """
        self._state = sentence
        self._remedy = remedy
        self._knows_source = looks_up is not None
        self.sample.show_source(bool(looks_up))
        self.refresh()

    def refresh(self) -> None:
        """Show the answer as it is now."""
        answer = self._answer
        with_charts = answer is not None and answer.has_story
        self.sample.setVisible(answer is None and self._knows_source)
        for view in (self._measured, self._rule, self.details):
            view.setVisible(with_charts)
        self.line.setVisible(answer is not None and not with_charts)
        self._show_buttons(answer, with_charts=with_charts)
        self.strip.show_answer(answer)
        now = ""
        if answer is None:
            now = self._state()
        elif with_charts:
            self.details.show_answer(answer)
            self._show_figures(answer)
            now = figures.sentence(answer)
        else:
            set_text(self.line, without_story(answer))
        show_words(self._sentence, now)
        show_words(self._remarks, figures.remarks(answer) if answer is not None else "")

    def _show_buttons(self, answer: Answer | None, *, with_charts: bool) -> None:
        """Offer what measures drafts, and the figures of all answers; where drafts wrote next to nothing, a remedy."""
        offered = ("compare", "request-history") if with_charts else (self._remedy,)
        self.buttons.show_only(*offered)
        self.buttons.setVisible(any(offered) and answer is not None and bool(answer.figures.generated_tokens))

    def follow(self) -> None:
        """Show what was added to the answer, at most once in an interval; show its end at once."""
        if self._answer is None or self._answer.ended:
            self.refresh()
        else:
            self._strip_throttle.request()
            self._figures_throttle.request()

    def _show_figures(self, answer: Answer) -> None:
        set_text(self.outcome, outcome(answer))
        set_style_class(self.outcome, "big-good" if figures.gain(answer) else "big")
        set_text(self.speeds, below_outcome(answer))
        # Answers stored by early versions have tokens but no rounds.
        known = bool(answer.rounds) or not (answer.ended and answer.tokens)
        for view in (self._strip_section, self._legend):
            view.setVisible(known)
        self._legend.show_answer(answer)
        self._no_rounds.setVisible(not known)

    def retranslate(self) -> None:
        self._name_answer()
        self._no_rounds.setText(self.tr("No round data: this answer was saved by an older version of Tandem."))
        self._segments_name.setText(self.tr("Drafts", "the name of the switch Auto, On, Off"))
        for view, key in ((self.outcome, "outcome"), (self.speeds, "per_round")):
            view.setToolTip(wrapped_tip(EXPLANATIONS[key]))
        self._strip_section.explain("strip")
        self._legend.retranslate()
        self.speeds.reserve_height([longest_below_outcome()])
        self.refresh()


# The accepted draft tokens of the sample; the next one is rejected, and the rest is dropped.
ACCEPTED = 3


class RoundStep(QWidget):
    """A numbered step: a sentence, and the tokens of the sample."""

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._number = styled(QLabel(str(number), self), "step")
        self.words = label(self, "muted", wraps=True)
        self._row = QWidget(self)
        self._tokens = FlowLayout(self._row, spacing=3)
        head = fill(hbox(spacing=8), (self._number, 0, Qt.AlignmentFlag.AlignTop), (self.words, 1))
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=6), head, self._row)

    def show_tokens(self, tokens: list[tuple[str, str]]) -> None:
        """Draw tokens: (text, style class)."""
        while (item := self._tokens.takeAt(0)) is not None:
            if (view := item.widget()) is not None:
                view.deleteLater()
        for text, style_class in tokens:
            token = label(self._row, style_class)
            token.setText(text)
            self._tokens.addWidget(token)
            token.show()
        self._row.updateGeometry()


class SampleRound(ThemeAware, QWidget):
    """Three steps of one sample round: draft, check, keep."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.steps = [RoundStep(number, self) for number in (1, 2, 3)]
        self._looks_up = False
        self._sum = label(self, "muted", wraps=True)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=16), *self.steps, self._sum)
        self.restyle()

    def show_source(self, looks_up: bool) -> None:
        """Draw a round whose tokens a draft model proposes or, if it `looks_up`, an earlier text."""
        if looks_up != self._looks_up:
            self._looks_up = looks_up
            self.retranslate()

    def retranslate(self) -> None:
        if self._looks_up:
            proposing = self.tr("Tandem copies what followed the same words earlier.")
        else:
            proposing = self.tr("A small draft model quickly proposes the next tokens.")
        sentences = (
            proposing,
            self.tr("The main model checks all of them in a single pass."),
            self.tr("It keeps every token it would have written itself, then adds one."),
        )
        start = tokens_of([self.tr("Water", "the sample: the text so far")], "token-given")
        # A sentence whose fourth token is a mistake, which the main model corrects.
        drafted = self.tr("boils|at|100|°F|or", "the sample: five draft tokens").split("|")
        corrected = self.tr("°C", "the sample: the main model's token in place of the fourth")
        right = drafted[:ACCEPTED]
        wrong = drafted[ACCEPTED]
        dropped = drafted[ACCEPTED + 1 :]
        proposed = "token-lookup" if self._looks_up else "token-draft"
        shown = (
            tokens_of(drafted, proposed),
            tokens_of([f"{token} ✓" for token in right], proposed)
            + tokens_of([f"{wrong} ✗", *dropped], "token-rejected"),
            tokens_of(right, proposed) + tokens_of([corrected], "token-main"),
        )
        for step, words, tokens in zip(self.steps, sentences, shown, strict=True):
            step.words.setText(words)
            step.show_tokens(start + tokens)
        self._sum.setText(
            self.tr("%Ln token(s) in one round instead of one, and the text is the main model's own.", "", ACCEPTED + 1)
        )


def tokens_of(texts: list[str], style_class: str) -> list[tuple[str, str]]:
    """Return tokens of one style class."""
    return [(text, style_class) for text in texts]
