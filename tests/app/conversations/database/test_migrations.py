"""Every released version of the store is migrated to the latest one without losses."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from app.conversations.backups import BACKUPS_KEPT, backups_of
from app.conversations.database.database import connect
from app.conversations.database.encoding import optional_json, pack_tokens
from app.conversations.database.errors import StoreTooNew
from app.conversations.database.schema import LATEST, VERSIONS, migrate, version_of
from app.conversations.opening import open_store
from app.conversations.request_history import ProgramRequest
from engine.events import Token
from tests.app.conversations.older_versions import STATS, write_version

if TYPE_CHECKING:
    from pathlib import Path

    from tests.app.conversations.conftest import Clock


@pytest.mark.parametrize("version", range(1, LATEST + 1))
def test_a_store_of_every_version_opens_with_everything_in_it(path: Path, version: int) -> None:
    write_version(path, version)
    store, _damaged = open_store(path)
    assert version_of(store.database.connection) == LATEST
    assert [message.content for message in store.messages.path(1)] == ["초안은?", "대답 2"]
    assert store.messages.get(2).stats == STATS
    assert [hit.message_id for hit in store.search.messages("초안")] == [1]
    assert [hit.conversation_id for hit in store.search.titles("옛")] == [1]
    assert store.database.scalar("PRAGMA integrity_check") == "ok"
    assert store.database.rows("PRAGMA foreign_key_check") == []
    store.close()


@pytest.mark.first
def test_version_2_takes_the_request_history_out_of_the_answers(path: Path) -> None:
    write_version(path, 1)
    store, _damaged = open_store(path)
    rows = store.history.rows(order="finished_at", descending=False)
    assert [(row.message_id, row.main_model, row.accept_rate, row.finished_at) for row in rows] == [
        (2, "org/main", 0.75, 2.0),
        (3, "org/main", 0.75, 3.0),
    ]
    store.close()


@pytest.mark.parametrize("version", [1, 3, pytest.param(2, marks=pytest.mark.full)])
def test_version_4_keeps_the_tokens_of_answers_whose_rounds_were_never_written(path: Path, version: int) -> None:
    write_version(path, version)
    tokens = [Token(7, "대답", "draft", 0, 1, -0.5)]
    with closing(connect(path)) as connection:
        connection.execute("INSERT INTO token_views VALUES (2, ?)", (pack_tokens(tokens),))
        connection.execute("UPDATE messages SET state = 'streaming', content = '' WHERE id = 3")
        connection.execute("INSERT INTO chunks VALUES (3, 0, '반쪽', ?)", (pack_tokens(tokens),))
    store, _damaged = open_store(path)
    assert store.messages.get(3).state == "interrupted"
    for answer in (2, 3):
        assert store.messages.tokens(answer) == tokens
        assert store.messages.rounds(answer) == []
    store.close()


@pytest.mark.parametrize("version", [2, 4, pytest.param(3, marks=pytest.mark.full)])
def test_version_5_keeps_the_requests_of_chats_and_takes_those_of_programs(path: Path, version: int) -> None:
    write_version(path, version)
    columns = "id, message_id, finished_at, main_model, draft_model, method, finish_reason, stats"
    with closing(connect(path)) as connection:
        connection.execute(
            f"INSERT INTO requests ({columns}) VALUES (7, 3, 4.5, 'org/main', 'org/draft', 'auto', 'length', ?)",
            (optional_json(STATS),),
        )
        before = connection.execute(f"SELECT {columns} FROM requests").fetchall()
    store, _damaged = open_store(path)
    assert [*map(tuple, store.database.rows(f"SELECT {columns} FROM requests"))] == [*map(tuple, before)]
    store.history.add([ProgramRequest("openai", "/v1/messages", 6.0, "org/main", "", "off", "stop", STATS)])
    own, program = store.history.rows(order="id", descending=False)
    assert (own.id, own.message_id, own.title, own.client, own.accept_rate) == (7, 3, "옛 대화", "", 0.75)
    assert (program.id, program.message_id, program.client, program.accept_rate) == (8, None, "openai", 0.75)
    store.conversations.trash(1)
    store.conversations.purge(1)
    assert [row.id for row in store.history.rows()] == [8]
    store.close()


def test_all_versions_make_the_same_tables_whatever_the_way(tmp_path: Path) -> None:
    def tables(start: int) -> list[tuple[str, str]]:
        with closing(connect(tmp_path / f"{start}.db")) as connection:
            migrate(connection, to=start)
            migrate(connection)
            return [tuple(row) for row in connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name")]

    assert all(tables(start) == tables(LATEST) for start in range(LATEST))


def test_a_dated_backup_of_the_old_version_is_made_first(path: Path, clock: Clock) -> None:
    write_version(path, 1)
    store, _damaged = open_store(path, clock)
    store.close()
    (made,) = backups_of(path)
    assert made.name.startswith("conversations-v1-2026-03-10-")
    with closing(sqlite3.connect(made)) as backup:
        assert version_of(backup) == 1
        assert backup.execute("SELECT count(*) FROM messages").fetchone()[0] == 3
    open_store(path)[0].close()
    assert backups_of(path) == [made]


def test_old_backups_make_room(path: Path, clock: Clock) -> None:
    made = []
    for _ in range(BACKUPS_KEPT + 1):
        path.unlink(missing_ok=True)
        write_version(path, 1)
        store, _damaged = open_store(path, clock)
        store.close()
        clock.now += 1
        made.append(backups_of(path)[0])
    assert backups_of(path) == made[:0:-1]


def test_a_migration_that_fails_leaves_the_old_version(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_version(path, 1)
    broken = (*VERSIONS[1], "INSERT INTO nowhere VALUES (1)")
    monkeypatch.setattr("app.conversations.database.schema.VERSIONS", (VERSIONS[0], broken))
    with pytest.raises(sqlite3.OperationalError):
        open_store(path)
    monkeypatch.undo()
    with closing(sqlite3.connect(path)) as connection:
        assert version_of(connection) == 1
    store, _damaged = open_store(path)
    assert len(store.messages.all(1)) == 3
    store.close()


def test_a_store_of_a_later_app_is_left_alone(path: Path) -> None:
    write_version(path, LATEST)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {LATEST + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreTooNew) as raised:
        open_store(path)
    assert raised.value.arguments["version"] == LATEST + 1
    assert path.read_bytes() == before
