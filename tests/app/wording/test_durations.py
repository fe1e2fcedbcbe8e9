"""Short times as the window writes them."""

from __future__ import annotations

import pytest

from app.wording.durations import brief


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("seconds", "decimals", "words"),
    [
        (0.0004, 1, "0.4 ms"),
        (0.2, 1, "200.0 ms"),
        (0.99996, 1, "1.0 s"),
        (0.9994, 0, "999 ms"),
        (1.26, 0, "1.3 s"),
        (9.96, 0, "10 s"),
        (1234.0, 0, "1,234 s"),
    ],
)
def test_a_time_is_in_seconds_from_one_on(seconds: float, decimals: int, words: str) -> None:
    assert brief(seconds, decimals) == words
