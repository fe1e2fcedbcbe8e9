"""Ids of a main model in those of a draft with another tokenizer."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.speculation.drafters.translation import NO_ID, Translation
from engine.tokenizers.vocabulary import Vocabulary, bytes_by_id
from tests.engine.speculation.tokenizers_in_test import byte_level, metaspace, unigram, vocabulary


class Known:
    """A tokenizer of which only the vocabulary is known."""

    def __init__(self, known: Vocabulary) -> None:
        self._ids, self.all_special_tokens = known.ids, tuple(known.special)

    def get_vocab(self) -> Any:
        return self._ids


def translation(main: Vocabulary, draft: Vocabulary) -> Translation:
    return Translation(Known(main), Known(draft))


def test_a_control_token_never_stands_for_the_text_that_looks_like_it() -> None:
    ids = {"Ġa": 0, "<eos>": 1}
    found = translation(Vocabulary(ids, frozenset({"<eos>"})), Vocabulary(ids, frozenset()))
    assert found.to_draft.tolist() == [0, NO_ID]
    assert found.translate([0, 1, 7]) == [0]


def test_a_token_that_the_draft_lacks_is_spelled_with_its_longest_ones() -> None:
    main = Vocabulary({"Ġthere": 0, "x": 1, "Ġthex": 2}, frozenset())
    draft = Vocabulary({"▁the": 0, "▁": 1, "t": 2, "h": 3, "e": 4, "r": 5, "re": 6}, frozenset())
    assert translation(main, draft).translate([0, 1, 2]) == [0, 6, 0]


@pytest.mark.parametrize("pair", [*permutations((byte_level, metaspace, unigram), 2)])
@settings(max_examples=30)
@given(data=st.data())
def test_draft_ids_spell_the_bytes_of_the_main_ids(pair: tuple[Any, Any], data: st.DataObject) -> None:
    main, draft = (vocabulary(tokenizer()) for tokenizer in pair)
    main_bytes, draft_bytes, found = bytes_by_id(main), bytes_by_id(draft), translation(main, draft)
    tokens = data.draw(st.lists(st.integers(0, main.size - 1), max_size=12))
    written = b"".join(draft_bytes[token] or b"" for token in found.translate(tokens))
    wanted = b"".join(main_bytes[token] or b"" for token in tokens)
    assert written == wanted or not {bytes([byte]) for byte in wanted} <= set(draft_bytes)
