"""What the attributes of XML elements say."""

from __future__ import annotations

from xml.etree.ElementTree import Element


def value(element: Element, path: str, name: str = "val") -> str:
    """Return an attribute of the first element at a path; "" if that is missing."""
    child = element.find(path)
    return "" if child is None else child.get(name, "")


def is_on(element: Element, path: str, *, usual: bool = False) -> bool:
    """Return whether the element at a path switches something on; `usual` if it is missing."""
    switch = element.find(path)
    return usual if switch is None else switch.get("val") not in ("0", "false", "off")


def integer(text: str | None, usual: int = 0) -> int:
    """Return the number that a text is; `usual` for one that is none, or has more than nine digits."""
    return int(text) if text and len(text) < 10 and text.isdecimal() else usual
