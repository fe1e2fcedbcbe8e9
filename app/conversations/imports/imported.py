"""What readers of formats return, and the rules that make it fit the store's tree."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from app.conversations.database.records import ROLES, TOOL, AnswerSource, Attachment, NewMessage, Picture
from app.conversations.imports.pictures import Files
from app.text.picture_data import kind_of_picture
from app.text.thinking import parts_of
from engine.errors import EngineError
from engine.events import Token
from engine.model_files.thought_marks import THOUGHT_MARKS
from engine.pictures.reading import common_file, digest_of, picture_size
from engine.stats import RoundRecord

# The reason for skipping a chat that is in the trash.
IN_TRASH = "in-trash"
# The reason for skipping a chat without messages that are shown.
EMPTY = "empty"
# The reason for skipping a chat of one agent with another, and for leaving out a message of one in another chat.
OF_AGENTS = "agent"
_OPENING_OF = {closing: opening for opening, closing in THOUGHT_MARKS}
_LONE_CLOSING = re.compile(rf"^[ \t]*({'|'.join(map(re.escape, _OPENING_OF))})[ \t\r]*$", re.MULTILINE)
# The errors that a reader raises for an entry of another shape.
UNREADABLE = (AttributeError, LookupError, TypeError, ValueError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class ImportedMessage(NewMessage):
    """One message. Reading it again gives the same `uid`; `parent` is a uid or None."""

    parent: str | None = None
    tokens: tuple[Token, ...] = ()
    rounds: tuple[RoundRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """One chat, parents before children.

    `uid` identifies a chat of Tandem and `origin` a chat of another app, so that another import finds it. `selected` is
    the uid of the last message shown. `folder_start` is what Tandem's export says of its folder. `left_out` counts what
    is not imported, by reason code: "tool" (calls and their results), "reasoning" (without text), "file" (pictures that
    are lost or not usable, and other files), "role" (messages of neither a person nor a model), "agent" (messages
    between agents), "empty", "unreadable" (lines of the file). `pictures` are the files of its pictures by their
    digests.
    """

    origin: str | None
    title: str
    messages: tuple[ImportedMessage, ...]
    uid: str | None = None
    title_edited: bool = True
    created_at: float | None = None
    updated_at: float | None = None
    selected: str | None = None
    system_prompt: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    folder: str | None = None
    folder_start: Mapping[str, Any] = field(default_factory=dict)
    archived: bool = False
    pinned: bool = False
    left_out: Mapping[str, int] = field(default_factory=dict)
    pictures: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatReader:
    """Reads the chats of an app.

    `recognises` says whether an entry is a chat of the app, and `title` is the path of its title (fields.py). `read`
    gets an entry and what finds the files of the export; entries may have any shape, so it may raise any of
    `UNREADABLE`. `entries` finds the chats in a list of documents; by default, these are the chats.
    """

    recognises: Callable[[Any], bool]
    title: str
    read: Callable[[Any, Files], ImportedConversation]
    entries: Callable[[Iterable[Any]], Iterable[Any]] = iter


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the file that was not imported: its `title` or name, a reason code and details.

    Reasons: "empty" (no messages), "agent" (only messages between agents), "unreadable" (the entry has another shape),
    "in-trash" (the chat is in the trash), "unknown-format", "not-json", "too-large" (a file).
    """

    title: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import: the ids of chats that were added, extended by new messages, or unchanged, and the rest.

    `skipped` are the parts that were not imported. `left_out` counts parts of messages by the reason codes of
    ImportedConversation, over all added and extended chats.
    """

    added: tuple[int, ...] = ()
    extended: tuple[int, ...] = ()
    unchanged: tuple[int, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)


def _reason_to_leave_out(role: str, *, has_content: bool) -> str:
    """Return the reason code for a message that is left out; "" for one that is imported."""
    if role == TOOL:
        return "tool"
    if role not in ROLES:
        # One without any role is no message of anybody.
        return "role" if role and has_content else "empty"
    return "" if has_content else "empty"


def derived_uid(*parts: object) -> str:
    """Return a uid for a message without one: the same parts give the same uid."""
    return hashlib.sha256("\x1f".join(str(part) for part in parts).encode("utf-8", "replace")).hexdigest()[:32]


class ChatBuilder:
    """Takes the messages of another app's chat in the order of its file; `left_out` is as in ImportedConversation."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.left_out: Counter[str] = Counter()
        # The notes of a form while it reads the chat, and the uid of the last message shown, if the form knows that.
        self.remembered: dict[str, str] = {}
        self.selected: str | None = None
        self._pictures: dict[str, bytes] = {}
        self.messages: list[ImportedMessage] = []
        # The parents of the entries that are left out.
        self._passed_over: dict[str, str | None] = {}

    @property
    def last(self) -> str | None:
        """The uid of the last message; None before the first."""
        return self.messages[-1].uid if self.messages else None

    def add(
        self,
        uid: str,
        parent: str | None,
        role: str,
        text: str,
        written_at: float | None,
        model: str = "",
        attachments: Sequence[Attachment] = (),
    ) -> None:
        """Add a message. One whose role is none of ROLES, or with neither text nor files, is left out and counted.

        It is counted as "tool" if it is a tool's, as "role" if it is of anybody else, and else as "empty".

        `parent` is a uid, `written_at` in seconds since 1970, and `model` the name of the model that wrote an answer.
        """
        reason = _reason_to_leave_out(role, has_content=bool(text.strip() or attachments))
        if reason:
            self.left_out[reason] += 1
            self.skip_message(uid, parent)
            return
        source = AnswerSource(main_model=model if role == "assistant" else "")
        text = _with_opening(text) if role == "assistant" else text
        attached = tuple(attachments)
        self.messages.append(
            ImportedMessage(role, text, uid, created_at=written_at, source=source, parent=parent, attachments=attached)
        )

    def picture(self, name: str, content: bytes | None) -> list[Attachment]:
        """Return a picture for `add`; none, which is counted, if it is lost, no picture or not usable.

        Waits for a process that decodes the picture.
        """
        if content is not None:
            with suppress(EngineError):
                content = common_file(content)
                picture = Picture(digest_of(content), *picture_size(content))
                self._pictures[picture.digest] = content
                return [Attachment(name, f"image/{kind_of_picture(content)}", "", picture)]
        self.left_out["file"] += 1
        return []

    def skip_message(self, uid: str, parent: str | None) -> None:
        """Leave an entry out; its children move up to its parent."""
        self._passed_over[uid] = parent

    def chat(self, app: str, identity: object, selected: str | None, **more: Any) -> ImportedConversation:
        """Return the chat, which without an `identity` is recognised by its first message."""
        origin = f"{app}:{identity or derived_uid(*(message.uid for message in self.messages[:1]))}"
        chat = ImportedConversation(
            origin, "", tuple(self.messages), selected=selected, left_out=self.left_out, pictures=self._pictures, **more
        )
        return fit(chat, self._passed_over)


def with_thoughts(thoughts: Iterable[str], reply: str) -> str:
    """Return the text of an answer with these thoughts, in the marks by which the transcript shows thoughts."""
    thought = "\n\n".join(part.strip() for part in thoughts if part.strip())
    if not thought:
        return reply
    return f"<think>\n{thought.replace('</think>', '')}\n</think>\n\n{reply}".rstrip()


def _with_opening(answer: str) -> str:
    """Return an answer with the mark that opens its thoughts.

    Where a template writes that mark into the prompt, many apps keep only the closing one, on a line of its own.
    """
    lone = _LONE_CLOSING.search(answer)
    if lone is None or parts_of(answer).thought is not None:
        return answer
    opening = _OPENING_OF[lone[1]]
    has_opening = answer.find(opening, 0, lone.start()) >= 0
    return answer if has_opening else f"{opening}\n{answer}"


def replaced(text: str, opening: str, closing: str, convert: Callable[[str], str]) -> str:
    """Return a text in which `convert` has replaced each part between an opening mark and the next closing mark.

    The marks go, too. An opening mark without a closing mark stays.
    """
    parts = []
    position = 0
    while True:
        start = text.find(opening, position)
        end = text.find(closing, start + len(opening)) if start >= 0 else -1
        if end < 0:
            break
        parts += [text[position:start], convert(text[start + len(opening) : end])]
        position = end + len(closing)
    return "".join([*parts, text[position:]])


def fit(conversation: ImportedConversation, passed_over: Mapping[str, str | None]) -> ImportedConversation:
    """Return the conversation with messages that fit the store's tree.

    `passed_over` has the parents of the entries that were left out, by uid; their children move up to the nearest
    message. Messages come parents first, and unknown parents and circles are cut. Consecutive answers become one,
    because other apps write an answer with tool calls as several, and chat templates take one answer a turn.
    """
    known = {message.uid for message in conversation.messages}
    lifted = [_below(message, _nearest(message.parent, known, passed_over)) for message in conversation.messages]
    messages, joined_into = _joined(_ordered(lifted))
    selected = _nearest(conversation.selected, known, passed_over)
    if selected is not None:
        selected = joined_into.get(selected, selected)
    return replace(conversation, messages=tuple(messages), selected=selected)


def _below(message: ImportedMessage, parent: str | None) -> ImportedMessage:
    """Return the message with another parent."""
    return message if message.parent == parent else replace(message, parent=parent)


def _nearest(uid: str | None, known: set[str], passed_over: Mapping[str, str | None]) -> str | None:
    """Return the nearest known message at or above a uid; None if there is none."""
    seen: set[str] = set()
    while uid is not None and uid not in known:
        if uid in seen:
            return None
        seen.add(uid)
        uid = passed_over.get(uid)
    return uid


def _ordered(messages: Sequence[ImportedMessage]) -> list[ImportedMessage]:
    """Return the messages with parents before children. Unknown parents and circles are cut."""
    children: dict[str | None, list[ImportedMessage]] = {}
    for message in messages:
        children.setdefault(message.parent, []).append(message)
    placed: dict[str, ImportedMessage] = {}
    waiting = [*reversed(children.get(None, []))]
    unplaced = iter(messages)
    while True:
        while waiting:
            message = waiting.pop()
            placed[message.uid] = message
            waiting += [child for child in reversed(children.get(message.uid, [])) if child.uid not in placed]
        # A message that no first message leads to belongs to a circle: cut it at its first message in the file.
        in_circle = next((message for message in unplaced if message.uid not in placed), None)
        if in_circle is None:
            return list(placed.values())
        waiting = [replace(in_circle, parent=None)]


def _joined(messages: Sequence[ImportedMessage]) -> tuple[list[ImportedMessage], dict[str, str]]:
    """Join each answer with the answer that is its only follower.

    Return the messages that are left, and, by the uid of each message that is gone, the uid of the one it is in now.
    """
    followers = Counter(message.parent for message in messages)
    joined: dict[str, list[ImportedMessage]] = {}
    joined_into: dict[str, str] = {}
    for message in messages:
        parent = None if message.parent is None else joined_into.get(message.parent, message.parent)
        above = [] if parent is None else joined[parent]
        is_answer = message.role == "assistant" and followers[message.parent] == 1
        if is_answer and above and above[0].role == "assistant":
            above.append(message)
            joined_into[message.uid] = above[0].uid
        else:
            joined[message.uid] = [_below(message, parent)]
    return [_one_answer(parts) for parts in joined.values()], joined_into


def _one_answer(parts: Sequence[ImportedMessage]) -> ImportedMessage:
    """Return the message that has all of these; the thoughts come first, where they are shown as thoughts."""
    first, *others = parts
    if not others:
        return first
    texts = [parts_of(part.content) for part in parts]
    reply = "\n\n".join(text.reply for text in texts if text.reply)
    content = with_thoughts((text.thought or "" for text in texts), reply)
    attachments = tuple(file for part in parts for file in part.attachments)
    return replace(first, content=content, attachments=attachments, finish_reason=others[-1].finish_reason)
