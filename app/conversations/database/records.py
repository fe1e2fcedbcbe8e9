"""Frozen records that the store returns: conversations, messages, folders, and the changes of an operation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.text.file_texts import SCAN, pages_in
from engine.methods import uses_drafter
from engine.stats import RequestStats

# The roles of messages that chats of other apps have, too; a call of a tool with its result has the role TOOL.
ROLES = ("system", "user", "assistant")
TOOL = "tool"

COMPLETE = "complete"
STREAMING = "streaming"
INTERRUPTED = "interrupted"
FAILED = "failed"
# Why an answer ended that repeats itself. It was paused; versions before these reasons show it as complete.
REPEATING = "repeating"
# The person stopped it.
STOPPED_REPEATING = "stopped-repeating"
LOOPS = (REPEATING, STOPPED_REPEATING)
# The question is beyond the Starter, as it said or as the question tells.
REFUSED = "refused"
# Another answer, in any chat, has the same text, so that drafts may be copied from it.
GIVEN_BEFORE = "given-before"
# Answers whose speed says nothing of others: their figures are in no sum.
UNCOUNTED = (*LOOPS, REFUSED, GIVEN_BEFORE)
STATES = (COMPLETE, STREAMING, INTERRUPTED, FAILED)

# The code and the arguments of an error, which the user interface words.
Error = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in the store's folder of pictures: the SHA-256 of its file in hex, and its size in pixels, upright."""

    digest: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to a user turn, or a picture in the result of a tool.

    `text` is the text of the file for the model; a picture has none (""). Models that see are also given the `inner`
    pictures of a document; of a scan, they are all that there is.
    """

    name: str
    media_type: str
    text: str
    picture: Picture | None = None
    inner: tuple[Attachment, ...] = ()

    @property
    def is_scan(self) -> bool:
        """Whether it is a document of pictures alone."""
        return SCAN in self.media_type and bool(self.inner)

    @property
    def pages(self) -> tuple[int, ...]:
        """The numbers of the pages that its inner pictures are; none if these are no pages."""
        return pages_in(self.media_type) if self.inner else ()


def attached_pictures(attachments: Iterable[Attachment | SourceFile]) -> list[Picture]:
    """Return the pictures that attachments or the files of a folder are: also the pages of scans.

    Those within other documents are not among them.
    """
    files = list(attachments)
    pages = [page for file in files if isinstance(file, Attachment) and file.is_scan for page in file.inner]
    return _pictures_of([*files, *pages])


def pictures_in(attachments: Iterable[Attachment | SourceFile]) -> list[Picture]:
    """Return the pictures among attachments and within them, or among the files of a folder."""
    files = list(attachments)
    inner = [picture for file in files if isinstance(file, Attachment) for picture in file.inner]
    return _pictures_of([*files, *inner])


def _pictures_of(attachments: Iterable[Attachment | SourceFile]) -> list[Picture]:
    return [attachment.picture for attachment in attachments if attachment.picture is not None]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One chat without its messages.

    Times are seconds since 1970 (UTC). `title_edited` says that the user chose the title, so that no automatic one may
    replace it. `pin_position` orders the pinned chats and is None for others. `streaming` says that an answer is being
    written. `origin` is set on imported chats.
    """

    id: int
    uid: str
    origin: str | None
    title: str
    title_edited: bool
    folder_id: int | None
    pin_position: int | None
    archived_at: float | None
    trashed_at: float | None
    created_at: float
    updated_at: float
    system_prompt: str
    settings: Mapping[str, Any]
    unsent: str
    unsent_attachments: tuple[Attachment, ...]
    streaming: bool


def list_order(chat: Conversation) -> tuple[bool, int, float, int]:
    """Return the sort key of lists of chats: pinned ones in their order, then the last used ones."""
    return chat.pin_position is None, chat.pin_position or 0, -chat.updated_at, -chat.id


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a folder, as it was last read.

    `text` or `picture` is its content, `size` its bytes and `changed` its time of change in ns, all of that time.
    `problem` says why it could not be read, with a reason of NotAttachable (app/text/file_texts.py); "" if it was read.
    """

    name: str
    text: str = ""
    size: int = 0
    changed: int = 0
    problem: str = ""
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A file or a folder of the disk, with the files that were read of it.

    One that was imported has no `path` ("") and is never read again. `problem` says why it could not be read again, as
    in NotAttachable, "" if it was read; else `files` keep the texts that were read before.
    """

    path: str
    is_folder: bool = False
    files: tuple[SourceFile, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Folder:
    """A named group of chats; a chat is in at most one folder.

    `closed` hides its chats in the list. Its chats begin with the files of its `sources`, then with its `instructions`,
    and new ones with its `settings`, see app/conversations/projects.py. `uid` changes with the files' texts: it names
    the caches of that.
    """

    id: int
    name: str
    position: int
    closed: bool = False
    uid: str = ""
    instructions: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """What writes an answer: both models' names, the speculation method, every setting, and a fixed seed if any."""

    main_model: str = ""
    draft_model: str = ""
    method: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """The names of the models that speculate: no draft model if the method uses none."""
        draft = self.draft_model if uses_drafter(self.method) else ""
        return self.main_model, draft


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool, which the message above it asked for; the content of its own message is the result.

    `called` is the tool's name as the model writes it, `arguments` the text of a JSON object. `permission` is what let
    it run, or not: a value of Permission in app/tools, or "". `failed` says that the tool reported an error.
    `for_person` is the part of the result that no model reads.
    """

    server: str = ""
    tool: str = ""
    called: str = ""
    call_id: str = ""
    arguments: str = "{}"
    permission: str = ""
    seconds: float = 0.0
    failed: bool = False
    for_person: str = ""

    def with_person_part(self, text: str) -> str:
        """Return the result for a person, given its text for the model."""
        return f"{text}\n{self.for_person}" if self.for_person else text


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat's tree.

    `position` is its index among the `sibling_count` messages that share its parent. `stats` and `finish_reason`
    ("stop", "length", "cancelled", "edited", one of UNCOUNTED or None) belong to the last request that wrote it. If
    `state` is "failed", `error` is the code and the arguments of the error. Only a message of a tool has a `tool_use`.
    """

    id: int
    uid: str
    conversation_id: int
    parent_id: int | None
    position: int
    sibling_count: int
    role: str
    content: str
    state: str
    created_at: float
    attachments: tuple[Attachment, ...]
    source: AnswerSource
    stats: RequestStats | None
    finish_reason: str | None
    error: Error | None
    tool_use: ToolUse | None = None


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message before it is stored, with fields of `Message`. It gets a `uid` and a `created_at` (now) by default."""

    role: str
    content: str
    uid: str = ""
    state: str = COMPLETE
    created_at: float | None = None
    attachments: tuple[Attachment, ...] = ()
    source: AnswerSource = field(default_factory=AnswerSource)
    stats: RequestStats | None = None
    finish_reason: str | None = None
    error: Error | None = None
    tool_use: ToolUse | None = None


@dataclass(slots=True)
class StoreChanges:
    """The changes of a transaction: once it is committed, views refresh these and nothing else.

    `conversations`: title, folder, order, settings, unsent message or state of these chats. `removed`: purged chats.
    `removed_uids`: uids of chats that lost any message, so that their cached prefixes must go. `folders`: the set of
    folders or their names.
    """

    conversations: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
    removed_uids: set[str] = field(default_factory=set)
    folders: bool = False

    def __bool__(self) -> bool:
        return bool(self.conversations or self.removed or self.folders)
