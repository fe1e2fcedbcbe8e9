"""What this machine has learned of rounding and speculation, as plain data for front ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated

from msgspec import Meta, Struct, field

# Main and draft model as the learned file knows them: name and size, "" without a draft.
Pair = tuple[str, str]


# A margin below this many units of the logits counts as narrow: the margins of real answers are spread evenly below it.
NARROW = 0.5
# Narrow margins from which a figure follows: it is then within a third of the true one, as a rule.
ENOUGH_NARROW = 10

_Count = Annotated[int, Meta(ge=0)]


class KeyRange(Struct, frozen=True):
    """The widths that are rounded alike while a pass attends to fewer than `keys` keys, and more than the range before.

    A row has the same bits in every pass of `plain_rows` to `most_rows` rows; `plain_rows` is 1, or 2 where a row alone
    is rounded differently from one of two.
    """

    keys: Annotated[int, Meta(ge=1)]
    plain_rows: Annotated[int, Meta(ge=1, le=2)]
    most_rows: Annotated[int, Meta(ge=1)]


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


class Rounding(Struct):
    """How this machine rounds the rows of one main model's passes, by the number of keys that they attend to.

    `ranges` are ascending; beyond the last one nothing was tested. `difference` is the mean absolute change, in passes
    that are not alike, of the margin: the logit of the best token less that of the second best. `top2_margins` counts
    the tokens of answers whose margin was measured (with a temperature, it includes the noise of the draw); `narrow`
    counts those with a margin below NARROW.
    `kernels` are the costs of products over several rows, if the weights are quantised.
    """

    ranges: Annotated[tuple[KeyRange, ...], Meta(min_length=1)]
    difference: Annotated[float, Meta(ge=0.0)]
    top2_margins: _Count = field(default=0, name="leads")
    narrow: _Count = 0
    kernels: tuple[WidthCost, ...] = ()

    @property
    def kernel_rows(self) -> frozenset[int]:
        """The rows over which products are computed by the kernels of `engine.row_kernels`."""
        return frozenset(cost.rows for cost in self.kernels if cost.used)

    @property
    def usual(self) -> KeyRange:
        """The widths of short texts, with the keys up to which they stay so."""
        plain, most = self.ranges[0].plain_rows, self.ranges[0].most_rows
        *_, last = takewhile(lambda known: (known.plain_rows, known.most_rows) == (plain, most), self.ranges)
        return last

    @property
    def one_in(self) -> int | None:
        """Estimate how many tokens there are for each that rounding changes; None until enough margins were seen.

        A token changes if its margin is smaller than a change against it. Changes for and against it are as likely, and
        small margins are spread evenly: the share of these tokens is half the density of margins times the mean change.
        """
        if self.narrow < ENOUGH_NARROW or not self.difference:
            return None
        return max(1, round(2.0 * NARROW * self.top2_margins / (self.narrow * self.difference)))


@dataclass(frozen=True, slots=True)
class LearnedPair:
    """What a person reads of one main model with one draft model, or with none.

    `pair` has the identities of the two. `loaded` says whether these two are loaded now; only then `rounding` is known.
    `same_text_cost` is the share of the speed that the setting "always the same text" costs in short texts; None before
    the widths were probed.
    """

    pair: Pair
    loaded: bool
    rounding: Rounding | None = None
    same_text_cost: float | None = None

    @property
    def main(self) -> str:
        """The name of the main model."""
        return self.pair[0].rpartition(", ")[0]
