"""The rows that the passes of an answer may have, so that its text does not depend on speculation.

Kernels differ in how they round: a row of a wide pass can get other bits than the same row alone, and attention changes
its kernels with the number of keys. The probe (`engine.upkeep.rounding_probe`) finds the widths that are rounded alike
on this machine. This module is the only place that turns its result into a rule.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.tuning import Rounding


@dataclass(frozen=True, slots=True)
class RowRule:
    """The rows of a pass: plain rounds are made of `plain` rows, and `most` rows or fewer are exact.

    A plain round of two rows feeds its token twice and drops the second row. If the rule is `strict`, no round has more
    than `most` rows; otherwise the controller prefers such rounds where they are about as fast. `most` is 0 while
    nothing is known.
    """

    plain: int = 1
    most: int = 0
    strict: bool = False

    def allows(self, rows: int) -> bool:
        """Whether a pass of `rows` rows is rounded like a plain round."""
        return self.plain <= rows <= self.most


UNKNOWN = RowRule()


@dataclass(frozen=True, slots=True)
class RowRules:
    """The rules of an answer's passes by the keys that they attend to; `strict` if its request wants the same text."""

    rounding: Rounding | None = None
    strict: bool = False

    def at(self, first: int, last: int = 0) -> RowRule:
        """Return the rule for passes whose rows attend to `first` to `last` keys; `last` may be left out if the same.

        The rows of plain rounds follow from `first` alone, whatever is drafted: without `strict` there is one, because
        whatever else decided it would change from answer to answer, and with it what plain decoding writes. Only plain
        rounds are exact where the rows would get other kernels than alone, and beyond the tested keys.
        """
        if self.rounding is None:
            # Without a probe only plain rounds are sure to be alike.
            return RowRule(1, 1, strict=True) if self.strict else UNKNOWN
        before = 0
        for known in self.rounding.ranges:
            if first <= known.keys:
                if not self.strict and known.plain_rows > 1:
                    return UNKNOWN
                alike = before < first and max(first, last) < known.keys
                return RowRule(known.plain_rows, known.most_rows if alike else known.plain_rows, self.strict)
            before = known.keys
        return RowRule(1, 1, self.strict)
