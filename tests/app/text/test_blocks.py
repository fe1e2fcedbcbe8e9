"""Splitting streaming Markdown into blocks."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from app.text.blocks import LONG_TAIL, LONGEST_CODE, LONGEST_PARAGRAPH, Code, ProseText, Splitter
from app.text.fences import OpenBlock, fenced, is_fence, without_blocks
from app.text.pieces import LONG_PARAGRAPH, TABLE_ROWS, weight
from tests.app.hostile_answers import ANSWERS
from tests.app.markdown_streams import BLOCKS, ODD, stream

TEXTS = {
    "paragraphs": "One.\n\nTwo goes\non.\n\n## Heading\n\nThree.",
    "list": "Before\n\n- one\n- two\n\n  still two\n\nAfter the list.",
    "numbered": "1. one\n2. two\n\n3. three\n\nEnd of it.",
    "code": "Look:\n\n```python\ndef f():\n    return 1\n\n```\n\nDone now.",
    "tildes": "~~~\n```\nnot a fence\n```\n~~~\nAfter that",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter the table.",
    "quote": "> said\n> so\n\nand then more",
    "rule": "above it\n\n---\n\nbelow it",
    "unclosed": "Look:\n\n```js\nlet a = 1",
    "formula": "So:\n\n$$\na = b\n- c\n\n+ d\n$$\n\nand \\[x\\]\n\n\\[\ny\n\\]\nDone now.",
    "dollars": "$$ is a sign.\n\n$$x$$ too, and\n$$y$$\n\nDone now.",
    "definitions": "See [a][1].\n\n[1]: https://example.org/a 'T'\n[2]: https://e.org\n\n```\nx\n```\n\n[^1]: Note\n",
    "languages": "안녕하세요.\n\n- 하나\n- 둘\n\nこんにちは。\n\n```\n你好\n```\n",
}


def blocks_of(text: str, sizes: list[int]) -> Splitter:
    splitter, start = Splitter(), 0
    for size in sizes:
        splitter.feed(text[start : start + size])
        start += size
    splitter.feed(text[start:])
    splitter.finish()
    return splitter


def in_steps(text: str, step: int) -> Splitter:
    return blocks_of(text, [step] * (len(text) // step))


@pytest.mark.parametrize("name", TEXTS)
def test_the_same_blocks_come_out_however_the_text_arrives(name: str) -> None:
    text = TEXTS[name]
    whole = blocks_of(text, []).frozen
    draw = random.Random(7)
    for _ in range(6):
        sizes = [draw.randint(1, 6) for _ in range(len(text))]
        pieces = blocks_of(text, sizes).frozen
        assert [strip(block) for block in pieces] == [strip(block) for block in whole]


def strip(block: ProseText | Code) -> tuple[str, ...]:
    return (block.text.strip(),) if isinstance(block, ProseText) else (block.text, block.language)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("step", [1, *(pytest.param(step, marks=pytest.mark.full) for step in (2, 3)), 100_000])
def test_lines_may_end_in_any_way(end: str, step: int) -> None:
    for name, text in TEXTS.items():
        assert in_steps(text.replace("\n", end), step).frozen == in_steps(text, step).frozen, name


def test_a_definition_of_a_link_is_not_left_out() -> None:
    *_, sources, _, note = blocks_of(TEXTS["definitions"], []).frozen
    assert sources == ProseText("[1]: https://example.org/a 'T'\n[2]: https://e.org\n")
    assert note == ProseText("[^1]: Note\n")


def test_frozen_blocks_never_change_while_text_arrives() -> None:
    splitter, seen = Splitter(), []
    for sign in "".join(TEXTS.values()):
        splitter.feed(sign)
        assert splitter.frozen[: len(seen)] == seen
        seen = list(splitter.frozen)


def test_a_code_block_is_closed_when_its_fence_is() -> None:
    splitter = Splitter()
    splitter.feed("```pyth")
    assert splitter.tail == [Code("", "pyth", closed=False)]
    splitter.feed("on\nprint(1)\n``")
    assert splitter.tail == [Code("print(1)\n", "python", closed=False)]
    splitter.feed("`\n")
    assert splitter.frozen == [Code("print(1)\n", "python", closed=True)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("````\n```\nx\n```\n````\n", Code("```\nx\n```\n", "", closed=True)),
        ("\n\n```python\nx = 1\n```\n", Code("x = 1\n", "python", closed=True)),
    ],
    ids=["a line of backticks in a longer fence", "blank lines at the start"],
)
def test_a_code_block_is_what_its_fences_enclose(text: str, code: Code) -> None:
    assert blocks_of(text, []).frozen == [code]


@pytest.mark.parametrize(
    "text",
    ["word " * 2000, "".join(f"- item {number}\n" for number in range(500)), "```\n" + "line of code\n" * 500],
    ids=["paragraph", "list", "code"],
)
def test_the_tail_that_is_parsed_again_stays_short_in_a_long_block(text: str) -> None:
    splitter = Splitter()
    for start in range(0, len(text), 50):
        splitter.feed(text[start : start + 50])
        prose = [block for block in splitter.tail if isinstance(block, ProseText)]
        longest = LONG_PARAGRAPH if text.startswith("word") else LONG_TAIL
        assert sum(len(block.text) for block in prose) <= longest + 50


# Every third, with the slowest of their kinds.
_SOME_ANSWERS = (*list(ANSWERS)[::3], "list items", "lines of private signs", "formulas in a line", "one deep list")

_SENTENCES = {
    "en": "A draft model guesses. Does the main model agree? It says **so: yes. And on**, at once. ",
    "ja": "小さなモデルが推測します。大きなモデルがまとめて確かめます！「はい。」と答えるだけです。",
    "zh": "草稿模型猜几个词，主模型一次检查全部，猜对的不花钱，",
    "words": "word ",
}


@pytest.mark.parametrize("language", _SENTENCES)
@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.full), 7, 500, 100_000])
def test_a_very_long_paragraph_is_cut_between_sentences_however_it_arrives(language: str, step: int) -> None:
    sentence = _SENTENCES[language]
    text = sentence * (11_000 // len(sentence))
    splitter = in_steps(text, step)
    pieces = [block.text for block in splitter.frozen]
    assert len(pieces) >= 3
    assert all(LONG_PARAGRAPH // 2 < len(piece) <= LONG_PARAGRAPH for piece in pieces[:-1])
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece.count("**") % 2 == 0 for piece in pieces)
    ends = {"en": ".?,", "ja": "。！」", "zh": "，", "words": "d"}[language]
    assert {piece.rstrip()[-1] for piece in pieces} <= set(ends)


def test_a_paragraph_after_a_very_long_one_begins_one_of_its_own() -> None:
    text = "A draft model guesses. " * 300 + "\n\nShort.\n\n- item\n"
    streamed, whole = in_steps(text, 3), blocks_of(text, [])
    assert streamed.frozen == whole.frozen
    assert [block.text.strip() for block in whole.frozen[-2:]] == ["Short.", "- item"]


@pytest.mark.parametrize("text", ["0123456789" * 590, "A draft model guesses, and the main model checks it. " * 50])
def test_a_paragraph_without_a_place_to_cut_or_of_usual_length_stays_whole(text: str) -> None:
    assert in_steps(text, 50).frozen == [ProseText(text)]


@pytest.mark.parametrize("step", [pytest.param(7, marks=pytest.mark.full), 900, 100_000])
def test_a_run_of_signs_that_is_too_long_is_plain_until_the_next_blank_line(step: int) -> None:
    text = "*_" * 4500 + "\nand *so*\non\n\nThen *words*.\n"
    *plain, last = in_steps(text, step).frozen
    assert "".join(block.text for block in plain) + last.text == text
    assert all(block.plain and len(block.text) <= LONG_PARAGRAPH for block in plain)
    assert (last.text, last.plain) == ("Then *words*.\n", False)
    assert in_steps(text, step).frozen == blocks_of(text, []).frozen


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name not in _SOME_ANSWERS)) for name in ANSWERS]
)
def test_no_block_and_no_open_text_is_too_long_to_lay_out_in_a_frame(name: str) -> None:
    text, splitter = ANSWERS[name]()[:30_000], Splitter()
    for start in range(0, len(text), 3000):
        splitter.feed(text[start : start + 3000])
        assert sum(weight(block.text) for block in splitter.tail if isinstance(block, ProseText)) <= 27_000
    splitter.finish()
    for block in splitter.frozen:
        if isinstance(block, Code):
            assert len(block.text) <= LONGEST_CODE + 6000
        elif block.plain:
            assert weight(block.text) <= LONG_PARAGRAPH + 6000
        else:
            assert weight(block.text) <= 27_000
            assert len(block.text) <= LONGEST_PARAGRAPH + 4000 or "\n" in block.text.strip()


def test_rows_of_a_long_table_are_shown_once_they_are_whole() -> None:
    head, rows = "| a | b |\n|---|---|\n", [f"| row {number} | of words |\n" for number in range(40)]
    splitter, shown = Splitter(), []
    for sign in head + "".join(rows) + "| the last | is":
        splitter.feed(sign)
        [table] = splitter.tail or [ProseText("")]
        if not shown or shown[-1] != table.text:
            shown.append(table.text)
    long = [text for text in shown if text.count("\n") > 12]
    assert len(long) == len(rows) - 10
    assert all(text.endswith("|\n") for text in long)
    splitter.finish()
    assert splitter.frozen == [ProseText(head + "".join(rows) + "| the last | is")]


@pytest.mark.parametrize("step", [*(pytest.param(step, marks=pytest.mark.full) for step in (1, 5)), 700, 100_000])
def test_a_huge_table_goes_on_in_another_one_with_the_same_head(step: int) -> None:
    head, rows = "| a | b |\n|---|---|\n", [f"| row {number} | of words |\n" for number in range(250)]
    text = head + "".join(rows) + "\nWords after it.\n"
    tables = [rows[start : start + TABLE_ROWS] for start in range(0, 250, TABLE_ROWS)]
    frozen = in_steps(text, step).frozen
    assert frozen[:-1] == [ProseText(head + "".join(some)) for some in tables]
    assert frozen[-1].text.strip() == "Words after it."


def test_a_line_after_a_hundred_rows_may_be_something_else() -> None:
    head, rows = "| a | b |\n|---|---|\n", ["| one | two |\n"] * TABLE_ROWS
    for after in ("1. one\n2. two\n", "# Heading\n", "> said\n", "| last | one |", "words"):
        text = head + "".join(rows) + after
        assert blocks_of(text, [len(text) - len(after), *[1] * len(after)]).frozen == blocks_of(text, []).frozen, after


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


@pytest.mark.parametrize(("line", "expected"), [("```python", True), ("  ~~~", True), ("text ```", False), ("", False)])
def test_a_line_is_a_fence_by_how_it_begins(line: str, expected: bool) -> None:
    assert is_fence(line) == expected


@pytest.mark.parametrize(("text", "fence"), [("x", "```"), ("a ``` b", "````"), ("`````", "``````")])
def test_the_fence_around_a_text_does_not_occur_in_it(text: str, fence: str) -> None:
    assert fenced(text) == f"{fence}\n{text}\n{fence}"


def test_blocks_are_left_out_also_one_that_is_open() -> None:
    assert without_blocks("a\n```\nb\n```\nc\n~~~\nd", "|") == "a\n|\nc\n|"


def test_only_a_fence_of_the_same_sign_and_length_closes_a_block() -> None:
    block = OpenBlock.of("  ````python title")
    assert (block.language, block.indent) == ("python", 2)
    assert [block.closes(line) for line in ("```", "~~~~", "`````", "    ````")] == [False, False, True, False]
    assert (block.dedented("    x"), block.dedented(" x")) == ("  x", "x")
