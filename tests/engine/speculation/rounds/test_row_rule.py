"""What the probe's findings mean for the rows of an answer's passes."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.speculation.rounds.row_rule import RowRules
from engine.speculation.rounds.sequence import CachedSequence
from engine.tuning import ENOUGH_NARROW, NARROW, KeyRange, Rounding
from tests.engine.speculation.families import build, fresh_caches

LIKE_M3 = Rounding((KeyRange(1024, 2, 12), KeyRange(4096, 2, 4)), 0.1)
# Attention over more keys has an order of sums of its own for a row alone.
LIKE_M1 = Rounding((KeyRange(4096, 1, 12), KeyRange(8192, 2, 12)), 0.1)


@pytest.mark.parametrize(
    ("rounding", "same_text", "keys", "plain", "exact"),
    [
        (LIKE_M1, False, 100, 1, range(1, 13)),
        (LIKE_M1, False, 5000, 1, ()),
        (LIKE_M1, True, 100, 1, range(1, 13)),
        (LIKE_M1, True, 5000, 2, range(2, 13)),
        # Nothing is like a plain round of one row.
        (LIKE_M3, False, 100, 1, ()),
        (LIKE_M3, True, 100, 2, range(2, 13)),
        (LIKE_M3, True, 1024, 2, [2]),
        (LIKE_M3, True, 1025, 2, range(2, 5)),
        # Beyond the tested keys, only plain rounds are sure to be alike, as before the probe.
        (LIKE_M3, True, 4097, 1, [1]),
        (None, True, 100, 1, [1]),
        (None, False, 100, 1, ()),
    ],
)
def test_widths_that_a_rule_allows(
    rounding: Rounding | None, *, same_text: bool, keys: int, plain: int, exact: list[int]
) -> None:
    rule = RowRules(rounding, same_text).at(keys)
    assert [rows for rows in range(1, 20) if rule.allows(rows)] == list(exact)
    assert rule.plain == plain
    assert rule.strict is same_text


@pytest.mark.parametrize(
    ("first", "last", "most"), [(1000, 1023, 12), (1000, 1024, 2), (1000, 1030, 2), (1025, 1030, 4)]
)
def test_no_draft_token_crosses_from_one_range_to_the_next(first: int, last: int, most: int) -> None:
    """Its row would be computed by the kernels of the longer text."""
    rule = RowRules(LIKE_M3, strict=True).at(first, last)
    assert (rule.plain, rule.most) == (2, most)


@pytest.mark.parametrize("name", ["llama", "llama:window", "llama:quantised"])
def test_plain_rounds_of_two_rows_leave_no_trace_of_the_second(name: str) -> None:
    tokens = [(11 * index + 5) % 96 for index in range(30)]

    def decoded(plain: int) -> list[mx.array]:
        sequence = CachedSequence(build(name), fresh_caches(name))
        sequence.row_rules = RowRules(Rounding((KeyRange(100, plain, plain),), 0.0), strict=True)
        sequence.append(tokens[:6])
        rows, fed = [sequence.verify()], []
        for index, token in enumerate(tokens[6:]):
            if fed:
                sequence.commit(1, fed)
                sequence.append([token])
            else:
                sequence.commit(0, [token] if index % 3 else [])
            # Every third round is started before the host has read the one before.
            fed = [] if fed or index % 3 else [token]
            rows.append(sequence.verify(mx.array(fed) if fed else ()))
        return rows

    for one, other in zip(decoded(1), decoded(2), strict=True):
        assert one.shape == other.shape
        assert mx.allclose(one, other, atol=1e-4).item()


def test_the_share_of_tokens_that_rounding_decides_follows_from_leads_and_differences() -> None:
    known = Rounding((KeyRange(1117, 1, 1),), 0.01, top2_margins=1000, narrow=ENOUGH_NARROW - 1)
    assert known.one_in is None
    known.narrow = 100
    # A tenth of the margins is below NARROW, so 0.1 / NARROW * 0.01 / 2 of all tokens change.
    assert known.one_in == round(2 * NARROW / (0.1 * 0.01))
    assert Rounding((KeyRange(1117, 1, 17),), 0.0, top2_margins=1000, narrow=100).one_in is None
