"""Cutting streaming Markdown into blocks."""

from __future__ import annotations

import random

import pytest

from app.chat.blocks import LONG_TAIL, Code, Prose, Splitter

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


@pytest.mark.parametrize("name", TEXTS)
def test_the_same_blocks_come_out_however_the_text_arrives(name: str) -> None:
    text = TEXTS[name]
    whole = blocks_of(text, []).frozen
    draw = random.Random(7)
    for _ in range(20):
        sizes = [draw.randint(1, 6) for _ in range(len(text))]
        pieces = blocks_of(text, sizes).frozen
        assert [strip(block) for block in pieces] == [strip(block) for block in whole]


def strip(block: Prose | Code) -> tuple[str, ...]:
    return (block.text.strip(),) if isinstance(block, Prose) else (block.text, block.language)


def test_frozen_blocks_never_change_while_text_arrives() -> None:
    splitter, seen = Splitter(), []
    for sign in "".join(TEXTS.values()):
        splitter.feed(sign)
        assert splitter.frozen[: len(seen)] == seen
        seen = list(splitter.frozen)


def test_a_fence_whose_first_line_is_being_written_is_open() -> None:
    splitter = Splitter()
    splitter.feed("```pyth")
    assert splitter.tail == [Code("", "pyth", closed=False)]


def test_a_code_block_is_closed_when_its_fence_is() -> None:
    splitter = Splitter()
    splitter.feed("```python\nprint(1)\n``")
    assert splitter.tail == [Code("print(1)\n", "python", closed=False)]
    splitter.feed("`\n")
    assert splitter.frozen == [Code("print(1)\n", "python", closed=True)]


def test_a_backtick_line_inside_a_longer_fence_is_content() -> None:
    splitter = blocks_of("````\n```\nx\n```\n````\n", [])
    assert splitter.frozen == [Code("```\nx\n```\n", "", closed=True)]


@pytest.mark.parametrize(
    "text",
    [
        "word " * 4000,
        "".join(f"- item {number}\n" for number in range(3000)),
        "```\n" + "line of code\n" * 2000,
    ],
    ids=["paragraph", "list", "code"],
)
def test_the_tail_that_is_parsed_again_stays_short_in_a_long_block(text: str) -> None:
    splitter = Splitter()
    for start in range(0, len(text), 50):
        splitter.feed(text[start : start + 50])
        prose = [block for block in splitter.tail if isinstance(block, Prose)]
        assert sum(len(block.text) for block in prose) <= LONG_TAIL + 50


def test_a_fence_may_follow_blank_lines_at_the_very_start() -> None:
    splitter = Splitter()
    splitter.feed("\n\n```python\nx = 1\n```\n")
    splitter.finish()
    assert splitter.frozen == [Code("x = 1\n", "python", closed=True)]


def test_rows_of_a_long_table_are_shown_once_they_are_whole() -> None:
    head, rows = "| a | b |\n|---|---|\n", [f"| row {number} | of words |\n" for number in range(40)]
    splitter, shown = Splitter(), []
    for sign in head + "".join(rows) + "| the last | is":
        splitter.feed(sign)
        [table] = splitter.tail or [Prose("")]
        if not shown or shown[-1] != table.text:
            shown.append(table.text)
    long = [text for text in shown if text.count("\n") > 12]
    assert len(long) == len(rows) - 10
    assert all(text.endswith("|\n") for text in long)
    splitter.finish()
    assert splitter.frozen == [Prose(head + "".join(rows) + "| the last | is")]
