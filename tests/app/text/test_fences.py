"""Fences of code in Markdown."""

from __future__ import annotations

import pytest

from app.text.fences import OpenBlock, fenced, is_fence, without_blocks


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
