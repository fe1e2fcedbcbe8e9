"""Reads the chats of apps that need little more than a table, and plain lists of messages.

The apps are Open WebUI, Qwen Chat, Jan, llama.cpp's web UI, LibreChat, AnythingLLM, Gemini, LM Studio, DeepSeek, Grok,
AI Studio, Mistral's Le Chat, Chatbox and TypingMind. What each of them exports is said above its reader. ChatGPT,
Claude, Cherry Studio, Ollama's app, Perplexity, Claude Code, Codex, SillyTavern, LobeChat and Tandem have modules of
their own.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from app.conversations.database.records import ROLES
from app.conversations.imports import fields
from app.conversations.imports.forms import INSTRUCTIONS, ChatForm, MessageParts, with_fields
from app.conversations.imports.imported import ChatBuilder, ChatReader, derived_uid, replaced
from app.text.fences import fenced
from engine.documents.reading import read_document
from engine.files.reading_time import ReadingTime

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
        messages=lambda entry, _: [
            with_fields(message, id=uid) for uid, message in fields.mapping(entry, _HISTORY).items()
        ],
        finish=_without_details,
    ).read,
)

# Qwen Chat exports an object with the list "data", of chats as Open WebUI has them. An answer has a list of contents
# with their "phase": "think", "answer", or the name of a tool. Its format is not documented; this follows its web API.
_PHASES = {"think": "thinking", "answer": "text"}


def _qwen_messages(entry: Any, _chat: ChatBuilder) -> Iterator[Any]:
    """Yield the messages, with their contents as parts."""
    for uid, message in fields.mapping(entry, _HISTORY).items():
        contents = fields.items(message, "content_list")
        parts = [
            {"type": _PHASES.get(fields.text(content, "phase"), "tool"), "text": fields.text(content, "content")}
            for content in contents
        ]
        yield with_fields(message, id=uid, parts=parts)


QWEN_CHAT = ChatReader(
    fields.has("data.0.chat.history.messages"),
    "title|chat.title",
    ChatForm(app="qwen-chat", chat=("", "chat", "chat.history"), is_tree=True, messages=_qwen_messages).read,
    lambda documents: (chat for document in documents for chat in fields.items(document, "data")),
)

# Jan has a folder for each chat, with thread.json and a message a line in messages.jsonl, which need not be in order.
# Thoughts are parts, or stand in "<think>" within a text, also between parts of the reply. `reading` passes both files,
# and None for a line that is not JSON.


def _without_thoughts(parts: MessageParts, _message: Any, text: str) -> str:
    """Return an answer's text without the thoughts in it, which are kept as thoughts."""
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

# Since June 2026 it exports JSONL: a line for each chat, followed by a line for each of its messages. Chats have the
# ids that they have in the older export, so that importing both adds none twice.


def _sessions(lines: Iterable[Any]) -> Iterator[Any]:
    """Yield chats in the shape of the older export."""
    chats: dict[str, dict[str, Any]] = {}
    latest = ""
    for line in lines:
        message = fields.mapping(line, "message")
        if fields.text(line, "type") == "session":
            latest = fields.identifier(line, "id")
            chats[latest] = {"conv": line, "messages": []}
        elif message:
            uid = fields.identifier(message, "convId") or latest
            chats.setdefault(uid, {"conv": {"id": uid}, "messages": []})["messages"].append(message)
    yield from chats.values()


def _is_line_of_session(line: Any) -> bool:
    kind = fields.text(line, "type")
    return (kind == "session" and fields.has("id", "currNode")(line)) or (
        kind == "message" and fields.has("message.convId")(line)
    )


LLAMA_CPP_LINES = ChatReader(_is_line_of_session, LLAMA_CPP.title, LLAMA_CPP.read, _sessions)

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
    """Yield one chat for each workspace, with all of its questions and answers."""
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

# Gemini's history is MyActivity.json of Google's Takeout, where one has to ask for JSON: what was done in several apps,
# the newest first. A title is a prompt after a verb, and the answer is HTML. No chat is named, so each day becomes one.
_PROMPTED = re.compile(r"^(Prompted|Live Prompt|Asked|Said|Answered)( with:| Gemini:| Bard:)? ")


def _is_of_gemini(record: Any) -> bool:
    """Return whether a record of Google's activity is one of Gemini, or of Bard, its earlier name."""
    products = str([fields.text(record, "header"), *fields.items(record, "products")])
    return fields.has("title", "time")(record) and ("Gemini" in products or "Bard" in products)


def _days(records: Iterable[Any]) -> Iterator[Any]:
    """Yield one chat for each day, with its prompts and answers in their order."""
    asked = []
    for record in sorted(filter(_is_of_gemini, records), key=partial(fields.text, path="time")):
        title = fields.text(record, "title")
        when = fields.text(record, "time")
        answer = "\n".join(fields.text(item, "html") for item in fields.items(record, "safeHtmlItem"))
        prompt = _PROMPTED.sub("", title)
        names = dict.fromkeys([*fields.items(record, "attachedFiles"), fields.text(record, "imageFile")])
        # Takeout has the files beside its JSON.
        files = [{"name": name, "url": name} for name in names if isinstance(name, str) and name]
        # In another language, the verb stays; entries on things that were only used or deleted have no answer.
        if answer or prompt != title:
            about = {"id": when, "sent_at": when, "workspace": when[:10]}
            asked.append({**about, "prompt": prompt, "response": answer, "attachments": files})
    return _workspaces(asked)


def _as_markdown(parts: MessageParts, _message: Any, text: str) -> str:
    """Return the Markdown of an answer in HTML. Waits."""
    if parts.role == "user":
        return text
    return read_document("answer.html", text.encode("utf-8", "replace"), len(text), "", ReadingTime()).text or text


GEMINI = ChatReader(_is_of_gemini, "", ChatForm(app="gemini", finish=_as_markdown).read, _days)

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
    """Return the parts of an answer's steps: texts, thoughts, and "tool" for calls and their results."""
    blocks = [step for step in fields.items(version, "steps") if fields.text(step, "type") == "contentBlock"]
    kinds = ["thinking" if fields.text(block, "style.type") == "thinking" else "text" for block in blocks]
    return [
        {"type": "tool" if text is None or "tool" in fields.text(part, "type").lower() else kind, "text": text}
        for kind, block in zip(kinds, blocks, strict=True)
        for part in fields.items(block, "content")
        for text in [fields.part_text(part)]
    ]


LM_STUDIO = ChatReader(
    fields.has("messages.0.versions"),
    "name",
    ChatForm(app="lm-studio", is_tree=True, messages=_versions).read,
    lambda chats: (with_fields(chat, id=str(fields.time(chat, "createdAt") or "")) for chat in chats),
)

# DeepSeek exports a list of chats whose "mapping" has nodes as ChatGPT's; their messages have "fragments". Some
# are what the program searched or read, or its remarks. Messages that have texts instead have roles.


def _nodes(entry: Any, _chat: ChatBuilder) -> Iterator[Any]:
    """Yield the messages of the nodes, with the ids and parents of these."""
    for uid, node in fields.mapping(entry, "mapping").items():
        if message := fields.mapping(node, "message"):
            asked = any(fields.text(fragment, "type") == "REQUEST" for fragment in fields.items(message, "fragments"))
            role = "user" if asked else fields.text(message, "role") or "assistant"
            yield with_fields(message, id=uid, parent=fields.identifier(node, "parent"), role=role)


def _count_call(parts: MessageParts, _part: Any) -> None:
    """Count the actions of a program for an answer."""
    parts.chat.left_out["tool"] += 1


def _pass_over(_parts: MessageParts, _part: Any) -> None:
    """Leave out a remark of the program, such as that answers may be wrong."""


DEEPSEEK = ChatReader(
    fields.has("mapping", "inserted_at"),
    "title",
    ChatForm(
        app="deepseek",
        is_tree=True,
        messages=_nodes,
        kinds={"search": _count_call, "read_link": _count_call, "tip": _pass_over},
    ).read,
)

# Grok's prod-grok-backend.json has "conversations", each with its "responses". A file is named by its folder. Citations
# are elements in the text with the id of a card; each card is a JSON text.
_CARD = re.compile(r'card_id="([^"]*)"')


def _with_links(_parts: MessageParts, message: Any, text: str) -> str:
    """Return a text with links instead of Grok's elements for citations; one whose card is lost leaves nothing."""
    addresses = {}
    for card in fields.items(message, "card_attachments_json"):
        with suppress(ValueError, RecursionError, TypeError):
            known = json.loads(card)
            addresses[fields.text(known, "id")] = fields.text(known, "url|image.link")

    def linked(inside: str) -> str:
        named = _CARD.search(inside)
        address = addresses.get(named[1], "") if named else ""
        return f" ([{urlsplit(address).hostname}]({address}))" if address.startswith(("https://", "http://")) else ""

    return replaced(text, "<grok:render ", "</grok:render>", linked)


def _grok_messages(entry: Any, _chat: ChatBuilder) -> Iterator[Any]:
    """Yield the responses, with the pictures that were made for them as files."""
    for response in fields.items(entry, "responses"):
        message = fields.mapping(response, "response")
        yield with_fields(message, files=fields.items(message, "generated_image_urls"))


GROK = ChatReader(
    fields.has("conversation.id", "responses"),
    "conversation.title",
    ChatForm(
        app="grok",
        chat=("conversation",),
        messages=_grok_messages,
        finish=_with_links,
    ).read,
)

# AI Studio keeps each chat in a file on Google Drive, whose name is its title. Thoughts are chunks of their own. A file
# is a field of a chunk, as "inlineImage" with its content or "driveImage" without; code that ran is one, too.


def _chunks(entry: Any, _chat: ChatBuilder) -> Iterator[Any]:
    """Yield a message for each chunk of AI Studio's prompt."""
    for chunk in map(with_fields, fields.items(entry, "chunkedPrompt.chunks")):
        text = fields.text(chunk, "text") or "".join(fields.text(part, "text") for part in fields.items(chunk, "parts"))
        files = [value for name, value in chunk.items() if name.startswith(("inline", "drive", "youtube"))]
        calls = [name for name in chunk if name in ("executableCode", "codeExecutionResult")]
        shown = {
            "files": [fields.text(value, "data") or value for value in files],
            "calls": calls,
            "role": chunk.get("role"),
        }
        kind = "thinking" if fields.flag(chunk, "isThought") else "text"
        yield {**shown, kind: text, "createTime": chunk.get("createTime")}


AI_STUDIO = ChatReader(
    fields.has("chunkedPrompt.chunks"),
    "",
    ChatForm(app="ai-studio", chat=("", "runSettings"), first_messages=2, messages=_chunks).read,
)

# Mistral's Le Chat exports a file for each chat, a list of its messages in no order. A text may only be in chunks:
# pieces of it around references, and calls. A document that was written beside the chat is in "canvas".


def _of_le_chat(message: Any) -> dict[str, Any]:
    """Return a message of Le Chat with the names that `ChatForm` knows."""
    chunks: dict[str, list[Any]] = {kind: [] for kind in ("text", "thinking", "tool_call", "file_reference")}
    for chunk in fields.items(message, "contentChunks"):
        chunks.get(fields.text(chunk, "type"), []).append(chunk)
    pieces = "".join(fields.text(chunk, "text") for chunk in chunks["text"])
    thoughts = [thought for chunk in chunks["thinking"] for thought in fields.items(chunk, "thinking")]
    texts = [fields.text(message, "content") or pieces, *map(_document, fields.items(message, "canvas"))]
    return with_fields(
        message,
        content="\n\n".join(filter(None, texts)),
        thinking="".join(fields.text(thought, "text") for thought in thoughts),
        calls=chunks["tool_call"],
        files=[*fields.items(message, "files"), *chunks["file_reference"]],
    )


def _document(canvas: Any) -> str:
    """Return a document that is beside a chat as a code block under its title."""
    content = fields.text(canvas, "content")
    title = " ".join(fields.text(canvas, "title").split())
    return "\n\n".join(filter(None, [title and f"**{title}**", fenced(content)])) if content else ""


def _le_chats(entries: Iterable[Any]) -> Iterator[Any]:
    """Yield each chat of lists of messages."""
    chats: dict[str, list[Any]] = {}
    for entry in entries:
        for message in fields.items(entry, "messages"):
            chats.setdefault(fields.text(message, "chatId"), []).append(_of_le_chat(message))
    for uid, messages in chats.items():
        # Of messages of the same time, the order of the file is kept.
        yield {"id": uid, "messages": sorted(messages, key=lambda message: fields.time(message, "createdAt") or 0.0)}


LE_CHAT = ChatReader(
    fields.has("messages.0.chatId", "messages.0.createdAt", "messages.0.role"),
    "",
    ChatForm(app="mistral", messages=lambda entry, _: entry["messages"]).read,
    _le_chats,
)

# Chatbox exports an object with the list of its chats, and each of them under "session:" and its id. Earlier parts of a
# chat, after which it was begun anew, are its "threads". This follows what Cherry Studio's importer reads.
_CHATS_OF_CHATBOX = "chat-sessions-list"


def _sessions_of_chatbox(documents: Iterable[Any]) -> Iterator[Any]:
    """Yield each chat, and before it the earlier threads of it."""
    for document in documents:
        for listed in fields.items(document, _CHATS_OF_CHATBOX):
            session = with_fields(listed, **fields.mapping(document, f"session:{fields.identifier(listed, 'id')}"))
            yield from fields.items(session, "threads")
            yield session


CHATBOX = ChatReader(
    fields.has(_CHATS_OF_CHATBOX), "name|threadName", ChatForm(app="chatbox").read, _sessions_of_chatbox
)

# TypingMind exports an object whose "data" has the list "chats". This follows what big-AGI's importer reads.
TYPINGMIND = ChatReader(
    fields.has("data.chats"),
    "chatTitle|preview",
    ChatForm(app="typingmind").read,
    lambda documents: (chat for document in documents for chat in fields.items(document, "data.chats")),
)

# Plain messages have the shape of OpenAI's and Ollama's APIs. A chat is a list of them, or an object with "messages"; a
# line of a JSONL file may be one. Ollama has pictures in a list next to the text.


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
        messages=lambda entry, _: [
            with_fields(message, id=None, parent=None) for message in fields.items(entry, "messages")
        ],
    ).read,
)

# The last one reads what any other app may have written.
APPS = (
    OPEN_WEBUI, QWEN_CHAT, LM_STUDIO, JAN, LLAMA_CPP, LLAMA_CPP_LINES, LIBRECHAT, ANYTHINGLLM, GEMINI, DEEPSEEK, GROK,
    AI_STUDIO, LE_CHAT, CHATBOX, TYPINGMIND, MESSAGES
)  # fmt: skip
