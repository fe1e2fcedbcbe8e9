"""Costs and acceptance of speculation on this machine, as plain data for front ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.stats import MeasuredSpeedup

# Main and draft model as the learned file knows them: name and size, "" without a draft.
Pair = tuple[str, str]
# The tokens that the totals of a pair stand for at most; older answers are scaled down.
MOST_TOKENS = 20_000.0


@dataclass(frozen=True, slots=True)
class DepthFigures:
    """Rounds of `depth` draft tokens of `source` at one context length.

    `round_s` seconds a round, of which `draft_s` for drafting. `break_even` is the acceptance, the same for every draft
    token, at which such a round is as fast as plain decoding; None where even perfect drafting would not pay.
    `expected_tps` follows from the acceptance seen so far. `samples` rounds of this depth's width were measured; with
    0 the figures lie between or beyond those that were.
    """

    source: str
    depth: int
    round_s: float
    draft_s: float
    break_even: float | None
    expected_tps: float
    samples: int


@dataclass(frozen=True, slots=True)
class SpeedupTotals:
    """What answers of a pair took and what plain decoding would have taken, in seconds; old answers fade.

    `error_s` is the sum of `plain_s` times the relative error of each answer.
    """

    plain_s: float = 0.0
    decode_s: float = 0.0
    tokens: float = 0.0
    error_s: float = 0.0

    def with_answer(self, found: MeasuredSpeedup) -> SpeedupTotals:
        keep = min(1.0, MOST_TOKENS / (self.tokens + found.tokens))
        return SpeedupTotals(
            keep * (self.plain_s + found.plain_s),
            keep * (self.decode_s + found.decode_s),
            keep * (self.tokens + found.tokens),
            keep * (self.error_s + found.error * found.plain_s),
        )

    @property
    def spread(self) -> tuple[float, float, float]:
        """The speed-up with its lower and upper bound."""
        factor, error = self.plain_s / self.decode_s, self.error_s / self.plain_s
        return factor, factor * (1.0 - error), factor * (1.0 + error)


@dataclass(frozen=True, slots=True)
class ContextFigures:
    """What was learned at context lengths of `tokens_from` tokens and more, below `tokens_below` (None: no bound).

    `plain_tps` is the speed of plain decoding there, from `plain_samples` rounds. `speedup` is what answers measured
    there, with its bounds; None where none did.
    """

    tokens_from: int
    tokens_below: int | None
    plain_tps: float
    plain_samples: int
    depths: tuple[DepthFigures, ...] = ()
    speedup: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class AcceptanceFigures:
    """Draft tokens of `source` in position `position` of their rounds (0 is the first).

    `reached` of them were checked, because all before them were accepted, and `accepted` were accepted themselves. Both
    fade: a round counts for a part of what the next one does, so they are no whole numbers.
    """

    source: str
    position: int
    reached: float
    accepted: float


@dataclass(frozen=True, slots=True)
class LearnedPair:
    """Everything learned about one main model with one draft model, or with none.

    `pair` is the argument of `EngineClient.forget_learned`; `main` and `draft` are its names ("" without a draft).
    `loaded`: these two are loaded now.
    """

    pair: Pair
    main: str
    draft: str
    loaded: bool
    contexts: tuple[ContextFigures, ...]
    acceptance: tuple[AcceptanceFigures, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """The result of a calibration of the loaded pair, which took `seconds`; the learned figures contain it too.

    `best_depth` draft tokens a round are expected to be fastest, `speedup` times as fast as plain decoding; 0 and 1.0
    where plain decoding is. `acceptance_seen`: that follows from draft tokens that were checked, in answers or in the
    calibration itself; otherwise acceptance is only assumed, and `figures.depths` say from which acceptance on a depth
    pays. Not `complete` where a request interrupted it: depths that were not reached keep their old figures.
    """

    pair: Pair
    figures: ContextFigures | None
    best_depth: int
    speedup: float
    acceptance_seen: bool
    complete: bool
    seconds: float


def break_even(depth: int, plain_s: float, round_s: float) -> float | None:
    """The acceptance of every draft token at which a round of `depth` of them commits tokens at plain speed.

    Solves 1 + a + a^2 + ... + a^depth = round_s / plain_s for a; None where that is above 1.
    """
    wanted = round_s / plain_s
    if wanted <= 1.0:
        return 0.0
    if wanted > depth + 1:
        return None
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        if sum(middle**power for power in range(depth + 1)) < wanted:
            low = middle
        else:
            high = middle
    return high


def best_of(figures: ContextFigures, source: str) -> tuple[int, float]:
    """The depth of `source` that is expected to be fastest and its speed-up; (0, 1.0) where none beats plain."""
    depths: Sequence[DepthFigures] = [depth for depth in figures.depths if depth.source == source]
    best = max(depths, key=lambda depth: depth.expected_tps, default=None)
    if best is None or best.expected_tps <= figures.plain_tps:
        return 0, 1.0
    return best.depth, best.expected_tps / figures.plain_tps
