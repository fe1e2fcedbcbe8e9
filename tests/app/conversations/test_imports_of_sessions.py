"""Sessions of Claude Code and Codex: what a person and the model said comes in, and the rest is counted."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.conversations.imports.imported import ImportReport
from app.conversations.imports.reading import import_file
from app.conversations.store import ConversationStore
from tests.app.conversations.foreign_exports import shown
from tests.app.conversations.foreign_sessions import (
    CLAUDE_CODE,
    CODEX,
    CODEX_BARE,
    CODEX_FIRST,
    claude_code_line,
    codex_line,
    codex_said,
)
from tests.app.picture_files import picture

PNG = base64.b64encode(picture()).decode()
Load = Callable[..., ImportReport]


@pytest.fixture
def load_lines(store: ConversationStore, tmp_path: Path) -> Load:
    """Import values as the lines of a file in a hidden folder, where both programs keep theirs."""

    def load(*lines: Any, name: str = "session.jsonl") -> ImportReport:
        file = tmp_path / ".program" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n".join(map(json.dumps, lines)))
        return import_file(lambda operation: operation(store), file)

    return load


def test_a_session_of_claude_code_comes_in(store: ConversationStore, load_lines: Load) -> None:
    report = load_lines(*CLAUDE_CODE)
    (chat,) = report.added
    assert shown(store, chat) == [
        ("user", "/review the pump,\n  all of it"),
        ("assistant", "<think>\nHm.\n</think>\n\nLet me look.\n\nIt is one."),
        ("user", "And how?"),
        ("user", "briefly"),
        ("assistant", "So."),
        ("user", "! ls"),
    ]
    assert store.conversations.get(chat).title == "Pump"
    assert store.messages.path(chat)[1].source.main_model == "claude-opus-4"
    assert store.messages.path(chat)[0].created_at == store.conversations.get(chat).created_at == 1782900000.0
    # Two calls with their results, the output of a command and the two of the shell; a thought without a text; the
    # caveat, what the editor opened, a reminder, an interruption, the summary and an error of a request.
    assert report.left_out == {"tool": 7, "reasoning": 1, "role": 6, "agent": 2}
    assert load_lines(*CLAUDE_CODE).unchanged == (chat,)


def test_what_was_asked_before_going_back_is_a_branch(store: ConversationStore, load_lines: Load) -> None:
    (chat,) = load_lines(*CLAUDE_CODE).added
    asked_again = store.messages.path(chat)[2]
    assert (asked_again.content, asked_again.sibling_count) == ("And how?", 2)
    (before,) = [message for message in store.messages.all(chat) if message.content == "And <b>why</b>?"]
    assert (before.parent_id, before.role) == (asked_again.parent_id, "user")


def test_an_answer_goes_on_after_its_calls(store: ConversationStore, load_lines: Load) -> None:
    answer = {"id": "msg_1", "model": "claude"}
    lines = [
        claude_code_line("user", "u", None, "go"),
        claude_code_line("assistant", "a1", "u", [{"type": "tool_use", "id": "t"}], about=answer),
        claude_code_line("assistant", "a2", "a1", [{"type": "text", "text": "Looking."}], about=answer),
        claude_code_line("user", "r", "a1", [{"type": "tool_result", "tool_use_id": "t"}]),
        claude_code_line("assistant", "a3", "r", [{"type": "text", "text": "Found."}]),
    ]
    (chat,) = load_lines(*lines).added
    assert shown(store, chat) == [("user", "go"), ("assistant", "Looking.\n\nFound.")]


def test_an_answer_that_was_under_way_is_completed(store: ConversationStore, load_lines: Load) -> None:
    lines = [
        claude_code_line("user", "u", None, "go"),
        claude_code_line("assistant", "a1", "u", [{"type": "thinking", "thinking": "Hm."}]),
        claude_code_line("assistant", "a2", "a1", [{"type": "text", "text": "Looking."}]),
        claude_code_line("assistant", "a3", "a2", [{"type": "thinking", "thinking": "So."}]),
        claude_code_line("assistant", "a4", "a3", [{"type": "text", "text": "Found."}]),
    ]
    (chat,) = load_lines(*lines[:3]).added
    assert load_lines(*lines).extended == (chat,)
    assert shown(store, chat)[1:] == [("assistant", "<think>\nHm.\n\nSo.\n</think>\n\nLooking.\n\nFound.")]
    assert load_lines(*lines[:3]).unchanged == (chat,)


@pytest.mark.parametrize("logical", ["a", None, "gone"])
def test_a_compacted_session_stays_one_chat(store: ConversationStore, load_lines: Load, logical: str | None) -> None:
    lines = [
        claude_code_line("user", "u1", None, "one"),
        claude_code_line("system", "c", None, subtype="compact_boundary", logicalParentUuid=logical),
        claude_code_line("user", "s", "c", "Summary", isCompactSummary=True),
        # A message that was kept.
        claude_code_line("assistant", "a", "s", [{"type": "text", "text": "1"}]),
        claude_code_line("user", "u2", "a", "two"),
    ]
    (chat,) = load_lines(*lines).added
    assert shown(store, chat) == [("user", "one"), ("assistant", "1"), ("user", "two")]


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([{"type": "custom-title", "customTitle": "Mine"}, {"type": "ai-title", "aiTitle": "Later"}], "Mine"),
        ([{"type": "summary", "summary": "Own", "leafUuid": "u1"}], "Own"),
        ([{"type": "summary", "summary": "Of another", "leafUuid": "x"}], "hello there"),
    ],
    ids=["custom", "summary", "foreign"],
)
def test_the_title_of_a_session_is_its_own(store: ConversationStore, load_lines: Load, lines: Any, title: str) -> None:
    (chat,) = load_lines(*lines, claude_code_line("user", "u1", None, "hello there")).added
    assert store.conversations.get(chat).title == title


def test_a_picture_in_a_question_comes_in_and_a_document_is_counted(store: ConversationStore, load_lines: Load) -> None:
    content = [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}},
        {"type": "text", "text": "What is this?"},
    ]
    report = load_lines(claude_code_line("user", "u1", None, content))
    (question,) = store.messages.path(report.added[0])
    assert (len(question.attachments), report.left_out) == (1, {"file": 1})


def test_text_that_only_looks_like_a_note_stays(store: ConversationStore, load_lines: Load) -> None:
    text = "What does <bash-stdout>x</bash-stdout> mean?\n"
    (chat,) = load_lines(claude_code_line("user", "u1", None, text)).added
    assert shown(store, chat) == [("user", text)]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([claude_code_line("user", "u1", None, "Look.", isSidechain=True)], "agent"),
        ([{"type": "summary", "summary": "Pump", "leafUuid": "x"}], "empty"),
        ([{"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}], "empty"),
        ([codex_line("session_meta", id="x", source={"subagent": "review"}), codex_said("user", "Look.")], "agent"),
        ([codex_line("session_meta", id="x", source="cli")], "empty"),
    ],
    ids=["subagent", "summary", "snapshot", "codex-subagent", "codex-empty"],
)
def test_a_session_without_a_person_is_skipped(load_lines: Load, lines: Any, reason: str) -> None:
    report = load_lines(*lines)
    assert (report.added, [skipped.reason for skipped in report.skipped]) == ((), [reason])


def test_a_session_of_codex_comes_in(store: ConversationStore, load_lines: Load) -> None:
    report = load_lines(*CODEX, name="rollout-2026-01-02T03-04-00-x-1.jsonl")
    (chat,) = report.added
    path = store.messages.path(chat)
    assert shown(store, chat) == [
        ("user", "List the files."),
        ("assistant", "<think>\n**Looking**\n</think>\n\nThere is a.py."),
        ("user", "<image> is a tag. And how?"),
        ("assistant", "So."),
    ]
    assert [message.source.main_model for message in path if message.role == "assistant"] == ["gpt-5.6", "gpt-5.6-mini"]
    # The question that was taken back, with its answer, is another branch.
    assert [message.sibling_count for message in path] == [1, 1, 2, 1]
    assert {"And why?", "Old."} <= {message.content for message in store.messages.all(chat)}
    assert store.conversations.get(chat).title == "Files"
    assert store.conversations.get(chat).created_at == 1767323040.0
    assert report.left_out == {"tool": 4, "reasoning": 1, "role": 4, "file": 1, "agent": 1}
    assert load_lines(*CODEX).unchanged == (chat,)


@pytest.mark.parametrize(
    ("lines", "created_at", "thought"),
    [(CODEX_BARE, 1755479773.522, "<think>\nHm.\n</think>\n\n"), ([CODEX_FIRST], 1745143200.0, "")],
    ids=["bare", "first"],
)
def test_older_sessions_of_codex_come_in(
    store: ConversationStore, load_lines: Load, lines: Any, created_at: float, thought: str
) -> None:
    (chat,) = load_lines(*lines).added
    assert shown(store, chat) == [("user", "hello"), ("assistant", f"{thought}Hi.")]
    assert store.conversations.get(chat).created_at == created_at


def test_events_are_read_where_no_item_says_the_same(store: ConversationStore, load_lines: Load) -> None:
    newer = {"item": {"type": "UserMessage", "content": [{"type": "text", "text": "hello"}]}}
    lines = [
        codex_line("session_meta", id="x", source="vscode"),
        codex_said("user", "<environment_context>\n</environment_context>"),
        codex_line("event_msg", "item_completed", **newer),
        codex_line("event_msg", "user_message", message="hello"),
        codex_line("event_msg", "agent_message", message="Hi."),
    ]
    (chat,) = load_lines(*lines).added
    assert shown(store, chat) == [("user", "hello"), ("assistant", "Hi.")]


def test_more_questions_may_be_taken_back_than_there_are(store: ConversationStore, load_lines: Load) -> None:
    rolled_back = codex_line("event_msg", "thread_rolled_back", num_turns=9)
    (chat,) = load_lines(codex_said("user", "old"), rolled_back, codex_said("user", "new")).added
    assert shown(store, chat) == [("user", "new")]
    assert store.messages.path(chat)[0].sibling_count == 2


def test_a_picture_that_codex_made_comes_in(store: ConversationStore, load_lines: Load) -> None:
    made = codex_line("response_item", "image_generation_call", status="completed", result=PNG)
    report = load_lines(codex_said("user", "draw"), codex_said("assistant", "Here."), made)
    answer = store.messages.path(report.added[0])[1]
    assert (answer.content, report.left_out) == ("Here.", {})
    assert len(answer.attachments) == 1


def test_a_folder_of_sessions_comes_in(store: ConversationStore, tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-tmp"
    (project / "s-1" / "subagents").mkdir(parents=True)
    (project / "s-1.jsonl").write_text("\n".join(map(json.dumps, CLAUDE_CODE)))
    of_agent = claude_code_line("user", "x", None, "Look.", isSidechain=True, agentId="a")
    (project / "s-1" / "subagents" / "agent-a.jsonl").write_text(json.dumps(of_agent))
    (project / "s-1" / "subagents" / "agent-a.meta.json").write_text('{"agentType": "Explore"}')
    (project / "sessions-index.json").write_text('{"version": 1, "entries": []}')
    (project / "s-2.jsonl").write_text(
        json.dumps(claude_code_line("user", "y", None, "hello", sessionId="s-2")) + "\n{"
    )
    report = import_file(lambda operation: operation(store), tmp_path / "projects")
    asked = [("user", "/review the pump,\n  all of it"), ("user", "hello")]
    assert sorted(shown(store, chat)[0] for chat in report.added) == asked
    assert sorted(skipped.reason for skipped in report.skipped) == ["agent", "unreadable"]


def test_a_packed_session_in_a_folder_is_reported(store: ConversationStore, tmp_path: Path) -> None:
    (tmp_path / "rollout-1.jsonl").write_text("\n".join(map(json.dumps, CODEX)))
    (tmp_path / "rollout-2.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd\x00")
    report = import_file(lambda operation: operation(store), tmp_path)
    assert (len(report.added), [skipped.title for skipped in report.skipped]) == (1, ["rollout-2.jsonl.zst"])
