"""Definitions of links in Markdown ("[1]: https://…"), which Qt would read and never show. No Qt in here.

Sources and footnotes of an answer look like them. They stand apart from what refers to them, in another widget as often
as not, so they are shown as they were written.
"""

from __future__ import annotations

import re

_SCAN = re.compile(
    r"""
    ^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(?:
        (?P<mark>`{3,}|~{3,})[^\n]*\n(?:.*?^[ \t>]*(?P=mark)[`~]*[ \t]*$|.*\Z)
        | (?P<label>\[(?:\\.|[^\\\[\]\n])+\]:)[^\n]*
    )
    | (?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def with_definitions(markdown: str) -> str:
    """The text with its definitions as lines of words. Code is left alone."""
    return _SCAN.sub(_as_words, markdown) if "]:" in markdown else markdown


def _as_words(match: re.Match[str]) -> str:
    if match["label"] is None:
        return match[0]
    at = match.start("label") - match.start()
    # Each of several keeps its own line.
    return f"{match[0][:at]}\\{match[0][at:].rstrip()}  "
