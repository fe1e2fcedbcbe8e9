"""POST /v1/messages and /v1/messages/count_tokens, in the shape of the Anthropic API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from starlette.requests import Request
from starlette.responses import Response

from app.api.calls import AnswerRequestBody, Api
from app.api.dialects.anthropic_blocks import after_compaction, readable_message, readable_tools
from app.api.requests.conversation import (
    DataUrl,
    EngineMessage,
    PictureBytes,
    PicturePart,
    TextPart,
    answerable,
    call_turn,
    content_of,
    joined_contents,
    refuse_address,
)
from app.api.requests.errors import ApiError, JsonReply, bad_field, sse
from app.api.requests.lenient_content import messages_of, parts_of
from app.api.requests.request_settings import (
    Format,
    MaxTokens,
    Stop,
    grammar_of,
    readable_format,
    refuse_unsupported,
)
from app.api.requests.tool_use import RequestTools, function_tool, listed_tools, tool_use
from app.api.requests.usage import speculation, timings
from app.api.response_writers import PROGRESS, ItemsWriter, new_id, reason_of
from app.text.answer_parts import AnswerParts
from app.text.growing_calls import CallPiece
from app.text.picture_data import picture_of_base64, picture_of_url
from engine.events import Event, Finished, PrefillProgress
from engine.grammars.grammar import Grammar
from engine.stats import RequestStats

_CHOICES = {"auto": "auto", "any": "required", "tool": "required", "none": "none"}
_REASONS = {"stop": "end_turn", "length": "max_tokens"}
# The first line of Claude Code's instructions changes with each request: the whole prompt would be read again.
_BILLING = re.compile(r"\Ax-anthropic-billing-header:[^\n]*\s*")
_UNSUPPORTED_FIELDS = {
    "compaction": (
        "Conversations are not summed up here. Ask for a summary in a last message, and send that in place of what it "
        "sums up."
    ),
    "safeguards": "Calls of tools are not checked here: leave `safeguards` out, and check the calls yourself.",
}
# What a request for a message thread gets.
_NO_THREADS = (
    "Threads are not kept here: send the whole conversation without `thread`. Tool runners of the SDKs do so by "
    'themselves; `messages.thread()` does if its unsupported_request_behavior is "continue_unthreaded".'
)


class _ThinkingBlock(Struct, tag_field="type", tag="thinking"):
    thinking: str = ""


class _CallBlock(Struct, tag_field="type", tag="tool_use"):
    id: str
    name: str
    input: dict[str, Any] | None = None


_TextBlocks = str | list[TextPart]


class _Data(Struct, tag_field="type", tag="base64"):
    data: str


class _Address(Struct, tag_field="type", tag="url"):
    url: DataUrl

    def __post_init__(self) -> None:
        refuse_address(self.url)


class _ImageBlock(PicturePart, tag_field="type", tag="image"):
    source: _Data | _Address

    @property
    def picture(self) -> bytes | None:
        source = self.source
        return picture_of_base64(source.data) if isinstance(source, _Data) else picture_of_url(source.url)


class _ResultBlock(Struct, tag_field="type", tag="tool_result"):
    tool_use_id: str = ""
    content: str | list[TextPart | _ImageBlock] | None = None


class _AnthropicMessage(Struct):
    role: Literal["user", "assistant", "system"]
    content: str | list[TextPart | _ImageBlock | _CallBlock | _ResultBlock | _ThinkingBlock] | None = None


class _AnthropicTool(Struct):
    name: str
    description: str | None = None
    input_schema: dict[str, Any] | None = None


class _ToolChoice(Struct):
    type: Literal["auto", "any", "tool", "none"] | None = None
    name: str | None = None
    disable_parallel_tool_use: bool | None = None

    def __post_init__(self) -> None:
        if self.type == "tool" and self.name is None:
            raise bad_field("name", "a text")


class _ThinkingSettings(Struct):
    type: str | None = None
    budget_tokens: int | None = None


class _OutputConfig(Struct):
    format: Format | None = None


class CountBody(AnswerRequestBody, kw_only=True):
    """How many tokens a conversation has."""

    messages: Annotated[list[_AnthropicMessage], Meta(min_length=1)]
    system: _TextBlocks | None = None
    stop: Stop | None = field(name="stop_sequences", default=None)
    tools: list[_AnthropicTool] | None = None
    tool_choice: _ToolChoice | None = None
    thinking: _ThinkingSettings | None = None
    output_config: _OutputConfig | None = None
    # The older spelling.
    output_format: Format | None = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        """Return the body as `RequestSettings.normalised` does. Raises `ApiError` (unsupported) for a thread."""
        if body.get("thread") not in (None, False):
            # By these details, SDKs know to send the whole conversation instead.
            details = {"error_code": "thread_unsupported_request"}
            raise ApiError(400, _NO_THREADS, param="thread", code="unsupported", details=details)
        fields = super().normalised(body, skipped)
        changes = list[dict[str, Any]]()
        messages = after_compaction(fields.get("messages"))
        fields["messages"] = messages_of(messages, lambda message: readable_message(message, changes, skipped))
        fields["system"] = parts_of(fields.get("system"), (), lambda _: {"type": "text", "text": ""}, skipped)
        tools = fields["tools"] = listed_tools(fields.get("tools"))
        if isinstance(tools, list) or (tools is None and changes):
            fields["tools"] = readable_tools(tools or [], changes, skipped)
            if not fields["tools"]:
                fields["tool_choice"] = None
        fields["output_format"] = readable_format(fields.get("output_format"))
        if isinstance(config := fields.get("output_config"), dict):
            fields["output_config"] = {**config, "format": readable_format(config.get("format"))}
        return fields

    def contents(self) -> list[dict[str, Any]]:
        system = "\n\n".join(filter(None, (_BILLING.sub("", text) for text in _texts(self.system))))
        messages: list[EngineMessage] = [{"role": "system", "content": system}] if system else []
        pictures: PictureBytes = {}
        messages += _joined_reminders(turn for message in self.messages for turn in _turns(message, pictures))
        return [{"messages": answerable(messages), "pictures": pictures}]

    def writer_for(self, name: str, tools: RequestTools, count: int) -> MessageWriter:  # noqa: ARG002
        return MessageWriter(name, tools.parts(), self.stops)

    def answer_format(self) -> tuple[Grammar | None, str]:
        form = self.output_config.format if self.output_config is not None else None
        if form is None:
            return grammar_of(self.output_format, "output_format")
        if self.output_format not in (None, form):
            raise bad_field("output_format", "the same as 'output_config.format', or left out")
        return grammar_of(form, "output_config.format")

    def tools_for(self, form: str) -> RequestTools:
        choice = self.tool_choice or _ToolChoice()
        tools = [function_tool(tool.name, tool.description, tool.input_schema) for tool in self.tools or ()]
        mode = _CHOICES[choice.type or "auto"]
        parallel = not choice.disable_parallel_tool_use
        if choice.type == "tool" and choice.name is not None:
            return tool_use(form, tools, mode, (choice.name,), parallel=False)
        return tool_use(form, tools, mode, parallel=parallel)


class MessageBody(CountBody, kw_only=True):
    """Answer a conversation, in the shape of the Anthropic API."""

    max_tokens: MaxTokens | None = None
    compaction: Any = None
    safeguards: Any = None

    def __post_init__(self) -> None:
        refuse_unsupported(self, _UNSUPPORTED_FIELDS)


async def count_tokens(request: Request, body: CountBody) -> Response:
    api: Api = request.app.state.api
    return JsonReply({"input_tokens": await api.prompt_tokens(request, body)})


def _joined_reminders(turns: Iterable[EngineMessage]) -> list[EngineMessage]:
    """Join later instructions with the adjacent text of the user, because most templates take them only at the top."""
    joined: list[EngineMessage] = []
    reminded = False
    for turn in turns:
        reminds = turn["role"] == "system"
        if joined and joined[-1]["role"] == "user" and (reminds or (reminded and turn["role"] == "user")):
            joined[-1] = {"role": "user", "content": joined_contents(joined[-1]["content"], turn["content"])}
        else:
            joined.append({**turn, "role": "user"} if reminds else turn)
        reminded = reminds
    return joined


def _turns(message: _AnthropicMessage, pictures: PictureBytes) -> list[EngineMessage]:
    """Return the turns of one message, the results of tools first, and add its pictures to `pictures`."""
    blocks = [TextPart(message.content)] if isinstance(message.content, str) else message.content or ()
    results: list[EngineMessage] = [
        {"role": "tool", "content": content_of(block.content, pictures), "tool_call_id": block.tool_use_id}
        for block in blocks
        if isinstance(block, _ResultBlock)
    ]
    content = content_of(blocks, pictures)
    calls = [call_turn(block.id, block.name, block.input or {}) for block in blocks if isinstance(block, _CallBlock)]
    thoughts = "".join(block.thinking for block in blocks if isinstance(block, _ThinkingBlock))
    turn: EngineMessage = {"role": message.role, "content": content} | ({"tool_calls": calls} if calls else {})
    if thoughts:
        # The template decides whether the model sees them again.
        turn["reasoning_content"] = thoughts
    return results if results and not content else [*results, turn]


def _texts(content: _TextBlocks | None) -> list[str]:
    return [content] if isinstance(content, str) else [block.text for block in content or ()]


class MessageWriter(ItemsWriter):
    """Writes an answer as a message: its events, or whole."""

    kinds = "thinking", "text"

    def __init__(self, model: str, parts: AnswerParts, stops: Sequence[str]) -> None:
        super().__init__(parts)
        self._stops = stops
        self._base = {"id": new_id("msg"), "type": "message", "role": "assistant", "model": model}
        self._blocks: list[dict[str, Any]] = []
        self._open_kind = ""
        # The JSON of the newest call's arguments.
        self._arguments = ""
        self._begun = False

    def keep_alive(self) -> bytes:
        """Return a ping, and a change of nothing: Claude Code does not count pings as a sign of life."""
        progress = {PROGRESS: self.progress} if self.progress else {}
        unchanged = {"delta": {"stop_reason": None, "stop_sequence": None}, "usage": {"output_tokens": 0}}
        signs = sse({"type": "ping", **progress}, "ping"), sse({"type": "message_delta", **unchanged}, "message_delta")
        return b"".join(signs)

    def events(self, index: int, event: Event) -> list[bytes]:
        if self._begun or not isinstance(event, PrefillProgress):
            return super().events(index, event)
        self._begun = True
        usage = {"input_tokens": event.total, "output_tokens": 0}
        unset = {"stop_reason": None, "stop_sequence": None}
        empty: dict[str, Any] = {**self._base, "content": [], **unset, "usage": usage}
        return [sse({"type": "message_start", "message": empty}, "message_start")]

    def failed(self, error: ApiError) -> bytes:
        return sse(error.anthropic(), "error")

    def result(self, event: Finished) -> dict[str, Any]:
        return {**self._base, "content": self._blocks, **self._stopped(event), **_figures(event.stats)}

    def grow_item(self, kind: str, text: str) -> list[bytes]:
        events: list[bytes] = []
        if self._open_kind != kind:
            events += self.end_item()
            self._open_kind = kind
            block = {"type": kind, kind: ""} | ({"signature": ""} if kind == "thinking" else {})
            self._blocks.append(dict(block))
            events.append(self._block_event("content_block_start", content_block=block))
        self._blocks[-1][kind] += text
        return [*events, self._block_event("content_block_delta", delta={"type": f"{kind}_delta", kind: text})]

    def end_item(self, status: str = "completed") -> list[bytes]:
        del status
        if not self._open_kind:
            return []
        self._open_kind = ""
        return [self._block_event("content_block_stop")]

    def begin_call(self, name: str) -> list[bytes]:
        block = {"type": "tool_use", "id": new_id("toolu"), "name": name, "input": {}}
        self._blocks.append(block)
        self._arguments = ""
        return [self._block_event("content_block_start", content_block=dict(block))]

    def grow_call(self, piece: CallPiece) -> list[bytes]:
        self._arguments += piece.arguments
        delta = {"type": "input_json_delta", "partial_json": piece.arguments}
        events = [self._block_event("content_block_delta", delta=delta)] if piece.arguments else []
        if piece.end == "whole":
            self._blocks[-1]["input"] = json.loads(self._arguments)
        return [*events, self._block_event("content_block_stop")] if piece.end else events

    def end(self, event: Finished) -> list[bytes]:
        last = {"type": "message_delta", "delta": self._stopped(event), **_figures(event.stats)}
        return [sse(last, "message_delta"), sse({"type": "message_stop"}, "message_stop")]

    def _stopped(self, event: Finished) -> dict[str, str | None]:
        if self._parts.calls and event.reason == "stop":
            return {"stop_reason": "tool_use", "stop_sequence": None}
        if event.stopped_by in self._stops:
            return {"stop_reason": "stop_sequence", "stop_sequence": event.stopped_by}
        return {"stop_reason": _REASONS[reason_of(event, self._parts)], "stop_sequence": None}

    def _block_event(self, kind: str, **fields: Any) -> bytes:
        return sse({"type": kind, "index": len(self._blocks) - 1, **fields}, kind)


def _figures(stats: RequestStats) -> dict[str, Any]:
    usage = {
        "input_tokens": stats.prompt_tokens - stats.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": stats.cached_tokens,
        "output_tokens": stats.generated_tokens,
        "speculation": speculation([stats]),
    }
    return {"usage": usage, "timings": timings(stats)}
