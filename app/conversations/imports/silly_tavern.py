"""Reads the chats of SillyTavern: *.jsonl in data/<user>/chats and "group chats", a file for each, or one as exported.

The first line may be about the chat: "chat_metadata" with an "integrity" that tells it from others, and in older files
"character_name" and "create_date". The others are messages with "name", "is_user", "mes" and "extra"; answers have all
versions as "swipes", of which "swipe_id" was shown, with what "extra" had for each in "swipe_info". "mes" is the shown
version as edited. This follows SillyTavern's source, global.d.ts and chats.js, and times its utils.js.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.forms import ChatForm, with_fields
from app.conversations.imports.imported import ChatBuilder, ChatReader, derived_uid

_is_head = fields.has("chat_metadata")
_is_older_head = fields.has("user_name", "character_name")
_is_message = fields.has("name", "is_user", "mes")
# Newer versions write this for both names.
_NO_NAME = "unused"
_OF_PROGRAM = "SillyTavern System"
# "2024-07-12@01h31m37s123ms", also with spaces between the parts and without what is padding.
_HUMANIZED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?")
# "June 19, 2023 2:20pm", local time.
_IN_WORDS = re.compile(r"([A-Za-z]{3})[a-z]* (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2})([ap])m", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _recognises(line: object) -> bool:
    """Return whether a value is a line of a chat: older group chats begin with a message."""
    return _is_head(line) or _is_older_head(line) or _is_message(line)


def _chats(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the chat of a file."""
    lines = list(values)
    head: Any = next((line for line in lines if not _is_message(line) and _recognises(line)), {})
    messages = [line for line in lines if _is_message(line)]
    speakers = {fields.text(line, "name"): None for line in messages if _role(line) == "assistant"}
    named = fields.text(head, "character_name")
    created = next(fields.values(head, "create_date"))
    # Branches of a chat are files of their own that share this with it.
    older = f"{named} {created}" if created else ""
    yield {
        "id": fields.text(head, "chat_metadata.integrity") or older,
        "created_at": _time(created),
        "title": named if named != _NO_NAME and named else ", ".join(filter(None, speakers)),
        "messages": messages,
        "has_several": len(speakers) > 1,
    }


def _role(line: Any) -> str:
    """Return the role of whoever wrote a message: "tool", or "program" for what is of neither a person nor a model.

    A message that was hidden from the model stays one of its author.
    """
    if fields.items(line, "extra.tool_invocations"):
        return "tool"
    if fields.text(line, "extra.type") or fields.text(line, "name") == _OF_PROGRAM:
        return "program"
    return "user" if fields.flag(line, "is_user") else "assistant"


def _messages(entry: Any, chat: ChatBuilder) -> Iterator[Any]:
    """Yield the versions of each message as siblings; the messages after them follow the one that was shown."""
    same = Counter[tuple[Any, ...]]()
    for line in fields.items(entry, "messages"):
        role = _role(line)
        versions = _versions(line)
        shown = _shown(line, versions)
        name = fields.text(line, "name") if entry["has_several"] and role == "assistant" else ""
        follows = chat.selected
        for index, (text, about) in enumerate(versions):
            count = len(chat.messages)
            when = _time(about.get("send_date"))
            extra = fields.mapping(about, "extra")
            place = (role, text, str(when), index)
            same[place] += 1
            if fields.text(extra, "reasoning_type") == "hidden" and not fields.text(extra, "reasoning"):
                chat.left_out["reasoning"] += 1
            yield {
                "id": derived_uid(*place, same[place]),
                "parent": follows,
                "role": role,
                "content": f"**{name}:** {text}" if name and text.strip() else text,
                "reasoning": fields.text(extra, "reasoning"),
                "model": fields.text(extra, "model"),
                "timestamp": when,
                "files": _files(extra),
            }
            if index == shown and len(chat.messages) > count:
                chat.selected = chat.last


def _shown(line: Any, versions: list[Any]) -> int:
    """Return the index of the version that was shown."""
    chosen = line.get("swipe_id")
    return chosen if type(chosen) is int and 0 <= chosen < len(versions) else 0


def _versions(line: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the text of each version with what is known of it: "extra" and "send_date"."""
    swipes = fields.items(line, "swipes")
    known = fields.items(line, "swipe_info")
    versions = [(_text(swipe), with_fields(about)) for swipe, about in zip_longest(swipes, known[: len(swipes)])]
    shown = _shown(line, versions)
    # What belongs to the shown version stands in the message itself.
    versions[shown : shown + 1] = [(_text(line["mes"]), with_fields(line))]
    return versions


def _text(text: object) -> str:
    """Return a text; Chub's exports have it in an object."""
    return text if isinstance(text, str) else fields.text(text, "message")


def _files(extra: Mapping[str, Any]) -> list[Any]:
    """Return the files of a message, by their names: they are on SillyTavern's disk, not in the chat."""
    older = [fields.text(extra, "image"), *fields.items(extra, "image_swipes"), fields.text(extra, "video")]
    newer = [fields.text(file, "url") for file in fields.items(extra, "media")]
    urls = dict.fromkeys(url for url in [*older, *newer] if isinstance(url, str) and url)
    attached = [fields.mapping(extra, "file"), *fields.items(extra, "files")]
    names = [(fields.text(file, "name"), fields.text(file, "url")) for file in attached if file]
    return [_file("", url) for url in urls] + [_file(name, url) for name, url in names]


def _file(name: str, url: str) -> dict[str, str]:
    """Return a file as `ChatForm` reads it, with the data in its URL or the last part of its path."""
    if url.startswith("data:"):
        return {"name": name, "url": url}
    last = url.rpartition("/")[2]
    return {"name": name or last, "url": last}


def _time(value: object) -> object:
    """Return a time as `fields.time` reads it; SillyTavern has written it in several ways."""
    if not isinstance(value, str):
        return value
    if numbers := _HUMANIZED.search(value):
        year, month, day, hour, minute, second, thousandths = numbers.groups("0")
        time = f"{hour:0>2}:{minute:0>2}:{second:0>2}.{thousandths:0>3}"
        return f"{year}-{month:0>2}-{day:0>2}T{time}Z"
    if (words := _IN_WORDS.search(value)) and words[1].lower() in _MONTHS:
        number = _MONTHS.index(words[1].lower()) + 1
        of_day = int(words[4]) % 12 + (12 if words[6].lower() == "p" else 0)
        return f"{words[3]}-{number:02}-{words[2]:0>2}T{of_day:02}:{words[5]}:00"
    return value


SILLY_TAVERN = ChatReader(
    _recognises, "title", ChatForm(app="sillytavern", is_tree=True, messages=_messages).read, _chats
)
