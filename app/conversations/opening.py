"""Opens the store: checks it, sets a damaged file aside, backs up before a migration, marks interrupted answers."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from app.conversations.backups import back_up, backups_of
from app.conversations.database.database import Database, connect
from app.conversations.database.errors import StoreError, StoreInUse, StoreTooNew
from app.conversations.database.recovery import broken_reference, salvage
from app.conversations.database.schema import LATEST, is_sound, migrate, version_of
from app.conversations.database.store_files import (
    alone_in,
    copy_with_log,
    free_name,
    mark_of,
    remove_side_files,
    remove_with_side_files,
    stamp,
    sync,
)
from app.conversations.pictures import pictures_of
from app.conversations.request_history import RequestHistory, Totals
from app.conversations.store import ConversationStore
from engine.files import private_files
from engine.files.listing import matching

_log = logging.getLogger(__name__)

# A file of a later version than this has a damaged header.
_FUTURE_VERSIONS = 50
# The first id of a store in memory: greater than the ids of any store on disk, and small enough for signals of Qt.
_IDS_IN_MEMORY = 2**30
_SYSTEM_ERRORS = tuple(f"SQLITE_{name}" for name in ("CANTOPEN", "FULL", "IOERR", "NOMEM", "PERM", "READONLY"))


def open_store(path: Path, clock: Callable[[], float] = time.time) -> tuple[ConversationStore, Path | None]:
    """Open the store at `path`, creating it and its folder if need be; also return where a damaged file is kept.

    The path is None if the file was sound. Answers that a killed app was writing are marked as interrupted. Raises
    StoreInUse if another process has it open, StoreTooNew if a later version of the app wrote it, and OSError,
    sqlite3.Error or StoreError if the system refuses to read or write.
    """
    private_files.make_folder(path.parent)
    set_aside: Path | None = None
    with alone_in(path):
        # Earlier versions, a move or a person may have left files open to others. The log gets the file's access.
        private_files.tighten(
            [*path.parent.glob(f"{path.stem}*"), *path.parent.glob("backups"), pictures_of(path), *_backups(path)]
        )
        connection, problem = _connect_and_check(path)
        # Not before the store is locked: another process may have been writing these files.
        _remove_leftovers(path)
        if connection is None:
            set_aside, connection = _start_over(path, problem, clock)
    try:
        version = version_of(connection)
        if version > LATEST:
            raise StoreTooNew(path, version, LATEST)
        if 0 < version < LATEST:
            back_up(connection, path, version, clock)
        migrate(connection)
        store = ConversationStore(Database(connection, clock), pictures_of(path), partial(_mark, path))
        store.run(lambda store: store.answers.mark_interrupted())
        _mend_references(store)
        damaged = _has_damaged(path)
        backups = pictures_of(path.parent / "backups" / path.name)
        store.run(lambda store: store.pictures.restore(backups, keep_all=damaged))
    except BaseException:
        connection.close()
        if set_aside is None and mark_of(path).exists():
            return open_store(path, clock)
        raise
    return store, set_aside


def _mark(path: Path) -> None:
    """Mark the store as damaged, so that the next start recovers it."""
    with suppress(OSError):
        mark_of(path).touch()


def _mend_references(store: ConversationStore) -> None:
    """Mend references at once: messages of a chat whose row is lost would be in no list."""
    try:
        if store.run(lambda store: broken_reference(store.database.connection)) is not None:
            _log.warning("references in the store are broken and are mended")
            store.mend()
    except (sqlite3.Error, StoreError):
        # The store opens on a disk that is full, too.
        _log.warning("references in the store cannot be mended", exc_info=True)


def open_in_memory(pictures: dict[str, bytes], clock: Callable[[], float] = time.time) -> ConversationStore:
    """Open a store that is never on disk, nor are its `pictures`, and whose ids no chat or message on disk has."""
    connection = connect(None)
    connection.execute("PRAGMA temp_store = MEMORY")
    migrate(connection)
    ids = [("conversations", _IDS_IN_MEMORY), ("messages", _IDS_IN_MEMORY)]
    connection.executemany("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", ids)
    return ConversationStore(Database(connection, clock), pictures)


def is_open_elsewhere(path: Path) -> bool:
    """Return whether another process has the store at `path` open."""
    try:
        if path.exists():
            connect(path).close()
    except (StoreInUse, sqlite3.Error, UnicodeDecodeError) as error:
        return isinstance(error, StoreInUse)
    return False


def stored_pairs(path: Path) -> list[Totals]:
    """Return the figures of each pair in the store at `path`; none if it cannot be read. Raises StoreInUse."""
    if path.exists():
        with suppress(sqlite3.Error, UnicodeDecodeError), closing(connect(path)) as connection:
            if version_of(connection) == LATEST:
                return RequestHistory(Database(connection, time.time)).by_pair()
    return []


def _connect_and_check(path: Path) -> tuple[sqlite3.Connection | None, str]:
    """Return a connection to a sound file and "", or None and the damage of the file in words for the log."""
    connection = None
    try:
        connection = connect(path)
        verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if mark_of(path).exists() and version_of(connection) <= LATEST:
            verdict = "it could not be mended"
        if verdict == "ok" and not 0 <= version_of(connection) <= LATEST + _FUTURE_VERSIONS:
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
        # A read-only or full disk does not mean damage. (SQLite's message may quote bytes that are not text.)
        name = getattr(error, "sqlite_errorname", None) or ""
        if name.startswith(_SYSTEM_ERRORS):
            if connection is not None:
                connection.close()
            raise
        verdict = str(error)
    if connection is not None:
        connection.close()
    return None, str(verdict)


def _open_indexes(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError if a search index cannot be opened, because then no message could be written.

    Neither this nor `quick_check` notices damage further inside; `ConversationStore.run` mends it.
    """
    if 0 < version_of(connection) <= LATEST:
        for index in ("search", "title_search"):
            connection.execute(f"SELECT rowid FROM {index} WHERE {index} MATCH 'a' LIMIT 1").fetchone()


def _takes_writes(connection: sqlite3.Connection) -> bool:
    """Return whether the file's header allows writing. Changes nothing."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        # Rewriting the version writes the header and changes nothing.
        connection.execute(f"PRAGMA user_version = {version_of(connection)}")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname.startswith("SQLITE_READONLY"):
            return False
        raise
    return True


def _start_over(path: Path, problem: str, clock: Callable[[], float]) -> tuple[Path, sqlite3.Connection]:
    """Set the damaged file aside under a dated name, and fill a new one from it or from a backup.

    Returns where the damaged file is, and a connection to the new one. The new file gets its name last, so that a kill
    leaves either the damaged file or a finished one.
    """
    set_aside = free_name(path.with_name(f"{path.stem}-damaged-{stamp(clock)}{path.suffix}"))
    fresh = path.with_name(f"{path.stem}.recovering{path.suffix}")
    try:
        copy_with_log(path, set_aside)
        _recover_into(fresh, set_aside, _backups(path))
    except BaseException:
        # Usually the disk is full: remove the copy, so that repeated starts do not fill it further.
        remove_with_side_files(fresh)
        remove_with_side_files(set_aside)
        raise
    # SQLite applies a log to any file of its name, so the damaged file's log is removed first.
    remove_side_files(path)
    os.replace(fresh, path)
    sync(path.parent)
    _log.info("%s was damaged (%s) and is kept as %s", path, problem, set_aside)
    return set_aside, connect(path)


def _recover_into(fresh: Path, set_aside: Path, backups: list[Path]) -> None:
    """Fill `fresh` from the damaged file or, if that yields no message, from the newest usable backup."""
    for source in (set_aside, *backups):
        # A copy, because reading a file with a pending log writes to it, and the file set aside stays as it was.
        working = fresh.with_name(f"{fresh.stem}.source{fresh.suffix}")
        copy_with_log(source, working)
        try:
            with closing(connect(fresh)) as target:
                salvaged = salvage(working, target)
                target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            remove_with_side_files(working)
        is_last_hope = salvaged.complete or source != set_aside or not backups
        if salvaged.messages or (salvaged.conversations and is_last_hope):
            return
        remove_with_side_files(fresh)
    with closing(connect(fresh)) as target:
        migrate(target)


def _has_damaged(path: Path) -> bool:
    """Return whether damaged files were set aside: the pictures that they refer to must stay.

    True also if the folder cannot be listed.
    """
    try:
        return bool(matching(path.parent, f"{path.stem}-damaged-*"))
    except OSError:
        return True


def _backups(path: Path) -> list[Path]:
    """Return the backups; none if they cannot be listed, which keeps no store shut."""
    try:
        return backups_of(path)
    except OSError as error:
        _log.warning("the backups cannot be listed: %s", error)
        return []


def _remove_leftovers(path: Path) -> None:
    """Remove the unfinished files of a killed backup or recovery, if the disk allows it."""
    with suppress(OSError):
        aside = path.parent.glob(f"{path.stem}-damaged-*.unfinished*")
        for unfinished in (*(path.parent / "backups").glob("*.unfinished*"), *aside):
            unfinished.unlink()
        for name in (".recovering", ".recovering.source", ".restoring"):
            remove_with_side_files(path.with_name(f"{path.stem}{name}{path.suffix}"))
