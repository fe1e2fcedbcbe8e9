"""The conversation store: one open database, and the groups of its operations.

    store.conversations   the list: titles, folders, pins, archive, trash, unsent messages, settings
    store.messages        the tree: turns, edits, siblings, branches
    store.deletions       deleting messages and restoring them
    store.answers         the life of an answer: started, streamed, finished, failed, interrupted, continued
    store.search          full-text search over messages and titles
    store.presets         system prompts and settings under names
    store.history         the figures of every request
    store.pictures        the files of pictures

Every operation is one transaction: when it returns, it is on disk. All operations run on one thread; in the app, this
is the thread of worker.py.
"""

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
from app.conversations.database.errors import StoreNotWritable, is_corrupt, is_damage
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
    """Owns the database and the pictures. Made by `opening.open_store`.

    `on_unmended` is called for damage that cannot be mended while the database is open.
    """

    def __init__(
        self, database: Database, pictures: PictureSource, on_unmended: Callable[[], object] = lambda: None
    ) -> None:
        self.database = database
        self.conversations = ConversationList(database)
        self.messages = MessageTree(database, self.conversations)
        self.pictures = (
            Pictures(database, pictures) if isinstance(pictures, Path) else PicturesInMemory(database, pictures)
        )
        self.deletions = Deletions(database, self.messages, self.conversations, self.pictures)
        self.answers = Answers(database, self.messages, self.conversations)
        self.search = ConversationSearch(database)
        self.presets = Presets(database)
        self.history = RequestHistory(database)
        self._on_unmended = on_unmended
        # SQLite's messages for damage that mending did not remove.
        self._unmended: set[str] = set()
        database.on_removal = self.pictures.remove_unreferenced

    def run(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """Run an operation and return its result. If damage stops it, mend the store and run it once more.

        An operation that had committed something is not run again. Passes on the errors of the operation. Raises
        StoreNotWritable if the system refuses the writes that mend the store; a later call then tries again. If the
        file stays damaged for another reason, `on_unmended` is called first: the next start then recovers the store.
        """
        commits = self.database.commits
        try:
            return operation(self)
        except sqlite3.DatabaseError as error:
            if not is_damage(error) or str(error) in self._unmended:
                raise
            unchanged = self.database.commits == commits
            _log.warning("a part of the store is damaged and is written anew (%s)", error)
            refusal = self.mend()
            if refusal is not None:
                raise refusal from error
            # An operation that has committed something must not run twice.
            if not unchanged:
                raise
        try:
            return operation(self)
        except sqlite3.DatabaseError as error:
            # Mending takes long: the same damage is not mended a second time.
            self._unmended.add(str(error))
            if is_corrupt(error):
                self._on_unmended()
            raise

    def mend(self) -> StoreNotWritable | None:
        """Repair references to rows that are lost, then mend the texts and build all indexes anew.

        If damage prevents one of these two steps, `on_unmended` is called and the other step still runs. If the system
        refuses to write, on a full disk for example, the error is returned: the store can be mended later. Errors that
        are not of SQLite are passed on.
        """
        refusal: StoreNotWritable | None = None
        for mend in (partial(mend_in_place, self.database), self.search.rebuild):
            try:
                mend()
            except StoreNotWritable as error:
                _log.warning("the store cannot be mended now", exc_info=True)
                refusal = error
            except sqlite3.DatabaseError:
                _log.warning("the store cannot be mended", exc_info=True)
                self._on_unmended()
        return refusal

    def purge_trash(self) -> tuple[list[int], list[str]]:
        """Purge the trash; return the ids of the purged chats, and the titles of the chats that could not be purged.

        If damage prevents purging them all at once, each chat is purged by itself.
        """
        with suppress(sqlite3.DatabaseError):
            return self.run(lambda store: store.conversations.purge_trash()), []
        purged = list[int]()
        not_purged = list[str]()
        for row in self.database.rows("SELECT id, title FROM conversations WHERE trashed_at IS NOT NULL"):
            try:
                self.run(lambda store, chat_id=row["id"]: store.conversations.purge(chat_id))  # type: ignore[misc]
                purged.append(row["id"])
            except sqlite3.DatabaseError:
                _log.warning("chat %d cannot be deleted", row["id"], exc_info=True)
                not_purged.append(row["title"])
        return purged, not_purged

    def close(self) -> None:
        self.database.close()
