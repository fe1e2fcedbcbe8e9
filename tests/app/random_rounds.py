"""Answers of every two and three kinds of blocks, in the pieces of text in which speculative rounds deliver them.

A round commits several tokens at once, so its text may begin and end anywhere: a fence and the table below it come
together, or the head of a table without its line of dashes. Tests that feed single tokens or whole texts meet neither.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from engine.tokenizers.answer_text import AnswerText

STARTER = Path(__file__).parents[2] / "resources" / "starter" / "main"

# A block of each kind. "@" stands for the number of the block in its answer, so that each word occurs once in it.
BLOCKS = {
    "paragraph": "Words@ that fill@ a line\nand go@ on with **bold@ words** and `code@`.\n",
    "heading": "## Heading@\n",
    "underlined heading": "Underlined@\n===\n",
    "list": "- first@\n- second@ item\n",
    "numbered list": "1. step@\n2. next@ step\n",
    "nested list": "1. outer@\n   - inner@\n     - innermost@\n2. back@\n",
    "loose list": "- loose@\n\n  goes on@\n\n- last@\n",
    "tasks": "- [x] done@\n- [ ] open@\n",
    "quotation": "> quoted@\n> so@\n",
    "quoted list": "> - said@\n>   - in quotes@\n",
    "alert": "> [!NOTE]\n> noted@\n",
    "code": "```py\nx@ = 1\n\ny@ = 2\n```\n",
    "code without language": "```\nplain@ code\n```\n",
    "code between tildes": "~~~sh\nls@\n~~~\n",
    "empty code": "```\n```\n",
    "unclosed code": "```js\nlet a@ = 1\n",
    "longer fence": "````md\n```\nfenced@\n```\n````\n",
    "indented code": "    make@\n    make install@\n",
    "code in a list": "1. Install@:\n\n   ```sh\n   pip@ install\n   ```\n\n2. Then@\n",
    "code in the line of a mark": "- ```py\n  marked@ = 1\n  ```\n- after@\n",
    "quoted code": "> ```\n> quoted@ code\n> ```\n",
    "table": "| A@ | B@ |\n|---|---|\n| 1@ | 2@ |\n",
    "table without outer bars": "C@ | D@\n---|---\n3@ | 4@\n",
    "table with code": "| E@ | `a@|b@` |\n|:-:|--:|\n| **5@** | $x_@$ |\n",
    "table below code": "```\nabove@\n```\n| F@ | G@ |\n|---|---|\n| 6@ | 7@ |\n",
    "long table": "| H@ | I@ |\n|---|---|\n" + "".join(f"| row@.{row} | cell@.{row} |\n" for row in range(14)),
    "formula": "$$\na@ = b\n- c\n$$\n",
    "formula in brackets": "\\[\nd@ = e\n\\]\n",
    "formula in a fence": "```math\nf@ = g\n```\n",
    "formulas in a line": "So $h_@ = 1$ and \\(i_@ = 2\\).\n",
    "fold": "<details>\n<summary>Summary@</summary>\n\nfolded@\n\n```\ninside@\n```\n\n</details>\n",
    "result": '<tool_response>\n{"path": "file@"}\n\n- inside@\n</tool_response>\n',
    "result in a line": "<tool_response> The user denied call@. </tool_response> And words.\n",
    "unclosed fold": "<details>\n<summary>Open summary@</summary>\n\nunfolded@\n",
    "comment": "<!-- unseen@ -->\n",
    "lines of comment": "<!--\nunseen@\n\nunseen too@\n-->\n",
    "tags": "Press <kbd>K@</kbd><br>and <b>wait@</b>.\n",
    "link definition": "See [link@].\n\n[link@]: https://example.org/@ 'Title@'\n",
    "unused definition": "[source@]: https://example.org/source@\n",
    "footnote": "Noted[^n@] here.\n\n[^n@]: Note@.\n",
    "numbered footnote": "Numbered[^1@] here.\n\n[^1@]: Another@ note.\n    It goes on@.\n",
    "rule": "---\n",
    "stars": "***\n",
    "terms": "Term@\n: meaning@\n\n: another meaning@\n",
    "picture": "![name@](https://example.org/@.png)\n",
    "address": "https://example.org/address@ and www.example.org/www@\n",
    "Chinese": "草稿模型@猜**几个词（@）**，主模型检查。\n",
    "Japanese": "下書き@モデルが**提案@**し、確かめます。🙂\n",
    "Korean": "초안@ 모델이 **제안(@)**하고 확인합니다.\n",
    "pictures in words": "👩‍👩‍👧@ and 🇰🇷@ é@\n",
}
# Blocks within others, and signs that are seldom seen. Not among BLOCKS, so that what is drawn from those stays what it
# is. Most end within a line, which grows until the answer ends.
BLOCKS_WITHIN = {
    "indented code in an item": "- a@\n\n      make@ -j4 all CFLAGS=-O2 PREFIX=/usr/local install",
    "indented code in a numbered item": "1. Build@ it:\n\n       make@ -j4 all CFLAGS=-O2 PREFIX=/usr/local install",
    "lines of code in an item": "- a@\n\n      first@ line of code\n      second line\n\n      third line of code",
    "indented code in a list in one": "- a@\n  - b@\n\n        deep@ line of code that goes on and on",
    "indented code behind a tab": "- a@\n\n\t\ttabbed@ code that goes on and on",
    "indented code in the line of a mark": "-     marked@ code that goes on and on",
    "indented code below a tab": "Words@\n\n\ttabbed@ code that goes on and on",
    "indented code in a quotation": "> said@\n>\n>     quoted@ code that goes on and on",
    "indented code in a quotation in a list": "- a@\n  > said@\n  >\n  >     quoted@ code that goes on and on",
    "indented code in a list in a quotation": "> - a@\n>\n>       quoted@ code that goes on and on",
    "indented code in an alert": "> [!NOTE]\n>\n>     noted@ code that goes on and on",
    "indented code in a note": "Noted[^w@].\n\n[^w@]: a@\n\n        noted@ code that goes on and on",
    "indented code in a meaning": "Term@\n: a@\n\n      meant@ code that goes on and on",
    "code in a quotation in a list": "- a@\n  > ```py\n  > quoted@ = 1 + 2 + 3\n  > ```\n  > words@ that go on",
    "code in a list in a list": "- a@\n  - ```\n    deep@ code that goes on\n    ```\n    words@ that go on and on",
    "words below code in an item": "- a@\n\n      code@ that goes on\n\n  words@ that go on and on",
    "a list in a list in a list": "- a@\n  1. b@\n     * c@ with words\n       that go on\n\n     d@ that goes on",
    "a table in an item": "- a@\n\n  | A@ | B |\n  |---|---|\n  | words that go on | and on@ |\n",
    "a table without bars in an item": "- a@\n\n  A@ | B\n  ---|---\n  words that go on | and on@",
    "a formula in an item": "- a@\n\n  $$\n  letters@ + words + more\n  $$\n",
    "a fold in an item": "- a@\n\n  <details>\n  <summary>Summary@</summary>\n\n  words that go on@\n\n  </details>\n",
    "a heading in an item": "- # heading@ that goes on and on\n  words@ that go on and on",
    "a definition in an item": "- a [w@]\n\n  [w@]: https://example.org/@ 'A title@ that goes on'\n",
    "a title of lines": 'See [s@].\n\n[s@]: https://example.org/s@\n"A title@\nof lines"\n',
    "words like a title": "[q@]: https://example.org/q@\n(words@ in brackets\nthat go on) and on\n",
    "a note in an item": "- a[^v@]\n\n  [^v@]: a note@ that goes on and on\n",
    "meanings of lines": "Term@\n: meaning@ that goes on\n  and goes on\n\n  another@ paragraph of it",
    "a note of lines": "Noted[^u@].\n\n[^u@]: a note@ that goes on\n    and goes on\n\n    another@ paragraph of it",
    "a heading of lines": "A heading@ that goes on\nand goes on\n---\n",
    "HTML": "<div>\nwords@ that go on and on\n</div>\n\n<p>more@ words",
    "tabs": "-\ttabbed@ words that go on\n\tand go on\n\n1.\tnext@ words that go on",
    "carriage returns": "- a@\r\n\r\n      code@ that goes on and on\r\n\r\n  words@ that go on\r\n",
    "combining signs": "- e\u0301@ a\u0308\u200b words\u200d that go\ufe0f on \u202eand on\u202c",
}
# Lines that a few more letters or another line turn into something else, or that belong to the block above or not.
LINES = (
    *(
        "words here",
        "more words that go on",
        "中文，字。**粗体（x）**后",
        "**Note:** bold start",
        "12345678901 x",
        "{x}",
    ),
    *("", "", "", "", "", "", "", "", "<br>", "&amp; x", "See [a] and [^1].", "![p](https://example.org/p.png)"),
    *("```py", "```", "```code x``` and words", "~~~", "````", "     ```sh", "     ```", "   ```", "```math"),
    *("    indented", "   x = 1", "  inside", "  - nested", "   - three", "@@ -1 +1 @@"),
    *("- item one", "- item two", "* star", "1. one", "1. again", "2. two", "10) ten", "- [x] done", "- > in an item"),
    *("> quote", "> > deep", "> ```", "> - in a quote", "> [!NOTE]", "# Heading", "===", "---"),
    *("***********", "- - - - - - x", "___________bold___________ x"),
    *("| a | b |", "|---|---|", "|---|---|---|", "| 1 | 2 |", "a | b", "--|--"),
    *("$$", "$$ x = 1", "$$a+b+c+d+e$$ and so on", "\\[", "\\]", "\\begin{align}", "\\end{align} x", "\\boxed{1}"),
    *(
        "<!-- comment words -->",
        "<!-- open",
        "--> more",
        "<details>",
        "<summary>S</summary>",
        "<summary>",
        "</summary>",
    ),
    *("<tool_response>", "result </tool_response>", "<tool_response> a result </tool_response> and words"),
    *("</details>", "<details open><summary>T</summary>words</details>"),
    *("[a]: https://example.org", "[a]:", "https://example.org/x", "'title'", "[source2]: htt", "[^1]: note"),
    *("Term", ": meaning", "~ meaning too"),
)
# Results of tools in lists and quotations. Not among BLOCKS, so that what is drawn from those stays what it is.
RESULTS_WITHIN = {
    "in an item": "- one@\n- <tool_response>\n  in@\n\n  - a list@\n  </tool_response>\n- three@\n",
    "in an item, not indented": "1. one@\n2. <tool_response>\nplain@\n\n</tool_response>\n3. three@\n",
    "below words": '- [x] one@\n  <tool_response>\n  {\n    "n": @\n  }\n  </tool_response>\n  and on@\n',
    "in a line": "- <tool_response> short@ </tool_response>\n- <tool_response> more@ </tool_response> words@\n",
    "in a list in one": "- one@\n  - two@\n    <tool_response>\n    deep@\n    </tool_response>\n  - three@\n- four@\n",
    "in a loose list": "1. one@\n\n   <tool_response>\n   loose@\n   </tool_response>\n\n   words@\n\n2. two@\n",
    "below an item": "- one@\n<tool_response> below@ </tool_response>\n",
    "with code": "- one@\n  ```\n  code@\n  ```\n  <tool_response>\n  @\n  </tool_response>\n  ```py\n  more@\n  ```\n",
    "quoted": "> said@\n> <tool_response>\n> quoted@\n>\n> </tool_response>\n> and on@\n",
    "quoted, marked once": "> <tool_response>\nlazy@\n</tool_response>\n",
    "quoted twice": "> > <tool_response>\n> > deep@\n> > </tool_response> words@\n> back@\n",
    "in an alert": "> [!NOTE]\n> <tool_response> noted@ </tool_response>\n",
    "in a quoted list": "> - one@\n> - <tool_response>\n>   inner@\n>   </tool_response>\n> - three@\n",
    "quoted in a list": "- one@\n- > <tool_response>\n  > item@\n  > </tool_response>\n- three@\n",
    "quoted, without an end": "> <tool_response>\n> open@\n\n",
    "quoted in a list, without an end": "- > <tool_response>\n  > open@\n- two@\n",
    "quoted, with an empty line as its end": "> <tool_response>\n> open@\n>\nWords@.\n",
    "in a meaning": "Term@\n: <tool_response> meant@ </tool_response>\n",
    "in a note": "Noted[^r@].\n\n[^r@]: <tool_response> below@ </tool_response>\n",
    "in a long list": "".join(
        f"{n}. item@.{n} of words that fill a line and go on\n   <tool_response>\n   r@.{n}\n   </tool_response>\n"
        for n in range(1, 15)
    ),
    "without an end": "- one@\n- <tool_response>\n  open@\n",
}
RESULT_LINES = (
    *("- <tool_response>", "1. <tool_response> x", "> <tool_response>", "> > <tool_response>", "- > <tool_response>"),
    *("  <tool_response>", "    <tool_response>", "> - <tool_response>", "<tool_response>", ": <tool_response>"),
    *(
        "</tool_response>",
        "  </tool_response>",
        "> </tool_response>",
        "  x </tool_response> and words",
        "> </tool_resp",
    ),
    *("- <tool_response> a </tool_response>", "> <tool_response> a </tool_response> and words", "  words of it", ">"),
    *("> words of it", "- item", "  > item", "", ""),
)
# The answer in which tables broke most often.
PROSE_CODE_TABLE = (
    "Here is an example.\n\n```python\ndef add(a, b):\n    return a + b\n```\n\n"
    "| Call | Result |\n|------|--------|\n| add(1, 2) | 3 |\n| add(2, 2) | 4 |\n\nThat is all.\n"
)


class NamedAnswer(NamedTuple):
    """An answer and its name in a test's report."""

    name: str
    text: str


@cache
def starter_tokenizer() -> Any:
    return tokenizer_of(STARTER)


def tokenizer_of(folder: Path) -> Any:
    """Return the tokenizer of a model's folder, with its streaming detokeniser."""
    # Takes a second to import, which only a test that needs a tokenizer should pay for.
    from mlx_lm.utils import load_tokenizer

    return load_tokenizer(folder)


def token_texts(text: str, tokenizer: Any) -> list[str]:
    """Return what each token of a text adds to it, as the engine delivers it, "" where a character is incomplete.

    The last piece is what is left when the answer ends. Joined, the pieces are the text, without a space at its start.
    """
    answer = AnswerText(tokenizer.detokenizer)
    # Without its word on texts that are longer than the context.
    tokens = tokenizer.encode(text, add_special_tokens=False, verbose=False)
    pieces = [answer.add(token) for token in tokens]
    return [*pieces, answer.finish()]


def in_rounds(pieces: Sequence[str], seed: int, least: int = 1, most: int = 16) -> list[str]:
    """Join the texts of tokens to those of rounds that commit `least` to `most` of them, drawn by the seed."""
    draw, rounds, start = random.Random(seed), list[str](), 0
    while start < len(pieces):
        end = start + draw.randint(least, most)
        rounds.append("".join(pieces[start:end]))
        start = end
    return rounds


def rounds_of(text: str, seed: int, least: int = 1, most: int = 16, tokenizer: Any = None) -> list[str]:
    """Return the texts of the rounds in which an answer may arrive, with the Starter's tokenizer or another one."""
    return in_rounds(token_texts(text, tokenizer or starter_tokenizer()), seed, least, most)


def answer_of(kinds: Sequence[str], between: str = "\n") -> NamedAnswer:
    """Return an answer of blocks of these kinds. `between` is "\n" for a blank line between them, "" for none."""
    texts = [BLOCKS[kind].replace("@", str(number)) for number, kind in enumerate(kinds, start=1)]
    return NamedAnswer((" / " if between else " + ").join(kinds), between.join(texts))


def pairs() -> Iterator[NamedAnswer]:
    """Yield the answers of every two kinds of blocks, with a blank line between them and without."""
    for kinds in product(BLOCKS, repeat=2):
        yield answer_of(kinds)
        yield answer_of(kinds, between="")


def sample(count: int, seed: int) -> list[NamedAnswer]:
    """Return that many answers of two to four kinds of blocks, drawn by the seed; some have no blank lines."""
    draw = random.Random(seed)
    kinds = list(BLOCKS)
    return [answer_of(draw.choices(kinds, k=draw.randint(2, 4)), draw.choice(("\n", "\n", ""))) for _ in range(count)]


def with_result(name: str, kind: str, between: str, *, first: bool) -> NamedAnswer:
    """Return an answer of a result of that name in RESULTS_WITHIN and a block of a kind, the `first` of them above."""
    result = RESULTS_WITHIN[name].replace("@", "1")
    block = BLOCKS[kind].replace("@", "2")
    texts = (result, block) if first else (block, result)
    return NamedAnswer(f"{name}, {'above' if first else 'below'} {kind}", between.join(texts))


def answers_with_results() -> Iterator[NamedAnswer]:
    """Yield the answers of each of RESULTS_WITHIN above and below each kind of block."""
    for name, kind, between, first in product(RESULTS_WITHIN, BLOCKS, ("\n", ""), (True, False)):
        yield with_result(name, kind, between, first=first)


def lines(seed: int) -> str:
    """Return an answer of a few lines, drawn by the seed, some of which make nothing whole."""
    draw = random.Random(seed)
    drawn = draw.choices(LINES, k=draw.randint(2, 8))
    between = "\n" if draw.random() < 0.7 else "\n\n"
    return between.join(drawn) + draw.choice(("", "\n"))
