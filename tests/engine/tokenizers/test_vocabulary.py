"""What the tokens of a vocabulary stand for."""

from __future__ import annotations

from pathlib import Path

from transformers import PreTrainedTokenizerFast

from engine.tokenizers.vocabulary import Vocabulary, parts_of_characters, tokens_by_bytes, vocabulary_of
from tests.engine.speculation.tokenizers_in_test import byte_level, saved, vocabulary


def test_the_vocabulary_of_a_loaded_tokenizer_knows_its_control_tokens(tmp_path: Path) -> None:
    loaded = PreTrainedTokenizerFast(
        tokenizer_file=str(saved(byte_level(), tmp_path)),
        eos_token="<|im_end|>",
        additional_special_tokens=["<|im_start|>"],
    )
    assert vocabulary_of(loaded) == vocabulary(byte_level())


def test_tokens_stand_for_the_same_bytes_however_they_are_written() -> None:
    byte_level = Vocabulary({"Ġthe": 0, "the": 1, "é": 2, "Ã©": 3, "<eos>": 4}, frozenset({"<eos>"}))
    metaspace = Vocabulary({"the": 0, "▁the": 1, "é": 2, "▁a": 3, "<eos>": 4}, frozenset({"<eos>"}))
    assert tokens_by_bytes(byte_level) == {b" the": 0, b"the": 1, b"\xe9": 2, "é".encode(): 3, "<eos>": 4}
    assert tokens_by_bytes(metaspace) == {b"the": 0, b" the": 1, "é".encode(): 2, b" a": 3, "<eos>": 4}


def test_parts_of_characters_have_their_bytes() -> None:
    tokens = {"Ġthe": 0, "Ã": 1, "©": 2, "Ã©": 3, "ĠÃ": 4, "<eos>": 5}
    assert parts_of_characters(Vocabulary(tokens, frozenset({"<eos>"}))) == {1: b"\xc3", 2: b"\xa9", 4: b" \xc3"}
    fallback = Vocabulary({"▁a": 0, "<0x41>": 1, "<0xFF>": 2, "é": 3}, frozenset())
    assert parts_of_characters(fallback) == {2: b"\xff"}


def test_an_ordinary_token_is_preferred_to_the_fallback_of_its_byte() -> None:
    assert tokens_by_bytes(Vocabulary({"▁a": 0, "<0x41>": 1, "A": 2, "<0xFF>": 3}, frozenset())) == {
        b" a": 0, b"A": 2, b"\xff": 3,
    }  # fmt: skip
