"""Answers that are long, deep, or expensive to parse and lay out."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 200_000
_WORDS = "A draft model proposes tokens and the main model checks them in one pass of its weights. "
_PARAGRAPH = (_WORDS * 11).strip()


def _of(unit: str) -> Callable[[], str]:
    """Return a function that repeats `unit` up to LONGEST characters."""
    return lambda: (unit * (LONGEST // len(unit) + 1))[:LONGEST]


def _rows(count: int, columns: int = 2) -> str:
    row = "| " + " | ".join(["word"] * columns) + " |\n"
    return row + "|" + "---|" * columns + "\n" + row * count


def _lines(line: Callable[[int], str], count: int) -> Callable[[], str]:
    return lambda: "".join(map(line, range(count)))[:LONGEST]


# The functions that make the texts, by name.
ANSWERS: dict[str, Callable[[], str]] = {
    "100 ordinary paragraphs": lambda: f"{_PARAGRAPH}\n\n" * 100,
    "300 ordinary paragraphs": lambda: f"{_PARAGRAPH}\n\n" * 300,
    "300 lines of verse": lambda: "A line of verse\n\n" * 300,
    "1000 lines of verse": lambda: "A line of verse\n\n" * 1000,
    "1000 one-letter paragraphs": lambda: "x\n\n" * 1000,
    "4000 one-letter paragraphs": lambda: "x\n\n" * 4000,
    "3000 rules": lambda: "---\n" * 3000,
    "5000 fences": lambda: "```\n" * 5000,
    "emphasis run": lambda: "*_" * 30_000,
    "table of 20000 rows": lambda: _rows(20_000),
    "strikethrough run": _of("~~a"),
    "ampersand run": _of("&"),
    "div run": _of("<div>"),
    "one word": _of("q"),
    "one formula": lambda: "$" + "x" * 100_000 + "$",
    "control signs": _of("\x01\x02\x07\x1b\x1f"),
    # Runs of one sign or a few, without a line end.
    "stars": _of("*"),
    "underscores": _of("_"),
    "tildes": _of("~"),
    "ticks": _of("`"),
    "ticks of all lengths": lambda: " ".join("`" * n for n in range(1, 600))[:LONGEST],
    "square brackets": _of("["),
    "closing brackets": _of("]"),
    "link starts": _of("[a]("),
    "links": _of("[a](b) "),
    "picture starts": _of("![a]("),
    "pictures": _of("![a](https://example.org/x.png) "),
    "backslashes": _of("\\"),
    "escaped signs": _of("\\*"),
    "dollars": _of("$"),
    "double dollars": _of("$$"),
    "formulas in a line": _of("$x$ "),
    "different formulas": _lines(lambda n: f"$x_{{{n}}}$ ", 20_000),
    "open formula brackets": _of("\\("),
    "open formula square brackets": _of("\\["),
    "words and open formula brackets": _of("a \\( \\[ "),
    "formula environments": _of("\\begin{align}"),
    "less-than signs": _of("<"),
    "comments": _of("<!--"),
    "entities": _of("&lt;"),
    "unknown entities": _of("&aaaaaaaaaaaaaaaaaaaaaaaaa;"),
    "addresses": _of("https://example.org/a "),
    "mail addresses": _of("a@b.c "),
    "www run": _of("www."),
    "pipes": _of("|"),
    "hashes": _of("#"),
    "strong words": _of("**a** "),
    "open strong": _of("**a "),
    "code spans": _of("`a` "),
    "mixed delimiters": _of("*a_b`c~d"),
    "spaces": _of(" "),
    "tabs": _of("\t"),
    # Lines.
    "blank lines": _of("\n"),
    "carriage returns": _of("\r"),
    "one-letter lines": _of("x\n"),
    "quotes": _of("> "),
    "quotes in lines": _of("> x\n"),
    "deeper and deeper quotes": _lines(lambda n: ">" * (n % 300) + " x\n", 3000),
    "one deep list": _lines(lambda n: "  " * n + "- x\n", 450),
    "list starts": _of("- "),
    "numbered starts": _of("1. "),
    "list items": _of("- x\n"),
    "loose list items": _of("- x\n\n"),
    "nested list items": _of("- x\n  - y\n    - z\n"),
    "list items of one word": _of("- " + "q" * 3000 + "\n"),
    "headings": _of("# x\n"),
    "long heading": lambda: "# " + "word " * 40_000,
    "setext headings": _of("x\n===\n"),
    "indented code": _of("    x\n"),
    "html blocks": _of("<div>\nx\n"),
    "link definitions": _of("[a]: b\n"),
    "footnotes": _of("[^1]: b\n"),
    "block formulas": _of("$$\nx\n$$\n"),
    "open block formulas": _of("$$\nx\n"),
    "tables of one row": _of("|a|\n|-|\n|b|\n\n"),
    "table of 2000 columns": lambda: _rows(6, 2000),
    "table with a huge cell": lambda: "| a | b |\n|---|---|\n| " + "q" * 100_000 + " | x |\n",
    "code of 20000 lines": lambda: "```python\n" + "x = 1\n" * 20_000 + "```\n",
    "code in one line": lambda: "```python\n" + "x = 1; " * 28_000 + "\n```\n",
    "code of brackets": lambda: "```json\n" + "[" * 19_000 + "\n```\n",
    # Letters that are expensive to shape.
    "combining accents": _of("a" + "\u0301" * 400),
    "joined emoji": _of("\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    "right to left": _of("\u05d0\u05d1 abc "),
    "direction marks": _of("\u202e\u202da"),
    "Arabic word": _of("\u0645"),
    "Chinese without stops": _of("\u8bcd"),
    "zero-width spaces": _of("\u200b"),
    "private signs": _of("\ue000\ue001"),
    "unassigned signs": _of("\u0378"),
    "code of private signs": lambda: "```\n" + "\ue000" * 100_000 + "\n```\n",
    "lines of private signs": _of("\ue000" * 300 + "\n"),
    "object letters": _of("\ufffc"),
    "line separators": _of("\u2028x"),
    "paragraph separators": _of("\u2029x"),
    "thoughts without end": lambda: "<think>\n" + "x\n\n" * 4000,
}
