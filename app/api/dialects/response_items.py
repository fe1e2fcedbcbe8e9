"""Rewrites the items of a response's input, of which there are many kinds, as messages, calls, results and thoughts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.api.requests.conversation import readable_content, readable_message
from app.api.requests.lenient_content import CUSTOM_INPUT, Object, arguments_of, readable_text

# The members that hold the arguments of a call, by the kind of item. The name of the kind is that of its tool.
_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
    "mcp_call": "arguments",
    "tool_search_call": "arguments",
}
_MESSAGES = ("message", "agent_message", "additional_tools_message")


def readable_items(given: Any, skipped: list[str], tools: list[Any]) -> Any:
    """Return the input as items of the kinds that `responses` reads.

    `skipped` gets the names of what is left out, and `tools` those that a search for tools has found.
    """
    if isinstance(given, str) or not given:
        return given
    items = [given] if isinstance(given, dict) else given
    if not isinstance(items, list):
        return given
    return [readable for item in items if item is not None for readable in _readable(item, skipped, tools)]


def _readable(item: Any, skipped: list[str], tools: list[Any]) -> Iterator[Any]:
    if not isinstance(item, dict):
        yield {"role": "user", "content": item} if isinstance(item, str) else item
        return
    kind = item.get("type") or "message"
    if not isinstance(kind, str):
        yield item
    elif _is_reference(item):
        yield {"type": "item_reference", "reference": item.get("id")}
    elif kind in _CALLS:
        yield from _call(kind, item, skipped)
    elif kind.endswith("_output"):
        listed = item.get("tools")
        offered = [tool for tool in (listed if isinstance(listed, list) else ()) if isinstance(tool, dict)]
        tools += offered
        output = item.get("output", item.get("content"))
        yield _result(item, [tool.get("name") for tool in offered] or output, skipped)
    elif kind == "reasoning":
        content = readable_content(item.get("content"), skipped)
        yield {"type": kind, "content": content if isinstance(content, list) else None}
    elif kind in _MESSAGES or "role" in item:
        yield {**readable_message(item, skipped), "type": "message"}
    else:
        yield from _as_text(kind, item, skipped)


def _is_reference(item: Object) -> bool:
    """Return whether an item is only the id of another one. The type may be left out."""
    is_bare = item.keys() <= {"id", "type"} and "id" in item and not item.get("type")
    return is_bare or item.get("type") == "item_reference"


def _as_text(kind: str, item: Object, skipped: list[str]) -> Iterator[Object]:
    """Yield an item of another kind as a message with what can be read in it, if there is anything."""
    if text := readable_text(item):
        yield {"type": "message", "role": "assistant", "content": f"[{kind.removesuffix('_call')}: {text}]"}
    else:
        skipped.append(kind)


def _call(kind: str, item: Object, skipped: list[str]) -> Iterator[Object]:
    arguments = item.get(_CALLS[kind])
    if kind == "custom_tool_call":
        arguments = {CUSTOM_INPUT: readable_text(arguments)}
    call_id = str(item.get("call_id") or item.get("id") or "")
    name = item.get("name") or kind.removesuffix("_call")
    called = {"type": "function_call", "call_id": call_id, "name": str(name), "arguments": arguments_of(arguments)}
    namespace = item.get("namespace")
    yield called | ({"namespace": namespace} if isinstance(namespace, str) else {})
    if "output" in item or "error" in item:
        yield _result({"call_id": call_id}, item.get("output") or item.get("error"), skipped)


def _result(item: Object, output: Any, skipped: list[str]) -> Object:
    """Return the result of a call: parts with their pictures, or what a model can read in it."""
    parts = [output] if isinstance(output, dict) else output
    if isinstance(parts, list) and all(isinstance(part, dict) and "type" in part for part in parts):
        content = readable_content(parts, skipped)
    else:
        content = readable_text(output)
    return {
        "type": "function_call_output",
        "call_id": str(item.get("call_id") or item.get("id") or ""),
        "output": content,
    }
