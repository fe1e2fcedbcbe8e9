"""Reads fields of other apps' JSON. A missing value, or one of another type, reads as empty.

A path has the keys of nested objects and the indexes of lists, as in "content.0.text", and "" is the container. In
"title|name", the second path is used where the first path has no value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

# Times above this are in milliseconds: in seconds it is the year 5138.
_MILLISECONDS_FROM = 1e11
# Seconds or milliseconds as text; a date in ISO 8601 has only eight digits.
_EPOCH = re.compile("[0-9]{9,15}")
# The year 9990: `datetime` ends soon after, in every time zone.
_LATEST_TIME_S = 253_000_000_000.0


def text(container: object, path: str) -> str:
    """Return the first text at the paths that is not empty; "" if there is none."""
    for value in values(container, path):
        if isinstance(value, str) and value:
            return value
    return ""


def identifier(container: object, path: str) -> str:
    """Return the first text at the paths that is not empty, or else the first whole number as text; "" without one."""
    numbers = [str(value) for value in values(container, path) if type(value) is int and value >= 0]
    return text(container, path) or (numbers[0] if numbers else "")


def mapping(container: object, path: str) -> Mapping[str, Any]:
    """Return the first object at the paths that is not empty; {} if there is none."""
    for value in values(container, path):
        if isinstance(value, dict) and value:
            return value
    return {}


def items(container: object, path: str) -> list[Any]:
    """Return the first list at the paths that is not empty; [] if there is none."""
    for value in values(container, path):
        if isinstance(value, list) and value:
            return value
    return []


def flag(container: object, path: str) -> bool:
    """Return whether any of the paths has the value True."""
    return any(value is True for value in values(container, path))


def count(container: object, path: str) -> int:
    """Return the number of items, which may be written as one text."""
    return len(items(container, path)) or bool(text(container, path))


def time(container: object, path: str) -> float | None:
    """Return seconds since 1970 from a number of seconds or milliseconds, also as digits, or from ISO 8601 text.

    None if there is no such time, or one that `datetime` does not know.
    """
    for value in values(container, path):
        seconds = _seconds(value)
        if seconds is not None:
            return seconds
    return None


def part_text(part: object) -> str | None:
    """Return the text of a content part; None for images, files and calls.

    It is the part itself, its "text", plain or as {"value": text} (OpenAI's threads), its "content", or its "refusal".
    """
    if isinstance(part, str):
        return part
    for value in values(part, "text.value|text|content|refusal"):
        if isinstance(value, str):
            return value
    return None


def has(*paths: str) -> Callable[[object], bool]:
    """Return a function that says whether a value has something at each of these paths."""
    return lambda container: all(any(value is not None for value in values(container, path)) for path in paths)


def values(container: object, path: str) -> Iterator[Any]:
    """Yield the value at each of the paths; None where there is no value."""
    for alternative in path.split("|"):
        value: Any = container
        for key in filter(None, alternative.split(".")):
            if isinstance(value, dict):
                value = value.get(key)
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            else:
                value = None
        yield value


def _seconds(value: object) -> float | None:
    """Return a time in seconds since 1970; None if the value is no time."""
    seconds: float | None = None
    if isinstance(value, str) and _EPOCH.fullmatch(value):
        value = int(value)
    if isinstance(value, str):
        try:
            seconds = datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000.0 if _MILLISECONDS_FROM < value < 1e15 else float(min(value, 1e15))
    return seconds if seconds is not None and 0 < seconds < _LATEST_TIME_S else None
