"""One answer as the window sees it, collected from the engine's events. No Qt in here.

The transcript, the live panel and the answer's footer all paint from this record.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import accumulate, pairwise

from msgspec.structs import replace as with_figures

from app.conversations.measured import drafts_tell
from app.session.calls import CallState, ToolRun
from app.session.model_names import STARTER
from app.session.tandem_help import is_refusal
from app.text.answer_parts import AnswerParts
from app.text.repetition import Repetition
from app.text.thinking import GrowingParts, ThoughtAndReply, closing_mark
from engine.errors import EngineError
from engine.events import Event, Failed, Finished, PrefillProgress, Token, TokensCommitted
from engine.methods import PROPOSERS, method_of
from engine.requests import SamplingSettings
from engine.stats import NO_SPEEDUP, PlainSpan, RequestStats, RoundRecord, summed


class State(Enum):
    """WAITING before the first event, READING while the prompt is prefilled, WRITING from the first token on.

    STARTING while tool servers start, before the request. CALLING while the tools that the answer called run or wait
    for the user's consent. INTERRUPTED is an answer that was being written when the app ended. REPEATING is an answer
    that is paused because it repeats itself, until the user continues or stops it.
    """

    STARTING = "starting"
    WAITING = "waiting"
    READING = "reading"
    WRITING = "writing"
    CALLING = "calling"
    DONE = "done"
    LENGTH = "length"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    REPEATING = "repeating"


_UNFINISHED = (State.LENGTH, State.CANCELLED, State.FAILED, State.INTERRUPTED, State.REPEATING)
_ENDED = (State.DONE, *_UNFINISHED)
_REASONS = {"stop": State.DONE, "length": State.LENGTH, "cancelled": State.CANCELLED}


@dataclass
class Answer:
    """An answer as far as it has arrived. `tokens` and `rounds` are the engine's own records, in order.

    `waits_for` is the name of the folder's file that is being read before the request. `model` is the name of the main
    model that writes the answer and `asked_at` the time of the question (Unix seconds). `before` is the earlier text of
    a continued answer, whose new rounds continue the numbering. It includes the thinking-start mark if the chat
    template put that into the prompt, so that `text` marks all thoughts. With a `separator`, the text omits the calls
    that the separator finds. `calls` are the calls of the answer, and `earlier` the figures of the preceding requests
    whose results it uses. `sampling` holds its sampling settings, None if unknown. `repeats` says whether the newest
    tokens repeat themselves; the figures then have no speed-up. `closing` is the end of `before` that closed thoughts.
    `given_before` says whether another answer in this chat or another one has the same text. `pair` are the names of
    its main and draft model, the latter "" where it only looks up, and `pair_speedup` is their measured speed-up on
    this computer, not rounded, None if that is not known. `told_story` says whether it had a story at some time while
    it was written.
    """

    state: State = State.WAITING
    text: str = ""
    tokens: list[Token] = field(default_factory=list)
    rounds: list[RoundRecord] = field(default_factory=list)
    stats: RequestStats = field(default_factory=RequestStats)
    prefill: PrefillProgress | None = None
    error: EngineError | None = None
    before: str = ""
    first_round: int = 0
    model: str = ""
    asked_at: float | None = None
    calls: list[ToolRun] = field(default_factory=list)
    waits_for: str = ""
    repeats: bool = False
    earlier: tuple[RequestStats, ...] = ()
    sampling: SamplingSettings | None = None
    closing: str = ""
    given_before: bool = False
    pair: tuple[str, str] = ("", "")
    pair_speedup: float | None = None
    told_story: bool = False
    separator: AnswerParts | None = field(default=None, repr=False, compare=False)
    _repetition: Repetition = field(default_factory=Repetition, repr=False, compare=False)
    # The characters that the separator has read, and how many of its next ones the earlier text has already.
    _separated: int = field(default=0, repr=False, compare=False)
    _known: int = field(default=0, repr=False, compare=False)
    _parts: GrowingParts = field(default_factory=GrowingParts, repr=False, compare=False)
    # Where closed thoughts end in the text, their number of tokens and their seconds (None: unknown), as they were last
    # worked out.
    _thoughts: tuple[int, int, float | None] = field(default=(-1, 0, None), repr=False, compare=False)

    @property
    def ended(self) -> bool:
        """Whether nothing more arrives, unless the person has it continued."""
        return self.state in _ENDED

    @property
    def figures(self) -> RequestStats:
        """The figures of all requests that the answer took, those that called tools included."""
        return summed([*self.earlier, self.stats])

    @property
    def unfinished(self) -> bool:
        """Whether there is text that the model could continue."""
        stopped = self.state in _UNFINISHED or self.stopped_thinking
        return stopped and bool(self.text.strip()) and not self.calls

    @property
    def stopped_thinking(self) -> bool:
        """Whether the model ended its answer inside its thoughts, without a reply."""
        return self.state is State.DONE and not self.parts.closed and bool(closing_mark(self.text))

    @property
    def asks(self) -> bool:
        """Whether a call of a tool waits for the person's consent."""
        return self.state is State.CALLING and any(call.state is CallState.ASKS for call in self.calls)

    @property
    def writes_call(self) -> bool:
        """Whether the model is writing a call of a tool now, which is not shown as text."""
        return self.state is State.WRITING and self.separator is not None and self.separator.calling

    @property
    def called(self) -> str:
        """The name by which the model calls the tool whose call it is writing; "" without one and until it is known."""
        return self.separator.called if self.separator is not None and self.writes_call else ""

    @property
    def repeats_anew(self) -> bool:
        """Whether it repeats itself again, beyond the text that the user has chosen to continue."""
        return self.repeats and self._repetition.is_new

    @property
    def is_of_starter(self) -> bool:
        """Whether the model that comes with Tandem writes it."""
        return self.model == STARTER

    @property
    def refuses(self) -> bool:
        """Whether the Starter declined the question."""
        return self.is_of_starter and is_refusal(self.reply)

    @property
    def speed_counts(self) -> bool:
        """Whether its speed says anything of others: loops, refusals and copies of other answers are easy to draft."""
        return not (self.repeats or self.refuses or self.given_before)

    @property
    def has_story(self) -> bool:
        """Whether drafts wrote enough of it for charts to show something.

        Once it is so, it stays so until the answer is read from the store, whatever the next rounds bring: what shows
        the answer does not change its form while somebody looks at it.
        """
        return self.told_story or (self.speed_counts and drafts_tell(self.figures))

    @property
    def reply(self) -> str:
        """The text without the thoughts of a reasoning model."""
        return self.parts.reply

    @property
    def parts(self) -> ThoughtAndReply:
        """The thoughts of a reasoning model and its reply."""
        return self._parts.of(self.text, self.ended)

    def thinking_figures(self) -> tuple[int | None, float | None]:
        """Return the number of tokens of the thoughts and their seconds; None for what is unknown.

        A stored answer has no times of its rounds, so its average speed replaces them.
        """
        parts = self.parts
        if not parts.closed:
            return len(self.tokens), None
        if not self.tokens:
            return None, None
        if self._thoughts[0] != parts.end:
            count = bisect_left(self._token_starts(), parts.end)
            self._thoughts = parts.end, count, self._seconds_to(self.tokens[count - 1].round)
        _, count, took = self._thoughts
        if took is None and self.stats.decode_tps:
            took = count / self.stats.decode_tps
        return count, took

    def _seconds_to(self, number: int) -> float | None:
        """Return the seconds of the rounds up to `number`; None if they are not known."""
        index = bisect_left(self.rounds, number, key=lambda record: record.number)
        if index == len(self.rounds) or self.rounds[index].number != number:
            return None
        # A continued answer has several requests, each with a clock of its own.
        return sum(
            max(0.0, after.at_s - before.at_s)
            for before, after in pairwise(self.rounds[: index + 1])
            if after.reason != "first-token"
        )

    def _token_starts(self) -> list[int]:
        """Return the position of each token in the text, which may begin with the template's thinking-start mark."""
        lengths = [len(token.text) for token in self.tokens]
        first = max(0, len(self.text) - sum(lengths))
        return list(accumulate(lengths, initial=first))[:-1]

    def take_stored(self, tokens: list[Token], rounds: list[RoundRecord]) -> bool:
        """Add the stored tokens and rounds, unless there are some already; return whether any were added."""
        if self.tokens or not tokens:
            return False
        self.tokens = tokens
        self.rounds = rounds
        return True

    def resume(self) -> None:
        """Prepare for another request that continues the answer.

        Thoughts that the model ended without closing them are closed: it would end them again.
        """
        self.closing = f"\n{closing_mark(self.text)}\n\n" if self.stopped_thinking else ""
        self.before = self.text = self.text + self.closing
        self.first_round = 1 + max((token.round for token in self.tokens[-1:]), default=-1)
        self.state = State.WAITING
        self.error = None
        self.prefill = None
        self._repetition = Repetition(token.text for token in self.tokens)
        self.separator = None
        self._separated = 0
        self._known = 0

    def take_back_resume(self) -> None:
        """Leave the answer as it was before `resume`, because the store could not note that it goes on."""
        self.state = State.DONE if self.closing else State.INTERRUPTED
        self.text = self.before = self.text.removesuffix(self.closing)
        self.closing = ""

    def apply(self, events: Iterable[Event]) -> None:
        """Take the events of a request, in their order."""
        for event in events:
            if isinstance(event, TokensCommitted):
                event = self._numbered_on(event)
                self.state = State.WRITING
                if event.stats.opening and not self.text and self.separator is None:
                    self.before = self.text = event.stats.opening
                self._add(event.text, event.stats.opening)
                self.tokens.extend(event.tokens)
                self.rounds.append(event.round)
                self._repetition.add([token.text for token in event.tokens], in_call=self.writes_call)
                self._take_figures(event.stats)
            elif isinstance(event, PrefillProgress):
                self.state = State.READING
                self.prefill = event
            elif isinstance(event, Finished):
                if event.reason != "stop":
                    self._repetition.look(in_call=self.writes_call)
                self.state = _REASONS[event.reason]
                self._end(event.text, whole=event.reason == "stop")
                self._take_figures(event.stats, by_itself=event.reason == "stop")
            elif isinstance(event, Failed):
                self.state = State.FAILED
                if event.text or self.separator is not None:
                    self._end(event.text, whole=False)
                self.error = event.error
                self._take_figures(event.stats or self.stats)

    def _take_figures(self, stats: RequestStats, *, by_itself: bool = False) -> None:
        """Take the figures, without a speed-up if the speed says nothing of other answers.

        `by_itself` says that the model ended the answer: then it did not repeat itself for ever.
        """
        self.repeats = self._repetition.found and not by_itself
        self.stats = stats if self.speed_counts else with_figures(stats, **NO_SPEEDUP)
        self.told_story = self.has_story

    @property
    def is_looked_up(self) -> bool:
        """Whether most of its draft tokens were copied from earlier texts, of this chat or of others."""
        sources = [token.source for token in self.tokens if token.source in PROPOSERS]
        copied = sum(method_of(source) == "ngram" for source in sources)
        return 2 * copied > len(sources)

    def note_given_before(self) -> None:
        """Note that another answer has the same text, from which it was copied, so that its speed does not count."""
        self.given_before = True
        self.stats = with_figures(self.stats, **NO_SPEEDUP)

    def _add(self, text: str, opening: str = "", *, ended: bool = False, cut: bool = False) -> None:
        """Add text that the model wrote. With a separator, only what is not part of a call is shown.

        `opening` is what the template put before it. `ended` says that nothing follows, `cut` that the text may have
        been cut off.
        """
        if self.separator is None:
            self.text += text
            return
        if not self._separated and self.before:
            self._known = len(self.before) - len(self.separator.add(self.before).shown)
        self._separated += len(text)
        shown = self.separator.add(text, opening, ended=ended, cut=cut).shown
        self.text += shown[self._known :]
        self._known = max(0, self._known - len(shown))

    def _end(self, text: str, *, whole: bool) -> None:
        """Take all text of the request that has ended. If the answer is not `whole`, a call at its end may be cut."""
        if self.separator is None:
            self.text = self.before + text
        else:
            self._add(text[self._separated :], ended=True, cut=not whole)

    def _numbered_on(self, event: TokensCommitted) -> TokensCommitted:
        """Return the event with round numbers that continue those of the earlier requests."""
        if not self.first_round:
            return event
        tokens = tuple(replace(token, round=token.round + self.first_round) for token in event.tokens)
        record = replace(event.round, number=event.round.number + self.first_round)
        return replace(event, tokens=tokens, round=record)

    def tokens_of_round(self, number: int) -> list[Token]:
        """Return the tokens that a round committed."""
        first = bisect_left(self.tokens, number, key=lambda token: token.round)
        last = bisect_left(self.tokens, number + 1, lo=first, key=lambda token: token.round)
        return self.tokens[first:last]

    def text_of_round(self, number: int) -> str:
        """Return the text that a round committed."""
        return "".join(token.text for token in self.tokens_of_round(number))

    def rounds_of(self, passage: str) -> frozenset[int]:
        """Return the rounds that wrote a passage; none unless the answer contains it exactly once."""
        start = self.text.find(passage) if passage else -1
        if start < 0 or self.text.find(passage, start + 1) >= 0:
            return frozenset()
        end = start + len(passage)
        return frozenset(
            token.round
            for token, at in zip(self.tokens, self._token_starts(), strict=True)
            if at < end and at + len(token.text) > start
        )

    def plain_reason(self) -> PlainSpan | None:
        """Return the longest plain span, whose reason says why the answer did not speculate; None if it drafted.

        The first token is never drafted, so its span does not count.
        """
        stats = self.figures
        if stats.drafted:
            return None
        spans = [span for span in stats.plain_spans if span.reason != "first-token"]
        return max(spans, key=lambda span: span.tokens, default=None)
