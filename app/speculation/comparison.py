"""Compares two answers to a question with one seed: with speculation and without."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.conversations.chat_settings import GenerationSettings
from app.session.answer import Answer, State
from app.session.chat_requests import prepare_request
from app.session.chats import Chat, Turn
from app.session.session import Session
from engine.client import RequestStream
from engine.errors import EngineError
from engine.events import Event, Token
from engine.requests import ChatRequest
from engine.stats import NOTICEABLE

# Half-precision logits between 32 and 64 differ by at least this, so rounding can exchange closer ones.
TIE = 0.25
# The share of the first answer's time that plain rounds among its own may take, to measure the speed-up.
SAMPLE_SHARE = 0.08
# The most tokens of a demonstration, which shows a speed. The Starter was taught an answer of 296 to 315 tokens.
SHOWN_TOKENS, STARTER_TOKENS = 300, 400
# The factor by which two speeds may deviate from the measured speed-up.
AGREE = 1.25


class ComparisonStep(Enum):
    """The steps of a comparison. PREFILL reads the prompt into the cache first, so that no answer pays for it alone."""

    PREFILL = "prefill"
    SPECULATED = "speculated"
    PLAIN = "plain"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class ComparisonResult(Enum):
    """How the two texts compare. NONE until there is a token of each.

    TIE: they differ where both tokens were so close that rounding decides. PERHAPS: how close they were is unknown, or
    a rule such as top-p may have cut one of them off, which rounding decides, too.
    OTHER_RULE: the acceptance rule keeps the distribution, not the text. DIFFERENT: nothing of this explains it.
    """

    NONE = "none"
    SAME_SO_FAR = "same-so-far"
    SAME = "same"
    TIE = "tie"
    PERHAPS = "perhaps"
    OTHER_RULE = "other-rule"
    DIFFERENT = "different"


@dataclass(eq=False)
class Comparison:
    """A comparison. `request` has the seed of both answers and the speculation of the first."""

    question: str
    request: ChatRequest
    speculated: Answer = field(default_factory=Answer)
    plain: Answer = field(default_factory=Answer)
    step: ComparisonStep = ComparisonStep.PREFILL
    error: EngineError | None = None
    cancel_requested: bool = False
    _same: int = 0

    @property
    def running(self) -> bool:
        return self.step in (ComparisonStep.PREFILL, ComparisonStep.SPECULATED, ComparisonStep.PLAIN)

    def next_request(self) -> ChatRequest:
        if self.step is ComparisonStep.SPECULATED:
            return self.request
        off = replace(self.request, speculation=replace(self.request.speculation, method="off"))
        if self.step is ComparisonStep.PREFILL:
            return replace(off, max_tokens=1)
        # A loop has no end: the second answer is as long as the first.
        return replace(off, max_tokens=len(self.speculated.tokens)) if self.speculated.repeats else off

    def receive(self, events: list[Event], prefill: Answer) -> bool:
        """Apply the events of this step, for PREFILL to `prefill`. Return whether the step has ended."""
        answer = {ComparisonStep.SPECULATED: self.speculated, ComparisonStep.PLAIN: self.plain}.get(self.step, prefill)
        answer.apply(events)
        if not answer.ended:
            return False
        if answer.state is State.FAILED:
            self.step, self.error = ComparisonStep.FAILED, answer.error
        elif self.cancel_requested or (answer.state is State.CANCELLED and not answer.repeats):
            self.step = ComparisonStep.CANCELLED
        else:
            self.step = {
                ComparisonStep.PREFILL: ComparisonStep.SPECULATED,
                ComparisonStep.SPECULATED: ComparisonStep.PLAIN,
            }.get(self.step, ComparisonStep.DONE)
        return True

    @property
    def loops(self) -> bool:
        """Whether the answer that is being written repeats itself, and nothing limits it."""
        if self.step is ComparisonStep.PLAIN:
            return self.plain.repeats_anew and not self.speculated.repeats
        return self.step is ComparisonStep.SPECULATED and self.speculated.repeats_anew

    def same_tokens(self) -> int:
        """Return the length of the common prefix of both answers in tokens."""
        first, second = self.speculated.tokens, self.plain.tokens
        most = min(len(first), len(second))
        while self._same < most and first[self._same].id == second[self._same].id:
            self._same += 1
        return self._same

    def divergence(self) -> tuple[Token | None, Token | None] | None:
        """Return the first tokens that differ, speculated and plain (None: ended before), or None if none differ."""
        at, first, second = self.same_tokens(), self.speculated.tokens, self.plain.tokens
        if at < len(first) and at < len(second):
            return first[at], second[at]
        if self.step is ComparisonStep.DONE and len(first) != len(second):
            return (first[at] if at < len(first) else None), (second[at] if at < len(second) else None)
        return None

    def verdict(self) -> ComparisonResult:
        differing = self.divergence()
        if differing is None:
            if self.step is ComparisonStep.DONE:
                return ComparisonResult.SAME
            return ComparisonResult.SAME_SO_FAR if self.same_tokens() else ComparisonResult.NONE
        sampling = self.request.sampling
        if sampling.temperature > 0 and self.request.speculation.redraws:
            return ComparisonResult.OTHER_RULE
        if None in differing:
            return ComparisonResult.DIFFERENT
        gap, cuts = self.gap(), sampling.top_p < 1.0 or sampling.min_p > 0.0 or sampling.top_k > 0
        if gap is not None and gap <= TIE:
            return ComparisonResult.TIE
        return (
            ComparisonResult.PERHAPS
            if gap is None or (sampling.temperature > 0 and cuts)
            else ComparisonResult.DIFFERENT
        )

    def gap(self) -> float | None:
        """Return how far apart the scores of the first tokens that differ were, in units of logits; None if unknown.

        Each answer drew the token that led there. If rounding exchanged the two, both margins are small.
        """
        top2_margins = [
            token.top2_margin
            for token in self.divergence() or ()
            if token is not None and token.top2_margin is not None
        ]
        return max(top2_margins) if len(top2_margins) == 2 else None

    @property
    def ratio(self) -> float | None:
        """The speed of the first answer over that of the second, as far as possible; the load may have changed."""
        stats, plain = self.speculated.stats, self.plain.stats.decode_tps
        if not stats.decode_tps or not plain:
            return None
        ratio = stats.decode_tps / plain
        # The speeds are those after the first round; each other one took at least a plain step.
        return min(ratio, (stats.generated_tokens - 1) / (stats.rounds - 1)) if stats.rounds > 1 else ratio

    @property
    def alike(self) -> bool:
        """Whether nothing was drafted, so that both answers were decoded in the same way and differ by noise only."""
        return self.speculated.ended and not self.speculated.stats.drafted

    @property
    def roughly_helps(self) -> bool:
        """Whether only the two speeds tell that speculation made a noticeable difference."""
        stats = self.speculated.stats
        counts = self.step is ComparisonStep.DONE and bool(stats.drafted) and not self.speculated.repeats
        return counts and stats.speedup is None and (self.ratio or 0.0) > NOTICEABLE

    def speeds_agree(self) -> bool:
        """Return whether the speeds differ by about the measured speed-up; otherwise the load has changed."""
        ratio, measured = self.ratio, self.speculated.stats.speedup
        return not ratio or not measured or 1 / AGREE < ratio / measured < AGREE


class Comparer(QObject):
    """Runs comparisons, which are not stored. `changed` is emitted when one has grown or ended.

    A question asked meanwhile ends the comparison, because it would distort the speeds.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._stream: RequestStream | None = None
        self.comparison: Comparison | None = None
        session.answers.asked.connect(lambda _chat, _turn: self.cancel())
        session.chats.path_changed.connect(lambda _chat: self.cancel())

    @property
    def running(self) -> bool:
        return self.comparison is not None and self.comparison.running

    def start(self, chat: Chat, turn: Turn) -> None:
        """Ask that turn's question again, with the sampling and the seed of its answer."""
        self._start(chat, turn, self._session.settings.generation_of(chat))

    def _start(self, chat: Chat, turn: Turn, chosen: GenerationSettings) -> None:
        self.cancel()
        session = self._session
        speculation = chosen.speculation
        if speculation.method == "off":
            speculation = replace(speculation, method="auto")
        speculation = replace(speculation, sample_share=SAMPLE_SHARE)
        sampling = replace(turn.answer.sampling or chosen.sampling, seed=turn.answer.stats.seed)
        generation = replace(chosen, sampling=sampling, speculation=speculation)
        begin = partial(self._begin, turn.question)
        prepare_request(chat, turn, generation, session.answers.services, begin, session.models.failed.emit)

    def _begin(self, question: str, request: ChatRequest) -> None:
        request = replace(request, conversation=None, top2_margins=True)
        if request.messages[-1]["role"] == "assistant":
            # Both answers start at the question, even if that answer was continued.
            request = replace(request, messages=request.messages[:-1])
        self.comparison = Comparison(question, request)
        self._ask()
        self.changed.emit()

    def demonstrate(self, question: str) -> None:
        """Compare a question that is not in any chat; the answers end, whatever the model and the settings are."""
        turn = Turn(question, Answer())
        chat = Chat(turns=[turn])
        chosen, models = self._session.settings.generation_of(chat), self._session.models
        most = STARTER_TOKENS if models.is_starter else SHOWN_TOKENS
        # Thoughts would take all of them.
        self._start(chat, turn, replace(chosen, max_tokens=min(chosen.max_tokens or most, most), thinking="off"))

    def cancel(self) -> None:
        """Stop within one round and keep what was generated."""
        if self._stream is not None and self.comparison is not None and self.comparison.running:
            self.comparison.cancel_requested = True
            self._stream.cancel()

    def _ask(self) -> None:
        comparison, prefill = self.comparison, Answer()
        assert comparison is not None

        def receive(events: list[Event]) -> None:
            if comparison.receive(events, prefill) and comparison is self.comparison and comparison.running:
                self._ask()
            elif comparison.loops and self._stream is not None:
                self._stream.cancel()
            self.changed.emit()

        self._stream = self._session.models.submit(comparison.next_request(), receive)
