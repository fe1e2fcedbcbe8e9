"""A damaged store yields every message that SQLite can still reach, or a backup if it reaches none."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from app.conversations import recovery
from app.conversations.backups import back_up_now
from app.conversations.database import connect
from app.conversations.opening import open_store
from app.conversations.recovery import salvage
from tests.app.conversations.damaged_files import CHATS, KINDS, MESSAGES, PAGE, damage, write_store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_store(tmp_path_factory.mktemp("sound") / "chats.db")


def check(path: Path, sound: bytes, kind: str, seed: int) -> None:
    damaged = damage(sound, kind, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(damaged.content)
    store, report = open_store(path)
    chats = store.conversations.view()
    texts = [row["content"] for row in store.database.rows("SELECT content FROM messages NOT INDEXED")]
    assert chats
    assert not [start for start in damaged.held if not any(text.startswith(start) for text in texts)]
    if report.damage is not None:
        assert report.damage.set_aside.read_bytes() == damaged.content
        assert store.database.scalar("PRAGMA integrity_check") == "ok"
        assert store.database.rows("PRAGMA foreign_key_check") == []
    chat = store.conversations.create()
    store.messages.add_user_turn(chat, "works again")
    store.close()
    assert open_store(path)[1].damage is None


@pytest.mark.parametrize("kind", [*KINDS[::2], *(pytest.param(kind, marks=pytest.mark.full) for kind in KINDS[1::2])])
def test_what_the_pages_hold_comes_back(path: Path, sound: bytes, kind: str) -> None:
    check(path, sound, kind, seed=0)


def test_a_lost_message_takes_none_below_it_off_the_screen(path: Path, tmp_path: Path, sound: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(sound)
    with closing(connect(path)) as source, closing(connect(tmp_path / "mended.db")) as target:
        source.execute("PRAGMA foreign_keys = OFF")
        source.execute("DELETE FROM messages WHERE id = 5")
        salvage(source, target)
    store, _report = open_store(tmp_path / "mended.db")
    assert [message.id for message in store.messages.path(1)] == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    store.close()


@pytest.mark.parametrize("column", ["selected_child", "parent_id"])
@pytest.mark.parametrize("other", [3, 8, *(pytest.param(other, marks=pytest.mark.full) for other in (1, 15))])
def test_a_damaged_reference_ends_in_no_circle(path: Path, sound: bytes, column: str, other: int) -> None:
    path.parent.mkdir()
    path.write_bytes(sound)
    store, _report = open_store(path)
    store.database.execute(f"UPDATE messages SET {column} = {other} WHERE id = 5")
    shown = [message.id for message in store.messages.path(1)]
    assert len(set(shown)) == len(shown)
    assert shown[:4] == [1, 2, 3, 4]
    assert column == "parent_id" or len(shown) == 10
    for message in range(1, 11):
        store.messages.select(message)
    store.messages.branch(8)
    store.close()


@pytest.mark.parametrize("lost", ["schema", "messages"])
def test_the_newest_backup_is_used_where_no_message_can_be_reached(
    path: Path, sound: bytes, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every range of ids of a lost table fails, which costs time.
    monkeypatch.setattr(recovery, "_MOST_FAILURES", 100)
    path.parent.mkdir()
    path.write_bytes(sound)
    store, _report = open_store(path)
    backup = back_up_now(store, path)
    root = store.database.scalar("SELECT rootpage FROM sqlite_master WHERE name = 'messages'")
    store.close()
    content = bytearray(path.read_bytes())
    page = 0 if lost == "schema" else PAGE * (root - 1)
    content[page : page + PAGE] = bytes(PAGE)
    path.write_bytes(content)
    store, report = open_store(path)
    assert report.damage is not None
    assert (report.damage.backup_used, report.damage.salvage.messages) == (backup, CHATS * MESSAGES)
    assert report.damage.set_aside.read_bytes() == content
    store.close()


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1, 10))
@pytest.mark.parametrize("kind", KINDS)
def test_what_the_pages_hold_comes_back_of_all(path: Path, sound: bytes, kind: str, seed: int) -> None:
    check(path, sound, kind, seed)
