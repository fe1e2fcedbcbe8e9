"""Reads the sessions of Claude Code: *.jsonl in ~/.claude/projects, a file for each.

The format is not documented; this follows what public readers of it describe and test. A line of the type "user" or
"assistant" has "uuid", "parentUuid", "timestamp" and a "message" as Anthropic's API has it; each part of an answer is a
line of its own. What a person types while an answer is written is a line of the type "attachment". Lines of other types
("system", "progress") only stand between these in the tree. Where a session was compacted, the tree begins anew, and
"logicalParentUuid" has what came before. The title is "customTitle", "aiTitle" or "summary" in a line that is no
message; a summary may be one of another session, whose message it then names as "leafUuid".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.forms import ChatForm, MessageParts, with_fields
from app.conversations.imports.imported import ChatBuilder, ChatReader, replaced

_is_message = fields.has("sessionId", "uuid", "message.role")
_is_summary = fields.has("summary", "leafUuid")
_is_snapshot = fields.has("messageId", "snapshot")
# The "subtype" of the line where a session was compacted.
_COMPACTED = "compact_boundary"
# The name of a model for what Claude Code says itself, such as the error of a request.
_OF_PROGRAM = "<synthetic>"
# What the program writes into a person's text, between a tag and its end. A reminder may stand anywhere in it.
_REMINDER = "system-reminder"
_NOTES = (
    "local-command-caveat", "task-notification", "teammate-message", "ide_opened_file", "ide_selection",
    "ide_diagnostics", "user-prompt-submit-hook"
)  # fmt: skip
_OUTPUTS = ("local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr")
# The parts of a command; the message is its name again.
_OF_COMMAND = ("command-message", "command-name", "command-args")
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]{0,40}\]")


def _recognises(line: object) -> bool:
    """Return whether a value is a line of a session. Files may have nothing but summaries, or snapshots of files."""
    return _is_message(line) or _is_summary(line) or _is_snapshot(line)


def _sessions(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the session of a file."""
    lines = list(values)
    messages = [line for line in lines if _is_message(line)]
    yield {
        "id": fields.text(messages[0], "sessionId") if messages else "",
        "created_at": fields.text(messages[0], "timestamp") if messages else "",
        "title": _title(lines),
        "lines": lines,
    }


def _title(lines: list[Any]) -> str:
    """Return the name that a person gave the session last, or else the last one that Claude Code gave it."""
    uids = {fields.text(line, "uuid") for line in lines}
    summaries = [line for line in lines if fields.text(line, "leafUuid") in uids]
    for naming, path in ((lines, "customTitle"), (lines, "aiTitle"), (summaries, "summary")):
        titles = [title for line in naming if (title := fields.text(line, path))]
        if titles:
            return titles[-1]
    return ""


def _messages(session: Any, _chat: ChatBuilder) -> Iterator[Any]:
    """Yield each line of the tree, once."""
    tree = _LineTree()
    for line in fields.items(session, "lines"):
        uid = fields.text(line, "uuid")
        if not uid or uid in tree.answers:
            continue
        message = fields.mapping(line, "message")
        if fields.text(line, "attachment.type") == "queued_command":
            message = {"role": "user", "content": fields.mapping(line, "attachment").get("prompt")}
        parent = tree.add(uid, line)
        when = fields.text(line, "timestamp")
        yield with_fields(message, id=uid, parent=parent, timestamp=when, line=line)


class _LineTree:
    """The lines so far: `answers` has the answer that each is a part of, or "", by its uid."""

    def __init__(self) -> None:
        self.answers: dict[str, str] = {}
        # The last line of each answer, and of all that are no side chain's.
        self._last_of: dict[str, str] = {}
        self._last = ""

    def add(self, uid: str, line: Any) -> str:
        """Add a line, and return the uid of the one that it follows, or ""."""
        parent = fields.text(line, "parentUuid")
        if not parent and fields.text(line, "subtype") == _COMPACTED:
            # Where messages are kept, what it names may only come again after it.
            logical = fields.text(line, "logicalParentUuid")
            parent = logical if logical in self.answers else self._last
        answer = fields.text(line, "message.id") if fields.text(line, "type") == "assistant" else ""
        before = self.answers.get(parent, "")
        if before and before != answer:
            # The result of a call names the part with the call, after which the answer may go on.
            parent = self._last_of[before]
        self.answers[uid] = answer
        self._last_of[answer] = uid
        if not fields.flag(line, "isSidechain"):
            self._last = uid
        return parent


def _passes_over(message: Any) -> str | None:
    """Return why a line is left out; "" for one that only stands in the tree, None for one that is read."""
    line = message["line"]
    if fields.text(message, "role") not in ("user", "assistant"):
        return ""
    if fields.flag(line, "isSidechain"):
        return "agent"
    is_of_program = fields.text(message, "model") == _OF_PROGRAM
    is_note = fields.flag(line, "isMeta|isCompactSummary|isVisibleInTranscriptOnly|isApiErrorMessage")
    return "role" if is_of_program or is_note else None


def _read_thought(parts: MessageParts, part: Any) -> None:
    """Read a thought, or count it: newer versions keep its signature only."""
    thought = fields.text(part, "thinking")
    if thought:
        parts.thoughts.append(thought)
    else:
        parts.chat.left_out["reasoning"] += 1


def _read_file(parts: MessageParts, part: Any) -> None:
    """Read a picture, which is base64; any other file is counted."""
    parts.read_picture(fields.text(part, "source.data") or part)


def _as_typed(parts: MessageParts, _message: Any, text: str) -> str:
    """Return what a person typed, without what the program wrote into it, which is counted."""
    if parts.role != "user":
        return text
    typed = _without(parts, text, _REMINDER, "role").strip()
    if interruption := _INTERRUPTED.match(typed):
        parts.chat.left_out["role"] += 1
        typed = typed[interruption.end() :].strip()
    if typed.startswith("<"):
        for tags, reason in ((_NOTES, "role"), (_OUTPUTS, "tool")):
            for tag in tags:
                typed = _without(parts, typed, tag, reason)
        typed = _command(replaced(typed, "<bash-input>", "</bash-input>", lambda command: f"! {command}"))
    return text if typed == text.strip() else typed.strip()


def _without(parts: MessageParts, text: str, tag: str, reason: str) -> str:
    """Return a text without what is in these tags, which is counted for the reason."""

    def taken(_inside: str) -> str:
        parts.chat.left_out[reason] += 1
        return ""

    return replaced(text, f"<{tag}>", f"</{tag}>", taken)


def _command(text: str) -> str:
    """Return a text; a command as it was typed, "/review 12", whose parts are in tags, before what else there is."""
    if "<command-name>" not in text:
        return text
    inside: dict[str, str] = {}
    for tag in _OF_COMMAND:
        text = replaced(text, f"<{tag}>", f"</{tag}>", partial(_keep, inside, tag))
    command = " ".join(filter(None, [inside.get("command-name"), inside.get("command-args")]))
    return f"{command}\n{text.strip()}"


def _keep(inside: dict[str, str], tag: str, text: str) -> str:
    """Keep what is in a tag, and return what the text has instead."""
    inside[tag] = text.strip()
    return ""


CLAUDE_CODE = ChatReader(
    _recognises,
    "title",
    ChatForm(
        app="claude-code",
        is_tree=True,
        messages=_messages,
        kinds={
            "thinking": _read_thought,
            "redacted_thinking": _read_thought,
            "image": _read_file,
            "document": _read_file,
        },
        finish=_as_typed,
        passes_over=_passes_over,
    ).read,
    _sessions,
)
