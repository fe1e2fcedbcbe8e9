"""The store's thread: order, delays, reports, and writes of streamed text."""

from __future__ import annotations

import sqlite3
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from app.conversations import answer_writer
from app.conversations.answer_writer import FLUSH_AFTER, AnswerWriter
from app.conversations.database.errors import NotFound, StoreNotWritable
from app.conversations.database.records import AnswerSource, StoreChanges
from app.conversations.database.store_files import copy_with_log
from app.conversations.worker import StoreThread
from engine.stats import RequestStats
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.conversations.database.records import Message
    from app.conversations.store import ConversationStore


@pytest.fixture
def thread(path: Path) -> Iterator[StoreThread]:
    thread = StoreThread(path)
    yield thread
    thread.close()


def streaming_answer(store: ConversationStore) -> int:
    chat = store.conversations.create()
    return store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource())


@pytest.fixture
def writer(thread: StoreThread) -> AnswerWriter:
    """The writer of a new streaming answer."""
    return AnswerWriter(thread.submit, thread.submit(streaming_answer).result(PATIENCE_S))


def stored(thread: StoreThread, writer: AnswerWriter) -> Message:
    return thread.submit(lambda store: store.messages.get(writer.message_id)).result(PATIENCE_S)


def damaged_thread(path: Path, index: str) -> StoreThread:
    """Open a store whose only chat has 100 questions, and damage one of its search indexes."""

    def fill(store: ConversationStore) -> None:
        chat = store.conversations.create(title="초안 모델")
        store.database.execute("PRAGMA synchronous = OFF")
        # One transaction each, so that the index has several segments.
        for number in range(100):
            store.messages.add_user_turn(chat, f"초안 {number}")
        store.database.execute(f"DELETE FROM {index}_data WHERE id > 10")

    thread = StoreThread(path)
    thread.submit(fill).result(PATIENCE_S)
    return thread


def test_an_error_goes_to_its_own_future_only(thread: StoreThread) -> None:
    failing = thread.submit(lambda store: store.conversations.get(99))
    working = thread.submit(lambda store: store.conversations.create())
    assert isinstance(failing.exception(PATIENCE_S), NotFound)
    assert working.result(PATIENCE_S) == 1


@pytest.mark.first
def test_changes_are_reported_after_the_commit(path: Path) -> None:
    seen: list[StoreChanges] = []
    thread = StoreThread(path, seen.append)
    chat = thread.submit(lambda store: store.conversations.create()).result(PATIENCE_S)
    thread.close()
    assert seen == [StoreChanges(conversations={chat})]


@pytest.mark.expects_log
@pytest.mark.parametrize("index", ["search", "title_search"])
def test_a_damaged_search_index_is_written_anew(path: Path, index: str) -> None:
    thread = damaged_thread(path, index)
    found = thread.submit(lambda store: (store.search.messages("초안", limit=200), store.search.titles("초안")))
    assert [len(hits) for hits in found.result(PATIENCE_S)] == [100, 1]
    thread.close()


@pytest.mark.expects_log
def test_a_damaged_search_index_keeps_nobody_from_writing(path: Path) -> None:
    thread = damaged_thread(path, "search")
    # The seventh finds the damage, because the index merges its segments then.
    for number in range(20):
        thread.submit(lambda store, n=number: store.messages.add_user_turn(1, f"again {n}")).result(PATIENCE_S)
    shown = thread.submit(lambda store: store.messages.path(1)).result(PATIENCE_S)
    assert len(shown) == 120
    thread.close()


@pytest.mark.expects_log
def test_an_operation_that_has_written_something_is_not_done_twice(path: Path) -> None:
    thread = StoreThread(path)
    chat = thread.submit(lambda store: store.conversations.create()).result(PATIENCE_S)

    def write_and_find_damage(store: ConversationStore) -> None:
        store.messages.add_user_turn(chat, "once")
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorname = "SQLITE_CORRUPT_VTAB"
        raise error

    assert isinstance(thread.submit(write_and_find_damage).exception(PATIENCE_S), sqlite3.DatabaseError)
    assert len(thread.submit(lambda store: store.messages.path(chat)).result(PATIENCE_S)) == 1
    thread.close()


@pytest.mark.expects_log
def test_a_listener_that_fails_harms_no_operation(path: Path) -> None:
    def fail(_changes: StoreChanges) -> None:
        raise RuntimeError("listener")

    thread = StoreThread(path, fail)
    assert thread.submit(lambda store: store.conversations.create()).result(PATIENCE_S) == 1
    thread.close()


def test_a_store_that_does_not_open_says_so_to_everybody(path: Path) -> None:
    path.mkdir(parents=True)
    thread = StoreThread(path)
    error = thread.opened.exception(PATIENCE_S)
    assert error is not None
    assert thread.submit(lambda store: store.conversations.create()).exception(PATIENCE_S) is error
    thread.close()


def test_closing_runs_what_waits_and_refuses_what_comes_later(path: Path) -> None:
    thread = StoreThread(path)
    delayed = thread.submit(lambda store: store.conversations.create(), delay=3600.0)
    thread.close()
    assert delayed.result(0) == 1
    assert isinstance(thread.submit(lambda store: store.close()).exception(0), RuntimeError)
    assert "store" not in {other.name for other in threading.enumerate()}


def test_streamed_text_is_written_half_a_second_after_the_first_of_it_came() -> None:
    asked: list[tuple[Callable[[Any], object], float]] = []
    written: list[str] = []
    store: Any = SimpleNamespace(answers=SimpleNamespace(append=lambda _id, text, *_rest: written.append(text)))
    writer = AnswerWriter(lambda operation, delay=0.0: asked.append((operation, delay)), 1)  # type: ignore[arg-type, return-value]
    for word in ("one ", "two "):
        writer.append(word)
    # More text neither puts the write off nor asks for another.
    [(write, delay)] = asked
    assert delay == FLUSH_AFTER <= 0.5
    write(store)
    writer.append("three")
    assert len(asked) == 2
    asked[1][0](store)
    assert written == ["one two ", "three"]


def test_an_operation_runs_when_it_is_due(thread: StoreThread) -> None:
    order: list[str] = []
    thread.submit(lambda _store: order.append("in an hour"), delay=3600.0)
    soon = thread.submit(lambda _store: order.append("soon"), delay=0.01)
    soon.result(PATIENCE_S)
    assert order == ["soon"]


def test_text_waits_for_room_on_the_disk(
    thread: StoreThread, writer: AnswerWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_writer, "FLUSH_AFTER", 0.01)
    thread.submit(lambda store: store.database.scalar("PRAGMA max_page_count = 1")).result(PATIENCE_S)
    writer.append("x" * 50_000)
    deadline = time.monotonic() + PATIENCE_S
    while writer.write_error is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert isinstance(writer.write_error, StoreNotWritable)
    thread.submit(lambda store: store.database.scalar("PRAGMA max_page_count = 1000000")).result(PATIENCE_S)
    writer.append("y")
    writer.finish("stop", RequestStats()).result(PATIENCE_S)
    assert stored(thread, writer).content == "x" * 50_000 + "y"


def test_an_answer_of_a_purged_chat_is_dropped(
    thread: StoreThread, writer: AnswerWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_writer, "FLUSH_AFTER", 0.0)
    thread.submit(lambda store: store.conversations.purge(1)).result(PATIENCE_S)
    writer.append("to nobody")
    assert isinstance(writer.finish("stop", RequestStats()).exception(PATIENCE_S), NotFound)


@pytest.mark.parametrize("then", ["works on", "is closed", "was killed"])
def test_what_is_deleted_is_merged_out_of_the_index_in_the_background(
    path: Path, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    monkeypatch.setattr("app.conversations.worker.MERGE_AFTER_S", 0.0 if then == "works on" else 3600.0)
    thread = StoreThread(path)
    chat = thread.submit(lambda store: store.conversations.create()).result(PATIENCE_S)
    for word in ("whales", "Xyzzyplugh"):
        message = thread.submit(lambda store, text=word: store.messages.add_user_turn(chat, text)).result(PATIENCE_S)
    deletion = thread.submit(lambda store: store.deletions.delete_question(message)).result(PATIENCE_S)
    assert len(deletion.messages) == 1
    looked_at = path
    if then == "was killed":
        looked_at = path.with_name("killed.db")
        copy_with_log(path, looked_at)
    if then != "works on":
        thread.close()

    def kept() -> bool:
        return any(b"xyzzyplugh" in file.read_bytes().lower() for file in path.parent.glob(f"{looked_at.stem}*"))

    if then == "was killed":
        assert kept()
        monkeypatch.setattr("app.conversations.worker.MERGE_AFTER_S", 0.0)
        thread = StoreThread(looked_at)
    ends_at = time.monotonic() + PATIENCE_S
    while kept() and time.monotonic() < ends_at and then != "is closed":
        time.sleep(0.002)
    assert not kept()
    thread.close()
