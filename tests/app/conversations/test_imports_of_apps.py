"""Exports of LibreChat, Cherry Studio, AnythingLLM, Qwen Chat and others, and the database of Ollama's app."""

from __future__ import annotations

import base64
import io
import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from app.conversations.imports.reading import import_file
from app.conversations.store import ConversationStore
from app.text.picture_data import kind_of_picture
from tests.app.conversations.foreign_exports import (
    AI_STUDIO,
    ANYTHINGLLM,
    CHATBOX,
    CHERRY,
    DEEPSEEK,
    GEMINI,
    GROK,
    LIBRECHAT,
    MESSAGES,
    PERPLEXITY,
    QWEN_CHAT,
    TYPINGMIND,
    shown,
)


@pytest.fixture
def ollama(tmp_path: Path) -> Path:
    """A database as Ollama's app writes it."""
    path = tmp_path / "db.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE chats (id TEXT PRIMARY KEY, title TEXT, created_at TIMESTAMP, browser_state TEXT);"
            "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, chat_id TEXT, role TEXT, content TEXT,"
            " thinking TEXT, model_name TEXT, created_at TIMESTAMP, tool_result TEXT);"
            "CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, message_id INTEGER, function_name TEXT);"
            "CREATE TABLE attachments (id INTEGER PRIMARY KEY, message_id INTEGER, filename TEXT, data BLOB);"
            "INSERT INTO chats VALUES ('c-1', 'Tea', '2025-08-01 10:00:00.123456789-07:00', NULL);"
            "INSERT INTO messages (chat_id, role, content, thinking, model_name, created_at) VALUES"
            " ('c-1', 'user', 'tea?', '', NULL, '2025-08-01 10:00:01-07:00'),"
            " ('c-1', 'assistant', '', '', 'qwen', '2025-08-01 10:00:02-07:00'),"
            " ('c-1', 'tool', 'green', '', NULL, '2025-08-01 10:00:03-07:00'),"
            " ('c-1', 'assistant', 'Green.', 'Hm.', 'qwen', '2025-08-01 10:00:04-07:00');"
            "INSERT INTO tool_calls VALUES (1, 2, 'shop');"
            "INSERT INTO attachments VALUES (1, 1, 'list.txt', CAST('teas' AS BLOB)), (2, 1, 'a.png', x'89504e47ff00');"
        )
    return path


def test_librechat_branches_come_in(store: ConversationStore, load: Any) -> None:
    report = load(LIBRECHAT)
    (chat,) = report.added
    assert shown(store, chat) == [("user", "how far?"), ("assistant", "<think>\nFar.\n</think>\n\n200 km")]
    answer = store.messages.path(chat)[1]
    assert (answer.sibling_count, answer.source.main_model) == (2, "qwen")
    assert report.left_out == {"file": 1, "tool": 1}
    assert store.conversations.get(chat).system_prompt == "Be brief."
    flat = [{**LIBRECHAT["messagesTree"][0], "children": []}, *LIBRECHAT["messagesTree"][0]["children"]]  # type: ignore[index]
    assert load({**LIBRECHAT, "messagesTree": None, "messages": flat}).unchanged == (chat,)


def test_a_backup_of_cherry_studio_comes_in(store: ConversationStore, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data.json", json.dumps(CHERRY))
    report = import_file(lambda operation: operation(store), file)
    rivers, old = report.added
    assert shown(store, rivers) == [("user", "longest?"), ("assistant", "```text\nAmazon\n```"), ("user", "sure?")]
    assert shown(store, old) == [("user", "old"), ("assistant", "<think>\nHm.\n</think>\n\nolder")]
    answer = store.messages.path(rivers)[1]
    assert (answer.sibling_count, answer.source.main_model) == (2, "glm")
    assert report.left_out == {"file": 1, "tool": 1}
    chat = store.conversations.get(rivers)
    assert (chat.title, chat.system_prompt, chat.created_at) == ("Rivers", "Be kind.", 1735787045.0)
    assert store.conversations.pinned() == [rivers]


def test_answers_of_qwen_chat_have_their_phases(store: ConversationStore, load: Any) -> None:
    report = load(QWEN_CHAT)
    (chat,) = report.added
    assert shown(store, chat) == [("user", "which?"), ("assistant", "<think>\nHm.\n</think>\n\nThis.")]
    answer = store.messages.path(chat)[1]
    assert (answer.sibling_count, answer.source.main_model) == (2, "qwen3.8-max")
    assert report.left_out == {"tool": 1}
    assert (store.conversations.get(chat).title, store.conversations.get(chat).created_at) == ("Pump", 1788000000.0)
    assert load(QWEN_CHAT).unchanged == (chat,)


def test_chats_of_chatbox_come_in_with_their_earlier_threads(store: ConversationStore, load: Any) -> None:
    report = load(CHATBOX)
    before, pump = report.added
    assert shown(store, before) == [("user", "old?")]
    assert shown(store, pump) == [("user", "which?"), ("assistant", "<think>\nHm.\n</think>\n\nThis.")]
    assert store.messages.path(pump)[1].source.main_model == "qwen3.8"
    chat = store.conversations.get(pump)
    assert (chat.title, chat.system_prompt) == ("Pump", "Be brief.")
    assert store.conversations.pinned() == [pump]
    assert report.left_out == {"file": 1, "tool": 1}
    assert [(skipped.title, skipped.reason) for skipped in report.skipped] == [("Gone", "empty")]


def test_chats_of_typingmind_come_in(store: ConversationStore, load: Any) -> None:
    report = load(TYPINGMIND)
    (chat,) = report.added
    assert shown(store, chat) == [("user", "which?"), ("assistant", "This.")]
    assert store.messages.path(chat)[1].source.main_model == "gpt-4"
    assert store.conversations.get(chat).title == "Pump"
    assert [(skipped.title, skipped.reason) for skipped in report.skipped] == [("no messages", "empty")]
    assert sum(report.left_out.values()) == 1


def test_each_workspace_of_anythingllm_becomes_a_chat(store: ConversationStore, load: Any) -> None:
    report = load(ANYTHINGLLM)
    assert [store.conversations.get(chat).title for chat in report.added] == ["Work", "Home"]
    questions = [("user", "one?"), ("assistant", "1"), ("user", "two?"), ("assistant", "2")]
    assert shown(store, report.added[0]) == questions
    assert report.left_out == {"file": 1}


def test_chats_of_ollamas_app_come_in(store: ConversationStore, ollama: Path) -> None:
    report = import_file(lambda operation: operation(store), ollama)
    (chat,) = report.added
    assert shown(store, chat) == [("user", "tea?"), ("assistant", "<think>\nHm.\n</think>\n\nGreen.")]
    question, answer = store.messages.path(chat)
    assert [(file.name, file.text) for file in question.attachments] == [("list.txt", "teas")]
    assert (answer.source.main_model, store.conversations.get(chat).title) == ("qwen", "Tea")
    assert report.left_out == {"file": 1, "tool": 2}
    assert import_file(lambda operation: operation(store), ollama).unchanged == (chat,)


def test_another_database_is_told_apart(store: ConversationStore, tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript("CREATE TABLE messages (id); CREATE VIEW chats AS SELECT 1 AS id;")
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(path.read_bytes()[:100] + b"x" * 900)
    for file in (path, damaged):
        (skipped,) = import_file(lambda operation: operation(store), file).skipped
        assert (skipped.title, skipped.reason) == (file.name, "unknown-format")


def thought(thoughts: str, reply: str) -> tuple[str, str]:
    return "assistant", f"<think>\n{thoughts}\n</think>\n\n{reply}"


@pytest.mark.parametrize(
    ("data", "messages", "source", "left_out"),
    [
        (DEEPSEEK, [("user", "2+2?"), thought("Easy.", "4")], ("deepseek-reasoner", 2), {"file": 1, "tool": 1}),
        (GROK, [("user", "longest?"), thought("Wide.", "Amazon")], ("grok-4", 2), {"file": 1}),
        (AI_STUDIO, [("user", "see?"), thought("Hm.", "Yes.")], ("models/gemini-3-pro", 1), {"file": 1, "tool": 1}),
        (GEMINI, [("user", "2+2?"), ("assistant", "4"), ("user", "and 2+3?")], ("", 1), {"file": 1, "empty": 1}),
        (PERPLEXITY, [("user", "why?"), ("assistant", "The moon."), ("user", "and?")], ("", 1), {"empty": 1}),
    ],
    ids=["deepseek", "grok", "ai-studio", "gemini", "perplexity"],
)
def test_chats_of_web_apps_come_in(
    store: ConversationStore, load: Any, data: Any, messages: Any, source: Any, left_out: Any
) -> None:
    report = load(data)
    (chat,) = report.added
    assert (shown(store, chat), report.skipped, report.left_out) == (messages, (), left_out)
    answer = store.messages.path(chat)[1]
    assert (answer.source.main_model, answer.sibling_count) == source
    assert load(data).unchanged == (chat,)


def test_the_times_and_the_system_prompt_of_web_apps_come_in(store: ConversationStore, load: Any) -> None:
    grok, studio = (load(data).added[0] for data in (GROK, AI_STUDIO))
    assert store.messages.path(grok)[0].created_at == 1780279200.123
    assert store.conversations.get(studio).system_prompt == "Be brief."


def test_the_newest_name_of_chatgpts_model_is_read(store: ConversationStore, load: Any) -> None:
    mapping = {"a": {"message": {"author": {"role": "assistant"}, "content": {"parts": ["Hi"]}}}}
    (chat,) = load([{"id": "c", "mapping": mapping, "default_model_slug": "gpt-5"}]).added
    assert store.messages.path(chat)[0].source.main_model == "gpt-5"


def test_what_is_no_file_does_not_count_as_one(load: Any) -> None:
    parts = [{"type": "token_budget"}, {"type": "flag", "flag": "x"}, {"type": "image"}, {"type": "text", "text": "hi"}]
    messages = [{"uuid": "m", "sender": "assistant", "content": parts}]
    assert load([{"uuid": "c", "chat_messages": messages}]).left_out == {"file": 1}


@pytest.mark.parametrize(("kind", "turn"), [("PNG", 6), ("WEBP", 8), ("TIFF", 1)])
def test_a_picture_that_qt_would_not_show_upright_is_kept_as_it_should_look(
    store: ConversationStore, load: Any, kind: str, turn: int
) -> None:
    exif, file = Image.Exif(), io.BytesIO()
    exif[0x112] = turn
    Image.new("RGB", (8, 4) if turn == 1 else (4, 8)).save(file, kind, exif=exif)
    url = f"data:image/{kind.lower()};base64,{base64.b64encode(file.getvalue()).decode()}"
    parts = [{"type": "text", "text": "what?"}, {"type": "image_url", "image_url": {"url": url}}]
    (chat,) = load([{"role": "user", "content": parts}]).added
    (attached,) = store.messages.path(chat)[0].attachments
    kept = store.pictures.get(attached.picture.digest)
    assert QImage.fromData(kept).size() == QSize(8, 4) == QSize(attached.picture.width, attached.picture.height)
    assert attached.media_type == f"image/{kind_of_picture(kept)}" != "image/"


@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_each_file_of_an_archive_may_be_a_chat(store: ConversationStore, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    lines = "\n".join(json.dumps(message) for message in MESSAGES)
    (folder / "chat-1.JSONL").write_text(lines)
    (folder / "chat-2").write_text(json.dumps(AI_STUDIO))
    (folder / "other.json").write_text('{"mapping": {"a": "b"}}')
    (folder / "._chat-1.jsonl").write_bytes(b"\0")
    archive = Path(shutil.make_archive(str(folder), "zip", tmp_path, "export"))
    report = import_file(lambda operation: operation(store), archive if kind == "zip" else folder)
    assert {shown(store, chat)[0] for chat in report.added} == {("user", "time?"), ("user", "see?")}
    assert [(skipped.title, skipped.reason) for skipped in report.skipped] == [("other.json", "unknown-format")]


@pytest.mark.parametrize("text", ['{"conversations": []}', '{"mapping": {"a": {"message": {"id": 1}}}}', "{}"])
def test_a_file_without_chats_says_so(store: ConversationStore, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("chats/readme.txt", text)
    for name in ("a.json", "a.zip"):
        (skipped,) = import_file(lambda operation: operation(store), tmp_path / name).skipped
        assert (skipped.title, skipped.reason) == (name, "unknown-format")


@pytest.mark.parametrize("data", [LIBRECHAT, CHERRY, ANYTHINGLLM], ids=["librechat", "cherry", "anythingllm"])
def test_importing_twice_changes_nothing(load: Any, data: Any) -> None:
    added = load(data).added
    report = load(data)
    assert (report.added, report.unchanged, report.left_out) == ((), added, {})
