"""What is found without reading all texts is what a search of all finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.prefix.text_index import TextIndex

# Few different tokens, so that texts share beginnings; -1 stands for a picture.
TEXTS = st.lists(st.lists(st.integers(-1, 2), max_size=6), max_size=12)


def shared(one: list[int], other: list[int]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


@pytest.mark.full
@settings(max_examples=150)
@given(texts=TEXTS, gone=st.sets(st.integers(0, 11)), text=st.lists(st.integers(-1, 2), max_size=7))
def test_an_index_finds_what_a_search_of_all_texts_finds(
    texts: list[list[int]], gone: set[int], text: list[int]
) -> None:
    index = TextIndex[int]()
    for number, one in enumerate(texts):
        index.add(one, number)
    for number in gone:
        if number < len(texts):
            index.remove(texts[number], number)
    kept = {number: one for number, one in enumerate(texts) if number not in gone}

    nearest = list(index.nearest(text))
    assert {found.value: found.length for found in nearest} == {
        number: shared(one, text) for number, one in kept.items()
    }
    assert [found.length for found in nearest] == sorted((found.length for found in nearest), reverse=True)
    assert index.most_shared(text) == max((shared(one, text) for one in kept.values()), default=0)
    assert set(index.continuations(text)) == {number for number, one in kept.items() if one[: len(text)] == text}
    # The longest first, and of equal ones the newest.
    begun = [number for number, one in kept.items() if one and text[: len(one)] == one]
    assert [found.value for found in index.beginnings(text)] == sorted(begun, key=lambda n: (-len(kept[n]), -n))
