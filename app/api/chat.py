"""POST /v1/chat/completions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp

from app.api.answer_parts import AnswerParts, Delta
from app.api.answering import Answer, Indexed, failure, now
from app.api.bodies import Fields
from app.api.calls import Api, Plan, fields_of, new_id
from app.api.conversation import conversation_of, tools_of
from app.api.engine_requests import engine_requests
from app.api.errors import bad_field
from app.api.logprobs import token_logprobs
from app.api.replies import DONE, HOLE, EventForm, sse
from app.api.request_settings import choices_of, grammar_of, refuse_unsupported
from app.api.usage import openai_usage, speculation, timings
from engine.events import Finished, Token, TokensCommitted
from engine.requests import MOST_ALTERNATIVES
from engine.stats import RequestStats
from engine.status import ModelInfo
from engine.tokenizers.tool_calls import ToolCall

_UNSUPPORTED = {
    "audio": "Audio is not supported.",
    "functions": "`functions` is the old spelling: use `tools`.",
    "web_search_options": "Searching the web is not supported.",
}


async def chat_completions(request: Request) -> ASGIApp:
    fields = await fields_of(request)
    api: Api = request.app.state.api
    return await api.answer(request, fields, lambda info, name: _plan(api, fields, info, name))


def _plan(api: Api, fields: Fields, info: ModelInfo, name: str) -> Plan:
    refuse_unsupported(fields, _UNSUPPORTED)
    choices = choices_of(fields, api.recommended(info), api.speculation)
    tools = tools_of(fields, info.tool_format)
    form, logprobs = fields.fields("response_format"), logprobs_of(fields)
    grammar, field = grammar_of(form, form.fields("json_schema"))
    requests = engine_requests(
        choices,
        tools,
        grammar,
        field,
        messages=conversation_of(fields),
        template_options=template_options(fields),
        alternatives=logprobs or 0,
    )
    parts = [tools.parts() for _ in requests]
    with_usage = fields.fields("stream_options").flag("include_usage")
    return Plan(requests, ChatShape(name, parts, with_usage=with_usage, logprobs=logprobs is not None), field)


def template_options(fields: Fields) -> dict[str, str | bool]:
    """Variables of the chat template: `chat_template_kwargs`, and `reasoning_effort` as the template calls it."""
    inner = fields.fields("chat_template_kwargs")
    options = {key: value for key, value in inner.values.items() if isinstance(value, str | bool)}
    if fields.has("reasoning_effort"):
        options["reasoning_effort"] = fields.required_text("reasoning_effort")
    return options


def logprobs_of(fields: Fields) -> int | None:
    """How many alternatives come with the log-probability of each token; None where neither is asked for."""
    count = fields.integer("top_logprobs", 0, 0, MOST_ALTERNATIVES) or 0
    if fields.flag("logprobs"):
        return count
    if count:
        raise bad_field("logprobs", "true where `top_logprobs` is given")
    return None


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
        self._id, self._created, self._model = new_id("chatcmpl"), now(), model
        self._parts, self._with_usage, self._logprobs = parts, with_usage, logprobs
        self._begun: set[int] = set()
        self._stats: dict[int, RequestStats] = {}
        self._forms: dict[int, EventForm] = {}

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
                chunks.append(self._last_chunk(index, event))
        return b"".join(chunks)

    def finish(self) -> bytes:
        if not self._with_usage or not self._stats:
            return DONE
        return sse(self._frame([], **self._figures(list(self._stats.values())))) + DONE

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
        return {**self._frame(choices, **figures), "object": "chat.completion"}

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

    def _chunk(self, index: int, delta: dict[str, Any], tokens: Sequence[Token] = ()) -> bytes:
        if not tokens and delta.keys() == {"content"}:
            if index not in self._forms:
                self._forms[index] = EventForm(self._delta(index, {"content": HOLE}, None))
            return self._forms[index].filled(delta["content"])
        logprobs = {"content": token_logprobs(tokens)} if tokens else None
        return sse(self._delta(index, delta, logprobs))

    def _delta(self, index: int, delta: dict[str, Any], logprobs: dict[str, Any] | None) -> dict[str, Any]:
        return self._frame([{"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": None}])

    def _last_chunk(self, index: int, event: Finished) -> bytes:
        reason = finish_reason(event, self._parts[index])
        choice = {"index": index, "delta": {}, "logprobs": None, "finish_reason": reason}
        return sse(self._frame([choice], timings=timings(event.stats), speculation=speculation([event.stats])))

    def _frame(self, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        return {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._model,
            "choices": choices,
            **more,
        }
