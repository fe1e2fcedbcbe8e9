"""The controller's choice between drafting on this Mac and drafting ahead on a second one, on the Macs of `two_macs`.

    python -m tests.engine.speculation.two_macs_chosen

prints, for each draft model and acceptance, how many times as fast as drafting here answers are that may do both, and
the share of their rounds whose draft came from the second Mac.

As in the engine, what is prepared is the source "ahead", which is offered in rounds whose draft is there, and the
runner works or rests by `Worth` and by the pauses of `RestDecision`. It deepens the branches of each cut by their
expected gain, while the possible gain is that of branches which are all as deep. Rounds are drawn at random, with a
seed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import accumulate
from statistics import mean

from engine.ahead.deepening import branches_to_deepen, cut_chances
from engine.ahead.drafting_ahead import FIRST_DEPTH
from engine.ahead.messages import MOST_RECOVERY
from engine.ahead.rest import FIRST_PAUSE, LAST_PAUSE, MAX_MISSES
from engine.ahead.worth import Worth
from engine.speculation.choosing.choice import Choice, MeasuredRound, Offer
from engine.speculation.choosing.controller import Controller
from tests.engine.speculation.two_macs import (
    ACCEPTANCES,
    DEPTHS,
    DRAFTS,
    NEXT_BEST,
    READ_AGAIN,
    READ_ONCE,
    VERIFY_MS,
    DraftModel,
    Link,
    Protocol,
    draft_model,
    gain,
)

# The sources of the two ways.
HERE, AHEAD = "draft", "ahead"
# A plain step that follows another, in passes of one row; and the standard deviation of a round's natural logarithm.
PIPELINED, NOISE = 0.95, 0.03
# One round in this many has its drafting timed apart.
TIMED_EVERY = 64
# The tokens of an answer and the seeds of the table, and the milliseconds of its messages.
TOKENS, SEEDS, THUNDERBOLT_MS = 1200, range(3), 0.3


@dataclass(frozen=True)
class Chosen:
    """The speed of an answer in tokens a second, and the share of its rounds that drafted ahead."""

    tokens_s: float
    ahead: float


class _Runner:
    """The runner on the M2: what it has prepared for the coming round, and whether it works or rests."""

    def __init__(self, model: DraftModel, acceptance: float, link: Link) -> None:
        self._model, self._acceptance, self._link = model, acceptance, link
        self._prepared = 0
        self._depths: dict[tuple[int, bool], list[list[int]]] = {}
        self._misses = self._pausing = 0
        self._pause = FIRST_PAUSE
        self._worth = Worth()

    @property
    def _works(self) -> bool:
        return self._worth.works and not self._pausing

    def ready(self, patience_ms: float) -> tuple[int, float]:
        """Return the tokens that are there for a round, and the milliseconds that it waited for them."""
        if not self._works:
            return 0, 0.0
        if self._link.waiting_ms > patience_ms:
            self._misses += 1
            return 0, patience_ms
        return self._prepared, self._link.waiting_ms

    def observe(self, seconds: float, tokens: float) -> None:
        """Learn from a round, as `DraftingAhead.observe_round` does."""
        if not self._pausing:
            self._worth.observe(seconds, tokens)

    def prepare(self, choice: Choice, accepted: int, recovery: float, offered: int) -> None:
        """Prepare for the outcome of a round while it is verified, unless its drafts are of no use.

        It accepts `accepted` draft tokens; `recovery`, from 0 to 1, decides how likely the token is that follows them.
        """
        there = choice.source == AHEAD
        if there:
            self._misses, self._pause = 0, FIRST_PAUSE
        elif offered:
            self._misses += 1
        self._pausing = max(0, self._pausing - 1)
        if self._misses >= MAX_MISSES:
            self._misses, self._pausing = 0, self._pause
            self._pause = min(2 * self._pause, LAST_PAUSE)
        self._prepared = 0
        rank = sum(recovery >= up_to for up_to in accumulate(self._recovery(accepted == choice.depth)))
        if self._works and rank < MOST_RECOVERY:
            self._prepared = self._deepened(choice.depth, there=there)[accepted][rank]

    def _recovery(self, is_last: bool) -> list[float]:
        """Return the chances of the likeliest recovery tokens at a cut, or after the last draft token."""
        next_best = [NEXT_BEST * (1.0 - NEXT_BEST) ** rank for rank in range(MOST_RECOVERY)]
        others = [(1.0 - self._acceptance) * chance for chance in next_best]
        return [self._acceptance, *others][:MOST_RECOVERY] if is_last else next_best

    def _deepened(self, drafted: int, *, there: bool) -> list[list[int]]:
        """Return how many tokens the branches of each cut get during a pass of `drafted` tokens.

        `there` is that of `two_macs`.
        """
        if (drafted, there) not in self._depths:
            left_ms = self._link.window_ms(VERIFY_MS[drafted], there=there)
            left_ms -= self._model.pass_there_ms(1 if there else drafted + 1)
            rates = [self._acceptance]
            cuts = enumerate(cut_chances(rates, drafted))
            chances = [cut * chance for accepted, cut in cuts for chance in self._recovery(accepted == drafted)]
            depths = [0] * len(chances)
            while chosen := branches_to_deepen(chances, depths, max(DEPTHS), rates, self._model.row):
                left_ms -= self._model.pass_there_ms(len(chosen))
                if left_ms < 0.0:
                    break
                for branch in chosen:
                    depths[branch] += 1
            by_cut = range(0, len(depths), MOST_RECOVERY)
            self._depths[drafted, there] = [depths[first : first + MOST_RECOVERY] for first in by_cut]
        return self._depths[drafted, there]


class TwoMacs:
    """Plays answers of one draft model. With the same seed, ways differ by what they choose only."""

    def __init__(self, model: DraftModel, acceptance: float, link: Link, seed: int) -> None:
        self._model = model
        self._acceptance = acceptance
        self._link = link
        self._random = random.Random(seed)

    def answer(self, tokens: int, *, both: bool) -> Chosen:
        """Decode an answer of `tokens` tokens with a new controller, which may choose what is prepared if `both`."""
        controller = Controller()
        answer = controller.begin()
        runner = _Runner(self._model, self._acceptance, self._link)
        seconds = 0.0
        committed = rounds = drafted_ahead = 0
        depth = FIRST_DEPTH
        while committed < tokens:
            offered, waiting_ms = runner.ready(depth * self._model.here_ms) if both else (0, 0.0)
            offer = Offer({HERE: max(DEPTHS)} | ({AHEAD: offered} if offered else {}))
            [choice] = controller.choose([(answer, offer)])
            accepted = self._accepted(choice.depth)
            measured = self._measured(choice, waiting_ms, accepted, is_timed=rounds % TIMED_EVERY == 1)
            controller.observe_round(answer, measured)
            controller.observe(answer, choice, choice.depth, choice.depth, accepted)
            if both:
                expected = answer.forecast(HERE, choice.depth).accepted[choice.depth] if choice.depth else 0.0
                runner.observe(measured.seconds, 1.0 + expected)
                runner.prepare(choice, accepted, self._random.random(), offered)
            depth = max(1, choice.depth)
            seconds += measured.seconds
            committed += accepted + 1
            rounds += 1
            drafted_ahead += choice.source == AHEAD
        return Chosen(committed / seconds, drafted_ahead / rounds)

    def _accepted(self, drafted: int) -> int:
        accepted = 0
        while accepted < drafted and self._random.random() < self._acceptance:
            accepted += 1
        return accepted

    def _measured(self, choice: Choice, waiting_ms: float, accepted: int, *, is_timed: bool) -> MeasuredRound:
        drafting_ms = waiting_ms + choice.depth * self._model.here_ms * (choice.source == HERE)
        verify_ms = VERIFY_MS[choice.depth] * (1.0 if choice.depth else PIPELINED)
        noise = self._random.lognormvariate(0.0, NOISE)
        seconds = (drafting_ms + verify_ms) * noise / 1e3
        if choice.source is None:
            return MeasuredRound(1, 1, seconds)
        # As in the engine, drafting is seldom timed apart, and never where a runner drafts.
        drafting_s = drafting_ms * noise / 1e3 if is_timed and choice.source == HERE else None
        return MeasuredRound(choice.depth + 1, accepted + 1, seconds, (choice.source, choice.depth), drafting_s)


def answers(model: DraftModel, acceptance: float, link: Link, *, both: bool) -> Chosen:
    """Return the mean of a few answers."""
    chosen = [TwoMacs(model, acceptance, link, seed).answer(TOKENS, both=both) for seed in SEEDS]
    return Chosen(mean(each.tokens_s for each in chosen), mean(each.ahead for each in chosen))


def table() -> str:
    """Return the gains by draft model, acceptance, sort of kernel and protocol."""
    lines = []
    for row, kernels in ((READ_AGAIN, "again for each row"), (READ_ONCE, "once for a few rows")):
        for protocol in Protocol:
            lines.append(f"\nThe M2 reads the weights {kernels}; drafts are {protocol.value}.")
            lines.append("draft  accepted  possible  chosen  of the rounds")
            link = Link(THUNDERBOLT_MS, protocol)
            for name in DRAFTS:
                model = draft_model(name, row)
                lines += [_line(name, model, acceptance, link) for acceptance in ACCEPTANCES]
    return "\n".join(lines).strip()


def _line(name: str, model: DraftModel, acceptance: float, link: Link) -> str:
    possible = gain(model, acceptance, link.message_ms, link.protocol)
    both, alone = (answers(model, acceptance, link, both=both) for both in (True, False))
    return f"{name:5} {acceptance:9.0%} {possible:9.2f} {both.tokens_s / alone.tokens_s:7.2f} {both.ahead:13.0%}"


if __name__ == "__main__":
    print(table())
