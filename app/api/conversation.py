"""Messages in the shape of the OpenAI API as the engine takes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from app.api.bodies import Fields
from app.api.errors import bad_field, unsupported
from app.api.tool_use import ToolUse, function_tool, openai_choice, tool_use

# Parts that are text; a refusal is what the assistant said, too.
_TEXT_PARTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_ROLES = ("system", "developer", "user", "assistant", "tool")

Message = dict[str, Any]


def conversation_of(fields: Fields) -> list[Message]:
    """`messages` as turns for the engine. Raises `ApiError`."""
    return joined_instructions([conversation_turn(message) for message in fields.objects("messages")])


def joined_instructions(messages: Sequence[Message]) -> list[Message]:
    """The conversation with all instructions at its beginning as one system message: templates know no more."""
    count = next((index for index, message in enumerate(messages) if message["role"] != "system"), len(messages))
    if count < 2:
        return list(messages)
    text = "\n\n".join(message["content"] for message in messages[:count])
    return [{"role": "system", "content": text}, *messages[count:]]


def text_of(fields: Fields, key: str) -> str:
    """A text, or the text of an array of parts. Raises `ApiError` for parts that are no text."""
    value = fields.raw(key)
    if value is None or isinstance(value, str):
        return value or ""
    texts = []
    for part in fields.objects(key):
        kind = part.required_text("type")
        if kind not in _TEXT_PARTS:
            raise unsupported(part.name("type"), f"Content of the type {kind[:40]!r} is not supported, only text.")
        texts.append(part.required_text(_TEXT_PARTS[kind]))
    return "".join(texts)


def tools_of(fields: Fields, tool_format: str) -> ToolUse:
    """The functions that the model may or must call. Raises `ApiError`."""
    tools = [_tool(tool) for tool in fields.objects("tools")]
    return tool_use(tool_format, tools, *openai_choice(fields), parallel=fields.flag("parallel_tool_calls", True))


def call_turn(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    """A call of the assistant in the form that chat templates take: `arguments` are an object."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def parsed_arguments(fields: Fields, key: str = "arguments") -> Any:
    """The arguments of a call, which travel as the text of a JSON object."""
    try:
        arguments = json.loads(fields.text(key, "{}") or "{}")
    except (ValueError, RecursionError) as error:
        raise bad_field(fields.name(key), "the text of a JSON object") from error
    if not isinstance(arguments, dict):
        raise bad_field(fields.name(key), "the text of a JSON object")
    return arguments


def _tool(tool: Fields) -> dict[str, Any]:
    if tool.text("type", "function") != "function":
        raise unsupported(tool.name("type"), "Only tools of the type `function` are supported.")
    function = tool.fields("function")
    parameters = function.fields("parameters").values
    return function_tool(function.required_text("name"), function.text("description"), dict(parameters))


def conversation_turn(message: Fields) -> Message:
    """One message as a turn for the engine. Raises `ApiError`."""
    role = message.required_text("role")
    if role not in _ROLES:
        raise bad_field(message.name("role"), f"one of {', '.join(_ROLES)}")
    turn: Message = {"role": "system" if role == "developer" else role, "content": text_of(message, "content")}
    if role == "assistant":
        calls = [
            call_turn(
                call.text("id", "") or "",
                call.fields("function").required_text("name"),
                parsed_arguments(call.fields("function")),
            )
            for call in message.objects("tool_calls")
        ]
        if calls:
            turn["tool_calls"] = calls
        if message.has("reasoning_content"):
            turn["reasoning_content"] = message.text("reasoning_content")
    if role == "tool":
        turn["tool_call_id"] = message.text("tool_call_id", "")
    return turn
