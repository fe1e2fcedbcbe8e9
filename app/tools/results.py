"""The results of calls as a model gets them: text, and pictures that were checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import mcp_types as types
from pydantic import TypeAdapter, ValidationError

from app.text.picture_data import kind_of_picture, picture_of_base64, picture_of_url
from app.tools.tool import ToolPicture, ToolResult
from engine.errors import EngineError
from engine.files.reading_time import ReadingTime
from engine.pictures.reading import common_file, digest_of, picture_size

# A result beyond this would not fit into the context of most models, and nobody reads it in a window.
LONGEST_RESULT, MOST_PICTURES = 256 * 1024, 8
# The characters of a part of an unknown kind, which may be a film, and the attempts to find JSON in a text.
_LONGEST_UNKNOWN, _MOST_ATTEMPTS = 1000, 64
# The fields of a part that are used. What a server writes into the others must not cost its result.
_USED = ("type", "text", "data", "mimeType", "resource", "uri", "name", "title", "description", "size")
_PARTS: TypeAdapter[types.ContentBlock] = TypeAdapter(types.ContentBlock)
_TEXTUAL = re.compile(r"text/|application/([\w.-]+\+)?(json|xml|yaml|toml|javascript)|image/svg\+xml")
# Members that hold a whole result, and say nothing about it.
_WRAPPERS = {"result", "results", "content", "text", "output", "value", "data"}
_OPENED = re.compile(r"[\[{]")


def mended_result(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a server has sent for a call as the package `mcp` accepts it; it would refuse all of it otherwise.

    Parts that it does not know become texts. A structured result that is no object gets one around it, as SDKs do it.
    """
    content, structured = result.get("content") or [], result.get("structuredContent")
    parts = content if isinstance(content, list) else [content]
    found = {**result, "content": [_mended_part(part) for part in parts]}
    if structured is not None and not isinstance(structured, dict):
        found["structuredContent"] = {"result": structured}
    return found


def _mended_part(part: Any) -> dict[str, Any]:
    named = part if isinstance(part, dict) else {"type": "text", "text": part}
    fields = {key: named[key] for key in _USED if named.get(key) is not None}
    if isinstance(resource := fields.get("resource"), dict):
        fields["resource"] = {"uri": "", **{key: value for key, value in resource.items() if value is not None}}
    if "data" in fields:
        fields.setdefault("mimeType", "of an unknown type")
    try:
        return _PARTS.validate_python(fields, by_name=False).model_dump(by_alias=True, exclude_none=True)
    except ValidationError:
        return {"type": "text", "text": f"[A part of an unknown kind: {_json(part)[:_LONGEST_UNKNOWN]}]"}


def result_of(answer: types.CallToolResult, seconds: float, pictures_time: ReadingTime) -> ToolResult:
    """Return what a call has given as text and pictures. Waits for the process that checks these within their time.

    Pictures that cannot be used, sounds and files become a line that says what they were. A structured result follows
    the text unless that says it already.
    """
    pictures: list[ToolPicture] = []
    texts = [_shown(part, pictures, pictures_time) for part in answer.content]
    structured = answer.structured_content
    if structured is not None and not _is_said(structured, answer.content):
        texts.append(_json(structured))
    text = "\n".join(texts)
    if len(text) > LONGEST_RESULT:
        text = f"{text[:LONGEST_RESULT]}\n[These are the first {LONGEST_RESULT} of {len(text)} characters.]"
    return ToolResult(text, bool(answer.is_error), seconds, tuple(pictures))


def _shown(part: types.ContentBlock, pictures: list[ToolPicture], time: ReadingTime) -> str:
    """Return what a part of a result says, and add the picture in it to `pictures` if it can be used."""
    match part:
        case types.TextContent():
            return part.text
        case types.ResourceLink():
            size = f"{part.size} bytes" if part.size is not None else ""
            about = part.title or part.name, part.uri, part.mime_type, size, part.description
            return f"[A link: {', '.join(filter(None, about))}]"
        case types.EmbeddedResource(resource=types.TextResourceContents() as resource):
            return f"[A file: {resource.uri}]\n{resource.text}"
        case types.EmbeddedResource(resource=resource):
            name, kind, encoded = f"a file, {resource.uri}", resource.mime_type or "of an unknown type", resource.blob
        case _:
            name, kind, encoded = part.type, part.mime_type, part.data
    content = picture_of_url(encoded) or picture_of_base64(encoded) or b""
    if len(pictures) < MOST_PICTURES and (picture := _picture_of(content, kind, time)) is not None:
        pictures.append(picture)
        return f"[A picture of {picture.width} x {picture.height} pixels]"
    if _TEXTUAL.match(kind):
        with suppress(UnicodeDecodeError):
            return f"[As text: {name}, {kind}]\n{content.decode()}"
    return f"[Not shown: {name}, {kind}, {len(content)} bytes]"


def _picture_of(content: bytes, kind: str, time: ReadingTime) -> ToolPicture | None:
    """Return the picture in a file of a media type; None if there is none that can be used."""
    known = kind_of_picture(content)
    if not (known or kind.startswith("image/")):
        return None
    try:
        content = content if known else common_file(content, time)
        return ToolPicture(content, digest_of(content), kind_of_picture(content), *picture_size(content, time))
    except EngineError:
        return None


def _is_said(structured: Any, parts: Sequence[types.ContentBlock]) -> bool:
    """Return whether the parts of a result say all that its structured form says: as JSON in a text, or as they are.

    SDKs put what is no object into one with a member that says nothing, and write each item of a list as a part.
    """
    said = [_said(part) for part in parts]
    value = structured
    while True:
        if any(value == one for values in said for one in values):
            return True
        if isinstance(value, list) and len(value) == len(said):
            return bool(value) and all(item in values for item, values in zip(value, said, strict=True))
        if not (isinstance(value, dict) and len(value) == 1 and value.keys() <= _WRAPPERS):
            return False
        [value] = value.values()


def _said(part: types.ContentBlock) -> list[Any]:
    """Return a part of a result, its text, and the values that this is or contains as JSON."""
    text = getattr(part.resource if isinstance(part, types.EmbeddedResource) else part, "text", "")
    found: list[Any] = [part.model_dump(by_alias=True, exclude_none=True), text]
    with suppress(ValueError, RecursionError):
        found.append(json.loads(text))
    place, decoder = 0, json.JSONDecoder()
    for _ in range(_MOST_ATTEMPTS):
        if (start := _OPENED.search(text, place)) is None:
            break
        place = start.end()
        with suppress(ValueError, RecursionError):
            value, place = decoder.raw_decode(text, start.start())
            found.append(value)
    return found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
