"""Other apps' chats are imported whole and once, with a report of what was left out."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.conversations.imports.imported import Skipped
from app.conversations.imports.reading import import_file
from app.conversations.store import ConversationStore
from app.system.cancelled import Cancelled
from tests.app.conversations.foreign_exports import (
    CHATGPT,
    CLAUDE,
    LLAMA_CPP,
    LM_STUDIO,
    MESSAGES,
    OPEN_WEBUI,
    OWN,
    jan_line,
    node,
    shown,
)


def test_chatgpt_branches_come_in_and_tool_calls_are_counted(store: ConversationStore, load: Any) -> None:
    report = load(CHATGPT)
    (chat,) = report.added
    assert shown(store, chat) == [
        ("user", "edited question"),
        (
            "assistant",
            "<think>\nOne and one.\n\nChecking it\n</think>\n\nLet me look.\n\n"
            "It is 2 ([book](https://e.org)), [see](https://e.org/2).",
        ),
        ("user", "what is this?"),
    ]
    (second, *_rest) = store.messages.path(chat)
    first, _ = store.messages.siblings(second.id)
    store.messages.select(first)
    assert shown(store, chat) == [("user", "원래 질문"), ("assistant", "first")]
    assert store.messages.path(chat)[1].source.main_model == "gpt-4o"
    conversation = store.conversations.get(chat)
    assert (conversation.title, conversation.updated_at) == ("Postgres", 1.7e9 + 50)
    assert conversation.archived_at is not None
    assert report.left_out == {"tool": 2, "reasoning": 1, "file": 1}


def test_claude_chats_come_in(store: ConversationStore, load: Any) -> None:
    report = load(CLAUDE)
    (chat,) = report.added
    assert shown(store, chat) == [
        ("user", "hi"),
        ("assistant", "<think>\nhm\n</think>\n\nhello\n\n**Tree**\n\n```python\nx = 1\ny = 2\n```"),
        ("user", ""),
        ("assistant", "```\nx = 3\ny = 2\n```\n\nChanged."),
        ("user", "and before?"),
        ("assistant", "<think>\nSo.\n</think>\n\nHere: **Page**\n\n```html\n<p>Hi</p>\n``` done."),
    ]
    attached = [(file.name, file.text) for message in store.messages.path(chat) for file in message.attachments]
    assert attached == [("paste.txt", "pasted text"), ("b.md", "# b")]
    assert report.left_out == {"file": 2, "tool": 1}


def test_open_webui_chats_come_in(store: ConversationStore, load: Any) -> None:
    report = load(OPEN_WEBUI)
    (chat,) = report.added
    assert shown(store, chat) == [
        ("user", "why?"),
        ("assistant", "<think>\n1 < 2\nso\n</think>\n\ntherefore <details><summary>more</summary>text</details>"),
    ]
    question, answer = store.messages.path(chat)
    assert answer.sibling_count == 2
    assert [(file.name, file.text) for file in question.attachments] == [("n.txt", "notes")]
    assert report.left_out == {"file": 1, "tool": 1}
    assert store.conversations.get(chat).system_prompt == "Be kind."
    assert store.conversations.pinned() == [chat]


def test_lm_studio_versions_become_siblings(store: ConversationStore, load: Any) -> None:
    (chat,) = load(LM_STUDIO).added
    assert shown(store, chat) == [("user", "Hey"), ("assistant", "<think>\nhm\n</think>\n\nHere."), ("user", "Good")]
    answer = store.messages.path(chat)[1]
    assert (answer.sibling_count, answer.source.main_model) == (2, "qwen")
    assert store.conversations.get(chat).created_at == 1.7e9


def test_thoughts_that_a_template_opened_are_thoughts(store: ConversationStore, tmp_path: Path) -> None:
    file = tmp_path / "messages.jsonl"
    texts = ("Hm.\n</think>\n\nA joke.", "Write `</think>` at the end.")
    lines = [jan_line(f"m{at}", ("user", "assistant")[at % 2], texts[at // 2], 1700000000 + at) for at in range(4)]
    file.write_text("\n".join(lines))
    report = import_file(lambda operation: operation(store), file)
    # The words of a person stay as they are.
    assert shown(store, report.added[0]) == [
        ("user", texts[0]),
        ("assistant", f"<think>\n{texts[0]}"),
        ("user", texts[1]),
        ("assistant", texts[1]),
    ]


def test_jan_threads_come_in_by_their_times(store: ConversationStore, tmp_path: Path) -> None:
    folder = tmp_path / "jan_1"
    folder.mkdir()
    (folder / "thread.json").write_text(json.dumps({"id": "jan_1", "title": "Jokes"}))
    answer = jan_line("m2", "assistant", "A joke.", 1700000002, thoughts="A good one?")
    several = jan_line("m4", "assistant", "<think>\nHm.\n</think>\n\nOne:\n<think>Which?</think>\nTwo.", 1700000004)
    lines = [answer, jan_line("m1", "user", "Joke?", 1700000001000)]
    lines += [several, jan_line("m3", "user", "What is <think>x</think>?", 1700000003)]
    (folder / "messages.jsonl").write_text("\n".join(lines) + "\n{broken\n")
    report = import_file(lambda operation: operation(store), folder / "messages.jsonl")
    assert shown(store, report.added[0]) == [
        ("user", "Joke?"),
        ("assistant", "<think>\nA good one?\n</think>\n\nA joke."),
        ("user", "What is <think>x</think>?"),
        ("assistant", "<think>\nHm.\n\nWhich?\n</think>\n\nOne:\n\nTwo."),
    ]
    assert report.left_out == {"unreadable": 1}
    for again in (folder / "messages.jsonl", tmp_path):
        report = import_file(lambda operation: operation(store), again)
        assert (len(report.unchanged), report.skipped) == (1, ())


def test_a_zip_file_is_read_without_unpacking(store: ConversationStore, tmp_path: Path) -> None:
    file = tmp_path / "export.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("conversations-000.json", json.dumps(CHATGPT))
        archive.writestr("conversations-001.json", "[broken")
    report = import_file(lambda operation: operation(store), file)
    assert len(report.added) == 1
    assert [(skipped.title, skipped.reason) for skipped in report.skipped] == [("conversations-001.json", "not-json")]


def test_chats_of_llama_cpps_web_ui_come_in(store: ConversationStore, load: Any) -> None:
    report = load(LLAMA_CPP)
    (chat,) = report.added
    assert shown(store, chat) == [("user", "longest?"), ("assistant", "<think>\nThe list says so.\n</think>\n\nNile")]
    question, answer = store.messages.path(chat)
    assert [(file.name, file.text) for file in question.attachments] == [("list.txt", "Nile")]
    assert (answer.sibling_count, answer.source.main_model, answer.created_at) == (2, "qwen", 1.7e9 + 2)
    assert store.conversations.get(chat).system_prompt == "Be brief."
    assert report.left_out == {"file": 1}
    assert load(LLAMA_CPP[0]).unchanged == (chat,)


def test_a_message_that_chatgpt_hides_is_left_out(store: ConversationStore, load: Any) -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    nodes = [node("u", None, "user", "about me", metadata=hidden), node("q", "u", "user", "one?")]
    mapping = {entry["id"]: entry for entry in nodes}
    (chat,) = load([{"conversation_id": "c-9", "current_node": "q", "mapping": mapping}]).added
    assert shown(store, chat) == [("user", "one?")]


def test_chats_of_llama_cpp_in_lines_come_in(store: ConversationStore, tmp_path: Path) -> None:
    old = LLAMA_CPP[0]
    session = {"harness": "llama.app", "type": "session", **old["conv"]}
    lines = [session, *({"type": "message", "message": message} for message in old["messages"])]
    other = {"type": "session", "id": "c-6", "name": "Lakes", "currNode": "b"}
    root = {"id": "a", "convId": "c-6", "type": "root", "role": "system", "content": "", "parent": None}
    answer = {"id": "b", "convId": "c-6", "type": "text", "role": "user", "content": "deepest?", "parent": "a"}
    lines += [other, *({"type": "message", "message": message} for message in (root, answer))]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    rivers, lakes = import_file(lambda operation: operation(store), path).added
    assert shown(store, rivers) == [("user", "longest?"), ("assistant", "<think>\nThe list says so.\n</think>\n\nNile")]
    assert [store.conversations.get(chat).title for chat in (rivers, lakes)] == ["Rivers", "Lakes"]
    assert shown(store, lakes) == [("user", "deepest?")]


def test_messages_of_le_chat_come_in_by_their_times(store: ConversationStore, load: Any) -> None:
    messages = [
        {"content": "", "contentChunks": [{"type": "text", "text": "Two."}], "role": "assistant", "createdAt": "4"},
        {"content": "one?", "contentChunks": None, "role": "user", "createdAt": "1"},
        {"content": "two?", "contentChunks": None, "role": "user", "createdAt": "3"},
        {"content": "One.", "contentChunks": [{"type": "text", "text": "One."}], "role": "assistant", "createdAt": "2"},
    ]
    listed = [
        {**message, "id": f"m{number}", "chatId": "c", "createdAt": f"2026-05-01T10:0{message['createdAt']}:00.000Z"}
        for number, message in enumerate(messages)
    ]
    (chat,) = load(listed).added
    assert shown(store, chat) == [("user", "one?"), ("assistant", "One."), ("user", "two?"), ("assistant", "Two.")]


def test_plain_messages_of_openai_and_ollama_come_in(store: ConversationStore, load: Any) -> None:
    report = load(MESSAGES)
    (chat,) = report.added
    noon = ("assistant", "<think>\nIt is 12.\n</think>\n\nNoon.")
    assert shown(store, chat) == [("user", "time?"), noon]
    assert store.conversations.get(chat).system_prompt == "Be brief."
    assert report.left_out == {"file": 1, "tool": 2}
    longer = [*MESSAGES, {"role": "user", "content": "Thanks."}]
    assert load({"messages": longer, "title": "Time"}).extended == (chat,)
    of_ollama = {"role": "assistant", "content": "One.", "thinking": "At night."}
    other = load({"model": "qwen3", "messages": [{"role": "user", "content": "time?"}, of_ollama]})
    assert shown(store, *other.added) == [("user", "time?"), ("assistant", "<think>\nAt night.\n</think>\n\nOne.")]
    assert store.messages.path(*other.added)[1].source.main_model == "qwen3"


def test_each_line_of_a_jsonl_file_is_a_chat_or_a_message_of_one(store: ConversationStore, tmp_path: Path) -> None:
    chats, messages = tmp_path / "chats.jsonl", tmp_path / "messages.of-one.jsonl"
    chats.write_text("\n".join(json.dumps({"messages": [{"role": "user", "content": text}]}) for text in "ab") + "\n{")
    messages.write_text("\n".join(json.dumps(message) for message in MESSAGES))
    report = import_file(lambda operation: operation(store), chats)
    assert [shown(store, chat) for chat in report.added] == [[("user", "a")], [("user", "b")]]
    assert report.skipped == (Skipped("chats.jsonl", "unreadable", "1 lines"),)
    assert len(import_file(lambda operation: operation(store), messages).added) == 1


EXPORTS = {
    "chatgpt": CHATGPT, "claude": CLAUDE, "webui": OPEN_WEBUI, "lm": LM_STUDIO, "llama.cpp": LLAMA_CPP, "list": MESSAGES
}  # fmt: skip


@pytest.mark.parametrize("data", EXPORTS.values(), ids=EXPORTS)
def test_importing_twice_changes_nothing(store: ConversationStore, load: Any, data: Any) -> None:
    added = load(data).added
    before = "\n".join(store.database.connection.iterdump())
    report = load(data)
    assert (report.added, report.unchanged, report.left_out) == ((), added, {})
    assert "\n".join(store.database.connection.iterdump()) == before


def test_a_longer_export_extends_the_chat_and_keeps_what_was_made_of_it(store: ConversationStore, load: Any) -> None:
    (chat,) = load(OPEN_WEBUI).added
    store.conversations.rename(chat, "Mine")
    mine = store.messages.add_user_turn(chat, "my own question")
    longer = json.loads(json.dumps(OPEN_WEBUI))
    messages = longer[0]["chat"]["history"]["messages"]
    messages["c"] = {"id": "c", "parentId": "a", "role": "user", "content": "and so?"}
    assert load(longer).extended == (chat,)
    assert store.messages.active_leaf(chat) == mine
    assert store.conversations.get(chat).title == "Mine"
    assert {message.content for message in store.messages.all(chat)} >= {"and so?", "my own question"}


def test_an_answer_that_was_continued_after_an_earlier_export_is_extended(store: ConversationStore, load: Any) -> None:
    good: Any = OWN["conversations"][0]  # type: ignore[index]
    question, answer = good["messages"]
    (chat,) = load(OWN).added
    mine = store.messages.add_user_turn(chat, "my own question")
    longer = answer | {"content": "So. And on.", "state": "complete", "error": None, "tokens": [], "rounds": []}
    report = load(OWN | {"conversations": [good | {"messages": [question, longer]}]})
    assert report.extended == (chat,)
    assert shown(store, chat) == [("user", "Why?"), ("assistant", "So. And on."), ("user", "my own question")]
    kept = store.messages.path(chat)[1]
    assert (kept.state, kept.error, store.messages.tokens(kept.id)) == ("complete", None, [])
    assert store.messages.active_leaf(chat) == mine
    # The older file has nothing that is not here.
    assert load(OWN).unchanged == (chat,)
    assert shown(store, chat)[1] == ("assistant", "So. And on.")


def test_a_chat_in_the_trash_stays_there(store: ConversationStore, load: Any) -> None:
    (chat,) = load(CLAUDE).added
    store.conversations.trash(chat)
    assert load(CLAUDE).skipped == (Skipped("Trees", "in-trash"),)


def test_a_title_comes_in_as_one_line(store: ConversationStore, load: Any) -> None:
    good: Any = OWN["conversations"][0]  # type: ignore[index]
    (chat,) = load(OWN | {"conversations": [good | {"title": "One\n\nline " * 4000}]}).added
    assert store.conversations.get(chat).title.startswith("One line One line")
    assert len(store.conversations.get(chat).title) <= 300


def test_an_import_that_is_stopped_keeps_whole_chats(store: ConversationStore, tmp_path: Path) -> None:
    chats = [{"uuid": f"c{n}", "name": f"c{n}", "chat_messages": [{"uuid": f"m{n}", "sender": "human", "text": "x"}]}
             for n in range(5)]  # fmt: skip
    (tmp_path / "a.json").write_text(json.dumps(chats))

    def stop(done: int) -> None:
        if done == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        import_file(lambda operation: operation(store), tmp_path / "a.json", stop)
    assert sorted(chat.title for chat in store.conversations.view()) == ["c0", "c1", "c2"]
    report = import_file(lambda operation: operation(store), tmp_path / "a.json")
    assert (len(report.unchanged), len(report.added)) == (3, 2)
