"""Files that are being read for a message, and what tells the texts of those that were read from each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from app.conversations.database.records import Attachment
from app.session.chats import Chat
from engine.documents.text.parts import Selection
from engine.files.reading_time import ReadingTime


@dataclass(eq=False)
class Reading:
    """A file that is being read for a chat, until the user removes it and so abandons its `time`."""

    name: str
    chat: Chat
    # Begins to read other parts of the file, of which the attachment has some; None for what is no file.
    read_parts: Callable[[Attachment, Selection], None] | None = None
    # What it replaces once it has been read.
    replaces: Attachment | None = None
    time: ReadingTime = field(default_factory=ReadingTime)

    @property
    def wanted(self) -> bool:
        """Whether the user has not removed it."""
        return not self.time.abandoned.is_set()


class FileText(NamedTuple):
    """Tells the text of a file from others, without keeping it in memory."""

    name: str
    hash: int

    @classmethod
    def of(cls, attachment: Attachment) -> FileText:
        return cls(attachment.name, hash(attachment.text))
