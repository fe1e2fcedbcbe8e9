"""A damaged byte costs one character of a text and nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from app.conversations.database.records import NewMessage
from app.conversations.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def damaged(path: Path) -> Path:
    """Write three chats of ten messages, with a 0xff byte in the second title and in that chat's fifth message."""
    store, _damaged = open_store(path)
    with store.database.write():
        for number in range(3):
            chat, parent = store.conversations.create(title=f"Titel {number} 초안"), None
            for index in range(10):
                role = "user" if index % 2 == 0 else "assistant"
                parent = store.messages.add(chat, parent, NewMessage(role, f"Nachricht {number}-{index} 토큰"))
    store.close()
    content = bytearray(path.read_bytes())
    for text in ("Titel 1 초", "Nachricht 1-4 토"):
        # Only the column itself holds the text in one piece; indexes do not.
        content[content.index(text.encode()) + len(text.encode()) - 3] = 0xFF
    path.write_bytes(bytes(content))
    return path


def test_every_chat_is_listed_and_every_message_opens(damaged: Path) -> None:
    store, aside = open_store(damaged)
    assert aside is None
    titles = sorted(chat.title for chat in store.conversations.view())
    assert titles == ["Titel 0 초안", "Titel 1 \ufffd\ufffd\ufffd안", "Titel 2 초안"]
    contents = [message.content for message in store.messages.path(2)]
    assert contents.pop(4) == "Nachricht 1-4 \ufffd\ufffd\ufffd큰"
    assert contents == [f"Nachricht 1-{index} 토큰" for index in range(10) if index != 4]
    store.close()


@pytest.mark.expects_log
def test_a_chat_with_a_damaged_title_is_renamed_edited_and_deleted(damaged: Path) -> None:
    store, _damaged = open_store(damaged)
    fifth = store.messages.path(2)[4].id
    store.run(lambda store: store.conversations.rename(2, "new"))
    store.run(lambda store: store.messages.edit(fifth, "asked again"))
    assert [hit.conversation_id for hit in store.search.titles("new")] == [2]
    assert [hit.message_id for hit in store.search.messages("nachricht 큰")] != []
    store.run(lambda store: store.conversations.purge(2))
    assert {hit.conversation_id for hit in store.search.messages("Nachricht")} == {1, 3}
    assert store.database.scalar("PRAGMA integrity_check") == "ok"
    store.close()
    assert open_store(damaged)[1] is None


def test_a_column_of_another_kind_hides_no_chat(path: Path) -> None:
    store, _damaged = open_store(path)
    chat = store.conversations.create(title="kept")
    store.messages.add_user_turn(chat, "hello")
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("index_text", 1, lambda _: "", deterministic=True)
        connection.execute("UPDATE conversations SET settings = 7, updated_at = 'x', title = x'6b65ff'")
        connection.execute("UPDATE messages SET content = x'68656cff', stats = 5, settings = x'ff'")
        connection.commit()
    store, _damaged = open_store(path)
    (listed,) = store.conversations.view()
    assert (listed.title, listed.settings, listed.updated_at) == ("ke\ufffd", {}, 0.0)
    assert [message.content for message in store.messages.path(chat)] == ["hel\ufffd"]
    store.close()
