"""Blocks that grow by plain words are not parsed again, and equal those of a splitter that parses every time."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from app.text.blocks import Splitter
from tests.app.markdown_streams import BLOCKS, ODD, stream


def seeds(default: int, full: int) -> list[Any]:
    return [*range(default), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(default, full))]


def assert_parsing_every_time_gives_the_same(pieces: Iterable[str], monkeypatch: pytest.MonkeyPatch) -> None:
    quick, thorough = Splitter(), Splitter()
    monkeypatch.setattr(thorough, "_only_longer", lambda _delta: False)
    monkeypatch.setattr(thorough, "_only_a_row", lambda _delta: False)
    for piece in pieces:
        quick.feed(piece)
        thorough.feed(piece)
        assert quick.frozen == thorough.frozen
        assert quick.tail == thorough.tail


@pytest.mark.parametrize("seed", seeds(15, 60))
def test_blocks_are_those_of_a_splitter_that_parses_every_time(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_parsing_every_time_gives_the_same(stream(seed), monkeypatch)


@pytest.mark.parametrize("seed", seeds(5, 30))
def test_rows_of_a_long_table_are_those_of_a_splitter_that_parses_every_time(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    signs = ("| ", " | ", "a", "\\|", "`", "\n", "\n| ", "|\n", " ", "**", "b ")
    pieces = [draw.choice(signs if draw.random() < 0.9 else BLOCKS + ODD) for _ in range(60)]
    rows = "| one | two |\n" * draw.randrange(8, 102)
    assert_parsing_every_time_gives_the_same(["| a | b |\n|---|---|\n", rows, *pieces], monkeypatch)


def test_a_sentence_is_parsed_only_as_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    splitter, parsed = Splitter(), []
    settle = splitter._settle_prose
    monkeypatch.setattr(splitter, "_settle_prose", lambda: parsed.append(1) or settle())
    for word in ["A draft model ", "guesses ", "several ", "tokens, ", "and so on."]:
        splitter.feed(word)
    assert len(parsed) == 1
