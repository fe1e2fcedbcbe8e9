"""What the probe's findings mean for the rows of an answer's passes."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.speculation.rounds.row_rule import RowRule, row_rule
from engine.speculation.rounds.sequence import Sequence
from engine.tuning import ENOUGH_NARROW, NARROW, Rounding
from tests.engine.speculation.families import build, fresh_caches

pytestmark = pytest.mark.usefixtures("without_compilation")

LIKE_M3 = Rounding(plain_rows=2, most_rows=12, difference=0.1, keys=1117)


@pytest.mark.parametrize(
    ("rounding", "same_text", "exact"),
    [
        (Rounding(1, 12, 0.1, 1117), False, range(1, 13)),
        # Nothing is like a plain round of one row.
        (LIKE_M3, False, ()),
        (LIKE_M3, True, range(2, 13)),
        # Before the probe, only plain rounds are sure to be alike.
        (None, True, [1]),
        (None, False, ()),
    ],
)
def test_widths_that_a_rule_allows(rounding: Rounding | None, *, same_text: bool, exact: list[int]) -> None:
    rule = row_rule(rounding, same_text=same_text)
    assert [rows for rows in range(1, 20) if rule.allows(rows)] == list(exact)
    assert rule.strict is same_text


@pytest.mark.parametrize(("keys", "exact"), [(1117, range(2, 13)), (1118, [2])])
def test_beyond_the_tested_keys_only_plain_rounds_are_exact(keys: int, exact: list[int]) -> None:
    rule = row_rule(LIKE_M3, same_text=True).at(keys)
    assert [rows for rows in range(1, 20) if rule.allows(rows)] == list(exact)
    assert rule.strict


@pytest.mark.parametrize("name", ["llama", "llama:window", "llama:quantised"])
def test_plain_rounds_of_two_rows_leave_no_trace_of_the_second(name: str) -> None:
    tokens = [(11 * index + 5) % 96 for index in range(30)]

    def decoded(rule: RowRule) -> list[mx.array]:
        sequence = Sequence(build(name), fresh_caches(name))
        sequence.row_rule = rule
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

    for one, other in zip(decoded(RowRule(plain=1)), decoded(RowRule(plain=2)), strict=True):
        assert one.shape == other.shape
        assert mx.allclose(one, other, atol=1e-4).item()


def test_the_share_of_tokens_that_rounding_decides_follows_from_leads_and_differences() -> None:
    known = Rounding(1, 1, difference=0.01, keys=1117, leads=1000, narrow=ENOUGH_NARROW - 1)
    assert known.one_in is None
    known.narrow = 100
    # A tenth of the leads is below NARROW, so 0.1 / NARROW * 0.01 / 2 of all tokens change.
    assert known.one_in == round(2 * NARROW / (0.1 * 0.01))
    assert Rounding(1, 17, difference=0.0, keys=1117, leads=1000, narrow=100).one_in is None
