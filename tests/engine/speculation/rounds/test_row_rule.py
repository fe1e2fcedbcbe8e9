"""What the probe's findings mean for the rows of an answer's passes."""

from __future__ import annotations

import pytest

from engine.speculation.rounds.row_rule import RowRules
from engine.tuning import KeyRange, Rounding

FOUND = Rounding((KeyRange(1024, 12), KeyRange(4096, 4)))


@pytest.mark.parametrize(
    ("rounding", "same_text", "keys", "exact"),
    [
        (FOUND, False, 100, range(1, 13)),
        (FOUND, True, 100, range(1, 13)),
        (FOUND, True, 1024, [1]),
        (FOUND, True, 1025, range(1, 5)),
        # Beyond the tested keys, only plain rounds are sure to be alike, as before the probe.
        (FOUND, True, 4097, [1]),
        (FOUND, False, 4097, [1]),
        (None, True, 100, [1]),
        (None, False, 100, ()),
    ],
)
def test_widths_that_a_rule_allows(rounding: Rounding | None, *, same_text: bool, keys: int, exact: list[int]) -> None:
    rule = RowRules(rounding, same_text).at(keys)
    assert [rows for rows in range(1, 20) if rule.allows(rows)] == list(exact)
    assert rule.strict is same_text


@pytest.mark.parametrize(
    ("first", "last", "most"), [(1000, 1023, 12), (1000, 1024, 1), (1000, 1030, 1), (1025, 1030, 4)]
)
def test_no_draft_token_crosses_from_one_range_to_the_next(first: int, last: int, most: int) -> None:
    """Its row would be computed by the kernels of the longer text."""
    assert RowRules(FOUND, strict=True).at(first, last).most == most
