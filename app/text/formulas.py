"""Formulas in Markdown: where one begins and ends. No Qt in here.

`$...$` and `\\(...\\)` are inline, `$$...$$`, `\\[...\\]` and the usual environments are display formulas. Matrices,
`\\boxed` and `\\ce` need no delimiters. Amounts of money are no formulas: a dollar sign before a digit opens one
only where another dollar sign can close it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

# Characters. Longer formulas are shown as plain text, because setting them takes too long.
LONGEST = 1500
# A display formula that is a block of its own ends within this many lines.
_LONGEST_BLOCK = 60

_NAMES = "(?P<name>equation|align|flalign|gather|alignat|multline|eqnarray)"
_PARTS = r"(?:[pbvBV]?matrix\*?|smallmatrix|d?cases|array|alignedat|aligned|gathered|multlined|split|subarray)"
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
# A formula in brackets cannot contain another opening; otherwise each of many open ones would be searched to the end.
_FORMULA = re.compile(
    rf"""
    \$\$(?P<dollars>(?:\\.|[^$\\])+?)\$\$
    | \\\[(?P<square>(?:\\\\|\\(?![\[\\])|[^\\])+?)\\\]
    | \\\((?P<round>(?:\\\\|\\(?![(\\])|(?!\n[ \t]*\n)[^\\])+?)\\\)
    | (?P<environment>\\begin\{{{_NAMES}\*?\}}(?:[^\\]|\\(?!begin\{{(?P=name)))*?\\end\{{(?P=name)\*?\}})
    | (?P<bare>\\(?:boxed|ce)(?:{_BRACES})|\\begin\{{(?P<part>{_PARTS})\}}(?:[^\\]|\\(?!begin\{{))*?\\end\{{(?P=part)\}}
        (?:[\^_](?:{_BRACES}|\w|\\[A-Za-z]+))*)
    | (?<![\\$A-Za-z0-9])\$(?![\s$])(?P<dollar>(?:\\.|[^$\\\n]|\n(?![ \t]*\n))+?)(?<!\s)\$(?![$A-Za-z0-9])
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENING = re.compile(rf"\$\$|\\\[|\\begin\{{{_NAMES}\*?\}}|(?P<fence>`{{3,}}|~{{3,}})[ \t]*math[ \t]*\Z")
# The environments that the libraries know, by those that they do not know.
_KNOWN_ENVIRONMENTS = {"equation": "equation*", "dcases": "cases", "darray": "array"}
_KNOWN_ENVIRONMENTS |= dict.fromkeys(("align", "aligned", "alignat", "alignedat", "flalign", "eqnarray"), "align*")
_KNOWN_ENVIRONMENTS |= dict.fromkeys(("gather", "gathered", "multline", "multlined", "subarray"), "matrix")
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([A-Za-z]+)\*?\}(?:\[[a-z]\]|\{(?:\d+|[lcr])\})?")
_TAG = re.compile(r"\\tag(\*?)\{([^{}]*)\}")
_UNSET = re.compile(r"\\(?:label\{[^{}]*\}|nonumber|notag)(?![A-Za-z])")
_RAISED_ENVIRONMENT = re.compile(rf"(\\begin\{{({_PARTS})\}}(?:(?!\\begin).)*?\\end\{{\2\}})(?=\s*[\^_])", re.DOTALL)
_CHEMISTRY = re.compile(rf"\\ce({_BRACES})")
_WORDS = re.compile(rf"\\(text(?:bf|it|md|normal|rm|sc|sf|sl|tt|up)?|mbox)({_BRACES})")
# In words: a sign that is written with a backslash, a space that does not break, braces that only group, and signs that
# the libraries put into XML as they are.
_SIGN_IN_WORDS = re.compile(r"\\([%_$#&])|(?<!\\)(~)|([{}])|([&<>])")
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_CHARGE = re.compile(r"\^\{?(\d*[+-])\}?|(?<=[A-Za-z0-9)\]])([+-])(?=[\s)\]]|\Z)")
_COUNT = re.compile(r"(?<=[A-Za-z)\]])(\d+)")
_LONG_ARROW = re.compile(r"->\[([^\[\]]*)\]")
_ARROWS = {"<=>": "rightleftharpoons", "<->": "leftrightarrow", "->": "rightarrow", "<-": "leftarrow"}
_MONEY = re.compile(r"\d[\d.,]*\s*[A-Za-z]{2,}[^\\^_=+]*|\d[\d.,]*[^\w\\]*")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: `latex` without its delimiters, `source` with them; `display` for one on lines of its own."""

    latex: str
    source: str
    display: bool


def formula_at(text: str, start: int, end: int) -> tuple[Formula, int] | None:
    """Return the formula that begins at `start`, and the index after it; None if none begins there.

    The formula ends at `end` at the latest.
    """
    formula = _FORMULA.match(text, start, end) if text[start] in "$\\" else None
    if formula is None:
        return None
    # The group of `_FORMULA` that matched.
    kind = str(formula.lastgroup)
    if formula["name"]:
        kind = "environment"
    elif formula["bare"]:
        kind = "bare"
    latex = formula[kind]
    # "$5 and 6$" is money.
    if kind == "dollar" and _MONEY.fullmatch(latex) and not latex.isdigit():
        return None
    if not latex.strip() or len(latex) > LONGEST:
        return None
    is_display = kind not in ("round", "dollar", "bare")
    return Formula(latex.strip(), formula[0].strip(), is_display), formula.end()


class TaggedFormula(NamedTuple):
    """The LaTeX of a formula without its tag, and the LaTeX of the tag; "" if it has none of its own."""

    latex: str
    tag: str


def tagged(formula: Formula) -> TaggedFormula:
    """Return the parts of a formula, whose tag stands at the margin if the formula is displayed in one line."""
    tags = list(_TAG.finditer(formula.latex))
    latex = _TAG.sub("", formula.latex)
    if not formula.display or len(tags) != 1 or "\\\\" in latex or not latex.strip():
        return TaggedFormula(formula.latex, "")
    return TaggedFormula(latex, _set_tag(tags[0]))


def _set_tag(tag: re.Match[str]) -> str:
    r"""Return the LaTeX of a tag, whose letters stand upright: "(\text{2a})" for "\tag{2a}"."""
    words = tag[2]
    if any(map(str.isalpha, words)) and "\\" not in words and "$" not in words:
        words = rf"\text{{{words}}}"
    return words if tag[1] else f"({words})"


def settable(latex: str) -> str:
    """Return a formula with the commands that the libraries know; chemistry becomes letters, and only tags are numbers.

    The libraries typeset and export formulas.
    """
    latex = _TAG.sub(lambda match: rf"\qquad {_set_tag(match)}", latex)
    latex = _CHEMISTRY.sub(lambda match: _of_chemistry(match[1][1:-1]), latex)
    latex = _WORDS.sub(lambda match: _set_words(match[1], match[2][1:-1]), latex)
    latex = _RAISED_ENVIRONMENT.sub(r"{\1}", _UNSET.sub("", latex))
    return _ENVIRONMENT.sub(
        lambda match: (
            rf"\{match[1]}{{{_KNOWN_ENVIRONMENTS[match[2]]}}}" if match[2] in _KNOWN_ENVIRONMENTS else match[0]
        ),
        latex,
    )


def _set_words(command: str, words: str) -> str:
    """Return the words of a command such as `text` as a row of commands of which none is inside another.

    The libraries that typeset and export formulas take the text in the braces literally, so signs lose their backslash
    (`50\\%` becomes `50%`), and commands inside are moved out (`a \\textbf{b}` becomes two).
    """
    parts: list[str] = []
    end = 0
    for inner in _WORDS.finditer(words):
        parts += [_group(command, words[end : inner.start()]), _set_words(inner[1], inner[2][1:-1])]
        end = inner.end()
    parts.append(_group(command, words[end:]))
    return "".join(parts) or rf"\{command}{{}}"


def _group(command: str, words: str) -> str:
    """Return a command with words in which signs stand for themselves; "" without words."""
    parts: list[str] = []
    # Braces that are shown are none of the words: the libraries do not know them there.
    for part in re.split(r"(\\[{}])", words):
        if part in (r"\{", r"\}"):
            parts.append(part)
        elif part:
            parts.append(rf"\{command}{{{_SIGN_IN_WORDS.sub(_plain_sign, part)}}}")
    return "".join(parts)


def _plain_sign(match: re.Match[str]) -> str:
    """Return the text that is shown for a match of `_SIGN_IN_WORDS`."""
    escaped, space, _brace, raw = match.groups()
    if space:
        return " "
    sign = escaped or raw or ""
    return _REFERENCES.get(sign, sign)


def _of_chemistry(written: str) -> str:
    written = _LONG_ARROW.sub(r"\\xrightarrow{\\text{\1}}", written)
    text = _COUNT.sub(r"_{\1}", _CHARGE.sub(lambda match: f"^{{{match[1] or match[2]}}}", written))
    for arrow, command in _ARROWS.items():
        text = text.replace(arrow, rf"\{command} ")
    return rf"\mathrm{{{text}}}"


def display_end(line: Callable[[int], str], first: int, last: int) -> int | None:
    """Return the line after a display formula that begins line `first` and goes on to the end of a line.

    It is after `last` if the formula is still open there. None if there is no such formula.
    """
    text = line(first)
    opening = _OPENING.match(text)
    if opening is None:
        return None
    brackets = {"$$": "$$", "\\[": "\\]"}
    closing = brackets.get(opening[0]) or opening["fence"] or opening[0].replace("begin", "end")
    text = text[opening.end() :]
    for end in range(first + 1, min(last, first + _LONGEST_BLOCK) + 1):
        if closing in text:
            # Words after it make it part of a paragraph.
            return None if text.split(closing, 1)[1].strip() else end
        text = line(end) if end < last else ""
    return last + 1 if last - first <= _LONGEST_BLOCK else None
