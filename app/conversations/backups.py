"""Copies of the store in the folder `backups` next to it, and restoring one of them.

The names tell three kinds apart: `-v<version>-` is made before a migration and on demand, `-daily-` once a day while
the app runs, `-replaced-` when a backup replaces the store. Tandem never removes one of the last kind by itself.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.conversations.database.database import Database, connect
from app.conversations.database.errors import BackupNotUsable, StoreError
from app.conversations.database.schema import LATEST
from app.conversations.database.store_files import (
    alone_in,
    copy_with_log,
    free_name,
    remove_side_files,
    remove_with_side_files,
    stamp,
    sync,
)
from app.conversations.pictures import digests_in, link_pictures, pictures_of, remove_pictures_without
from app.conversations.search import ConversationSearch
from app.conversations.store import ConversationStore
from engine.files import private_files
from engine.files.disk_space import free_bytes
from engine.files.listing import matching

# Migrations are rare; five copies cover years without filling a disk.
BACKUPS_KEPT = 5
DAILY_KEPT = 3
# A daily copy is made of a store of at most this many bytes, if it leaves this many bytes free on the disk. It is given
# up after this many seconds.
_LARGEST_DAILY = 2 * 2**30
_LEAST_FREE = 2**30
_LONGEST_S = 600.0
# Waiting operations run after this many pages; 256 kB are copied in about a millisecond.
_PAGES = 64


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that can be restored: its file, its time in seconds since 1970, and its number of chats."""

    path: Path
    made_at: float
    chats: int


def backups_of(path: Path) -> list[Path]:
    """Return the backups of the store at `path`, newest first. Raises OSError if the system does not say."""
    return _newest_first(path, "*")


def list_backups(path: Path) -> list[Backup]:
    """Return the backups that can be read, newest first. Opens each of them."""
    backups = []
    for backup in backups_of(path):
        read_only = f"{backup.absolute().as_uri()}?immutable=1"
        with (
            suppress(sqlite3.Error, UnicodeDecodeError, OSError),
            closing(sqlite3.connect(read_only, uri=True)) as connection,
        ):
            chats = connection.execute("SELECT count(*) FROM conversations WHERE trashed_at IS NULL").fetchone()[0]
            backups.append(Backup(backup, backup.stat().st_mtime, chats))
    return backups


def delete_backups(path: Path) -> None:
    """Delete all backups of the store at `path`, unreadable ones too.

    Raises OSError if the system refuses to list or to remove one; the others are gone then.
    """
    errors = list[OSError]()
    for backup in backups_of(path):
        try:
            remove_with_side_files(backup)
        except OSError as error:
            errors.append(error)
    _remove_pictures(path)
    if errors:
        raise errors[0]


def remove_chats(path: Path, uids: Collection[str]) -> list[Path]:
    """Remove chats from the backups and the files set aside; return those files that cannot be read or written.

    Each file changes in one step: a kill leaves the old one or the new one. Damaged files stay as they are. A folder
    that cannot be listed is returned in place of its files.
    """
    left = []
    files = list[Path]()
    for folder, list_files in ((path.parent / "backups", backups_of), (path.parent, _set_aside_of)):
        try:
            files += list_files(path)
        except OSError:
            left.append(folder)
    for file in files:
        unfinished = file.with_suffix(".unfinished")
        try:
            _remove_chats(file, unfinished, uids)
        except (sqlite3.Error, UnicodeDecodeError, OSError, StoreError):
            left.append(file)
        finally:
            remove_with_side_files(unfinished)
    # The next backup tries again.
    with suppress(OSError):
        _remove_pictures(path)
    return left


def _set_aside_of(path: Path) -> list[Path]:
    """Return the damaged files that were replaced by the store at `path`. Raises OSError."""
    return matching(path.parent, f"{path.stem}-damaged-*{path.suffix}")


def _remove_chats(file: Path, unfinished: Path, uids: Collection[str]) -> None:
    """Replace one file by a copy without these chats, made as the file `unfinished`; nothing if it has none of them.

    Raises StoreError, OSError or sqlite3.Error, and then leaves the file as it was.
    """
    # A log that a killed removal left would be applied to the copy.
    remove_with_side_files(unfinished)
    copy_with_log(file, unfinished)
    # Closing the copy writes its log into it.
    _check(unfinished, file.name)
    if Path(f"{file}-wal").exists():
        # Until the log is removed, SQLite applies it to the new file, which is the same then.
        _replace(file, unfinished)
        remove_side_files(file)
        shutil.copy2(file, unfinished)
    with closing(connect(unfinished)) as connection:
        removed = [connection.execute("DELETE FROM conversations WHERE uid = ?", (uid,)).rowcount for uid in uids]
        if not any(removed):
            return
        # Deleted words stay in the index until it is merged; pages of before `secure_delete` may have parts of texts.
        search = ConversationSearch(Database(connection, time.time))
        while search.merge():
            pass
        connection.execute("VACUUM")
    _check(unfinished, file.name)
    _replace(file, unfinished)


def _replace(file: Path, unfinished: Path) -> None:
    """Replace a file by a closed copy, with the same time and access."""
    shutil.copystat(file, unfinished)
    sync(unfinished)
    os.replace(unfinished, file)
    sync(file.parent)


def back_up_now(store: ConversationStore, path: Path) -> Path:
    """Back up the open store on demand, and return the backup's path.

    Words that were just deleted leave the search index before.
    """
    while store.search.merge():
        pass
    return back_up(store.database.connection, path, LATEST, store.database.clock)


def back_up(connection: sqlite3.Connection, path: Path, version: int, clock: Callable[[], float]) -> Path:
    """Copy the whole store, without a break, into a dated backup and return its path."""
    backup = free_name(path.parent / "backups" / f"{path.stem}-v{version}-{stamp(clock)}{path.suffix}")
    return finish(_copied(connection, path, backup), path)


def copy_daily(store: ConversationStore, path: Path, between: Callable[[], None]) -> Path | None:
    """Copy the open store into an unfinished daily backup, which `finish` completes; None if none is due.

    Calls `between` after every few pages. It may write to the store; the copy then has these changes, but its search
    index also has the words of deleted texts. An exception from `between`, or TimeoutError after _LONGEST_S, ends the
    copying and leaves no file.
    """
    day = datetime.fromtimestamp(store.database.clock()).strftime("%Y-%m-%d")
    backup = path.parent / "backups" / f"{path.stem}-daily-{day}{path.suffix}"
    if backup.exists() or not _is_worth_copying(store, path):
        return None
    ends_at = time.monotonic() + _LONGEST_S

    def pause(*_: int) -> None:
        between()
        if time.monotonic() > ends_at:
            raise TimeoutError

    return _copied(store.database.connection, path, backup, pause)


def _copied(connection: sqlite3.Connection, path: Path, backup: Path, pause: Callable[..., None] | None = None) -> Path:
    """Copy the store to an unfinished file, with a `pause` after every few pages. An exception leaves no file."""
    private_files.make_folder(backup.parent)
    unfinished = backup.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    private_files.create(unfinished)
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as target:
            # An unfinished copy need not survive a power cut.
            target.execute("PRAGMA journal_mode = OFF")
            target.execute("PRAGMA synchronous = OFF")
            connection.backup(target, pages=-1 if pause is None else _PAGES, progress=pause)
            _link_pictures(target, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return unfinished


def finish(unfinished: Path, path: Path) -> Path:
    """Make the copy durable, give it its final name, remove the oldest of its kind, and return its path.

    Waits for the disk.
    """
    sync(unfinished)
    backup = unfinished.with_suffix(path.suffix)
    os.replace(unfinished, backup)
    sync(backup.parent)
    # The backup is complete; files that cannot be removed now are removed after the next one.
    with suppress(OSError):
        for kind, most_kept in (("v*", BACKUPS_KEPT), ("daily-*", DAILY_KEPT)):
            for old in _newest_first(path, kind)[most_kept:]:
                old.unlink()
        _remove_pictures(path)
    return backup


def restore(path: Path, name: str, clock: Callable[[], float] = time.time) -> Path | None:
    """Replace the store at `path` by the backup of that `name`, and keep a copy of the replaced store.

    Returns the copy, which is a backup itself; None if there was no store. The store's file changes in one step: a kill
    leaves the old one or the backup. Raises BackupNotUsable, StoreInUse or OSError, and changes nothing then.
    """
    backup = next((backup for backup in backups_of(path) if backup.name == name), None)
    if backup is None:
        raise BackupNotUsable(name)
    fresh = path.with_name(f"{path.stem}.restoring{path.suffix}")
    with alone_in(path):
        try:
            copy_with_log(backup, fresh)
            _check(fresh, name)
            sync(fresh)
            replaced = _keep(path, clock) if path.exists() else None
        except BaseException:
            remove_with_side_files(fresh)
            raise
        # SQLite applies a log to any file of its name, so the old log is removed first.
        remove_side_files(path)
        os.replace(fresh, path)
        sync(path.parent)
    return replaced


def _keep(path: Path, clock: Callable[[], float]) -> Path:
    """Copy the store's file and its log to the backups. Raises StoreInUse."""
    copy = free_name(path.parent / "backups" / f"{path.stem}-replaced-{stamp(clock)}{path.suffix}")
    try:
        # The copy comes first, because opening a damaged store would remove its log.
        copy_with_log(path, copy)
        with suppress(sqlite3.DatabaseError, UnicodeDecodeError), closing(connect(path)) as connection:
            _link_pictures(connection, path)
        sync(copy)
    except BaseException:
        remove_with_side_files(copy)
        raise
    sync(copy.parent)
    return copy


def _check(copy: Path, name: str) -> None:
    """Open a copy, which writes its log into it. Raises BackupNotUsable if it is damaged."""
    try:
        with closing(connect(copy)) as connection:
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok":
                connection.execute("SELECT count(*) FROM conversations").fetchone()
                return
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise BackupNotUsable(name) from error
    raise BackupNotUsable(name)


def _is_worth_copying(store: ConversationStore, path: Path) -> bool:
    """Return whether the store has messages, has changed since the last daily backup, and fits the limits."""
    if store.database.row("SELECT 1 FROM messages LIMIT 1") is None:
        return False
    backups = _newest_first(path, "daily-*")
    newest = backups[0].stat().st_mtime_ns if backups else 0
    changed = max(file.stat().st_mtime_ns for file in (path, Path(f"{path}-wal")) if file.exists())
    if changed <= newest <= time.time_ns():
        return False
    size = store.database.scalar("PRAGMA page_count") * store.database.scalar("PRAGMA page_size")
    free = free_bytes(path.parent)
    return bool(size <= _LARGEST_DAILY and (free is None or free >= size + _LEAST_FREE))


def _newest_first(path: Path, kind: str) -> list[Path]:
    """Return the backups of a kind. One from the future, of a clock that was wrong, counts as the oldest.

    Raises OSError.
    """
    copies = matching(path.parent / "backups", f"{path.stem}-{kind}{path.suffix}")
    now = time.time_ns()
    made = {backup: backup.stat().st_mtime_ns for backup in copies}
    return sorted(made, key=lambda backup: (made[backup] <= now, made[backup], backup.name), reverse=True)


def _link_pictures(connection: sqlite3.Connection, path: Path) -> None:
    """Give the backups the pictures that a copy of the store at `path` refers to."""
    link_pictures(digests_in(connection), pictures_of(path), pictures_of(path.parent / "backups" / path.name))


def _remove_pictures(path: Path) -> None:
    """Remove the pictures that no backup refers to any more. Raises OSError if the backups cannot be listed."""
    remove_pictures_without(backups_of(path), pictures_of(path.parent / "backups" / path.name))
