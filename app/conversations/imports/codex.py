"""Reads the sessions of Codex: rollout-*.jsonl in ~/.codex/sessions, a file for each.

The format is that of RolloutLine and ResponseItem in Codex' source. A line has "timestamp", "type" and "payload". Those
of the type "response_item" are what the model got and wrote: messages, thoughts, and calls of tools with their results.
"event_msg" tells the same to Codex' window and is read for a role of which no item has a message; it also has the name
of the session and how many questions were taken back, where another branch begins. "turn_context" names the model.
Until September 2025 a line was an item itself, below a line with the "id" of the session, and the first version wrote
one object with "session" and "items".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.forms import ChatForm, MessageParts, with_fields
from app.conversations.imports.imported import ChatBuilder, ChatReader

_PAYLOADS = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "inter_agent_communication")
_TEXTS = ("input_text", "output_text")
_is_first_version = fields.has("session.id", "items")
_is_of_agent = fields.has("source.subagent")
# The events that tell of a message, by their types or by that of the item that they tell of, with its role.
_OLDER_EVENTS = {"user_message": "user", "agent_message": "assistant"}
_NEWER_EVENTS = {"UserMessage": "user", "AgentMessage": "assistant"}
# Items in which nobody says anything.
_BOOKKEEPING = ("", "ghost_snapshot", "compaction", "context_compaction", "additional_tools")
# The beginnings and ends of what Codex says in a person's name.
_NOTES = (
    ("<environment_context>", "</environment_context>"),
    ("<user_instructions>", "</user_instructions>"),
    ("# AGENTS.md instructions", "</INSTRUCTIONS>"),
    ("<skill>", "</skill>"),
    ("<user_shell_command>", "</user_shell_command>"),
    ("<turn_aborted>", "</turn_aborted>"),
    ("<subagent_notification>", "</subagent_notification>"),
    ("<recommended_plugins>", "</recommended_plugins>"),
    ("<codex_internal_context", "</codex_internal_context>"),
    ("<goal_context>", "</goal_context>"),
    ("<hook_prompt ", "</hook_prompt>"),
)
# What an editor tells of its open files comes before this.
_REQUEST = "## My request for Codex:"


def _recognises(line: object) -> bool:
    """Return whether a value is a line of a session, or a session of the first version."""
    kind = fields.text(line, "type")
    is_item = kind == "message" and fields.text(line, "content.0.type") in _TEXTS
    return is_item or (kind in _PAYLOADS and fields.has("payload")(line)) or _is_first_version(line)


def _sessions(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the session of a file."""
    lines = list(values)
    if len(lines) == 1 and _is_first_version(lines[0]):
        lines = [lines[0]["session"], *fields.items(lines[0], "items")]
    head: Any = next((line for line in lines if fields.text(line, "type") in ("", "session_meta")), {})
    start = fields.mapping(head, "payload") or with_fields(head)
    names = [name for line in lines if (name := fields.text(line, "payload.thread_name"))]
    yield {
        "id": fields.text(start, "id"),
        "created_at": fields.text(start, "timestamp"),
        "title": names[-1] if names else "",
        "of_agent": _is_of_agent(start),
        "lines": lines,
    }


def _messages(session: Any, chat: ChatBuilder) -> Iterator[Any]:
    """Yield the messages, each below the one before; after questions were taken back, below what was before these."""
    entries = [(line, *_entry(line)) for line in fields.items(session, "lines")]
    told = [_message(kind, payload) for _, kind, payload in entries]
    tellings = _tellings(told)
    model = ""
    before_questions: list[str | None] = []
    for (line, kind, payload), message in zip(entries, told, strict=True):
        model = fields.text(payload, "model") if kind == "turn_context" else model
        taken_back = payload.get("num_turns") if fields.text(payload, "type") == "thread_rolled_back" else None
        if isinstance(taken_back, int) and taken_back > 0 and before_questions:
            chat.selected = before_questions[-taken_back:][0]
            del before_questions[-taken_back:]
        if not message or ("content" in message and message["telling"] > tellings[message["role"]]):
            continue
        follows = chat.selected
        count = len(chat.messages)
        when = fields.text(line, "timestamp")
        about = {"of_agent": session["of_agent"], "model": model, "timestamp": when, "place": [follows, when]}
        yield with_fields(message, id=None, parent=follows, **about)
        if len(chat.messages) > count:
            chat.selected = chat.last
            if chat.messages[-1].role == "user":
                before_questions.append(follows)


def _tellings(told: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return, by role, the telling of its messages that is read: the first one that there is in the session."""
    tellings: dict[str, int] = {}
    for message in told:
        if "content" in message:
            tellings[message["role"]] = min(message["telling"], tellings.get(message["role"], message["telling"]))
    return tellings


def _entry(line: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the type of a line and what it holds; for a line that is an item itself, as the newer ones say it."""
    kind = fields.text(line, "type")
    if kind in _PAYLOADS:
        return kind, fields.mapping(line, "payload")
    if kind and not fields.has("payload")(line):
        kind = "response_item"
    return kind, with_fields(line)


def _message(kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message of a line with the names that `ChatForm` knows, or "left_out" with a reason.

    {} if a line holds none. "telling" is 0 for an item, and more for an event that may repeat one.
    """
    item = fields.text(payload, "type")
    if kind == "event_msg":
        if role := _OLDER_EVENTS.get(item):
            return {"role": role, "content": fields.text(payload, "message"), "telling": 1}
        if role := _NEWER_EVENTS.get(fields.text(payload, "item.type")):
            return {"role": role, "content": fields.items(payload, "item.content"), "telling": 2}
        return {}
    if kind == "compacted":
        return {"left_out": "role", "telling": 0}
    if kind == "inter_agent_communication" or item == "agent_message":
        return {"left_out": "agent", "telling": 0}
    return {**_item(item, payload), "telling": 0} if kind == "response_item" and item not in _BOOKKEEPING else {}


def _item(kind: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message of an item of this type, or why it is left out."""
    if kind == "message":
        return _said(item)
    if kind == "reasoning":
        thoughts = [fields.text(part, "text") for part in fields.items(item, "content|summary")]
        thought = "\n\n".join(filter(None, thoughts))
        return {"role": "assistant", "thinking": thought} if thought else {"left_out": "reasoning"}
    if kind == "image_generation_call" and (picture := fields.text(item, "result")):
        return {"role": "assistant", "files": [picture]}
    return {"left_out": "tool" if "call" in kind or "tool" in kind else "role"}


def _said(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a person or the model said. What Codex says is left out, also where it does so in a person's name."""
    role = fields.text(message, "role")
    parts = fields.items(message, "content")
    texts = [fields.text(part, "text").strip() for part in parts]
    is_note = any(text.startswith(start) and text.endswith(end) for text in texts for start, end in _NOTES)
    if role not in ("user", "assistant") or (role == "user" and is_note):
        return {"left_out": "role"}
    # Texts around a picture only say that it is one.
    said = [part for part, text in zip(parts, texts, strict=True) if role != "user" or not _is_around_picture(text)]
    return {"role": role, "content": said}


def _is_around_picture(text: str) -> bool:
    return text in ("<image>", "</image>") or (text.startswith("<image name=") and text.endswith(">"))


def _finished(parts: MessageParts, _message: Any, text: str) -> str:
    """Return a question without what an editor told of its open files."""
    _, begin, request = text.partition(_REQUEST)
    return request.strip() if parts.role == "user" and begin else text


def _passes_over(message: Any) -> str | None:
    """Return why an item is left out; None for one that is read."""
    return "agent" if message["of_agent"] else message.get("left_out")


CODEX = ChatReader(
    _recognises,
    "title",
    ChatForm(app="codex", is_tree=True, messages=_messages, finish=_finished, passes_over=_passes_over).read,
    _sessions,
)
