"""Makes compound files as objects of Office are, for tests."""

from __future__ import annotations

import struct

from engine.documents.archives.ole_packages import COMPOUND_FILE

SECTOR = 512
SMALL = 64
FREE = 0xFFFFFFFF
END = 0xFFFFFFFE


def native(name: bytes, content: bytes) -> bytes:
    """Return the stream of a packaged file."""
    path = b"C:\\Temp\\x\0"
    names = b"\2\0Label\0" + b"C:\\Files\\" + name + b"\0"
    body = names + struct.pack("<HHI", 0, 3, len(path)) + path + struct.pack("<I", len(content)) + content
    return struct.pack("<I", len(body)) + body


def entry(name: str, kind: int, sector: int, size: int) -> bytes:
    encoded = name.encode("utf-16-le")
    about = struct.pack("<HBB3I36xIQ", len(encoded) + 2 if name else 0, kind, 1, FREE, FREE, FREE, sector, size)
    return encoded.ljust(64, b"\0") + about


def padded(data: bytes, size: int) -> bytes:
    return data + b"\0" * (-len(data) % size)


def compound(name: str, content: bytes) -> bytes:
    """Return a compound file with one stream: the table, the directory, the small table, and then the stream."""
    is_small = len(content) < 4096
    stream = padded(content, SMALL if is_small else SECTOR)
    sectors = len(padded(stream, SECTOR)) // SECTOR
    following = [0xFFFFFFFD, END, END, *range(4, 3 + sectors), END]
    table = struct.pack("<128I", *following, *[FREE] * (128 - len(following)))
    smalls = len(stream) // SMALL if is_small else 0
    chain = [*range(1, smalls), END] if smalls else []
    small_table = struct.pack("<128I", *chain, *[FREE] * (128 - len(chain)))
    root = entry("Root Entry", 5, 3 if is_small else END, len(stream) if is_small else 0)
    directory = root + entry(name, 2, 0 if is_small else 3, len(content)) + entry("", 0, 0, 0) * 2
    versions = struct.pack("<16x5H6xI", 0x3E, 3, 0xFFFE, 9, 6, 0)
    counts = struct.pack("<9I", 1, 1, 0, 4096, 2 if smalls else END, 1 if smalls else 0, END, 0, 0)
    header = COMPOUND_FILE + versions + counts + struct.pack("<108I", *[FREE] * 108)
    return header + table + directory + small_table + padded(stream, SECTOR)
