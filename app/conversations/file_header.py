"""Repairs the header and the length of a damaged database file, so that SQLite reads the rest.

SQLite refuses the whole file for one wrong byte among its first hundred, and for one page less than the header says.
"""

from __future__ import annotations

import os
from pathlib import Path

# SQLite's default since 2016, which every store has.
PAGE_SIZE = 4096
_MAGIC = b"SQLite format 3\0"
_HEADER = 100
# A page count is believed up to this many times the file's length, and in any case up to this many bytes.
_LONGER, _ALWAYS = 16, 2**26


def mend_header(path: Path, with_log: bool) -> None:
    """Set the fields that are the same in every store, and pad the file with zeros to the length that it declares.

    Only for a working copy. `with_log` says that a write-ahead log lies beside it.
    """
    with path.open("r+b") as file:
        header = bytearray(file.read(_HEADER).ljust(_HEADER, b"\0"))
        size = os.fstat(file.fileno()).st_size
        there, declared = -(-max(size, PAGE_SIZE) // PAGE_SIZE), int.from_bytes(header[28:32], "big")
        believable = declared * PAGE_SIZE <= max(size * _LONGER, _ALWAYS)
        pages = declared if there < declared and believable else there
        header[0:16] = _MAGIC
        header[16:18] = PAGE_SIZE.to_bytes(2, "big")
        # Write and read version (2 is a store with a log), reserved bytes, and three fractions that never vary.
        header[18:24] = bytes([2, 2] if with_log else [1, 1]) + bytes([0, 64, 32, 32])
        header[28:32] = pages.to_bytes(4, "big")
        # The schema's format, no automatic vacuum, and UTF-8.
        header[44:48] = (4).to_bytes(4, "big")
        header[52:60] = (0).to_bytes(4, "big") + (1).to_bytes(4, "big")
        header[64:68] = bytes(4)
        # The page count counts only where both of these are equal.
        header[92:96] = header[24:28]
        file.seek(0)
        file.write(header)
        file.truncate(pages * PAGE_SIZE)
