"""Turns messages of the OpenAI API into messages of the engine."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from app.api.requests.errors import bad_field, unsupported
from app.api.requests.lenient_content import CUSTOM_INPUT, arguments_of, parts_of, readable_text, with_known_role
from app.text.picture_data import picture_of_url
from engine.pictures.reading import digest_of
from engine.requests import ROLES_WITH_PICTURES, text_of

EngineMessage = dict[str, Any]
EngineContent = str | list[Mapping[str, Any]]


class TextPart(Struct, tag_field="type", tag="text"):
    """A part of a content that is text."""

    text: str


class _Thought(Struct, tag_field="type", tag="reasoning_text"):
    thought: str = field(name="text", default="")


# What a client may give, for the description of the API; only data is ever read.
DataUrl = Annotated[str, Meta(extra_json_schema={"pattern": "^data:", "description": "A picture in base64."})]


class _Url(Struct):
    url: DataUrl


class PicturePart(Struct):
    """A part of a content that is a picture."""

    @property
    def picture(self) -> bytes | None:
        """The file; None for what is not base64."""
        raise NotImplementedError


class ImagePart(PicturePart, tag_field="type", tag="image_url"):
    image_url: _Url | DataUrl

    @property
    def picture(self) -> bytes | None:
        return picture_of_url(self._url)

    @property
    def _url(self) -> str:
        return self.image_url if isinstance(self.image_url, str) else self.image_url.url

    def __post_init__(self) -> None:
        refuse_address(self._url)


# The other parts of the field are rewritten as these.
_Part = TextPart | _Thought | ImagePart
Content = str | list[_Part]
PictureBytes = dict[str, bytes]
MessageRole = Literal["system", "developer", "user", "assistant", "tool"]


class _CalledFunction(Struct):
    name: str
    # Some clients send the object itself.
    arguments: str | dict[str, Any] | None = None


class _FunctionCall(Struct):
    function: _CalledFunction
    id: str | None = None


class MessageFields(Struct, kw_only=True):
    """The fields of a message of any role."""

    content: Content | None = None
    tool_calls: list[_FunctionCall] | None = None
    reasoning_content: str | None = None
    tool_call_id: str | None = None

    def turn(self, role: str, pictures: PictureBytes) -> EngineMessage:
        """Return the message as a turn for the engine, and add its pictures to `pictures`. Raises `errors.ApiError`."""
        content = content_of(self.content, pictures)
        turn: EngineMessage = {"role": "system" if role == "developer" else role, "content": content}
        if role == "assistant":
            if self.tool_calls:
                turn["tool_calls"] = [
                    call_turn(call.id or "", call.function.name, arguments_of(call.function.arguments))
                    for call in self.tool_calls
                ]
            if self.reasoning_content is not None:
                turn["reasoning_content"] = self.reasoning_content
        if role == "tool":
            turn["tool_call_id"] = self.tool_call_id or ""
        return turn


class ChatMessage(MessageFields, kw_only=True):
    """One message of a conversation."""

    role: MessageRole


ROLES_HERE = ("system", "developer", "user", "assistant", "tool")
# The kinds of parts that the structs above know and that are no texts or pictures.
_KNOWN_PARTS = ("reasoning_text",)


def readable_message(message: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
    """Rewrite a message as `MessageFields` knows it; `skipped` gets the names of what was left out."""
    readable = with_known_role(message, ROLES_HERE, readable_content(message.get("content"), skipped))
    calls = _readable_calls(message)
    if calls or "tool_calls" in message:
        readable["tool_calls"] = calls or None
    if readable["role"] == "tool":
        readable["tool_call_id"] = str(message.get("tool_call_id") or _old_id(message))
    thoughts = next((message[key] for key in ("reasoning_content", "reasoning") if message.get(key)), None)
    return {**readable, "reasoning_content": thoughts if isinstance(thoughts, str) else None}


def readable_content(content: Any, skipped: list[str]) -> Any:
    """Rewrite a content as `Content`; `skipped` gets the names of what was left out."""
    return parts_of(content, _KNOWN_PARTS, lambda url: {"type": "image_url", "image_url": {"url": url}}, skipped)


def _readable_calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a message in the form of functions, with arguments that are an object."""
    given = message.get("tool_calls") or []
    calls = [dict(call) for call in (given if isinstance(given, list) else [given]) if isinstance(call, dict)]
    if isinstance(old := message.get("function_call"), dict):
        calls.append({"id": _old_id(old), "function": old})
    functions = []
    for call in calls:
        inner = next((call[key] for key in ("function", "custom") if isinstance(call.get(key), dict)), call)
        if isinstance(call.get("custom"), dict):
            arguments: Any = {CUSTOM_INPUT: readable_text(inner.get(CUSTOM_INPUT))}
        else:
            arguments = next((inner[key] for key in ("arguments", "args", "input") if inner.get(key) is not None), None)
        function = {"name": str(inner.get("name") or "unknown"), "arguments": arguments_of(arguments)}
        functions.append({"id": str(call.get("id") or ""), "function": function})
    return functions


def _old_id(message: dict[str, Any]) -> str:
    """Return an id for a call, or its result, of an API in which functions had none."""
    return f"call_{message.get('name')}"


def answerable(turns: Sequence[EngineMessage]) -> list[EngineMessage]:
    """Return a conversation in the form that all engines and most templates take, whatever its past.

    Instructions at the beginning are one turn. Every call is followed by a result, an empty one if it has none, and
    other results are texts of the user. Pictures in turns that can have none are in the user's next turn. An empty last
    turn of the assistant is left out. A conversation of which nothing remains is an empty question.
    """
    conversation = _with_pictures_placed(_with_results(_with_instructions_joined(turns)))
    while conversation and conversation[-1]["role"] == "assistant" and not text_of(conversation[-1]["content"]).strip():
        conversation.pop()
    return conversation or [{"role": "user", "content": ""}] if turns else []


def as_plain_texts(turns: Sequence[Mapping[str, Any]]) -> list[EngineMessage]:
    """Return a conversation for templates that refuse it: only texts of the user and the assistant, in turns."""
    plain: list[EngineMessage] = []
    for turn in turns:
        content = turn["content"]
        for call in turn.get("tool_calls", ()):
            function = call["function"]
            written = f"{function['name']}({json.dumps(function['arguments'], ensure_ascii=False)})"
            content = joined_contents(content, written) if content else written
        role = "assistant" if turn["role"] == "assistant" else "user"
        if plain and plain[-1]["role"] == role:
            plain[-1] = {"role": role, "content": joined_contents(plain[-1]["content"], content)}
        else:
            plain.append({"role": role, "content": content})
    return [{"role": "user", "content": ""}, *plain] if plain and plain[0]["role"] == "assistant" else plain


def _with_results(turns: Sequence[EngineMessage]) -> list[EngineMessage]:
    """Return the turns with the results of each turn's calls after it, one for each call, with the call's id."""
    later = deque(turns)
    ordered = list[EngineMessage]()
    while later:
        turn = later.popleft()
        ordered.append(turn if turn["role"] != "tool" else {"role": "user", "content": turn["content"]})
        waiting = [call["id"] for call in turn.get("tool_calls", ())]
        while waiting and later and later[0]["role"] == "tool":
            result = later.popleft()
            answered = result["tool_call_id"] if result["tool_call_id"] in waiting else waiting[0]
            waiting.remove(answered)
            ordered.append({**result, "tool_call_id": answered})
        ordered += [_later_result(call_id, later) for call_id in waiting]
    return ordered


def _later_result(call_id: str, later: deque[EngineMessage]) -> EngineMessage:
    """Remove the result of a call from the `later` turns and return it; an empty one if they have none.

    They have none if another call with this id comes first: results of later calls are theirs.
    """
    for turn in later:
        if turn["role"] == "tool" and turn["tool_call_id"] == call_id:
            later.remove(turn)
            return turn
        if any(call["id"] == call_id for call in turn.get("tool_calls", ())):
            break
    return {"role": "tool", "content": "", "tool_call_id": call_id}


def _with_pictures_placed(turns: Sequence[EngineMessage]) -> list[EngineMessage]:
    """Move pictures in turns that can have none into the user's next turn, or into a new last one."""
    placed = list[EngineMessage]()
    waiting = list[Mapping[str, Any]]()
    for turn in turns:
        content = turn["content"]
        if not isinstance(content, str) and turn["role"] not in ROLES_WITH_PICTURES:
            waiting += [part for part in content if part["type"] == "image"]
            turn = {**turn, "content": text_of(content)}
        elif waiting and turn["role"] == "user":
            texts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            turn = {**turn, "content": [*waiting, *texts]}
            waiting = []
        placed.append(turn)
    return [*placed, {"role": "user", "content": waiting}] if waiting else placed


def _with_instructions_joined(messages: Sequence[EngineMessage]) -> list[EngineMessage]:
    """Join the instructions at the beginning into one system message: templates take only one."""
    count = next((index for index, message in enumerate(messages) if message["role"] != "system"), len(messages))
    if count < 2:
        return list(messages)
    content = reduce(joined_contents, (message["content"] for message in messages[:count]))
    return [{"role": "system", "content": content}, *messages[count:]]


def content_of(content: str | Sequence[Struct] | None, pictures: PictureBytes) -> EngineContent:
    """Return a content for the engine, and add its pictures to `pictures`. Raises `errors.ApiError`."""
    parts = list[dict[str, str]]()
    for part in [TextPart(content)] if isinstance(content, str) else content or ():
        if isinstance(part, TextPart):
            parts.append({"type": "text", "text": part.text})
        elif isinstance(part, PicturePart):
            parts.append(picture_part(part.picture, pictures))
    return content_of_parts(parts)


def content_of_parts(parts: Sequence[Mapping[str, Any]]) -> EngineContent:
    """Return the parts as a content for the engine: as a text if there are only texts."""
    has_pictures = any(part["type"] == "image" for part in parts)
    return [*parts] if has_pictures else "".join(part["text"] for part in parts)


def joined_contents(first: EngineContent, second: EngineContent) -> EngineContent:
    """Return two contents as one, with an empty line between them."""
    both = [[{"type": "text", "text": content}] if isinstance(content, str) else content for content in (first, second)]
    return content_of_parts([*both[0], {"type": "text", "text": "\n\n"}, *both[1]])


def picture_part(content: bytes | None, pictures: PictureBytes) -> dict[str, str]:
    """Return a picture as a part for the engine, and add its file to `pictures`. Raises `ApiError` for no base64."""
    if content is None:
        raise bad_field("messages", "without pictures, or with PNG, JPEG, WebP or GIF files in base64")
    digest = digest_of(content)
    pictures[digest] = content
    return {"type": "image", "digest": digest}


def refuse_address(url: str) -> None:
    """Raise `errors.ApiError` for a picture that would have to be fetched."""
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
