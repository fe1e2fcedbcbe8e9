"""Reads ChatGPT's data export: conversations.json, a list of chats, each with a "mapping" of nodes.

A node has "parent", "children" and a "message" (null at the root) with author.role, content.content_type and
content.parts; "current_node" is the leaf that was shown. Thoughts are messages of their own. Citations are marked by
characters of private use or by brackets, for which metadata.content_references has Markdown. Files that are no parts
are only in metadata.attachments. Times are seconds since 1970.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.forms import ChatForm, MessageParts, with_fields
from app.conversations.imports.imported import ChatBuilder, ChatReader, ImportedConversation, replaced
from app.conversations.imports.pictures import Files
from app.text.fences import fenced

# ChatGPT writes citations and links between these marks, with its own separators inside.
_CITATION_BEGIN = "\ue200"
_CITATION_END = "\ue201"
_CITATION_SEPARATOR = "\ue202"
_OTHER_MARKS = re.compile("[\ue200-\ue2ff]")


def _messages(entry: Any, _chat: ChatBuilder) -> Iterator[Any]:
    """Yield the messages of the nodes, with the ids and parents of these."""
    for uid, node in fields.mapping(entry, "mapping").items():
        message = fields.mapping(node, "message")
        thoughts = [fields.text(thought, "content|summary") for thought in fields.items(message, "content.thoughts")]
        yield with_fields(
            message,
            id=uid,
            parent=fields.text(node, "parent"),
            parts=[_part(message, part) for part in fields.items(message, "content.parts")],
            files=_other_files(message),
            thinking="\n\n".join(filter(None, thoughts)),
        )


def _part(message: Any, part: Any) -> Any:
    """Return a part. For a picture of the user, it names the file, which begins with the id in "asset_pointer"."""
    if fields.part_text(part) is not None or fields.text(message, "author.role") != "user":
        return part
    identity = fields.text(part, "asset_pointer").rpartition("//")[2]
    attached = fields.items(message, "metadata.attachments")
    names = [fields.text(file, "name") for file in attached if fields.text(file, "id") == identity]
    name = names[0] if names else identity
    return {"type": fields.text(part, "content_type"), "name": name, "data": identity}


def _other_files(message: Any) -> list[Any]:
    """Return the attached files of a message that none of its parts names."""
    pointers = (fields.text(part, "asset_pointer") for part in fields.items(message, "content.parts"))
    named = {pointer.rpartition("//")[2] for pointer in pointers}
    attached = fields.items(message, "metadata.attachments")
    return [file for file in attached if fields.text(file, "id") not in named]


def _passes_over(message: Any) -> str | None:
    """Return why a message is left out; "" for one that was never shown, None for one that is read."""
    role = fields.text(message, "author.role")
    kind = fields.text(message, "content.content_type")
    # System nodes and hidden ones were never shown, and a recap only says how long the thoughts took.
    is_hidden = message.get("weight") == 0 or fields.flag(message, "metadata.is_visually_hidden_from_conversation")
    if role not in ("user", "assistant", "tool") or is_hidden:
        return ""
    if role == "tool" or fields.text(message, "recipient") not in ("", "all"):
        return "tool"
    if kind == "thoughts" and not message["thinking"]:
        return "reasoning"
    return "" if kind == "reasoning_recap" else None


def _finished(_parts: MessageParts, message: Any, text: str) -> str:
    """Replace the marks of citations by the Markdown that the export has for them, or drop them."""
    references = fields.items(message, "metadata.content_references")
    known = {fields.text(reference, "matched_text"): fields.text(reference, "alt") for reference in references}

    def shown(inside: str) -> str:
        if alternative := known.get(_CITATION_BEGIN + inside + _CITATION_END):
            return alternative
        kind, *arguments = inside.split(_CITATION_SEPARATOR)
        if kind == "url" and len(arguments) == 2:
            return f"[{arguments[0]}]({arguments[1]})"
        return _name_of_entity(arguments) if kind == "entity" else ""

    text = _OTHER_MARKS.sub("", replaced(text, _CITATION_BEGIN, _CITATION_END, shown))
    for mark, alternative in known.items():
        if mark.startswith("【") and alternative:
            text = text.replace(mark, alternative)
    return fenced(text) if text and fields.text(message, "content.content_type") == "code" else text


def _name_of_entity(arguments: list[str]) -> str:
    """Return the name of a thing that a sentence is about, which is the second item of a list in JSON."""
    try:
        return fields.text(json.loads("".join(arguments)), "1")
    except (ValueError, RecursionError):
        return ""


_FORM = ChatForm(app="chatgpt", is_tree=True, messages=_messages, finish=_finished, passes_over=_passes_over)


def _read(entry: Any, files: Files) -> ImportedConversation:
    """Return one chat."""
    # Older exports have no ids: identify a chat by its start.
    start = f"{fields.time(entry, 'create_time')}-{fields.text(entry, 'title')}"
    return _FORM.read(with_fields(entry, id=fields.text(entry, "id") or start), files)


def _recognises(entry: object) -> bool:
    """Whether a node has a message with an author: other programs have a "mapping", too."""
    return any(fields.mapping(node, "message.author") for node in fields.mapping(entry, "mapping").values())


CHATGPT = ChatReader(_recognises, "title", _read)
