"""The results of calls as a model gets them: text, and pictures that were checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from app.text.picture_data import kind_of_picture, picture_of_base64, picture_of_url
from app.tools.tool import ToolPicture, ToolResult
from engine.errors import EngineError
from engine.files.reading_time import ReadingTime
from engine.pictures.reading import common_file, digest_of, picture_size

# A result beyond this would not fit into the context of most models, and nobody reads it in a window.
LONGEST_RESULT = 256 * 1024
MOST_PICTURES = 8
# The characters that are shown of a part of an unknown kind, which may be a film.
_LONGEST_UNKNOWN = 1000
# The attempts to find JSON in a text.
_MOST_ATTEMPTS = 64
_ABOUT_LINKS = ("title", "name", "uri", "mimeType", "size", "description")
_TEXTUAL = re.compile(r"text/|application/([\w.-]+\+)?(json|xml|yaml)|image/svg\+xml")
# Members that hold a whole result, and say nothing about it.
_WRAPPERS = {"result", "results", "content", "text", "output", "value", "data"}
_OPENED = re.compile(r"[\[{]")


def result_of(sent: Mapping[str, Any], seconds: float, pictures_time: ReadingTime) -> ToolResult:
    """Return a server's result of a call as text and pictures. Waits for the process that checks pictures.

    A part that cannot be shown becomes a line that names its kind. A structured result follows the text unless the
    text says the same. Texts whose audience is the user alone are kept from the model, which reads how long they are;
    but it gets all of an error, to correct itself, and all pictures, about which a person asks. `seconds` is how long
    the call took, `pictures_time` the limit for reading all its pictures.
    """
    content = sent.get("content") or []
    structured = sent.get("structuredContent")
    parts = content if isinstance(content, list) else [content]
    failed = sent.get("isError") is True
    pictures = list[ToolPicture]()
    texts = list[str]()
    for_person = list[str]()
    for part in parts:
        shown = _shown(part, pictures, pictures_time)
        if _is_for_person_only(part) and not failed:
            for_person.append(shown)
            shown = f"[Shown to the user only: {len(shown)} characters]"
        texts.append(shown)
    for_model = [part for part in parts if failed or not _is_for_person_only(part)]
    if structured is not None and not _is_said(structured, for_model):
        texts.append(_json(structured))
    return ToolResult(
        _bounded("\n".join(texts)), failed, seconds, tuple(pictures), for_person=_bounded("\n".join(for_person))
    )


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]}\n[These are the first {LONGEST_RESULT} of {len(text)} characters.]"


def _is_for_person_only(part: Any) -> bool:
    """Whether a part of a result is a text whose audience is the user alone."""
    match part:
        case {"text": str(), "annotations": {"audience": ["user"]}}:
            return True
        case {"resource": {"text": str()}, "annotations": {"audience": ["user"]}}:
            return True
        case {"resource": {"text": str(), "annotations": {"audience": ["user"]}}}:
            return True
    return False


def _shown(part: Any, pictures: list[ToolPicture], time: ReadingTime) -> str:
    """Return the text of a part of a result, and add the picture in it to `pictures` if it can be used."""
    match part:
        case str(text) | {"text": str(text)}:
            return text
        case {"resource": {"text": str(text), **file}}:
            return f"[A file: {file.get('uri', '')}]\n{text}"
        case {"type": "resource_link"}:
            return f"[A link: {', '.join(str(part[key]) for key in _ABOUT_LINKS if part.get(key))}]"
        case {"resource": {"blob": str(encoded), **file}}:
            name = f"a file, {file.get('uri', '')}"
        case {"type": str(name), "data": str(encoded), **file}:
            pass
        case _:
            return f"[A part of an unknown kind: {_json(part)[:_LONGEST_UNKNOWN]}]"
    kind = str(file.get("mimeType") or "of an unknown type")
    content = picture_of_url(encoded) or picture_of_base64(encoded) or b""
    known = kind_of_picture(content)
    if len(pictures) < MOST_PICTURES and (known or kind.startswith("image/")):
        with suppress(EngineError):
            content = common_file(content, time)
            width, height = picture_size(content, time)
            pictures.append(ToolPicture(content, digest_of(content), kind_of_picture(content), width, height))
            return f"[A picture of {width} x {height} pixels]"
    if _TEXTUAL.match(kind):
        with suppress(UnicodeDecodeError):
            return f"[As text: {name}, {kind}]\n{content.decode()}"
    return f"[Not shown: {name}, {kind}, {len(content)} bytes]"


def _is_said(value: Any, parts: Sequence[Any]) -> bool:
    """Return whether the parts of a result say all that its structured form says: as JSON in a text, or as they are."""
    # SDKs put a value that is no object into one with a member that says nothing, and each item of a list into a part.
    said = [_content_parts(part) for part in parts]
    while not any(value == part_value for values in said for part_value in values):
        if isinstance(value, list) and len(value) == len(said):
            return bool(value) and all(item in values for item, values in zip(value, said, strict=True))
        if not (isinstance(value, dict) and len(value) == 1 and value.keys() <= _WRAPPERS):
            return False
        [value] = value.values()
    return True


def _content_parts(part: Any) -> list[Any]:
    """Return a part of a result, its text, and the values that this is or contains as JSON."""
    match part:
        case str(text) | {"text": str(text)} | {"resource": {"text": str(text)}}:
            pass
        case _:
            return [part]
    values = [part, text]
    place = 0
    decoder = json.JSONDecoder()
    with suppress(ValueError, RecursionError):
        values.append(json.loads(text))
    for _ in range(_MOST_ATTEMPTS):
        if (start := _OPENED.search(text, place)) is None:
            break
        place = start.end()
        with suppress(ValueError, RecursionError):
            value, place = decoder.raw_decode(text, start.start())
            values.append(value)
    return values


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
