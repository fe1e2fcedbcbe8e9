"""Code in documents: the fonts and styles in which it is set, and its block in Markdown."""

from __future__ import annotations

import re

# Names of fonts whose letters all have the same width. "Monotype" is none, nor are those of bar codes ("Code 128").
_CODE_FONT = re.compile(
    r"mono(?![a-z])|courier|consol|coding|\bcode\b(?! ?\d)|menlo|monaco|inconsolata|typewriter|cousine|\bhack\b",
    re.IGNORECASE,
)
_TICKS = re.compile("`+")
# What Word, LibreOffice, pandoc and people call such styles of paragraphs.
_CODE_STYLES = (
    *("code", "code block", "code listing", "codeblock", "html preformatted", "listing", "macro text", "macrotext"),
    *("preformatted", "preformatted text", "program listing", "source code", "sourcecode"),
)


def is_code_font(name: str | None) -> bool:
    """Return whether a font is one for code; false for one whose name is not known."""
    return _CODE_FONT.search(name or "") is not None


def is_code_style(name: str) -> bool:
    """Return whether a style of paragraphs, by its English name, is one for code."""
    return name.lower() in _CODE_STYLES


def fenced(code: str) -> str:
    """Return a block of code, between fences that do not occur in it."""
    longest = max(map(len, _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"
