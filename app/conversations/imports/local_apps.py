"""Reads the chats of apps with local models: Open WebUI, LM Studio, Jan, llama.cpp's web UI, lists of messages."""

from __future__ import annotations

import html
from collections import Counter
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.fields import is_text
from app.conversations.imports.imported import (
    ChatBuilder,
    ImportedConversation,
    Reader,
    derived_uid,
    replaced,
    with_thoughts,
)
from app.conversations.imports.pictures import Files, picture_of_part
from app.conversations.records import ROLES, Attachment
from app.text.picture_data import picture_of_base64, picture_of_url

# Open WebUI's export is a list of records whose "chat" holds history.messages (by id) and history.currentId. A message
# has "parentId", "childrenIds", "role", "content", "model", a "timestamp" in seconds and "files", whose text is in
# file.data.content. Its content has thoughts and calls as <details type="...">, escaped for HTML. A single chat may be
# the inner object alone.


def _open_webui_chat(entry: Any) -> Any:
    return fields.mapping(entry, "chat") or entry


def _read_open_webui(entry: Any, found: Files) -> ImportedConversation:
    inner = _open_webui_chat(entry)
    history, chat = fields.mapping(inner, "history"), ChatBuilder(found)
    for uid, message in fields.mapping(history, "messages").items():
        text, without_text = fields.parts_text(fields.items(message, "content"))
        text = _with_details(text or fields.text(message, "content"), chat.left_out)
        attachments = [one for file in fields.items(message, "files") for one in _open_webui_file(file, chat)]
        chat.left_out["file"] += without_text
        written_at, model = fields.time(message, "timestamp"), fields.text(message, "model")
        parent, role = fields.text(message, "parentId") or None, fields.text(message, "role")
        chat.add(uid, parent, role, text, written_at, model, attachments)
    return chat.chat(
        "open-webui",
        fields.text(entry, "id"),
        fields.text(history, "currentId") or None,
        created_at=fields.time(entry, "created_at") or fields.time(inner, "timestamp"),
        updated_at=fields.time(entry, "updated_at"),
        system_prompt=fields.text(fields.mapping(inner, "params"), "system"),
        archived=fields.flag(entry, "archived"),
        pinned=fields.flag(entry, "pinned"),
    )


def _with_details(text: str, left_out: Counter[str]) -> str:
    """Return a text with the thoughts in its details as thoughts, and without calls of tools, which are counted."""
    thoughts: list[str] = []

    def convert(inside: str) -> str:
        attributes, _, body = inside.partition(">")
        _, _, body = body.rpartition("</summary>")
        if attributes.startswith('reasoning"'):
            quoted = html.unescape(body).strip().splitlines()
            thoughts.append("\n".join(line.removeprefix(">").removeprefix(" ") for line in quoted))
            return ""
        if attributes.startswith('code_interpreter"'):
            return body
        left_out["tool"] += 1
        return ""

    reply = replaced(text, '<details type="', "</details>", convert)
    return with_thoughts(thoughts, reply.strip()) if reply != text else text


def _open_webui_file(file: object, chat: ChatBuilder) -> list[Attachment]:
    """Return a file with its text, or a picture; none, which is counted, for others."""
    stored = fields.mapping(file, "file")
    name = fields.text(file, "name") or fields.text(stored, "filename")
    kind, text = fields.mapping(stored, "meta"), fields.text(fields.mapping(stored, "data"), "content")
    if text:
        return [Attachment(name, fields.text(kind, "content_type"), text)]
    return chat.picture(name or fields.text(file, "type"), picture_of_url(fields.text(file, "url")))


OPEN_WEBUI = Reader(
    lambda entry: bool(fields.mapping(fields.mapping(_open_webui_chat(entry), "history"), "messages")),
    lambda entry: fields.text(entry, "title") or fields.text(_open_webui_chat(entry), "title"),
    _read_open_webui,
)

# LM Studio's *.conversation.json has one chat, a list of messages with their "versions". A user's version is
# "singleStep" with a "content" list; an answer's is "multiStep" with "steps" whose "contentBlock"s hold the text, some
# of them in the style "thinking". A file is a part with a "fileIdentifier", its name in the folder "user-files".
# "createdAt" is in milliseconds. The format is not documented; this follows what readers of 0.3 and 0.4 describe.


def _read_lm_studio(entry: Any, files: Files) -> ImportedConversation:
    """Return the chat. Versions are siblings, and the messages after them follow the selected version."""
    chat = ChatBuilder(files)
    model = fields.text(fields.mapping(entry, "lastUsedModel"), "identifier")
    parent: str | None = None
    for position in fields.items(entry, "messages"):
        versions = fields.items(position, "versions")
        chosen = position.get("currentlySelected")
        chosen = chosen if isinstance(chosen, int) and 0 <= chosen < len(versions) else 0
        follows = parent
        for index, version in enumerate(versions):
            role, text = fields.text(version, "role"), _lm_studio_text(version, chat.left_out)
            uid = derived_uid(follows, index, role, text)
            sender = fields.text(fields.mapping(version, "senderInfo"), "senderName") or model
            pictures = _lm_studio_pictures(version, chat)
            if chat.add(uid, follows, role, text, None, sender, pictures) and index == chosen:
                parent = uid
    created = fields.time(entry, "createdAt")
    updated = fields.time(entry, "assistantLastMessagedAt") or fields.time(entry, "userLastMessagedAt")
    system_prompt = fields.text(entry, "systemPrompt")
    return chat.chat("lm-studio", created, parent, created_at=created, updated_at=updated, system_prompt=system_prompt)


def _lm_studio_text(version: object, left_out: Counter[str]) -> str:
    if fields.text(version, "type") != "multiStep":
        text, _files = fields.parts_text(fields.items(version, "content"))
        return text or fields.text(version, "content")
    texts: list[str] = []
    thoughts: list[str] = []
    for step in fields.items(version, "steps"):
        if fields.text(step, "type") != "contentBlock":
            continue
        text, without_text = fields.parts_text(fields.items(step, "content"))
        left_out["tool"] += without_text
        thinks = fields.text(fields.mapping(step, "style"), "type") == "thinking"
        (thoughts if thinks else texts).append(text)
    return with_thoughts(thoughts, "\n\n".join(text for text in texts if text))


def _lm_studio_pictures(version: object, chat: ChatBuilder) -> list[Attachment]:
    """Return the pictures of a question; other files are counted."""
    named = [fields.text(part, "fileIdentifier") for part in fields.items(version, "content") if not is_text(part)]
    return [picture for name in named for picture in chat.picture(name, chat.files(name))]


LM_STUDIO = Reader(
    lambda entry: any(fields.items(message, "versions") for message in fields.items(entry, "messages")),
    lambda entry: fields.text(entry, "name"),
    _read_lm_studio,
)

# Jan has a folder for each chat, with thread.json and an OpenAI thread message a line in messages.jsonl. A message has
# "id", "role", "created_at" (seconds or milliseconds) and a "content" list of {"type": "text", "text": {"value": ...}}.
# Thoughts have the type "reasoning", or stand in "<think>" within a text. `reading` passes {"thread": the object,
# "lines": the messages, "unreadable": the number of lines that are not JSON}.


def _read_jan(entry: Any, files: Files) -> ImportedConversation:
    """Return the chat with its messages sorted by time, which the file need not be."""
    chat = ChatBuilder(files)
    chat.left_out["unreadable"] = entry["unreadable"]
    thread = fields.mapping(entry, "thread")
    lines = sorted(fields.items(entry, "lines"), key=lambda line: fields.time(line, "created_at") or 0.0)
    assistant = next(iter(fields.items(thread, "assistants")), None)
    model = fields.text(fields.mapping(assistant, "model"), "id")
    for line in lines:
        role, parts = fields.text(line, "role"), fields.items(line, "content")
        thoughts = [part for part in parts if fields.text(part, "type") == "reasoning"]
        text, without_text = fields.parts_text([part for part in parts if part not in thoughts])
        if role == "assistant":
            text = _with_inner_thoughts(fields.parts_text(thoughts)[0], text)
        chat.left_out["file"] += without_text
        uid = fields.text(line, "id") or derived_uid(chat.last, role, text)
        chat.add(uid, chat.last, role, text, fields.time(line, "created_at"), model)
    return chat.chat(
        "jan",
        fields.text(thread, "id") or fields.text(lines[0] if lines else None, "thread_id"),
        chat.last,
        created_at=fields.time(thread, "created"),
        updated_at=fields.time(thread, "updated"),
        system_prompt=fields.text(assistant, "instructions"),
    )


def _with_inner_thoughts(thoughts: str, text: str) -> str:
    """Return the text of an answer with its thoughts before it, also those between parts of the reply."""
    found = [thoughts]

    def convert(inner: str) -> str:
        found.append(inner)
        return ""

    return with_thoughts(found, replaced(text, "<think>", "</think>", convert).strip())


def _jan_title(entry: Any) -> str:
    thread = fields.mapping(entry, "thread")
    return fields.text(thread, "title") or fields.text(thread, "summary")


JAN = Reader(
    lambda entry: any(fields.text(line, "object") == "thread.message" for line in fields.items(entry, "lines")),
    _jan_title,
    _read_jan,
)

# llama.cpp's web UI exports {"conv": ..., "messages": [...]}, or a list of them. A message has "id", "parent", "role",
# "content", a "timestamp" in milliseconds, thoughts in "reasoningContent" (formerly "thinking"), and files in "extra",
# with the text of texts and PDFs in "content" and pictures in "base64Url". The root of the tree is a message of the
# type "root". conv.currNode is the message that was shown.


def _read_llama_cpp(entry: Any, files: Files) -> ImportedConversation:
    conversation, chat, system_prompt = fields.mapping(entry, "conv"), ChatBuilder(files), ""
    for message in fields.items(entry, "messages"):
        uid, parent = _llama_cpp_id(message, "id"), _llama_cpp_id(message, "parent") or None
        role, text = fields.text(message, "role"), fields.text(message, "content")
        if role == "system":
            system_prompt = system_prompt or text
            chat.skip_message(uid, parent)
            continue
        attachments = list[Attachment]()
        for file in fields.items(message, "extra"):
            name, content = fields.text(file, "name"), fields.text(file, "content")
            picture = picture_of_url(fields.text(file, "base64Url"))
            attachments += [Attachment(name, "text/plain", content)] if content else chat.picture(name, picture)
        chat.left_out["tool"] += bool(fields.text(message, "toolCalls"))
        text = with_thoughts([fields.text(message, "reasoningContent") or fields.text(message, "thinking")], text)
        written_at, model = fields.time(message, "timestamp"), fields.text(message, "model")
        chat.add(uid, parent, role, text, written_at, model, attachments)
    return chat.chat(
        "llama.cpp",
        fields.text(conversation, "id"),
        _llama_cpp_id(conversation, "currNode") or None,
        updated_at=fields.time(conversation, "lastModified"),
        system_prompt=system_prompt,
    )


def _llama_cpp_id(container: object, key: str) -> str:
    """Return an id, which older versions wrote as a number."""
    value = container.get(key) if isinstance(container, dict) else None
    return str(value) if isinstance(value, int) and value >= 0 else fields.text(container, key)


LLAMA_CPP = Reader(
    lambda entry: bool(fields.mapping(entry, "conv") and fields.items(entry, "messages")),
    lambda entry: fields.text(fields.mapping(entry, "conv"), "name"),
    _read_llama_cpp,
)

# Plain messages have the shape of OpenAI's and Ollama's APIs. A chat is a list of them, or an object with "messages",
# with or without a "title", a "model" and an "id"; a line of a JSONL file may be one. A message has a "role", a
# "content" (a text or a list of parts) and perhaps thoughts.

_INSTRUCTIONS = ("system", "developer")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


def is_message(entry: object) -> bool:
    """Whether this is a message, so that a list of them is a chat."""
    return isinstance(entry, dict) and fields.text(entry, "role") in (*ROLES, *_INSTRUCTIONS, "tool")


def _read_messages(entry: Any, files: Files) -> ImportedConversation:
    """Return the chat. The first instructions are its system prompt; calls of tools and their results are counted."""
    chat, first = ChatBuilder(files), list[str]()
    system_prompt, model = "", fields.text(entry, "model")
    for message in fields.items(entry, "messages"):
        role, calls = fields.text(message, "role"), fields.items(message, "tool_calls")
        parts = fields.items(message, "content")
        text, _others = fields.parts_text(parts)
        text = text or fields.text(message, "content")
        if role in _INSTRUCTIONS:
            system_prompt = system_prompt or text
            continue
        given = [picture_of_part(part) for part in parts if not is_text(part)]
        # Ollama has them in a list beside the text.
        given += [picture_of_base64(one) for one in fields.items(message, "images") if isinstance(one, str)]
        pictures = [picture for content in given for picture in chat.picture("picture", content)]
        chat.left_out["tool"] += len(calls)
        text = with_thoughts([next(filter(None, (fields.text(message, name) for name in _THOUGHTS)), "")], text)
        written_at = fields.time(message, "created_at") or fields.time(message, "timestamp")
        uid = derived_uid(chat.last, role, text)
        if (text.strip() or not calls) and chat.add(uid, chat.last, role, text, written_at, model, pictures):
            first.append(uid)
    # Many chats begin with the same question; a longer export of one begins with the same answer, too.
    identity = fields.text(entry, "id") or derived_uid(*first[:2])
    created_at = fields.time(entry, "created_at")
    return chat.chat("messages", identity, chat.last, created_at=created_at, system_prompt=system_prompt)


MESSAGES = Reader(
    lambda entry: any(map(is_message, fields.items(entry, "messages")[:1])),
    lambda entry: fields.text(entry, "title") or fields.text(entry, "name"),
    _read_messages,
)
