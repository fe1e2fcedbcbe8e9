"""What servers send is mended where its meaning is plain; of a list of tools, one that is odd is left out alone."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import anyio
import mcp_types as types
from anyio import EndOfStream
from anyio.abc import ObjectReceiveStream
from anyio.streams.memory import MemoryObjectSendStream
from jsonschema import FormatChecker
from jsonschema.validators import validator_for
from mcp.shared.inbound import find_invalid_x_mcp_header
from pydantic import ValidationError

from app.tools.servers import Server
from app.tools.tool import Tool, is_visible
from engine.grammars.schemas import with_nodes

# A chat's prompt holds every schema, so that servers with more, or with larger ones, could not be used anyway.
MOST_TOOLS = 256
LONGEST_SCHEMA = 64 * 1024
LONGEST_DESCRIPTION = 8 * 1024
LONGEST_TOOL_NAME = 128
# The messages that a server may leave unread before its own messages have to wait.
MOST_UNREAD = 100
# Seconds between two looks at their number.
UNREAD_S = 0.05
# Where the package keeps the result of a call.
SENT = "tandem/sent"
# The fields of a tool that are used, apart from its schema.
_USED = ("name", "title", "description", "annotations", "execution")


@asynccontextmanager
async def with_mended_messages(
    transport: AbstractAsyncContextManager[Any], left_out: Callable[[str], object], ended: Callable[[], object]
) -> AsyncGenerator[Any]:
    """Pass on a server's messages in the form that the package mcp accepts; it would refuse whole messages otherwise.

    `left_out` is called with the names of tools that cannot be mended, and `ended` when no more messages come.
    """
    async with transport as (messages, answers):
        yield _MendedMessages(messages, answers, left_out, ended), answers


@dataclass(frozen=True)
class _MendedMessages(ObjectReceiveStream[Any]):
    """A stream of messages with mended lists of tools and results of calls.

    messages: the stream of the server's messages
    answers: the stream of the messages to the server
    left_out, ended: see `with_mended_messages`
    """

    messages: ObjectReceiveStream[Any]
    answers: Any
    left_out: Callable[[str], object]
    ended: Callable[[], object]

    async def receive(self) -> Any:
        """Return the next message, mended. Waits while the server leaves too many answers unread."""
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
        if isinstance(result, dict):
            self._mend_result(result)
        return message

    def _mend_result(self, result: dict[str, Any]) -> None:
        """Change a result of a request in place, so that the package accepts it."""
        # If they were of another type, these would cost the whole message.
        if not isinstance(result.get("instructions"), str):
            result.pop("instructions", None)
        if result.get("nextCursor") is not None:
            result["nextCursor"] = str(result["nextCursor"] or "")
        is_complete = result.get("resultType") in (None, "complete")
        if is_complete and ("content" in result or "structuredContent" in result):
            # Read as it was sent: the package would refuse all of a result with one odd part.
            sent = dict(result)
            result.clear()
            result.update({"content": [], "resultType": "complete", "_meta": {SENT: sent}})
        elif isinstance(result.get("tools"), list):
            result["tools"] = self._mended_tools(result["tools"])

    def _mended_tools(self, listed: list[Any]) -> list[dict[str, Any]]:
        """Return the tools of a list that can be used; `left_out` gets the names of the others."""
        tools = list[dict[str, Any]]()
        for index, tool in enumerate(listed):
            fields = tool if isinstance(tool, Mapping) else {}
            mended = _mended_tool(fields) if index < MOST_TOOLS else None
            if mended is not None:
                tools.append(mended)
            else:
                self.left_out(str(fields.get("name") or "?")[:LONGEST_TOOL_NAME])
        return tools

    async def aclose(self) -> None:
        await self.messages.aclose()


def _mended_tool(tool: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a tool as the package accepts it, with the fields that are used; None if it cannot be understood."""
    schema = arguments_schema(tool.get("inputSchema"))
    # The package would leave such a tool out without a word, as the protocol without sessions wants it.
    if find_invalid_x_mcp_header(schema) is not None:
        return None
    # Some languages write an empty object as an empty list.
    mended = {key: tool[key] for key in _USED if tool.get(key) not in (None, [])} | {"inputSchema": schema}
    try:
        types.Tool.model_validate(mended, by_name=False)
    except ValidationError:
        return None
    return mended


def arguments_schema(schema: Any) -> dict[str, Any] | None:
    """Return a tool's schema as the schema of an object in today's JSON Schema; None if it cannot be understood so."""
    if schema is None or schema is True or schema in ({}, []):
        return {"type": "object", "properties": {}}
    if not isinstance(schema, dict):
        return None
    if schema.get("type") == "object" and _is_valid(schema):
        return schema
    try:
        mended = _mended(schema)
    except RecursionError:
        return None
    kinds = mended.get("type", "object")
    if kinds != "object" and not (isinstance(kinds, list) and "object" in kinds):
        return None
    mended = {key: value for key, value in mended.items() if key != "$schema"} | {"type": "object"}
    return mended if _is_valid(mended) else None


def _is_valid(schema: dict[str, Any]) -> bool:
    try:
        # Nothing here follows its patterns, which are written for JavaScript and not for Python.
        validator_for(schema).check_schema(schema, format_checker=FormatChecker(()))
        return len(json.dumps(schema)) <= LONGEST_SCHEMA
    # A stranger's schema can have anything in it, and raise any exception.
    except Exception:
        return False


def _mended(schema: Any, _: str = "") -> Any:
    """Return a schema without keywords that say nothing, and with today's keywords in place of older ones.

    {"type": "OBJECT", "required": true, "exclusiveMinimum": true, "minimum": 1} becomes
    {"type": "object", "exclusiveMinimum": 1}. The second argument is what `with_nodes` calls it with.
    """
    if not isinstance(schema, Mapping):
        return {} if schema is None else schema
    mended = dict[str, Any]()
    for key, value in schema.items():
        says_nothing = value in (None, []) and key not in ("const", "default")
        if says_nothing or (key == "required" and isinstance(value, bool)):
            continue
        written = "prefixItems" if key == "items" and isinstance(value, list) else key
        # Parts have names, as properties have.
        mended[written] = with_nodes("properties" if key in ("$defs", "definitions") else key, value, "", _mended)
    if isinstance(mended.get("type"), str):
        mended["type"] = mended["type"].lower()
    for key, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(mended.get(key), bool) and mended.pop(key) and bound in mended:
            mended[key] = mended.pop(bound)
    return mended


class ListedTools(NamedTuple):
    """What can be done with the tools of a list.

    tools: those that can be used
    left_out: the names of those that cannot: too many, of a known name, or without a usable one
    only_as_tasks: the names of those that can be called only as tasks, which are not supported here
    """

    tools: tuple[Tool, ...]
    left_out: tuple[str, ...]
    only_as_tasks: tuple[str, ...]


def tools_of(server: Server, listed: Iterable[types.Tool]) -> ListedTools:
    """Return the tools that a server lists, sorted by whether they can be used.

    Those are left out that are too many, have the name of another, or a name that is too long or cannot be seen. What
    has to be called as a task is listed apart.
    """
    tools = dict[str, Tool]()
    tasks = list[str]()
    left_out = list[str]()
    for tool in listed:
        has_usable_name = 0 < len(tool.name) <= LONGEST_TOOL_NAME and is_visible(tool.name)
        is_full = len(tools) + len(tasks) >= MOST_TOOLS
        if is_full or tool.name in tools or not has_usable_name:
            left_out.append(tool.name[:LONGEST_TOOL_NAME])
        elif tool.execution is not None and tool.execution.task_support == "required":
            tasks.append(tool.name)
        else:
            tools[tool.name] = _usable_tool(server, tool)
    return ListedTools(tuple(tools.values()), tuple(left_out), tuple(tasks))


def _usable_tool(server: Server, tool: types.Tool) -> Tool:
    notes = tool.annotations or types.ToolAnnotations()
    title = tool.title or notes.title or tool.name
    return Tool(
        server=server.name,
        name=tool.name,
        called=tool.name,
        title=title[:LONGEST_TOOL_NAME] if is_visible(title) else tool.name,
        description=(tool.description or "")[:LONGEST_DESCRIPTION],
        parameters=tool.input_schema,
        read_only=bool(notes.read_only_hint),
        repeatable=bool(notes.read_only_hint or notes.idempotent_hint),
        origin=server.fingerprint,
    )
