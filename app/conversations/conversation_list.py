"""The list of chats: create, rename, folders, pins, archive, trash, unsent messages and settings."""

from __future__ import annotations

import itertools
import re
import sqlite3
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.conversations.database.database import Database
from app.conversations.database.encoding import attachments_from_json, number_of, object_from_json, text_of, to_json
from app.conversations.database.errors import NotFound
from app.conversations.database.records import Attachment, Conversation, Folder, pictures_in
from app.conversations.inserting import note_pictures
from app.conversations.projects import (
    PRESET,
    Sources,
    exported,
    files_text,
    folder_of,
    picture_files,
    preset_of,
    sources_from,
    without_path,
)

ACTIVE = "active"
ARCHIVED = "archived"
TRASHED = "trashed"
_VIEWS = {
    ACTIVE: "trashed_at IS NULL AND archived_at IS NULL",
    ARCHIVED: "trashed_at IS NULL AND archived_at IS NOT NULL",
    TRASHED: "trashed_at IS NOT NULL",
}
_NUMBERED = re.compile(r"(.+) \d+")
_SELECT_CONVERSATION = """
    SELECT *, EXISTS (
        SELECT 1 FROM messages WHERE conversation_id = conversations.id AND state = 'streaming'
    ) AS streaming
    FROM conversations"""


class ConversationList:
    """Operations on chats as a whole. They raise NotFound for an id that does not exist (any more)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        *,
        title: str = "",
        title_edited: bool = True,
        system_prompt: str = "",
        settings: Mapping[str, Any] | None = None,
        folder_id: int | None = None,
    ) -> int:
        """Create a chat without messages and return its id.

        `title_edited`: True if the user chose `title`, and automatic titles never replace it. A folder that does not
        exist (any more) counts as None.
        """
        now = self._database.clock()
        with self._database.write() as changes:
            identity = self._database.insert(
                "conversations",
                uid=str(uuid.uuid4()),
                title=title,
                title_edited=title_edited and bool(title),
                folder_id=None if self.folder(folder_id) is None else folder_id,
                created_at=now,
                updated_at=now,
                system_prompt=system_prompt,
                settings=to_json(settings or {}),
            )
            changes.conversations.add(identity)
        return identity

    def get(self, conversation_id: int) -> Conversation:
        """Return a chat. Raises NotFound."""
        row = self._database.row(f"{_SELECT_CONVERSATION} WHERE id = ?", (conversation_id,))
        if row is None:
            raise NotFound("conversation", conversation_id)
        return _conversation(row)

    def view(self, view: str = ACTIVE) -> list[Conversation]:
        """Return the chats of ACTIVE, ARCHIVED or TRASHED: pinned ones in their order, then newest first."""
        order = "pin_position IS NULL, pin_position, updated_at DESC, id DESC"
        rows = self._database.rows(f"{_SELECT_CONVERSATION} WHERE {_VIEWS[view]} ORDER BY {order}")
        return [_conversation(row) for row in rows]

    def among(self, conversation_ids: Collection[int], view: str = ACTIVE) -> list[Conversation]:
        """Return the chats of `conversation_ids` that a view lists, in no order. At most a few hundred ids."""
        marks = ", ".join("?" * len(conversation_ids))
        rows = self._database.rows(
            f"{_SELECT_CONVERSATION} WHERE {_VIEWS[view]} AND id IN ({marks})", (*conversation_ids,)
        )
        return [_conversation(row) for row in rows]

    def uids(self) -> list[str]:
        """Return the uids of all chats, those in the trash included, and of all folders."""
        rows = self._database.rows("SELECT uid FROM conversations UNION SELECT uid FROM folders")
        return [row["uid"] for row in rows]

    def ids_of(self, uids: Collection[str]) -> dict[str, int]:
        """Return the ids of the chats with these `uids` that exist and are not in the trash, by their uids.

        At most a few hundred uids.
        """
        marks = ", ".join("?" * len(uids))
        query = f"SELECT uid, id FROM conversations WHERE trashed_at IS NULL AND uid IN ({marks})"
        return {row["uid"]: row["id"] for row in self._database.rows(query, (*uids,))}

    def rename(self, conversation_id: int, title: str) -> None:
        """Set the title that the user chose; an empty one restores the automatic title."""
        title = " ".join(title.split())
        with self._database.write():
            self._update(conversation_id, title=title, title_edited=int(bool(title)))
            if not title:
                self.title_automatically(conversation_id)

    def title_automatically(self, conversation_id: int) -> None:
        """Title the chat after its first exchange, unless the user titled it.

        Without messages the title becomes empty.
        """
        if self.get(conversation_id).title_edited:
            return
        question = self._database.row(
            """
            SELECT messages.id, content, attachments
            FROM messages JOIN conversations ON conversations.id = conversation_id
            WHERE conversation_id = ? AND parent_id IS NULL
            ORDER BY messages.id = selected_root DESC LIMIT 1""",
            (conversation_id,),
        )
        if question is None:
            self._update(conversation_id, title="")
            return
        answer = self._database.scalar(
            "SELECT content FROM messages WHERE parent_id = ? ORDER BY position DESC LIMIT 1", (question["id"],)
        )
        files = attachments_from_json(question["attachments"])
        self._update(conversation_id, title=_title_of(question["content"], files, answer or ""))

    def title_after(self, conversation_id: int, question: str, attachments: Sequence[Attachment] = ()) -> None:
        """Title a chat without messages after a question that waits in it, unless the user titled it."""
        if not self.get(conversation_id).title_edited:
            self._update(conversation_id, title=_title_of(question, attachments))

    def title_of_copy(self, conversation_id: int) -> str | None:
        """Return a title for a copy: the chat's own with the first number that no other chat has, as in "Drafts 2".

        None if the chat has no title.
        """
        if not (title := self.get(conversation_id).title):
            return None
        rows = self._database.rows("SELECT title FROM conversations WHERE trashed_at IS NULL")
        taken = {row["title"] for row in rows}
        numbered = _NUMBERED.fullmatch(title)
        base = numbered[1] if numbered and numbered[1] in taken else title
        return next(copy for number in itertools.count(2) if (copy := f"{base} {number}") not in taken)

    def set_unsent(self, conversation_id: int, text: str, attachments: Iterable[Attachment] = ()) -> None:
        """Store the unsent message with its attachments. It does not count as a use of the chat."""
        files = [*attachments]
        self._update(conversation_id, draft=text, draft_attachments=to_json(files))
        note_pictures(self._database, files)

    def set_system_prompt(self, conversation_id: int, text: str) -> None:
        self._update(conversation_id, system_prompt=text)

    def set_settings(self, conversation_id: int, settings: Mapping[str, Any]) -> None:
        self._update(conversation_id, settings=to_json(settings))

    def archive(self, conversation_id: int) -> None:
        self._update(conversation_id, archived_at=self._database.clock())

    def unarchive(self, conversation_id: int) -> None:
        self._update(conversation_id, archived_at=None)

    def trash(self, conversation_id: int) -> None:
        """Move to the trash; `restore` brings it back with its pin, folder and archive."""
        self._update(conversation_id, trashed_at=self._database.clock())

    def restore(self, conversation_id: int) -> None:
        """Move a chat out of the trash. A chat that is not in the trash stays as it is."""
        if self.get(conversation_id).trashed_at is not None:
            self._update(conversation_id, trashed_at=None)

    def purge(self, conversation_id: int) -> None:
        """Delete a chat for good, with its messages, token views and figures.

        Its uid is reported, so that its cached prefixes and its part of the index of answers go, too.
        """
        with self._database.write() as changes:
            uid = self.get(conversation_id).uid
            self._database.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))
            changes.removed.add(conversation_id)
            changes.removed_uids.add(uid)

    def purge_trash(self) -> list[int]:
        """Purge all chats that are in the trash, in one transaction, and return their ids."""
        purged = self._database.ids("SELECT id FROM conversations WHERE trashed_at IS NOT NULL")
        with self._database.write():
            for conversation_id in purged:
                self.purge(conversation_id)
        return purged

    def pin(self, conversation_id: int, position: int | None = None) -> None:
        """Pin the chat at that position among the pinned ones (None: the last), or move its pin there."""
        order = [pinned for pinned in self.pinned() if pinned != conversation_id]
        order.insert(len(order) if position is None else position, conversation_id)
        self.order_pins(order)

    def unpin(self, conversation_id: int) -> None:
        self._update(conversation_id, pin_position=None)

    def pinned(self) -> list[int]:
        """Return the ids of the pinned chats in their order, archived and trashed ones included."""
        return self._database.ids("SELECT id FROM conversations WHERE pin_position IS NOT NULL ORDER BY pin_position")

    def order_pins(self, conversation_ids: Sequence[int]) -> None:
        """Pin these chats in this order. Pinned ones in the archive or the trash keep their positions."""
        order = list(conversation_ids)
        for position, conversation_id in enumerate(self.pinned()):
            if conversation_id not in conversation_ids:
                order.insert(position, conversation_id)
        with self._database.write():
            for position, conversation_id in enumerate(order):
                self._update(conversation_id, pin_position=position)

    def folders(self) -> list[Folder]:
        return [folder_of(row) for row in self._database.rows("SELECT * FROM folders ORDER BY position, id")]

    def folder(self, folder_id: int | None) -> Folder | None:
        """Return a folder; None if it does not exist (any more)."""
        row = self._database.row("SELECT * FROM folders WHERE id = ?", (folder_id,))
        return None if row is None else folder_of(row)

    def create_folder(self, name: str) -> int:
        """Return the id of the folder of that name, which is created at the end of the list if need be."""
        name = " ".join(name.split())
        with self._database.write() as changes:
            existing: int | None = self._database.scalar("SELECT id FROM folders WHERE name = ?", (name,))
            if existing is not None:
                return existing
            changes.folders = True
            last = self._database.scalar("SELECT max(position) FROM folders")
            position = 0 if last is None else last + 1
            return self._database.insert("folders", name=name, position=position, uid=str(uuid.uuid4()))

    def rename_folder(self, folder_id: int, name: str) -> None:
        """Rename a folder. If another one has that name already, move its chats there and delete it.

        A folder whose chats begin with something of its own (files, instructions, a preset) keeps its old name then:
        nothing of it is lost. Raises NotFound.
        """
        name = " ".join(name.split())
        with self._database.write() as changes:
            changes.folders = True
            other = self._database.scalar("SELECT id FROM folders WHERE name = ? AND id <> ?", (name, folder_id))
            if other is not None:
                if exported(self.folder(folder_id)):
                    return
                for conversation_id in self._in_folder(folder_id):
                    self._update(conversation_id, folder_id=other)
                self._database.execute("DELETE FROM folders WHERE id = ?", (folder_id,))
                return
            if not self._database.update("folders", folder_id, name=name):
                raise NotFound("folder", folder_id)

    def delete_folder(self, folder_id: int) -> None:
        """Delete a folder; its chats stay, in no folder, and the caches of its files go. Raises NotFound."""
        with self._database.write() as changes:
            changes.folders = True
            changes.removed_uids.update(folder.uid for folder in self.folders() if folder.id == folder_id)
            changes.conversations.update(self._in_folder(folder_id))
            if not self._database.execute("DELETE FROM folders WHERE id = ?", (folder_id,)).rowcount:
                raise NotFound("folder", folder_id)

    def close_folder(self, folder_id: int, closed: bool) -> None:
        """Hide or show the chats of a folder in the list."""
        self._update_folder(folder_id, closed=closed)

    def set_instructions(self, folder_id: int, text: str) -> None:
        self._update_folder(folder_id, instructions=text)

    def set_start(self, folder_id: int, key: str, value: object) -> None:
        """Set one key of what new chats of the folder begin with; None: they begin with what other chats have."""
        if (folder := self.folder(folder_id)) is not None:
            settings = {name: stored for name, stored in folder.settings.items() if name != key}
            self._update_folder(folder_id, settings=to_json(settings if value is None else {**settings, key: value}))

    def change_files(self, folder_id: int, change: Callable[[Sources], Sources]) -> None:
        """Replace the files of a folder by what `change` makes of them.

        If their content changes, the folder gets a new uid and the old one is reported, so that the caches of the old
        content go.
        """
        with self._database.write() as changes:
            if (folder := self.folder(folder_id)) is None:
                return
            sources = change(folder.sources)
            uid = folder.uid
            pictures_before = picture_files(folder)
            pictures = picture_files(replace(folder, sources=sources))
            note_pictures(self._database, pictures)
            text_changed = files_text(sources) != files_text(folder.sources)
            if text_changed or pictures_in(pictures) != pictures_in(pictures_before):
                changes.removed_uids.add(uid)
                uid = str(uuid.uuid4())
            self._update_folder(folder_id, files=to_json(sources), uid=uid)

    def begin_as_imported(self, folder_id: int, value: Mapping[str, Any]) -> None:
        """Set a folder's instructions, files and preset from an export, unless it has some of its own already.

        Its files get no path, so that nothing of the disk is read because of an import.
        """
        if (folder := self.folder(folder_id)) is None or folder.instructions or folder.settings or folder.sources:
            return
        self.set_instructions(folder_id, text_of(value.get("instructions")))
        self.set_start(folder_id, PRESET, preset_of(replace(folder, settings=value)))
        files = tuple(map(without_path, sources_from(to_json(value.get("files")))))
        self.change_files(folder_id, lambda _: files)

    def order_folders(self, folder_ids: Sequence[int]) -> None:
        """Put the folders into this order; one that is not named keeps its position."""
        with self._database.write() as changes:
            changes.folders = True
            for position, folder_id in enumerate(folder_ids):
                self._database.update("folders", folder_id, position=position)

    def move_to_folder(self, conversation_id: int, folder_id: int | None) -> None:
        """Move a chat into a folder, or into none. Raises NotFound if the folder or the chat does not exist."""
        with self._database.write():
            if folder_id is not None and not self._database.row("SELECT 1 FROM folders WHERE id = ?", (folder_id,)):
                raise NotFound("folder", folder_id)
            self._update(conversation_id, folder_id=folder_id)

    def _update_folder(self, folder_id: int, **values: object) -> None:
        """Set columns of one folder. Their names are constants of this module, never input."""
        with self._database.write() as changes:
            changes.folders = True
            self._database.update("folders", folder_id, **values)

    def _in_folder(self, folder_id: int) -> list[int]:
        return self._database.ids("SELECT id FROM conversations WHERE folder_id = ?", (folder_id,))

    def _update(self, conversation_id: int, **values: object) -> None:
        """Set columns of one chat. Their names are constants of this module, never input. Raises NotFound."""
        with self._database.write() as changes:
            if not self._database.update("conversations", conversation_id, **values):
                raise NotFound("conversation", conversation_id)
            changes.conversations.add(conversation_id)


def _title_of(question: str, attachments: Sequence[Attachment], answer: str = "") -> str:
    """Return the title of a chat that begins with this exchange."""
    # These load the parser of Markdown, which the first paint does not need.
    from app.conversations.titles import title_of_exchange, title_of_file

    if attachments and not question:
        return title_of_file(attachments[0].name)
    return title_of_exchange(question, answer)


def _conversation(row: sqlite3.Row) -> Conversation:
    """Return the chat in a row of `_SELECT_CONVERSATION`; what damage made unreadable becomes empty."""
    return Conversation(
        id=row["id"],
        uid=text_of(row["uid"]),
        origin=row["origin"],
        title=text_of(row["title"]),
        title_edited=bool(row["title_edited"]),
        folder_id=row["folder_id"],
        pin_position=row["pin_position"],
        archived_at=row["archived_at"],
        trashed_at=row["trashed_at"],
        created_at=number_of(row["created_at"]),
        updated_at=number_of(row["updated_at"]),
        system_prompt=text_of(row["system_prompt"]),
        settings=object_from_json(row["settings"]),
        unsent=text_of(row["draft"]),
        unsent_attachments=attachments_from_json(row["draft_attachments"]),
        streaming=bool(row["streaming"]),
    )
