"""Fences that models write almost as Markdown has them, at once and in rounds, and those that stay as they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.blocks import Code, Splitter
from app.text.fences import ends_in_code
from app.text.shown import shown, words_of
from tests.app.random_rounds import rounds_of
from tests.app.text.blocks_in_rounds import assert_blocks_are_those_of_the_text
from tests.app.text.drawn_rounds import FEW as FEW_EXAMPLES
from tests.app.text.drawn_rounds import MANY, in_rounds
from tests.engine.tiers import by_tier

# Each text with its paragraphs: (kind, words), and "mark words" for items.
IN_DOCUMENTS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "a block in a document": (
        "```markdown\n# Plan\n\n```text\nDONE\n```\n\n## Notes\n```\n\nafter\n",
        [("code", "# Plan\n\n```text\nDONE\n```\n\n## Notes"), ("p", "after")],
    ),
    "several blocks in one": (
        "```md\n```sh\nls\n```\nthen\n```py\nx\n\ny\n```\n```\nafter\n",
        [("code", "```sh\nls\n```\nthen\n```py\nx\n\ny\n```"), ("p", "after")],
    ),
    "a language with attributes": (
        '```Markdown title="a"\n```python {1,3} title="x"\nx\n```\n```\nafter\n',
        [("code", '```python {1,3} title="x"\nx\n```'), ("p", "after")],
    ),
    "tildes in tildes": (
        "~~~markdown\n~~~text\nDONE\n~~~\nwords\n~~~\nafter\n",
        [("code", "~~~text\nDONE\n~~~\nwords"), ("p", "after")],
    ),
    "tildes in backticks": (
        "```markdown\n~~~text\nDONE\n~~~\n```\nafter\n",
        [("code", "~~~text\nDONE\n~~~"), ("p", "after")],
    ),
    "a longer block in one": (
        "```markdown\n````text\n```\nDONE\n````\nwords\n```\nafter\n",
        [("code", "````text\n```\nDONE\n````\nwords"), ("p", "after")],
    ),
    "a longer document": (
        "````markdown\n```text\nDONE\n```\n\n```\nplain\n```\n````\nafter\n",
        [("code", "```text\nDONE\n```\n\n```\nplain\n```"), ("p", "after")],
    ),
    "a longer document with a block that is not closed": (
        "````markdown\n```text\nDONE\n````\nafter\n",
        [("code", "```text\nDONE"), ("p", "after")],
    ),
    "a document in one": (
        "```markdown\n```md\n```py\nx\n```\nwords\n```\nwords\n```\nafter\n",
        [("code", "```md\n```py\nx\n```\nwords\n```\nwords"), ("p", "after")],
    ),
    "a block in an item of a document": (
        "```markdown\n1. a\n   ```sh\n   ls\n   ```\n2. b\n```\nafter\n",
        [("code", "1. a\n   ```sh\n   ls\n   ```\n2. b"), ("p", "after")],
    ),
    "a block far to the right in a document": (
        "```markdown\n1. a\n   - b\n     ```sh\n     ls\n```\n2. c\n```\nafter\n",
        [("code", "1. a\n   - b\n     ```sh\n     ls\n```\n2. c"), ("p", "after")],
    ),
    "a block in the line of a mark": (
        "```markdown\n- ```sh\n  ls\n  ```\n- b\n```\nafter\n",
        [("code", "- ```sh\n  ls\n  ```\n- b"), ("p", "after")],
    ),
    "a quoted block in a document": (
        "```markdown\n> ```sh\n> ls\n> ```\n```\nafter\n",
        [("code", "> ```sh\n> ls\n> ```"), ("p", "after")],
    ),
    "a document in an item": (
        "1. Write:\n\n   ```markdown\n   ```sh\n   ls\n   ```\n   words\n   ```\n\n   after\n2. Next\n",
        [("p", "1. Write:"), ("code", "```sh\nls\n```\nwords"), ("p", "after"), ("p", "2. Next")],
    ),
    "a quoted document": (
        "> ```markdown\n> ```sh\n> ls\n> ```\n> words\n> ```\n> after\n",
        [("code", "```sh\nls\n```\nwords"), ("p", "after")],
    ),
    "a quoted document in an item": (
        "- > ```md\n  > ```sh\n  > ls\n  > ```\n  > ```\n  > after\n",
        [("p", "•"), ("code", "```sh\nls\n```"), ("p", "after")],
    ),
    "a block and its document that are not closed": (
        "```markdown\n# Plan\n```text\nDONE\n",
        [("code", "# Plan\n```text\nDONE")],
    ),
    "a document that is not closed": (
        "```markdown\n```text\nDONE\n```\n\nwords\n",
        [("code", "```text\nDONE\n```\n\nwords")],
    ),
}
LEFT_OF_ITEMS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "all lines but the first fence": (
        "1. Open a terminal:\n   ```bash\nxmodmap -pke\n```\n\n   This prints.\n\n2. Next\n",
        [("p", "1. Open a terminal:"), ("code", "xmodmap -pke"), ("p", "This prints."), ("p", "2. Next")],
    ),
    "the last fence": (
        "1. Open:\n   ```bash\n   xmodmap\n     -pke\n```\n   This prints.\n2. Next\n",
        [("p", "1. Open:"), ("code", "xmodmap\n  -pke"), ("p", "This prints."), ("p", "2. Next")],
    ),
    "the code": (
        "- Open:\n  ```py\ndef f():\n    return 1\n\nf()\n  ```\n- Next\n",
        [("p", "• Open:"), ("code", "def f():\n    return 1\n\nf()"), ("p", "• Next")],
    ),
    "code that looks like items": (
        "- Open:\n  ```yaml\n- a\n- b\n```\n- Next\n",
        [("p", "• Open:"), ("code", "- a\n- b"), ("p", "• Next")],
    ),
    "code below a blank line": (
        "- Open:\n  ```sh\n\nls\n```\n- Next\n",
        [("p", "• Open:"), ("code", "\nls"), ("p", "• Next")],
    ),
    "the last fence of a list in one": (
        "1. a\n   - b\n     ```sh\n     ls\n   ```\n   - c\n2. d\n",
        [("p", "1. a"), ("p", "• b"), ("code", "ls"), ("p", "• c"), ("p", "2. d")],
    ),
    "a list in one, half": (
        "1. a\n   - b\n     ```sh\n   ls\n     -l\n   ```\n   - c\n2. d\n",
        [("p", "1. a"), ("p", "• b"), ("code", "ls\n  -l"), ("p", "• c"), ("p", "2. d")],
    ),
    "code in the line of a mark": (
        "- ```sh\nls\n```\n- b\n",
        [("p", "•"), ("code", "ls"), ("p", "• b")],
    ),
    "tildes": (
        "- a\n  ~~~\nls\n~~~\n- b\n",
        [("p", "• a"), ("code", "ls"), ("p", "• b")],
    ),
    "in a quotation": (
        "> - a\n>   ```sh\n> ls\n> ```\n> - b\n\nafter\n",
        [("p", "• a"), ("code", "ls"), ("p", "• b"), ("p", "after")],
    ),
    "several": (
        "1. a\n   ```sh\nls\n```\n2. b\n   ```sh\n   pwd\n```\n3. c\n",
        [("p", "1. a"), ("code", "ls"), ("p", "2. b"), ("code", "pwd"), ("p", "3. c")],
    ),
    "a document": (
        "- a\n  ```md\n```sh\nls\n```\nwords\n```\n- b\n",
        [("p", "• a"), ("code", "```sh\nls\n```\nwords"), ("p", "• b")],
    ),
    "not closed": (
        "- a\n  ```sh\nls\n\n  pwd\n",
        [("p", "• a"), ("code", "ls\n\n  pwd")],
    ),
    "a note": (
        "Noted[^1].\n\n[^1]: a\n\n    ```sh\nls\n```\n\nafter\n",
        [("p", "Noted1."), ("p", "1 a"), ("code", "ls"), ("p", "after")],
    ),
}
GLUED: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "to words": ("Here:```python\nprint(1)\n```\nafter\n", [("p", "Here:"), ("code", "print(1)"), ("p", "after")]),
    "to words behind a space": ("Here: ```py\nx\n```\nafter\n", [("p", "Here:"), ("code", "x"), ("p", "after")]),
    "to Chinese words": ("例如：```python\nx\n```\n之后\n", [("p", "例如："), ("code", "x"), ("p", "之后")]),
    "to a word": ("Output```json\n{}\n\n[]\n```\nafter\n", [("p", "Output"), ("code", "{}\n\n[]"), ("p", "after")]),
    "to the second line": ("Words\nrun:```sh\nls\n```\n", [("p", "Words"), ("p", "run:"), ("code", "ls")]),
    "to words with code": ("Use `a` so:```sh\nls\n```\n", [("p", "Use a so:"), ("code", "ls")]),
    "to words with marks": ("**Run**:```c++\nx\n```\n\nb\n", [("p", "Run:"), ("code", "x"), ("p", "b")]),
    "to an item": (
        "1. Run:```sh\n   ls\n   ```\n   then\n2. b\n",
        [("p", "1. Run:"), ("code", "ls"), ("p", "then"), ("p", "2. b")],
    ),
    "to an item, code left of it": (
        "- Run:```sh\nls\n  -l\n```\n- b\n",
        [("p", "• Run:"), ("code", "ls\n  -l"), ("p", "• b")],
    ),
    "to quoted words": (
        "> Run:```sh\n> ls\n> ```\n> then\n\nafter\n",
        [("p", "Run:"), ("code", "ls"), ("p", "then"), ("p", "after")],
    ),
    "to words above a rule": ("Run:```yaml\n---\na: 1\n```\n", [("p", "Run:"), ("code", "---\na: 1")]),
    "to words, document": (
        "Write:```markdown\n```sh\nls\n```\nwords\n```\nafter\n",
        [("p", "Write:"), ("code", "```sh\nls\n```\nwords"), ("p", "after")],
    ),
    "to words, not closed": ("Here:```python\nprint(1)\n", [("p", "Here:"), ("code", "print(1)")]),
    "to code": ("```python\nx\nprint(1)```\nafter\n", [("code", "x\nprint(1)"), ("p", "after")]),
    "to code and to words": ("So:```sh\nls```\nafter\n", [("p", "So:"), ("code", "ls"), ("p", "after")]),
    "to code of an item": (
        "1. a\n   ```sh\n   ls```\n   then\n2. b\n   ```sh\npwd```\n3. c\n",
        [("p", "1. a"), ("code", "ls"), ("p", "then"), ("p", "2. b"), ("code", "pwd"), ("p", "3. c")],
    ),
    "to quoted code": (
        "> ```sh\n> ls```\n> then\n\nafter\n",
        [("code", "ls"), ("p", "then"), ("p", "after")],
    ),
    "to quoted code of an item": (
        "- > ```sh\n  > ls```\n  > then\n- b\n",
        [("p", "•"), ("code", "ls"), ("p", "then"), ("p", "• b")],
    ),
    "to code at the end": ("```python\nprint(1)```", [("code", "print(1)")]),
}
# What might be meant in another way is read as CommonMark says.
AS_THEY_STAND: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "a block without a language in a document": (
        "```markdown\n# Plan\n```\nafter\n",
        [("code", "# Plan"), ("p", "after")],
    ),
    "a fence in code that is no document": (
        "```text\n```sh\n```\nafter\n",
        [("code", "```sh"), ("p", "after")],
    ),
    "a fence in a block of a document": (
        "```markdown\n```text\n```sh\n```\n```\nafter\n",
        [("code", "```text\n```sh\n```"), ("p", "after")],
    ),
    "code in a line of a document": (
        "```markdown\n```ls``` and words\n```\nafter\n",
        [("code", "```ls``` and words"), ("p", "after")],
    ),
    "a line far to the right in a block of a document": (
        "```markdown\n```text\n    ```\n```\n```\nafter\n",
        [("code", "```text\n    ```\n```"), ("p", "after")],
    ),
    "code that ends with its item": (
        "- a\n  ```sh\n  ls\n- b\n\nafter\n",
        [("p", "• a"), ("code", "ls"), ("p", "• b"), ("p", "after")],
    ),
    "code that ends with its item, and words": (
        "- a\n  ```sh\n  ls\n\nafter\n\n  words\n",
        [("p", "• a"), ("code", "ls\n"), ("p", "after"), ("p", "words")],
    ),
    "code that ends with its quotation": (
        "> ```sh\n> ls\n\nafter\n",
        [("code", "ls"), ("p", "after")],
    ),
    "empty code in an item": (
        "- a\n  ```sh\n  ```\n- b\n",
        [("p", "• a"), ("code", ""), ("p", "• b")],
    ),
    "code in a line": ("Use ```sh ls``` here\nand there\n", [("p", "Use sh ls here\nand there")]),
    "code over two lines": ("Use ```sh\nls``` here\n", [("p", "Use sh ls here")]),
    "the end of code in a line": ("```ls -l:```sh\nx\n", [("p", "ls -l:sh\nx")]),
    "a glued fence without a language": ("Here:```\nx\n", [("p", "Here:```\nx")]),
    "a glued fence in code": (
        '```js\nconst a = "x:```sh"\nb:```sh\n```\nafter\n',
        [("code", 'const a = "x:```sh"\nb:```sh'), ("p", "after")],
    ),
    "a text that begins with a fence in code": (
        '```python\np = """```\nx\n"""\ntext:```\n"```"\n```\nafter\n',
        [("code", 'p = """```\nx\n"""\ntext:```\n"```"'), ("p", "after")],
    ),
    "a line of words that ends in a fence": (
        "```text\nwords```\n```\nafter\n",
        [("code", "words```"), ("p", "after")],
    ),
    "a document that ends in code of a line": (
        "```markdown\nRun ```x```\nRun x```\n```\nafter\n",
        [("code", "Run ```x```\nRun x```"), ("p", "after")],
    ),
    "an escaped fence": ("Here\\```sh\nx\n", [("p", "Here```sh\nx")]),
    "a heading": ("## Code:```sh\nx\n", [("h2", "Code:```sh"), ("p", "x")]),
}
EXPECTED = IN_DOCUMENTS | LEFT_OF_ITEMS | GLUED | AS_THEY_STAND
FEW = ["a block in a document", "all lines but the first fence", "to words", "to code", "code that ends with its item"]


@pytest.mark.parametrize("name", EXPECTED)
def test_fences_are_read_as_they_are_meant_or_as_they_stand(name: str) -> None:
    text, expected = EXPECTED[name]
    assert [(one.kind, f"{one.mark} {words_of(one.spans)}".strip(" ")) for one in shown(text)] == expected


@pytest.mark.parametrize("name", by_tier(EXPECTED, FEW))
def test_fences_in_any_rounds_are_those_of_the_text(name: str) -> None:
    text = EXPECTED[name][0]
    assert_blocks_are_those_of_the_text(list(text), name)
    for seed in range(4):
        assert_blocks_are_those_of_the_text(rounds_of(text, seed), name)


_TEXTS = st.lists(st.sampled_from([text for text, _ in EXPECTED.values()]), min_size=1, max_size=3)
_LINES = st.lists(
    st.sampled_from(
        (
            *("```markdown", "```md", "```sh", "```", "~~~md", "~~~", "````", "  ```sh", "   ```", "     ```", "``"),
            *(
                "- ```md",
                "- a",
                "1. a",
                "   b",
                "words:```sh",
                "code```",
                "  code```",
                "> ```sh",
                "> ```",
                "> a",
                "> - ```",
            ),
            *("", "", "", "words", "- Run:```sh", "  words", "    far", "[^1]: ```sh"),
        )
    ),
    min_size=2,
    max_size=10,
)


@FEW_EXAMPLES
@given(rounds=in_rounds(st.one_of(_TEXTS.map("\n".join), _LINES.map("\n".join))))
def test_fences_in_any_order_come_in_any_rounds(rounds: list[str]) -> None:
    assert_blocks_are_those_of_the_text(rounds)


@pytest.mark.full
@MANY
@given(rounds=in_rounds(st.one_of(_TEXTS.map("\n".join), _LINES.map("\n".join))))
def test_many_fences_in_any_order_come_in_any_rounds(rounds: list[str]) -> None:
    assert_blocks_are_those_of_the_text(rounds)


def test_a_text_ends_in_code_where_its_fences_are_open() -> None:
    for text, _ in (*IN_DOCUMENTS.values(), *GLUED.values()):
        splitter = Splitter()
        splitter.feed(text)
        last = splitter.tail[-1] if splitter.tail else None
        if ">" not in text:
            assert ends_in_code(text) == (isinstance(last, Code) and not last.closed), text
