"""Reads chats of other apps.

The tables have the names that all apps give to the fields of a chat, a message and a file, as paths of `fields`; a form
says what else an app does in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.conversations.database.records import ROLES, Attachment
from app.conversations.imports import fields
from app.conversations.imports.imported import ChatBuilder, ImportedConversation, derived_uid, replaced, with_thoughts
from app.conversations.imports.pictures import Files, picture_at

# Names of the fields of a chat.
_IDENTITY = "uuid|conversation_id|conversationId|chatID|id"
_CREATED = "created_at|createdAt|create_time|created|timestamp|inserted_at"
_UPDATED = (
    "updated_at|updatedAt|update_time|modify_time|updated|lastModified|assistantLastMessagedAt|userLastMessagedAt"
)
_SELECTED = "current_node|currentId|current_leaf_message_uuid|currNode|leaf_response_id"
_SYSTEM_PROMPT = (
    "system|systemPrompt|promptPrefix|prompt|assistants.0.instructions"
    "|systemInstruction.text|systemInstruction.parts.0.text"
)
_ANSWERED_BY = "model|default_model_slug|lastUsedModel.identifier|assistants.0.model.id"
# Names of the fields of a message.
_UID = "id|_id|uuid|messageId"
_PARENT = "parent|parentId|parentMessageId|parent_message_uuid|parent_response_id"
_ROLE = "role|sender|author.role"
_WRITTEN = "created_at|createdAt|create_time.$date.$numberLong|create_time|createTime|timestamp|inserted_at"
_MODEL = "model.name|model|modelId|model_name|metadata.model_slug|metadata.default_model_slug|senderInfo.senderName"
_PARTS = "parts|contentParts|content|content.parts|fragments"
_TEXT = "content|text|content.text|message"
_THOUGHTS = "reasoning_content|reasoningContent|reasoning|thinking|thinking_trace"
_CALLS = "tool_calls|toolCalls|calls|metadata.tool_calls"
_FILES = ("attachments", "files", "extra", "images", "pictures", "file_attachments")
# Types of parts, and names of the fields of a part and of a file. A picture has its content, or its file's name.
_THOUGHT_TYPES = ("thinking", "think", "reasoning")
_FILE_TYPES = ("image", "file", "document", "audio", "video")
_KIND = "type|content_type"
_THOUGHT = "thinking|think.value|think|text.value|text|content"
_FILE_NAME = "name|file_name|filename|file.filename|fileIdentifier"
_FILE_TEXT = "extracted_content|content|file.data.content"
_FILE_TYPE = "file_type|file.meta.content_type"
_PICTURE = "data|url|base64Url|image_url.url|image_url|file_uuid|file_name|fileIdentifier"

INSTRUCTIONS = ("system", "developer")
_ROLES = {"human": "user", "model": "assistant"}


@dataclass(slots=True)
class MessageParts:
    """The parts of a message that were read so far."""

    chat: ChatBuilder
    role: str
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)

    def take_thoughts(self, text: str, opening: str, closing: str) -> str:
        """Return a text without the thoughts between these marks."""

        def taken(thought: str) -> str:
            self.thoughts.append(thought)
            return ""

        return replaced(text, opening, closing, taken)

    def read_file(self, file: Any) -> None:
        """Add a file with a text, or a picture; others are counted."""
        if text := fields.text(file, _FILE_TEXT):
            kind = fields.text(file, _FILE_TYPE) or "text/plain"
            self.attachments.append(Attachment(fields.text(file, _FILE_NAME), kind, text))
        else:
            self.read_picture(file)

    def read_picture(self, file: Any) -> None:
        """Add a picture; any other file is counted."""
        name = fields.text(file, _FILE_NAME) or "picture"
        self.attachments += self.chat.picture(name, picture_at(file, _PICTURE, self.chat.files))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatForm:
    """The form of an app's chats. Their fields are in the objects at the paths `chat`, the first one first.

    `messages` finds the messages. One that names no parent follows the one before, unless `is_tree`; its "place" tells
    it apart if it has no id. `kinds` reads parts of messages by their types, and `finish` changes the text of all
    parts. `passes_over` returns why a message is left out: a reason of ImportedConversation, "" for one that was not
    shown, None for one that is read. A chat without an id is recognised by its first messages.
    """

    app: str
    chat: tuple[str, ...] = ("",)
    is_tree: bool = False
    first_messages: int = 1
    messages: Callable[[Any, ChatBuilder], Iterable[Any]] = lambda entry, _chat: fields.items(entry, "messages")
    kinds: Mapping[str, Callable[[MessageParts, Any], None]] = field(default_factory=dict)
    finish: Callable[[MessageParts, Any, str], str] = lambda _parts, _message, text: text
    passes_over: Callable[[Any], str | None] = lambda _message: None

    def read(self, entry: Any, files: Files) -> ImportedConversation:
        """Return one chat. The first instructions are its system prompt."""
        chat = ChatBuilder(files)
        places = [fields.mapping(entry, place) for place in reversed(self.chat)]
        head = {key: value for place in places for key, value in place.items() if value}
        system_prompt = fields.text(head, _SYSTEM_PROMPT)
        answered_by = fields.text(head, _ANSWERED_BY)
        # The messages are read one by one: some forms look at the messages that the chat has so far.
        for message in self.messages(entry, chat):
            instructions = self._add_message(message, chat, answered_by)
            system_prompt = system_prompt or instructions
        firsts = [message.uid for message in chat.messages[: self.first_messages]]
        return chat.chat(
            self.app,
            fields.identifier(head, _IDENTITY) or derived_uid(*firsts),
            chat.selected or fields.identifier(head, _SELECTED) or chat.last,
            created_at=fields.time(head, _CREATED),
            updated_at=fields.time(head, _UPDATED),
            system_prompt=system_prompt,
            archived=fields.flag(head, "is_archived|archived"),
            pinned=fields.flag(head, "pinned|starred"),
        )

    def _add_message(self, message: Any, chat: ChatBuilder, answered_by: str) -> str:
        """Add a message to the chat, or leave it out; return its text if it has instructions, else "".

        `answered_by` is the model of the chat's answers that name none.
        """
        counted = chat.left_out.total()
        uid = fields.identifier(message, _UID)
        parent = fields.identifier(message, _PARENT) or (None if self.is_tree else chat.last)
        reason = self.passes_over(message)
        if reason is not None:
            if reason:
                chat.left_out[reason] += 1
            chat.skip_message(uid, parent)
            return ""
        parts, text = self._read_message(message, chat)
        uid = uid or derived_uid(*(fields.items(message, "place") or [chat.last]), parts.role, text)
        if parts.role in INSTRUCTIONS:
            chat.skip_message(uid, parent)
            return text
        is_empty = not (text.strip() or parts.attachments)
        if parts.role in ROLES and is_empty and chat.left_out.total() > counted:
            # All that it had is counted already.
            chat.skip_message(uid, parent)
            return ""
        model = fields.text(message, _MODEL) or answered_by
        chat.add(uid, parent, parts.role, text, fields.time(message, _WRITTEN), model, parts.attachments)
        return ""

    def _read_message(self, message: Any, chat: ChatBuilder) -> tuple[MessageParts, str]:
        """Return the parts of a message, and its text with the thoughts."""
        role = fields.text(message, _ROLE).lower()
        parts = MessageParts(chat, _ROLES.get(role, role))
        parts.thoughts.append(fields.text(message, _THOUGHTS))
        for part in fields.items(message, _PARTS):
            kind = fields.text(part, "type").lower()
            if kind in self.kinds:
                self.kinds[kind](parts, part)
            elif kind in _THOUGHT_TYPES:
                parts.thoughts.append(fields.text(part, _THOUGHT))
            elif "tool" in kind:
                chat.left_out["tool"] += 1
            elif (part_text := fields.part_text(part)) is not None:
                parts.texts.append(part_text)
            elif fields.text(part, _PICTURE) or any(file_type in fields.text(part, _KIND) for file_type in _FILE_TYPES):
                # Parts of other kinds only say what the app did, as "token_budget" and "flag" of Claude do.
                parts.read_picture(part)
        for name in _FILES:
            for file in fields.items(message, name):
                parts.read_file(file)
        chat.left_out["tool"] += fields.count(message, _CALLS)
        text = "\n\n".join(filter(None, parts.texts)) or fields.text(message, _TEXT)
        return parts, with_thoughts(parts.thoughts, self.finish(parts, message, text))


def with_fields(container: object, **more: Any) -> dict[str, Any]:
    """Return an object with more fields; of another value, only these."""
    return (container if isinstance(container, dict) else {}) | more
