"""Blocks of answers that arrive in rounds of several tokens: those of the text so far, whatever the rounds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.text.blocks import Code, ProseText, Splitter
from app.text.shown import paragraphs_of, shown
from tests.app.random_rounds import BLOCKS_WITHIN, PROSE_CODE_TABLE, answer_of, pairs, rounds_of
from tests.app.text.blocks_in_rounds import (
    ROUNDS,
    assert_all_may_come_in_any_rounds,
    assert_blocks_are_those_of_the_text,
    content,
)
from tests.app.text.drawn_rounds import FEW, MANY, blocks, in_rounds, lines, rounds_of_sizes
from tests.engine.tiers import by_tier


@FEW
@given(rounds=in_rounds(blocks))
@example(rounds=rounds_of_sizes(PROSE_CODE_TABLE, [1, 3, 4, 2]))
@example(rounds=rounds_of_sizes(PROSE_CODE_TABLE, [8, 16, 11]))
def test_blocks_in_any_rounds_are_those_of_the_text(rounds: list[str]) -> None:
    assert_blocks_are_those_of_the_text(rounds)


@FEW
@given(rounds=in_rounds(lines))
def test_any_lines_may_follow_each_other(rounds: list[str]) -> None:
    assert_blocks_are_those_of_the_text(rounds)


@pytest.mark.full
@MANY
@given(rounds=in_rounds(st.one_of(blocks, lines)))
def test_many_blocks_in_any_rounds_are_those_of_the_text(rounds: list[str]) -> None:
    assert_blocks_are_those_of_the_text(rounds)


@pytest.mark.campaign
@pytest.mark.parametrize("sizes", ROUNDS)
@pytest.mark.parametrize("part", range(8))
def test_all_pairs_of_blocks_may_come_in_any_rounds(part: int, sizes: tuple[int, int]) -> None:
    assert_all_may_come_in_any_rounds(list(pairs())[part::8], [sizes])


@pytest.mark.parametrize("name", BLOCKS_WITHIN)
def test_blocks_within_others_are_shown_as_far_as_they_have_come(name: str) -> None:
    text = BLOCKS_WITHIN[name].replace("@", "1")
    assert_blocks_are_those_of_the_text(list(text))


# Beginnings of blocks that turn out to be words of the block above, or another block.
TURNING: dict[str, Any] = {
    "a formula that words follow": "Words.\n$$a+b+c+d+e$$ and so on\n",
    "a formula of lines that words follow": "Words.\n$$\na+b+c\n+d$$ and so on\n",
    "a fence that is code in words": "Words.\n```code x``` and words\n",
    "a rule that is bold": "- item\n___________bold___________ x\n",
    "a rule that is an item": "- item\n- - - - - - x\n",
    "a comment that words follow": "- item\n<!-- comment words --> and words\n",
    "a table with a column too many": "Words.\n| a | b |\n|---|---|---|\n| 1 | 2 |\n",
    "an item that is a term": "Term\n: meaning\n- - - - - - x\n: another\n",
    "a definition below one": "[source1]: https://example.org/1\n[source2]: https://example.org/2\n",
    "a summary below a blank line": "<details>\n\n<summary>\n\nSummary of it\n\n</summary>\n\nFolded.\n</details>\n",
    "a summary that goes on": "<details>\n<summary>some words\nand more words</summary>\n\nFolded.\n</details>\n",
    "a fence of formulas that is code": "```math\nx\n\n```py\n\n$$\n```\n\nWords.\n",
    "a long fence of formulas": "```math\n" + "x\n" * 70 + "```\n\nWords.\n",
}


@pytest.mark.parametrize("name", TURNING)
@pytest.mark.parametrize("size", [1, 5])
def test_a_beginning_of_a_block_may_turn_out_to_be_another_one(name: str, size: int) -> None:
    text = TURNING[name]
    assert_blocks_are_those_of_the_text([text[start : start + size] for start in range(0, len(text), size)])


def test_what_waits_for_its_end_is_words_when_the_text_ends() -> None:
    splitter = Splitter()
    splitter.feed("<details>\n<summary>\n\n```py\nx\n```\n")
    splitter.finish()
    assert content(splitter.frozen) == [("<details>\n<summary>", False, 0, 0), ("x\n", "py", True, 0, 0)]


def test_every_table_below_code_is_a_table() -> None:
    for kind in ("table", "table without outer bars", "table with code", "long table"):
        answer = answer_of(["code", kind])
        splitter = Splitter()
        for delta in rounds_of(answer.text, 1):
            splitter.feed(delta)
        splitter.finish()
        code, table = splitter.frozen
        assert isinstance(code, Code)
        assert table == ProseText(answer.text.split("```\n")[1].lstrip("\n"))


ONES = {
    "items": "".join(f"1. item {number} of words that fill it\n" for number in range(1, 61)),
    "nested items": "".join(f"1. item {number} of words\n   1. within\n   1. it\n" for number in range(1, 41)),
    "items with code": "".join(f"1. step {number} of it:\n\n   ```sh\n   run\n   ```\n\n" for number in range(1, 41)),
    "items from four on": "4. item of words\n" + "1. item of words that fill it\n" * 60,
    "two lists": "1. item of words that fill it\n" * 60 + "\nWords between.\n\n" + "1. item of words\n" * 60,
}


@pytest.mark.parametrize("name", by_tier(ONES, ["items from four on"]))
def test_a_long_list_is_numbered_as_a_short_one(name: str) -> None:
    text = ONES[name]
    numbers = [paragraph.mark for paragraph in shown(text) if paragraph.mark]
    for rounds in ([text], rounds_of(text, 1)):
        splitter = Splitter()
        for delta in rounds:
            splitter.feed(delta)
        splitter.finish()
        assert len(splitter.frozen) > 1
        paragraphs = [one for block in splitter.frozen for one in paragraphs_of(splitter.resolved(block))]
        assert [paragraph.mark for paragraph in paragraphs if paragraph.mark] == numbers
