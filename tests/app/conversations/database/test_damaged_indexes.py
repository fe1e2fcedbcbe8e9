"""Damage that no check at the start finds is mended once it stops an operation, or by the daily backup."""

from __future__ import annotations

import random
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.conversations import worker
from app.conversations.database.errors import StoreNotWritable
from app.conversations.database.records import AnswerSource, NewMessage
from app.conversations.database.recovery import broken_reference, problem_in
from app.conversations.database.store_files import mark_of
from app.conversations.opening import open_store
from app.conversations.worker import StoreThread
from engine.events import Token
from engine.stats import RequestStats
from tests.app.conversations.database.damaged_files import PAGE
from tests.patience import wait_until

if TYPE_CHECKING:
    from app.conversations.store import ConversationStore

pytestmark = pytest.mark.expects_log

DAMAGED = (
    "messages",
    "conversations",
    "conversations_by_folder",
    "conversations_by_selected_root",
    "messages_by_parent",
    "messages_by_selected_child",
    "messages_at_root",
    "sqlite_autoindex_conversations_1",
    "sqlite_autoindex_messages_1",
    "sqlite_autoindex_messages_2",
    "search_idx",
    "title_search_idx",
)


@dataclass(frozen=True)
class Versions:
    """A store before its last chats were written, and after; the root page of each of its tables and indexes."""

    before: bytes
    after: bytes
    roots: dict[str, int]

    def damaged(self, kind: str, name: str) -> bytes:
        """Return the file with the earlier content of a page, that of another page, or one bit of its cells flipped."""
        start = PAGE * (self.roots[name] - 1)
        content = bytearray(self.after)
        if kind == "lost write":
            content[start : start + PAGE] = self.before[start : start + PAGE]
        elif kind == "another page":
            other = PAGE * (self.roots["search_data"] - 1)
            content[start : start + PAGE] = self.after[other : other + PAGE]
        else:
            content[start + PAGE - 1 - random.Random(name).randrange(300)] ^= 4
        return bytes(content)

    def texts(self) -> set[str]:
        """Return the beginnings of all messages."""
        return {found.decode() for found in re.findall(rb"chat \d+ message \d+:", self.after)}


def write_chats(store: ConversationStore, chats: range) -> None:
    with store.database.write():
        for chat in chats:
            chat_id, parent = store.conversations.create(title=f"Title {chat}"), None
            for number in range(8):
                text = f"chat {chat} message {number}: " + f"words{chat} of{number} " * 20
                parent = store.messages.add(chat_id, parent, NewMessage("assistant" if number % 2 else "user", text))


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Versions:
    path = tmp_path_factory.mktemp("versions") / "chats.db"
    contents = []
    for chats in (range(5), range(5, 9)):
        store, _damaged = open_store(path)
        write_chats(store, chats)
        roots = dict(store.database.rows("SELECT name, rootpage FROM sqlite_master"))
        store.close()
        contents.append(path.read_bytes())
    return Versions(*contents, roots)


def use(store: ConversationStore) -> None:
    """Open each chat and ask in it, search, then delete half of the chats one by one, and the others with the trash."""

    def ask(store: ConversationStore, chat_id: int) -> None:
        with store.database.write():
            answer = store.answers.start(store.messages.add_user_turn(chat_id, "words again"), AnswerSource())
            store.answers.finish(answer, "stop", RequestStats(), "An answer.")

    chats = sorted(chat.id for chat in store.run(lambda store: store.conversations.view()))
    chats.append(store.run(lambda store: store.conversations.create()))
    for chat in chats:
        store.run(lambda store, chat=chat: store.messages.path(chat))
        store.run(lambda store, chat=chat: ask(store, chat))
    assert store.run(lambda store: store.search.messages("words again"))
    for chat in chats:
        store.run(lambda store, chat=chat: store.conversations.trash(chat))
    for chat in chats[::2]:
        store.run(lambda store, chat=chat: store.conversations.purge(chat))
    assert store.purge_trash() == (chats[1::2], [])


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("kind", ["lost write", "bit"])
def test_a_store_with_a_damaged_page_can_be_used(path: Path, versions: Versions, kind: str, name: str) -> None:
    path.parent.mkdir()
    path.write_bytes(versions.damaged(kind, name))
    store, _aside = open_store(path)
    store.database.execute("PRAGMA synchronous = OFF")
    kept = {row[0].partition(":")[0] + ":" for row in store.database.rows("SELECT content FROM messages NOT INDEXED")}
    assert kept >= versions.texts()
    assert store.database.rows("PRAGMA foreign_key_check") == []
    use(store)
    store.close()
    if problem_in(path):
        # What was lost of a table stops no operation: the daily backup finds it.
        store, _aside = open_store(path)
        store.mend()
        store.close()
    assert problem_in(path) is None


def test_pages_that_no_table_leads_to_keep_their_messages(path: Path, versions: Versions) -> None:
    """The root of a table is as it was before the last messages: SQLite reads it without an error, but not these."""
    path.parent.mkdir()
    path.write_bytes(versions.damaged("lost write", "messages"))
    store, aside = open_store(path)
    assert aside is not None
    texts = [row[0] for row in store.database.rows("SELECT content FROM messages")]
    assert {text.partition(":")[0] + ":" for text in texts} == versions.texts()
    store.close()


@pytest.mark.parametrize("name", ["messages_by_parent", "unsent_pictures"])
def test_what_cannot_be_mended_in_place_is_recovered_at_the_next_start(
    path: Path, versions: Versions, name: str
) -> None:
    path.parent.mkdir()
    path.write_bytes(versions.damaged("another page", name))
    store, aside = open_store(path)
    if aside is None:
        with pytest.raises(sqlite3.DatabaseError):
            use(store)
        store.close()
        store, aside = open_store(path)
    assert aside is not None
    use(store)
    store.close()
    store, aside = open_store(path)
    assert aside is None
    store.close()


@pytest.mark.parametrize("value", ["1", "99", "'words'", "id", "id + 1"])
@pytest.mark.parametrize("column", ["parent_id", "selected_child", "conversation_id"])
def test_chats_with_broken_references_can_be_opened_and_deleted(
    store: ConversationStore, column: str, value: str
) -> None:
    write_chats(store, range(3))
    store.database.execute("PRAGMA foreign_keys = OFF")
    store.database.execute(f"UPDATE messages SET {column} = {value} WHERE id IN (12, 20)")
    store.database.execute("PRAGMA foreign_keys = ON")
    # A selected message that is no child is passed over.
    assert broken_reference(store.database.connection) or column == "selected_child"
    store.mend()
    chats = sorted(store.database.ids("SELECT id FROM conversations"))
    if column != "conversation_id" or value != "1":
        assert [len(store.messages.path(chat)) for chat in chats] == [8, 8, 8]
    for chat in chats:
        store.conversations.trash(chat)
    assert store.purge_trash() == (chats, [])
    assert store.database.scalar("SELECT count(*) FROM messages") == 0


@pytest.mark.parametrize(
    "damage",
    [
        "messages SET content = CAST(content AS BLOB) WHERE id = 5",
        "messages SET time_key = 'words' WHERE id = 5",
        "messages SET created_at = 1e163 WHERE id = 5",
        "messages SET conversation_id = 1 << 40 WHERE id = 5",
        "chunks SET tokens = x'78017f'",
    ],
)
def test_a_value_that_is_something_else_now_keeps_nothing_from_working(path: Path, damage: str) -> None:
    store, _aside = open_store(path)
    write_chats(store, range(3))
    answer = store.answers.start(store.messages.add_user_turn(3, "A question."), AnswerSource())
    store.answers.append(answer, "Half an", [Token(1, "Half an", "plain", 0, 0, 0.0)])
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        ((trigger,),) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'messages_reindexed'")
        connection.execute("DROP TRIGGER messages_reindexed")
        connection.execute(f"UPDATE {damage}")
        connection.execute(trigger)
        connection.commit()
    store, aside = open_store(path)
    assert aside is None
    assert store.messages.get(answer).content == "Half an"
    # Larger ones pass no signal of Qt.
    assert max(chat.id for chat in store.conversations.view()) < 2**31
    store.run(lambda store: store.messages.branch(8))
    use(store)
    store.close()
    assert problem_in(path) is None


def test_damage_that_stops_no_operation_is_found_by_the_daily_backup_and_mended(
    path: Path, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "FIRST_BACKUP_S", 0.0)
    monkeypatch.setattr(worker, "BACKUP_EVERY_S", 0.0)
    path.parent.mkdir()
    path.write_bytes(versions.damaged("lost write", "messages_at_root"))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA quick_check").fetchone()[0] == "ok"
        connection.execute("UPDATE conversations SET folder_id = 7 WHERE id = 1")
        connection.commit()
    assert problem_in(path)
    thread = StoreThread(path)
    wait_until(lambda: list((path.parent / "backups").glob("*-daily-*.db")))
    thread.close()
    assert problem_in(path) is None
    # A damaged copy replaces no earlier backup.
    assert all(problem_in(backup) is None for backup in (path.parent / "backups").glob("*.db"))


def test_a_store_that_the_system_refuses_to_write_is_mended_later(path: Path, versions: Versions) -> None:
    path.parent.mkdir()
    path.write_bytes(versions.damaged("lost write", "messages_at_root"))
    store, _aside = open_store(path)

    def check(store: ConversationStore) -> None:
        if store.database.scalar("PRAGMA integrity_check(1)") != "ok":
            # What SQLite raises where it comes across the damage.
            raise sqlite3.OperationalError("user-defined function raised exception")

    store.database.execute("PRAGMA query_only = ON")
    store.mend()
    with pytest.raises(StoreNotWritable):
        store.run(check)
    # The next start does not recover a store that can be mended in place.
    assert not mark_of(path).exists()
    store.database.execute("PRAGMA query_only = OFF")
    store.run(check)
    store.close()
    assert problem_in(path) is None
