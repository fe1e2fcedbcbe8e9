"""Opening the store: check, set a damaged file aside, back up before a migration, mark what a crash
interrupted.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from app.conversations.backups import back_up, backups_of
from app.conversations.database import Database, connect, readable
from app.conversations.errors import StoreInUse, StoreNotCurrent, StoreTooNew
from app.conversations.file_header import mend_header
from app.conversations.recovery import Salvage, salvage
from app.conversations.schema import LATEST, is_sound, migrate, version_of
from app.conversations.store import ConversationStore
from app.conversations.store_files import (
    alone_in,
    copy_with_log,
    free_name,
    remove_side_files,
    remove_with_side_files,
    stamp,
    sync,
)
from engine.files import private_files

# A file of a later version than this has a damaged header.
_VERSIONS_TO_COME = 50
_SYSTEM_ERRORS = (
    "SQLITE_CANTOPEN",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_NOMEM",
    "SQLITE_PERM",
    "SQLITE_READONLY",
)


@dataclass(frozen=True, slots=True)
class Damage:
    """The file was damaged: where it lies now, what was read out of it, and the backup that was used instead."""

    detail: str
    set_aside: Path
    salvage: Salvage
    backup_used: Path | None


@dataclass(frozen=True, slots=True)
class OpenReport:
    """What to show after the start. The first three are None or empty unless something went wrong."""

    damage: Damage | None = None
    migrated_from: int | None = None
    backup: Path | None = None
    interrupted: tuple[int, ...] = ()


def open_store(path: Path, clock: Callable[[], float] = time.time) -> tuple[ConversationStore, OpenReport]:
    """Open the store at `path`, creating it and its folder if need be.

    Raises StoreInUse, StoreTooNew, or OSError and sqlite3.Error where the system does not let us read or
    write.
    """
    private_files.make_folder(path.parent)
    damage: Damage | None = None
    with alone_in(path):
        # Also what an earlier version, a move or a person left open to others; the log gets the file's own access.
        private_files.tighten([*path.parent.glob(f"{path.stem}*"), *path.parent.glob("backups"), *backups_of(path)])
        connection, problem = _connect_and_check(path)
        # Only now: until here another process may have been writing them.
        _remove_leftovers(path)
        if connection is None:
            damage, connection = _start_over(path, problem, clock)
    try:
        version = version_of(connection)
        if version > LATEST:
            raise StoreTooNew(path, version, LATEST)
        backup = None
        if 0 < version < LATEST:
            backup = back_up(connection, path, version, clock)
        migrate(connection)
        store = ConversationStore(Database(connection, clock))
        interrupted = store.run(lambda store: store.answers.mark_interrupted())
    except BaseException:
        connection.close()
        raise
    migrated_from = version if 0 < version < LATEST else None
    return store, OpenReport(damage, migrated_from, backup, interrupted)


@contextmanager
def visit_store(path: Path, clock: Callable[[], float] = time.time) -> Iterator[ConversationStore]:
    """Open the store for a moment, to add to it: nothing is marked, mended or brought forward. Creates a new one.

    Raises StoreInUse, StoreNotCurrent for one of another version or a damaged one, which only the window opens, or
    OSError and sqlite3.Error.
    """
    private_files.make_folder(path.parent)
    with alone_in(path):
        connection = connect(path)
        try:
            if version_of(connection) == 0 and is_sound(connection):
                migrate(connection)
            if version_of(connection) != LATEST or not is_sound(connection):
                raise StoreNotCurrent(path)
            yield ConversationStore(Database(connection, clock))
        finally:
            connection.close()


def is_open_elsewhere(path: Path) -> bool:
    """Whether another process has the store at `path` open."""
    if not path.exists():
        return False
    try:
        connect(path).close()
    except StoreInUse:
        return True
    except (sqlite3.Error, UnicodeDecodeError):
        return False
    return False


def _connect_and_check(path: Path) -> tuple[sqlite3.Connection | None, str]:
    """A checked connection, or None and what is wrong with the file."""
    connection = None
    try:
        connection = connect(path)
        verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if verdict == "ok" and not _is_believable(version_of(connection)):
            verdict = "no app has this version"
        if verdict == "ok" and not is_sound(connection):
            verdict = "the tables are not those of its version"
        if verdict == "ok":
            _open_indexes(connection)
        if verdict == "ok" and not _takes_writes(connection) and os.access(path, os.W_OK):
            verdict = "the header forbids writing"
        if verdict == "ok":
            return connection, ""
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # A read-only or full disk says nothing about the file's health. (SQLite's own words about a damaged
        # file can hold bytes of it, which need not be text.)
        name = getattr(error, "sqlite_errorname", None) or ""
        if name.startswith(_SYSTEM_ERRORS):
            if connection is not None:
                connection.close()
            raise
        verdict = str(error)
    if connection is not None:
        connection.close()
    return None, str(verdict)


def _is_believable(version: int) -> bool:
    """Whether there may ever be an app of that version; otherwise a damaged header holds it."""
    return 0 <= version <= LATEST + _VERSIONS_TO_COME


def _open_indexes(connection: sqlite3.Connection) -> None:
    """Raises sqlite3.DatabaseError where a search index cannot even be opened: no message could be written then.

    Damage further inside is nothing that `quick_check` sees either; it is mended when it is met.
    """
    if 0 < version_of(connection) <= LATEST:
        for index in ("search", "title_search"):
            connection.execute(f"SELECT rowid FROM {index} WHERE {index} MATCH 'a' LIMIT 1").fetchone()


def _takes_writes(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("BEGIN IMMEDIATE")
        # Rewriting the version it has touches the header and changes nothing.
        connection.execute(f"PRAGMA user_version = {version_of(connection)}")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname.startswith("SQLITE_READONLY"):
            return False
        raise
    return True


def _start_over(path: Path, problem: str, clock: Callable[[], float]) -> tuple[Damage, sqlite3.Connection]:
    """Set the damaged file aside under a dated name and fill a new one with what can be read of it or of a
    backup.

    The new file gets its name last, so that a kill in between leaves either the damaged one in place or a
    finished one.
    """
    set_aside = free_name(path.with_name(f"{path.stem}-damaged-{stamp(clock)}{path.suffix}"))
    fresh = path.with_name(f"{path.stem}.recovering{path.suffix}")
    try:
        copy_with_log(path, set_aside)
        salvaged, backup_used = _recover_into(fresh, set_aside, backups_of(path))
    except BaseException:
        # Usually a full disk: remove the copy, so that repeated starts do not fill it further.
        remove_with_side_files(fresh)
        remove_with_side_files(set_aside)
        raise
    # SQLite applies a log to any file of its name, so the damaged file's log is removed first.
    remove_side_files(path)
    os.replace(fresh, path)
    sync(path.parent)
    return Damage(problem, set_aside, salvaged, backup_used), connect(path)


def _recover_into(fresh: Path, set_aside: Path, backups: list[Path]) -> tuple[Salvage, Path | None]:
    """Fill `fresh` from the damaged file or, if that gives no message, from the newest usable backup."""
    salvaged = Salvage(complete=False)
    for source in (set_aside, *backups):
        # A copy: reading a file whose log is pending writes to it, and what was set aside stays as it was.
        working = fresh.with_name(f"{fresh.stem}.source{fresh.suffix}")
        copy_with_log(source, working)
        try:
            with closing(connect(fresh)) as target:
                salvaged = _salvage_file(working, target)
                target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            remove_with_side_files(working)
        is_last_hope = salvaged.complete or source != set_aside or not backups
        if salvaged.messages or (salvaged.conversations and is_last_hope):
            return salvaged, source if source != set_aside else None
        remove_with_side_files(fresh)
    with closing(connect(fresh)) as target:
        migrate(target)
    return Salvage(complete=False), None


def _salvage_file(working: Path, target: sqlite3.Connection) -> Salvage:
    mend_header(working, with_log=Path(f"{working}-wal").exists())
    with closing(sqlite3.connect(working, isolation_level=None)) as source:
        source.row_factory = sqlite3.Row
        source.text_factory = readable
        # Then a schema with a damaged entry gives its others.
        source.execute("PRAGMA writable_schema = ON")
        return salvage(source, target)


def _remove_leftovers(path: Path) -> None:
    """Remove what a kill during a backup or a recovery left half-written, if the disk allows it."""
    with suppress(OSError):
        for unfinished in (path.parent / "backups").glob("*.unfinished*"):
            unfinished.unlink()
        for name in (".recovering", ".recovering.source", ".restoring"):
            remove_with_side_files(path.with_name(f"{path.stem}{name}{path.suffix}"))
