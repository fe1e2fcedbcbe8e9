"""Streamed text against a simple reference: stop strings, broken characters, tails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx_lm.utils import load_tokenizer

from engine.tokenizers.answer_text import AnswerText

ALPHABET = "abab \n.한글かな漢字🙂é"


@pytest.fixture(scope="module")
def tokenizer(tiny_main: Path) -> Any:
    return load_tokenizer(tiny_main)


def reference(pieces: Sequence[str], stops: Sequence[str]) -> tuple[str, int]:
    """Return the cut text and the number of pieces read, by searching the whole text after each piece."""
    text = ""
    for count, piece in enumerate(pieces, start=1):
        text += piece
        starts = [text.find(stop) for stop in stops if stop in text]
        if starts:
            return text[: min(starts)], count
    return text, len(pieces)


class Pieces:
    """A detokeniser whose token i is the i-th piece of text."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = pieces
        self.last_segment = ""

    def add_token(self, token: int) -> None:
        self.last_segment = self._pieces[token]

    def finalize(self) -> None:
        self.last_segment = ""


pieces_and_stops = st.tuples(
    st.lists(st.text(ALPHABET, max_size=4), max_size=20),
    st.lists(st.text(ALPHABET, min_size=1, max_size=4), max_size=3),
)


@settings(max_examples=80)
@given(pieces_and_stops)
def test_stop_strings_cut_as_if_the_whole_text_were_searched(case: tuple[list[str], list[str]]) -> None:
    pieces, stops = case
    expected, count = reference(pieces, stops)
    text = AnswerText(Pieces(pieces), stops)
    shown, read = "", 0
    for index in range(len(pieces)):
        shown += text.add(index)
        # Shown text is never taken back.
        assert expected.startswith(shown)
        read = index + 1
        if text.stopped_by is not None:
            break
    shown += text.finish()
    assert (shown, text.text, read) == (expected, expected, count)


@settings(max_examples=50)
@given(st.text(ALPHABET, max_size=40))
def test_no_broken_character_is_ever_shown_and_no_tail_is_lost(tokenizer: Any, written: str) -> None:
    tokens = tokenizer.encode(written, add_special_tokens=False)
    text = AnswerText(tokenizer.detokenizer)
    deltas = [text.add(token) for token in tokens]
    deltas.append(text.finish())
    assert all("�" not in delta for delta in deltas)
    # mlx-lm's detokeniser drops one leading space of the whole text.
    assert "".join(deltas) in (written, written.removeprefix(" "))


def test_a_stop_string_inside_a_multi_byte_character_never_matches_half_of_it(tokenizer: Any) -> None:
    tokens = tokenizer.encode("가나다라", add_special_tokens=False)
    text = AnswerText(tokenizer.detokenizer, ["다"])
    shown = "".join(text.add(token) for token in tokens if text.stopped_by is None)
    assert shown == "가나"
    assert text.stopped_by


@pytest.mark.first
def test_an_unfinished_character_at_the_end_is_not_shown(tokenizer: Any) -> None:
    tokens = tokenizer.encode("라🙂", add_special_tokens=False)
    text = AnswerText(tokenizer.detokenizer)
    for token in tokens[:-1]:
        text.add(token)
    text.finish()
    assert text.text == "라"


@pytest.mark.parametrize("words", ["one two three", "하나 둘 셋", "a\n\n b"])
def test_a_continued_answer_joins_what_was_there_exactly(tokenizer: Any, words: str) -> None:
    tokens = tokenizer.encode(words, add_special_tokens=False)
    for cut in range(1, len(tokens)):
        before = tokenizer.decode(tokens[:cut])
        if "\ufffd" in before:
            continue
        text = AnswerText(tokenizer.detokenizer, after=tokens[cut - 1 : cut])
        rest = "".join(text.add(token) for token in tokens[cut:]) + text.finish()
        assert before + rest == words
