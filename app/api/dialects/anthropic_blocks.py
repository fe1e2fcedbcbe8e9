"""Rewrites the messages and tools of the Anthropic API as the structs of `anthropic_messages` know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.api.requests.lenient_content import arguments_of, functions_of, parts_of, role_of, with_known_role

_TOOL_CHANGES = ("tool_addition", "tool_removal")
# The kinds of blocks that messages are read with, other than texts and pictures.
_KNOWN = ("thinking", "tool_use", "tool_result")
# Tools that programs run themselves, by the beginnings of their types; the models of Anthropic know their schemas.
_TEXT = {"type": "string"}
_LINE = {"type": "integer"}
_EDITS: dict[str, Any] = {"command": {"enum": ["view", "create", "str_replace", "insert"]}}
_EDITS |= dict.fromkeys(("path", "file_text", "old_str", "new_str", "insert_text"), _TEXT)
_OWN_TOOLS: dict[str, dict[str, Any]] = {
    "bash_": {"command": _TEXT, "restart": {"type": "boolean"}},
    "text_editor_": _EDITS | {"insert_line": _LINE, "view_range": {"type": "array", "items": _LINE}},
}


def readable_message(message: dict[str, Any], changes: list[dict[str, Any]], skipped: list[str]) -> dict[str, Any]:
    """Rewrite a message as `anthropic_messages` reads it. `changes` gets the tools that it adds or removes."""
    given = message.get("content")
    blocks = [given] if isinstance(given, dict) else given
    if isinstance(blocks, list):
        changed = [block for block in blocks if isinstance(block, dict) and block.get("type") in _TOOL_CHANGES]
        changes += changed
        blocks = [_readable_block(block, skipped) for block in blocks if block not in changed]
    role = "system" if message.get("role") == "developer" else role_of(message)
    content = parts_of(blocks, _KNOWN, _picture, skipped)
    return with_known_role({"role": role}, ("user", "assistant", "system"), content)


def _readable_block(block: Any, skipped: list[str]) -> Any:
    if not isinstance(block, dict):
        return block
    if block.get("type") == "thinking":
        return {**block, "thinking": block.get("thinking") or ""}
    if block.get("type") == "tool_use":
        named = {key: str(block.get(key) or "") for key in ("id", "name")}
        return {"type": "tool_use", **named, "input": arguments_of(block.get("input"))}
    if block.get("type") == "tool_result":
        content = parts_of(block.get("content"), (), _picture, skipped)
        return {"type": "tool_result", "tool_use_id": str(block.get("tool_use_id") or ""), "content": content}
    return block


def after_compaction(messages: Any) -> Any:
    """Return the messages from the last block on that sums those before it up, which is a text of the user."""
    for index, message in reversed([*enumerate(messages)]) if isinstance(messages, list) else ():
        content: Any = message.get("content") if isinstance(message, dict) else None
        for place, block in reversed([*enumerate(content)]) if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") == "compaction" and block.get("content"):
                remainder = {**message, "content": content[place + 1 :]}
                return [{"role": "user", "content": [block]}, remainder, *messages[index + 1 :]]
    return messages


def _picture(url: Any) -> dict[str, Any]:
    head, _, data = str(url).partition(";base64,")
    source = {"type": "base64", "data": data} if data and head[:5].lower() == "data:" else {"type": "url", "url": url}
    return {"type": "image", "source": source}


def readable_tools(tools: list[Any], changes: Sequence[dict[str, Any]], skipped: list[str]) -> list[Any]:
    """Return the tools that the model can call, as `anthropic_messages` reads them, after all `changes` by messages.

    `skipped` gets the kinds of those that run at Anthropic. What is no object is returned as it is, to be refused.
    """
    offered = [_with_known_schema(tool) for tool in tools]
    for change in changes:
        _apply(change, offered)
    return [
        {**function, "input_schema": function["parameters"]} if isinstance(function, dict) else function
        for _, function in functions_of(list(map(_with_examples, offered)), skipped)
    ]


def _with_known_schema(tool: Any) -> Any:
    """Return a tool, with its schema if it is one that Anthropic's models know without."""
    kind = str(tool.get("type") or "") if isinstance(tool, dict) else ""
    for start, properties in _OWN_TOOLS.items():
        if kind.startswith(start):
            return {"name": tool.get("name"), "input_schema": {"type": "object", "properties": properties}}
    return tool


def _with_examples(tool: Any) -> Any:
    """Return a tool with its examples of arguments as those of its schema, which templates show to the model."""
    if not isinstance(tool, dict) or not isinstance(tool.get("input_schema"), dict) or not tool.get("input_examples"):
        return tool
    return {**tool, "input_schema": {**tool["input_schema"], "examples": tool["input_examples"]}}


def _apply(change: dict[str, Any], offered: list[Any]) -> None:
    """Remove a tool from those that are offered, or add one unless its name is known, as a message says."""
    tool = change.get("tool")
    definition = tool.get("definition", tool) if isinstance(tool, dict) else None
    if not isinstance(definition, dict):
        definition = {}
    if change["type"] == "tool_removal":
        gone = definition.get("name") or definition.get("tool_name")
        offered[:] = [other for other in offered if _name_of(other) != gone]
    elif "input_schema" in definition and definition.get("name") not in map(_name_of, offered):
        offered.append(definition)


def _name_of(tool: Any) -> Any:
    return tool.get("name") if isinstance(tool, dict) else None
