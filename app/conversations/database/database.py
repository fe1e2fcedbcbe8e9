"""One SQLite connection and its transactions, which report their changes.

With a write-ahead log and synchronous=FULL, committed changes survive a kill and a power cut. The lock is exclusive,
so that a second process cannot mistake this one's streaming answers for interrupted ones.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.conversations.database.errors import StoreInUse, as_store_error, refusal_of
from app.conversations.database.records import StoreChanges
from app.conversations.database.search_tokens import index_text
from engine.files import private_files

# Seconds to wait for another process that has the store open, perhaps for a moment only.
LOCK_TIMEOUT_S = 2.0
_UNSTORABLE = re.compile("[\\x00\ud800-\udfff]")


def connect(path: Path | None) -> sqlite3.Connection:
    """Open a connection with the store's settings; without a path, to a new database in memory.

    Creates the file if need be. Raises StoreInUse if another process has the file open.
    """
    if path is not None:
        private_files.create(path)
    file = ":memory:" if path is None else path
    connection = sqlite3.connect(file, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        connection.text_factory = readable
        # Before the first access to the log: then no shared-memory file is needed.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        # macOS keeps written pages in the drive's cache unless asked; asking at checkpoints keeps the file sound.
        connection.execute("PRAGMA checkpoint_fullfsync = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        # Deleted content is overwritten, not only unlinked.
        connection.execute("PRAGMA secure_delete = ON")
        connection.create_function("index_text", 1, index_text, deterministic=True)
        connection.create_function("mended", 1, _mended, deterministic=True)
    except sqlite3.OperationalError as error:
        connection.close()
        if path is not None and error.sqlite_errorname in ("SQLITE_BUSY", "SQLITE_LOCKED"):
            raise StoreInUse(path) from error
        raise
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


def readable(stored: bytes) -> str:
    """Decode a column's text. A damaged byte costs its character, not the row."""
    return stored.decode("utf-8", "replace")


def _mended(stored: bytes) -> str | None:
    """Return the text of a damaged column, as `readable` does; None for UTF-8."""
    try:
        stored.decode()
    except UnicodeDecodeError:
        return readable(stored)
    return None


class Database:
    """Owns the connection. Not thread-safe: one thread uses it."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float]) -> None:
        self.connection = connection
        self.clock = clock
        # The number of committed transactions.
        self.commits = 0
        # The digests of stored pictures that no row refers to yet.
        self.unreferenced: set[str] = set()
        self.on_commit: Callable[[StoreChanges], None] = lambda _changes: None
        # Called after a commit that removed messages for good.
        self.on_removal: Callable[[], None] = lambda: None
        # The changes of the open transaction; None outside of transactions.
        self._changes: StoreChanges | None = None

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return all rows of a query."""
        return self.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Row | None:
        """Return the first row of a query; None if it has none."""
        row: sqlite3.Row | None = self.execute(sql, parameters).fetchone()
        return row

    def ids(self, sql: str, parameters: Sequence[Any] = ()) -> list[int]:
        """Return the first column of all rows."""
        return [row[0] for row in self.rows(sql, parameters)]

    def scalar(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Return the first column of the first row; None if the query has no row."""
        row = self.row(sql, parameters)
        return None if row is None else row[0]

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run a statement. Outside of `write`, it is a transaction of its own that reports nothing."""
        return self.connection.execute(sql, [storable(value) for value in parameters])

    def insert(self, table: str, **values: Any) -> int:
        """Insert a row and return its id. The names of the columns are constants of the program, never input."""
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        identity = self.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values())).lastrowid
        assert identity is not None
        return identity

    def update(self, table: str, identity: int, **values: Any) -> bool:
        """Set columns of the row with this id; return whether there is one.

        The names of the columns are constants of the program, never input.
        """
        assignments = ", ".join(f"{name} = ?" for name in values)
        cursor = self.execute(f"UPDATE {table} SET {assignments} WHERE id = ?", (*values.values(), identity))
        return cursor.rowcount > 0

    @contextmanager
    def write(self) -> Iterator[StoreChanges]:
        """Open a transaction; a nested one joins it. When the outermost block ends, all of it is on disk or nothing.

        Yields the record in which the block notes its changes. After the commit, `on_removal` is called if messages
        were removed for good, then `on_commit` gets the record. Raises StoreNotWritable when the system refuses the
        write, and passes on the errors of the block; nothing is changed then.
        """
        if self._changes is not None:
            yield self._changes
            return
        changes = StoreChanges()
        self._changes = changes
        unreferenced = self.unreferenced.copy()
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield changes
            self.connection.execute("COMMIT")
        except BaseException as error:
            # A full disk may have rolled the transaction back already.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self.unreferenced |= unreferenced
            if isinstance(error, sqlite3.OperationalError) and refusal_of(error) is not None:
                raise as_store_error(error) from error
            raise
        finally:
            self._changes = None
        self.commits += 1
        if changes.removed_uids:
            self.on_removal()
        changes.conversations -= changes.removed
        if changes:
            self.on_commit(changes)

    def close(self) -> None:
        self.connection.close()


def storable(value: Any) -> Any:
    """Return a value that SQLite can hold: a text without lone surrogates and NUL; other values unchanged."""
    if isinstance(value, str) and _UNSTORABLE.search(value):
        return _UNSTORABLE.sub("\ufffd", value)
    return value
