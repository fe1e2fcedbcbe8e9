"""Blocks of code between fences. No Qt in here."""

from __future__ import annotations

import re

_TICKS = re.compile("`+")
_FENCE = re.compile(r"\s*+(?P<signs>`{3,}+|~{3,}+)(?P<more>.*)")


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a code block."""
    return line.lstrip().startswith(("```", "~~~"))


def ends_in_code(text: str) -> bool:
    """Return whether a text ends within a code block, or within code in a line."""
    opened = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if not opened:
            opened = fence["signs"]
        elif fence["signs"].startswith(opened) and not fence["more"].strip():
            opened = ""
    return bool(opened) or text.rpartition("\n")[2].count("`") % 2 == 1


def fenced(text: str, language: str = "") -> str:
    """Return a code block of that text, between fences that do not occur in it."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def file_block(name: str, text: str) -> str:
    """Return the text of a file as a code block under its name, as models read it."""
    return f"{name}\n{fenced(text.rstrip())}"
