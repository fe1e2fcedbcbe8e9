"""POST /v1/responses: what the official clients use of it, without a memory of earlier responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from app.api.answer_parts import AnswerParts, Delta
from app.api.answering import Answer, Indexed, failure, now
from app.api.calls import AnswerBody, Api, Plan, new_id
from app.api.conversation import (
    Content,
    Message,
    MessageFields,
    Role,
    call_turn,
    joined_instructions,
    parsed_arguments,
    text_of,
)
from app.api.errors import bad_field
from app.api.logprobs import MessageTokens, TopLogprobs, token_logprobs
from app.api.replies import sse
from app.api.request_settings import Format, grammar_of, refuse_unsupported
from app.api.tool_use import Choice, Function, FunctionType, openai_tools
from app.api.usage import speculation, timings
from engine.events import Finished, Token, TokensCommitted
from engine.stats import RequestStats
from engine.status import ModelInfo
from engine.tokenizers.tool_calls import ToolCall

_UNSUPPORTED = {
    "previous_response_id": "Responses are not kept: send the whole conversation as `input`.",
    "conversation": "Conversations are not kept: send the whole conversation as `input`.",
    "background": "Responses in the background are not supported.",
}
# What `include` names the log-probabilities.
_LOGPROBS = "message.output_text.logprobs"
# The fields that an item of each type has.
_NEEDED: dict[str, tuple[str, ...]] = {
    "message": ("role",),
    "function_call": ("call_id", "name"),
    "function_call_output": ("call_id",),
    "reasoning": (),
}
# Echoed as the clients' types ask for them.
_ECHOED = (
    "instructions",
    "metadata",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "max_output_tokens",
    "tool_choice",
)


class _Effort(Struct):
    effort: str | None = None


class _TextSettings(Struct):
    format: Format | None = None


class _ResponseTool(Function, kw_only=True):
    type: FunctionType


class _InputItem(MessageFields, kw_only=True):
    type: Annotated[
        Literal["message", "function_call", "function_call_output", "reasoning"] | None,
        Meta(extra={"unsupported": "Items of the type {!r} are not supported."}),
    ] = None
    role: Role | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    output: Content | None = None

    def __post_init__(self) -> None:
        for field in _NEEDED[self.type or "message"]:
            if getattr(self, field) is None:
                raise bad_field(field, "a text")
        if self.type == "function_call":
            parsed_arguments(self.arguments)


class ResponseBody(AnswerBody, kw_only=True):
    """Answer a conversation, without a memory of earlier responses."""

    input: str | list[_InputItem]
    instructions: str | None = None
    include: list[str] | None = None
    top_logprobs: TopLogprobs | None = None
    tools: list[_ResponseTool] | None = None
    tool_choice: Choice | None = None
    parallel_tool_calls: bool | None = None
    text: _TextSettings | None = None
    reasoning: _Effort | None = None
    metadata: dict[str, Any] | None = None
    previous_response_id: Any = None
    conversation: Any = None
    background: Any = None

    def __post_init__(self) -> None:
        refuse_unsupported(self, _UNSUPPORTED)

    def plan(self, api: Api, info: ModelInfo, name: str) -> Plan:
        tools = openai_tools(info.tool_format, self.tools or (), self.tool_choice, self.parallel_tool_calls)
        grammar, field = grammar_of(self.text.format if self.text is not None else None, "text.format")
        effort = self.reasoning.effort if self.reasoning is not None else None
        requests = self.engine_requests(
            api,
            info,
            tools,
            grammar,
            field,
            messages=self._conversation(),
            template_options={} if effort is None else {"reasoning_effort": effort},
            alternatives=self.top_logprobs or 0,
        )
        logprobs = bool(self.top_logprobs) or _LOGPROBS in (self.include or ())
        return Plan(requests, ResponseShape(name, tools.parts(), self, logprobs=logprobs), field)

    def _conversation(self) -> list[Message]:
        """`instructions` and `input` as turns for the engine."""
        turns: list[Message] = []
        if self.instructions:
            turns.append({"role": "system", "content": self.instructions})
        if isinstance(self.input, str):
            return [*turns, {"role": "user", "content": self.input}]
        for item in self.input:
            if item.type in (None, "message"):
                turns.append(item.turn(item.role or ""))
            elif item.type == "function_call":
                call = call_turn(item.call_id or "", item.name or "", parsed_arguments(item.arguments))
                if turns and "tool_calls" in turns[-1]:
                    turns[-1]["tool_calls"].append(call)
                else:
                    turns.append({"role": "assistant", "content": "", "tool_calls": [call]})
            elif item.type == "function_call_output":
                turns.append({"role": "tool", "content": text_of(item.output), "tool_call_id": item.call_id or ""})
        return joined_instructions(turns)


class _Item:
    """An output item that grows: thoughts or a message."""

    def __init__(self, kind: str, index: int) -> None:
        self.kind, self.index, self.text = kind, index, ""
        self.logprobs: list[dict[str, Any]] = []
        self.id = new_id("rs" if kind == "reasoning" else "msg")
        self.place = {"item_id": self.id, "output_index": index, "content_index": 0}
        self.name = "reasoning_text" if kind == "reasoning" else "output_text"

    def part(self) -> dict[str, Any]:
        if self.kind == "reasoning":
            return {"type": "reasoning_text", "text": self.text}
        return {"type": "output_text", "text": self.text, "annotations": [], "logprobs": self.logprobs}

    def whole(self, status: str = "completed", *, empty: bool = False) -> dict[str, Any]:
        content = [] if empty else [self.part()]
        if self.kind == "reasoning":
            return {"id": self.id, "type": "reasoning", "summary": [], "content": content, "status": status}
        return {"id": self.id, "type": "message", "role": "assistant", "content": content, "status": status}


class ResponseShape:
    """Writes an answer as a response: its events, or whole."""

    def __init__(self, model: str, parts: AnswerParts, body: ResponseBody, *, logprobs: bool) -> None:
        self._parts, self._tokens = parts, MessageTokens() if logprobs else None
        self._base: dict[str, Any] = {
            "id": new_id("resp"),
            "object": "response",
            "created_at": now(),
            "model": model,
            "error": None,
            "incomplete_details": None,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": body.tools or [],
            **{key: value for key in _ECHOED if (value := getattr(body, key)) is not None},
        }
        self._number = -1
        self._item: _Item | None = None
        self._output: list[dict[str, Any]] = []
        self._begun = False

    def write(self, batch: list[Indexed]) -> bytes:
        events: list[bytes] = []
        if not self._begun:
            self._begun = True
            started = {**self._base, "status": "in_progress", "output": [], "usage": None}
            events += [self._event(f"response.{name}", response=started) for name in ("created", "in_progress")]
        for _, event in batch:
            if (error := failure(event)) is not None:
                wrong = {"code": error.code or "server_error", "message": error.sentence}
                failed = {**self._base, "status": "failed", "output": self._output, "error": wrong}
                events.append(self._event("response.failed", response=failed))
            elif isinstance(event, TokensCommitted):
                events += self._add(event.text, event.tokens, event.stats.opening)
            elif isinstance(event, Finished):
                events += self._grow(self._parts.add("", ended=True)) + self._close()
                ended = self._ended(event.reason, event.stats)
                events.append(self._event(f"response.{ended['status']}", response=ended))
        return b"".join(events)

    def finish(self) -> bytes:
        return b""

    def whole(self, answers: Sequence[Answer]) -> dict[str, Any]:
        [answer] = answers
        self._add(answer.finished.text, answer.tokens, answer.finished.stats.opening)
        self._grow(self._parts.add("", ended=True))
        self._close()
        return self._ended(answer.finished.reason, answer.finished.stats)

    def _add(self, text: str, tokens: Sequence[Token], opening: str) -> list[bytes]:
        """Take in the next text of the answer, which these tokens make: one by one where they are shown."""
        if self._tokens is None:
            return self._grow(self._parts.add(text, opening))
        events: list[bytes] = []
        for token in tokens:
            self._tokens.add(token)
            events += self._grow(self._parts.add(token.text, opening))
        return events

    def _grow(self, delta: Delta) -> list[bytes]:
        events = self._grow_item("reasoning", delta.reasoning) if delta.reasoning else []
        if delta.content:
            events += self._grow_item("message", delta.content)
        for call in delta.calls:
            events += self._close() + self._add_call(call)
        return events

    def _grow_item(self, kind: str, text: str) -> list[bytes]:
        events: list[bytes] = []
        if self._item is None or self._item.kind != kind:
            events += self._close()
            self._item = _Item(kind, len(self._output))
            added = self._item.whole("in_progress", empty=True)
            events.append(self._event("response.output_item.added", output_index=self._item.index, item=added))
            events.append(self._part_event("response.content_part.added", part=self._item.part()))
        self._item.text += text
        more: dict[str, Any] = {}
        if kind == "message":
            tokens = self._tokens.take(text, self._parts.held) if self._tokens is not None else ()
            more["logprobs"] = token_logprobs(tokens)
            self._item.logprobs += more["logprobs"]
        return [*events, self._part_event(f"response.{self._item.name}.delta", delta=text, **more)]

    def _close(self) -> list[bytes]:
        """End the item that grows."""
        item = self._item
        if item is None:
            return []
        more: dict[str, Any] = {} if item.kind == "reasoning" else {"logprobs": item.logprobs}
        events = [
            self._part_event(f"response.{item.name}.done", text=item.text, **more),
            self._part_event("response.content_part.done", part=item.part()),
            self._event("response.output_item.done", output_index=item.index, item=item.whole()),
        ]
        self._output.append(item.whole())
        self._item = None
        return events

    def _add_call(self, call: ToolCall) -> list[bytes]:
        index, item_id = len(self._output), new_id("fc")
        item = {
            "id": item_id,
            "type": "function_call",
            "call_id": new_id("call"),
            "name": call.name,
            "arguments": call.arguments,
            "status": "completed",
        }
        self._output.append(item)
        begun = {**item, "arguments": "", "status": "in_progress"}
        place = {"item_id": item_id, "output_index": index}
        done = {"arguments": call.arguments, "name": call.name}
        return [
            self._event("response.output_item.added", output_index=index, item=begun),
            self._event("response.function_call_arguments.delta", delta=call.arguments, **place),
            self._event("response.function_call_arguments.done", **done, **place),
            self._event("response.output_item.done", output_index=index, item=item),
        ]

    def _ended(self, reason: str, stats: RequestStats) -> dict[str, Any]:
        cut = reason == "length"
        return {
            **self._base,
            "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "output": self._output,
            "usage": _usage(stats),
            "timings": timings(stats),
        }

    def _part_event(self, kind: str, **fields: Any) -> bytes:
        assert self._item is not None
        return self._event(kind, **self._item.place, **fields)

    def _event(self, kind: str, **fields: Any) -> bytes:
        self._number += 1
        return sse({"type": kind, "sequence_number": self._number, **fields}, kind)


def _usage(stats: RequestStats) -> dict[str, Any]:
    return {
        "input_tokens": stats.prompt_tokens,
        "input_tokens_details": {"cached_tokens": stats.cached_tokens},
        "output_tokens": stats.generated_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": stats.prompt_tokens + stats.generated_tokens,
        "speculation": speculation([stats]),
    }
