"""Reads fields of other apps' JSON. A missing value, or one of another type, reads as empty."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

# Times above this are in milliseconds: in seconds it is the year 5138.
_MILLISECONDS_FROM = 1e11
# The year 9990: `datetime` ends soon after, in every time zone.
_LATEST = 253_000_000_000.0


def text(container: object, key: str | int) -> str:
    value = _at(container, key)
    return value if isinstance(value, str) else ""


def mapping(container: object, key: str | int) -> Mapping[str, Any]:
    value = _at(container, key)
    return value if isinstance(value, dict) else {}


def items(container: object, key: str | int) -> list[Any]:
    value = _at(container, key)
    return value if isinstance(value, list) else []


def flag(container: object, key: str | int) -> bool:
    return _at(container, key) is True


def time(container: object, key: str | int) -> float | None:
    """Return seconds since 1970 from a number of seconds or milliseconds, or from ISO 8601 text."""
    value = _at(container, key)
    seconds: float | None = None
    if isinstance(value, str):
        try:
            seconds = datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000.0 if _MILLISECONDS_FROM < value < 1e15 else float(min(value, 1e15))
    return seconds if seconds is not None and 0 < seconds < _LATEST else None


def _at(container: object, key: str | int) -> Any:
    if isinstance(container, dict):
        return container.get(key)
    if isinstance(container, list) and isinstance(key, int) and -len(container) <= key < len(container):
        return container[key]
    return None


def parts_text(parts: list[Any]) -> tuple[str, int]:
    """Return the text of content parts (strings, or objects with a "text"), and how many have none."""
    texts = [part if isinstance(part, str) else _part_text(part) for part in parts]
    return "\n\n".join(part for part in texts if part), sum(1 for part in texts if part is None)


def is_text(part: object) -> bool:
    """Whether a content part has a text, which may be empty."""
    return isinstance(part, str) or _part_text(part) is not None


def _part_text(part: object) -> str | None:
    """Return a part's text, plain or as {"value": text} as in OpenAI's threads; None for images, files and calls."""
    value = _at(part, "text")
    if isinstance(value, dict):
        value = value.get("value")
    return value if isinstance(value, str) else None
