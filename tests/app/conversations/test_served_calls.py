"""The request history of a server without a window, which never keeps the window from the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.api.activity import Call
from app.conversations.opening import open_store, visit_store
from app.conversations.request_history import RequestRow
from app.conversations.served_calls import ServedCalls
from engine.stats import RequestStats

ANSWERED = RequestStats(generated_tokens=5, drafted=4, accepted=2)


def call(*stats: RequestStats, reason: str = "stop", seconds: float | None = 2.0) -> Call:
    reasons = (reason,) * len(stats)
    return Call("id", "/v1/messages", "big", "agent", 10.0, "big", "small", "auto", "", stats, reasons, seconds)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "chats.db"


@pytest.fixture
def served(path: Path) -> Iterator[ServedCalls]:
    made = ServedCalls(path)
    yield made
    made.write()


def stored(path: Path) -> list[RequestRow]:
    store, _ = open_store(path)
    try:
        return store.history.rows()
    finally:
        store.close()


def test_answers_with_a_token_or_an_error_are_written_once(path: Path, served: ServedCalls) -> None:
    served.note(call(ANSWERED, ANSWERED))
    served.note(call(RequestStats()))
    served.note(call(RequestStats(), reason="failed"))
    served.note(call(ANSWERED, seconds=None))
    served.write()
    served.write()
    assert served.waiting == 0
    rows = stored(path)
    assert [row.finish_reason for row in rows] == ["failed", "stop", "stop"]
    one = rows[1]
    assert (one.client, one.endpoint, one.main_model, one.finished_at) == ("agent", "/v1/messages", "big", 12.0)


def test_answers_wait_while_the_window_has_the_store(
    path: Path, served: ServedCalls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.conversations.database.PATIENCE_S", 0.01)
    store, _ = open_store(path)
    served.note(call(ANSWERED))
    served.write()
    assert served.waiting == 1
    store.close()
    served.write()
    assert len(stored(path)) == 1


@pytest.mark.parametrize("meanwhile", [1, 4, *(pytest.param(count, marks=pytest.mark.full) for count in (2, 3))])
def test_answers_that_end_while_others_are_written_wait(
    path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: int
) -> None:
    monkeypatch.setattr("app.conversations.served_calls.MOST_OF_PROGRAMS", 3)
    served, ending = ServedCalls(path), [call(ANSWERED, reason=f"late {number}") for number in range(meanwhile)]

    @contextmanager
    def slow_store(at: Path) -> Iterator[object]:
        with visit_store(at) as store:
            yield store
            while ending:
                served.note(ending.pop(0))

    monkeypatch.setattr("app.conversations.served_calls.visit_store", slow_store)
    served.note(call(ANSWERED, ANSWERED, ANSWERED))
    served.write()
    assert served.waiting == min(meanwhile, 3)
    served.write()
    late = [f"late {number}" for number in range(meanwhile)][-3:]
    assert [row.finish_reason for row in reversed(stored(path))] == ["stop"] * 3 + late


@pytest.mark.parametrize("damaged", [False, True])
def test_a_damaged_store_and_one_of_an_older_version_are_left_to_the_window(
    path: Path, served: ServedCalls, damaged: bool
) -> None:
    path.parent.mkdir()
    if damaged:
        path.write_bytes(b"no database at all" * 1000)
    else:
        with visit_store(path) as store:
            store.database.execute("PRAGMA user_version = 3")
    served.note(call(ANSWERED))
    before = path.read_bytes()
    served.write()
    assert (served.waiting, path.read_bytes()) == (1, before)
