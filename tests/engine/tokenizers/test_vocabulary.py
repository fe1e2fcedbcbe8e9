"""The map between the ids of two vocabularies that stand for the same tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from engine.tokenizers.vocabulary import NO_ID, Vocabulary, bytes_by_id, map_tokens, vocabulary_of
from tests.engine.speculation.tokenizers_in_test import byte_level, metaspace, saved, unigram, vocabulary


def test_the_vocabulary_of_a_loaded_tokenizer_knows_its_control_tokens(tmp_path: Path) -> None:
    loaded = PreTrainedTokenizerFast(
        tokenizer_file=str(saved(byte_level(), tmp_path)),
        eos_token="<|im_end|>",
        additional_special_tokens=["<|im_start|>"],
    )
    assert vocabulary_of(loaded) == vocabulary(byte_level())


def test_tokens_are_matched_by_the_bytes_they_stand_for() -> None:
    main = Vocabulary({"Ġthe": 0, "the": 1, "é": 2, "Ã©": 3, "<eos>": 4}, frozenset({"<eos>"}))
    draft = Vocabulary({"the": 0, "▁the": 1, "é": 2, "▁a": 3, "<eos>": 4}, frozenset({"<eos>"}))
    matched = map_tokens(main, draft)
    assert matched.to_main.tolist() == [1, 0, 3, NO_ID, 4]
    assert matched.to_draft.tolist() == [1, 0, NO_ID, 2, 4]
    assert matched.main_share == 0.8


def test_a_control_token_never_stands_for_the_text_that_looks_like_it() -> None:
    main = Vocabulary({"Ġa": 0, "<eos>": 1}, frozenset({"<eos>"}))
    draft = Vocabulary({"Ġa": 0, "<eos>": 1}, frozenset())
    assert map_tokens(main, draft).to_main.tolist() == [0, NO_ID]


def test_a_fallback_byte_yields_to_the_ordinary_token() -> None:
    main = Vocabulary({"▁a": 0, "<0x41>": 1, "A": 2, "<0xFF>": 3}, frozenset())
    draft = Vocabulary({"▁a": 0, "A": 1, "<0xFF>": 2}, frozenset())
    assert map_tokens(main, draft).to_main.tolist() == [0, 2, 3]


@pytest.mark.parametrize("pair", [(byte_level, metaspace), (metaspace, byte_level), (byte_level, unigram)])
def test_the_map_is_one_to_one_and_keeps_the_bytes(pair: tuple[Any, Any]) -> None:
    main, draft = (vocabulary(tokenizer()) for tokenizer in pair)
    matched, main_bytes, draft_bytes = map_tokens(main, draft), bytes_by_id(main), bytes_by_id(draft)
    assert (matched.to_main != NO_ID).sum() == (matched.to_draft != NO_ID).sum() > 40
    for draft_id, main_id in enumerate(matched.to_main.tolist()):
        if main_id != NO_ID:
            assert matched.to_draft[main_id] == draft_id
            assert main_bytes[main_id] == draft_bytes[draft_id]
