"""What this machine has learned of rounding and speculation, as plain data for front ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

# Main and draft model as the learned file knows them: name and size, "" without a draft.
PairNames = tuple[str, str]


class KeyRange(Struct, frozen=True):
    """The widths that are rounded like a single row for a range of keys.

    A row has the same bits alone and in every pass of up to `rows` rows that attends to fewer than `keys` keys, and to
    no fewer than the range before covers.
    """

    keys: Annotated[int, Meta(ge=1)]
    rows: Annotated[int, Meta(ge=1)]


class PassSize(NamedTuple):
    """The rows of a pass, and the least number of keys that it attends to; 0 if that does not matter."""

    rows: int
    keys: int = 0


class WidthCost(Struct, frozen=True):
    """What whole passes of one main model cost over `rows` rows, in passes of one row.

    `mlx` is what they cost with MLX's kernels, `ours` what they cost with `kernel` of `engine.row_kernels`; None if it
    was not tried, cannot be compiled or stalled. Ours is `used` if it rounds like single rows and is fast enough.
    `alike` is whether the kernels in use round so. `keys` is as in `PassSize`.
    """

    rows: int
    mlx: float
    ours: float | None
    used: bool
    alike: bool
    kernel: str = ""
    keys: int = 0


class KernelProblem(Struct, frozen=True):
    """Why `kernel` of `engine.row_kernels` is not in use, or not in passes of all sizes.

    Metal "refused" to run it, or the race between it and MLX's is "unfinished", because it failed, or because the Mac
    or the program ended meanwhile.
    """

    kernel: str
    why: Literal["refused", "unfinished"]


class Rounding(Struct, frozen=True):
    """How this machine rounds the rows of one main model's passes, by the number of keys that they attend to.

    `ranges` are ascending; beyond the last one nothing was tested. `kernels` are the costs of passes over several rows,
    if the model has layers that kernels of ours are for. `stalled` is whether a round with these ever stalled.
    `problems` are the problems of kernels that were given up.
    """

    ranges: Annotated[tuple[KeyRange, ...], Meta(min_length=1)]
    kernels: tuple[WidthCost, ...] = ()
    stalled: bool = False
    problems: tuple[KernelProblem, ...] = ()

    @property
    def without_kernels(self) -> Rounding:
        """How this machine rounds with MLX's kernels alone; unknown if ours were in use."""
        used = any(cost.used for cost in self.kernels)
        return Rounding((KeyRange(1, 1),), stalled=self.stalled) if used else self

    @property
    def usual(self) -> KeyRange:
        """The widths of short texts, with the keys up to which they stay so."""
        *_, last = takewhile(lambda known: known.rows == self.ranges[0].rows, self.ranges)
        return last


@dataclass(frozen=True, slots=True)
class LearnedPair:
    """What a person reads of one main model with one draft model, or with none.

    `pair` has the identities of the two. `loaded` says whether these two are loaded now; only then `rounding` is known.
    `same_text_cost` is the share of the speed that the setting "always the same text" costs in short texts; None before
    the widths were probed.
    """

    pair: PairNames
    loaded: bool
    rounding: Rounding | None = None
    same_text_cost: float | None = None

    @property
    def main(self) -> str:
        """The name of the main model."""
        return self.pair[0].rpartition(", ")[0]
