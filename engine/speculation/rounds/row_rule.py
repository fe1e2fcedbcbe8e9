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
    """The rows of a pass: `most` rows or fewer are exact, 0 while nothing is known.

    If the rule is `strict`, no round has more; otherwise the controller prefers such rounds where they are about as
    fast.
    """

    most: int = 0
    strict: bool = False

    def allows(self, rows: int) -> bool:
        """Whether a pass of `rows` rows is rounded like a plain round."""
        return rows <= self.most


UNKNOWN = RowRule()


@dataclass(frozen=True, slots=True)
class RowRules:
    """The rules of an answer's passes by the keys that they attend to; `strict` if its request wants the same text."""

    rounding: Rounding | None = None
    strict: bool = False

    def at(self, first: int, last: int = 0) -> RowRule:
        """Return the rule for passes whose rows attend to `first` to `last` keys; `last` may be left out if the same.

        Only plain rounds are exact where the rows would get other kernels than alone, and beyond the tested keys.
        """
        if self.rounding is None and not self.strict:
            return UNKNOWN
        before = 0
        for known in () if self.rounding is None else self.rounding.ranges:
            if before < first and max(first, last) < known.keys:
                return RowRule(known.rows, self.strict)
            before = known.keys
        # Without a probe, too, only plain rounds are sure to be alike.
        return RowRule(1, self.strict)
