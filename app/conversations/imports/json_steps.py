"""Reads JSON piece by piece, because `json.loads` holds the GIL until a large file is parsed."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from engine.files.bounded_json import STRING

_decoder = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
# In a document that is an object, the list that may hold all chats, and what stands before it in Tandem's exports:
# fields without lists and objects, so that the name cannot be one inside of these.
_LARGE = "conversations"
_HEAD = re.compile(rf'[ \t\n\r]*\{{(?:[^\[\]{{}}]*,)?[ \t\n\r]*"{_LARGE}"[ \t\n\r]*:[ \t\n\r]*(?=\[)')


class StreamedItems:
    """The items of a list, which each iteration parses again, so that only one is in memory at a time.

    An iteration calls `step` before each item, and sets `end` to the position after the list. Errors of the JSON can
    only occur in the first iteration.
    """

    def __init__(self, text: str, position: int, step: Callable[[], object]) -> None:
        self._text = text
        self._position = position
        self._step = step
        self.end = position

    def __iter__(self) -> Iterator[Any]:
        position = _space(self._text, self._position + 1)
        ends = self._text.startswith("]", position)
        self.end = position + 1
        while not ends:
            self._step()
            item, position = _decoder.raw_decode(self._text, position)
            yield item
            position = _space(self._text, position)
            ends = self._text.startswith("]", position)
            if not ends and not self._text.startswith(",", position):
                raise json.JSONDecodeError("Expecting ',' delimiter", self._text, position)
            self.end = position + 1
            position = _space(self._text, self.end)


def count_containers(content: bytes, enough: int) -> int:
    """Count the lists and objects of JSON without parsing it; exactly if there are more than `enough`.

    Parsing the three bytes `[],` takes a hundred bytes of memory.
    """
    # Leave strings out only if there are too many brackets together with those in them.
    if (count := content.count(b"[") + content.count(b"{")) > enough:
        bare = STRING.sub(b"", content)
        count = bare.count(b"[") + bare.count(b"{")
    return count


def parse(text: str, step: Callable[[], object]) -> Any:
    """Parse JSON like `json.loads`, with a call of `step` before each item of a list of chats.

    A list of chats may hold a whole history and is returned as `StreamedItems`. It is the document, or the list
    "conversations" in an object that is the document. Raises ValueError, RecursionError and what `step` raises.
    """
    if text.startswith("[", position := _space(text, 0)):
        items = _items(text, position, step)
        if (end := _space(text, items.end)) != len(text):
            raise json.JSONDecodeError("Extra data", text, end)
        return items
    if head := _HEAD.match(text):
        items = _items(text, head.end(), step)
        document = json.loads(f"{text[: head.end()]}null{text[items.end :]}")
        return document | {_LARGE: items}
    return json.loads(text)


def _items(text: str, position: int, step: Callable[[], object]) -> StreamedItems:
    """Read the list to its end, but keep none of its items."""
    items = StreamedItems(text, position, step)
    deque(items, maxlen=0)
    return items


def _space(text: str, position: int) -> int:
    """Return the position after the white space at `position`."""
    match = _SPACE.match(text, position)
    assert match is not None
    return match.end()
