"""Files within the objects (OLE) that documents of Office embed: such an object is a compound file with streams.

[MS-CFB] describes compound files, [MS-OLEDS] the stream of a packaged file (2.3.6). Nothing in an object is run.

They are read here because olefile 0.47, the newest since 2023, gives other bytes for sectors that lead back to each
other, and fewer for a file that is cut, without an error. A damaged object has to be said to be one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property
from ntpath import basename
from typing import NamedTuple

COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Streams with a file: as "Package" of any name, a document of a newer Office, and a document of Acrobat.
_PACKAGED = "\1Ole10Native"
_PLAIN = {"Package": b"PK\3\4", "CONTENTS": b"%PDF-"}
# Numbers of sectors from here on mean other things, such as the end of a chain.
_LAST_SECTOR = 0xFFFFFFFA
_SECTORS_IN_HEADER = 109
_ENTRY = struct.Struct("<64sHB49xIQ")
_STREAM = 2
_ROOT = 5


class PackagedFile(NamedTuple):
    """A file within an object; its name is "" if the object has none."""

    name: str
    content: bytes


class _StoredStream(NamedTuple):
    """A stream of a compound file, or what is around it: its first sector, and its length in bytes."""

    name: str
    kind: int
    sector: int
    size: int


def packaged_file(data: bytes) -> PackagedFile | None:
    """Return the file within an object; None if there is none. Raises `ValueError` for an object that is damaged."""
    if not data.startswith(COMPOUND_FILE):
        return None
    try:
        streams = _CompoundFile(data)
        for entry in streams.entries:
            if entry.kind == _STREAM and entry.name == _PACKAGED:
                return _of_native(streams.content(entry))
            if entry.kind == _STREAM and entry.name in _PLAIN:
                content = streams.content(entry)
                if content.startswith(_PLAIN[entry.name]):
                    return PackagedFile("", content)
    except (struct.error, IndexError, ValueError) as error:
        raise ValueError("damaged") from error
    return None


def _of_native(stream: bytes) -> PackagedFile:
    """Return the file in a stream of a package: a label and names that end with zeros, and then its length."""
    _, name, after = stream[6:].split(b"\0", 2)
    (length,) = struct.unpack_from("<I", after, 4)
    (size,) = struct.unpack_from("<I", after, 8 + length)
    content = after[12 + length :][:size]
    if len(content) < size:
        raise ValueError("damaged")
    return PackagedFile(basename(name.decode("cp1252", "replace")), content)


class _CompoundFile:
    """The streams of a compound file. Raises `struct.error`, `IndexError` or `ValueError` for one that is damaged."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        shift, small_shift = struct.unpack_from("<HH", data, 30)
        if not (7 <= shift <= 16 and small_shift < shift):
            raise ValueError("damaged")
        self._size = 1 << shift
        self._small_size = 1 << small_shift
        _, first_entry, _, self._small_below, first_small = struct.unpack_from("<5I", data, 44)
        self._next = self._read_table()
        directory = self._joined(first_entry)
        entries = (self._entry(directory, place) for place in range(0, len(directory) - _ENTRY.size + 1, 128))
        self.entries = [entry for entry in entries if entry.kind]
        self._next_small = _numbers(self._joined(first_small))

    def content(self, entry: _StoredStream) -> bytes:
        """Return the bytes of a stream. Short ones are in small sectors, which a stream of the root has."""
        if entry.size >= self._small_below:
            content = self._joined(entry.sector)
        else:
            size = self._small_size
            sectors = self._chain(entry.sector, self._next_small)
            content = b"".join(self._small_sectors[size * sector : size * (sector + 1)] for sector in sectors)
        if len(content) < entry.size:
            raise ValueError("damaged")
        return content[: entry.size]

    @cached_property
    def _small_sectors(self) -> bytes:
        return b"".join(self._joined(entry.sector) for entry in self.entries if entry.kind == _ROOT)

    def _read_table(self) -> list[int]:
        """Return the table of which sector follows which. The header has the first of its own sectors."""
        sectors = list(struct.unpack_from(f"<{_SECTORS_IN_HEADER}I", self._data, 76))
        further, count = struct.unpack_from("<2I", self._data, 68)
        for _ in range(min(count, len(self._data) // self._size)):
            *more, further = _numbers(self._sector(further))
            sectors += more
        return _numbers(b"".join(self._sector(sector) for sector in sectors if sector < _LAST_SECTOR))

    def _entry(self, directory: bytes, place: int) -> _StoredStream:
        name, length, kind, sector, size = _ENTRY.unpack_from(directory, place)
        # Older versions have anything in the upper half of a length.
        return _StoredStream(name[: max(0, length - 2)].decode("utf-16-le"), kind, sector, size & 0xFFFFFFFF)

    def _joined(self, first: int) -> bytes:
        return b"".join(map(self._sector, self._chain(first, self._next)))

    def _chain(self, sector: int, following: list[int]) -> Iterator[int]:
        """Yield the numbers of sectors from one on. None comes twice in a sound file."""
        for _ in following:
            if sector >= _LAST_SECTOR:
                return
            yield sector
            sector = following[sector]
        if sector < _LAST_SECTOR:
            raise ValueError("damaged")

    def _sector(self, number: int) -> bytes:
        return self._data[self._size * (number + 1) : self._size * (number + 2)]


def _numbers(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))
