"""Positions in a text as Qt counts them."""

from __future__ import annotations


def utf16_length(text: str) -> int:
    """The number of UTF-16 units; a character outside the basic plane is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
