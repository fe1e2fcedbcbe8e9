"""Messages in the shape of the OpenAI API as the engine takes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field

from app.api.errors import bad_field

ONLY_TEXT = Meta(extra={"unsupported": "Content of the type {!r} is not supported, only text."})

Message = dict[str, Any]


class TextPart(Struct, tag_field="type", tag="text"):
    """A part of a content that is text."""

    text: str


class _InputText(TextPart, tag="input_text"):
    pass


class _OutputText(TextPart, tag="output_text"):
    pass


class _Refusal(Struct, tag_field="type", tag="refusal"):
    # What the assistant said, too.
    text: str = field(name="refusal")


class _Thought(Struct, tag_field="type", tag="reasoning_text"):
    # Those of earlier turns are not shown to the model again.
    text: ClassVar[str] = ""


Content = str | list[Annotated[TextPart | _InputText | _OutputText | _Refusal | _Thought, ONLY_TEXT]]
Role = Literal["system", "developer", "user", "assistant", "tool"]


class _CalledFunction(Struct):
    name: str
    arguments: str | None = None

    def __post_init__(self) -> None:
        parsed_arguments(self.arguments)


class _Call(Struct):
    function: _CalledFunction
    id: str | None = None


class MessageFields(Struct, kw_only=True):
    """What a message has, whatever its role."""

    content: Content | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: str | None = None
    tool_call_id: str | None = None

    def turn(self, role: str) -> Message:
        """The message as a turn for the engine."""
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
    """The conversation with all instructions at its beginning as one system message: templates know no more."""
    count = next((index for index, message in enumerate(messages) if message["role"] != "system"), len(messages))
    if count < 2:
        return list(messages)
    text = "\n\n".join(message["content"] for message in messages[:count])
    return [{"role": "system", "content": text}, *messages[count:]]


def text_of(content: Content | None) -> str:
    """A text, or the text of its parts."""
    return content if isinstance(content, str) else "".join(part.text for part in content or ())


def call_turn(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    """A call of the assistant in the form that chat templates take: `arguments` are an object."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def parsed_arguments(arguments: str | None) -> dict[str, Any]:
    """The arguments of a call, which travel as the text of a JSON object. Raises `ApiError`."""
    try:
        parsed = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise bad_field("arguments", "the text of a JSON object") from error
    if not isinstance(parsed, dict):
        raise bad_field("arguments", "the text of a JSON object")
    return parsed
