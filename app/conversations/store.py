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
from pathlib import Path
from typing import TypeVar

from app.conversations.answers import Answers
from app.conversations.conversation_list import ConversationList
from app.conversations.database import Database, is_repairable
from app.conversations.deletions import Deletions
from app.conversations.message_tree import MessageTree
from app.conversations.pictures import PictureFiles, Pictures, PicturesInMemory
from app.conversations.presets import Presets
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
        database.on_removal = self.pictures.remove_unreferenced

    def run(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """Run an operation. If a damaged text or search index stops it, repair that and run it once more."""
        commits = self.database.commits
        try:
            return operation(self)
        except sqlite3.DatabaseError as error:
            if not is_repairable(error):
                raise
            _log.warning("a text or the search index is damaged and is written anew")
            unchanged = self.database.commits == commits
            self.search.rebuild()
            # An operation that has committed something must not run twice.
            if not unchanged:
                raise
        return operation(self)

    def close(self) -> None:
        self.database.close()
