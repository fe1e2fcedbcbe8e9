"""Reads rows out of a database file page by page, without its schema and its trees.

For files of which SQLite cannot find the rows any more: each page with rows says itself where these are, and our tables
are told apart by the columns of their rows. The chunks of answers that were being written are in the pages of an index,
because their table has no row ids. Deleted rows do not come back, because the store overwrites what it deletes.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.conversations.database import readable
from app.conversations.file_header import PAGE_SIZE

_LEAF_OF_TABLE, _LEAF_OF_INDEX, _INSIDE_INDEX = 0x0D, 0x0A, 0x02
# Of page 1, where the file's header comes first.
_FIRST_HEADER = 100
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
# No table of ours has more columns.
_MOST_COLUMNS = 32
# By format: the largest part of a row inside its page, and the smallest where the rest is elsewhere.
_LARGEST_INSIDE, _LARGEST_INSIDE_INDEX = PAGE_SIZE - 35, (PAGE_SIZE - 12) * 64 // 255 - 23
_SMALLEST_INSIDE = (PAGE_SIZE - 12) * 32 // 255 - 23

Row = tuple[str, int, list[Any]]


class _NotARowError(Exception):
    """The bytes do not encode a row."""


def carve(path: Path) -> Iterator[Row]:
    """The rows of our tables as (table, row id, values in the order of the columns, perhaps without the last ones)."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for start in range(0, len(content) - PAGE_SIZE + 1, PAGE_SIZE):
            header = start + (_FIRST_HEADER if start == 0 else 0)
            if content[header] == _LEAF_OF_TABLE:
                yield from _rows(content, start, header)
            elif content[header] in (_LEAF_OF_INDEX, _INSIDE_INDEX):
                yield from _chunks(content, start, header)


def _rows(content: mmap.mmap, start: int, header: int) -> Iterator[Row]:
    for offset in _cells(content, header, 8):
        with suppress(_NotARowError, IndexError, struct.error, OverflowError):
            size, position = _varint(content, start + offset)
            identity, position = _varint(content, position)
            values = _values(_payload(content, start, position, size, _LARGEST_INSIDE))
            if (table := _table_of(values)) is not None:
                yield table, identity, values


def _chunks(content: mmap.mmap, start: int, header: int) -> Iterator[Row]:
    # Inside of the tree, a page has one pointer more, and each row comes behind the number of a page.
    before, head = (4, 12) if content[header] == _INSIDE_INDEX else (0, 8)
    for offset in _cells(content, header, head):
        with suppress(_NotARowError, IndexError, struct.error, OverflowError):
            size, position = _varint(content, start + offset + before)
            values = _values(_payload(content, start, position, size, _LARGEST_INSIDE_INDEX))
            if _is_chunk(values):
                yield "chunks", values[0], values


def _cells(content: mmap.mmap, header: int, head: int) -> Iterator[int]:
    """Where the rows of a page are in it, whose own header is `head` bytes long."""
    count = int.from_bytes(content[header + 3 : header + 5], "big")
    for index in range(min(count, PAGE_SIZE // 2)):
        pointer = header + head + 2 * index
        offset = int.from_bytes(content[pointer : pointer + 2], "big")
        if 0 < offset < PAGE_SIZE:
            yield offset


def _payload(content: mmap.mmap, start: int, position: int, size: int, largest: int) -> bytes:
    """A row's bytes, of which at most `largest` are inside its page; where pages of it are gone, those before them."""
    if size > len(content):
        raise _NotARowError
    inside = size
    if size > largest:
        inside = _SMALLEST_INSIDE + (size - _SMALLEST_INSIDE) % (PAGE_SIZE - 4)
        inside = inside if inside <= largest else _SMALLEST_INSIDE
    if position + inside > start + PAGE_SIZE:
        raise _NotARowError
    payload = bytearray(content[position : position + inside])
    following = int.from_bytes(content[position + inside : position + inside + 4], "big")
    seen: set[int] = set()
    while len(payload) < size:
        page = (following - 1) * PAGE_SIZE
        if following in seen or not 0 <= page < len(content):
            break
        seen.add(following)
        payload += content[page + 4 : page + 4 + min(PAGE_SIZE - 4, size - len(payload))]
        following = int.from_bytes(content[page : page + 4], "big")
    return bytes(payload)


def _values(payload: bytes) -> list[Any]:
    end, position = _varint(payload, 0)
    kinds: list[int] = []
    while position < end:
        kind, position = _varint(payload, position)
        kinds.append(kind)
        if len(kinds) > _MOST_COLUMNS:
            raise _NotARowError
    values: list[Any] = []
    position = end
    for kind in kinds:
        value, position = _value(payload, position, kind)
        values.append(value)
    return values


def _value(payload: bytes, position: int, kind: int) -> tuple[Any, int]:
    if kind == 0:
        return None, position
    if kind in (8, 9):
        return kind - 8, position
    if kind in _INTEGER_BYTES:
        end = position + _INTEGER_BYTES[kind]
        return int.from_bytes(payload[position:end], "big", signed=True), end
    if kind == 7:
        return struct.unpack_from(">d", payload, position)[0], position + 8
    if kind < 12:
        raise _NotARowError
    end = position + (kind - 12) // 2
    raw = payload[position:end]
    return (readable(raw) if kind % 2 else raw), end


def _varint(content: mmap.mmap | bytes, position: int) -> tuple[int, int]:
    """The number of one to nine bytes at `position`, and where it ends."""
    value = 0
    for index in range(8):
        byte = content[position + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, position + index + 1
    value = value << 8 | content[position + 8]
    return value - 2**64 if value >= 2**63 else value, position + 9


def _table_of(values: list[Any]) -> str | None:
    """Which table a row is of. The first column of each is the row's id, which is not repeated in the row."""
    if not values or values[0] is not None:
        return None
    return next((table for table, matches in _TABLES if matches(values)), None)


def _are_text(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_chunk(values: list[Any]) -> bool:
    kinds = (int, int, str, bytes, bytes)
    return len(values) in (4, 5) and all(isinstance(*pair) for pair in zip(values, kinds, strict=False))


def _is_tokens(values: list[Any]) -> bool:
    if len(values) not in (2, 3) or not all(isinstance(value, bytes) for value in values[1:]):
        return False
    try:
        return zlib.decompress(values[1])[:1] == b"["
    except zlib.error:
        return False


_TABLES: tuple[tuple[str, Callable[[list[Any]], bool]], ...] = (
    ("messages", lambda row: len(row) == 20 and isinstance(row[2], int) and _are_text(row[7:10])),
    ("conversations", lambda row: len(row) == 16 and _are_text(row[11:15])),
    ("requests", lambda row: len(row) == 19 and isinstance(row[1], int) and _are_text(row[3:8])),
    ("requests", lambda row: len(row) == 21 and isinstance(row[1], int | None) and _are_text(row[3:10])),
    ("presets", lambda row: len(row) == 4 and _are_text(row[1:4])),
    ("folders", lambda row: len(row) in (3, 4) and isinstance(row[1], str) and isinstance(row[2], int)),
    ("token_views", _is_tokens),
)
