"""Pictures are kept as long as a message has them, in backups too, and are gone with the last one."""

from __future__ import annotations

import errno
import hashlib
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.conversations import backups
from app.conversations.backups import back_up_now, delete_backups, restore
from app.conversations.database.records import Attachment, Picture, Source, SourceFile
from app.conversations.database.schema import migrate
from app.conversations.opening import open_store
from app.conversations.pictures import pictures_of, remove_pictures_without

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


FILED = Source("/home/shot.png", files=(SourceFile("shot.png", size=22, changed=7, picture=SHOT.picture),))


def filed(store: ConversationStore) -> int:
    """Add the picture to a new folder, whose id is returned."""
    folder = store.conversations.create_folder("Novel")
    store.pictures.add(CONTENT)
    store.conversations.change_files(folder, lambda _: (FILED,))
    return folder


def test_a_picture_of_a_folder_goes_with_its_file_or_its_folder(store: ConversationStore) -> None:
    folder, question = filed(store), add_turn(store)
    store.conversations.purge(chat_of(store, question))
    assert store.pictures.get(DIGEST) == CONTENT
    # What else changes leaves it.
    store.conversations.change_files(folder, lambda now: (replace(now[0], problem="gone"), Source("/home/a.txt")))
    assert store.pictures.get(DIGEST) == CONTENT
    store.conversations.change_files(folder, lambda now: now[1:])
    assert files(store.pictures.folder) == []
    store.pictures.add(CONTENT)
    store.conversations.change_files(folder, lambda _: (FILED,))
    before = store.conversations.uids()
    store.pictures.add(b"another picture")
    other = replace(FILED.files[0], picture=Picture(hashlib.sha256(b"another picture").hexdigest(), 3, 2))
    store.conversations.change_files(folder, lambda _: (replace(FILED, files=(other,)),))
    assert files(store.pictures.folder) == [hashlib.sha256(b"another picture").hexdigest()]
    # The caches of the picture before go with it.
    assert store.conversations.uids() != before
    store.conversations.delete_folder(folder)
    assert files(store.pictures.folder) == []


def test_a_start_and_a_backup_keep_the_pictures_of_folders(path: Path) -> None:
    store, _damaged = open_store(path)
    folder = filed(store)
    backup = back_up_now(store, path)
    store.close()
    store, _damaged = open_store(path)
    assert store.pictures.get(DIGEST) == CONTENT
    store.conversations.delete_folder(folder)
    assert files(store.pictures.folder) == []
    store.close()
    restore(path, backup.name)
    store, _damaged = open_store(path)
    assert [one.sources for one in store.conversations.folders()] == [(FILED,)]
    assert store.pictures.get(DIGEST) == CONTENT
    store.close()


def test_a_backup_from_before_folders_had_files_keeps_no_picture_of_others(tmp_path: Path) -> None:
    backup, kept = tmp_path / "old.db", tmp_path / "pictures"
    with closing(sqlite3.connect(backup)) as connection:
        migrate(connection, to=7)
    kept.mkdir()
    (kept / DIGEST).write_bytes(CONTENT)
    remove_pictures_without([backup], kept)
    assert files(kept) == []


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
