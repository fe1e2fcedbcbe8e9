"""How many of a head's draft tokens are verified."""

from __future__ import annotations

import pytest

from engine.speculation.proposers.head import worth_verifying


@pytest.mark.parametrize(
    ("chances", "prices", "count"),
    [
        ((0.9, 0.9, 0.9), (1.0, 1.1, 1.2, 1.3), 3),
        ((0.9, 0.1, 0.9), (1.0, 1.2, 1.4, 1.6), 1),
        # The second token alone is not worth its row, but the pass is no dearer with the third.
        ((0.9, 0.4, 0.9), (1.0, 1.1, 1.6, 1.6), 3),
        # One is always verified: the drafting is paid for.
        ((0.1, 0.1), (1.0, 2.0, 3.0), 1),
    ],
)
def test_as_many_tokens_are_verified_as_gain_more_than_their_rows_cost(
    chances: tuple[float, ...], prices: tuple[float, ...], count: int
) -> None:
    assert worth_verifying(chances, prices) == count
