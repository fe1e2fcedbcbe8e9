"""Rewrites Markdown so that Qt shows all of it. No Qt in here.

Qt hides definitions of links ("[1]: https://…"), but sources and footnotes of an answer look like them, and the text
that refers to them may be in another widget. So they are shown as text. An entity ("&lt;") at the beginning of a list's
item would take the item out of its list; the character itself does not.
"""

from __future__ import annotations

import re
from html import unescape

from app.text.fences import CODE_SPAN, FENCED_BLOCK, LEAD

_SCAN = re.compile(
    rf"""
    ^{LEAD}(?:
        {FENCED_BLOCK}
        | (?P<label>\[(?:\\.|[^\\\[\]\n])+\]:)[^\n]*
    )
    | {CODE_SPAN}
    | \\.
    | (?P<entity>&(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def for_qt(markdown: str) -> str:
    """Return the text with definitions as lines of text and entities as characters. Code does not change."""
    return _SCAN.sub(_replaced, markdown) if "]:" in markdown or "&" in markdown else markdown


def _replaced(match: re.Match[str]) -> str:
    if match["label"] is not None:
        at = match.start("label") - match.start()
        # Two spaces keep each definition on its own line.
        return f"{match[0][:at]}\\{match[0][at:].rstrip()}  "
    sign = unescape(match["entity"] or "")
    if len(sign) != 1 or not (sign.isprintable() or sign == "\xa0"):
        return match[0]
    return f"\\{sign}" if sign.isascii() and not sign.isalnum() and sign != " " else sign
