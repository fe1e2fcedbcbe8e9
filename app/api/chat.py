"""POST /v1/chat/completions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct

from app.api.answer_parts import AnswerParts, Delta
from app.api.answering import Answer, Indexed, failure, now
from app.api.calls import Api, Plan, SeveralAnswers, new_id
from app.api.conversation import ChatMessage, joined_instructions
from app.api.errors import bad_field
from app.api.logprobs import TopLogprobs, token_logprobs
from app.api.replies import DONE, sse
from app.api.request_settings import JsonSchema, OtherFormat, grammar_of, refuse_unsupported
from app.api.tool_use import Choice, Function, FunctionType, openai_tools
from app.api.usage import openai_usage, speculation, timings
from engine.events import Finished, Token, TokensCommitted
from engine.stats import RequestStats
from engine.status import ModelInfo
from engine.tokenizers.tool_calls import ToolCall

_UNSUPPORTED = {
    "audio": "Audio is not supported.",
    "functions": "`functions` is the old spelling: use `tools`.",
    "web_search_options": "Searching the web is not supported.",
}


class _ChatTool(Struct):
    function: Function
    type: FunctionType = "function"


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

    def plan(self, api: Api, info: ModelInfo, name: str) -> Plan:
        functions = [tool.function for tool in self.tools or ()]
        tools = openai_tools(info.tool_format, functions, self.tool_choice, self.parallel_tool_calls)
        form = self.response_format
        if isinstance(form, _NamedSchema):
            grammar, field = grammar_of(JsonSchema(form.json_schema.schema), "response_format.json_schema")
        else:
            grammar, field = grammar_of(form, "response_format")
        requests = self.engine_requests(
            api,
            info,
            tools,
            grammar,
            field,
            count=self.n,
            messages=joined_instructions([message.turn(message.role) for message in self.messages]),
            template_options=self._template_options(),
            alternatives=self.top_logprobs or 0,
        )
        parts = [tools.parts() for _ in requests]
        shape = ChatShape(name, parts, with_usage=self.with_usage, logprobs=bool(self.logprobs))
        return Plan(requests, shape, field)

    def _template_options(self) -> dict[str, str | bool]:
        """Variables of the chat template; it calls `reasoning_effort` so, too."""
        given = (self.chat_template_kwargs or {}).items()
        options = {key: value for key, value in given if isinstance(value, str | bool)}
        return options if self.reasoning_effort is None else options | {"reasoning_effort": self.reasoning_effort}


def openai_calls(calls: Sequence[ToolCall], first: int = 0) -> list[dict[str, Any]]:
    """Calls in the shape of the OpenAI API; those of a stream are numbered from `first` on."""
    return [
        {
            "index": first + index,
            "id": new_id("call"),
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for index, call in enumerate(calls)
    ]


def finish_reason(event: Finished, parts: AnswerParts) -> str:
    return "tool_calls" if parts.calls and event.reason == "stop" else event.reason


class ChatShape:
    """Writes answers as chat completions: chunks of them, or whole."""

    def __init__(self, model: str, parts: list[AnswerParts], *, with_usage: bool, logprobs: bool) -> None:
        self._frame = {"id": new_id("chatcmpl"), "created": now(), "model": model}
        self._parts, self._with_usage, self._logprobs = parts, with_usage, logprobs
        self._begun: set[int] = set()
        self._stats: dict[int, RequestStats] = {}

    def write(self, batch: list[Indexed]) -> bytes:
        chunks = []
        for index, event in batch:
            if (error := failure(event)) is not None:
                chunks.append(sse(error.openai()))
                continue
            if index not in self._begun:
                self._begun.add(index)
                chunks.append(self._chunk(index, {"role": "assistant", "content": ""}))
            if isinstance(event, TokensCommitted):
                fields = self._fields(index, self._parts[index].add(event.text, event.stats.opening))
                tokens = event.tokens if self._logprobs else ()
                if fields or tokens:
                    chunks.append(self._chunk(index, fields, tokens=tokens))
            elif isinstance(event, Finished):
                if fields := self._fields(index, self._parts[index].add("", ended=True)):
                    chunks.append(self._chunk(index, fields))
                self._stats[index] = event.stats
                reason = finish_reason(event, self._parts[index])
                figures: dict[str, Any] = {"timings": timings(event.stats), "speculation": speculation([event.stats])}
                chunks.append(self._chunk(index, {}, reason=reason, **figures))
        return b"".join(chunks)

    def finish(self) -> bytes:
        if not self._with_usage or not self._stats:
            return DONE
        return self._event([], **self._figures(list(self._stats.values()))) + DONE

    def whole(self, answers: Sequence[Answer]) -> dict[str, Any]:
        choices = []
        for index, answer in enumerate(answers):
            parts = self._parts[index]
            parts.add(answer.finished.text, answer.finished.stats.opening, ended=True)
            message: dict[str, Any] = {"role": "assistant", "content": parts.content or None}
            if parts.reasoning:
                message["reasoning_content"] = parts.reasoning
            if parts.calls:
                message["tool_calls"] = [
                    {key: value for key, value in call.items() if key != "index"} for call in openai_calls(parts.calls)
                ]
            elif message["content"] is None:
                message["content"] = ""
            choices.append(
                {
                    "index": index,
                    "message": message,
                    "logprobs": {"content": token_logprobs(answer.tokens)} if self._logprobs else None,
                    "finish_reason": finish_reason(answer.finished, parts),
                }
            )
        figures = self._figures([answer.finished.stats for answer in answers])
        return {**self._frame, "object": "chat.completion", "choices": choices, **figures}

    def _figures(self, stats: list[RequestStats]) -> dict[str, Any]:
        return {"usage": openai_usage(stats), "timings": timings(stats[0])}

    def _fields(self, index: int, delta: Delta) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if delta.reasoning:
            found["reasoning_content"] = delta.reasoning
        if delta.content:
            found["content"] = delta.content
        if delta.calls:
            found["tool_calls"] = openai_calls(delta.calls, len(self._parts[index].calls) - len(delta.calls))
        return found

    def _chunk(
        self, index: int, delta: dict[str, Any], tokens: Sequence[Token] = (), reason: str | None = None, **more: Any
    ) -> bytes:
        logprobs = {"content": token_logprobs(tokens)} if tokens else None
        choice = {"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": reason}
        return self._event([choice], **more)

    def _event(self, choices: list[dict[str, Any]], **more: Any) -> bytes:
        return sse({**self._frame, "object": "chat.completion.chunk", "choices": choices, **more})
