"""Rewrites what programs send as what the structs of this API know, before it is read as them.

Programs send fields of other APIs and of newer versions, and conversations whose past is broken. Known fields are kept,
other readable content becomes text, and the rest is dropped and named in `skipped`, so that the answer can mention it.
Only what cannot be answered at all is refused.
"""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Callable, Collection
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from app.text.fences import file_block
from app.text.file_texts import NotAttachable, text_of_file
from app.text.picture_data import kind_of_picture, url_of_picture
from engine.files.reading_time import ReadingTime

log = logging.getLogger(__name__)

Object = dict[str, Any]
# The header of an answer that names what was left out of its request.
SKIPPED_HEADER = "x-tandem-skipped"
# The time of the request that this thread reads: its files are given up once that is abandoned.
READING_TIME: ContextVar[ReadingTime] = ContextVar("reading_time")
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant", "function": "tool"}
_TEXTS = ("text", "input_text", "output_text")
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "reasoning_text")
_DOCUMENTS = ("document", "file", "input_file")
# The members of an object that a model can read, in the order in which it reads them.
_READABLE_KEYS = (
    *("title", "name", "tool_name", "url", "uri", "source", "query", "queries", "code", "action", "text", "summary"),
    *("refusal", "transcript", "stdout", "stderr", "content", "output", "outputs", "results", "result", "logs"),
    *("error", "error_code", "message"),
)
# Sources of documents and pictures whose content is somewhere else, or no text.
_ELSEWHERE = ("base64", "file", "image", "input_image", "image_url", "computer_screenshot", "input_audio", "audio")
_SCHEMAS = ("parameters", "input_schema", "inputSchema")
_DATA_URL = re.compile(r"\Adata:([^;,]*)[^,]*,", re.IGNORECASE)
_NOT_IN_LOGGED_NAME = re.compile(r"[^\w .+/-]", re.ASCII)
# Limits of what the log says of left-out fields, which clients choose.
_LONGEST_NAME = 60
_MOST_NAMES = 20
_logged: set[str] = set()


def note_skipped(path: str, skipped: Collection[str]) -> dict[str, str]:
    """Return the header that names what was left out of a request, and say each name once in the log."""
    names = sorted({_NOT_IN_LOGGED_NAME.sub("", name)[:_LONGEST_NAME] for name in skipped} - {""})[:_MOST_NAMES]
    for name in names:
        if name not in _logged and len(_logged) < 1000:
            _logged.add(name)
            log.info("%s: requests have `%s`, which is left out", path, name)
    return {SKIPPED_HEADER: ", ".join(names)} if names else {}


def role_of(message: Object) -> str:
    """Return the role of a message under the name that it has here; others are returned as they are."""
    role = message.get("role") or "user"
    return _ROLES.get(role, role) if isinstance(role, str) else role


def messages_of(value: Any, read: Callable[[Object], Object]) -> Any:
    """Return the messages of a conversation, each as `read` rewrites it."""
    if not isinstance(value, list):
        return value
    given = [message for message in value if message is not None]
    objects = [{"role": "user", "content": message} if isinstance(message, str) else message for message in given]
    return [read(message) if isinstance(message, dict) else message for message in objects]


def with_known_role(message: Object, roles: Collection[str], content: Any) -> Object:
    """Return the message with this content; one of a role that is not among `roles` is text of the user."""
    role = role_of(message)
    if isinstance(role, str) and role not in roles:
        return {**message, "role": "user", "content": f"{role}: {readable_text(content)}"}
    return {**message, "role": role, "content": content}


def parts_of(value: Any, known: Collection[str], picture: Callable[[Any], Object], skipped: list[str]) -> Any:
    """Return a content with parts of the kinds that are `known`; `picture` makes one of a data URL."""
    given = [value] if isinstance(value, dict) else value
    return [_part(part, known, picture, skipped) for part in given] if isinstance(given, list) else given


def _part(part: Any, known: Collection[str], picture: Callable[[str], Object], skipped: list[str]) -> Any:
    """Return a part of a content as one of a known kind, a picture or a text; see `parts_of`."""
    if not isinstance(part, dict):
        return {"type": "text", "text": part} if isinstance(part, str) else part
    kind = _kind_of(part)
    if kind in _TEXTS:
        return {"type": "text", "text": part.get("text") if part.get("text") is not None else ""}
    if kind in known:
        return {**part, "text": ""} if "text" in part and part["text"] is None else part
    if (url := _picture_url(part)) is not None:
        return picture(url)
    if kind in _DOCUMENTS:
        return _document(part, picture, skipped)
    return {"type": "text", "text": _unknown_text(kind, part, skipped)}


def _kind_of(part: Object) -> str:
    """Return the type of a part, or the type that it seems to have if it names none."""
    kind = part.get("type")
    if isinstance(kind, str):
        return kind
    if isinstance(part.get("text"), str):
        return "text"
    return "image_url" if "image_url" in part else "part"


def _unknown_text(kind: str, part: Object, skipped: list[str]) -> str:
    """Return what a model can read in a part of an unknown kind; "" for thoughts, and for none, which is skipped."""
    if kind in _THOUGHTS:
        return ""
    text = readable_text(part)
    if not text:
        skipped.append(kind)
        return ""
    return f"{text}\n\n"


def _picture_url(part: Object) -> Any:
    """Return the address of a picture in any of the forms of the field, None for no picture."""
    source = part.get("source")
    is_image = part.get("type") == "image"
    if is_image and isinstance(source, dict) and source.get("data") is not None:
        return f"data:{source.get('media_type') or 'image'};base64,{source['data']}"
    places = [part.get("image_url"), part.get("image")]
    if is_image:
        places.append(source)
    for place in places:
        url = place.get("url") if isinstance(place, dict) else place
        if url is not None:
            return url
    return None


def _document(part: Object, picture: Callable[[str], Object], skipped: list[str]) -> Object:
    """Return a file in a content as its text, or as a picture if it is one."""
    source = next((part[key] for key in ("source", "file") if isinstance(part.get(key), dict)), part)
    name = str(part.get("title") or source.get("filename") or part.get("filename") or "document")[:200]
    data = source.get("data") or source.get("file_data")
    if source.get("type") == "content":
        text = readable_text(source.get("content"))
    elif not isinstance(data, str):
        skipped.append(f"{part['type']} without its content")
        return {"type": "text", "text": f"[The content of {name} was not sent.]\n\n"}
    elif source.get("type") == "text":
        text = data
    else:
        try:
            content = base64.b64decode("".join(_DATA_URL.sub("", data).split()), validate=True)
            if kind_of_picture(content):
                return picture(url_of_picture(content))
            text = _read(name, content)
        except (ValueError, NotAttachable) as error:
            skipped.append(f"{part['type']} that cannot be read")
            why = error.reason if isinstance(error, NotAttachable) else "damaged"
            return {"type": "text", "text": f"[{name} cannot be read: {why}.]\n\n"}
    context = part.get("context")
    about = f"{context}\n\n" if isinstance(context, str) and context else ""
    return {"type": "text", "text": f"{about}{file_block(name, text)}\n\n"}


# A file's text does not depend on the request, whose time is only spent if the text is not known.
@lru_cache(maxsize=4)
def _read(name: str, content: bytes) -> str:
    """Return the text of a file. Programs send the same files again with every turn."""
    return text_of_file(name, content, time=READING_TIME.get(None)).text


def readable_text(value: Any) -> str:
    """Return what a model can read in a value of any kind, as plain text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(readable_text, value)))
    if not isinstance(value, dict) or value.get("type") in _ELSEWHERE:
        return ""
    if value.get("type") == "text" and isinstance(value.get("data"), str):
        return str(value["data"])
    if isinstance(value.get("input"), dict | str):
        return f"{value.get('name') or value.get('type')}({_as_text(value['input'])})"
    return readable_text([value[key] for key in _READABLE_KEYS if key in value])


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def arguments_of(value: Any) -> Object:
    """Return the arguments of a call as an object; another value, also invalid JSON, is wrapped unchanged."""
    parsed = value
    if isinstance(value, str):
        try:
            parsed = json.loads(value or "{}")
        except (ValueError, RecursionError):
            parsed = value
    if parsed is None:
        return {}
    return parsed if isinstance(parsed, dict) else {"arguments": parsed}


def function_of(tool: Object) -> tuple[str, Object] | None:
    """Return a tool's kind, "function" or "custom", which takes one text, and its definition; None for others."""
    kind = tool.get("type") or "function"
    if kind not in ("function", "custom"):
        return None
    inner = tool.get(kind)
    fields: Object = inner if isinstance(inner, dict) else tool
    about = fields.get("description")
    schemas = [key for key in _SCHEMAS if key in fields]
    function: Object = {"name": fields.get("name"), "description": about if isinstance(about, str) else None}
    if kind == "function" or schemas:
        schema = fields[schemas[0]] if schemas else None
        return "function", function | {"parameters": schema if isinstance(schema, dict) else None}
    rule = fields.get("format")
    rule = rule.get("grammar", rule) if isinstance(rule, dict) else None
    if isinstance(rule, dict) and isinstance(rule.get("definition"), str):
        description = function["description"] or ""
        function["description"] = f"{description}\n\nIts text follows this grammar:\n{rule['definition']}"
    return "custom", function | {"parameters": CUSTOM_PARAMETERS}


def functions_of(tools: Any, skipped: list[str], kept_kinds: Collection[str] = ()) -> list[tuple[str, Any]]:
    """Return the tools that a model can call, each with its kind: "function", "custom", or one in `kept_kinds`.

    The tools of `kept_kinds` are as they were sent. `skipped` gets the kinds of those that no model here can call.
    What is no object is returned as a function, to be refused.
    """
    functions: list[tuple[str, Any]] = []
    for tool in tools if isinstance(tools, list) else ():
        kind = tool.get("type") if isinstance(tool, dict) else ""
        if kind in kept_kinds:
            functions.append((str(kind), tool))
        elif not isinstance(tool, dict):
            functions.append(("function", tool))
        elif (function := function_of(tool)) is not None and function[1]["name"] in (None, ""):
            skipped.append("tool without a name")
        elif function is not None:
            functions.append(function)
        else:
            skipped.append(str(kind))
    return functions


CUSTOM_INPUT = "input"
_CUSTOM_BEGIN = re.compile(rf'\{{"{CUSTOM_INPUT}": "')
_IN_QUOTES = re.compile(r'(?:[^"\\]|\\.)*')
CUSTOM_PARAMETERS = {
    "type": "object",
    "properties": {CUSTOM_INPUT: {"type": "string"}},
    "required": [CUSTOM_INPUT],
    "additionalProperties": False,
}


class GrowingCustomText:
    """The text that a call of a custom tool passes on, while the JSON of its arguments grows."""

    def __init__(self) -> None:
        self._arguments = ""
        # What was returned of the text, and how much of the JSON was read.
        self._text_began = False
        self._read_end = 0

    def add(self, arguments: str) -> str:
        """Add a piece of the JSON, which does not end within an escape, and return what it adds to the text."""
        self._arguments += arguments
        if not self._text_began:
            begin = _CUSTOM_BEGIN.match(self._arguments)
            if begin is None:
                return self._whole_text()
            self._text_began = True
            self._read_end = begin.end()
        part = _IN_QUOTES.match(self._arguments, self._read_end)
        assert part is not None
        self._read_end = part.end()
        return str(json.loads(f'"{part[0]}"'))

    def _whole_text(self) -> str:
        """Return the text of whole arguments that do not begin with it, "" of others."""
        try:
            return custom_text(self._arguments)
        except ValueError:
            return ""


def custom_text(arguments: str) -> str:
    """Return the text that a call of a custom tool passes on."""
    text = json.loads(arguments).get(CUSTOM_INPUT, "")
    return _as_text(text)
