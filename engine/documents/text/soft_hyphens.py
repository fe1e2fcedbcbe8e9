"""Soft hyphens, which say where a word may be divided at the end of a line, and are not seen within it."""

from __future__ import annotations

import re

# After one at the end of a line, the word goes on in the next.
_SOFT_HYPHENS = re.compile("\u00ad+(?:\n(?=\\w))?")


def without_soft_hyphens(words: str) -> str:
    """Return the words of a document without soft hyphens, and without the line ends at which they divide a word."""
    return _SOFT_HYPHENS.sub("", words)
