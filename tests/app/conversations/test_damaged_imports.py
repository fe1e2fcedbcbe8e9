"""No export raises an exception or hides other chats, and everything imported can be shown."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.conversations.database.encoding import to_json
from app.conversations.exports.json_format import conversation_as_object
from app.conversations.exports.labels import Labels
from app.conversations.exports.markdown import as_markdown
from app.conversations.grouping import grouped
from app.conversations.imports.reading import import_file
from app.conversations.store import ConversationStore
from app.session.chats import chat_of
from app.session.store_client import last_on_screen
from app.wording import errors as wording
from app.wording import figures
from tests.app.conversations.foreign_exports import (
    AI_STUDIO,
    ANYTHINGLLM,
    CHATGPT,
    CHERRY,
    CLAUDE,
    DEEPSEEK,
    GEMINI,
    GROK,
    LIBRECHAT,
    LLAMA_CPP,
    LM_STUDIO,
    LOBE_CHAT,
    MESSAGES,
    OPEN_WEBUI,
    OWN,
    SILLY_TAVERN,
    node,
    shown,
)
from tests.app.conversations.foreign_sessions import CLAUDE_CODE, CODEX

EXPORTS = [
    OWN, CHATGPT, CLAUDE, OPEN_WEBUI, LM_STUDIO, LLAMA_CPP, MESSAGES, LIBRECHAT, CHERRY, ANYTHINGLLM, DEEPSEEK, GROK,
    AI_STUDIO, GEMINI, CLAUDE_CODE, CODEX, SILLY_TAVERN, LOBE_CHAT,
]  # fmt: skip


@pytest.mark.parametrize("text", ["", "[", "{}", "[]", "[1, null]", '{"messages": 3}', "[" * 100_000, '"\\ud800"'])
def test_what_is_no_export_is_reported(store: ConversationStore, tmp_path: Path, text: str) -> None:
    file = tmp_path / "export.json"
    file.write_text(text)
    report = import_file(lambda operation: operation(store), file)
    assert [skipped.reason for skipped in report.skipped] in (["unknown-format"], ["not-json"])


def test_circles_and_unknown_parents_are_cut(store: ConversationStore, load: Any) -> None:
    circle = {"a": node("a", "b", "user", "A"), "b": node("b", "a", "assistant", "B"), "c": node("c", "x", "user", "C")}
    (chat,) = load([{"id": "1", "title": "t", "mapping": circle, "current_node": "b"}]).added
    assert sorted(message.content for message in store.messages.all(chat)) == ["A", "B", "C"]
    assert shown(store, chat) == [("user", "A"), ("assistant", "B")]


def mutated(value: Any, draw: Any) -> Any:
    """The value with some parts replaced by others of any type."""
    if draw(st.integers(0, 12)) == 0:
        return draw(st.sampled_from([None, 0, -1, 1e308, "", "x\ud800\x00", [], {}, [None], {"a": 1}, True]))
    if isinstance(value, dict):
        return {key: mutated(item, draw) for key, item in value.items()}
    if isinstance(value, list):
        return [mutated(item, draw) for item in value]
    return value


@settings(max_examples=25)
@given(st.data(), st.sampled_from(EXPORTS))
def test_whatever_came_in_can_be_listed_shown_and_exported(
    store: ConversationStore, load: Any, data: st.DataObject, export: Any
) -> None:
    load(mutated(export, data.draw))
    assert store.database.rows("PRAGMA foreign_key_check") == []
    chats = store.conversations.view()
    grouped(chats, store.database.clock())
    last_on_screen(store)
    for conversation in chats:
        path = store.messages.path(conversation.id)
        chat = chat_of(conversation, path)
        assert chat.read_position is None or chat.read_position[0] >= 0
        for turn in chat.turns:
            figures.footer(turn.answer)
            figures.why(turn.answer)
            if turn.answer_node.id is not None:
                messages = store.messages
                turn.answer.take_stored(messages.tokens(turn.answer_node.id), messages.rounds(turn.answer_node.id))
                figures.sentence(turn.answer)
            if turn.answer.error is not None:
                assert wording.error_sentence(turn.answer.error)
        as_markdown(conversation, path, Labels(), {})
        to_json(conversation_as_object(store, conversation.id))


@pytest.mark.parametrize("when", [9e14, 2.6e14, -5, 1e308, "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00"])
def test_a_time_that_no_calendar_has_reads_as_none(store: ConversationStore, load: Any, when: Any) -> None:
    conversation = OWN["conversations"][0] | {"updated_at": when, "uid": f"c{when}"}  # type: ignore[index]
    (chat,) = load(OWN | {"conversations": [conversation]}).added
    assert [group.name for group in grouped([store.conversations.get(chat)], 1.8e9)] == ["older"]


@pytest.mark.parametrize(
    "change",
    [
        {"stats": {"generated_tokens": "many"}},
        {"stats": {"accept_by_position": [[1e999, 1]]}},
        {"tokens": [[1, "So", "draft", 1e999, 0, -0.5]]},
        {"tokens": [[1, ["So"], "draft", 0, 0, -0.5]]},
    ],
)
def test_wrong_figures_cost_one_chat_and_not_the_others(load: Any, change: Any) -> None:
    good: Any = OWN["conversations"][0]  # type: ignore[index]
    bad = good | {"uid": "bad", "messages": [good["messages"][0], good["messages"][1] | change]}
    report = load(OWN | {"conversations": [bad, good]})
    assert [skipped.reason for skipped in report.skipped] == ["unreadable"]
    assert len(report.added) == 1


def test_half_a_character_in_a_token_is_replaced(store: ConversationStore, load: Any) -> None:
    good: Any = OWN["conversations"][0]  # type: ignore[index]
    message = good["messages"][1] | {"tokens": [[1, "x\ud800", "draft", 0, 0, None]]}
    (chat,) = load(OWN | {"conversations": [good | {"messages": [good["messages"][0], message]}]}).added
    assert [token.text for token in store.messages.tokens(store.messages.path(chat)[1].id)] == ["x\ufffd"]


@pytest.mark.parametrize("damage", ["zeros", "end"])
def test_a_damaged_part_of_a_zip_file_does_not_hide_the_others(
    store: ConversationStore, tmp_path: Path, damage: str
) -> None:
    file = tmp_path / "export.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations-000.json", json.dumps(CLAUDE))
        archive.writestr("conversations-001.json", json.dumps(CHATGPT))
        sizes = archive.getinfo("conversations-000.json")
    content = bytearray(file.read_bytes())
    start = sizes.header_offset + 30 + len(sizes.filename)
    if damage == "zeros":
        content[start : start + sizes.compress_size] = b"\xff" * sizes.compress_size
    else:
        # A final block of no bytes: the text ends before it begins.
        content[start : start + 2] = b"\x03\x00"
    file.write_bytes(content)
    report = import_file(lambda operation: operation(store), file)
    assert len(report.added) == 1
    assert [(skipped.title, skipped.reason) for skipped in report.skipped] == [("conversations-000.json", "unreadable")]
