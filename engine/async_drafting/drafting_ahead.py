"""One answer's exchange with the asynchronous drafter: it sends verdicts, receives draft tokens, and keeps figures."""

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

# The least seconds that a round waits to learn whether its outcome was prepared.
HANDOVER_S = 0.002
# The share of a round's wait that the drafter gets as its deadline; the rest is for sending the answer.
ON_THE_WAY = 0.9
# The seconds that drafting just in time may take before drafting here was measured.
FIRST_PATIENCE_S = 0.1
FIRST_DEPTH = 4
# The drafter rests after this many late answers in a row, for this many rounds (doubled each time).
MOST_LATE = 4
FIRST_REST, LAST_REST = 32, 512


@dataclass(slots=True)
class AheadFigures:
    """The figures of asynchronous drafting in one answer; `engine.stats.RequestStats` describes them."""

    state: str
    hits: int = 0
    misses: int = 0
    late: int = 0
    used: int = 0

    def as_stats(self) -> dict[str, Any]:
        """Return the figures as fields of `RequestStats`."""
        figures = asdict(self)
        return {"ahead": figures.pop("state")} | {f"ahead_{name}": value for name, value in figures.items()}


class DraftingAhead:
    """Keeps the drafter behind `link` up to date with `text`, the live list of an answer's committed tokens.

    The drafter works only from `resume` to `pause`, because it slows a main model on the same computer. `fixed_depth`
    is the depth that the user fixed, if any; otherwise proposals stop early. Belongs to one thread.
    """

    def __init__(
        self, link: DrafterLink, sampler: Sampler, text: Sequence[int], fixed_depth: int | None = None
    ) -> None:
        self.figures = AheadFigures(link.state)
        self.depth = fixed_depth or FIRST_DEPTH
        # Whether the drafter follows the text, which it does from the first `resume` on.
        self.wanted = False
        # The longest wait for a proposal: the seconds that drafting as many tokens here takes.
        self.patience_s = FIRST_PATIENCE_S
        self._fixed = fixed_depth is not None
        self._link, self._text = link, text
        self._begin = Begin(secrets.randbits(64), sampler.seed, sampler.vocabulary, _sendable(sampler))
        self._generation = 0
        self._sent = self._round = 0
        # The position after which the drafter's answer is awaited, None while none is, and the end of that wait.
        self._asked_for: int | None = None
        self._until = 0.0
        self._answer: Answer | None = None
        self._used = self._late = self._resting = 0
        self._rest = FIRST_REST

    @property
    def ready(self) -> bool:
        """Whether the drafter is connected."""
        self.figures.state = self._link.reason or self._link.state
        return self._link.state == "ready"

    @property
    def usable(self) -> bool:
        """Whether the drafter is connected and does not rest because it was too slow."""
        return self.ready and self._resting == 0

    def resume(self) -> bool:
        """Let a paused drafter follow the text again, and wait for its draft tokens for the next round.

        Return False if they come too late, because the drafter has to read the text first.
        """
        if self.wanted:
            return True
        self.wanted = True
        self._ask()
        return self.missed() and bool(self.drafted())

    def pause(self) -> None:
        """Let the drafter do nothing until `resume`."""
        if self.wanted:
            self.wanted, self._answer, self._asked_for = False, None, None
            self._link.send(End(self._begin.conversation))

    def note(self, used: int) -> None:
        """Note that the last round verified `used` draft tokens of the drafter."""
        self._used = used

    def follow(self) -> None:
        """Send the drafter what the last round committed, unless it is paused."""
        used, self._used = self._used, 0
        if used and self._answer is not None:
            self._learn(used, self._answer)
        self._answer = self._asked_for = None
        self._resting = max(0, self._resting - 1)
        if self.usable and self.wanted:
            self._ask()

    def _ask(self) -> None:
        """Send a verdict, which asks for draft tokens that follow the text."""
        if self._generation != self._link.generation:
            # A new drafter knows nothing of this answer.
            self._generation, self._sent = self._link.generation, 0
            self._link.send(self._begin)
        # A verdict has at least one token.
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
        """Return the draft tokens that were prepared for the last verdict; () if there are none."""
        answer = self._latest()
        return answer.tokens if answer is not None and answer.status == HIT else ()

    def missed(self) -> bool:
        """Whether nothing was prepared for the last verdict, so that `drafted` has to wait."""
        answer = self._latest()
        return answer is not None and answer.status in (MISS, JUST_IN_TIME)

    def drafted(self) -> tuple[int, ...]:
        """Wait for the draft tokens after a miss; () if that takes too long."""
        answer = self._answer
        while answer is not None and answer.status != JUST_IN_TIME:
            self._answer = answer = self._receive(self._until)
            if answer is None:
                self._asked_for = None
                self.figures.late += 1
        return () if answer is None else answer.tokens

    def end(self) -> None:
        """Tell the drafter that the answer has ended."""
        self._link.send(End(self._begin.conversation))

    def _latest(self) -> Answer | None:
        """Wait for the answer to the last verdict; None if that takes too long."""
        if self._answer is None and self._asked_for is not None:
            self._answer = self._receive(self._until)
            if self._answer is not None:
                self._count(self._answer)
            else:
                # This round does not wait again.
                self._asked_for = None
                self.figures.late += 1
                self._late += 1
                if self._late >= MOST_LATE:
                    self.pause()
                    self._late, self._resting, self._rest = 0, self._rest, min(2 * self._rest, LAST_REST)
        return self._answer

    def _receive(self, until: float) -> Answer | None:
        """Return the answer to the latest verdict, if it comes before `until`; drop all others."""
        while (answer := self._link.receive(max(0.0, until - time.monotonic()))) is not None:
            vocabulary = self._begin.vocabulary
            key = answer.conversation, answer.round, answer.position
            if key == (self._begin.conversation, self._round % 2**32, len(self._text)):
                # A token that the main model does not have would make it read foreign memory.
                return answer if all(token < vocabulary for token in answer.tokens) else None
        return None

    def _count(self, answer: Answer) -> None:
        self._late = 0
        if answer.status == HIT:
            self.figures.hits += 1
        elif answer.status != BEHIND:
            self.figures.misses += 1

    def _learn(self, used: int, answer: Answer) -> None:
        """Learn from a round that verified `used` tokens of `answer`."""
        self._rest = FIRST_REST
        self.figures.used += answer.status == HIT
        if not self._fixed:
            self.depth = min(MAX_DEPTH, max(2, used + 1))


def _sendable(sampler: Sampler) -> SamplingSettings:
    """Return the sampler's settings with all numbers bounded as messages require, without a change of effect."""
    settings, vocabulary = sampler.settings, sampler.vocabulary
    return replace(
        settings,
        seed=None,
        top_k=min(settings.top_k, vocabulary),
        penalty_window=min(settings.penalty_window, LONGEST_WINDOW),
        logit_bias={token: value for token, value in settings.logit_bias.items() if 0 <= token < vocabulary},
    )
