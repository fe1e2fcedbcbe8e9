"""What servers send is mended where its meaning is plain; of a list of tools, one that is odd is left out alone."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types as types
from anyio import EndOfStream
from anyio.abc import ObjectReceiveStream
from anyio.streams.memory import MemoryObjectSendStream
from jsonschema import FormatChecker
from jsonschema.validators import validator_for
from pydantic import ValidationError

from app.tools.servers import Server
from app.tools.tool import Tool, is_visible
from engine.grammars.schemas import with_nodes

# A chat's prompt holds every schema, so that servers with more, or with larger ones, could not be used anyway.
MOST_TOOLS = 256
LONGEST_SCHEMA = 64 * 1024
LONGEST_DESCRIPTION = 8 * 1024
LONGEST_TOOL_NAME = 128
# The messages for a server that it may leave unread while it is heard, and the seconds between two looks at them.
MOST_UNREAD, UNREAD_S = 100, 0.05
# Where the package keeps the result of a call.
SENT = "tandem/sent"
# The fields of a tool that are used, apart from its schema.
_USED = ("name", "title", "description", "annotations", "execution")


@asynccontextmanager
async def with_mended_messages(
    transport: AbstractAsyncContextManager[Any], left_out: Callable[[str], object], ended: Callable[[], object]
) -> AsyncGenerator[Any]:
    """Pass on what a server sends, as the package `mcp` accepts it; that would refuse the whole message otherwise.

    `left_out` is called with the names of tools that cannot be mended, and `ended` when no more messages come.
    """
    async with transport as (messages, answers):
        yield _MendedMessages(messages, answers, left_out, ended), answers


@dataclass(frozen=True)
class _MendedMessages(ObjectReceiveStream[Any]):
    """A stream of messages with mended lists of tools and results of calls."""

    messages: ObjectReceiveStream[Any]
    answers: Any
    left_out: Callable[[str], object]
    ended: Callable[[], object]

    async def receive(self) -> Any:
        # The answers to a process that asks without reading them would fill the memory.
        answers = self.answers if isinstance(self.answers, MemoryObjectSendStream) else None
        while answers and answers.statistics().tasks_waiting_send > MOST_UNREAD:
            await anyio.sleep(UNREAD_S)
        try:
            message = await self.messages.receive()
        except EndOfStream:
            self.ended()
            raise
        result = getattr(getattr(message, "message", None), "result", None)
        if not isinstance(result, dict):
            return message
        # If they were of another type, these would cost the whole message.
        if not isinstance(result.get("instructions"), str):
            result.pop("instructions", None)
        if result.get("nextCursor") is not None:
            result["nextCursor"] = str(result["nextCursor"] or "")
        if "content" in result or "structuredContent" in result:
            # Read as it was sent: the package would refuse all of a result with one odd part.
            sent = dict(result)
            result.clear()
            result.update({"content": [], "resultType": "complete", "_meta": {SENT: sent}})
        elif isinstance(result.get("tools"), list):
            listed = result["tools"]
            result["tools"] = []
            for index, tool in enumerate(listed):
                named = tool if isinstance(tool, Mapping) else {}
                if index < MOST_TOOLS and (mended := _mended_tool(named)) is not None:
                    result["tools"].append(mended)
                else:
                    self.left_out(str(named.get("name") or "?")[:LONGEST_TOOL_NAME])
        return message

    async def aclose(self) -> None:
        await self.messages.aclose()


def _mended_tool(tool: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a tool as the package accepts it, with the fields that are used; None if it cannot be understood."""
    schema = arguments_schema(tool.get("inputSchema"))
    # Some languages write an empty object as an empty list.
    found = {key: tool[key] for key in _USED if tool.get(key) not in (None, [])} | {"inputSchema": schema}
    try:
        types.Tool.model_validate(found, by_name=False)
    except ValidationError:
        return None
    return found


def arguments_schema(schema: Any) -> dict[str, Any] | None:
    """Return a tool's schema as that of an object in today's JSON Schema; None if it cannot be understood so."""
    if schema is None or schema is True or schema in ({}, []):
        return {"type": "object", "properties": {}}
    if not isinstance(schema, dict):
        return None
    if schema.get("type") == "object" and _is_valid(schema):
        return schema
    try:
        found = _mended(schema)
    except RecursionError:
        return None
    kinds = found.get("type", "object")
    if kinds != "object" and not (isinstance(kinds, list) and "object" in kinds):
        return None
    found = {key: value for key, value in found.items() if key != "$schema"} | {"type": "object"}
    return found if _is_valid(found) else None


def _is_valid(schema: dict[str, Any]) -> bool:
    try:
        # Nothing here follows its patterns, which are those of JavaScript and not of Python.
        validator_for(schema).check_schema(schema, format_checker=FormatChecker(()))
        return len(json.dumps(schema)) <= LONGEST_SCHEMA
    # A stranger's schema can have anything in it, and raise any exception.
    except Exception:
        return False


def _mended(schema: Any, _: str = "") -> Any:
    """Return a schema without keywords that say nothing, and with those of older versions as today's say it."""
    if not isinstance(schema, Mapping):
        return {} if schema is None else schema
    found = dict[str, Any]()
    for key, value in schema.items():
        says_nothing = value in (None, []) and key not in ("const", "default")
        if says_nothing or (key == "required" and isinstance(value, bool)):
            continue
        written = "prefixItems" if key == "items" and isinstance(value, list) else key
        # Parts have names, as properties have.
        found[written] = with_nodes("properties" if key in ("$defs", "definitions") else key, value, "", _mended)
    if isinstance(found.get("type"), str):
        found["type"] = found["type"].lower()
    for key, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(found.get(key), bool) and found.pop(key) and bound in found:
            found[key] = found.pop(bound)
    return found


def tools_of(server: Server, listed: Iterable[types.Tool]) -> tuple[tuple[Tool, ...], list[str], tuple[str, ...]]:
    """Return the tools that can be used, the names of those that cannot, and of those that are only tasks."""
    found = dict[str, Tool]()
    tasks = list[str]()
    left_out = list[str]()
    for one in listed:
        named = 0 < len(one.name) <= LONGEST_TOOL_NAME and is_visible(one.name)
        if not (len(found) + len(tasks) < MOST_TOOLS and one.name not in found and named):
            left_out.append(one.name[:LONGEST_TOOL_NAME])
        elif one.execution is not None and one.execution.task_support == "required":
            tasks.append(one.name)
        else:
            notes = one.annotations or types.ToolAnnotations()
            title = one.title or notes.title or one.name
            found[one.name] = Tool(
                server=server.name,
                name=one.name,
                called=one.name,
                title=title[:LONGEST_TOOL_NAME] if is_visible(title) else one.name,
                description=(one.description or "")[:LONGEST_DESCRIPTION],
                parameters=one.input_schema,
                read_only=bool(notes.read_only_hint),
                repeatable=bool(notes.read_only_hint or notes.idempotent_hint),
                origin=server.fingerprint,
            )
    return tuple(found.values()), left_out, tuple(tasks)
