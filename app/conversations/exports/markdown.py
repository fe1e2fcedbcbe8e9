"""Exports a chat as Markdown: the messages that it shows, with the models' own Markdown unchanged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from app.conversations.database.records import Attachment, Conversation, Message
from app.conversations.exports.labels import Labels
from app.text.fences import fenced
from app.text.thinking import parts_of

_BRACKET = re.compile(r"[][\\]")


def as_markdown(
    conversation: Conversation, path: Sequence[Message], labels: Labels, addresses: Mapping[str, str]
) -> str:
    """Return a chat as Markdown; `path` has the messages to show, `addresses` the pictures' addresses by digests.

    Headings inside answers stay as they are. A picture without an address is shown by its name.
    """
    parts = [f"# {conversation.title or labels.untitled}"]
    if conversation.system_prompt:
        parts += [f"## {labels.system}", conversation.system_prompt]
    for message in path:
        written = f"{datetime.fromtimestamp(message.created_at):%Y-%m-%d %H:%M}"
        parts.append(f"## {' · '.join((*labels.of_writer(message), written))}")
        parts += [_attachment(attachment, addresses) for attachment in message.attachments]
        parts += _content(message, labels)
        if note := labels.of_state(message):
            parts.append(f"*{note}*")
    return "\n\n".join(_closed(part) for part in parts if part) + "\n"


def _closed(text: str) -> str:
    """Return Markdown whose last code block ends: an answer that was cut may have left it open."""
    if "```" not in text and "~~~" not in text:
        return text
    # Imported here, because it would delay the window's start.
    from markdown_it import MarkdownIt

    last = MarkdownIt("commonmark").disable("inline").parse(f"{text}\n\n# Next")[-1]
    return f"{text}\n{last.markup}" if last.type == "fence" else text


def _attachment(attachment: Attachment, addresses: Mapping[str, str]) -> str:
    """Return a file with its text and its pictures, or a picture."""
    if attachment.picture is None:
        pictures = [_attachment(picture, addresses) for picture in attachment.inner]
        return "\n\n".join([attachment.name, fenced(attachment.text), *pictures])
    address = addresses.get(attachment.picture.digest)
    return attachment.name if address is None else f"![{_BRACKET.sub('', attachment.name)}]({address})"


def _content(message: Message, labels: Labels) -> list[str]:
    """Return the text, with thoughts as a quotation before it: their marks are tags, which viewers hide."""
    if message.tool_use is not None:
        result = message.tool_use.with_person_part(message.content)
        return [fenced(text) for text in (message.tool_use.arguments, result) if text.strip()]
    if message.role != "assistant":
        return [message.content.strip("\n")]
    parts = parts_of(message.content)
    lines = [f"*{labels.thoughts}*", "", *parts.thought.strip().split("\n")] if parts.thought else []
    return ["\n".join(f"> {line}".rstrip() for line in lines), parts.reply.strip("\n")]
