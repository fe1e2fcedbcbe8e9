"""Costs and acceptance of speculation on this machine, as plain data for front ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated

from msgspec import Meta, Struct

# Main and draft model as the learned file knows them: name and size, "" without a draft.
Pair = tuple[str, str]


class KeyRange(Struct, frozen=True):
    """The widths that are rounded alike while a pass attends to fewer than `keys` keys, and more than the range before.

    A row has the same bits alone and in every pass of up to `rows` rows.
    """

    keys: Annotated[int, Meta(ge=1)]
    rows: Annotated[int, Meta(ge=1)]


class WidthCost(Struct, frozen=True):
    """What all products of one main model with its quantised weights cost over `rows` rows, in products of one row.

    `mlx` is what MLX's kernels cost, `ours` what those of `engine.row_kernels` cost (None if they cannot be compiled).
    Ours are `used` if they round like single rows and are fast enough. `alike` is whether those in use round so.
    """

    rows: int
    mlx: float
    ours: float | None
    used: bool
    alike: bool


class Rounding(Struct, frozen=True):
    """How this machine rounds the rows of one main model's passes, by the number of keys that they attend to.

    `ranges` are ascending; beyond the last one nothing was tested. `kernels` are the costs of products over several
    rows, if the weights are quantised.
    """

    ranges: Annotated[tuple[KeyRange, ...], Meta(min_length=1)]
    kernels: tuple[WidthCost, ...] = ()

    @property
    def kernel_rows(self) -> frozenset[int]:
        """The rows over which products are computed by the kernels of `engine.row_kernels`."""
        return frozenset(cost.rows for cost in self.kernels if cost.used)

    @property
    def usual(self) -> KeyRange:
        """The widths of short texts, with the keys up to which they stay so."""
        *_, last = takewhile(lambda known: known.rows == self.ranges[0].rows, self.ranges)
        return last


@dataclass(frozen=True, slots=True)
class DepthFigures:
    """Rounds of `depth` draft tokens of `source` at one context length.

    `expected_tps` follows from the acceptance seen so far. `samples` rounds of this depth's width were measured; with 0
    the figures are interpolated or extrapolated.
    """

    source: str
    depth: int
    expected_tps: float
    samples: int


@dataclass(frozen=True, slots=True)
class ContextFigures:
    """The figures for context lengths of `tokens_from` tokens and more, below `tokens_below` (None: no bound).

    `plain_tps` is the speed of plain decoding there, from `plain_samples` rounds. `speedup` is the ratio that answers
    measured there, with its bounds; None if none did. `same_text_cost` is the share of the speed that the setting
    "always the same text" costs there; None before the widths were probed.
    """

    tokens_from: int
    tokens_below: int | None
    plain_tps: float
    plain_samples: int
    depths: tuple[DepthFigures, ...] = ()
    speedup: tuple[float, float, float] | None = None
    same_text_cost: float | None = None


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

    `pair` has the identities of the two, `main` and `draft` their names ("" without a draft).
    `loaded` says whether these two are loaded now; only then `rounding` is known.
    """

    pair: Pair
    main: str
    draft: str
    loaded: bool
    contexts: tuple[ContextFigures, ...]
    acceptance: tuple[AcceptanceFigures, ...]
    rounding: Rounding | None = None
