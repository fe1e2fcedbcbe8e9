"""Drafting ahead on a second Mac, by published costs: an M4 Pro verifies a 27B in 4 bits, an M2 runs the draft model.

    python -m tests.engine.speculation.two_macs

prints how many times as fast as drafting on the M4 Pro that is, for each draft model, acceptance and duration of a
message. Each way has the depth that suits it best, and drafting ahead the best number of branches. Nothing is drawn at
random: outcomes have probabilities, and speeds are those of infinitely many rounds.

A synchronous round is `depth` steps of the draft model and a pass of the main model. With drafting ahead, the M2
continues the likeliest outcomes of the pass side by side while the pass runs (arXiv:2603.03251). If the outcome is one
of them, the next round has its draft at once; if not, the M4 Pro drafts, as in a synchronous round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from tests.engine.speculation.copies import STOCK, copying_machine

# Gigabytes that a plain step reads in a second. M4 Pro: a 27B, 15.6 GB with its scales, takes 78 ms (mlx-dspark
# 0.20.3). M2: half of an M2 Pro, like its bandwidth; an 8B makes 36.2 tokens a second there (AlexsJones/llmfit#1031).
M4_PRO_GB_S, M2_GB_S = 205.0, 88.0
# What a step of a small model takes besides reading: a 0.6B takes 2.6 ms on an M3 Ultra, which reads it in 0.6 ms
# (raullenchai/Rapid-MLX#633).
LAUNCHES_MS = 2.0
# The bytes of a weight in 4 bits with its share of the scale.
BYTES = 4.5 / 8
# What each further row adds to a pass on an M2, in passes of one row: two rows cost 1.72 (mlx-lm#990), because MLX's
# kernels read the weights again. Kernels that read them once for a few rows are not published for an M2; on an M4 Pro
# four rows cost 1.3 (mlx-dspark 0.20.3).
READ_AGAIN, READ_ONCE = 0.72, 0.1
# Draft models, in billions of weights.
DRAFTS = {"0.6B": 0.6, "1.7B": 1.7, "4B": 4.0}
# The chance that a draft token is accepted: low, as usual in a chat, as usual in code.
ACCEPTANCES = (0.6, 0.75, 0.9)
# Milliseconds of a message: Thunderbolt from 0.1 to 0.3, a quiet network 2, a busy wireless one 20.
MESSAGES_MS = (0.2, 0.3, 2.0, 20.0)
# The chance that the main model takes the draft model's next best token if it takes none of the better ones. Three
# branches after a rejected token then have the right one in 88 % of cases; published: up to 90 % (arXiv:2603.03251).
NEXT_BEST = 0.5
DEPTHS, BRANCHES = range(1, 9), range(1, 13)
# Milliseconds of a pass of the main model by draft tokens.
VERIFY_MS: Sequence[float] = copying_machine(STOCK).passes
# More iterations change no printed figure.
ITERATIONS = 40


class Protocol(Enum):
    """Who sends what: the M4 Pro asks with the outcome and waits for its draft, or the M2 sends every draft it has."""

    ASK = "asked for"
    SEND = "sent ahead"


@dataclass(frozen=True)
class DraftModel:
    """The milliseconds of a draft model's step on the M4 Pro (`here`) and on the M2 (`there`).

    On the M2 each further row of a pass adds `row` of a step.
    """

    here_ms: float
    there_ms: float
    row: float

    def pass_there_ms(self, rows: int) -> float:
        return self.there_ms * (1.0 + self.row * (rows - 1))


@dataclass(frozen=True)
class Speed:
    """Tokens a second with rounds of at most `depth` draft tokens and with so many `branches`, 0 without the M2.

    `hits` is the share of rounds whose draft came from the M2.
    """

    tokens_s: float
    depth: int
    branches: int = 0
    hits: float = 0.0


def draft_model(name: str, row: float = READ_AGAIN) -> DraftModel:
    gigabytes = DRAFTS[name] * BYTES
    return DraftModel(LAUNCHES_MS + 1e3 * gigabytes / M4_PRO_GB_S, LAUNCHES_MS + 1e3 * gigabytes / M2_GB_S, row)


def synchronous(model: DraftModel, acceptance: float) -> Speed:
    """Return the speed of the M4 Pro alone at its best depth."""
    speeds = [
        Speed(1e3 * _committed(depth, acceptance) / (VERIFY_MS[depth] + depth * model.here_ms), depth)
        for depth in DEPTHS
    ]
    return max(speeds, key=lambda speed: speed.tokens_s)


def ahead(model: DraftModel, acceptance: float, message_ms: float, protocol: Protocol = Protocol.ASK) -> Speed:
    """Return the speed with the M2 at its best depth and number of branches."""
    link = Link(message_ms, protocol)
    speeds = [
        _ahead(model, acceptance, link, depth, branches)
        for depth in DEPTHS
        for branches in BRANCHES
        # Wider passes prepare less than narrower ones that fill the time.
        if model.pass_there_ms(branches) <= VERIFY_MS[depth]
    ]
    return max(speeds, key=lambda speed: speed.tokens_s)


def gain(model: DraftModel, acceptance: float, message_ms: float, protocol: Protocol = Protocol.ASK) -> float:
    return ahead(model, acceptance, message_ms, protocol).tokens_s / synchronous(model, acceptance).tokens_s


def longest_message_ms(model: DraftModel, acceptance: float, protocol: Protocol = Protocol.ASK) -> float:
    """Return the duration of a message up to which drafting ahead pays; 0 if it never does."""
    shortest, longest = 0.0, 100.0
    while longest - shortest > 0.05:
        middle = (shortest + longest) / 2.0
        if gain(model, acceptance, middle, protocol) > 1.0:
            shortest = middle
        else:
            longest = middle
    return shortest


@dataclass(frozen=True)
class Link:
    """The connection of the two Macs, on which a message takes `message_ms`."""

    message_ms: float
    protocol: Protocol

    @property
    def waiting_ms(self) -> float:
        """The milliseconds between the end of a pass and the arrival of a prepared draft."""
        return 2.0 * self.message_ms if self.protocol is Protocol.ASK else 0.0

    def window_ms(self, verify_ms: float, *, there: bool) -> float:
        """Return how long the M2 can draft for the outcomes of a pass; `there` if it made the proposal itself."""
        if self.protocol is Protocol.SEND:
            # It learns the outcome before, and its drafts have to arrive before the pass ends.
            return verify_ms - 2.0 * self.message_ms
        # It has the proposal a message before the M4 Pro, and hears of the outcome a message after the pass.
        return verify_ms + (2.0 * self.message_ms if there else 0.0)


def _committed(depth: int, acceptance: float) -> float:
    """Return the tokens that a round of `depth` draft tokens commits on average."""
    return sum(acceptance**accepted for accepted in range(depth + 1))


@cache
def likeliest(drafted: int, acceptance: float, count: int) -> float:
    """Return the probability of the `count` likeliest outcomes of a round.

    An outcome is how many draft tokens are accepted, and the token that follows them: after a rejected token one of the
    draft model's next best, after the last token also its best.
    """
    chances = [acceptance ** (drafted + 1)]
    for accepted in range(drafted + 1):
        next_best = acceptance**accepted * (1.0 - acceptance) * NEXT_BEST
        chances += [next_best * (1.0 - NEXT_BEST) ** rank for rank in range(count)]
    return sum(sorted(chances, reverse=True)[:count])


def tokens_ready(model: DraftModel, link: Link, drafted: int, branches: int, *, there: bool) -> int:
    """Return how many tokens every branch gets during a pass of `drafted` tokens; `there` as in `window_ms`.

    The M2 has to read the last token of its own proposal first, or all of one that was made on the M4 Pro.
    """
    reading_ms = model.pass_there_ms(1 if there else drafted + 1)
    drafting_ms = link.window_ms(VERIFY_MS[drafted], there=there) - reading_ms
    return max(0, int(drafting_ms / model.pass_there_ms(branches)))


def _ahead(model: DraftModel, acceptance: float, link: Link, depth: int, branches: int) -> Speed:
    """Return the speed of a chain of rounds, whose states are the length of the proposal and whether the M2 made it.

    Nothing waits longer for the M2 than drafting on the M4 Pro takes.
    """
    drafting_ms = depth * model.here_ms
    waiting_ms = min(link.waiting_ms, drafting_ms)
    in_time = link.waiting_ms < drafting_ms
    shares = {(depth, False): 1.0}
    for _ in range(ITERATIONS):
        # Half of the old shares, so that a chain that alternates converges, too.
        following = {state: share / 2.0 for state, share in shares.items()}
        for (drafted, there), share in shares.items():
            ready = min(depth, tokens_ready(model, link, drafted, branches, there=there)) if in_time else 0
            hit = likeliest(drafted, acceptance, branches) if ready else 0.0
            for state, chance in (((ready, True), hit), ((depth, False), 1.0 - hit)):
                following[state] = following.get(state, 0.0) + share * chance / 2.0
        shares = following
    hits = sum(share for (_, there), share in shares.items() if there)
    tokens = sum(share * _committed(drafted, acceptance) for (drafted, _), share in shares.items())
    verify_ms = sum(share * VERIFY_MS[drafted] for (drafted, _), share in shares.items())
    return Speed(1e3 * tokens / (verify_ms + waiting_ms + (1.0 - hits) * drafting_ms), depth, branches, hits)


def table() -> str:
    """Return the gains by draft model and acceptance, for each sort of kernel and each protocol."""
    lines = []
    columns = "".join(f"{f'{message} ms':>9}" for message in MESSAGES_MS)
    for row, kernels in ((READ_AGAIN, "again for each row"), (READ_ONCE, "once for a few rows")):
        for protocol in Protocol:
            lines.append(f"\nThe M2 reads the weights {kernels}; drafts are {protocol.value}.")
            lines.append(f"draft  accepted  alone, tokens/s{columns}  pays up to  with 0.3 ms: depth, branches, hits")
            for name in DRAFTS:
                model = draft_model(name, row)
                lines += [_row(name, model, acceptance, protocol) for acceptance in ACCEPTANCES]
    return "\n".join(lines).strip()


def _row(name: str, model: DraftModel, acceptance: float, protocol: Protocol) -> str:
    alone = synchronous(model, acceptance)
    gains = "".join(f"{gain(model, acceptance, message, protocol):9.2f}" for message in MESSAGES_MS)
    longest = longest_message_ms(model, acceptance, protocol)
    best = ahead(model, acceptance, 0.3, protocol)
    return (
        f"{name:5} {acceptance:9.0%} {alone.tokens_s:16.1f}{gains} {longest:8.1f} ms"
        f"  {best.depth:19}, {best.branches}, {best.hits:.0%}"
    )


if __name__ == "__main__":
    print(table())
