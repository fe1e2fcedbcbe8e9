"""Files that would take all memory or minutes are refused, and a person's large files are imported."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from app.conversations.imports.imported import ImportReport
from app.conversations.imports.json_steps import count_containers
from app.conversations.imports.reading import import_file

if TYPE_CHECKING:
    from pathlib import Path

    from app.conversations.store import ConversationStore

MB = 2**20


def chat(number: int, **fields: Any) -> dict[str, Any]:
    messages = [{"uuid": f"m{number}", "sender": "human", "text": "hello"}]
    return {"uuid": f"c{number}", "name": f"c{number}", "chat_messages": messages, **fields}


def imported(store: ConversationStore, path: Path) -> ImportReport:
    return import_file(lambda operation: operation(store), path)


def hostile(size: int) -> dict[str, bytes]:
    """Return documents of about `size` bytes that parse to many times that."""
    return {
        "empty lists": b"[" + b"[]," * (size // 3) + b"[]]",
        "empty objects": b"[" + b"{}," * (size // 3) + b"{}]",
        "in our own format": b'{"format":"tandem-conversations","version":1,"conversations":['
        + b"[]," * (size // 3) + b"[]]}",
        "in one chat": b'[{"uuid":"c","chat_messages":[' + b"[]," * (size // 3) + b"[]]}]",
        "nested": b"[" * (size // 2) + b"]" * (size // 2),
        "never closed": b"[" * size,
        "in a text that never ends": b'["' + b"[" * size,
        "escaped": b'["' + b"\\\"[" * (size // 3) + b'"]',
    }  # fmt: skip


def imported_with_peak(store: ConversationStore, path: Path) -> tuple[ImportReport, int]:
    """The report, and the bytes of memory that the import took at most."""
    tracemalloc.start()
    try:
        return imported(store, path), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [2, pytest.param(60, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("kind", hostile(30))
def test_what_parses_to_many_times_its_size_is_refused(
    store: ConversationStore, tmp_path: Path, kind: str, size: int
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(hostile(size * MB)[kind])
    report, peak = imported_with_peak(store, path)
    assert report.added == ()
    assert [skipped.reason for skipped in report.skipped][:1] in (["too-large"], ["not-json"], ["unknown-format"])
    assert peak < (14 if size == 2 else 150) * MB


def test_a_zip_that_grows_beyond_measure_is_not_unpacked(store: ConversationStore, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * 20 * MB + b"]")
        archive.writestr("conversations-001.json", json.dumps([chat(1)]))
    report = imported(store, path)
    assert [(skipped.title, skipped.reason) for skipped in report.skipped] == [("conversations.json", "too-large")]
    assert len(report.added) == 1


def test_brackets_in_a_text_are_none(store: ConversationStore, tmp_path: Path) -> None:
    text = '[[{"\\' * 60_000
    path = tmp_path / "a.json"
    path.write_text(json.dumps([chat(1, name=text[:100]), chat(2, summary=text)]))
    content = path.read_bytes()
    assert content.count(b"[") > 100_000
    assert count_containers(content, 10) == 7
    assert len(imported(store, path).added) == 2


@pytest.mark.full
def test_one_chat_is_in_memory_at_a_time(store: ConversationStore, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    # The import leaves out what makes each of them large.
    path.write_text(json.dumps([chat(number, other=[{"key": 1.5}] * 2000) for number in range(30)]))
    report, peak = imported_with_peak(store, path)
    assert len(report.added) == 30
    assert peak < 4 * path.stat().st_size


def test_many_messages_are_added_as_one_by_one(store: ConversationStore, tmp_path: Path) -> None:
    """Covers siblings, a continued chat and messages with the same time."""
    answers = [
        {"uuid": f"a{number}", "sender": "assistant", "text": f"a{number}", "parent_message_uuid": "q"}
        for number in range(3)
    ]
    messages = [{"uuid": "q", "sender": "human", "text": "q"}, *answers]
    path = tmp_path / "a.json"
    path.write_text(json.dumps([chat(1, chat_messages=messages, created_at="2026-01-01T00:00:00Z")]))
    (identity,) = imported(store, path).added
    assert [message.content for message in store.messages.path(identity)] == ["q", "a2"]
    messages += [
        {"uuid": "a3", "sender": "assistant", "text": "a3", "parent_message_uuid": "q"},
        {"uuid": "q2", "sender": "human", "text": "q2", "parent_message_uuid": "a1"},
    ]
    path.write_text(json.dumps([chat(1, chat_messages=messages)]))
    assert imported(store, path).extended == (identity,)
    every = {message.content: message for message in store.messages.all(identity)}
    assert [every[f"a{number}"].position for number in range(4)] == [0, 1, 2, 3]
    assert [message.content for message in store.messages.path(identity)] == ["q", "a2"]
    assert [hit.message_id for hit in store.search.messages("q2")] == [every["q2"].id]
    assert store.database.rows("PRAGMA foreign_key_check") == []
    assert store.messages.add_user_turn(identity, "next") > max(message.id for message in every.values())
