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
    place = _space(text, 0)
    if text.startswith("{", place):
        value, end = _object(text, place, step)
    else:
        value, end = _value(text, place, step)
    if (end := _space(text, end)) != len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def _value(text: str, place: int, step: Callable[[], object]) -> tuple[Any, int]:
    if text.startswith("[", place):
        return _list(text, place, step)
    return _decoder.raw_decode(text, place)


def _list(text: str, place: int, step: Callable[[], object]) -> tuple[list[Any], int]:
    items: list[Any] = []
    place = _space(text, place + 1)
    if text.startswith("]", place):
        return items, place + 1
    while True:
        step()
        item, place = _decoder.raw_decode(text, place)
        items.append(item)
        place, ends = _after_item(text, place, "]")
        if ends:
            return items, place


def _object(text: str, place: int, step: Callable[[], object]) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    place = _space(text, place + 1)
    if text.startswith("}", place):
        return found, place + 1
    while True:
        if not text.startswith('"', place):
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, place)
        name, place = _decoder.raw_decode(text, place)
        place = _space(text, place)
        if not text.startswith(":", place):
            raise json.JSONDecodeError("Expecting ':' delimiter", text, place)
        found[name], place = _value(text, _space(text, place + 1), step)
        place, ends = _after_item(text, place, "}")
        if ends:
            return found, place


def _after_item(text: str, place: int, closing: str) -> tuple[int, bool]:
    """Where the next item begins, or what follows the end where this was the last one."""
    place = _space(text, place)
    if text.startswith(closing, place):
        return place + 1, True
    if not text.startswith(",", place):
        raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
    return _space(text, place + 1), False


def _space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    assert match is not None
    return match.end()
