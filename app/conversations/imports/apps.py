"""Reads the chats of apps that need little more than a table: Open WebUI, Jan, llama.cpp's web UI, LibreChat,
AnythingLLM, LM Studio, and plain lists of messages.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.forms import INSTRUCTIONS, ChatForm, MessageParts, with_fields
from app.conversations.imports.imported import ChatBuilder, ChatReader, derived_uid, replaced
from app.conversations.records import ROLES

# Open WebUI exports a list of records, or one "chat" alone. A file's text is in file.data.content. The content of a
# message has thoughts and calls as <details type="...">, escaped for HTML.
_HISTORY = "chat.history.messages|history.messages"


def _without_details(parts: MessageParts, _message: Any, text: str) -> str:
    """Return a text without the thoughts in its details, and without calls of tools, which are counted."""

    def convert(inside: str) -> str:
        attributes, _, body = inside.partition(">")
        _, _, body = body.rpartition("</summary>")
        if attributes.startswith('reasoning"'):
            quoted = html.unescape(body).strip().splitlines()
            parts.thoughts.append("\n".join(line.removeprefix(">").removeprefix(" ") for line in quoted))
            return ""
        if attributes.startswith('code_interpreter"'):
            return body
        parts.chat.left_out["tool"] += 1
        return ""

    reply = replaced(text, '<details type="', "</details>", convert)
    return reply.strip() if reply != text else text


OPEN_WEBUI = ChatReader(
    fields.has(_HISTORY),
    "title|chat.title",
    ChatForm(
        app="open-webui",
        chat=("", "chat", "chat.history", "chat.params", "history", "params"),
        is_tree=True,
        messages=lambda entry, _: [with_fields(one, id=uid) for uid, one in fields.mapping(entry, _HISTORY).items()],
        finish=_without_details,
    ).read,
)

# Jan has a folder for each chat, with thread.json and a message a line in messages.jsonl, which need not be in order.
# Thoughts are parts, or stand in "<think>" within a text, also between parts of the reply. `reading` passes both files,
# and None for a line that is not JSON.


def _without_thoughts(parts: MessageParts, _message: Any, text: str) -> str:
    return parts.take_thoughts(text, "<think>", "</think>").strip() if parts.role == "assistant" else text


JAN = ChatReader(
    fields.has("thread", "lines"),
    "thread.title|thread.summary",
    ChatForm(
        app="jan",
        chat=("thread",),
        messages=lambda entry, _: sorted(entry["lines"], key=lambda line: fields.time(line, "created_at") or 0.0),
        finish=_without_thoughts,
        passes_over=lambda line: "unreadable" if line is None else None,
    ).read,
)

# llama.cpp's web UI exports one chat, or a list of them. The root of the tree is a message of the type "root". Older
# versions wrote ids as numbers.
LLAMA_CPP = ChatReader(
    fields.has("conv", "messages"), "conv.name", ChatForm(app="llama.cpp", chat=("conv",), is_tree=True).read
)

# LibreChat exports one chat. Its messages are nested by "children", or in one list.
_TREE = "messagesTree|messages"


def _librechat_messages(entry: Any, _chat: ChatBuilder) -> Iterator[Any]:
    """Yield messages before those that are nested in them."""
    waiting = [*reversed(fields.items(entry, _TREE))]
    while waiting:
        message = waiting.pop()
        yield with_fields(message, role="user" if fields.flag(message, "isCreatedByUser") else "assistant")
        waiting += reversed(fields.items(message, "children"))


LIBRECHAT = ChatReader(
    fields.has("conversationId", "messagesTree.0.messageId|messages.0.messageId"),
    "title",
    ChatForm(app="librechat", chat=("", "options"), is_tree=True, messages=_librechat_messages).read,
)

# AnythingLLM exports a list of questions with their answers, of all workspaces. It does not say to which thread one
# belongs, so each workspace becomes one chat. Its export as JSONL is one of plain messages.


def _workspaces(questions: Iterable[Any]) -> Iterator[Any]:
    workspaces: dict[str, list[Any]] = {}
    for entry in map(with_fields, questions):
        name = fields.text(entry, "workspace")
        for role, content, files in (("user", "prompt", "attachments"), ("assistant", "response", "")):
            message = {"role": role, "content": fields.text(entry, content), "files": fields.items(entry, files)}
            uid = derived_uid(name, entry.get("id"), role)
            workspaces.setdefault(name, []).append(message | {"id": uid, "created_at": entry.get("sent_at")})
    for name, messages in workspaces.items():
        yield {"id": name, "messages": messages}


ANYTHINGLLM = ChatReader(
    fields.has("workspace", "prompt", "response", "sent_at"), "id", ChatForm(app="anythingllm").read, _workspaces
)

# LM Studio's *.conversation.json has one chat, a list of messages with their "versions". An answer has "steps" whose
# "contentBlock"s hold the text. A file is a part with a "fileIdentifier", its name in the folder "user-files". The
# format is not documented; this follows what readers of 0.3 and 0.4 describe.


def _versions(entry: Any, chat: ChatBuilder) -> Iterator[Any]:
    """Yield versions as siblings; the messages after them follow the selected version."""
    for position in fields.items(entry, "messages"):
        versions = fields.items(position, "versions")
        chosen = position.get("currentlySelected")
        chosen = chosen if isinstance(chosen, int) and 0 <= chosen < len(versions) else 0
        follows = chat.selected
        for index, version in enumerate(versions):
            count = len(chat.messages)
            parts = _parts_of_steps(version) or fields.items(version, "content")
            yield with_fields(version, parent=follows, place=[follows, index], parts=parts)
            if index == chosen and len(chat.messages) > count:
                chat.selected = chat.last


def _parts_of_steps(version: Any) -> list[Any]:
    blocks = [step for step in fields.items(version, "steps") if fields.text(step, "type") == "contentBlock"]
    kinds = ["thinking" if fields.text(block, "style.type") == "thinking" else "text" for block in blocks]
    return [
        {"type": kind if (text := fields.part_text(part)) is not None else "tool", "text": text}
        for kind, block in zip(kinds, blocks, strict=True)
        for part in fields.items(block, "content")
    ]


LM_STUDIO = ChatReader(
    fields.has("messages.0.versions"),
    "name",
    ChatForm(app="lm-studio", is_tree=True, messages=_versions).read,
    lambda chats: (with_fields(chat, id=str(fields.time(chat, "createdAt") or "")) for chat in chats),
)

# Plain messages have the shape of OpenAI's and Ollama's APIs. A chat is a list of them, or an object with "messages"; a
# line of a JSONL file may be one. Ollama has pictures in a list beside the text.


def is_message(entry: object) -> bool:
    """Whether this is a message, so that a list of them is a chat."""
    return fields.text(entry, "role") in (*ROLES, *INSTRUCTIONS, "tool")


MESSAGES = ChatReader(
    fields.has("messages.0.role"),
    "title|name",
    ChatForm(
        app="messages",
        # Many chats begin with the same question; a longer export of one begins with the same answer, too.
        first_messages=2,
        messages=lambda entry, _: [with_fields(one, id=None, parent=None) for one in fields.items(entry, "messages")],
    ).read,
)

# The last one reads what any other app may have written.
APPS = (OPEN_WEBUI, LM_STUDIO, JAN, LLAMA_CPP, LIBRECHAT, ANYTHINGLLM, MESSAGES)
