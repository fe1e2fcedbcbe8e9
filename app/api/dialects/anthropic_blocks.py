"""Rewrites the messages and tools of the Anthropic API as the structs of `anthropic_messages` know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.api.requests.lenient_content import arguments_of, functions_of, parts_of, role_of, with_known_role

_TOOL_CHANGES = ("tool_addition", "tool_removal")
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
    """Rewrite a message as `_AnthropicMessage` knows it. `changes` gets the tools that it adds or removes."""
    given = message.get("content")
    blocks = [given] if isinstance(given, dict) else given
    if isinstance(blocks, list):
        changed = [one for one in blocks if isinstance(one, dict) and one.get("type") in _TOOL_CHANGES]
        changes += changed
        blocks = [_readable_block(one, skipped) for one in blocks if one not in changed]
    role = "system" if message.get("role") == "developer" else role_of(message)
    content = parts_of(blocks, _KNOWN, _picture, skipped)
    return with_known_role({"role": role}, ("user", "assistant", "system"), content)


def _readable_block(block: Any, skipped: list[str]) -> Any:
    if not isinstance(block, dict):
        return block
    if block.get("type") == "thinking":
        return {**block, "thinking": block.get("thinking") or ""}
    if block.get("type") == "tool_use":
        found = {key: str(block.get(key) or "") for key in ("id", "name")}
        return {"type": "tool_use", **found, "input": arguments_of(block.get("input"))}
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
                rest = {**message, "content": content[place + 1 :]}
                return [{"role": "user", "content": [block]}, rest, *messages[index + 1 :]]
    return messages


def _picture(url: Any) -> dict[str, Any]:
    head, _, data = str(url).partition(";base64,")
    source = {"type": "base64", "data": data} if data and head[:5].lower() == "data:" else {"type": "url", "url": url}
    return {"type": "image", "source": source}


def readable_tools(tools: list[Any], changes: Sequence[dict[str, Any]], skipped: list[str]) -> list[Any]:
    """Return the tools that the model can call, as `_AnthropicTool` has them, after all `changes` by messages."""
    given = list[Any]()
    for tool in tools:
        kind = str(tool.get("type") or "") if isinstance(tool, dict) else ""
        own = next((fields for start, fields in _OWN_TOOLS.items() if kind.startswith(start)), None)
        given.append(
            tool if own is None else {"name": tool.get("name"), "input_schema": {"type": "object", "properties": own}}
        )
    for change in changes:
        tool = change.get("tool")
        definition = tool.get("definition", tool) if isinstance(tool, dict) else {}
        definition = definition if isinstance(definition, dict) else {}
        names = [one.get("name") if isinstance(one, dict) else None for one in given]
        if change["type"] == "tool_removal":
            gone = definition.get("name") or definition.get("tool_name")
            given = [one for one, name in zip(given, names, strict=True) if name != gone]
        elif "input_schema" in definition and definition.get("name") not in names:
            given.append(definition)
    found = functions_of(given, skipped)
    return [{**one, "input_schema": one["parameters"]} if isinstance(one, dict) else one for _, one in found]
