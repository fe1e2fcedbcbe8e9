"""Turns messages of the OpenAI API into messages of the engine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field

from app.api.errors import bad_field, unsupported
from app.text.picture_data import picture_of_url
from engine.pictures.reading import digest_of
from engine.requests import ROLES_WITH_PICTURES

Message = dict[str, Any]
EngineContent = str | list[Mapping[str, Any]]


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


# What a client may give, for the description of the API; only data is ever read.
DataUrl = Annotated[str, Meta(extra_json_schema={"pattern": "^data:", "description": "A picture in base64."})]


class _Url(Struct):
    url: DataUrl


class ImagePart(Struct, tag_field="type", tag="image_url"):
    image_url: _Url | DataUrl

    @property
    def url(self) -> str:
        return self.image_url if isinstance(self.image_url, str) else self.image_url.url

    def __post_init__(self) -> None:
        refuse_address(self.url)


class _InputImage(Struct, tag_field="type", tag="input_image"):
    url: DataUrl = field(name="image_url")

    def __post_init__(self) -> None:
        refuse_address(self.url)


_Part = TextPart | _InputText | _OutputText | _Refusal | _Thought | ImagePart | _InputImage
Content = str | list[_Part]
# The pictures of a request by their digests.
Pictures = dict[str, bytes]
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

    def turn(self, role: str, pictures: Pictures) -> Message:
        """Return the message as a turn for the engine, and add its pictures to `pictures`. Raises `ApiError`."""
        content = content_of(self.content, pictures)
        if not isinstance(content, str) and role not in ROLES_WITH_PICTURES:
            raise unsupported("content", "Only messages of the user and of tools can have pictures.")
        turn: Message = {"role": "system" if role == "developer" else role, "content": content}
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


def content_of(content: Content | None, pictures: Pictures) -> EngineContent:
    """Return a content for the engine, and add its pictures to `pictures`. Raises `ApiError`."""
    parts = [
        picture_part(picture_of_url(part.url), pictures)
        if isinstance(part, ImagePart | _InputImage)
        else {"type": "text", "text": part.text}
        for part in ([TextPart(content)] if isinstance(content, str) else content or ())
    ]
    return content_of_parts(parts)


def content_of_parts(parts: Sequence[Mapping[str, Any]]) -> EngineContent:
    """Return the parts as a content for the engine: as a text if there are only texts."""
    has_pictures = any(part["type"] == "image" for part in parts)
    return [*parts] if has_pictures else "".join(part["text"] for part in parts)


def joined_contents(first: EngineContent, second: EngineContent) -> EngineContent:
    """Return two contents as one, with an empty line between them."""
    both = [[{"type": "text", "text": one}] if isinstance(one, str) else one for one in (first, second)]
    return content_of_parts([*both[0], {"type": "text", "text": "\n\n"}, *both[1]])


def picture_part(content: bytes | None, pictures: Pictures) -> dict[str, str]:
    """Return a picture as a part for the engine, and add its file to `pictures`. Raises `ApiError` for no base64."""
    if content is None:
        raise bad_field("messages", "without pictures, or with PNG, JPEG, WebP or GIF files in base64")
    digest = digest_of(content)
    pictures[digest] = content
    return {"type": "image", "digest": digest}


def refuse_address(url: str) -> None:
    """Raise `ApiError` for a picture that would have to be fetched."""
    if not url[:5].lower() == "data:":
        raise unsupported(
            "url",
            "Tandem fetches no pictures from addresses, because a prompt could make it reach into your network. Send "
            "the file itself: data:image/png;base64,...",
        )


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
