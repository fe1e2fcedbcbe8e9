"""Reads the rows of a damaged database: as SQLite does once its header is mended, or page by page.

SQLite refuses the whole file for one wrong byte among its first hundred, and for one page less than the header says.
Where it cannot read a table even so, it takes each page for a table by itself: then rows are recovered even if the
pages above them, or the schema, are damaged. The tables of a store are told apart by the columns of their rows. Deleted
rows do not come back, because the store overwrites the rows that it deletes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.conversations.database.database import readable

# SQLite's default since 2016, which every store has.
PAGE_SIZE = 4096
_MAGIC = b"SQLite format 3\0"
_HEADER = 100
# A page count is believed up to this many times the file's length, and in any case up to this many bytes.
_LONGER = 16
_ALWAYS = 2**26
# Ids above this are damaged: some must be left for new rows.
_HIGHEST_KEY = 2**62
# What SQLite gives for columns that a row does not have. No column of a store holds an infinite number.
_ABSENT = float("inf")
_TYPES: Mapping[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (int, float), "TEXT": (str,), "BLOB": (bytes,)}
_RAW_SCHEMA = """
CREATE TABLE of_ids ({columns});
CREATE TABLE of_chunks ({columns}, PRIMARY KEY (c0, c1)) WITHOUT ROWID;
"""


def repair_header(path: Path, with_log: bool) -> None:
    """Set the fields that are the same in every store, and pad the file with zeros to the length that it declares.

    Only for a working copy: the file is changed. `with_log` says that a write-ahead log lies next to it.
    """
    with path.open("r+b") as file:
        header = bytearray(file.read(_HEADER).ljust(_HEADER, b"\0"))
        size = os.fstat(file.fileno()).st_size
        there = -(-max(size, PAGE_SIZE) // PAGE_SIZE)
        declared = int.from_bytes(header[28:32], "big")
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


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column of a table. A generated one is stored, but not inserted."""

    name: str
    kind: str
    required: bool
    generated: bool

    def takes(self, value: Any) -> bool:
        """Return whether the column may hold the value."""
        return not self.required if value is None else isinstance(value, _TYPES[self.kind])


def columns_of(connection: sqlite3.Connection, table: str) -> list[SchemaColumn]:
    """Return the columns of a table in their order; [] if the file has no such table."""
    return [
        SchemaColumn(row["name"], row["type"], bool(row["notnull"]), row["hidden"] != 0)
        for row in connection.execute(f"PRAGMA table_xinfo({table})")
    ]


def readable_rows(
    source: sqlite3.Connection, table: str, key: str, columns: Sequence[str]
) -> tuple[list[sqlite3.Row], bool]:
    """Return the rows that can be read, each behind its `key`, and whether all rows could be read.

    If one cannot be read, the keys are read alone, from both ends, and then the row of each key.
    """
    select = f"SELECT {key}, {', '.join(columns)} FROM {table} WHERE {key}"
    rows, all_read = _scan(source, f"{select} BETWEEN 1 AND {_HIGHEST_KEY} ORDER BY {key}")
    if all_read:
        return rows, True
    keys = {
        row[0]
        for order in ("ASC", "DESC")
        for row in _scan(
            source,
            f"SELECT {key} FROM {table} NOT INDEXED WHERE {key} BETWEEN 1 AND {_HIGHEST_KEY} ORDER BY {key} {order}",
        )[0]
    }
    return [row for number in sorted(keys) for row in _scan(source, f"{select} = {number}")[0]], False


def _scan(source: sqlite3.Connection, query: str) -> tuple[list[sqlite3.Row], bool]:
    """Return the rows up to the first unreadable one, and whether all were readable."""
    rows: list[sqlite3.Row] = []
    try:
        for row in source.execute(query):
            rows.append(row)  # noqa: PERF402  (keep the rows before a failure)
    except (sqlite3.Error, UnicodeDecodeError, OverflowError):
        return rows, False
    return rows, True


def rows_of_pages(path: Path, tables: Mapping[str, Sequence[SchemaColumn]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of `tables` that any page has, some of them repeatedly, each with its table.

    `path` is a working copy without a log; its schema is replaced. `tables` has the columns of each table.
    """
    width = 1 + max(map(len, tables.values()))
    names = [f"c{index}" for index in range(width)]
    _replace_schema(path, _RAW_SCHEMA.format(columns=", ".join(f"{name} DEFAULT 9e999" for name in names)))
    with_ids = {table: columns for table, columns in tables.items() if table != "chunks"}
    with closing(sqlite3.connect(path, isolation_level=None)) as source:
        source.text_factory = readable
        source.execute("PRAGMA journal_mode = OFF")
        source.execute("PRAGMA synchronous = OFF")
        for page in range(2, 1 + source.execute("PRAGMA page_count").fetchone()[0]):
            source.execute("PRAGMA writable_schema = ON")
            source.execute("UPDATE sqlite_master SET rootpage = ?", (page,))
            source.execute("PRAGMA writable_schema = RESET")
            for row in readable_rows(source, "of_ids", "rowid", names)[0]:
                # SQLite stores no value for a column that is the row's id.
                if row[1] is None:
                    yield from _identified((row[0], *row[2:]), with_ids)
            if "chunks" in tables:
                for row in readable_rows(source, "of_chunks", "c0", names)[0]:
                    yield from _identified(row[1:], {"chunks": tables["chunks"]})


def _replace_schema(path: Path, schema: str) -> None:
    """Overwrite the first page of the file with the first page of a new database with this schema."""
    with closing(sqlite3.connect(":memory:")) as pattern, path.open("r+b") as file:
        pattern.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        pattern.executescript(schema)
        file.write(pattern.serialize()[:PAGE_SIZE])
    repair_header(path, with_log=False)


def _identified(
    values: Sequence[Any], tables: Mapping[str, Sequence[SchemaColumn]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the row once for each table whose columns it has, by the names of these columns.

    Last columns that need no value may be missing.
    """
    there = values[: values.index(_ABSENT)] if _ABSENT in values else values
    for table, columns in tables.items():
        missing = [None] * (len(columns) - len(there))
        if len(there) <= len(columns) and all(map(SchemaColumn.takes, columns, (*there, *missing))):
            yield table, {c.name: value for c, value in zip(columns, there, strict=False) if not c.generated}
