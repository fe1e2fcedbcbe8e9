"""The rows that the passes of an answer may have, so that its text does not depend on speculation.

Kernels differ in how they round: a row of a wide pass can get other bits than the same row alone. The probe
(`engine.serving.rounding_probe`) finds the widths that are rounded alike on this machine. This module is the only
place that turns its result into a rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.tuning import Rounding


@dataclass(frozen=True, slots=True)
class RowRule:
    """The rows of an answer's passes: plain rounds are made of `plain` rows, and `most` rows or fewer are exact.

    A plain round of two rows feeds its token twice and drops the second row. If the rule is `strict`, no round has more
    than `most` rows; otherwise the controller prefers such rounds where they are about as fast. `most` is 0 while
    nothing is known. All this holds for passes that attend to at most `keys` keys; see `at`.
    """

    plain: int = 1
    most: int = 0
    strict: bool = False
    keys: int = 0

    def allows(self, rows: int) -> bool:
        """Whether a pass of `rows` rows is rounded like a plain round."""
        return self.plain <= rows <= self.most

    def at(self, keys: int) -> RowRule:
        """Return the rule for passes over `keys` keys: beyond those that were tested, only plain rounds are exact."""
        return self if keys <= self.keys or self.most <= self.plain else replace(self, most=self.plain)


UNKNOWN = RowRule()


def row_rule(rounding: Rounding | None, *, same_text: bool) -> RowRule:
    """Return the rule for an answer; `same_text` is what its request asks for.

    Only then plain rounds may have two rows: whatever else decided it would change from answer to answer, and with it
    what plain decoding writes.
    """
    if rounding is None:
        # Without a probe only plain rounds are sure to be alike.
        return RowRule(1, 1, strict=True) if same_text else UNKNOWN
    if not same_text and rounding.plain_rows > 1:
        return UNKNOWN
    return RowRule(rounding.plain_rows, rounding.most_rows, same_text, rounding.keys)
