"""One answer's dealings with the asynchronous drafter: verdicts out, draft tokens in, and what became of them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.async_drafting.link import DrafterLink
from engine.async_drafting.messages import (
    BEHIND,
    HIT,
    JUST_IN_TIME,
    LONGEST_DEADLINE_S,
    LONGEST_WINDOW,
    MISS,
    Answer,
    Begin,
    End,
    Verdict,
)
from engine.main_model.sampling import Sampler
from engine.requests import MAX_DEPTH, SamplingSettings

# A round waits at least so long to learn whether its outcome was prepared.
HANDOVER_S = 0.002
# The share of that wait in which the drafter is to have drafted; the rest is the answer's way.
ON_THE_WAY = 0.9
# What drafting just in time may take until drafting here was measured.
FIRST_PATIENCE_S = 0.1
FIRST_DEPTH = 4
# Answers in a row that were not there in time, after which the drafter rests, and for how many rounds (doubling).
MOST_LATE = 4
FIRST_REST, LAST_REST = 32, 512


@dataclass(slots=True)
class AheadFigures:
    """How asynchronous drafting went in one answer; `engine.stats.RequestStats` says what the figures are."""

    state: str
    hits: int = 0
    misses: int = 0
    late: int = 0
    branches: int = 0
    hidden_s: float = 0.0

    def as_stats(self) -> dict[str, Any]:
        """As fields of `RequestStats`."""
        figures = asdict(self)
        return {"ahead": figures.pop("state")} | {f"ahead_{name}": value for name, value in figures.items()}


class DraftingAhead:
    """Has the drafter behind `link` follow `text`, the live list of an answer's committed tokens.

    Only from `resume` to `pause`: a drafter at work slows the main model where they share a computer. `fixed_depth` is
    the depth that the user fixed, if any; proposals stop early otherwise. Called by one thread.
    """

    def __init__(
        self, link: DrafterLink, sampler: Sampler, text: Sequence[int], fixed_depth: int | None = None
    ) -> None:
        self.figures = AheadFigures(link.state)
        self.depth = fixed_depth or FIRST_DEPTH
        # Whether the drafter follows the text. It does not until its first `resume`.
        self.wanted = False
        # Seconds that drafting as many tokens here takes: the longest wait for a proposal.
        self.patience_s = FIRST_PATIENCE_S
        self._fixed = fixed_depth is not None
        self._link, self._text = link, text
        self._begin = Begin(secrets.randbits(64), sampler.seed, sampler.vocabulary, _sendable(sampler))
        self._generation = 0
        self._sent = self._round = 0
        # Set while a verdict has not been answered; the position that its answer is to follow, and until when to wait.
        self._asked_for: int | None = None
        self._until = 0.0
        self._answer: Answer | None = None
        self._used = self._late = self._resting = 0
        self._rest = FIRST_REST

    @property
    def ready(self) -> bool:
        """Whether there is a drafter that could be asked."""
        self.figures.state = self._link.reason or self._link.state
        return self._link.state == "ready"

    @property
    def usable(self) -> bool:
        """Whether there is a drafter, and it does not rest because it was too slow."""
        return self.ready and self._resting == 0

    def resume(self) -> bool:
        """Have a drafter that paused follow the text again, and wait for what it drafts for the next round.

        False where that takes too long, because it has to read first: until it has, there is nothing to propose.
        """
        if self.wanted:
            return True
        self.wanted = True
        self._ask()
        return self.missed() and bool(self.drafted())

    def pause(self) -> None:
        """Have the drafter do nothing until `resume`."""
        if self.wanted:
            self.wanted, self._answer, self._asked_for = False, None, None
            self._link.send(End(self._begin.conversation))

    def note(self, used: int) -> None:
        """The last round had `used` draft tokens of the drafter."""
        self._used = used

    def follow(self) -> None:
        """Tell the drafter what the last round committed, unless it paused."""
        used, self._used = self._used, 0
        if used and self._answer is not None:
            self._learn(used, self._answer)
        self._answer = self._asked_for = None
        self._resting = max(0, self._resting - 1)
        if self.usable and self.wanted:
            self._ask()

    def _ask(self) -> None:
        """Ask for draft tokens that follow the text."""
        if self._generation != self._link.generation:
            # A new drafter knows nothing of this answer.
            self._generation, self._sent = self._link.generation, 0
            self._link.send(self._begin)
        # A verdict has a token at least.
        position = min(self._sent, len(self._text) - 1)
        self._round += 1
        verdict = Verdict(
            self._begin.conversation,
            self._round % 2**32,
            position,
            tuple(self._text[position:]),
            self.depth,
            not self._fixed,
            min(ON_THE_WAY * self.patience_s, LONGEST_DEADLINE_S),
        )
        self._until = time.monotonic() + max(HANDOVER_S, self.patience_s)
        if self._link.send(verdict):
            self._sent = self._asked_for = len(self._text)

    def prepared(self) -> tuple[int, ...]:
        """The draft tokens that were prepared for the last verdict; () where there are none."""
        answer = self._latest()
        return answer.tokens if answer is not None and answer.status == HIT else ()

    def missed(self) -> bool:
        """Whether the last verdict was not prepared for, so that `drafted` has to wait."""
        answer = self._latest()
        return answer is not None and answer.status in (MISS, JUST_IN_TIME)

    def drafted(self) -> tuple[int, ...]:
        """The draft tokens behind a miss, as soon as they are there; () where that takes too long."""
        answer = self._answer
        while answer is not None and answer.status != JUST_IN_TIME:
            self._answer = answer = self._receive(self._until)
            if answer is None:
                self._asked_for = None
                self.figures.late += 1
        return () if answer is None else answer.tokens

    def end(self) -> None:
        """The answer has ended."""
        self._link.send(End(self._begin.conversation))

    def _latest(self) -> Answer | None:
        """The answer to the last verdict, as soon as it is there; None where that takes too long."""
        if self._answer is None and self._asked_for is not None:
            self._answer = self._receive(self._until)
            if self._answer is not None:
                self._count(self._answer)
            else:
                # It is not asked for again in this round.
                self._asked_for = None
                self.figures.late += 1
                self._late += 1
                if self._late >= MOST_LATE:
                    self._start_rest()
        return self._answer

    def _receive(self, until: float) -> Answer | None:
        """The answer to the latest verdict, if it comes before `until`; all others are dropped."""
        while (answer := self._link.receive(max(0.0, until - time.monotonic()))) is not None:
            vocabulary = self._begin.vocabulary
            key = answer.conversation, answer.round, answer.position
            if key == (self._begin.conversation, self._round % 2**32, len(self._text)):
                # A token that the main model does not have would read foreign memory.
                return answer if all(token < vocabulary for token in answer.tokens) else None
        return None

    def _count(self, answer: Answer) -> None:
        self._late = 0
        self.figures.branches += answer.branches
        if answer.status == HIT:
            self.figures.hits += 1
        elif answer.status != BEHIND:
            self.figures.misses += 1

    def _learn(self, used: int, answer: Answer) -> None:
        """A round had `used` tokens of `answer`."""
        self._rest = FIRST_REST
        if answer.status == HIT:
            self.figures.hidden_s += answer.drafted_s
        if not self._fixed:
            self.depth = min(MAX_DEPTH, max(2, used + 1))

    def _start_rest(self) -> None:
        self.pause()
        self._late, self._resting, self._rest = 0, self._rest, min(2 * self._rest, LAST_REST)


def _sendable(sampler: Sampler) -> SamplingSettings:
    """The settings without what has no effect, so that all numbers have a place in a message."""
    settings, vocabulary = sampler.settings, sampler.vocabulary
    return replace(
        settings,
        seed=None,
        top_k=min(settings.top_k, vocabulary),
        penalty_window=min(settings.penalty_window, LONGEST_WINDOW),
        logit_bias={token: value for token, value in settings.logit_bias.items() if 0 <= token < vocabulary},
    )
