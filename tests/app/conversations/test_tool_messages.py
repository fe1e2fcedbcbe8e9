"""Calls of tools are messages of the tree: stored, searched, copied, exported, imported, deleted and recovered."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from app.conversations.chat_settings import TOOLS_ALLOWED, TOOLS_ON
from app.conversations.database.database import connect
from app.conversations.database.records import FAILED, INTERRUPTED, TOOL, AnswerSource, ToolUse
from app.conversations.database.recovery import salvage
from app.conversations.exports.html import as_html
from app.conversations.exports.json_format import conversation_as_object, document
from app.conversations.exports.labels import Labels
from app.conversations.exports.markdown import as_markdown
from app.conversations.imports.reading import import_file
from app.conversations.opening import open_store
from engine.stats import RequestStats
from tests.app.conversations.older_versions import write_version

if TYPE_CHECKING:
    from pathlib import Path

    from app.conversations.store import ConversationStore

CLOCK = ToolUse("time", "now", "now", "call_1", '{"zone": "서울"}', "once")
ENDED = replace(CLOCK, seconds=0.5, for_person="A long log")
FILES = ToolUse("files", "read", "read", "call_2", "{}", "denied")


def answer(store: ConversationStore, parent: int, text: str) -> int:
    answer_id = store.answers.start(parent, AnswerSource(main_model="m"))
    store.answers.finish(answer_id, "stop", RequestStats(generated_tokens=1), text)
    return answer_id


def with_calls(store: ConversationStore) -> tuple[int, list[int]]:
    """A chat with a question, two calls, an answer from their results, and another question; its message ids."""
    chat = store.conversations.create(settings={TOOLS_ON: True, TOOLS_ALLOWED: ["print"]})
    question = store.messages.add_user_turn(chat, "What time is it?")
    calling = answer(store, question, "Let me look.")
    first, second = store.answers.start_calls(calling, [CLOCK, FILES])
    store.answers.end_call(first, ENDED, "It is noon in 서울.", None)
    store.answers.end_call(second, FILES, "The user denied this call.", ("tool-denied", {}))
    last = answer(store, second, "Noon.")
    following = store.messages.add_user_turn(chat, "Thanks!")
    return chat, [question, calling, first, second, last, following]


def test_calls_are_messages_of_the_path_with_what_was_called_and_found(store: ConversationStore) -> None:
    chat, ids = with_calls(store)
    path = store.messages.path(chat)
    assert [message.id for message in path] == ids == store.messages.path_ids(chat)
    assert [message.role for message in path] == ["user", "assistant", TOOL, TOOL, "assistant", "user"]
    assert (path[2].tool_use, path[2].content) == (ENDED, "It is noon in 서울.")
    assert (path[3].tool_use, path[3].state, path[3].error) == (FILES, FAILED, ("tool-denied", {}))
    assert path[0].tool_use is None
    assert [hit.message_id for hit in store.search.messages("noon 서울")] == [ids[2]]


def test_copies_have_the_calls_but_allow_no_tool(store: ConversationStore) -> None:
    chat, ids = with_calls(store)
    for copy in (store.messages.branch(ids[4]), store.messages.duplicate(chat)):
        path = store.messages.path(copy)
        assert [message.tool_use for message in path[:5]] == [m.tool_use for m in store.messages.path(chat)[:5]]
        assert store.conversations.get(copy).settings == {TOOLS_ON: True}


def test_a_deleted_question_takes_its_calls_along_and_comes_back_with_them(store: ConversationStore) -> None:
    chat, ids = with_calls(store)
    before = conversation_as_object(store, chat)
    deletion = store.deletions.delete_question(ids[0])
    assert [message.content for message in store.messages.path(chat)] == ["Thanks!"]
    store.deletions.restore(deletion)
    assert conversation_as_object(store, chat) == before


def test_json_brings_the_calls_back_but_neither_the_switch_nor_what_was_allowed(
    store: ConversationStore, tmp_path: Path
) -> None:
    chat, _ = with_calls(store)
    exported = conversation_as_object(store, chat)
    assert exported["settings"] == {TOOLS_ON: True}
    exported["settings"][TOOLS_ALLOWED] = ["print"]
    exported["uid"] = "another"
    file = tmp_path / "chats.json"
    file.write_text("".join(document([exported], 0.0)), encoding="utf-8")
    (added,) = import_file(store.run, file).added
    assert store.conversations.get(added).settings == {}
    path = store.messages.path(added)
    assert [(m.role, m.content, m.tool_use, m.error) for m in path] == [
        (m.role, m.content, m.tool_use, m.error) for m in store.messages.path(chat)
    ]


def test_a_damaged_call_in_a_file_is_read_as_far_as_it_goes(store: ConversationStore, tmp_path: Path) -> None:
    chat, _ = with_calls(store)
    exported = conversation_as_object(store, chat) | {"uid": "another"}
    exported["messages"][2]["tool_use"] = {"server": 7, "tool": "now", "failed": "yes"}
    exported["messages"][3]["tool_use"] = ["?"]
    file = tmp_path / "chats.json"
    file.write_text("".join(document([exported], 0.0)), encoding="utf-8")
    (added,) = import_file(store.run, file).added
    assert [m.tool_use for m in store.messages.path(added)][2:4] == [ToolUse(tool="now"), ToolUse()]


def test_exports_to_read_show_the_tool_its_arguments_and_its_result(store: ConversationStore) -> None:
    chat, _ = with_calls(store)
    conversation, path = store.conversations.get(chat), store.messages.path(chat)
    markdown, page = as_markdown(conversation, path, Labels(), {}), as_html(conversation, path, Labels(), {})
    for text in (markdown, page):
        assert "Tool · time · now" in text
        assert "It is noon in 서울." in text
        assert "A long log" in text
        assert "This call failed." in text
    assert '{"zone": "서울"}' in markdown
    assert "{&quot;zone&quot;: &quot;서울&quot;}" in page


def test_a_call_that_ran_when_the_app_ended_is_marked(path: Path) -> None:
    store, _ = open_store(path)
    chat = store.conversations.create()
    calling = answer(store, store.messages.add_user_turn(chat, "What time is it?"), "Let me look.")
    (call,) = store.answers.start_calls(calling, [CLOCK])
    # As after a kill: nothing is written at the end.
    store.close()
    store, _ = open_store(path)
    found = store.messages.get(call)
    assert (found.state, found.tool_use) == (INTERRUPTED, CLOCK)
    store.close()


def test_a_salvaged_store_keeps_the_calls(store: ConversationStore, path: Path, tmp_path: Path) -> None:
    _chat, ids = with_calls(store)
    store.close()
    with closing(connect(tmp_path / "new.db")) as target:
        assert salvage(path, target).complete
        rows = target.execute("SELECT tool_use FROM messages WHERE id = ?", (ids[2],)).fetchall()
    assert json.loads(rows[0][0])["tool"] == "now"


def test_version_6_keeps_ids_chunks_and_search_of_what_was_there(path: Path) -> None:
    write_version(path, 5, answers=4)
    with closing(connect(path)) as connection:
        connection.execute("UPDATE messages SET state = 'streaming', content = '' WHERE id = 5")
        connection.execute("INSERT INTO chunks VALUES (5, 0, '반쪽', x'', x'')")
        connection.execute("DELETE FROM messages WHERE id = 4")
        connection.execute("UPDATE sqlite_sequence SET seq = 9 WHERE name = 'messages'")
    store, _ = open_store(path)
    assert store.messages.get(5).state == INTERRUPTED
    assert store.messages.get(5).content == "반쪽"
    # Ids of deleted messages are not given again.
    assert store.answers.start(1, AnswerSource()) == 10
    assert [hit.message_id for hit in store.search.messages("대답 2")] == [2]
    store.conversations.purge(1)
    assert store.database.scalar("SELECT count(*) FROM messages") == 0
    store.close()
