"""Pictures are kept as long as a message has them, in backups too, and are gone with the last one."""

from __future__ import annotations

import errno
import hashlib
from typing import TYPE_CHECKING

import pytest

from app.conversations import backups
from app.conversations.backups import back_up_now, delete_backups, restore
from app.conversations.opening import open_store
from app.conversations.pictures import pictures_of
from app.conversations.records import Attachment, Picture

if TYPE_CHECKING:
    from pathlib import Path

    from app.conversations.store import ConversationStore

CONTENT = b"the bytes of a picture"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
SHOT = Attachment("shot.png", "image/png", "", Picture(DIGEST, 3, 2))


def add_turn(store: ConversationStore, text: str = "what is this?") -> int:
    """Ask about the picture in a new chat; return the question's id."""
    assert store.pictures.add(CONTENT) == DIGEST
    return store.messages.add_user_turn(store.conversations.create(), text, [SHOT])


def chat_of(store: ConversationStore, message: int) -> int:
    return store.messages.get(message).conversation_id


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


def test_a_picture_goes_with_the_last_chat_that_has_it(store: ConversationStore) -> None:
    question = add_turn(store)
    edited = store.messages.edit(question, "and this?")
    assert store.messages.get(edited).attachments == (SHOT,)
    copy = store.messages.branch(edited)
    store.conversations.trash(copy)
    store.conversations.purge(chat_of(store, question))
    assert store.pictures.get(DIGEST) == CONTENT
    store.conversations.purge_trash()
    assert files(store.pictures.folder) == []


def test_a_deleted_message_takes_its_picture_along_and_brings_it_back(store: ConversationStore) -> None:
    question = add_turn(store)
    deletion = store.deletions.delete_question(question)
    assert files(store.pictures.folder) == []
    store.deletions.restore(deletion)
    assert store.pictures.get(store.messages.get(question).attachments[0].picture.digest) == CONTENT  # type: ignore[union-attr]
    store.conversations.purge(chat_of(store, question))
    assert files(store.pictures.folder) == []


def test_a_picture_that_no_row_has_yet_survives_the_end_of_another_chat(store: ConversationStore) -> None:
    other = add_turn(store)
    store.pictures.add(CONTENT)
    store.conversations.purge(chat_of(store, other))
    chat = store.conversations.create()
    store.conversations.set_unsent(chat, "", [SHOT])
    assert store.pictures.get(DIGEST) == CONTENT
    store.conversations.purge(chat)
    assert files(store.pictures.folder) == []


def test_the_next_start_removes_what_a_kill_left_and_keeps_an_unsent_picture(path: Path) -> None:
    store, _damaged = open_store(path)
    store.pictures.add(b"another picture")
    (store.pictures.folder / ".half.1234.partial").write_bytes(b"ha")
    store.pictures.add(CONTENT)
    store.conversations.set_unsent(store.conversations.create(), "", [SHOT])
    store.close()
    store, _damaged = open_store(path)
    assert files(store.pictures.folder) == [DIGEST]
    assert (store.pictures.folder / DIGEST).stat().st_mode & 0o077 == 0
    store.close()


def test_a_damaged_file_beside_the_store_keeps_all_pictures(path: Path) -> None:
    store, _damaged = open_store(path)
    chat = chat_of(store, add_turn(store))
    store.pictures.add(b"another picture")
    store.close()
    path.with_name("conversations-damaged-2026.db").write_bytes(b"")
    store, _damaged = open_store(path)
    store.conversations.purge(chat)
    assert files(store.pictures.folder) == [hashlib.sha256(b"another picture").hexdigest()]
    store.close()


@pytest.mark.parametrize("links", [True, False])
def test_a_backup_has_the_pictures_of_its_chats(path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    if not links:
        monkeypatch.setattr("os.link", lambda *_: (_ for _ in ()).throw(OSError(errno.EPERM, "no links")))
    store, _damaged = open_store(path)
    question = add_turn(store)
    backup = back_up_now(store, path)
    store.conversations.purge(chat_of(store, question))
    assert files(store.pictures.folder) == []
    store.close()
    restore(path, backup.name)
    store, _damaged = open_store(path)
    assert store.messages.get(question).attachments == (SHOT,)
    assert store.pictures.get(DIGEST) == CONTENT
    store.close()
    delete_backups(path)
    assert files(path.parent / "backups" / "pictures") == []
    assert files(pictures_of(path)) == [DIGEST]


def test_the_oldest_backup_takes_its_pictures_along(
    store: ConversationStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "BACKUPS_KEPT", 1)
    question = add_turn(store)
    back_up_now(store, path)
    store.conversations.purge(chat_of(store, question))
    assert files(path.parent / "backups" / "pictures") == [DIGEST]
    back_up_now(store, path)
    assert files(path.parent / "backups" / "pictures") == []


def test_a_damaged_picture_is_missing_until_it_is_attached_again(store: ConversationStore) -> None:
    add_turn(store)
    (store.pictures.folder / DIGEST).write_bytes(b"rot")
    assert store.pictures.get(DIGEST) is None
    add_turn(store)
    assert store.pictures.get(DIGEST) == CONTENT
