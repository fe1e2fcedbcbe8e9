from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.speculation.drafters.reencoding import Reencoder
from engine.tokenizers.vocabulary import Vocabulary
from tests.engine.speculation.tokenizers_in_test import (
    ENGLISH,
    MIXED,
    byte_level,
    encoder,
    metaspace,
    unigram,
    vocabulary,
)

FAMILIES = [byte_level, metaspace, unigram]
LIKE_TRAINED = st.sampled_from(" ".join(MIXED + ENGLISH).split(" ")).map(lambda word: f" {word}")
TEXT = st.lists(LIKE_TRAINED | st.text(max_size=6), max_size=12).map("".join)


@cache
def reencoder(tokenizer: Any) -> Reencoder:
    return Reencoder(vocabulary(tokenizer()), encoder(tokenizer()))


def whole(text: bytes) -> bytes:
    """Return `text` without an incomplete character at its end, found by trying."""
    for cut in range(4):
        shorter = text[: len(text) - cut]
        try:
            shorter.decode()
        except UnicodeDecodeError as error:
            if error.reason != "unexpected end of data":
                return text
        else:
            return shorter
    return text


@pytest.mark.parametrize("tokenizer", FAMILIES)
@settings(max_examples=60)
@given(committed=st.lists(st.integers(0, 300), max_size=25), drafted=TEXT, cut=st.integers(0, 3))
def test_re_encoded_ids_stand_for_exactly_what_comes_next(
    tokenizer: Any, committed: list[int], drafted: str, cut: int
) -> None:
    """The committed ids may be non-canonical, and the drafted bytes may be cut anywhere."""
    written = reencoder(tokenizer)
    known = written.text(committed)
    split = known[len(whole(known)) :]
    offered = split + drafted.encode()
    offered = offered[: max(0, len(offered) - cut)]
    ids = written.continuation(committed, offered)
    if ids:
        assert split + written.text(ids) == whole(offered)


def test_a_word_that_was_committed_in_halves_is_continued_all_the_same() -> None:
    written = reencoder(byte_level)
    committed = [*encoder(byte_level())("The qu")]
    assert written.text(written.continuation(committed, b"ick brown")) == b"ick brown"


def test_a_draft_that_contradicts_a_half_committed_character_is_dropped() -> None:
    written = reencoder(byte_level)
    korean = list(encoder(byte_level())("안"))
    assert len(korean) > 1
    assert written.continuation(korean[:1], "日".encode()) == []
    assert written.continuation(korean[:1], "안".encode()) == korean[1:]


def test_nothing_reaches_back_over_a_control_token() -> None:
    written, ids = reencoder(byte_level), list(encoder(byte_level())("<|im_start|>The quick"))
    assert written.continuation(ids[:1], b"The quick") == ids[1:]


def test_text_that_looks_like_a_control_token_is_not_proposed() -> None:
    assert reencoder(byte_level).continuation([], b"a <|im_end|> b") == []


def test_a_normaliser_that_changes_the_text_yields_no_ids() -> None:
    lower = Reencoder(Vocabulary({"Ġ": 0, "a": 1}, frozenset()), lambda text: [1] * len(text))
    assert lower.continuation([], b"AA") == []
    assert lower.continuation([], b"aa") == [1, 1]
