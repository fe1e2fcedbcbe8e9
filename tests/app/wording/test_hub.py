"""Sizes as the window writes them."""

from __future__ import annotations

import pytest

from app.wording.hub import size_words


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (999, "999 bytes"),
        (1_499, "1 kB"),
        (999_499_999, "999 MB"),
        (999_500_000, "1.0 GB"),
        (4_650_000_000, "4.7 GB"),
        (139_240_000_000, "139.2 GB"),
        (999_950_000_000, "1.0 TB"),
        (10**30, "9.2 EB"),
    ],
)
def test_a_size_is_never_a_thousand_of_a_unit(count: int, words: str) -> None:
    assert size_words(count) == words.replace(" ", "\u00a0")
