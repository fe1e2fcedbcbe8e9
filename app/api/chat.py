"""POST /v1/chat/completions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from app.api.answering import CompleteAnswer
from app.api.calls import Api, PreparedCall, SeveralAnswers
from app.api.conversation import ChatMessage, Pictures, joined_instructions
from app.api.errors import bad_field
from app.api.request_settings import JsonSchema, OtherFormat, grammar_of, refuse_unsupported, thinking_options
from app.api.response_writers import ChoicesWriter, new_id, reason_of
from app.api.tool_use import Choice, FunctionDefinition, openai_tools
from app.api.usage import TopLogprobs, token_logprobs
from app.text.answer_parts import AnswerParts, Delta
from engine.call_forms.form import ToolCall
from engine.events import Event, Finished, Token, TokensCommitted
from engine.status import ModelInfo

_UNSUPPORTED = {
    "audio": "Audio is not supported.",
    "functions": "`functions` is the old spelling: use `tools`.",
    "web_search_options": "Searching the web is not supported.",
}


class _ChatTool(Struct):
    function: FunctionDefinition
    type: Literal["function"] | None = "function"


class _Schema(Struct):
    schema: dict[str, Any]


class _NamedSchema(Struct, tag_field="type", tag="json_schema"):
    json_schema: _Schema


class ChatBody(SeveralAnswers, kw_only=True):
    """Answer a conversation."""

    messages: Annotated[list[ChatMessage], Meta(min_length=1)]
    logprobs: bool | None = None
    top_logprobs: TopLogprobs | None = None
    tools: list[_ChatTool] | None = None
    tool_choice: Choice | None = None
    parallel_tool_calls: bool | None = None
    response_format: _NamedSchema | OtherFormat | None = None
    reasoning_effort: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    audio: Any = None
    functions: Any = None
    web_search_options: Any = None

    def __post_init__(self) -> None:
        refuse_unsupported(self, _UNSUPPORTED)
        if self.top_logprobs and not self.logprobs:
            raise bad_field("logprobs", "true where `top_logprobs` is given")

    def prepare(self, api: Api, info: ModelInfo, name: str) -> PreparedCall:
        functions = [tool.function for tool in self.tools or ()]
        tools = openai_tools(info.tool_format, functions, self.tool_choice, self.parallel_tool_calls)
        form = self.response_format
        if isinstance(form, _NamedSchema):
            grammar, field = grammar_of(JsonSchema(form.json_schema.schema), "response_format.json_schema")
        else:
            grammar, field = grammar_of(form, "response_format")
        given = (self.chat_template_kwargs or {}).items()
        own = {key: value for key, value in given if isinstance(value, str | bool | int)}
        pictures: Pictures = {}
        requests = self.engine_requests(
            api,
            info,
            tools,
            grammar,
            field,
            count=self.n,
            messages=joined_instructions([message.turn(message.role, pictures) for message in self.messages]),
            pictures=pictures,
            template_options=thinking_options(info, self.reasoning_effort) | own,
            alternatives=self.top_logprobs or 0,
        )
        parts = [tools.parts() for _ in requests]
        writer = ChatWriter(name, parts, with_usage=self.with_usage, logprobs=bool(self.logprobs))
        return PreparedCall(requests, writer, field)


class ChatWriter(ChoicesWriter):
    """Writes answers as chat completions: in chunks, or whole."""

    id_kind, whole_object, chunk_object = "chatcmpl", "chat.completion", "chat.completion.chunk"

    def __init__(self, model: str, parts: list[AnswerParts], *, with_usage: bool, logprobs: bool) -> None:
        super().__init__(model, with_usage=with_usage, logprobs=logprobs)
        self._parts = parts
        self._begun: set[int] = set()

    @property
    def answers(self) -> Sequence[AnswerParts]:
        return self._parts

    def events(self, index: int, event: Event) -> list[bytes]:
        chunks, parts = [], self._parts[index]
        if index not in self._begun:
            self._begun.add(index)
            chunks.append(self._delta(index, {"role": "assistant", "content": ""}))
        if isinstance(event, TokensCommitted):
            fields = self._fields(index, parts.add(event.text, event.stats.opening))
            tokens = event.tokens if self._logprobs else ()
            if fields or tokens:
                chunks.append(self._delta(index, fields, tokens))
        elif isinstance(event, Finished):
            if fields := self._fields(index, parts.add("", ended=True, cut=event.cut)):
                chunks.append(self._delta(index, fields))
            choice = {"index": index, "delta": {}, "logprobs": None, "finish_reason": _finish_reason(event, parts)}
            chunks.append(self.last_chunk(index, event.stats, choice))
        return chunks

    def choice(self, index: int, answer: CompleteAnswer) -> dict[str, Any]:
        parts = self._parts[index]
        finished = answer.finished
        parts.add(finished.text, finished.stats.opening, ended=True, cut=finished.cut)
        content = parts.content or (None if parts.calls else "")
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if parts.reasoning:
            message["reasoning_content"] = parts.reasoning
        if parts.calls:
            message["tool_calls"] = [_call(call) for call in parts.calls]
        return {
            "index": index,
            "message": message,
            "logprobs": {"content": token_logprobs(answer.tokens)} if self._logprobs else None,
            "finish_reason": _finish_reason(finished, parts),
        }

    def _fields(self, index: int, delta: Delta) -> dict[str, Any]:
        fields: dict[str, Any] = {"reasoning_content": delta.reasoning, "content": delta.content}
        first = len(self._parts[index].calls) - len(delta.calls)
        fields["tool_calls"] = [{"index": number, **_call(call)} for number, call in enumerate(delta.calls, first)]
        return {name: value for name, value in fields.items() if value}

    def _delta(self, index: int, delta: dict[str, Any], tokens: Sequence[Token] = ()) -> bytes:
        logprobs = {"content": token_logprobs(tokens)} if tokens else None
        return self.chunk({"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": None})


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": new_id("call"), "type": "function", "function": function}


def _finish_reason(event: Finished, parts: AnswerParts) -> str:
    return "tool_calls" if parts.calls and event.reason == "stop" else reason_of(event, parts)
