"""Turns messages of the OpenAI API into messages of the engine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from msgspec import Struct, field

from app.api.errors import bad_field

Message = dict[str, Any]


class TextPart(Struct, tag_field="type", tag="text"):
    """A part of a content that is text."""

    text: str


class _InputText(TextPart, tag="input_text"):
    pass


class _OutputText(TextPart, tag="output_text"):
    pass


class _Refusal(Struct, tag_field="type", tag="refusal"):
    # A refusal is text of the assistant as well.
    text: str = field(name="refusal")


class _Thought(Struct, tag_field="type", tag="reasoning_text"):
    # Thoughts are no part of a message's text.
    text: ClassVar[str] = ""
    thought: str = field(name="text", default="")


Content = str | list[TextPart | _InputText | _OutputText | _Refusal | _Thought]
Role = Literal["system", "developer", "user", "assistant", "tool"]


class _CalledFunction(Struct):
    name: str
    # Some clients send the object itself.
    arguments: str | dict[str, Any] | None = None

    def __post_init__(self) -> None:
        parsed_arguments(self.arguments)


class _Call(Struct):
    function: _CalledFunction
    id: str | None = None


class MessageFields(Struct, kw_only=True):
    """The fields of a message of any role."""

    content: Content | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: str | None = None
    tool_call_id: str | None = None

    def turn(self, role: str) -> Message:
        """Return the message as a turn for the engine."""
        turn: Message = {"role": "system" if role == "developer" else role, "content": text_of(self.content)}
        if role == "assistant":
            if self.tool_calls:
                turn["tool_calls"] = [
                    call_turn(call.id or "", call.function.name, parsed_arguments(call.function.arguments))
                    for call in self.tool_calls
                ]
            if self.reasoning_content is not None:
                turn["reasoning_content"] = self.reasoning_content
        if role == "tool":
            turn["tool_call_id"] = self.tool_call_id or ""
        return turn


class ChatMessage(MessageFields, kw_only=True):
    """One message of a conversation."""

    role: Role


def joined_instructions(messages: Sequence[Message]) -> list[Message]:
    """Join the instructions at the beginning into one system message: templates take only one."""
    count = next((index for index, message in enumerate(messages) if message["role"] != "system"), len(messages))
    if count < 2:
        return list(messages)
    text = "\n\n".join(message["content"] for message in messages[:count])
    return [{"role": "system", "content": text}, *messages[count:]]


def text_of(content: Content | None) -> str:
    """Return the text of a content."""
    return content if isinstance(content, str) else "".join(part.text for part in content or ())


def thoughts_of(content: Content | None) -> str:
    """Return the thoughts in the content of a reasoning item."""
    return "".join(part.thought for part in content or () if isinstance(part, _Thought))


def call_turn(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    """Return a call of the assistant in the form that chat templates take; `arguments` are an object."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def parsed_arguments(arguments: str | dict[str, Any] | None) -> dict[str, Any]:
    """Return the arguments of a call, parsed if they are the text of a JSON object. Raises `ApiError`."""
    if isinstance(arguments, dict):
        return arguments
    try:
        parsed = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise bad_field("arguments", "the text of a JSON object") from error
    if not isinstance(parsed, dict):
        raise bad_field("arguments", "the text of a JSON object")
    return parsed
