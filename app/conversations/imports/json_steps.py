"""JSON read piece by piece. In one go, a large file would hold up every other thread until it is read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_decoder = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


def parse(text: str, step: Callable[[], object]) -> Any:
    """What `json.loads` makes of it, with a call of `step` before each item of the outermost lists.

    Outermost are a list that is the whole document, and those in an object that is. Raises ValueError, RecursionError
    and what `step` raises.
    """
    position = _space(text, 0)
    if text.startswith("{", position):
        value, end = _object(text, position, step)
    else:
        value, end = _value(text, position, step)
    if (end := _space(text, end)) != len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def _value(text: str, position: int, step: Callable[[], object]) -> tuple[Any, int]:
    if text.startswith("[", position):
        return _list(text, position, step)
    return _decoder.raw_decode(text, position)


def _list(text: str, position: int, step: Callable[[], object]) -> tuple[list[Any], int]:
    items: list[Any] = []
    position = _space(text, position + 1)
    if text.startswith("]", position):
        return items, position + 1
    while True:
        step()
        item, position = _decoder.raw_decode(text, position)
        items.append(item)
        position, ends = _after_item(text, position, "]")
        if ends:
            return items, position


def _object(text: str, position: int, step: Callable[[], object]) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    position = _space(text, position + 1)
    if text.startswith("}", position):
        return found, position + 1
    while True:
        if not text.startswith('"', position):
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, position)
        name, position = _decoder.raw_decode(text, position)
        position = _space(text, position)
        if not text.startswith(":", position):
            raise json.JSONDecodeError("Expecting ':' delimiter", text, position)
        found[name], position = _value(text, _space(text, position + 1), step)
        position, ends = _after_item(text, position, "}")
        if ends:
            return found, position


def _after_item(text: str, position: int, closing: str) -> tuple[int, bool]:
    """Where the next item begins, or what follows the end where this was the last one."""
    position = _space(text, position)
    if text.startswith(closing, position):
        return position + 1, True
    if not text.startswith(",", position):
        raise json.JSONDecodeError("Expecting ',' delimiter", text, position)
    return _space(text, position + 1), False


def _space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match is not None
    return match.end()
