"""The engine's figures of each pair, as rows to show. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.speculation.proposers.registry import PROPOSERS
from engine.tuning import ContextFigures, LearnedPair, Pair, best_of


@dataclass(frozen=True)
class LearnedRow:
    """One pair at contexts from `tokens_from` to below `tokens_below` tokens (None: no upper bound).

    `depth` draft tokens of `source` a round are expected to be fastest; 0 means plain decoding, whose speed is
    `plain_tps`. `speedup` with its bounds is None until an answer measured it. `accept_rate` of `source` is None until
    a token was verified. `samples` rounds were measured. `slowed` is "" or what slowed the machine down, as in
    `RequestStats`.
    """

    pair: Pair
    main: str
    draft: str
    loaded: bool
    tokens_from: int
    tokens_below: int | None
    plain_tps: float
    source: str
    depth: int
    accept_rate: float | None
    samples: int
    slowed: str = ""
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None


def learned_rows(pairs: Iterable[LearnedPair]) -> list[LearnedRow]:
    """Return a row for each pair and context length: the loaded pair first, then the last used ones."""
    latest_first = list(pairs)[::-1]
    ordered = sorted(latest_first, key=lambda pair: not pair.loaded)
    return [_row(pair, figures) for pair in ordered for figures in pair.contexts]


def accept_rate(pair: LearnedPair, source: str) -> float | None:
    """Return accepted over verified tokens of a source, over all positions."""
    positions = [one for one in pair.acceptance if one.source == source]
    reached = sum(one.reached for one in positions)
    return sum(one.accepted for one in positions) / reached if reached else None


def _row(pair: LearnedPair, figures: ContextFigures) -> LearnedRow:
    source = max(PROPOSERS, key=lambda one: best_of(figures, one)[1])
    depth, _ = best_of(figures, source)
    measured = sum(one.samples for one in figures.depths if one.source == source)
    return LearnedRow(
        pair.pair,
        pair.main,
        pair.draft,
        pair.loaded,
        figures.tokens_from,
        figures.tokens_below,
        figures.plain_tps,
        source,
        depth,
        accept_rate(pair, source),
        figures.plain_samples + measured,
        pair.slowed,
        *(figures.speedup or ()),
    )
