"""Checks that the blocks of an answer in rounds are those of the text so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.text.blocks import Block, Code, ProseText, Splitter
from app.text.shown import paragraphs_of
from tests.app.random_rounds import NamedAnswer, rounds_of

ROUNDS = [(1, 4), (1, 8), (8, 16)]


def content(blocks: Iterable[Block]) -> list[tuple[object, ...]]:
    """Return what blocks show.

    How many blank lines end one depends on how the text arrives, and so does whether the text of a list has the code
    that is in other blocks.
    """
    contents: list[tuple[object, ...]] = []
    for block in blocks:
        if isinstance(block, Code):
            contents.append((block.text, block.language, block.closed, block.lists, block.quotes))
        elif isinstance(block, ProseText):
            written = tuple(paragraphs_of(block)) if block.after else block.text.strip()
            contents.append((written, block.plain, block.after, block.number))
        else:
            contents.append((block.text.strip(), block.closed, block.lists, block.quotes))
    return contents


def assert_blocks_are_those_of_the_text(rounds: Sequence[str], name: str = "") -> None:
    """Check after each round that the blocks are those of the text so far, and that frozen ones stay."""
    splitter, text = Splitter(), ""
    for delta in rounds:
        text += delta
        frozen = list(splitter.frozen)
        splitter.feed(delta)
        assert splitter.frozen[: len(frozen)] == frozen, (name, text)
        whole = Splitter()
        whole.feed(text)
        assert content(splitter.frozen + splitter.tail) == content(whole.frozen + whole.tail), (name, text)
    whole = Splitter()
    whole.feed(text)
    for one in (splitter, whole):
        one.finish()
    assert content(splitter.frozen) == content(whole.frozen), (name, text)
    assert splitter.definitions == whole.definitions, (name, text)
    assert splitter.tail == []


def assert_all_may_come_in_any_rounds(
    answers: Iterable[NamedAnswer], sizes: Sequence[tuple[int, int]] = ROUNDS
) -> None:
    """Deliver each answer in rounds of one of the `sizes`, which take turns."""
    for seed, answer in enumerate(answers):
        least, most = sizes[seed % len(sizes)]
        assert_blocks_are_those_of_the_text(rounds_of(answer.text, seed, least, most), answer.name)
