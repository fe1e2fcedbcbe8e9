from __future__ import annotations

import random

import pytest

from engine.speculation.proposers.suffix_index import KEY_LENGTH, Match, SuffixIndex


def slow_matches(tokens: list[int], excluded: set[int], limit: int, longest: int) -> list[Match]:
    """Return the matches of a search of every place."""
    found = []
    for end in range(len(tokens) - 1, KEY_LENGTH - 1, -1):
        length = 0
        while length < min(longest, end):
            left, right = tokens[end - 1 - length], tokens[len(tokens) - 1 - length]
            if left != right or left in excluded:
                break
            length += 1
        if length >= KEY_LENGTH:
            found.append(Match(end, length))
    return found[:limit]


@pytest.mark.parametrize("seed", range(4))
def test_matches_are_those_of_a_search_of_every_place(seed: int) -> None:
    rng = random.Random(seed)
    excluded = {3}
    index, tokens = SuffixIndex(excluded), list[int]()
    for _ in range(150):
        new = [rng.randrange(5) for _ in range(rng.randrange(4))]
        index.extend(new)
        tokens += new
        assert index.matches(8, 12) == slow_matches(tokens, excluded, 8, 12)


def test_a_repetition_goes_on_past_the_end() -> None:
    index = SuffixIndex()
    index.extend([1, 2, 3, 1, 2, 3])
    assert index.following(3, 8) == [1, 2, 3, 1, 2, 3, 1, 2]
