"""Opening the store after a crash, beside another process, and with a damaged file."""

from __future__ import annotations

import errno
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.conversations import opening
from app.conversations.answers import Answers
from app.conversations.backups import back_up_now, backups_of
from app.conversations.database.database import connect
from app.conversations.database.errors import StoreInUse, StoreNotWritable, refusal_of
from app.conversations.database.records import AnswerSource
from app.conversations.database.recovery import Salvage, salvage
from app.conversations.opening import open_store
from app.session.store_client import OPENED_AT, last_on_screen
from engine.events import Token
from engine.stats import RoundRecord
from tests.app.conversations.corpus import fill
from tests.app.conversations.older_versions import write_version

if TYPE_CHECKING:
    from tests.app.conversations.conftest import Clock

ROUNDS = [
    RoundRecord(1, "main", 0, 0, 1, 1, 0.5, 0.0, 0.02, 0.001, "first-token"),
    RoundRecord(2, "draft", 3, 0, 1, 4, 0.75, 0.01, 0.03, 0.001),
]


def test_an_answer_that_was_streaming_is_interrupted_and_can_be_continued(path: Path, clock: Clock) -> None:
    store, _damaged = open_store(path, clock)
    chat = store.conversations.create()
    answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource("m"))
    store.answers.append(answer, "first ", [Token(1, "first ", "main", 0, 1, 0.0)], ROUNDS[:1])
    store.answers.append(answer, "절반", [Token(2, "절반", "draft", 0, 2, 0.0)], ROUNDS[1:])
    store.close()
    clock.now += 3600
    store, _aside = open_store(path, clock)
    message = store.messages.get(answer)
    assert (message.content, message.state) == ("first 절반", "interrupted")
    assert [token.id for token in store.messages.tokens(answer)] == [1, 2]
    assert store.messages.rounds(answer) == ROUNDS
    assert [hit.message_id for hit in store.search.messages("절반")] == [answer]
    assert store.conversations.get(chat).updated_at < clock.now
    store.answers.resume(answer, AnswerSource("m"))
    store.answers.append(answer, " more")
    assert store.messages.get(answer).content == "first 절반 more"
    store.close()
    store, _aside = open_store(path, clock)
    assert store.messages.get(answer).state == "interrupted"
    store.close()


@pytest.mark.usefixtures("impatient")
def test_a_second_process_leaves_alone_what_the_first_is_writing(path: Path) -> None:
    store, _damaged = open_store(path)
    backup = path.parent / "backups" / "conversations-v4-x.unfinished"
    backup.parent.mkdir()
    backup.write_bytes(b"half")
    with pytest.raises(StoreInUse):
        open_store(path)
    assert backup.read_bytes() == b"half"
    store.close()


def test_two_processes_do_not_recover_the_same_store(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged_copy(path, 60, seed=1)
    monkeypatch.setattr("app.conversations.database.store_files._LOCK_WAIT_S", 0.01)
    recover = opening._recover_into

    def recover_beside_another(*arguments: Any) -> Any:
        result = recover(*arguments)
        with pytest.raises(StoreInUse):
            open_store(path)
        return result

    monkeypatch.setattr(opening, "_recover_into", recover_beside_another)
    store, aside = open_store(path)
    assert aside is not None
    assert store.database.scalar("SELECT count(*) FROM messages") > 0
    store.close()


def test_a_recovery_without_room_leaves_only_the_damaged_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged_copy(path, 60, seed=1)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(opening, "salvage", full)
    for _ in range(2):
        with pytest.raises(OSError, match="No space"):
            open_store(path)
        assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == before


def test_leftovers_that_cannot_be_cleared_away_keep_no_store_shut(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", read_only)
    store, _damaged = open_store(path)
    store.close()


def test_the_chat_on_screen_last_is_not_that_of_a_wrong_clock(path: Path, clock: Clock) -> None:
    store, _damaged = open_store(path, clock)
    for text, seen in (("future", clock.now + 1e8), ("now", clock.now - 1.0), ("before", clock.now - 9.0)):
        chat = store.conversations.create(settings={OPENED_AT: seen})
        store.messages.add_user_turn(chat, text)
    last = last_on_screen(store)
    assert last is not None
    assert last.turns[0].question == "now"
    store.close()


def damaged_copy(path: Path, messages: int, seed: int) -> None:
    """Fill a store and overwrite some of its pages."""
    store, _damaged = open_store(path)
    fill(store, messages)
    store.close()
    draw = random.Random(seed)
    content = bytearray(path.read_bytes())
    pages = len(content) // 4096
    for page in draw.sample(range(1, pages), k=max(1, pages // 50)):
        content[page * 4096 : page * 4096 + 4096] = draw.randbytes(4096)
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("seed", [2, *(pytest.param(seed, marks=pytest.mark.full) for seed in (0, 1, 3))])
def test_a_damaged_store_is_set_aside_and_most_of_it_comes_back(path: Path, clock: Clock, seed: int) -> None:
    damaged_copy(path, 200, seed)
    before = path.read_bytes()
    store, aside = open_store(path, clock)
    if aside is None:
        # Only index pages were hit, which quick_check need not notice: the messages are all there.
        assert store.database.scalar("SELECT count(*) FROM messages") == 200
    else:
        assert aside.name.startswith("conversations-damaged-2026-03-10-")
        assert aside.read_bytes() == before
        salvaged = store.database.scalar("SELECT count(*) FROM messages")
        assert salvaged >= 100
        assert store.database.rows("PRAGMA foreign_key_check") == []
        assert store.database.scalar("PRAGMA integrity_check") == "ok"
        for conversation in store.conversations.view():
            assert store.messages.path(conversation.id)
        found = store.database.scalar("SELECT count(*) FROM search")
        assert found == salvaged
    store.close()
    assert open_store(path)[1] is None


@pytest.mark.parametrize(
    ("index", "damage"),
    [
        ("search", f"UPDATE {{}}_data SET block = x'{'ff' * 40}' WHERE id = 10"),
        ("title_search", "DELETE FROM {}_config"),
        pytest.param(
            "title_search", f"UPDATE {{}}_data SET block = x'{'ff' * 40}' WHERE id = 10", marks=pytest.mark.full
        ),
        pytest.param("search", "DELETE FROM {}_config", marks=pytest.mark.full),
    ],
)
def test_an_index_that_cannot_be_opened_is_made_anew(path: Path, index: str, damage: str) -> None:
    store, _damaged = open_store(path)
    fill(store, 60)
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(damage.format(index))
        connection.commit()
    store, aside = open_store(path)
    assert aside is not None
    chat = store.conversations.create(title="works again")
    message = store.messages.add_user_turn(chat, "works again")
    assert [hit.message_id for hit in store.search.messages("works")] == [message]
    assert [hit.conversation_id for hit in store.search.titles("works")] == [chat]
    assert store.database.scalar("SELECT count(*) FROM messages") == 61
    store.close()


@pytest.mark.expects_log
def test_an_index_that_cannot_take_an_interrupted_answer_keeps_no_store_shut(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _damaged = open_store(path)
    chat = store.conversations.create()
    answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource("m"))
    store.answers.append(answer, "절반")
    store.close()
    end = Answers.finish

    def damaged_once(*_: Any, **__: Any) -> None:
        monkeypatch.setattr(Answers, "finish", end)
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorname = "SQLITE_CORRUPT_VTAB"
        raise error

    monkeypatch.setattr(Answers, "finish", damaged_once)
    store, _aside = open_store(path)
    assert store.messages.get(answer).state == "interrupted"
    assert [hit.message_id for hit in store.search.messages("절반")] == [answer]
    store.close()


def test_a_store_that_is_no_database_falls_back_to_the_newest_backup(path: Path, clock: Clock) -> None:
    write_version(path, 1)
    open_store(path, clock)[0].close()
    path.write_bytes(b"not a database" * 1000)
    store, aside = open_store(path, clock)
    assert aside is not None
    assert len(store.messages.all(1)) == 3
    store.close()


def test_a_store_without_anything_readable_starts_empty_and_says_so(path: Path, clock: Clock) -> None:
    path.parent.mkdir()
    path.write_bytes(b"\xff" * 8192)
    store, aside = open_store(path, clock)
    assert aside is not None
    assert aside.read_bytes() == b"\xff" * 8192
    assert store.conversations.view() == []
    store.close()


def test_messages_that_lost_their_chat_or_parent_are_still_shown(path: Path, tmp_path: Path) -> None:
    write_version(path, 2)
    mended = tmp_path / "mended.db"
    with closing(connect(path)) as source:
        source.execute("PRAGMA foreign_keys = OFF")
        source.execute("DELETE FROM conversations")
        source.execute("DELETE FROM messages WHERE id = 1")
    with closing(connect(mended)) as target:
        assert salvage(path, target) == Salvage(conversations=1, messages=2)
    store, _damaged = open_store(mended)
    assert [chat.id for chat in store.conversations.view()] == [1]
    (shown,) = store.messages.path(1)
    assert store.messages.siblings(shown.id) == [2, 3]
    assert store.database.rows("PRAGMA foreign_key_check") == []
    store.close()


def test_a_pending_log_is_recovered_with_a_damaged_store(path: Path) -> None:
    store, _damaged = open_store(path)
    fill(store, 100)
    store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    chat = store.conversations.create(title="only in the log")
    log = Path(f"{path}-wal").read_bytes()
    content = bytearray(path.read_bytes())
    store.close()
    content[4096 * 50 : 4096 * 51] = random.Random(1).randbytes(4096)
    path.write_bytes(bytes(content))
    Path(f"{path}-wal").write_bytes(log)
    store, _damaged = open_store(path)
    assert store.conversations.get(chat).title == "only in the log"
    store.close()


def test_what_a_kill_left_half_written_is_cleared_away(path: Path) -> None:
    store, _damaged = open_store(path)
    back_up_now(store, path)
    store.close()
    leftovers = [
        path.parent / "backups" / "conversations-v1-x.unfinished",
        path.with_name("conversations.recovering.db"),
        path.with_name("conversations.recovering.source.db-wal"),
    ]
    for leftover in leftovers:
        leftover.write_bytes(b"half")
    open_store(path)[0].close()
    assert not any(leftover.exists() for leftover in leftovers)
    assert len(backups_of(path)) == 1


def test_a_full_disk_is_said_and_costs_only_the_operation(path: Path) -> None:
    store, _damaged = open_store(path)
    chat = store.conversations.create()
    pages = store.database.scalar("PRAGMA page_count")
    store.database.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreNotWritable) as raised:
        store.messages.add_user_turn(chat, "x" * 100_000)
    assert raised.value.arguments["reason"] == "full"
    assert store.messages.path(chat) == []
    store.database.execute("PRAGMA max_page_count = 1000000")
    store.messages.add_user_turn(chat, "x" * 100_000)
    assert len(store.messages.path(chat)) == 1
    store.close()


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(150))
def test_no_damage_keeps_the_store_from_opening(path: Path, seed: int) -> None:
    """Random bytes anywhere, the header included, and truncation."""
    store, _damaged = open_store(path)
    fill(store, 60)
    store.close()
    draw = random.Random(seed)
    content = bytearray(path.read_bytes())
    if seed % 3 == 0:
        content = content[: draw.randrange(len(content))]
    for _ in range(draw.randint(1, 40)):
        # Half of the hits near the beginning, where the header and the schema are.
        place = draw.randrange(min(8192, len(content)) if draw.random() < 0.5 else len(content))
        content[place] = draw.randrange(256)
    path.write_bytes(bytes(content))
    store, _damaged = open_store(path)
    chat = store.conversations.create()
    store.messages.add_user_turn(chat, "works again")
    store.close()


@pytest.mark.parametrize(
    ("error", "refusal"),
    [
        (StoreNotWritable("full", ""), "full"),
        (StoreNotWritable("read-only", ""), "read-only"),
        (StoreNotWritable("io", ""), "io"),
        (PermissionError(13, "no"), "read-only"),
        (OSError(28, "full"), "full"),
        (ValueError(), None),
    ],
)
def test_why_the_system_refuses_a_store(error: Exception, refusal: str | None) -> None:
    assert refusal_of(error) == refusal
