"""Splitting streaming Markdown into blocks."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import cycle, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.text.blocks import LONG_TAIL, LONGEST_CODE, Block, Code, Fold, ProseText, Splitter
from app.text.fences import fenced, is_fence
from app.text.pieces import LONG_PIECE, TABLE_ROWS, weight
from app.text.shown import fold_parts, paragraphs_of, words_of
from tests.app.hostile_answers import ANSWERS
from tests.app.markdown_streams import BLOCKS, ODD, PAIRS, PLAIN
from tests.app.text.drawn_rounds import FEW, MANY

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


def strip(block: Block) -> tuple[object, ...]:
    if isinstance(block, Code):
        return block.text, block.language, block.lists, block.quotes
    return block.text.strip(), getattr(block, "after", None)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("step", [1, *(pytest.param(step, marks=pytest.mark.full) for step in (2, 3)), 100_000])
def test_lines_may_end_in_any_way(end: str, step: int) -> None:
    for name, text in TEXTS.items():
        assert in_steps(text.replace("\n", end), step).frozen == in_steps(text, step).frozen, name


def test_only_a_definition_that_no_link_uses_is_shown() -> None:
    splitter = blocks_of(TEXTS["definitions"], [])
    first, sources, _, note = splitter.frozen
    assert sources == ProseText("[2]: https://e.org")
    assert note == ProseText("[^1]: Note\n")
    assert splitter.resolved(first) == ProseText("See [a][1].\n", definitions="[1]: https://example.org/a 'T'")


@pytest.mark.full
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


@pytest.mark.full
@pytest.mark.parametrize(
    "text",
    ["".join(f"- item {number}\n" for number in range(500)), "```\n" + "line of code\n" * 500],
    ids=["list", "code"],
)
def test_the_tail_that_is_parsed_again_stays_short_in_a_long_block(text: str) -> None:
    splitter = Splitter()
    for start in range(0, len(text), 50):
        splitter.feed(text[start : start + 50])
        prose = [block for block in splitter.tail if isinstance(block, ProseText)]
        assert sum(len(block.text) for block in prose) <= LONG_TAIL + 50


# Every third, with the slowest of their kinds.
_SOME_ANSWERS = (*list(ANSWERS)[::6], "list items", "lines of private signs", "formulas in a line", "one deep list")


@pytest.mark.parametrize(
    "sentence", ["0123456789", "A draft model guesses. **So: yes.** ", "草稿模型猜几个词，主模型检查。"]
)
@pytest.mark.parametrize("step", [50, 100_000])
def test_a_long_paragraph_stays_whole(sentence: str, step: int) -> None:
    text = sentence * (15_000 // len(sentence))
    assert in_steps(text, step).frozen == [ProseText(text)]


@pytest.mark.parametrize("step", [pytest.param(7, marks=pytest.mark.full), 900, 100_000])
def test_a_run_of_signs_that_is_too_long_is_plain_until_the_next_blank_line(step: int) -> None:
    text = "*_" * 11_000 + "\nand *so*\non\n\nThen *words*.\n"
    *plain, last = in_steps(text, step).frozen
    assert "".join(block.text for block in plain) + last.text == text
    assert all(block.plain and len(block.text) <= LONG_PIECE for block in plain)
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
        elif isinstance(block, ProseText) and block.plain:
            assert weight(block.text) <= LONG_PIECE + 6000
        else:
            assert weight(block.text) <= 27_000


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


@pytest.mark.full
def test_a_line_after_a_hundred_rows_may_be_something_else() -> None:
    head, rows = "| a | b |\n|---|---|\n", ["| one | two |\n"] * TABLE_ROWS
    for after in ("1. one\n2. two\n", "# Heading\n", "> said\n", "| last | one |", "words"):
        text = head + "".join(rows) + after
        assert blocks_of(text, [len(text) - len(after), *[1] * len(after)]).frozen == blocks_of(text, []).frozen, after


def assert_parsing_every_time_gives_the_same(pieces: Iterable[str]) -> None:
    quick, thorough = Splitter(), Splitter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thorough, "_only_longer", lambda _delta: False)
        patch.setattr(thorough, "_only_a_row", lambda _delta: False)
        for piece in pieces:
            quick.feed(piece)
            thorough.feed(piece)
            assert quick.frozen == thorough.frozen
            assert quick.tail == thorough.tail


# Markdown as a model streams it, most of it plain words.
STREAMS = st.lists(st.one_of(st.sampled_from(PLAIN), st.sampled_from(BLOCKS + PAIRS + ODD)), min_size=10, max_size=40)


@pytest.mark.full
@FEW
@given(pieces=STREAMS)
def test_blocks_are_those_of_a_splitter_that_parses_every_time(pieces: list[str]) -> None:
    assert_parsing_every_time_gives_the_same(pieces)


@pytest.mark.full
@MANY
@given(pieces=STREAMS)
def test_many_blocks_are_those_of_a_splitter_that_parses_every_time(pieces: list[str]) -> None:
    assert_parsing_every_time_gives_the_same(pieces)


ROW_SIGNS = ("| ", " | ", "a", "\\|", "`", "\n", "\n| ", "|\n", " ", "**", "b ")


def assert_rows_are_those_of_parsing_every_time(rows: int, pieces: list[str]) -> None:
    assert_parsing_every_time_gives_the_same(["| a | b |\n|---|---|\n", "| one | two |\n" * rows, *pieces])


ROWS = {
    "rows": st.integers(8, 101),
    "pieces": st.lists(
        st.one_of(st.sampled_from(ROW_SIGNS), st.sampled_from(ROW_SIGNS + BLOCKS + ODD)), min_size=10, max_size=40
    ),
}


@pytest.mark.full
@settings(max_examples=6)
@given(**ROWS)
def test_rows_of_a_long_table_are_those_of_a_splitter_that_parses_every_time(rows: int, pieces: list[str]) -> None:
    assert_rows_are_those_of_parsing_every_time(rows, pieces)


@pytest.mark.full
@settings(max_examples=100)
@given(**ROWS)
def test_rows_of_many_tables_are_those_of_a_splitter_that_parses_every_time(rows: int, pieces: list[str]) -> None:
    assert_rows_are_those_of_parsing_every_time(rows, pieces)


def test_a_sentence_is_parsed_only_as_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    splitter, parsed = Splitter(), []
    settle = splitter._freeze_ended_prose
    monkeypatch.setattr(splitter, "_freeze_ended_prose", lambda: parsed.append(1) or settle())
    for word in ["A draft model ", "guesses ", "several ", "tokens, ", "and so on."]:
        splitter.feed(word)
    assert len(parsed) == 1


@pytest.mark.parametrize(("line", "expected"), [("```python", True), ("  ~~~", True), ("text ```", False), ("", False)])
def test_a_line_is_a_fence_by_how_it_begins(line: str, expected: bool) -> None:
    assert is_fence(line) == expected


@pytest.mark.parametrize(("text", "fence"), [("x", "```"), ("a ``` b", "````"), ("`````", "``````")])
def test_the_fence_around_a_text_does_not_occur_in_it(text: str, fence: str) -> None:
    assert fenced(text) == f"{fence}\n{text}\n{fence}"


def test_only_a_fence_of_the_same_sign_and_length_closes_a_block() -> None:
    text = "  ````python title\n    x\n x\n```\n~~~~\n    ````\n`````\nEnd"
    code, end = in_steps(text, 1).frozen
    assert code == Code("  x\nx\n```\n~~~~\n  ````\n", "python", closed=True)
    assert end == ProseText("End")


IN_LISTS = """1. Install:

   ```bash
   pip install
     tandem
   ```

   Then:
2. - Nested
     ```py
     x = 1

     y = 2
     ```
   - ~~~
     in the line of a mark
     ~~~

> ```
> quoted
> ```
> So.
"""


@pytest.mark.full
@pytest.mark.parametrize("step", [1, 4, 100_000])
def test_code_in_lists_and_quotations_is_a_block_of_its_own(step: int) -> None:
    splitter = in_steps(IN_LISTS, step)
    codes = [block for block in splitter.frozen if isinstance(block, Code)]
    assert codes == [
        Code("pip install\n  tandem\n", "bash", True, lists=1),
        Code("x = 1\n\ny = 2\n", "py", True, lists=2),
        Code("in the line of a mark\n", "", True, lists=2),
        Code("quoted\n", "", True, quotes=1),
    ]
    shown = [[(one.mark, words_of(one.spans)) for one in paragraphs_of(block)] for block in splitter.frozen]
    assert shown == [
        [("1.", "Install:")],
        [("", "pip install\n  tandem")],
        [("", "Then:"), ("2.", ""), ("•", "Nested")],
        [("", "x = 1\n\ny = 2")],
        [("•", "")],
        [("", "in the line of a mark")],
        [("", "quoted")],
        [("", "So.")],
    ]


def test_code_in_a_list_is_shown_line_by_line() -> None:
    splitter, shown = Splitter(), []
    for sign in "- a\n  ```py\n  x\n    y\n  ```\n":
        splitter.feed(sign)
        last = [*splitter.frozen, *splitter.tail][-1]
        if isinstance(last, Code) and (not shown or shown[-1] != (last.text, last.closed)):
            shown.append((last.text, last.closed))
    assert shown == [
        ("", False),
        ("x", False),
        ("x\n", False),
        ("x\n  y", False),
        ("x\n  y\n", False),
        ("x\n  y\n", True),
    ]


def test_long_code_in_a_list_leaves_a_short_tail() -> None:
    splitter = Splitter()
    for line in ["1. Do:\n\n", "   ```py\n", *["   value = compute(first, second)\n"] * 1000]:
        splitter.feed(line)
        assert len(splitter._open_text) < 60
    splitter.feed("   ```\n2. Then\n")
    splitter.finish()
    texts = [block.text for block in splitter.frozen if isinstance(block, Code)]
    assert len(texts) > 1
    assert "".join(texts) == "value = compute(first, second)\n" * 1000
    assert paragraphs_of(splitter.frozen[-1])[-1].mark == "2."


@pytest.mark.parametrize("step", [1, 5, 100_000])
def test_a_fold_is_one_block_with_what_is_in_it(step: int) -> None:
    fold = "<details>\n<summary>More <b>of it</b></summary>\n\n- a\n\n```\n</details>\n```\n\n</details>\n"
    frozen = in_steps(f"Before it.\n\n{fold}\nAfter it.\n", step).frozen
    assert [block.text.strip() for block in frozen] == ["Before it.", fold.strip(), "After it."]
    assert isinstance(frozen[1], Fold)
    assert frozen[1].closed
    assert fold_parts(frozen[1].text) == ("More of it", "\n\n- a\n\n```\n</details>\n```\n\n", False)


SIGNS = (
    *("```py\n", "```\n", "   ```\n", "   ", "> ", "1. ", "- ", "\n   ", "\n\n   ", "[a]: b\n", "[a]", "[^n]: x\n"),
    *("<details>\n<summary>s</summary>\n", "</details>\n", "<br>", "~~~\n", ": def", "> [!NOTE]\n", "\n\n", "| a |"),
)
TEXTS_OF_SIGNS = st.lists(
    st.one_of(st.sampled_from(SIGNS), st.sampled_from(("word ", "한국어 ", "a line of words\n"))),
    min_size=10,
    max_size=40,
).map("".join)
SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=10)


def assert_the_same_blocks_come_out(text: str, sizes: list[int]) -> None:
    pieces = blocks_of(text, list(islice(cycle(sizes), len(text)))).frozen
    assert [strip(block) for block in pieces] == [strip(block) for block in blocks_of(text, []).frozen]


@pytest.mark.full
@FEW
@given(text=TEXTS_OF_SIGNS, sizes=SIZES)
def test_the_same_blocks_come_out_of_random_text_however_it_arrives(text: str, sizes: list[int]) -> None:
    assert_the_same_blocks_come_out(text, sizes)


@pytest.mark.full
@MANY
@given(text=TEXTS_OF_SIGNS, sizes=SIZES)
def test_the_same_blocks_come_out_of_many_random_texts_however_they_arrive(text: str, sizes: list[int]) -> None:
    assert_the_same_blocks_come_out(text, sizes)


@pytest.mark.parametrize(("opening", "closing"), [("$$\n", "\n$$\n"), ("\\[\n", "\n\\]\n"), ("$$", "$$\n")])
def test_a_displayed_formula_is_shown_once_it_is_whole(opening: str, closing: str) -> None:
    splitter = Splitter()
    splitter.feed(f"Words.\n\n{opening}a + b")
    assert [block.text for block in (*splitter.frozen, *splitter.tail)] == ["Words.\n"]
    splitter.feed(closing)
    *_, formula = (*splitter.frozen, *splitter.tail)
    assert formula == ProseText(f"{opening}a + b{closing}")


def test_a_formula_that_never_ends_is_text_at_the_end_or_when_it_is_long() -> None:
    splitter = Splitter()
    splitter.feed("$$ a word")
    assert splitter.tail == []
    splitter.feed(" more" * 400)
    assert len(splitter.tail) == 1
    short = Splitter()
    short.feed("$$ a word")
    short.finish()
    assert short.frozen == [ProseText("$$ a word")]
