"""One question answered twice on one seed, with guesses and without: both answers, and what they say together.

No Qt in here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from app.session.answer import Answer, State

if TYPE_CHECKING:
    from engine.errors import EngineError
    from engine.events import Event, Token
    from engine.requests import ChatRequest

# Half-precision logits between 32 and 64 lie this far apart, so nothing closer can be told apart by them.
TIE = 0.25


class Step(Enum):
    """READING brings the prompt into the cache, so that neither of the two answers has to wait for it alone."""

    READING = "reading"
    GUESSED = "guessed"
    PLAIN = "plain"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Verdict(Enum):
    """What the two texts say. NONE until there is a token of each.

    TIE: they part where the main model holds both tokens for equally likely. DRAW: they part where something was
    drawn, above temperature 0. OTHER_RULE: the rule of acceptance was one that keeps the distribution, not the text.
    DIFFERENT: they part, and none of this explains it.
    """

    NONE = "none"
    SAME_SO_FAR = "same-so-far"
    SAME = "same"
    TIE = "tie"
    DRAW = "draw"
    OTHER_RULE = "other-rule"
    DIFFERENT = "different"


@dataclass(eq=False)
class Comparison:
    """`request` is what both answers are asked for, with its seed and the speculation of the guessed one."""

    question: str
    request: ChatRequest
    guessed: Answer = field(default_factory=Answer)
    plain: Answer = field(default_factory=Answer)
    step: Step = Step.READING
    error: EngineError | None = None
    cancel_requested: bool = False
    _same: int = 0

    @property
    def running(self) -> bool:
        return self.step in (Step.READING, Step.GUESSED, Step.PLAIN)

    def next_request(self) -> ChatRequest:
        """What to ask the engine for at this step."""
        if self.step is Step.GUESSED:
            return self.request
        off = replace(self.request, speculation=replace(self.request.speculation, method="off"))
        return off if self.step is Step.PLAIN else replace(off, max_tokens=1)

    def receive(self, events: list[Event], reading: Answer) -> bool:
        """Take in what came at this step; `reading` gathers the answer that is not shown. True when a step is over."""
        answer = {Step.GUESSED: self.guessed, Step.PLAIN: self.plain}.get(self.step, reading)
        answer.apply(events)
        if not answer.ended:
            return False
        if answer.state is State.FAILED:
            self.step, self.error = Step.FAILED, answer.error
        elif self.cancel_requested or answer.state is State.CANCELLED:
            self.step = Step.CANCELLED
        else:
            self.step = {Step.READING: Step.GUESSED, Step.GUESSED: Step.PLAIN}.get(self.step, Step.DONE)
        return True

    def same_tokens(self) -> int:
        """How many tokens from the first on are the same in both answers."""
        first, second = self.guessed.tokens, self.plain.tokens
        most = min(len(first), len(second))
        while self._same < most and first[self._same].id == second[self._same].id:
            self._same += 1
        return self._same

    def parting(self) -> tuple[Token | None, Token | None] | None:
        """The first tokens that differ, guessed and plain, None for one that has ended; None if nothing differs."""
        at, first, second = self.same_tokens(), self.guessed.tokens, self.plain.tokens
        if at < len(first) and at < len(second):
            return first[at], second[at]
        if self.step is Step.DONE and len(first) != len(second):
            return (first[at] if at < len(first) else None), (second[at] if at < len(second) else None)
        return None

    def verdict(self) -> Verdict:
        parting = self.parting()
        if parting is None:
            if self.step is Step.DONE:
                return Verdict.SAME
            return Verdict.SAME_SO_FAR if self.same_tokens() else Verdict.NONE
        if self.request.sampling.temperature > 0:
            by_draw = self.request.speculation.acceptance == "match"
            return Verdict.DRAW if by_draw else Verdict.OTHER_RULE
        guessed, plain = parting
        if guessed is not None and plain is not None and abs(guessed.logprob - plain.logprob) <= TIE:
            return Verdict.TIE
        return Verdict.DIFFERENT

    def speedup(self) -> float | None:
        """Tokens a second with guesses over those without; None until both are known."""
        with_, without = self.guessed.stats.decode_tps, self.plain.stats.decode_tps
        return with_ / without if with_ and without and self.step is Step.DONE else None
