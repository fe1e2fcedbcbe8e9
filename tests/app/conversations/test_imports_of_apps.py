"""Exports of LibreChat, Cherry Studio, SillyTavern, LobeChat and others, and the database of Ollama's app."""

from __future__ import annotations

import base64
import io
import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime
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
    LOBE_CHAT,
    LOBE_CHAT_TOPIC,
    LOBE_CHAT_V1,
    LOBE_CHAT_V7,
    MESSAGES,
    PERPLEXITY,
    QWEN_CHAT,
    SILLY_TAVERN,
    SILLY_TAVERN_2023,
    SILLY_TAVERN_GROUP,
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


def test_a_chat_of_sillytavern_comes_in_with_its_swipes(store: ConversationStore, load: Any) -> None:
    report = load(SILLY_TAVERN)
    (chat,) = report.added
    assert shown(store, chat) == [
        ("assistant", "You again."),
        ("user", "Anything?"),
        ("assistant", "<think>\nShe stalls.\n</think>\n\nDefine “unusual”."),
        ("user", "The crates."),
    ]
    path = store.messages.path(chat)
    assert [message.sibling_count for message in path] == [2, 1, 2, 1]
    assert [message.source.main_model for message in path] == ["", "", "qwen", ""]
    assert [message.created_at for message in path[:2]] == [1782900000.0, 1782900060.0]
    (other,) = [message for message in store.messages.all(chat) if message.source.main_model == "glm"]
    assert (other.content, other.parent_id) == (
        "<think>\nNothing to hide.\n</think>\n\nNothing.", path[1].id
    )  # fmt: skip
    assert store.conversations.get(chat).title == "Vera"
    # The narrator and SillyTavern itself; the call; the text, the picture and that of the version without a text.
    assert report.left_out == {"role": 2, "tool": 1, "file": 3}
    assert load(SILLY_TAVERN).unchanged == (chat,)


def test_a_branch_of_a_chat_of_sillytavern_joins_it(store: ConversationStore, load: Any) -> None:
    (chat,) = load(SILLY_TAVERN).added
    asked = SILLY_TAVERN[1:3]
    branch = [*SILLY_TAVERN[:1], *asked, {**SILLY_TAVERN[-1], "mes": "The docks.", "send_date": 1782900200000}]
    assert load(branch).extended == (chat,)
    (added,) = [message for message in store.messages.all(chat) if message.content == "The docks."]
    assert added.parent_id == store.messages.path(chat)[1].id


def test_a_chat_of_sillytavern_of_2023_comes_in(store: ConversationStore, load: Any) -> None:
    (chat,) = load(SILLY_TAVERN_2023).added
    assert shown(store, chat) == [("assistant", "I'm Megumin!"), ("user", "I am a mage."), ("assistant", "smiles")]
    assert store.conversations.get(chat).title == "Megumin"
    assert store.conversations.get(chat).created_at == 1674559900.991
    times = [message.created_at for message in store.messages.path(chat)]
    assert times == [1682107367.124, 1682107386.446, datetime(2023, 6, 19, 14, 20).timestamp()]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("2024-07-12@01h31m37s123ms", datetime(2024, 7, 12, 1, 31, 37, 123000, UTC)),
        ("2024-7-2@1h1m7s", datetime(2024, 7, 2, 1, 1, 7, 0, UTC)),
        ("2024-07-12T01:31:37.123Z", datetime(2024, 7, 12, 1, 31, 37, 123000, UTC)),
        ("Sept 3, 2023 12:05AM", datetime(2023, 9, 3, 0, 5)),
        ("Smarch 1, 2023 1:00pm", None),
        ("yesterday", None),
    ],
)
def test_times_of_sillytavern_are_read_in_all_their_forms(
    store: ConversationStore, load: Any, when: str, expected: datetime | None
) -> None:
    message = {"name": "Vera", "is_user": False, "mes": "Hm.", "send_date": when}
    head = {**SILLY_TAVERN[0], "create_date": 1700000000000}
    (chat,) = load([head, message]).added
    (said,) = store.messages.path(chat)
    assert said.created_at == (1700000000.0 if expected is None else expected.timestamp())


def test_who_speaks_in_a_group_of_sillytavern_is_named(store: ConversationStore, load: Any) -> None:
    (chat,) = load(SILLY_TAVERN_GROUP).added
    assert shown(store, chat) == [
        ("assistant", "**Vera:** You again.\n\n**Maris:** Pay."),
        ("user", "Both."),
        ("assistant", "**Vera:** Always."),
    ]
    assert store.conversations.get(chat).title == "Vera, Maris"


def test_equal_messages_of_sillytavern_without_times_all_come_in(store: ConversationStore, load: Any) -> None:
    said = [{"name": name, "is_user": name == "Ned", "mes": {"message": "ok"}} for name in ("Ned", "Vera") * 2]
    (chat,) = load([{"user_name": "Ned", "character_name": "Vera"}, *said]).added
    assert shown(store, chat) == [("user", "ok"), ("assistant", "ok")] * 2


def test_all_data_of_lobechat_come_in(store: ConversationStore, load: Any) -> None:
    report = load(LOBE_CHAT)
    abc, untitled = report.added
    answer = "<think>\nBig.\n</think>\n\nI search.\n\nLarge."
    expected = [("user", "How large is ABC?"), ("assistant", answer), ("user", "And now?"), ("assistant", "Here:")]
    assert shown(store, abc) == expected
    assert shown(store, untitled) == [("user", "tea?")]
    chats = [store.conversations.get(chat) for chat in report.added]
    assert [chat.title for chat in chats] == ["ABC", "Analyst"]
    assert [chat.system_prompt for chat in chats] == ["Be brief.", "Be brief."]
    assert chats[0].created_at == 1741157746.808
    assert store.conversations.pinned() == [abc]
    assert store.messages.path(abc)[1].source.main_model == "claude-3-7"
    # A thread branches off where it began.
    (aside,) = [message for message in store.messages.all(abc) if message.content == "Aside?"]
    assert (aside.parent_id, aside.sibling_count) == (store.messages.path(abc)[1].id, 2)
    assert report.left_out == {"tool": 2, "empty": 1, "reasoning": 1, "file": 1}
    assert load(LOBE_CHAT).unchanged == (abc, untitled)


def test_an_older_export_of_lobechat_comes_in(store: ConversationStore, load: Any) -> None:
    report = load(LOBE_CHAT_V7)
    (chat,) = report.added
    assert shown(store, chat) == [
        ("user", "hello"),
        ("assistant", "Hello!"),
        ("user", "who are you?"),
        ("assistant", "I am LLaMA."),
        ("user", "more"),
    ]
    assert store.messages.path(chat)[1].sibling_count == 2
    assert store.messages.path(chat)[1].source.main_model == "llama3"
    assert report.left_out == {"file": 1}


def test_the_first_exports_of_lobechat_come_in(store: ConversationStore, load: Any) -> None:
    report = load(LOBE_CHAT_V1)
    prisma, untitled = report.added
    assert shown(store, prisma) == [("user", "Where?"), ("assistant", "In the schema.")]
    assert shown(store, untitled) == [("user", "hi")]
    chats = [store.conversations.get(chat) for chat in report.added]
    assert [(chat.title, chat.system_prompt) for chat in chats] == [
        ("Prisma", "You know Postgres."), ("Postgres guide", "You know Postgres.")
    ]  # fmt: skip
    assert store.messages.path(prisma)[0].created_at == 1698464173.224
    assert report.left_out == {"tool": 1}


@pytest.mark.parametrize(("active", "last"), [(0, "A"), (1, "你是谁？"), (None, "你是谁？"), (9, "你是谁？")])
def test_a_chat_of_lobechat_shows_the_branch_that_was_shown(
    store: ConversationStore, load: Any, active: int | None, last: str
) -> None:
    messages = [
        {**message, "metadata": {"activeBranchIndex": active}} if message["id"] == "msg_1" else message
        for message in LOBE_CHAT_TOPIC["messages"]  # type: ignore[attr-defined]
    ]
    (chat,) = load({**LOBE_CHAT_TOPIC, "messages": messages}).added
    path = store.messages.path(chat)
    assert (path[1].sibling_count, path[-1].content) == (2, last)
    assert store.conversations.get(chat).title == "简单问候"
    assert store.conversations.get(chat).system_prompt == "Be kind."


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
