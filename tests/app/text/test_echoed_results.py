"""Results of tools that a model repeats: blocks of their own, also in lists and quotations, whatever the rounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.blocks import LONGEST_BLOCK, Block, Fold, ProseText, Splitter
from app.text.shown import fold_parts, paragraphs_of, shown, words_of
from tests.app.random_rounds import RESULTS_WITHIN, answers_with_results
from tests.app.text.blocks_in_rounds import assert_all_may_come_in_any_rounds, assert_blocks_are_those_of_the_text
from tests.app.text.drawn_rounds import (
    FEW,
    MANY,
    blocks_with_results,
    in_rounds,
    lines_with_results,
    rounds_of_sizes,
)


def blocks_of(text: str) -> list[Block]:
    splitter = Splitter()
    splitter.feed(text)
    splitter.finish()
    return splitter.frozen


def parts(text: str) -> list[str]:
    """Return the words of each paragraph of an answer, with those of folds in brackets."""
    written = list[str]()
    for block in blocks_of(text):
        if isinstance(block, Fold):
            written.append(f"[{fold_parts(block.text)[1].strip()}]")
        else:
            written += [f"{paragraph.mark} {words_of(paragraph.spans)}".strip() for paragraph in paragraphs_of(block)]
    return written


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("in an item", ["• one1", "•", "[in1\n\n- a list1]", "• three1"]),
        ("in an item, not indented", ["1. one1", "2.", "[plain1]", "3. three1"]),
        ("below words", ["☑ one1", '[{\n  "n": 1\n}]', "and on1"]),
        ("in a line", ["•", "[short1]", "•", "[more1]", "words1"]),
        ("in a list in one", ["• one1", "• two1", "[deep1]", "• three1", "• four1"]),
        ("below an item", ["• one1", "[below1]"]),
        ("with code", ["• one1", "code1", "[1]", "more1"]),
        ("quoted", ["said1", "[quoted1]", "and on1"]),
        ("quoted, marked once", ["[lazy1]"]),
        ("quoted twice", ["[deep1]", "words1", "back1"]),
        ("in an alert", ["Note", "[noted1]"]),
        ("quoted in a list", ["• one1", "•", "[item1]", "• three1"]),
        ("quoted, with an empty line as its end", ["[open1]", "Words1."]),
        ("without an end", ["• one1", "•", "[open1]"]),
    ],
)
def test_a_result_in_a_list_or_quotation_is_a_fold_there(name: str, expected: list[str]) -> None:
    assert parts(RESULTS_WITHIN[name].replace("@", "1")) == expected


def test_a_fold_has_the_place_of_its_result() -> None:
    folds = {
        name: [(block.lists, block.quotes) for block in blocks_of(text) if isinstance(block, Fold)]
        for name, text in RESULTS_WITHIN.items()
    }
    assert folds["in a list in one"] == [(2, 0)]
    assert folds["quoted twice"] == [(0, 2)]
    assert folds["in a quoted list"] == folds["quoted in a list"] == [(1, 1)]


@pytest.mark.parametrize(
    "text", ["- `<tool_response>`\n", "- In words: <tool_response>\n", "- words\n\n      <tool_response>\n"]
)
def test_marks_in_words_and_in_code_of_a_list_stay(text: str) -> None:
    assert not any(isinstance(block, Fold) for block in blocks_of(text))
    assert "<tool_response>" in str(blocks_of(text))


def test_a_copy_has_the_title_and_the_words_of_a_result() -> None:
    paragraphs = shown("- one\n- <tool_response>\n  a\n\n  b\n  </tool_response>\n- three\n")
    assert [(part.mark, words_of(part.spans)) for part in paragraphs] == [
        ("•", "one"),
        ("•", ""),
        ("", "Result of a tool"),
        ("", "a"),
        ("", "b"),
        ("•", "three"),
    ]
    assert {len(part.lists) for part in paragraphs} == {1}


def test_a_long_result_in_a_list_is_read_once() -> None:
    """What has been read of an ended result is not parsed again with each token below it."""
    result = "".join(f"  line {number} of the result\n" for number in range(200))
    splitter = Splitter()
    splitter.feed(f"- <tool_response>\n{result}  </tool_response>\n- and")
    assert [type(block) for block in splitter.frozen] == [ProseText, Fold]
    [tail] = splitter.tail
    assert isinstance(tail, ProseText)
    assert len(tail.text) < 100


def test_a_result_that_is_too_long_becomes_plain_text() -> None:
    text = "- <tool_response>\n" + "  words of a long result\n" * (LONGEST_BLOCK // 20)
    assert_blocks_are_those_of_the_text([text[start : start + 900] for start in range(0, len(text), 900)])


@pytest.mark.parametrize(
    "text",
    [
        "Term\n: <tool_response> words </tool_response>\nUnderlined\n==",
        "- > <tool_response>\n\\begin{align}\n  <tool_response>\nmore",
        "> <tool_response>\nwords\n\\begin{align}\n</tool_response>\nx\n\\end{align} x\n",
    ],
)
def test_later_text_may_change_what_a_result_stands_in(text: str) -> None:
    assert_blocks_are_those_of_the_text(list(text))


@pytest.mark.full
@FEW
@given(rounds=in_rounds(blocks_with_results))
def test_any_kind_of_block_may_stand_beside_a_result(rounds: list[str]) -> None:
    assert_blocks_are_those_of_the_text(rounds)


@pytest.mark.full
@FEW
@given(rounds=in_rounds(lines_with_results))
def test_any_lines_may_stand_beside_those_of_results(rounds: list[str]) -> None:
    assert_blocks_are_those_of_the_text(rounds)


@pytest.mark.full
@MANY
@given(rounds=in_rounds(st.one_of(blocks_with_results, lines_with_results)))
def test_many_answers_with_results_may_come_in_any_rounds(rounds: list[str]) -> None:
    assert_blocks_are_those_of_the_text(rounds)


@pytest.mark.full
def test_results_in_a_list_that_is_longer_than_its_tail_may_come_in_rounds() -> None:
    text = RESULTS_WITHIN["in a long list"].replace("@", "1")
    assert_blocks_are_those_of_the_text(rounds_of_sizes(text, [8, 16, 13]))


@pytest.mark.parametrize("name", [name for name in RESULTS_WITHIN if name != "in a long list"])
def test_a_result_is_shown_as_far_as_it_has_come(name: str) -> None:
    text = RESULTS_WITHIN[name].replace("@", "1")
    assert_blocks_are_those_of_the_text(rounds_of_sizes(f"Words.\n\n{text}", [1, 3]))


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(8))
def test_all_kinds_of_blocks_may_stand_beside_all_results(part: int) -> None:
    assert_all_may_come_in_any_rounds(list(answers_with_results())[part::8])
