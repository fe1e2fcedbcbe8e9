"""Finds formulas in Markdown, and replaces each by one sign. No Qt in here.

`$...$` and `\\(...\\)` are inline, `$$...$$`, `\\[...\\]` and the usual environments are display formulas. Code and
amounts of money are not formulas: a dollar sign before a digit opens one only where another dollar sign can close it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from app.text.fences import CODE_SPAN, FENCED_BLOCK, LEAD

# Characters. Longer formulas are shown as plain text, because setting them takes too long.
LONGEST = 1500
# Signs that stand for formulas: Unicode's private ones.
FIRST_SIGN, LAST_SIGN = 0xE000, 0xF8FF

# A formula in brackets cannot contain another opening; otherwise each of many open ones would be searched to the end.
_SCAN = re.compile(
    rf"""
    ^{LEAD}{FENCED_BLOCK}
    | {CODE_SPAN}
    | \$\$(?P<dollars>(?:\\.|[^$\\])+?)\$\$
    | \\\[(?P<square>(?:\\\\|\\(?![\[\\])|[^\\])+?)\\\]
    | \\\((?P<round>(?:\\\\|\\(?![(\\])|(?!\n[ \t]*\n)[^\\])+?)\\\)
    | ^{LEAD}
        (?P<environment>\\begin\{{(?P<name>equation|align|gather|alignat|multline|eqnarray)\*?\}}
        (?:[^\\]|\\(?!begin\{{(?P=name)))*?
        \\end\{{(?P=name)\*?\}})
    | (?<![\\$A-Za-z0-9])\$(?![\s$])(?P<dollar>(?:\\.|[^$\\\n]|\n(?![ \t]*\n))+?)(?<!\s)\$(?![$A-Za-z0-9])
    | \\.
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
# The beginning of lines in quotes and lists.
_LEAD = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d+[.)][ \t])*")
_MONEY = re.compile(r"\d[\d.,]*\s*[A-Za-z]{2,}[^\\^_=+]*|\d[\d.,]*[\s\W]*")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: `latex` without its delimiters, `source` with them; `display` for one on lines of its own."""

    latex: str
    source: str
    display: bool


def find_formulas(markdown: str) -> list[tuple[int, int, Formula]]:
    """Return the formulas of a text with their start and end."""
    found: list[tuple[int, int, Formula]] = []
    if not ("$" in markdown or "\\" in markdown):
        return found
    for match in _SCAN.finditer(markdown):
        start = match.start("environment") if match["environment"] else match.start()
        lead = _LEAD.match(markdown, markdown.rfind("\n", 0, start) + 1, start)
        formula = _formula(match, markdown[start : match.end()], lead[0].count(">") if lead else 0)
        if formula is not None:
            found.append((start, match.end(), formula))
    return found


def _formula(match: re.Match[str], source: str, quotes: int) -> Formula | None:
    for kind, display in (("dollars", True), ("square", True), ("environment", True), ("round", False)):
        if match[kind] is not None:
            return _sized(match[kind], source, display, quotes)
    money = match["dollar"]
    # "$5 and 6$" is money.
    if money is None or (_MONEY.fullmatch(money) and not money.isdigit()):
        return None
    return _sized(money, source, False, quotes)


def _sized(latex: str, source: str, display: bool, quotes: int) -> Formula | None:
    if quotes:
        # In quotes, each line after the first begins with the quotes' signs.
        signs = re.compile(rf"(?<=\n)(?:[ \t]*>){{1,{quotes}}}[ \t]?")
        latex, source = signs.sub("", latex), signs.sub("", source)
    return Formula(latex.strip(), source.strip(), display) if latex.strip() and len(latex) <= LONGEST else None


def with_signs(markdown: str) -> tuple[str, list[Formula]]:
    """Return the text with one sign for each formula, counted from FIRST_SIGN, and the formulas."""
    found = find_formulas(markdown)[: LAST_SIGN - FIRST_SIGN + 1]
    if not found:
        return markdown, []
    parts, at = [], 0
    for number, (start, end, _) in enumerate(found):
        parts += [_without_signs(markdown[at:start]), chr(FIRST_SIGN + number)]
        at = end
    parts.append(_without_signs(markdown[at:]))
    return "".join(parts), [formula for _, _, formula in found]


def with_formulas(text: str, formulas: list[Formula], words: Callable[[Formula], str] = lambda it: it.source) -> str:
    """Replace the signs of `with_signs` by `words` of each formula."""
    for number, formula in enumerate(formulas):
        text = text.replace(chr(FIRST_SIGN + number), words(formula))
    return text


def _without_signs(text: str) -> str:
    """Replace private signs in the text itself, which would be taken for formulas."""
    return "".join("\ufffd" if FIRST_SIGN <= ord(sign) <= LAST_SIGN else sign for sign in text)
