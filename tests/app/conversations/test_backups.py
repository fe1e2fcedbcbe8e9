"""Daily copies of the store in the background, and restoring one of them."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import threading
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import pytest

from app.conversations import backups, worker
from app.conversations.backups import (
    DAILY_KEPT,
    back_up_now,
    backups_of,
    copy_daily,
    delete_backups,
    finish,
    remove_chats,
    restore,
)
from app.conversations.database.database import connect
from app.conversations.database.errors import BackupNotUsable, StoreInUse
from app.conversations.database.schema import LATEST
from app.conversations.database.store_files import copy_with_log, remove_with_side_files
from app.conversations.opening import open_store
from app.conversations.worker import StoreThread
from tests.app.conversations.corpus import fill
from tests.app.conversations.older_versions import write_version
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from app.conversations.store import ConversationStore
    from tests.app.conversations.conftest import Clock

DAY = 86_400.0


def make_daily(store: ConversationStore, path: Path) -> Path | None:
    unfinished = copy_daily(store, path, lambda: None)
    return None if unfinished is None else finish(unfinished, path)


def messages_in(backup: Path) -> int:
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        count: int = connection.execute("SELECT count(*) FROM messages").fetchone()[0]
        return count


def test_there_is_one_backup_a_day_and_the_last_three_stay(store: ConversationStore, path: Path, clock: Clock) -> None:
    chat = store.conversations.create()
    assert make_daily(store, path) is None
    for day in range(DAILY_KEPT + 2):
        clock.now += DAY
        store.messages.add_user_turn(chat, f"day {day}")
        made = make_daily(store, path)
        assert made is not None
        os.utime(made, (clock.now, clock.now))
        # Only the backup has the test's time; the store's file is newer.
        assert make_daily(store, path) is None
    found = backups_of(path)
    assert [messages_in(backup) for backup in found] == [5, 4, 3]
    assert all("-daily-2026-03-" in backup.name for backup in found)


def test_backups_of_a_clock_that_was_ahead_neither_end_the_daily_ones_nor_replace_them(
    store: ConversationStore, path: Path, clock: Clock
) -> None:
    chat, ahead = store.conversations.create(), time.time() + 400 * DAY
    for day in range(DAILY_KEPT):
        clock.now += DAY
        store.messages.add_user_turn(chat, "ahead")
        made = make_daily(store, path)
        assert made is not None
        os.utime(made, (ahead + day, ahead + day))
    clock.now += DAY
    store.messages.add_user_turn(chat, "right again")
    made = make_daily(store, path)
    assert made is not None
    assert backups_of(path)[0] == made


def test_an_unchanged_store_is_not_copied_again(store: ConversationStore, path: Path, clock: Clock) -> None:
    store.messages.add_user_turn(store.conversations.create(), "hello")
    assert make_daily(store, path) is not None
    clock.now += DAY
    assert make_daily(store, path) is None


@pytest.mark.full
def test_what_is_written_between_two_pages_is_in_the_copy(store: ConversationStore, path: Path) -> None:
    fill(store, 100)
    chat = store.conversations.create()
    pauses: list[int] = []

    def between() -> None:
        pauses.append(store.messages.add_user_turn(chat, "meanwhile"))

    unfinished = copy_daily(store, path, between)
    assert unfinished is not None
    assert len(pauses) > 2
    assert messages_in(finish(unfinished, path)) >= 100 + len(pauses) - 1


@pytest.mark.parametrize("limit", ["_LARGEST_DAILY", "_LEAST_FREE"])
def test_no_copy_is_made_that_is_too_large_for_every_day(
    store: ConversationStore, path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    store.messages.add_user_turn(store.conversations.create(), "hello")
    monkeypatch.setattr(backups, limit, 0 if limit == "_LARGEST_DAILY" else 2**62)
    assert make_daily(store, path) is None
    assert backups_of(path) == []


def test_a_copy_that_takes_too_long_or_meets_an_error_leaves_nothing(
    store: ConversationStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, 100)
    monkeypatch.setattr(backups, "_LONGEST_S", -1.0)
    with pytest.raises(TimeoutError):
        make_daily(store, path)
    assert list((path.parent / "backups").iterdir()) == []


@pytest.mark.parametrize("closes", [False, True])
def test_the_thread_copies_behind_what_waits_and_closing_ends_a_copy(
    path: Path, monkeypatch: pytest.MonkeyPatch, closes: bool
) -> None:
    monkeypatch.setattr(worker, "FIRST_BACKUP_S", 0.0)
    started, between_pages = threading.Event(), threading.Event()
    order: list[str] = []

    def copy(store: ConversationStore, path: Path, between: Any) -> Path | None:
        started.wait(PATIENCE_S)
        fill(store, 100)

        def pages() -> None:
            if closes:
                thread.close()
            elif not order:
                thread.submit(lambda _store: order.append("message"))
            between_pages.set()
            between()
            order.append("pages")

        return copy_daily(store, path, pages)

    monkeypatch.setattr(worker, "copy_daily", copy)
    thread = StoreThread(path)
    started.set()
    assert between_pages.wait(PATIENCE_S)
    while not closes and not backups_of(path):
        thread.submit(lambda _store: None, 0.01).result(PATIENCE_S)
    thread.close(PATIENCE_S)
    assert order[:1] == ([] if closes else ["message"])
    assert [messages_in(backup) for backup in backups_of(path)] == ([] if closes else [100])
    assert closes == (list((path.parent / "backups").iterdir()) == [])


@pytest.mark.usefixtures("impatient")
def test_a_restored_backup_replaces_the_chats_and_keeps_them(path: Path, clock: Clock) -> None:
    store, _damaged = open_store(path, clock)
    chat = store.conversations.create(title="old")
    store.messages.add_user_turn(chat, "old")
    backup = back_up_now(store, path)
    store.conversations.create(title="new")
    with pytest.raises(StoreInUse):
        restore(path, backup.name, clock)
    store.close()
    kept = restore(path, backup.name, clock)
    assert kept is not None
    assert "-replaced-" in kept.name
    store, aside = open_store(path, clock)
    assert aside is None
    assert [one.title for one in store.conversations.view()] == ["old"]
    store.close()
    restore(path, kept.name, clock)
    store, _damaged = open_store(path, clock)
    assert sorted(one.title for one in store.conversations.view()) == ["new", "old"]
    store.close()


def test_a_damaged_store_is_replaced_with_its_log_kept(path: Path, clock: Clock) -> None:
    store, _damaged = open_store(path, clock)
    store.messages.add_user_turn(store.conversations.create(title="old"), "old")
    backup = back_up_now(store, path)
    store.close()
    path.write_bytes(b"no database")
    path.with_name(f"{path.name}-wal").write_bytes(b"no log")
    kept = restore(path, backup.name, clock)
    assert kept is not None
    assert kept.read_bytes() == b"no database"
    assert kept.with_name(f"{kept.name}-wal").read_bytes() == b"no log"
    store, _damaged = open_store(path, clock)
    assert [one.title for one in store.conversations.view()] == ["old"]
    store.close()


def test_a_damaged_backup_changes_nothing(path: Path, clock: Clock) -> None:
    store, _damaged = open_store(path, clock)
    store.conversations.create(title="kept")
    backup = back_up_now(store, path)
    store.close()
    backup.write_bytes(b"\xff" * 8192)
    before = sorted(file.name for file in path.parent.rglob("*"))
    for name in (backup.name, "../chats.db", "nothing.db"):
        with pytest.raises(BackupNotUsable):
            restore(path, name, clock)
    assert sorted(file.name for file in path.parent.rglob("*")) == before
    store, _damaged = open_store(path, clock)
    assert [one.title for one in store.conversations.view()] == ["kept"]
    store.close()
    shutil.rmtree(backup.parent)


def held(folder: Path, word: bytes) -> list[str]:
    """The names of the files that hold a word, as it was written or folded."""
    return sorted(file.name for file in folder.rglob("*") if file.is_file() and word in file.read_bytes().lower())


def three_copies(path: Path, clock: Clock) -> tuple[list[Path], str]:
    """A backup, one with a log, and a file set aside, each with the chats "kept" and "gone"; the uid of the latter."""
    store, _damaged = open_store(path, clock)
    fill(store, 40)
    store.messages.add_user_turn(store.conversations.create(title="kept"), "lemon")
    gone = store.conversations.create(title="xyzzy title")
    store.messages.add_user_turn(gone, "xyzzy question")
    made = back_up_now(store, path)
    logged = path.parent / "backups" / f"{path.stem}-replaced-2026-03-09-120000{path.suffix}"
    aside = path.with_name(f"{path.stem}-damaged-2026-03-09-120000{path.suffix}")
    shutil.copy2(made, aside)
    for end in ("", "-wal"):
        shutil.copy2(f"{path}{end}", f"{logged}{end}")
    uid = store.conversations.get(gone).uid
    store.conversations.purge(gone)
    while store.search.merge():
        pass
    store.close()
    assert len(held(path.parent, b"xyzzy")) == 3
    return [made, logged, aside], uid


def test_a_removed_chat_leaves_no_bytes_in_the_backups_and_the_files_set_aside(path: Path, clock: Clock) -> None:
    files, uid = three_copies(path, clock)
    before = [(file.stat().st_mtime_ns, messages_in(file)) for file in (files[0], files[2])]
    assert remove_chats(path, [uid]) == []
    assert held(path.parent, b"xyzzy") == []
    assert [(file.stat().st_mtime_ns, messages_in(file) + 1) for file in (files[0], files[2])] == before
    assert messages_in(files[1]) == 41
    assert not list(path.parent.rglob("*.unfinished*"))


@pytest.mark.parametrize("daily", [False, True])
def test_a_backup_has_no_word_of_what_was_deleted_just_before(
    path: Path, monkeypatch: pytest.MonkeyPatch, daily: bool
) -> None:
    monkeypatch.setattr(worker, "FIRST_BACKUP_S", 0.01)
    monkeypatch.setattr(worker, "MERGE_AFTER_S", 0.1 if daily else 3600.0)

    def delete(store: ConversationStore) -> None:
        fill(store, 100)
        gone = store.conversations.create(title="xyzzy title")
        store.messages.add_user_turn(gone, "xyzzy question")
        store.conversations.purge(gone)

    def copy(store: ConversationStore, path: Path, between: Any) -> Path | None:
        if store.database.row("SELECT 1 FROM messages") is None:
            delete(store)
        return copy_daily(store, path, between)

    monkeypatch.setattr(worker, "copy_daily", copy if daily else lambda *_: None)
    thread = StoreThread(path)
    if not daily:
        thread.submit(delete)
        thread.submit(lambda store: back_up_now(store, path)).result(PATIENCE_S)
    while not backups_of(path):
        time.sleep(0.002)
    assert held(path.parent / "backups", b"xyzzy") == []
    assert [messages_in(backup) for backup in backups_of(path)] == [100]
    thread.close(PATIENCE_S)


def test_what_a_killed_removal_left_is_not_used(path: Path, clock: Clock) -> None:
    files, uid = three_copies(path, clock)
    killed = path.with_name("killed")
    shutil.copy2(files[0], killed)
    with closing(connect(killed)) as connection:
        connection.execute("DELETE FROM conversations WHERE uid = ?", (uid,))
        shutil.copy2(f"{killed}-wal", files[0].with_suffix(".unfinished-wal"))
    killed.unlink()
    assert remove_chats(path, [uid]) == []
    assert held(path.parent, b"xyzzy") == []


def test_backups_that_cannot_be_listed_are_named_and_keep_their_pictures(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, uid = three_copies(path, clock)
    picture = path.parent / "backups" / "pictures" / "of a backup"
    picture.parent.mkdir()
    picture.write_bytes(b"png")

    def refused(folder: Path) -> list[str]:
        raise OSError(errno.EMFILE, "Too many open files", str(folder))

    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", refused)
        patch.setattr(os, "scandir", refused)
        assert remove_chats(path, [uid]) == [path.parent / "backups", path.parent]
        with pytest.raises(OSError, match="Too many"):
            delete_backups(path)
    assert picture.exists()
    assert all(file.exists() for file in files)
    assert remove_chats(path, [uid]) == []
    assert not picture.exists()


@pytest.mark.parametrize("content", [b"", b"no database xyzzy", b"SQLite format 3\0" + b"\xff" * 8192])
def test_a_damaged_backup_stays_as_it_is_and_is_named(path: Path, clock: Clock, content: bytes) -> None:
    files, uid = three_copies(path, clock)
    files[0].write_bytes(content)
    assert remove_chats(path, [uid]) == [files[0]]
    assert files[0].read_bytes() == content
    assert held(path.parent, b"xyzzy") == ([files[0].name] if b"xyzzy" in content else [])


@pytest.mark.parametrize("version", range(1, LATEST))
def test_a_chat_is_removed_from_backups_of_older_versions(path: Path, version: int) -> None:
    backup = path.parent / "backups" / f"{path.stem}-v{version}-2026-03-09-120000{path.suffix}"
    write_version(backup, version)
    assert remove_chats(path, ["c"]) == []
    assert messages_in(backup) == 0
    assert held(path.parent, "초안".encode()) == []


def test_an_interrupted_removal_leaves_each_backup_whole(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, uid = three_copies(path, clock)
    steps: list[None] = []

    def interrupted_at(last: int, step: Any) -> Any:
        def run(*arguments: Any) -> Any:
            steps.append(None)
            if len(steps) == last:
                raise KeyboardInterrupt
            return step(*arguments)

        return run

    for last in range(1, 20):
        steps.clear()
        with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
            for owner, name in (
                (os, "replace"),
                (backups, "sync"),
                (backups, "remove_side_files"),
                (backups, "connect"),
            ):
                patch.setattr(owner, name, interrupted_at(last, getattr(owner, name)))
            remove_chats(path, [uid])
        for file in files:
            copy = path.with_name("copy")
            copy_with_log(file, copy)
            assert messages_in(copy) in (41, 42)
            remove_with_side_files(copy)
    assert held(path.parent, b"xyzzy") == []
