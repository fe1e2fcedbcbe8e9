"""A damaged store yields every message on a sound page, or a backup if there is none."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from app.conversations.backups import back_up_now
from app.conversations.database.database import connect
from app.conversations.database.records import AnswerSource
from app.conversations.database.recovery import salvage
from app.conversations.database.store_files import copy_with_log
from app.conversations.opening import open_store
from tests.app.conversations.database.damaged_files import CHATS, KINDS, MESSAGES, PAGE, damage, write_store


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_store(tmp_path_factory.mktemp("sound") / "chats.db")


def check(path: Path, sound: bytes, kind: str, seed: int) -> None:
    damaged = damage(sound, kind, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(damaged.content)
    store, aside = open_store(path)
    chats = store.conversations.view()
    texts = [row["content"] for row in store.database.rows("SELECT content FROM messages NOT INDEXED")]
    assert chats
    assert not [start for start in damaged.held if not any(text.startswith(start) for text in texts)]
    if aside is not None:
        assert aside.read_bytes() == damaged.content
        assert store.database.scalar("PRAGMA integrity_check") == "ok"
        assert store.database.rows("PRAGMA foreign_key_check") == []
    chat = store.conversations.create()
    store.messages.add_user_turn(chat, "works again")
    store.close()
    assert open_store(path)[1] is None


@pytest.mark.parametrize("kind", [*KINDS[::2], *(pytest.param(kind, marks=pytest.mark.full) for kind in KINDS[1::2])])
def test_what_the_pages_hold_comes_back(path: Path, sound: bytes, kind: str) -> None:
    check(path, sound, kind, seed=0)


def test_a_lost_message_takes_none_below_it_off_the_screen(path: Path, tmp_path: Path, sound: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(sound)
    with closing(connect(path)) as source:
        source.execute("PRAGMA foreign_keys = OFF")
        source.execute("DELETE FROM messages WHERE id = 5")
    with closing(connect(tmp_path / "mended.db")) as target:
        salvage(path, target)
    store, _damaged = open_store(tmp_path / "mended.db")
    assert [message.id for message in store.messages.path(1)] == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    store.close()


@pytest.mark.parametrize("column", ["selected_child", "parent_id"])
@pytest.mark.parametrize("other", [3, 8, *(pytest.param(other, marks=pytest.mark.full) for other in (1, 15))])
def test_a_damaged_reference_ends_in_no_circle(path: Path, sound: bytes, column: str, other: int) -> None:
    path.parent.mkdir()
    path.write_bytes(sound)
    store, _damaged = open_store(path)
    store.database.execute(f"UPDATE messages SET {column} = {other} WHERE id = 5")
    shown = [message.id for message in store.messages.path(1)]
    assert len(set(shown)) == len(shown)
    assert shown[:4] == [1, 2, 3, 4]
    assert column == "parent_id" or len(shown) == 10
    for message in range(1, 11):
        store.messages.select(message)
        assert store.messages.answer_path(message)[0].id == message
    store.messages.branch(8)
    store.close()


def zeroed(path: Path, *pages: int) -> bytes:
    content = bytearray(path.read_bytes())
    for page in pages:
        content[PAGE * (page - 1) : PAGE * page] = bytes(PAGE)
    path.write_bytes(content)
    return bytes(content)


@pytest.mark.parametrize("lost", [["sqlite_master"], ["messages", "chunks"]])
@pytest.mark.parametrize("logged", [False, True])
def test_a_lost_schema_or_root_takes_only_what_was_on_it(
    path: Path, sound: bytes, lost: list[str], logged: bool
) -> None:
    path.parent.mkdir()
    path.write_bytes(sound)
    store, _damaged = open_store(path)
    call = store.answers.start(200, AnswerSource())
    with store.database.write():
        for number in range(400):
            store.answers.append(call, f"{number} " + "draft " * 40)
    roots = dict(store.database.rows("SELECT name, rootpage FROM sqlite_master")) | {"sqlite_master": 1}
    pages = [roots[name] for name in lost]
    if logged:
        # As after a kill: what the answer wrote is in the log alone, and the file has the damage.
        other = path.with_name("killed.db")
        copy_with_log(path, other)
        store.close()
        path = other
    else:
        store.close()
    zeroed(path, *pages)
    store, aside = open_store(path)
    assert logged or aside is not None
    assert len(store.conversations.view()) == CHATS
    assert store.database.scalar("SELECT count(*) FROM messages") == CHATS * MESSAGES + 1
    assert store.messages.get(call).content.endswith("draft ")
    store.close()


def test_what_was_deleted_does_not_come_back_with_the_pages(path: Path, sound: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(sound)
    store, _damaged = open_store(path)
    gone = [chat.id for chat in store.conversations.view()][::2]
    for chat in gone:
        store.conversations.purge(chat)
    store.close()
    zeroed(path, 1)
    store, aside = open_store(path)
    assert aside is not None
    texts = [row["content"] for row in store.database.rows("SELECT content FROM messages")]
    assert len(texts) == (CHATS - len(gone)) * MESSAGES
    assert len(store.conversations.view()) == CHATS - len(gone)
    store.close()


@pytest.mark.full
def test_the_newest_backup_is_used_where_no_message_can_be_read(path: Path, sound: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(sound)
    store, _damaged = open_store(path)
    back_up_now(store, path)
    first = store.database.scalar("SELECT rootpage FROM sqlite_master WHERE name = 'messages'")
    store.close()
    content = zeroed(path, *range(first, len(sound) // PAGE + 1), *range(7, 34))
    store, aside = open_store(path)
    assert aside is not None
    assert store.database.scalar("SELECT count(*) FROM messages") == CHATS * MESSAGES
    assert aside.read_bytes() == content
    store.close()


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1, 10))
@pytest.mark.parametrize("kind", KINDS)
def test_what_the_pages_hold_comes_back_of_all(path: Path, sound: bytes, kind: str, seed: int) -> None:
    check(path, sound, kind, seed)
