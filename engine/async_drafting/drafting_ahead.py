"""One answer's exchange with the asynchronous drafter: it sends outcomes, receives draft tokens, and keeps figures."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.async_drafting.link import DrafterLink
from engine.async_drafting.messages import LONGEST_WINDOW, Begin, DraftReply, End, RoundOutcome
from engine.main_model.sampling import Sampler
from engine.requests import MAX_DRAFTED, SamplingSettings

# The least seconds that a round waits to learn whether its outcome was prepared.
HANDOVER_S = 0.002
# The most seconds before drafting here was measured.
FIRST_PATIENCE_S = 0.1
FIRST_DEPTH = 4
# The drafter rests after this many answers in a row that came too late or were not used, for this many rounds (doubled
# each time).
MAX_MISSES = 4
FIRST_PAUSE, LAST_PAUSE = 32, 512


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

    The drafter rests while its tokens are of no use, because it slows a main model on the same computer. `fixed_depth`
    is the depth that the user fixed, if any. Belongs to one thread.
    """

    def __init__(
        self, link: DrafterLink, sampler: Sampler, text: Sequence[int], fixed_depth: int | None = None
    ) -> None:
        self.figures = AheadFigures(link.state)
        self.depth = fixed_depth or FIRST_DEPTH
        # The longest wait for an answer: the seconds that drafting as many tokens here takes.
        self.patience_s = FIRST_PATIENCE_S
        self._fixed = fixed_depth is not None
        self._link, self._text = link, text
        self._begin = Begin(secrets.randbits(64), sampler.seed, sampler.vocabulary, _sendable(sampler))
        self._generation = 0
        self._sent = self._round = 0
        # Whether an answer to the last outcome is awaited, the end of that wait, and the answer.
        self._awaited, self._until = False, 0.0
        self._answer: DraftReply | None = None
        self._misses = self._pausing = 0
        self._pause = FIRST_PAUSE

    def prepared(self) -> tuple[int, ...]:
        """Return the draft tokens that were prepared for the last outcome; () if there are none, or not in time."""
        if self._awaited:
            # This round does not wait again.
            self._awaited, self._answer = False, self._receive(self._until)
            self._count(self._answer)
        return () if self._answer is None else self._answer.tokens

    def report_round(self, used: int) -> None:
        """Send the drafter what the last round committed, in which `used` of the prepared tokens were verified."""
        if used:
            self._misses, self._pause = 0, FIRST_PAUSE
            self.figures.used += 1
            if not self._fixed:
                self.depth = min(MAX_DRAFTED, max(2, used + 1))
        elif self._answer is not None and self._answer.tokens:
            self._misses += 1
        self._answer, self._awaited = None, False
        self._pausing = max(0, self._pausing - 1)
        if self._misses >= MAX_MISSES:
            self._misses, self._pausing, self._pause = 0, self._pause, min(2 * self._pause, LAST_PAUSE)
            self.end()
        self.figures.state = self._link.reason or self._link.state
        if self._link.state == "ready" and not self._pausing:
            self._ask()

    def end(self) -> None:
        """Let the drafter do nothing until the next outcome."""
        self._link.send(End(self._begin.conversation))

    def _ask(self) -> None:
        """Send the outcome of a round, which asks for draft tokens that follow the text."""
        if self._generation != self._link.generation:
            # A new drafter knows nothing of this answer.
            self._generation, self._sent = self._link.generation, 0
            self._link.send(self._begin)
        # An outcome has at least one token.
        position = min(self._sent, len(self._text) - 1)
        self._round += 1
        number, tokens = self._round % 2**32, tuple(self._text[position:])
        outcome = RoundOutcome(self._begin.conversation, number, position, tokens, self.depth)
        self._until = time.monotonic() + max(HANDOVER_S, self.patience_s)
        if self._link.send(outcome):
            self._sent, self._awaited = len(self._text), True

    def _receive(self, until: float) -> DraftReply | None:
        """Return the answer to the latest outcome, if it comes before `until`; drop all others."""
        while (answer := self._link.receive(max(0.0, until - time.monotonic()))) is not None:
            vocabulary = self._begin.vocabulary
            key = answer.conversation, answer.round, answer.position
            if key == (self._begin.conversation, self._round % 2**32, len(self._text)):
                # A token that the main model does not have would make it read foreign memory.
                return answer if all(token < vocabulary for token in answer.tokens) else None
        return None

    def _count(self, answer: DraftReply | None) -> None:
        if answer is None:
            self.figures.late += 1
            self._misses += 1
        elif answer.tokens:
            self.figures.hits += 1
        else:
            self.figures.misses += 1


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
