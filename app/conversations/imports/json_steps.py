"""JSON read piece by piece. `json.loads` holds the GIL until a large file is parsed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

_decoder = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


# The list that may hold all chats of a document that is an object.
_LARGE = "conversations"
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# Or one that is cut off, as a group: looking at it again from each quotation mark in it would take for ever.
_STRING_OR_CUT = re.compile(_STRING.pattern + rb'|("[^"\\]*+(?:\\.[^"\\]*+)*+\\?\Z)', re.DOTALL)
_SLICE = 4 * 2**20


class Items:
    """The items of an outermost list, read anew whenever they are gone through: only one is in memory at a time.

    The text has been read to its end once, so that going through it raises nothing but what `step` raises.
    """

    def __init__(self, text: str, position: int, step: Callable[[], object]) -> None:
        self._text, self._position, self._step = text, position, step

    def __iter__(self) -> Iterator[Any]:
        position = _space(self._text, self._position + 1)
        ends = self._text.startswith("]", position)
        while not ends:
            self._step()
            item, position = _decoder.raw_decode(self._text, position)
            yield item
            position, ends = _after_item(self._text, position, "]")


def count_containers(content: bytes, enough: int) -> int:
    """How many lists and objects JSON holds, without parsing it; the count is exact up to `enough`.

    A parser makes a hundred bytes out of the three of `[],`.
    """
    # Brackets in texts are counted only where there would be too many with them.
    count = content.count(b"[") + content.count(b"{")
    if count <= enough:
        return count
    count = start = 0
    while start < len(content) and count <= enough:
        part = content[start : start + _SLICE]
        bare = _STRING_OR_CUT.sub(rb"\1", part)
        opened = bare.find(b'"')
        count += bare.count(b"[", 0, None if opened < 0 else opened)
        count += bare.count(b"{", 0, None if opened < 0 else opened)
        if opened < 0:
            start += len(part)
        elif start + len(part) == len(content):
            break
        elif inside := len(part) - (len(bare) - opened):
            # From the text that the slice cut through.
            start += inside
        elif text := _STRING.match(content, start):
            # A text longer than a slice: past it, without a copy of it.
            start = text.end()
        else:
            break
    return count


def parse(text: str, step: Callable[[], object]) -> Any:
    """What `json.loads` makes of it, with a call of `step` before each item of the outermost lists.

    Outermost are a list that is the whole document, and those in an object that is; where such a list may hold the
    chats of a person's whole history, it is given as `Items`. Raises ValueError, RecursionError and what `step` raises.
    """
    position = _space(text, 0)
    value: Any
    if text.startswith("{", position):
        value, end = _object(text, position, step)
    elif text.startswith("[", position):
        value, end = _items(text, position, step)
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
    return items, _read_items(text, position, step, items.append)


def _items(text: str, position: int, step: Callable[[], object]) -> tuple[Items, int]:
    """Read the list to its end, keep nothing of it, and give what reads it again."""
    return Items(text, position, step), _read_items(text, position, step, lambda _: None)


def _read_items(text: str, position: int, step: Callable[[], object], take: Callable[[Any], object]) -> int:
    """Pass each item of a list to `take`; returns where the list ends."""
    position = _space(text, position + 1)
    if text.startswith("]", position):
        return position + 1
    ends = False
    while not ends:
        step()
        item, position = _decoder.raw_decode(text, position)
        take(item)
        position, ends = _after_item(text, position, "]")
    return position


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
        position = _space(text, position + 1)
        read = _items if name == _LARGE and text.startswith("[", position) else _value
        found[name], position = read(text, position, step)
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
