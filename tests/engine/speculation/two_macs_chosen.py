"""The controller's choice between drafting on this Mac and drafting ahead on a second one, on the Macs of `two_macs`.

Both are drafters that the controller weighs by measured rounds. They share what is known of acceptance, because they
run one draft model. Rounds are drawn at random, with a seed. The M2 prepares drafts only in rounds that draft ahead, so
the first of a run finds none.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.speculation.choosing.choice import Choice, MeasuredRound, Offer
from engine.speculation.choosing.controller import Controller
from tests.engine.speculation.two_macs import (
    DEPTHS,
    VERIFY_MS,
    DraftModel,
    Link,
    ahead,
    likeliest,
    tokens_ready,
)

# The controller's names of the two ways. Drafting ahead is not registered yet; any other drafter is weighed alike.
HERE, AHEAD = "draft", "head"
# A plain step that follows another, in passes of one row; and the standard deviation of a round's natural logarithm.
PIPELINED, NOISE = 0.95, 0.03


@dataclass(frozen=True)
class Chosen:
    """The speed of an answer in tokens a second, and the share of its rounds that drafted ahead."""

    tokens_s: float
    ahead: float


@dataclass
class _Round:
    """A round as it is played: milliseconds of drafting with waiting, tokens drafted, and whether the M2 made them."""

    drafting_ms: float
    drafted: int
    there: bool = False


class TwoMacs:
    """Plays answers of one draft model. With the same seed, ways differ by what they choose only."""

    def __init__(self, model: DraftModel, acceptance: float, link: Link, seed: int) -> None:
        self._model = model
        self._acceptance = acceptance
        self._link = link
        self._random = random.Random(seed)
        self._branches = max(1, ahead(model, acceptance, link.message_ms, link.protocol).branches)
        # The tokens that the M2 has prepared for the coming round.
        self._prepared = 0

    def answer(self, tokens: int, sources: tuple[str, ...]) -> Chosen:
        """Decode an answer of `tokens` tokens with a new controller that may choose among `sources`."""
        controller = Controller()
        answer = controller.begin()
        offer = Offer(dict.fromkeys(sources, max(DEPTHS)))
        seconds = 0.0
        committed = rounds = drafted_ahead = 0
        while committed < tokens:
            [choice] = controller.choose([(answer, offer)])
            played = self._draft(choice)
            accepted = self._accepted(played.drafted)
            measured = self._measured(choice, played, accepted)
            controller.observe_round(answer, measured)
            accepting = Choice(HERE if played.drafted else None, choice.depth)
            controller.observe(answer, accepting, played.drafted, played.drafted, accepted)
            counts = controller.learned.free.texts.counts
            if HERE in counts:
                counts[AHEAD] = counts[HERE]
            seconds += measured.seconds
            committed += accepted + 1
            rounds += 1
            drafted_ahead += choice.source == AHEAD
        return Chosen(committed / seconds, drafted_ahead / rounds)

    def _draft(self, choice: Choice) -> _Round:
        """Draft for a round, and let the M2 prepare drafts for the next one if this one drafts ahead."""
        here_ms = choice.depth * self._model.here_ms
        ready = self._prepared
        self._prepared = 0
        if choice.source != AHEAD:
            return _Round(here_ms, choice.depth)
        waiting_ms = self._link.waiting_ms
        if not ready or waiting_ms >= here_ms:
            played = _Round(here_ms + min(waiting_ms, here_ms), choice.depth)
        else:
            played = _Round(waiting_ms, min(ready, choice.depth), there=True)
        count = tokens_ready(self._model, self._link, played.drafted, self._branches, there=played.there)
        if self._random.random() < likeliest(played.drafted, self._acceptance, self._branches):
            self._prepared = count
        return played

    def _accepted(self, drafted: int) -> int:
        accepted = 0
        while accepted < drafted and self._random.random() < self._acceptance:
            accepted += 1
        return accepted

    def _measured(self, choice: Choice, played: _Round, accepted: int) -> MeasuredRound:
        verify_ms = VERIFY_MS[played.drafted] * (1.0 if played.drafted else PIPELINED)
        noise = self._random.lognormvariate(0.0, NOISE)
        seconds = (played.drafting_ms + verify_ms) * noise / 1e3
        if choice.source is None:
            return MeasuredRound(1, 1, seconds)
        drafting_s = played.drafting_ms * noise / 1e3
        return MeasuredRound(played.drafted + 1, accepted + 1, seconds, (choice.source, played.drafted), drafting_s)
