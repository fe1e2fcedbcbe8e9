"""Costs and acceptance of speculation on this machine, as plain data for front ends."""

from __future__ import annotations

from dataclasses import dataclass

# Main and draft model as the learned file knows them: name and size, "" without a draft.
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DepthFigures:
    """Rounds of `depth` draft tokens of `source` at one context length, which take `round_s` seconds.

    `break_even` is the acceptance of every draft token at which such a round is as fast as plain decoding; None if
    even perfect drafting would not pay. `expected_tps` follows from the acceptance seen so far. `samples` rounds of
    this depth's width were measured; with 0 the figures are interpolated or extrapolated.
    """

    source: str
    depth: int
    round_s: float
    break_even: float | None
    expected_tps: float
    samples: int


@dataclass(frozen=True, slots=True)
class ContextFigures:
    """The figures for context lengths of `tokens_from` tokens and more, below `tokens_below` (None: no bound).

    `plain_tps` is the speed of plain decoding there, from `plain_samples` rounds. `speedup` is the ratio that answers
    measured there, with its bounds; None if none did.
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

    `reached` of them were checked, because all before them were accepted, and `accepted` were accepted. Both
    decay, so they are fractional.
    """

    source: str
    position: int
    reached: float
    accepted: float


@dataclass(frozen=True, slots=True)
class LearnedPair:
    """Everything learned about one main model with one draft model, or with none.

    `pair` is the argument of `EngineClient.forget_learned`; `main` and `draft` are its names ("" without a draft).
    `loaded` says whether these two are loaded now. `slowed` is "" or what slowed the machine down meanwhile, as in
    `RequestStats`.
    """

    pair: Pair
    main: str
    draft: str
    loaded: bool
    contexts: tuple[ContextFigures, ...]
    acceptance: tuple[AcceptanceFigures, ...]
    slowed: str = ""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The result of a calibration of the loaded pair, which took `seconds`; the learned figures contain it too.

    `best_depth` draft tokens a round are expected to be fastest, `speedup` times as fast as plain decoding; they are 0
    and 1.0 if plain decoding is. With `acceptance_seen` this follows from draft tokens that answers checked; otherwise
    acceptance is assumed. `complete` is false if a request interrupted it; the remaining figures are then unchanged.
    """

    pair: Pair
    figures: ContextFigures | None
    best_depth: int
    speedup: float
    acceptance_seen: bool
    complete: bool
    seconds: float


def break_even(depth: int, plain_s: float, round_s: float) -> float | None:
    """Return the least acceptance, in steps of a percent, at which a round of `depth` draft tokens pays, or None."""
    shares = (percent / 100 for percent in range(101))
    return next(
        (share for share in shares if plain_s * sum(share**power for power in range(depth + 1)) >= round_s), None
    )


def best_of(figures: ContextFigures, source: str) -> tuple[int, float]:
    """Return the fastest expected depth of `source` and its speed-up; (0, 1.0) if no depth beats plain decoding."""
    speeds = [(one.expected_tps / figures.plain_tps, one.depth) for one in figures.depths if one.source == source]
    speedup, depth = max(speeds, default=(0.0, 0))
    return (depth, speedup) if speedup > 1.0 else (0, 1.0)
