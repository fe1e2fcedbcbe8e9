"""Tool tips that show words as they are written. Qt takes what looks like HTML for HTML."""

from __future__ import annotations

from html import escape


def tip(words: str) -> str:
    """For `setToolTip`, where a person, a model or a file has written some of the words."""
    if "<" not in words and "&" not in words:
        return words
    return f'<p style="white-space: pre-wrap">{escape(words)}</p>'
