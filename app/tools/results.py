"""What a server says, as plain text and pictures for the model and as tools, within limits."""

from __future__ import annotations

import json
from collections.abc import Iterable

import mcp_types as types
from jsonschema import SchemaError
from jsonschema.validators import validator_for

from app.text.picture_data import kind_of_picture, picture_of_base64
from app.tools.servers import Server
from app.tools.tool import Tool, ToolPicture, ToolResult
from engine.errors import EngineError
from engine.pictures.reading import digest_of, picture_size

# A result beyond this would not fit into the context of most models, and nobody reads it in a window.
LONGEST_RESULT = 256 * 1024
MOST_PICTURES = 8
# A chat's prompt holds every schema, so that servers with more, or with larger ones, could not be used anyway.
MOST_TOOLS, LONGEST_SCHEMA, LONGEST_DESCRIPTION = 256, 64 * 1024, 8 * 1024
LONGEST_TOOL_NAME = 128


def result_of(answer: types.CallToolResult, seconds: float) -> ToolResult:
    """Return what a call has given as text and pictures. Waits for the process that checks these.

    Pictures that cannot be used, sounds and files become a line that says what they were.
    """
    found = [(block, _picture_of(block)) for block in answer.content]
    pictures = [picture for _, picture in found if picture is not None][:MOST_PICTURES]
    text = "\n".join(_text_of(block, picture if picture in pictures else None) for block, picture in found)
    if not text and answer.structured_content is not None:
        text = json.dumps(answer.structured_content, ensure_ascii=False)
    if len(text) > LONGEST_RESULT:
        text = f"{text[:LONGEST_RESULT]}\n[These are the first {LONGEST_RESULT} of {len(text)} characters.]"
    return ToolResult(text, bool(answer.is_error), seconds, tuple(pictures))


def _picture_of(block: types.ContentBlock) -> ToolPicture | None:
    """Return the picture in a part of a result; None if there is none that can be used."""
    content = picture_of_base64(block.data) if isinstance(block, types.ImageContent) else None
    if content is None:
        return None
    try:
        size = picture_size(content)
    except EngineError:
        return None
    return ToolPicture(content, digest_of(content), kind_of_picture(content), *size)


def _text_of(block: types.ContentBlock, picture: ToolPicture | None) -> str:
    if picture is not None:
        return f"[A picture of {picture.width} x {picture.height} pixels]"
    match block:
        case types.TextContent():
            return block.text
        case types.ResourceLink():
            return f"[A link: {block.title or block.name}, {block.uri}]"
        case types.EmbeddedResource(resource=types.TextResourceContents() as resource):
            return resource.text
        case types.EmbeddedResource(resource=resource):
            return f"[Not shown: a file, {resource.uri}, {resource.mime_type or 'of an unknown type'}]"
        case types.ImageContent() | types.AudioContent():
            return f"[Not shown: {block.type}, {block.mime_type}]"


def tools_of(server: Server, listed: Iterable[types.Tool]) -> tuple[tuple[Tool, ...], int, tuple[str, ...]]:
    """Return the tools that can be used, the number of those that cannot, and the names of those that are only tasks.

    Those that cannot be used are too many, too large, or not valid.
    """
    found: dict[str, Tool] = {}
    tasks: list[str] = []
    left_out = 0
    for one in listed:
        if not (len(found) + len(tasks) < MOST_TOOLS and one.name not in found and _is_usable(one)):
            left_out += 1
        elif one.execution is not None and one.execution.task_support == "required":
            tasks.append(one.name)
        else:
            found[one.name] = _tool(server, one)
    return tuple(found.values()), left_out, tuple(tasks)


def _is_usable(tool: types.Tool) -> bool:
    schema = tool.input_schema
    if not (0 < len(tool.name) <= LONGEST_TOOL_NAME and tool.name.isprintable() and schema.get("type") == "object"):
        return False
    try:
        validator_for(schema).check_schema(schema)
        return len(json.dumps(schema)) <= LONGEST_SCHEMA
    # A schema names others that do not exist, or refers to itself without end.
    except (SchemaError, RecursionError, ValueError, LookupError):
        return False


def _tool(server: Server, tool: types.Tool) -> Tool:
    notes = tool.annotations
    title = tool.title or (notes.title if notes else None) or tool.name
    return Tool(
        server=server.name,
        name=tool.name,
        called=tool.name,
        title=title[:LONGEST_TOOL_NAME] if title.isprintable() else tool.name,
        description=(tool.description or "")[:LONGEST_DESCRIPTION],
        parameters=tool.input_schema,
        read_only=bool(notes and notes.read_only_hint),
        origin=server.fingerprint,
    )
