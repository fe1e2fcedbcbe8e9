"""Deleted chats and backups: none that is made later has a word of them, and removing them harms no other chat."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from app.conversations.backups import remove_chats
from app.conversations.database.database import connect
from app.conversations.database.recovery import salvage
from app.conversations.database.store_files import copy_with_log
from app.conversations.worker import MERGE_AFTER_S
from app.system.paths import data_folder
from tests.app.conftest import OpenWindow
from tests.app.conversations.database.damaged_files import CHATS, KINDS, MESSAGES, damage, write_store
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

SEEDS, KILLS = 50, 60
GONE = "chat 3 message "
_REMOVE = "import sys; from pathlib import Path; from app.conversations.backups import remove_chats; "
_REMOVE += "print(flush=True); remove_chats(Path(sys.argv[1]), [sys.argv[2]])"


def files_with(words: list[str]) -> set[str]:
    """The names of the files with chats that hold one of the words, as it was written or folded."""
    files = [file for file in data_folder().rglob("*") if file.is_file()]
    return {file.name for file in files for word in words if word.encode() in file.read_bytes().lower()}


@pytest.mark.campaign
@pytest.mark.parametrize("backups", [False, True])
@pytest.mark.parametrize("after_s", [0.0, 1.0, 5.0, 15.0])
def test_no_byte_of_what_was_deleted_is_in_a_backup_made_since(
    open_window: OpenWindow, after_s: float, backups: bool
) -> None:
    window = open_window(ScriptedEngine([Script(f"The answer plugh{number}.") for number in range(24)]))
    words = [word for number in range(24) for word in (f"xyzzy{number}", f"plugh{number}")]
    for number in range(24):
        window.trigger("new-chat")
        window.ask_and_wait(f"Is xyzzy{number} gone?")
    window.settle()
    storage = window.settings_page("storage")

    def back_up() -> str:
        before = {file.name for file in (data_folder() / "backups").glob("*")}
        storage.backups.back_up.click()
        window.settle()
        [made] = {file.name for file in (data_folder() / "backups").iterdir()} - before
        return made

    older = back_up()
    chats = [chat.id for chat in window.session.list.chats]
    for chat in chats[:8]:
        window.session.chats.purge(chat, backups)
    for chat in chats[8:]:
        window.session.chats.trash(chat)
    window.session.chats.empty_trash(backups)
    window.settle()
    until = time.monotonic() + after_s
    window.wait(lambda: time.monotonic() >= until)
    made = back_up()
    found = files_with(words)
    print(f"{after_s:g} s: {sorted(found)}")
    assert made not in found
    assert (older in found) is not backups
    until = time.monotonic() + MERGE_AFTER_S + 2.0
    window.wait(lambda: time.monotonic() >= until)
    assert files_with(words) == ({older} if not backups else set())


@pytest.fixture
def sound(tmp_path: Path) -> tuple[bytes, str]:
    """The bytes of a store, and the uid of its chat that is removed."""
    content = write_store(tmp_path / "sound" / "chats.db")
    with closing(sqlite3.connect(tmp_path / "sound" / "chats.db")) as connection:
        return content, connection.execute("SELECT uid FROM conversations WHERE id = 4").fetchone()[0]


def texts_in(file: Path, folder: Path) -> set[str]:
    """The texts that a recovery of the file finds, without those of the removed chat."""
    folder.mkdir()
    copy_with_log(file, folder / "copy.db")
    with closing(connect(folder / "target.db")) as target:
        salvage(folder / "copy.db", target)
        texts = {row[0] for row in target.execute("SELECT content FROM messages NOT INDEXED")}
    shutil.rmtree(folder)
    return {text for text in texts if not text.startswith(GONE)}


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_backup_is_not_worse_afterwards(tmp_path: Path, sound: tuple[bytes, str], kind: str) -> None:
    path, (content, uid) = tmp_path / "home" / "chats.db", sound
    (path.parent / "backups").mkdir(parents=True)
    changed = 0
    for seed in range(SEEDS):
        damaged = damage(content, kind, seed).content
        backup = path.parent / "backups" / "chats-v8-2026-03-09.db"
        aside = path.with_name("chats-damaged-2026-03-09.db")
        for file in (backup, aside):
            file.write_bytes(damaged)
        before = texts_in(backup, tmp_path / "before")
        left = remove_chats(path, [uid])
        for file in (backup, aside):
            assert file.read_bytes() == damaged if file in left else GONE.encode() not in file.read_bytes()
            assert texts_in(file, tmp_path / "after") >= before
        changed += not left
    print(f"{kind}: {changed} of {SEEDS} could be changed")


@pytest.mark.campaign
def test_a_kill_leaves_each_backup_whole_and_the_next_removal_ends_the_work(
    tmp_path: Path, sound: tuple[bytes, str]
) -> None:
    draw, (content, uid), uncut, cut = random.Random(7), sound, 0, 0
    for kill in range(KILLS):
        path = tmp_path / f"home-{kill}" / "chats.db"
        (path.parent / "backups").mkdir(parents=True)
        files = [path.parent / "backups" / f"chats-{name}.db" for name in ("v8-1", "daily-2", "replaced-3")]
        files.append(path.with_name("chats-damaged-4.db"))
        for file in files:
            file.write_bytes(content)
        with closing(connect(tmp_path / "sound" / "chats.db")) as writing:
            writing.execute("UPDATE conversations SET title = title || ?", (str(kill),))
            copy_with_log(tmp_path / "sound" / "chats.db", files[2])
        victim = subprocess.Popen([sys.executable, "-c", _REMOVE, path, uid], stdout=subprocess.PIPE)
        with victim:
            assert victim.stdout is not None
            victim.stdout.readline()
            time.sleep(draw.uniform(0, 0.25))
            victim.send_signal(signal.SIGKILL)
        for file in files:
            copy = path.with_name("copy.db")
            copy_with_log(file, copy)
            with closing(connect(copy)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
                chats = connection.execute("SELECT count(*) FROM conversations").fetchone()[0]
            assert chats in (CHATS - 1, CHATS)
            uncut, cut = uncut + (chats == CHATS), cut + (chats < CHATS)
            copy.unlink()
        assert remove_chats(path, [uid]) == []
        assert not [file for file in files if GONE.encode() in file.read_bytes()]
        assert all(len(texts_in(file, tmp_path / "texts")) == (CHATS - 1) * MESSAGES for file in files[:2])
    print(f"{uncut} files as before and {cut} without the chat after {KILLS} kills")
    assert uncut
    assert cut
