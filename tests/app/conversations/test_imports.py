"""Other apps' chats come in whole, once, and with a word about what did not."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.conversations.encoding import to_json
from app.conversations.exports.json_format import conversation_as_object
from app.conversations.exports.labels import Labels
from app.conversations.exports.markdown import as_markdown
from app.conversations.grouping import grouped
from app.conversations.imports import json_steps
from app.conversations.imports.imported import ImportReport, Skipped
from app.conversations.imports.reading import import_file
from app.session.chats import chat_of
from app.session.store_client import last_on_screen
from app.system.cancelled import Cancelled
from app.wording import errors as wording
from app.wording import figures

if TYPE_CHECKING:
    from pathlib import Path

    from app.conversations.store import ConversationStore


def node(uid: str, parent: str | None, role: str = "", text: str = "", **fields: Any) -> dict[str, Any]:
    message = None
    if role:
        content = fields.pop("content", {"content_type": "text", "parts": [text]})
        message = {"id": uid, "author": {"role": role}, "content": content, "create_time": 1.7e9, **fields}
    return {"id": uid, "parent": parent, "children": [], "message": message}


CHATGPT = [
    {
        "conversation_id": "c-1",
        "title": "Postgres",
        "create_time": 1.7e9,
        "update_time": 1.7e9 + 50,
        "current_node": "a4",
        "is_archived": True,
        "mapping": {
            entry["id"]: entry
            for entry in [
                node("root", None),
                node("sys", "root", "system", ""),
                node("u1", "sys", "user", "원래 질문"),
                node("a1", "u1", "assistant", "first", metadata={"model_slug": "gpt-4o"}),
                node("u2", "sys", "user", "edited question"),
                node("a2", "u2", "assistant", "Let me look.", metadata={"model_slug": "gpt-4o"}),
                node("call", "a2", "assistant", recipient="python", content={"content_type": "code", "text": "1+1"}),
                node("tool", "call", "tool", "2"),
                node("thoughts", "tool", "assistant", content={"content_type": "thoughts", "thoughts": []}),
                node("a4", "thoughts", "assistant", "It is 2."),
                node("img", "a4", "user", content={
                    "content_type": "multimodal_text",
                    "parts": [{"content_type": "image_asset_pointer"}, "what is this?"],
                }),
            ]
        },
    }
]  # fmt: skip
CLAUDE = [
    {
        "uuid": "c-2",
        "name": "Trees",
        "created_at": "2024-05-01T10:00:00.000000Z",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "hi", "created_at": "2024-05-01T10:00:01Z", "files": [{}]},
            {"uuid": "m2", "sender": "assistant", "text": "old", "content": [
                {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hello"}]},
        ],
    }
]  # fmt: skip
OPEN_WEBUI = [
    {
        "id": "c-3",
        "title": "Ethics",
        "created_at": 1744577557,
        "updated_at": 1744577600,
        "pinned": True,
        "chat": {
            "params": {"system": "Be kind."},
            "history": {
                "currentId": "b",
                "messages": {
                    "q": {
                        "id": "q",
                        "parentId": None,
                        "childrenIds": ["a", "b"],
                        "role": "user",
                        "content": "why?",
                    },
                    "a": {
                        "id": "a",
                        "parentId": "q",
                        "role": "assistant",
                        "content": "because",
                        "model": "m1",
                    },
                    "b": {
                        "id": "b",
                        "parentId": "q",
                        "role": "assistant",
                        "content": "therefore",
                        "model": "m2",
                    },
                },
            },
        },
    }
]
LM_STUDIO = {
    "name": "Local",
    "createdAt": 1700000000000,
    "systemPrompt": "Short.",
    "messages": [
        {"currentlySelected": 0, "versions": [
            {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "Hey"}]}]},
        {"currentlySelected": 1, "versions": [
            {"type": "multiStep", "role": "assistant", "steps": [
                {"type": "contentBlock", "content": [{"type": "text", "text": "Yes."}]}]},
            {"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "qwen"}, "steps": [
                {"type": "contentBlock", "style": {"type": "thinking"}, "content": [{"type": "text", "text": "hm"}]},
                {"type": "contentBlock", "content": [{"type": "text", "text": "Here."}]},
                {"type": "debugInfoBlock"}]}]},
        {"currentlySelected": 0, "versions": [
            {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "Good"}]}]},
    ],
}  # fmt: skip


def jan_line(uid: str, role: str, text: str, when: int) -> str:
    content = [{"type": "text", "text": {"value": text, "annotations": []}}]
    return json.dumps({"object": "thread.message", "id": uid, "role": role, "content": content, "created_at": when})


@pytest.fixture
def load(store: ConversationStore, tmp_path: Path) -> Any:
    def load(data: Any) -> ImportReport:
        file = tmp_path / "export.json"
        file.write_text(json.dumps(data))
        return import_file(lambda operation: operation(store), file)

    return load


def shown(store: ConversationStore, chat: int) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in store.messages.path(chat)]


def test_chatgpt_branches_come_in_and_tool_calls_are_counted(store: ConversationStore, load: Any) -> None:
    report = load(CHATGPT)
    (chat,) = report.added
    assert shown(store, chat) == [
        ("user", "edited question"),
        ("assistant", "Let me look.\n\nIt is 2."),
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
    assert shown(store, report.added[0]) == [("user", "hi"), ("assistant", "hello")]
    assert report.left_out == {"file": 1, "reasoning": 1}


def test_open_webui_chats_come_in(store: ConversationStore, load: Any) -> None:
    (chat,) = load(OPEN_WEBUI).added
    assert shown(store, chat) == [("user", "why?"), ("assistant", "therefore")]
    assert store.messages.path(chat)[1].sibling_count == 2
    assert store.conversations.get(chat).system_prompt == "Be kind."
    assert store.conversations.pinned() == [chat]


def test_lm_studio_versions_become_siblings(store: ConversationStore, load: Any) -> None:
    (chat,) = load(LM_STUDIO).added
    assert shown(store, chat) == [
        ("user", "Hey"),
        ("assistant", "<think>\nhm\n</think>\n\nHere."),
        ("user", "Good"),
    ]
    answer = store.messages.path(chat)[1]
    assert (answer.sibling_count, answer.source.main_model) == (2, "qwen")
    assert store.conversations.get(chat).created_at == 1.7e9


def test_jan_threads_come_in_by_their_times(store: ConversationStore, tmp_path: Path) -> None:
    folder = tmp_path / "jan_1"
    folder.mkdir()
    (folder / "thread.json").write_text(json.dumps({"id": "jan_1", "title": "Jokes"}))
    lines = [
        jan_line("m2", "assistant", "A joke.", 1700000002),
        jan_line("m1", "user", "Joke?", 1700000001000),
    ]
    (folder / "messages.jsonl").write_text("\n".join(lines) + "\n{broken\n")
    report = import_file(lambda operation: operation(store), folder)
    assert shown(store, report.added[0]) == [("user", "Joke?"), ("assistant", "A joke.")]
    assert import_file(lambda operation: operation(store), folder / "messages.jsonl").unchanged == report.added


def test_lines_of_a_jan_thread_that_cannot_be_read_are_counted(store: ConversationStore, tmp_path: Path) -> None:
    thread = tmp_path / "thread"
    thread.mkdir()
    lines = [jan_line("m1", "user", "hi", 1), '{"id": "m2", "role": "assis', jan_line("m3", "user", "there", 3)]
    (thread / "messages.jsonl").write_text("\n".join(lines))
    report = import_file(lambda operation: operation(store), thread)
    assert shown(store, report.added[0]) == [("user", "hi"), ("user", "there")]
    assert report.left_out == {"unreadable": 1}


def test_a_zip_file_is_read_without_unpacking(store: ConversationStore, tmp_path: Path) -> None:
    file = tmp_path / "export.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("conversations-000.json", json.dumps(CHATGPT))
        archive.writestr("conversations-001.json", "[broken")
    report = import_file(lambda operation: operation(store), file)
    assert len(report.added) == 1
    assert [(skipped.title, skipped.reason) for skipped in report.skipped] == [("conversations-001.json", "not-json")]


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


@pytest.mark.parametrize("data", [CHATGPT, CLAUDE, OPEN_WEBUI, LM_STUDIO], ids=["chatgpt", "claude", "webui", "lm"])
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


@pytest.mark.parametrize("text", ["", "[", "{}", "[]", "[1, null]", '{"messages": 3}', "[" * 100_000, '"\\ud800"'])
def test_what_is_no_export_is_reported(store: ConversationStore, tmp_path: Path, text: str) -> None:
    file = tmp_path / "export.json"
    file.write_text(text)
    report = import_file(lambda operation: operation(store), file)
    assert [skipped.reason for skipped in report.skipped] in (["unknown-format"], ["not-json"])


def test_circles_and_unknown_parents_are_cut(store: ConversationStore, load: Any) -> None:
    circle = {
        "a": node("a", "b", "user", "A"),
        "b": node("b", "a", "assistant", "B"),
        "c": node("c", "x", "user", "C"),
    }
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


@settings(max_examples=60)
@given(st.data(), st.sampled_from([CHATGPT, CLAUDE, OPEN_WEBUI, LM_STUDIO]))
def test_damaged_exports_never_raise(store: ConversationStore, load: Any, data: st.DataObject, export: Any) -> None:
    load(mutated(export, data.draw))
    assert store.database.rows("PRAGMA foreign_key_check") == []


OWN = {
    "format": "tandem-conversations",
    "version": 1,
    "conversations": [
        {
            "uid": "c",
            "title": "Own",
            "created_at": 1.7e9,
            "updated_at": 1.7e9,
            "selected": "a",
            "settings": {"opened_at": 1.7e9, "place": [0, 12], "own": {"temperature": 0.5}},
            "messages": [
                {"uid": "q", "parent": None, "role": "user", "content": "Why?", "created_at": 1.7e9},
                {
                    "uid": "a",
                    "parent": "q",
                    "role": "assistant",
                    "content": "So.",
                    "state": "failed",
                    "created_at": 1.7e9,
                    "error": {"code": "prompt-too-long", "arguments": {"tokens": "9", "limit": "8"}},
                    "stats": {
                        "generated_tokens": 4,
                        "decode_tps": 2.5,
                        "main": "m",
                        "plain_spans": [{"tokens": 4, "reason": "off", "arguments": [["kind", "x"]]}],
                    },
                    "tokens": [[1, "So", "draft", 0, 0, -0.5], [2, ".", "main", 1, 0, None]],
                    "rounds": [
                        [0, "main", 0, 0, 1, 1, 0.1, 0.0, 0.1, 0.0, "first-token", []],
                        [1, "draft", 2, 1, 2, 3, 0.2, 0.1, 0.1, 0.0, "", [["plain_ms", 2.0]]],
                    ],
                },
            ],
        }
    ],
}


@settings(max_examples=40)
@given(st.data(), st.sampled_from([OWN, CHATGPT, CLAUDE, OPEN_WEBUI, LM_STUDIO]))
def test_whatever_came_in_can_be_listed_shown_and_exported(
    store: ConversationStore, load: Any, data: st.DataObject, export: Any
) -> None:
    load(mutated(export, data.draw))
    chats = store.conversations.view()
    grouped(chats, store.database.clock())
    last_on_screen(store)
    for conversation in chats:
        path = store.messages.path(conversation.id)
        chat = chat_of(conversation, path)
        assert chat.read_position is None or chat.read_position[0] >= 0
        for turn in chat.turns:
            figures.foot(turn.answer)
            figures.why(turn.answer)
            if turn.answer_node.id is not None:
                messages = store.messages
                turn.answer.take_stored(messages.tokens(turn.answer_node.id), messages.rounds(turn.answer_node.id))
                figures.sentence(turn.answer)
                figures.depth_text(turn.answer)
            if turn.answer.error is not None:
                assert wording.error_sentence(turn.answer.error)
        as_markdown(conversation, path, Labels())
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


def test_a_title_comes_in_as_one_line(store: ConversationStore, load: Any) -> None:
    good: Any = OWN["conversations"][0]  # type: ignore[index]
    (chat,) = load(OWN | {"conversations": [good | {"title": "One\n\nline " * 4000}]}).added
    assert store.conversations.get(chat).title.startswith("One line One line")
    assert len(store.conversations.get(chat).title) <= 300


def read_in_steps(text: str) -> Any:
    value = json_steps.parse(text, lambda: None)
    return list(value) if isinstance(value, json_steps.Items) else value


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(value=JSON_VALUES, indent=st.sampled_from([None, 1]))
def test_json_read_in_steps_is_what_it_is_in_one_go(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert read_in_steps(text) == json.loads(text)


@given(text=st.text(alphabet='[]{},: "01atrue\\', max_size=12))
def test_what_is_no_json_is_none_in_steps_either(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011
            json_steps.parse(text, lambda: None)
    else:
        assert read_in_steps(text) == expected


def test_json_is_read_one_chat_a_step() -> None:
    for text in ('[{"a": [1, 2]}, 2, 3]', '{"version": 1, "conversations": [1, [2], {}], "other": {"x": [1, 2]}}'):
        steps: list[None] = []
        json_steps.parse(text, lambda steps=steps: steps.append(None))  # type: ignore[misc]
        assert len(steps) == 3


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
