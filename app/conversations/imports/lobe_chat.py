"""Reads LobeChat's exports: of all data, of older versions' chats, and of one chat.

All are read as LobeChat's own importers read them. An export of all data has its tables in "data": "topics", which are
the chats, "messages", "sessions", "agents" and "threads". Older ones, with an "exportType", have the like in "state";
in the first version, sessions are an object, and their messages and topics are in them. The export of a chat has
"exportedAt", "title" and "messages". A "parentId" is the message before; in older chats only answers have one, the
question. Several answers to one are branches, and "activeBranchIndex" of what they follow says which one was shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.conversations.imports import fields, json_steps
from app.conversations.imports.forms import ChatForm, MessageParts, with_fields
from app.conversations.imports.imported import ChatBuilder, ChatReader, derived_uid

_is_of_data = fields.has("data.messages", "data.topics")
_is_older = fields.has("exportType", "state.sessions")
_is_chat = fields.has("exportedAt", "version", "messages.0.role", "messages.0.createdAt")
_TABLES = ("topics", "messages", "sessions", "agents", "threads")
_CREATED = "createdAt|createAt"
# Where messages are that belong to no topic.
_PLACES = "topicId|sessionId|groupId|agentId"
# An answer that never came.
_NO_ANSWER = "..."
# Parts of a content and what is in them; parsing more takes a hundred times their length.
_MOST_PARTS = 10_000
_ROLES = {"function": "tool", "plugin": "tool"}


def _recognises(document: object) -> bool:
    """Return whether a value is an export of any kind."""
    return _is_of_data(document) or _is_older(document) or _is_chat(document)


def _chats(documents: Iterable[Any]) -> Iterator[Any]:
    """Yield the chats of exports."""
    for document in documents:
        if _is_chat(document):
            yield with_fields(document, id="")
        elif _recognises(document):
            yield from _of_tables(_tables(document))


def _tables(document: Any) -> Mapping[str, list[Any]]:
    """Return the tables of an export; of its first version, as the later ones have them."""
    exported = fields.mapping(document, "data|state")
    tables = {name: [*fields.items(exported, name)] for name in _TABLES}
    for uid, session in fields.mapping(exported, "sessions").items():
        tables["sessions"].append(with_fields(session, id=uid))
        for table, name in (("messages", "chats"), ("topics", "topics")):
            rows = fields.mapping(session, name).values()
            tables[table] += [with_fields(row, sessionId=uid) for row in rows]
    return tables | {"links": fields.items(exported, "agentsToSessions")}


def _of_tables(tables: Mapping[str, list[Any]]) -> Iterator[Any]:
    """Yield a chat for each topic that has messages, and for those of a session that are in none."""
    topics, sessions, agents = (_by_id(tables[name]) for name in ("topics", "sessions", "agents"))
    agent_of = {fields.text(link, "sessionId"): fields.text(link, "agentId") for link in tables["links"]}
    chats: dict[str, list[Any]] = {}
    for message in tables["messages"]:
        chats.setdefault(fields.text(message, _PLACES), []).append(message)
    for uid, messages in chats.items():
        topic = topics.get(uid, {})
        session_id = fields.text(topic, "sessionId") or fields.text(messages[0], "sessionId")
        session = sessions.get(session_id, {})
        named = [fields.text(container, "agentId") for container in (topic, messages[0])]
        agent: Any = next((agents[name] for name in [*named, agent_of.get(session_id, "")] if name in agents), {})
        yield {
            # A session's id may be a word, such as "inbox".
            "id": uid if topic else "",
            "title": fields.text(topic, "title") if topic else _name(session) or _name(agent),
            "createdAt": next(filter(None, fields.values(topic, _CREATED)), None),
            "updatedAt": next(filter(None, fields.values(topic, "updatedAt|updateAt")), None),
            "systemPrompt": fields.text(session, "config.systemRole") or fields.text(agent, "systemRole"),
            "pinned": bool(topic.get("favorite")),
            "messages": messages,
            "threads": _by_id(tables["threads"]),
        }


def _name(place: Any) -> str:
    """Return the name of a session or an agent."""
    return fields.text(place, "meta.title|title")


def _by_id(rows: Iterable[Any]) -> dict[str, Any]:
    """Return the rows of a table by their ids."""
    return {fields.text(row, "id"): row for row in rows if fields.text(row, "id")}


def _messages(entry: Any, chat: ChatBuilder) -> Iterator[Any]:
    """Yield the messages in the order of their time, then those of threads, which branch off where they began."""
    rows = [with_fields(row, id=_uid(row)) for row in fields.items(entry, "messages")]
    threads = fields.mapping(entry, "threads")
    rows.sort(key=lambda row: (bool(row.get("threadId")), fields.time(row, _CREATED) or 0.0))
    known = {row["id"] for row in rows}
    parents: dict[str, str | None] = {}
    latest: dict[str, str | None] = {}
    for row in rows:
        uid = row["id"]
        thread = fields.text(row, "threadId")
        follows = latest.setdefault(thread, fields.text(threads.get(thread), "sourceMessageId") or None)
        named = fields.text(row, "parentId")
        parent = named if named in known and named != uid else follows
        parents[uid] = parent
        # An answer that was asked for again later does not end the chat.
        if parent == follows or (follows is not None and parent == parents.get(follows)):
            latest[thread] = uid
        yield _message(row, parent, chat)
    chat.selected = _shown(rows, parents)


def _uid(row: Any) -> str:
    """Return the id of a message."""
    return fields.text(row, "id") or derived_uid(fields.text(row, "content"), fields.time(row, _CREATED))


def _message(row: Mapping[str, Any], parent: str | None, chat: ChatBuilder) -> dict[str, Any]:
    """Return a message with the names that `ChatForm` knows."""
    role = fields.text(row, "role")
    content = fields.text(row, "content")
    thought = fields.text(row, "reasoning.content|reasoning")
    if fields.mapping(row, "reasoning") and not thought:
        chat.left_out["reasoning"] += 1
    return {
        "id": row["id"],
        "parent": parent,
        "role": _ROLES.get(role, role),
        "content": "" if content == _NO_ANSWER and role == "assistant" else _parts(content),
        "thinking": thought,
        "calls": fields.items(row, "tools"),
        "files": [*fields.items(row, "files"), *fields.items(row, "imageList"), *fields.items(row, "fileList")],
        "model": fields.text(row, "model|extra.fromModel|fromModel"),
        "created_at": next(filter(None, fields.values(row, _CREATED)), None),
    }


def _parts(content: str) -> Any:
    """Return the parts of a content with pictures, which is written as JSON; any other content as it is."""
    if not content.startswith('[{"type":"'):
        return content
    written = content.encode("utf-8", "replace")
    if json_steps.count_containers(written, _MOST_PARTS) <= _MOST_PARTS:
        try:
            parts = json.loads(content)
        except (ValueError, RecursionError):
            return content
        if all(fields.text(part, "type") in ("text", "image") for part in parts):
            return parts
    return content


def _read_picture(parts: MessageParts, part: Any) -> None:
    """Add a picture whose address or data are in its part."""
    parts.read_picture({"url": fields.text(part, "image")})


def _shown(rows: Iterable[Mapping[str, Any]], parents: Mapping[str, str | None]) -> str | None:
    """Return the last message of the branch that was shown; None for a chat without messages.

    Where none is named, it is the first branch that goes on, or else the last one.
    """
    children: dict[str | None, list[str]] = {}
    active: dict[str | None, Any] = {}
    for row in rows:
        uid = row["id"]
        active[uid] = next(fields.values(row, "metadata.activeBranchIndex"))
        if not row.get("threadId"):
            children.setdefault(parents[uid], []).append(uid)
    shown: str | None = None
    while branches := children.pop(shown, None):
        index = active.get(shown)
        goes_on = next((uid for uid in branches if uid in children), branches[-1])
        shown = branches[index] if type(index) is int and 0 <= index < len(branches) else goes_on
    return shown


LOBE_CHAT = ChatReader(
    _recognises,
    "title",
    ChatForm(app="lobechat", is_tree=True, messages=_messages, kinds={"image": _read_picture}).read,
    _chats,
)
