"""Compares answers to a question with one seed: with speculation and without it alternately, and each of them twice.

Two runs at a time would slow each other down, so the runs follow one another. The speculated one is first, because a
person waits for it; the second run of each shows whether the load on the computer changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.conversations.chat_settings import GenerationSettings
from app.conversations.database.records import AnswerSource
from app.session.answer import Answer, State
from app.session.chat_requests import prepare_request
from app.session.chats import Chat, Turn
from app.session.help_matching import grammar_of_help
from app.session.session import Session
from engine.client import RequestStream
from engine.errors import EngineError
from engine.events import Event, Token
from engine.requests import ChatRequest
from engine.stats import BUSY, NOTICEABLE

# Half-precision logits between 32 and 64 differ by at least this, so rounding can exchange logits that are closer.
TIE = 0.25
# The seconds after which the first run is stopped: the text so far is compared.
FIRST_S = 3.0
# The seconds after which each later run is stopped. It has as many tokens to write, mostly more slowly.
LATER_S = 12.0
# The most tokens of a demonstration, which shows a speed.
SHOWN_TOKENS = 300
# The most tokens of a demonstration of the Starter, which was taught an answer of 296 to 315 tokens.
STARTER_TOKENS = 400


class ComparisonStep(Enum):
    """The steps of a comparison. PREFILL reads the prompt into the cache first, so that no answer pays for it alone."""

    PREFILL = "prefill"
    SPECULATED = "speculated"
    PLAIN = "plain"
    SPECULATED_AGAIN = "speculated-again"
    PLAIN_AGAIN = "plain-again"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


SPECULATED_RUNS = (ComparisonStep.SPECULATED, ComparisonStep.SPECULATED_AGAIN)
RUNS = (
    ComparisonStep.SPECULATED,
    ComparisonStep.PLAIN,
    ComparisonStep.SPECULATED_AGAIN,
    ComparisonStep.PLAIN_AGAIN,
)
_ORDER = (ComparisonStep.PREFILL, *RUNS, ComparisonStep.DONE)


class ComparisonResult(Enum):
    """How the two texts compare.

    EXPECTED: they differ by rounding, or because the acceptance rule keeps the distribution and not the text.
    UNEXPECTED: they differ, and neither explains it.
    """

    SAME = "same"
    EXPECTED = "expected"
    UNEXPECTED = "unexpected"


@dataclass(frozen=True)
class Race:
    """How far both ways are, as shares of the whole text, at the same time after their first tokens.

    Once each has run to its end, it is how fast they are, as shares of the faster one.
    """

    speculated: float
    plain: float


@dataclass(frozen=True)
class ComparedTurn:
    """The turn whose question is compared, its chat, and the settings of the speculated runs."""

    chat: Chat
    turn: Turn
    generation: GenerationSettings


@dataclass(eq=False)
class Comparison:
    """A comparison of answers to one question: `speculated` and `plain`, and then each of the two once more.

    `request` has the seed of all runs and the speculation of the speculated ones. The faster run of each way counts,
    because load only slows. `pair` is the key of the models in the history's figures, and `answered_tps` the speed of
    the answer that is in the chat, None if that was written in another way than `speculated`. `expected` is the number
    of tokens that the answer is expected to have. `place` is the turn in the chat.
    """

    question: str
    request: ChatRequest
    pair: tuple[str, str] = ("", "")
    answered_tps: float | None = None
    expected: int = 0
    place: ComparedTurn | None = None
    speculated: Answer = field(default_factory=Answer)
    plain: Answer = field(default_factory=Answer)
    speculated_again: Answer = field(default_factory=Answer)
    plain_again: Answer = field(default_factory=Answer)
    step: ComparisonStep = ComparisonStep.PREFILL
    error: EngineError | None = None
    cancel_requested: bool = False
    # Whether the person has cleared the figures of the pair, and with them the one of this comparison.
    cleared: bool = False
    _same: int = 0

    @property
    def running(self) -> bool:
        return self.step is ComparisonStep.PREFILL or self.step in RUNS

    @property
    def runs(self) -> tuple[Answer, ...]:
        """The answers in the order of RUNS."""
        return self.speculated, self.plain, self.speculated_again, self.plain_again

    @property
    def growing(self) -> Answer | None:
        """The answer of the run that is under way."""
        return self.runs[RUNS.index(self.step)] if self.step in RUNS else None

    @property
    def is_demonstration(self) -> bool:
        """Whether the question is in no chat."""
        return self.place is None or self.place.turn.answer_node.id is None

    def is_new(self, answer: Answer) -> bool:
        """Whether the chat does not have the text of an answer, so that it can become another version there."""
        place = self.place
        if self.step is not ComparisonStep.DONE or place is None or self.is_demonstration:
            return False
        return answer.text not in ("", place.turn.answer.text)

    def race(self) -> Race:
        """Return how far the runs are.

        The first run is alone. The second one races against it: the first is where it was after the same time. The race
        is over when either has its last token: then the speeds of the runs that have ended count.
        """
        if self.plain.ended:
            speculated, plain = self.speeds
            fastest = max(speculated or 0.0, plain or 0.0) or 1.0
            return Race((speculated or 0.0) / fastest, (plain or 0.0) / fastest)
        length = max(1, len(self.speculated.tokens), 0 if self.speculated.ended else self.expected)
        if not self.speculated.ended:
            return Race(len(self.speculated.tokens) / length, 0.0)
        now = min(decode_seconds(self.speculated), decode_seconds(self.plain))
        return Race(tokens_after(self.speculated, now) / length, min(1.0, tokens_after(self.plain, now) / length))

    def next_request(self) -> ChatRequest:
        speculation = self.request.speculation
        most = self.request.max_tokens
        if self.step not in SPECULATED_RUNS:
            speculation = replace(speculation, method="off")
        if self.step is ComparisonStep.PREFILL:
            most = 1
        elif stopped := [len(run.tokens) for run in self.runs if run.state is State.CANCELLED]:
            # No run is longer than one that was stopped.
            most = min(stopped)
        return replace(self.request, speculation=speculation, max_tokens=most)

    def receive(self, events: list[Event], prefill: Answer) -> bool:
        """Apply the events of this step, for PREFILL to `prefill`. Return whether the step has ended."""
        answer = self.growing or prefill
        answer.apply(events)
        if not answer.ended:
            return False
        if answer.state is State.FAILED:
            self.step = ComparisonStep.FAILED
            self.error = answer.error
        elif self.cancel_requested or (answer.state is State.CANCELLED and not self.is_enough):
            self.step = ComparisonStep.CANCELLED
        else:
            self.step = _ORDER[_ORDER.index(self.step) + 1]
        return True

    @property
    def is_enough(self) -> bool:
        """Whether the run took its time, or is the first one and repeats itself."""
        answer = self.growing
        if answer is None:
            return False
        most = FIRST_S if answer is self.speculated else LATER_S
        return decode_seconds(answer) >= most or (answer is self.speculated and answer.repeats)

    def same_tokens(self) -> int:
        """Return the length of the common prefix of both answers in tokens."""
        first = self.speculated.tokens
        second = self.plain.tokens
        most = min(len(first), len(second))
        while self._same < most and first[self._same].id == second[self._same].id:
            self._same += 1
        return self._same

    def divergence(self) -> tuple[Token | None, Token | None] | None:
        """Return the first tokens that differ, speculated and plain (None: ended before), or None if none differ."""
        at = self.same_tokens()
        first = self.speculated.tokens
        second = self.plain.tokens
        if at < len(first) and at < len(second):
            return first[at], second[at]
        shorter = self.speculated if len(first) < len(second) else self.plain
        if self.step is ComparisonStep.DONE and len(first) != len(second) and shorter.state is not State.CANCELLED:
            # One text goes on where the other has ended.
            return next(iter(first[at:]), None), next(iter(second[at:]), None)
        return None

    def verdict(self) -> ComparisonResult | None:
        """Return how the texts compare; None while that is unknown."""
        differing = self.divergence()
        if differing is None:
            return ComparisonResult.SAME if self.step is ComparisonStep.DONE else None
        if self.keeps_distribution_only:
            return ComparisonResult.EXPECTED
        is_by_rounding = None not in differing and self._may_be_rounding()
        return ComparisonResult.EXPECTED if is_by_rounding else ComparisonResult.UNEXPECTED

    @property
    def keeps_distribution_only(self) -> bool:
        """Whether the acceptance rule keeps the distribution of the texts, but not the text that a seed gives."""
        return self.request.sampling.temperature > 0 and self.request.speculation.redraws

    def _may_be_rounding(self) -> bool:
        """Whether rounding can have decided which of the first tokens that differ was drawn.

        It can if their scores are close, or if a rule such as top-p may have cut one of them off by a rounded score.
        """
        gap = self._gap()
        if gap is None or gap <= TIE:
            return True
        sampling = self.request.sampling
        cuts = sampling.top_p < 1.0 or sampling.min_p > 0.0 or sampling.top_k > 0
        return sampling.temperature > 0 and cuts

    def _gap(self) -> float | None:
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
    def speeds(self) -> tuple[float | None, float | None]:
        """The speeds with speculation and without it, in tokens a second: the higher one of the runs that have ended.

        The first tokens of a run may be far faster than the run. Only the first run of a way has its speed so far.
        """
        speculated = _ended_speeds(self.speculated, self.speculated_again) or _speeds(self.speculated)
        plain = _ended_speeds(self.plain, self.plain_again) or _speeds(self.plain)
        return max(speculated, default=None), max(plain, default=None)

    @property
    def ratio(self) -> float | None:
        """The speed with speculation divided by the speed without it; None if the answers are too short."""
        speed, plain = self.speeds
        return speed / plain if speed and plain else None

    @property
    def _is_impossible(self) -> bool:
        """Whether the ratio is impossible, so that one of the speeds is noise.

        The speeds are measured after the first round; every later round takes at least as long as a plain step.
        """
        stats = self.speculated.stats
        tokens = stats.generated_tokens - 1
        rounds = stats.rounds - 1
        return rounds > 0 and (self.ratio or 0.0) > NOTICEABLE * tokens / rounds

    @property
    def has_ratio(self) -> bool:
        """Whether the speeds of both ways say something of drafts, if the computer was not busy."""
        is_known = self.step is ComparisonStep.DONE and self.ratio is not None
        return is_known and bool(self.speculated.stats.drafted) and not self.speculated.repeats

    @property
    def was_busy(self) -> bool:
        """Whether other load distorted the speeds: either way was more than BUSY times as fast once as another time."""
        plain = _speeds(self.plain, self.plain_again)
        speculated = _speeds(self.speculated, self.speculated_again)
        if self.answered_tps:
            speculated.append(self.answered_tps)
        spread = any(max(speeds) > BUSY * min(speeds) for speeds in (plain, speculated) if speeds)
        return spread or self._is_impossible

    @property
    def counts(self) -> bool:
        """Whether the ratio says what speculation gains."""
        return self.has_ratio and not self.was_busy


class Comparer(QObject):
    """Runs comparisons, which are not stored.

    `changed` is emitted when one has grown or ended. A question asked meanwhile ends the comparison, because it would
    distort the speeds.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._stream: RequestStream | None = None
        self.comparison: Comparison | None = None
        session.answers.asked.connect(lambda _chat, _turn: self.cancel())
        session.chats.path_changed.connect(lambda _chat: self.cancel())
        session.history.measured_changed.connect(self._follow_measured)

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
        # Plain rounds that measure the speed-up would slow it down.
        speculation = replace(speculation, sample_share=0.0)
        sampling = replace(turn.answer.sampling or chosen.sampling, seed=turn.answer.stats.seed)
        generation = replace(chosen, sampling=sampling, speculation=speculation)
        pair = AnswerSource(*session.models.pair.names, speculation.method).pair
        compared = partial(
            Comparison,
            turn.question,
            pair=pair,
            answered_tps=_speed_of(turn.answer, pair),
            place=ComparedTurn(chat, turn, generation),
            expected=turn.answer.stats.generated_tokens or generation.max_tokens or 0,
        )
        begin = partial(self._begin, compared, turn.question)
        prepare_request(chat, turn, generation, session.answers.services, begin, session.models.failed.emit)

    def _begin(self, compared: Callable[..., Comparison], question: str, request: ChatRequest) -> None:
        request = replace(request, conversation="", top2_margins=True)
        if request.messages[-1]["role"] == "assistant":
            # All answers start at the question, even if that answer was continued.
            request = replace(request, messages=request.messages[:-1])
            if request.grammar is not None and request.grammar.kind == "choice":
                request = replace(request, grammar=grammar_of_help(question))
        self.comparison = compared(request=request)
        self._ask()
        self.changed.emit()

    def demonstrate(self, question: str) -> None:
        """Compare a question that is not in any chat; the answers end, whatever the model and the settings are."""
        turn = Turn(question, Answer())
        chat = Chat(turns=[turn])
        chosen = self._session.settings.generation_of(chat)
        models = self._session.models
        most = STARTER_TOKENS if models.is_starter else SHOWN_TOKENS
        # Thoughts would take all of them.
        self._start(chat, turn, replace(chosen, max_tokens=min(chosen.max_tokens or most, most), thinking="off"))

    @property
    def speedup(self) -> float | None:
        """The speed-up of the compared pair, from all of its comparisons; None if it is not known."""
        comparison = self.comparison
        if comparison is None:
            return None
        measured = self._session.history.speedup_of(*comparison.pair)
        # The store adds a comparison a moment later.
        is_added_soon = comparison.counts and not comparison.cleared
        return comparison.ratio if measured is None and is_added_soon else measured

    def _follow_measured(self) -> None:
        """Follow the figures of pairs: the person may have cleared the figure of the compared pair."""
        comparison = self.comparison
        if comparison is not None and comparison.counts:
            comparison.cleared = self._session.history.speedup_of(*comparison.pair) is None
        self.changed.emit()

    def use(self, answer: Answer) -> None:
        """Make one of the compared answers the version that the chat shows."""
        comparison = self.comparison
        if comparison is None or (place := comparison.place) is None:
            return
        generation = place.generation
        if answer is not comparison.speculated:
            generation = replace(generation, speculation=replace(generation.speculation, method="off"))
        self._session.answers.add_version(place.chat, place.turn, answer, generation)

    def cancel(self) -> None:
        """Stop within one round and keep what was generated."""
        if self._stream is not None and self.comparison is not None and self.comparison.running:
            self.comparison.cancel_requested = True
            self._stream.cancel()

    def _ask(self) -> None:
        comparison = self.comparison
        prefill = Answer()
        assert comparison is not None

        def receive(events: list[Event]) -> None:
            has_ended = comparison.receive(events, prefill)
            if has_ended and comparison is self.comparison and comparison.running:
                self._ask()
            elif comparison.is_enough and self._stream is not None:
                self._stream.cancel()
            if has_ended and comparison.step is ComparisonStep.DONE:
                self._session.history.add_comparison(*comparison.pair, comparison.ratio if comparison.counts else None)
            self.changed.emit()

        self._stream = self._session.models.submit(comparison.next_request(), receive)


def _speed_of(answer: Answer, pair: tuple[str, str]) -> float | None:
    """Return the speed of a stored answer of `pair`; None if it had plain rounds to measure that, or is of another."""
    stats = answer.figures
    is_measuring = any(span.reason == "measuring" for span in stats.plain_spans)
    if answer.pair != pair or not stats.drafted or is_measuring:
        return None
    return stats.decode_tps


def decode_seconds(answer: Answer) -> float:
    """Return the seconds since the first token of an answer."""
    return answer.rounds[-1].at_s - answer.rounds[0].at_s if answer.rounds else 0.0


def tokens_after(answer: Answer, seconds: float) -> int:
    """Return how many tokens an answer had so many seconds after its first token."""
    begin = answer.rounds[0].at_s if answer.rounds else 0.0
    return sum(record.committed for record in answer.rounds if record.at_s - begin <= seconds)


def _ended_speeds(*answers: Answer) -> list[float]:
    """Return the speeds that are known of those of these answers that have ended."""
    return _speeds(*(answer for answer in answers if answer.ended))


def _speeds(*answers: Answer) -> list[float]:
    """Return the speeds that are known of these answers."""
    return [answer.stats.decode_tps for answer in answers if answer.stats.decode_tps]
