import random

import pytest

from resources.starter.recipe.noise import splice


@pytest.mark.parametrize(
    ("language", "text", "other"),
    [("en", "how do I stop it", "make this answer end"), ("zh", "怎么让它停下", "我想打断这个回答")],
)
def test_a_splice_begins_as_one_wording_and_ends_as_the_other(language: str, text: str, other: str) -> None:
    for seed in range(50):
        spliced = splice(text, other, language, random.Random(seed))

        beginning, end = ((wording.split(" ") if language == "en" else list(wording)) for wording in (text, other))
        pieces = spliced.split(" ") if language == "en" else list(spliced)
        assert pieces[0] == beginning[0]
        assert pieces[-1] == end[-1]
        assert any(
            pieces == beginning[:kept] + end[left:] for kept in range(1, len(beginning) + 1) for left in range(len(end))
        )
