"""The conversation store: one open database, and the groups of its operations.

    store.conversations   the list: titles, folders, pins, archive, trash, unsent messages, settings
    store.messages        the tree: turns, edits, siblings, branches
    store.deletions       deleting messages and restoring them
    store.answers         an answer's life: started, streamed, finished, failed, interrupted, continued
    store.search          full-text search over messages and titles
    store.presets         system prompts and settings under names
    store.history         the figures of every request
    store.pictures        the files of pictures

Every operation is one transaction: when it returns, it is on disk. All operations run on one thread, which is the
`StoreThread`'s in the app.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from app.conversations.answers import Answers
from app.conversations.conversation_list import ConversationList
from app.conversations.database import Database, is_repairable
from app.conversations.deletions import Deletions
from app.conversations.errors import is_damage
from app.conversations.message_tree import MessageTree
from app.conversations.pictures import PictureFiles, Pictures, PicturesInMemory
from app.conversations.presets import Presets
from app.conversations.recovery import mark_of, mend
from app.conversations.request_history import RequestHistory
from app.conversations.search import ConversationSearch

_log = logging.getLogger(__name__)

Result = TypeVar("Result")


class ConversationStore:
    """Owns the database, and the pictures. `opening.open_store` makes one."""

    def __init__(self, database: Database, pictures: PictureFiles) -> None:
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
        self._is_beyond_mending = False
        database.on_removal = self.pictures.remove_unreferenced

    def run(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """Run an operation. If damage stops it, mend that and run it again, once for each way to mend it.

        If it cannot be mended, the next start recovers the store.
        """
        tried: list[Callable[[], None]] = []
        while True:
            commits = self.database.commits
            try:
                return operation(self)
            except sqlite3.DatabaseError as error:
                mend = next((one for one in self._mends_of(error) if one not in tried), None)
                if mend is None:
                    if tried:
                        self._note_unmended(error)
                    raise
                tried.append(mend)
                unchanged = self.database.commits == commits
                _log.warning("a part of the store is damaged and is written anew (%s)", error)
                with suppress(sqlite3.DatabaseError):
                    mend()
                # An operation that has committed something must not run twice.
                if not unchanged:
                    raise

    def _mends_of(self, error: sqlite3.DatabaseError) -> list[Callable[[], None]]:
        """Return what may mend the damage that caused an error, the likelier first."""
        if self._is_beyond_mending:
            # Trying again and again would take long.
            return []
        if is_repairable(error):
            return [self.search.rebuild]
        return [self.mend, self.search.rebuild] if is_damage(error) else []

    def _note_unmended(self, error: sqlite3.DatabaseError) -> None:
        if error.sqlite_errorname.startswith("SQLITE_CORRUPT"):
            self._is_beyond_mending = True
            with suppress(OSError):
                mark_of(self.database.path).touch()

    def mend(self) -> None:
        """Write the indexes but those of the search anew, and mend what refers to rows that are not there."""
        mend(self.database)

    def purge_trash(self) -> tuple[list[int], list[str]]:
        """Purge what is in the trash, at once or else each chat by itself.

        Returns the ids of the chats that are gone, and the titles of those that cannot be deleted.
        """
        with suppress(sqlite3.DatabaseError):
            return self.run(lambda store: store.conversations.purge_trash()), []
        purged, kept = list[int](), list[str]()
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
