"""POST /v1/chat/completions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from app.api.answering import CompleteAnswer
from app.api.calls import SeveralAnswers
from app.api.requests.conversation import ChatMessage, PictureBytes, answerable, readable_message
from app.api.requests.errors import bad_field
from app.api.requests.lenient_content import GrowingCustomText, custom_text, messages_of
from app.api.requests.request_settings import REFUSED_CHECKS, refuse_unsupported
from app.api.requests.tool_use import (
    FunctionChoice,
    FunctionDefinition,
    RequestTools,
    openai_tools,
    with_readable_tools,
)
from app.api.requests.usage import TopLogprobs, choice_logprobs
from app.api.response_writers import ChoicesWriter, new_id, reason_of
from app.text.answer_parts import AnswerParts
from app.text.answer_pieces import Delta
from engine.call_forms.form import ToolCall
from engine.events import Event, Finished, PrefillProgress, Token, TokensCommitted

# Fields that ask for what no model here has.
_LEFT_OUT = ("audio", "web_search_options")


class _ChatTool(Struct):
    function: FunctionDefinition
    # A custom tool takes one text.
    type: Literal["function", "custom"] | None = "function"


class ChatBody(SeveralAnswers, kw_only=True):
    """Answer a conversation."""

    messages: Annotated[list[ChatMessage], Meta(min_length=1)]
    logprobs: bool | None = None
    top_logprobs: TopLogprobs | None = None
    tools: list[_ChatTool] | None = None
    tool_choice: FunctionChoice | None = None
    # The older spelling of tools, whose answers have the older form, too.
    functions: Any = None
    parallel_tool_calls: bool | None = None
    # Whether a stream says how much of the prompt has been read, as llama.cpp's server does.
    return_progress: bool | None = None
    moderation: Any = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        fields = super().normalised(body, skipped)
        if fields.get("tools"):
            fields["functions"] = None
        skipped += [key for key in _LEFT_OUT if fields.get(key)]
        fields["messages"] = messages_of(fields.get("messages"), lambda message: readable_message(message, skipped))
        return with_readable_tools(fields, skipped, lambda kind, function: {"type": kind, "function": function})

    def __post_init__(self) -> None:
        refuse_unsupported(self, REFUSED_CHECKS)
        if self.top_logprobs and not self.logprobs:
            raise bad_field("logprobs", "true where `top_logprobs` is given")

    def tools_for(self, form: str) -> RequestTools:
        functions = [tool.function for tool in self.tools or ()]
        parallel = False if self.functions else self.parallel_tool_calls
        return openai_tools(form, functions, self.tool_choice, parallel)

    def contents(self) -> list[dict[str, Any]]:
        pictures: PictureBytes = {}
        content = {
            "messages": answerable([message.turn(message.role, pictures) for message in self.messages]),
            "pictures": pictures,
            "alternatives": self.top_logprobs or 0,
            "token_bytes": bool(self.logprobs),
        }
        return [content]

    def writer_for(self, name: str, tools: RequestTools, count: int) -> ChatWriter:
        return ChatWriter(name, [tools.parts() for _ in range(count)], self)


class _GrowingDelta:
    """The arguments of a call that grows, or the text of one of a `custom` tool, as chunks have them."""

    def __init__(self, *, custom: bool) -> None:
        self.kind = "custom" if custom else "function"
        self._field = "input" if custom else "arguments"
        self._custom = GrowingCustomText() if custom else None

    @property
    def empty(self) -> dict[str, Any]:
        return {self.kind: {self._field: ""}}

    def add(self, arguments: str) -> dict[str, Any]:
        """Return the fields of more of the arguments; none if there is nothing new."""
        new = arguments if self._custom is None else self._custom.add(arguments)
        return {self.kind: {self._field: new}} if new else {}


class ChatWriter(ChoicesWriter):
    """Writes answers as chat completions: in chunks, or whole."""

    id_kind = "chatcmpl"
    whole_object = "chat.completion"
    chunk_object = "chat.completion.chunk"

    def __init__(self, model: str, parts: list[AnswerParts], body: ChatBody) -> None:
        super().__init__(model, with_usage=body.with_usage, logprobs=bool(body.logprobs))
        self._parts = parts
        self._old = bool(body.functions)
        self._custom = {tool.function.name for tool in body.tools or () if tool.type == "custom"}
        self._with_progress = bool(body.return_progress)
        self._begun: set[int] = set()
        # How many calls of each answer have begun, and the newest one that came in pieces.
        self._count: defaultdict[int, int] = defaultdict(int)
        self._growing: dict[int, _GrowingDelta] = {}

    @property
    def answers(self) -> Sequence[AnswerParts]:
        return self._parts

    def events(self, index: int, event: Event) -> list[bytes]:
        chunks = []
        parts = self._parts[index]
        if index not in self._begun:
            self._begun.add(index)
            chunks.append(self._delta(index, {"role": "assistant", "content": ""}))
        if isinstance(event, PrefillProgress) and self._with_progress:
            chunks.append(self.chunk(self.empty_choice(index), **self.prompt_progress))
        elif isinstance(event, TokensCommitted):
            fields = self._fields(index, parts.add(event.text, event.stats.opening))
            tokens = event.tokens if self._logprobs else ()
            if fields or tokens:
                chunks.append(self._delta(index, fields, tokens))
        elif isinstance(event, Finished):
            if fields := self._fields(index, parts.add("", ended=True, cut=event.cut)):
                chunks.append(self._delta(index, fields))
            choice = {"index": index, "delta": {}, "logprobs": None, "finish_reason": self._reason(event, parts)}
            chunks.append(self.last_chunk(index, event, choice))
        return chunks

    def empty_choice(self, index: int) -> dict[str, Any]:
        return {"index": index, "delta": {}, "logprobs": None, "finish_reason": None}

    def choice(self, index: int, answer: CompleteAnswer) -> dict[str, Any]:
        parts = self._parts[index]
        finished = answer.finished
        parts.add(finished.text, finished.stats.opening, ended=True, cut=finished.cut)
        content = parts.content or (None if parts.calls else "")
        message = {"role": "assistant", "content": content, "refusal": None}
        message |= _thoughts(parts.reasoning) | self._calls(parts.calls)
        return {
            "index": index,
            "message": message,
            "logprobs": choice_logprobs(answer.tokens) if self._logprobs else None,
            "finish_reason": self._reason(finished, parts),
        }

    def _fields(self, index: int, delta: Delta) -> dict[str, Any]:
        """Return the fields of the chunk that a piece of the answer `index` makes."""
        fields = _thoughts(delta.reasoning) | ({"content": delta.content} if delta.content else {})
        calls = self._call_deltas(index, delta)
        if calls and self._old:
            return fields | {"function_call": calls[0]["function"]}
        return fields | ({"tool_calls": calls} if calls else {})

    def _call_deltas(self, index: int, delta: Delta) -> list[dict[str, Any]]:
        """Return what is new of the calls of the answer `index`."""
        deltas = list[dict[str, Any]]()
        if delta.resumed is not None and (new := self._growing[index].add(delta.resumed.arguments)):
            deltas.append({"index": self._count[index] - 1, **new})
        for call in delta.untold_calls:
            deltas.append({"index": self._count[index], **self._call(call)})
            self._count[index] += 1
        if delta.begun is not None:
            growing = self._growing[index] = _GrowingDelta(custom=delta.begun.name in self._custom)
            begun = growing.add(delta.begun.arguments) or growing.empty
            named = {"name": delta.begun.name, **begun[growing.kind]}
            identity = {"id": new_id("call"), "type": growing.kind}
            deltas.append({"index": self._count[index], **identity, growing.kind: named})
            self._count[index] += 1
        return deltas

    def _calls(self, calls: Sequence[ToolCall]) -> dict[str, Any]:
        """Return the field of a message that holds its calls, if it has any."""
        if not calls:
            return {}
        if self._old:
            return {"function_call": {"name": calls[0].name, "arguments": calls[0].arguments}}
        return {"tool_calls": [self._call(call) for call in calls]}

    def _reason(self, event: Finished, parts: AnswerParts) -> str:
        called = "function_call" if self._old else "tool_calls"
        return called if parts.calls and event.reason == "stop" else reason_of(event, parts)

    def _call(self, call: ToolCall) -> dict[str, Any]:
        """Return a call in the form in which its tool was offered."""
        if call.name in self._custom:
            kind = "custom"
            called = {"name": call.name, "input": custom_text(call.arguments)}
        else:
            kind = "function"
            called = {"name": call.name, "arguments": call.arguments}
        return {"id": new_id("call"), "type": kind, kind: called}

    def _delta(self, index: int, delta: dict[str, Any], tokens: Sequence[Token] = ()) -> bytes:
        logprobs = choice_logprobs(tokens) if tokens else None
        return self.chunk({"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": None})


def _thoughts(text: str) -> dict[str, Any]:
    """Return the fields of thoughts: vLLM's clients read `reasoning`, those of other servers `reasoning_content`."""
    return {"reasoning_content": text, "reasoning": text} if text else {}
