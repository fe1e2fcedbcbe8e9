"""PNG files of which every chunk is chosen."""

from __future__ import annotations

import struct
import zlib


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, content: bytes = b"", *more: bytes, depth: int = 8, colour: int = 2) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(more) + chunk(b"IDAT", content) + chunk(b"IEND", b"")
