"""Reads rows out of a database file page by page, without its schema and its trees.

For files of which SQLite cannot find the rows any more: each leaf page of a table says itself where its rows are, and
our tables are told apart by the columns of their rows. Deleted rows do not come back, because the store overwrites
what it deletes.
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

_LEAF_OF_TABLE = 0x0D
# Of page 1, where the file's header comes first.
_FIRST_HEADER = 100
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
# No table of ours has more columns.
_MOST_COLUMNS = 32
# By format: the largest part of a row inside its page, and the smallest where the rest is elsewhere.
_LARGEST_INSIDE = PAGE_SIZE - 35
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


def _rows(content: mmap.mmap, start: int, header: int) -> Iterator[Row]:
    count = int.from_bytes(content[header + 3 : header + 5], "big")
    for index in range(min(count, PAGE_SIZE // 2)):
        pointer = header + 8 + 2 * index
        offset = int.from_bytes(content[pointer : pointer + 2], "big")
        if not 0 < offset < PAGE_SIZE:
            continue
        with suppress(_NotARowError, IndexError, struct.error, OverflowError):
            identity, payload = _payload(content, start, start + offset)
            values = _values(payload)
            if (table := _table_of(values)) is not None:
                yield table, identity, values


def _payload(content: mmap.mmap, start: int, position: int) -> tuple[int, bytes]:
    """A row's id and its bytes; where pages of it are gone, what comes before them."""
    size, position = _varint(content, position)
    identity, position = _varint(content, position)
    if size > len(content):
        raise _NotARowError
    inside = size
    if size > _LARGEST_INSIDE:
        inside = _SMALLEST_INSIDE + (size - _SMALLEST_INSIDE) % (PAGE_SIZE - 4)
        inside = inside if inside <= _LARGEST_INSIDE else _SMALLEST_INSIDE
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
    return identity, bytes(payload)


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
    ("presets", lambda row: len(row) == 4 and _are_text(row[1:4])),
    ("folders", lambda row: len(row) in (3, 4) and isinstance(row[1], str) and isinstance(row[2], int)),
    ("token_views", _is_tokens),
)
