"""POST /v1/messages and /v1/messages/count_tokens, in the shape of the Anthropic API."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from app.api.answer_parts import AnswerParts, Delta
from app.api.answering import Answer, Indexed, failure
from app.api.bodies import Fields
from app.api.calls import Api, Plan, fields_of, new_id
from app.api.conversation import Message, call_turn
from app.api.engine_requests import engine_requests
from app.api.errors import bad_field, unsupported
from app.api.replies import HOLE, EventForm, JsonReply, sse
from app.api.request_settings import choices_of, grammar_of
from app.api.tool_use import CHOICE, ToolUse, function_tool, tool_use
from app.api.usage import speculation, timings
from engine.events import Finished, PrefillProgress, TokensCommitted
from engine.grammars.grammar import Grammar
from engine.stats import RequestStats
from engine.status import ModelInfo
from engine.tokenizers.tool_calls import ToolCall

_CHOICES = {"auto": "auto", "any": "required", "tool": "required", "none": "none"}
_REASONS = {"stop": "end_turn", "length": "max_tokens"}
# Claude Code's first words, for Anthropic's accounts. They change with every request: in the prompt, they would have
# the whole of it read again each time.
_BILLING = re.compile(r"\Ax-anthropic-billing-header:[^\n]*\s*")


async def messages(request: Request) -> ASGIApp:
    fields = await fields_of(request)
    api: Api = request.app.state.api
    if not fields.has("max_tokens"):
        raise bad_field("max_tokens", "given")
    return await api.answer(request, fields, lambda info, name: _plan(api, fields, info, name))


async def count_tokens(request: Request) -> Response:
    fields = await fields_of(request)
    api: Api = request.app.state.api
    count = await api.prompt_tokens(request, fields, lambda info, name: _plan(api, fields, info, name))
    return JsonReply({"input_tokens": count})


def _plan(api: Api, fields: Fields, info: ModelInfo, name: str) -> Plan:
    choices = choices_of(fields, api.recommended(info), api.speculation, stop_key="stop_sequences", several=False)
    tools = _tools(fields, info.tool_format)
    options: dict[str, str | bool] = {}
    if (thinking := fields.fields("thinking").text("type")) is not None:
        options["enable_thinking"] = thinking != "disabled"
    grammar, field = _format(fields)
    requests = engine_requests(choices, tools, grammar, field, messages=_conversation(fields), template_options=options)
    return Plan(requests, MessageShape(name, tools.parts(), fields.items("stop_sequences")), field)


def _format(fields: Fields) -> tuple[Grammar | None, str]:
    """What `output_config.format`, or the older `output_format`, asks for, and the name of the field that says it."""
    places = ((fields.fields("output_config"), "format"), (fields, "output_format"))
    given = [place.fields(key) for place, key in places if place.has(key)]
    if not given:
        return None, ""
    if given[0].values != given[-1].values:
        raise bad_field("output_format", "the same as 'output_config.format', or left out")
    given[0].required_text("type")
    return grammar_of(given[0], given[0])


def _tools(fields: Fields, form: str) -> ToolUse:
    choice = fields.fields(CHOICE)
    kind = choice.text("type", "auto") or "auto"
    if kind not in _CHOICES:
        raise bad_field(choice.name("type"), f"one of {', '.join(_CHOICES)}")
    named = choice.required_text("name") if kind == "tool" else None
    found = []
    for tool in fields.objects("tools"):
        if tool.text("type", "custom") != "custom":
            raise unsupported(tool.name("type"), "Tools that run at the provider are not supported.")
        schema = dict(tool.fields("input_schema").values)
        found.append(function_tool(tool.required_text("name"), tool.text("description"), schema))
    parallel = not choice.flag("disable_parallel_tool_use")
    return tool_use(form, found, _CHOICES[kind], named, parallel=parallel)


def _conversation(fields: Fields) -> list[Message]:
    """`system` and `messages` as turns for the engine."""
    turns: list[Message] = []
    texts = [_BILLING.sub("", text) for text in _texts(fields, "system")]
    if system := "\n\n".join(filter(None, texts)):
        turns.append({"role": "system", "content": system})
    for message in fields.objects("messages"):
        turns += _turns(message)
    return turns


def _texts(fields: Fields, key: str) -> list[str]:
    """A text, or the texts of an array of blocks."""
    if fields.raw(key) is None or isinstance(fields.raw(key), str):
        return [fields.raw(key) or ""]
    return [_text(block) for block in fields.objects(key)]


def _text(block: Fields) -> str:
    kind = block.required_text("type")
    if kind != "text":
        raise unsupported(block.name("type"), f"Content of the type {kind[:40]!r} is not supported, only text.")
    return block.required_text("text")


def _turns(message: Fields) -> list[Message]:
    """The turns that one message stands for: results of tools are turns of their own, before the rest."""
    role = message.required_text("role")
    if role not in ("user", "assistant"):
        raise bad_field(message.name("role"), "user or assistant")
    if isinstance(message.raw("content"), str):
        return [{"role": role, "content": message.raw("content")}]
    results: list[Message] = []
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    for block in message.objects("content"):
        kind = block.required_text("type")
        if kind == "tool_result" and role == "user":
            name = block.required_text("tool_use_id")
            results.append({"role": "tool", "content": "".join(_texts(block, "content")), "tool_call_id": name})
        elif kind == "tool_use" and role == "assistant":
            arguments = dict(block.fields("input").values)
            calls.append(call_turn(block.required_text("id"), block.required_text("name"), arguments))
        elif kind not in ("thinking", "redacted_thinking"):
            texts.append(_text(block))
    turn: Message = {"role": role, "content": "".join(texts)}
    if calls:
        turn["tool_calls"] = calls
    return results if results and not texts else [*results, turn]


class MessageShape:
    """Writes an answer as a message: its events, or whole."""

    def __init__(self, model: str, parts: AnswerParts, stops: Sequence[str]) -> None:
        self._parts, self._stops = parts, stops
        self._base = {"id": new_id("msg"), "type": "message", "role": "assistant", "model": model}
        self._blocks: list[dict[str, Any]] = []
        self._open = ""
        self._form: EventForm | None = None
        self._begun = False

    def write(self, batch: list[Indexed]) -> bytes:
        events: list[bytes] = []
        for _, event in batch:
            if not self._begun and isinstance(event, PrefillProgress):
                events.append(self._begin(event.total))
            if (error := failure(event)) is not None:
                events.append(sse(error.anthropic(), "error"))
            elif isinstance(event, TokensCommitted):
                events += self._grow(self._parts.add(event.text, event.stats.opening))
            elif isinstance(event, Finished):
                events += [*self._grow(self._parts.add("", ended=True)), *self._close(), self._end(event)]
        return b"".join(events)

    def finish(self) -> bytes:
        return b""

    def whole(self, answers: Sequence[Answer]) -> dict[str, Any]:
        [answer] = answers
        self._grow(self._parts.add(answer.finished.text, answer.finished.stats.opening, ended=True))
        return {
            **self._base,
            "content": self._blocks,
            **self._stopped(answer.finished),
            "usage": _usage(answer.finished.stats),
            "timings": timings(answer.finished.stats),
        }

    def _begin(self, prompt_tokens: int) -> bytes:
        self._begun = True
        usage = {"input_tokens": prompt_tokens, "output_tokens": 0}
        empty: dict[str, Any] = {
            **self._base,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        return sse({"type": "message_start", "message": empty}, "message_start")

    def _grow(self, delta: Delta) -> list[bytes]:
        events = self._add("thinking", "thinking_delta", delta.reasoning) if delta.reasoning else []
        if delta.content:
            events += self._add("text", "text_delta", delta.content)
        for call in delta.calls:
            events += self._close() + self._add_call(call)
        return events

    def _add(self, kind: str, delta_kind: str, text: str) -> list[bytes]:
        events: list[bytes] = []
        if self._open != kind:
            events += self._close()
            self._open = kind
            block = {"type": kind, kind: ""} | ({"signature": ""} if kind == "thinking" else {})
            self._blocks.append(dict(block))
            events.append(self._block_event("content_block_start", content_block=block))
            delta = {"type": delta_kind, kind: HOLE}
            self._form = EventForm(self._block("content_block_delta", delta=delta), "content_block_delta")
        assert self._form is not None
        self._blocks[-1][kind] += text
        return [*events, self._form.filled(text)]

    def _close(self) -> list[bytes]:
        """End the block that grows."""
        if not self._open:
            return []
        self._open = ""
        return [self._block_event("content_block_stop")]

    def _add_call(self, call: ToolCall) -> list[bytes]:
        block = {"type": "tool_use", "id": new_id("toolu"), "name": call.name, "input": json.loads(call.arguments)}
        self._blocks.append(block)
        delta = {"type": "input_json_delta", "partial_json": call.arguments}
        return [
            self._block_event("content_block_start", content_block={**block, "input": {}}),
            self._block_event("content_block_delta", delta=delta),
            self._block_event("content_block_stop"),
        ]

    def _end(self, event: Finished) -> bytes:
        delta = self._stopped(event)
        figures = {"usage": _usage(event.stats), "timings": timings(event.stats)}
        last = sse({"type": "message_delta", "delta": delta, **figures}, "message_delta")
        return last + sse({"type": "message_stop"}, "message_stop")

    def _stopped(self, event: Finished) -> dict[str, str | None]:
        if self._parts.calls and event.reason == "stop":
            return {"stop_reason": "tool_use", "stop_sequence": None}
        if event.stopped_by in self._stops:
            return {"stop_reason": "stop_sequence", "stop_sequence": event.stopped_by}
        return {"stop_reason": _REASONS[event.reason], "stop_sequence": None}

    def _block_event(self, kind: str, **fields: Any) -> bytes:
        return sse(self._block(kind, **fields), kind)

    def _block(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "index": len(self._blocks) - 1, **fields}


def _usage(stats: RequestStats) -> dict[str, Any]:
    return {
        "input_tokens": stats.prompt_tokens - stats.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": stats.cached_tokens,
        "output_tokens": stats.generated_tokens,
        "speculation": speculation([stats]),
    }
