"""Reads JSON piece by piece, because `json.loads` holds the GIL until a large file is parsed."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

_decoder = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
# In a document that is an object, the list that may hold all chats.
_LARGE = "conversations"
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# Also a string that is cut off, as a group: searching it again from each quotation mark in it would take too long.
_STRING_OR_CUT = re.compile(_STRING.pattern + rb'|("[^"\\]*+(?:\\.[^"\\]*+)*+\\?\Z)', re.DOTALL)
_SLICE = 4 * 2**20


class Items:
    """The items of a list, which each iteration parses again, so that only one is in memory at a time.

    An iteration calls `step` before each item, and sets `end` to the position after the list. Errors of the JSON can
    only occur in the first one.
    """

    def __init__(self, text: str, position: int, step: Callable[[], object]) -> None:
        self._text, self._position, self._step = text, position, step
        self.end = position

    def __iter__(self) -> Iterator[Any]:
        position = _space(self._text, self._position + 1)
        ends = self._text.startswith("]", position)
        self.end = position + 1
        while not ends:
            self._step()
            item, position = _decoder.raw_decode(self._text, position)
            yield item
            position, ends = _after_item(self._text, position, "]")
            self.end = position


def count_containers(content: bytes, enough: int) -> int:
    """Count the lists and objects of JSON without parsing it, exactly up to `enough`.

    Parsing the three bytes `[],` takes a hundred bytes of memory.
    """
    # Look for brackets inside strings only if there are too many together with them.
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
            # Continue at the string that the slice cut through.
            start += inside
        elif text := _STRING.match(content, start):
            # Skip a string longer than a slice, without copying it.
            start = text.end()
        else:
            break
    return count


def parse(text: str, step: Callable[[], object]) -> Any:
    """Parse JSON like `json.loads`, with a call of `step` before each item of the outermost lists.

    The outermost lists are the whole document, or lists directly in an object that is the whole document. Those that
    may hold a whole history are returned as `Items`. Raises ValueError, RecursionError and what `step` raises.
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
        items = Items(text, position, step)
        return list(items), items.end
    return _decoder.raw_decode(text, position)


def _items(text: str, position: int, step: Callable[[], object]) -> tuple[Items, int]:
    """Read the list to its end, but keep none of its items."""
    items = Items(text, position, step)
    deque(items, maxlen=0)
    return items, items.end


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
    """Return the position of the next item, or after the container if this was the last one, and which."""
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
