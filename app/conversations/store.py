"""The conversation store: one open database, and the groups of its operations, each of which is one transaction."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from app.conversations.answers import Answers
from app.conversations.conversation_list import ConversationList
from app.conversations.database.database import Database
from app.conversations.database.errors import is_corrupt, is_damage
from app.conversations.database.recovery import mend_in_place
from app.conversations.deletions import Deletions
from app.conversations.message_tree import MessageTree
from app.conversations.pictures import Pictures, PicturesInMemory, PictureSource
from app.conversations.presets import Presets
from app.conversations.request_history import RequestHistory
from app.conversations.search import ConversationSearch

_log = logging.getLogger(__name__)

Result = TypeVar("Result")


class ConversationStore:
    """Owns the database and the pictures. `on_unmended` is called for damage that cannot be mended while it is open."""

    def __init__(
        self, database: Database, pictures: PictureSource, on_unmended: Callable[[], object] = lambda: None
    ) -> None:
        self.database = database
        self.conversations = ConversationList(database)
        self.messages = MessageTree(database, self.conversations)
        made = Pictures(database, pictures) if isinstance(pictures, Path) else PicturesInMemory(database, pictures)
        self.pictures: Pictures = made
        self.deletions = Deletions(database, self.messages, self.conversations, self.pictures)
        self.answers = Answers(database, self.messages, self.conversations)
        self.search = ConversationSearch(database)
        self.presets = Presets(database)
        self.history = RequestHistory(database)
        self._on_unmended = on_unmended
        self._unmended: set[str] = set()
        database.on_removal = self.pictures.remove_unreferenced

    def run(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """Run an operation. If damage stops it, mend that and run it again; else the next start recovers the store."""
        commits = self.database.commits
        try:
            return operation(self)
        except sqlite3.DatabaseError as error:
            if not is_damage(error) or str(error) in self._unmended:
                raise
            unchanged = self.database.commits == commits
            _log.warning("a part of the store is damaged and is written anew (%s)", error)
            self.mend()
            # An operation that has committed something must not run twice.
            if not unchanged:
                raise
        try:
            return operation(self)
        except sqlite3.DatabaseError as error:
            # Trying again and again would take long.
            self._unmended.add(str(error))
            if is_corrupt(error):
                self._on_unmended()
            raise

    def mend(self) -> None:
        """Write all indexes anew, and mend what refers to rows that are not there."""
        for mend in (partial(mend_in_place, self.database), self.search.rebuild):
            try:
                mend()
            except sqlite3.DatabaseError:
                _log.warning("the store cannot be mended", exc_info=True)
                self._on_unmended()

    def purge_trash(self) -> tuple[list[int], list[str]]:
        """Purge the trash, if need be chat by chat; return the ids of the purged, and the titles of the other chats."""
        with suppress(sqlite3.DatabaseError):
            return self.run(lambda store: store.conversations.purge_trash()), []
        purged = list[int]()
        kept = list[str]()
        for row in self.database.rows("SELECT id, title FROM conversations WHERE trashed_at IS NOT NULL"):
            try:
                self.run(lambda store, chat_id=row["id"]: store.conversations.purge(chat_id))  # type: ignore[misc]
                purged.append(row["id"])
            except sqlite3.DatabaseError:
                _log.warning("chat %d cannot be deleted", row["id"], exc_info=True)
                kept.append(row["title"])
        return purged, kept

    def close(self) -> None:
        self.database.close()
