"""POST /v1/responses: the part that the official clients use, with a memory of the items of earlier responses only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace
from starlette.requests import Request
from starlette.types import ASGIApp

from app.api.calls import AnswerRequestBody, Api
from app.api.dialects.response_items import readable_items
from app.api.queued_answers import IndexedEvent
from app.api.requests.conversation import (
    Content,
    EngineMessage,
    MessageFields,
    MessageRole,
    PictureBytes,
    answerable,
    call_turn,
    content_of,
    thoughts_of,
)
from app.api.requests.errors import ApiError, bad_field, sse
from app.api.requests.lenient_content import GrowingCustomText, arguments_of, readable_text
from app.api.requests.request_settings import (
    REFUSED_CHECKS,
    JsonSchema,
    OtherFormat,
    grammar_of,
    readable_format,
    refuse_unsupported,
)
from app.api.requests.tool_use import (
    FunctionChoice,
    FunctionDefinition,
    RequestTools,
    listed_tools,
    openai_tools,
    with_readable_tools,
)
from app.api.requests.usage import (
    MessageTokens,
    TopLogprobs,
    lengths_of,
    reasoning_tokens,
    speculation,
    timings,
    token_logprobs,
)
from app.api.response_writers import PROGRESS, ItemsWriter, new_id, now, reason_of
from app.text.answer_parts import AnswerParts
from app.text.growing_calls import CallPiece
from engine.events import Finished, Token
from engine.grammars.grammar import Grammar

_UNSUPPORTED_FIELDS = {
    "previous_response_id": "Responses are not kept: send the whole conversation as `input`.",
    "conversation": "Conversations are not kept: send the whole conversation as `input`.",
    "background": "Responses in the background are not supported.",
    "prompt": "Prompts are not kept here: send the text as `instructions` and `input`.",
    **REFUSED_CHECKS,
}
# What a reference gets to an item that is not kept.
_NOT_KEPT = (
    "No item {item_id!r} is kept here for this caller. Items are kept in memory only, and not if `store` is false. "
    "Send the items themselves; in Vercel's AI SDK, set the provider option `store` to false for that."
)
# The most characters of an id that an error repeats.
_LONGEST_ID = 100
# The entry of `include` that asks for log-probabilities.
_LOGPROBS = "message.output_text.logprobs"
# Fields of the request that the response repeats, because OpenAI's schema has them or clients read them, with what they
# are else.
_ECHOED = dict.fromkeys(("instructions", "temperature", "top_p", "max_output_tokens")) | {
    **dict.fromkeys(("user", "safety_identifier", "prompt_cache_key")),
    "frequency_penalty": 0.0,
    "metadata": {},
    "parallel_tool_calls": True,
    "presence_penalty": 0.0,
    "tool_choice": "auto",
    "top_logprobs": 0,
    "truncation": "disabled",
}
# Fields of a response that are the same in each: none can be fetched later, and nothing runs in the background.
_UNCHANGING = {
    "background": False,
    "max_tool_calls": None,
    "previous_response_id": None,
    "service_tier": "default",
    "store": False,
}


class _Effort(Struct):
    effort: str | None = None
    max_tokens: int | None = None


class _AnswerSchema(JsonSchema, tag="json_schema"):
    """A JSON schema with what a client says of it, which the response repeats."""

    name: str | None = None
    description: str | None = None
    strict: bool | None = None


class _TextSettings(Struct):
    format: _AnswerSchema | OtherFormat | None = None


class _ResponsesTool(FunctionDefinition, kw_only=True):
    type: str
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            raise bad_field("name", "a text")


class _ResponseTool(_ResponsesTool, kw_only=True):
    """A function, a custom tool, which takes one text, or a namespace of functions in `tools`."""

    tools: list[_ResponsesTool] | None = None


def _called(namespace: str, name: str) -> str:
    """Return the name by which the model calls a function."""
    return f"{namespace}__{name}" if namespace else name


class _InputItem(MessageFields, kw_only=True):
    type: Literal["message", "function_call", "function_call_output", "reasoning", "item_reference"] | None = None
    role: MessageRole = "user"
    call_id: str = ""
    namespace: str | None = None
    name: str | None = None
    arguments: str | dict[str, Any] | None = None
    output: Content | None = None
    # The id that an item_reference has.
    reference: Any = None

    def __post_init__(self) -> None:
        if self.type == "item_reference" and not (isinstance(self.reference, str) and self.reference):
            raise bad_field("id", "the id of an item")


class ResponseBody(AnswerRequestBody, kw_only=True):
    """Answer a conversation, whose earlier answers may be references to their items."""

    input: str | list[_InputItem]
    instructions: str | None = None
    include: list[str] | None = None
    top_logprobs: TopLogprobs | None = None
    tools: list[_ResponseTool] | None = None
    tool_choice: FunctionChoice | None = None
    parallel_tool_calls: bool | None = None
    text: _TextSettings | None = None
    reasoning: _Effort | None = None
    # "auto" leaves out the oldest turns of an input that is longer than the context.
    truncation: Literal["auto", "disabled"] | None = None
    prompt_cache_key: str | None = None
    # Whether the items of the answer are kept, so that a later request can refer to them.
    store: bool | None = None
    previous_response_id: Any = None
    conversation: Any = None
    background: Any = None
    # The id of a kept prompt, and its variables.
    prompt: dict[str, Any] | None = None
    moderation: Any = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        fields = super().normalised(body, skipped)
        tools = list[Any]()
        fields["input"] = readable_items(fields.get("input"), skipped, tools)
        if not isinstance(fields.get("instructions"), str):
            fields["instructions"] = readable_text(fields.get("instructions")) or None
        if tools and isinstance(given := listed_tools(fields.get("tools")) or [], list):
            fields["tools"] = _joined_tools([*given, *tools])
        if isinstance(fields.get("text"), dict):
            fields["text"] = {**fields["text"], "format": readable_format(fields["text"].get("format"))}
        if not isinstance(fields.get("prompt_cache_key"), str):
            fields["prompt_cache_key"] = None
        if not isinstance(fields.get("prompt"), dict):
            # The field of another endpoint, which some programs send to all.
            fields["prompt"] = None
        cache_options = fields.get("prompt_cache_options")
        if isinstance(cache_options, dict) and cache_options.get("prewarm") is True:
            # The prompt is read for a later request.
            fields["max_completion_tokens"] = 0
        if fields.get("truncation") not in (None, "auto", "disabled"):
            skipped.append("truncation")
            fields["truncation"] = None
        return with_readable_tools(fields, skipped, _written_tool, kept_kinds=("namespace",))

    def __post_init__(self) -> None:
        refuse_unsupported(self, _UNSUPPORTED_FIELDS)

    def tools_for(self, form: str) -> RequestTools:
        functions = [replace(function, name=called) for called, (_, function) in self.functions().items()]
        return openai_tools(form, functions, self.tool_choice, self.parallel_tool_calls)

    def answer_format(self) -> tuple[Grammar | None, str]:
        return grammar_of(self.text.format if self.text is not None else None, "text.format")

    @property
    def with_logprobs(self) -> bool:
        """Whether the answer has the log-probabilities of its tokens."""
        return bool(self.top_logprobs) or _LOGPROBS in (self.include or ())

    def contents(self) -> list[dict[str, Any]]:
        pictures: PictureBytes = {}
        content = {
            "messages": self._conversation(pictures),
            "pictures": pictures,
            "alternatives": self.top_logprobs or 0,
            "token_bytes": self.with_logprobs,
            "overflow": "shorten" if self.truncation == "auto" else None,
        }
        return [content]

    def functions(self) -> dict[str, tuple[str, _ResponsesTool]]:
        """Return each function with its namespace, "" for none, by the name by which the model calls it."""
        functions: dict[str, tuple[str, _ResponsesTool]] = {}
        for tool in self.tools or ():
            if tool.type == "namespace":
                functions |= {_called(tool.name, function.name): (tool.name, function) for function in tool.tools or ()}
            else:
                functions[tool.name] = ("", tool)
        return functions

    def _conversation(self, pictures: PictureBytes) -> list[EngineMessage]:
        """Return `instructions` and `input` as turns for the engine, and add their pictures to `pictures`."""
        turns: list[EngineMessage] = []
        if self.instructions:
            turns.append({"role": "system", "content": self.instructions})
        if isinstance(self.input, str):
            return [*turns, {"role": "user", "content": self.input}]
        thoughts = ""
        for item in self.input:
            if item.type == "reasoning":
                thoughts += thoughts_of(item.content)
                continue
            if item.type in (None, "message"):
                turns.append(item.turn(item.role, pictures))
            elif item.type == "function_call_output":
                result = content_of(item.output, pictures)
                turns.append({"role": "tool", "content": result, "tool_call_id": item.call_id})
            else:
                # Thoughts, text and calls of one answer are one turn.
                if not turns or turns[-1]["role"] != "assistant":
                    turns.append({"role": "assistant", "content": ""})
                name = _called(item.namespace or "", item.name or "")
                call = call_turn(item.call_id, name, arguments_of(item.arguments))
                turns[-1].setdefault("tool_calls", []).append(call)
            if thoughts and turns[-1]["role"] == "assistant":
                # The template decides whether the model sees them again.
                turns[-1]["reasoning_content"] = thoughts
                thoughts = ""
        return answerable(turns)


# Keeps an item: its id, the item as a request would have it, and how many characters its text has so far.
_KeepItem = Callable[[str, Mapping[str, Any], int], None]


class _ResponseCall(ResponseBody, kw_only=True):
    """A request with the items that it refers to, and what keeps those of its answer; None keeps none."""

    keep: _KeepItem | None

    def writer_for(self, name: str, tools: RequestTools, count: int) -> ResponseItemsWriter:  # noqa: ARG002
        return ResponseItemsWriter(name, tools.parts(), self, self.keep, logprobs=self.with_logprobs)


async def respond(request: Request, body: ResponseBody) -> ASGIApp:
    """Answer a conversation. Raises `ApiError`: (item_not_found), (duplicate_item)."""
    api: Api = request.app.state.api
    caller = api.caller_of(request, body)
    keep = None if body.store is False else partial(api.items.keep, caller)
    referred = _with_items(body.input, partial(api.items.get, caller))
    return await api.answer(request, _ResponseCall(**asdict(body) | {"input": referred}, keep=keep))


def _with_items(
    given: str | list[_InputItem], find: Callable[[str], Mapping[str, Any] | None]
) -> str | list[_InputItem]:
    """Return an input with the items that it refers to. Raises `ApiError`."""
    if isinstance(given, str):
        return given
    items = list[_InputItem]()
    referred = set[str]()
    for item in given:
        if item.type != "item_reference":
            items.append(item)
            continue
        shown_id = item.reference[:_LONGEST_ID]
        if item.reference in referred:
            sentence = f"The item {shown_id!r} is referred to twice. Refer to each item once."
            raise ApiError(400, sentence, param="input", code="duplicate_item")
        earlier_item = find(item.reference)
        if earlier_item is None:
            raise ApiError(404, _NOT_KEPT.format(item_id=shown_id), param="input", code="item_not_found")
        referred.add(item.reference)
        items += msgspec.convert(readable_items([earlier_item], [], []), list[_InputItem])
    return items


def _written_tool(kind: str, tool: Any) -> Any:
    return {"type": kind, **tool} if isinstance(tool, dict) else tool


def _shown_text(text: _TextSettings | None) -> dict[str, Any]:
    """Return the settings of the text as the response repeats them."""
    form = text.format if text is not None else None
    return {"format": {"type": "text"} if form is None else msgspec.to_builtins(form)}


def _shown_tool(tool: _ResponseTool) -> dict[str, Any]:
    """Return a tool as the response repeats it."""
    required: dict[str, Any] = {"parameters": None, "strict": None} if tool.type == "function" else {}
    return {**required, **msgspec.to_builtins(tool)}


def _joined_tools(tools: Sequence[Any]) -> list[Any]:
    """Return tools without a tool whose name an earlier tool has."""
    named = {tool.get("name"): tool for tool in reversed(tools) if isinstance(tool, dict) and tool.get("name")}
    return [tool for tool in tools if not isinstance(tool, dict) or named.get(tool.get("name"), tool) is tool]


class _Item:
    """An output item that grows: thoughts or a message."""

    def __init__(self, kind: str, index: int) -> None:
        self.kind = kind
        self.index = index
        self.text = ""
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

    def as_input(self) -> dict[str, Any]:
        """Return the item as a request would have it."""
        return {"type": self.kind, "role": "assistant", "content": [{"type": self.name, "text": self.text}]}


class _CallItem:
    """A call of a function that grows; that of a `custom` tool has a text for its arguments."""

    def __init__(self, name: str, namespace: str, index: int, *, custom: bool) -> None:
        self.name = name
        self.index = index
        self.text = ""
        self._kind = "custom_tool_call" if custom else "function_call"
        self.field = "input" if custom else "arguments"
        self.events = f"response.{self._kind}_{self.field}"
        self.id = new_id("fc")
        self.place = {"item_id": self.id, "output_index": index}
        self._call_id = new_id("call")
        self._more = {"namespace": namespace} if namespace else {}
        self._custom = GrowingCustomText() if custom else None

    def add(self, arguments: str) -> str:
        """Add a piece of the JSON of the arguments, and return what it adds to the item."""
        new = arguments if self._custom is None else self._custom.add(arguments)
        self.text += new
        return new

    def whole(self, status: str) -> dict[str, Any]:
        called = {"call_id": self._call_id, "name": self.name, self.field: self.text}
        return {"id": self.id, "type": self._kind, **called, "status": status, **self._more}

    def as_input(self) -> dict[str, Any]:
        """Return the item as a request would have it."""
        return self.whole("completed")


class ResponseItemsWriter(ItemsWriter):
    """Writes an answer as a response: its events, or whole. `keep` gets its items whenever they have grown."""

    kinds = "reasoning", "message"

    def __init__(
        self, model: str, parts: AnswerParts, body: ResponseBody, keep: _KeepItem | None, *, logprobs: bool
    ) -> None:
        super().__init__(parts)
        self._keep = keep
        self._tokens = MessageTokens() if logprobs else None
        self._functions = body.functions()
        self._base: dict[str, Any] = {
            "id": new_id("resp"),
            "object": "response",
            "created_at": now(),
            "model": model,
            "completed_at": None,
            "error": None,
            "incomplete_details": None,
            "tools": [_shown_tool(tool) for tool in body.tools or ()],
            "text": _shown_text(body.text),
            "reasoning": {"effort": body.reasoning.effort if body.reasoning is not None else None, "summary": None},
            **_UNCHANGING,
            **{key: default if (value := getattr(body, key)) is None else value for key, default in _ECHOED.items()},
        }
        self._number = -1
        self._token_lengths: list[int] = []
        self._item: _Item | None = None
        self._call: _CallItem | None = None
        self._output: list[dict[str, Any]] = []

    def write(self, batch: list[IndexedEvent]) -> bytes:
        begun: list[bytes] = []
        if self._number < 0:
            begun = [self._state_event(name) for name in ("created", "in_progress")]
        return b"".join((*begun, super().write(batch)))

    def keep_alive(self) -> bytes:
        """Return an event: agents leave that see only comments."""
        return self._state_event("in_progress", **({PROGRESS: self.progress} if self.progress else {}))

    def failed(self, error: ApiError) -> bytes:
        wrong = {"code": error.code or "server_error", "message": error.sentence}
        failed = {**self._base, "status": "failed", "output": self._output, "error": wrong}
        return self._event("response.failed", response=failed)

    def add(self, text: str, tokens: Sequence[Token], opening: str) -> list[bytes]:
        """With log-probabilities, take the tokens one by one."""
        self._token_lengths += lengths_of(tokens)
        if self._tokens is None:
            return super().add(text, tokens, opening)
        events: list[bytes] = []
        for token in tokens:
            self._tokens.add(token)
            events += self.grow(self._parts.add(token.text, opening))
        return events

    def grow_item(self, kind: str, text: str) -> list[bytes]:
        events: list[bytes] = []
        if self._item is None or self._item.kind != kind:
            events += self.end_item()
            self._item = _Item(kind, len(self._output))
            added = self._item.whole("in_progress", empty=True)
            events.append(self._event("response.output_item.added", output_index=self._item.index, item=added))
            events.append(self._part_event("response.content_part.added", part=self._item.part()))
        self._item.text += text
        self._keep_item(self._item)
        more: dict[str, Any] = {}
        if kind == "message":
            tokens = self._tokens.take(text, self._parts.held) if self._tokens is not None else ()
            more["logprobs"] = token_logprobs(tokens)
            self._item.logprobs += more["logprobs"]
        return [*events, self._part_event(f"response.{self._item.name}.delta", delta=text, **more)]

    def end_item(self, status: str = "completed") -> list[bytes]:
        item = self._item
        if item is None:
            return []
        more: dict[str, Any] = {} if item.kind == "reasoning" else {"logprobs": item.logprobs}
        events = [
            self._part_event(f"response.{item.name}.done", text=item.text, **more),
            self._part_event("response.content_part.done", part=item.part()),
            self._event("response.output_item.done", output_index=item.index, item=item.whole(status)),
        ]
        self._output.append(item.whole(status))
        self._item = None
        return events

    def begin_call(self, name: str) -> list[bytes]:
        namespace, function = self._functions[name]
        call = self._call = _CallItem(function.name, namespace, len(self._output), custom=function.type == "custom")
        return [self._event("response.output_item.added", output_index=call.index, item=call.whole("in_progress"))]

    def grow_call(self, piece: CallPiece) -> list[bytes]:
        call = self._call
        assert call is not None
        new = call.add(piece.arguments)
        self._keep_item(call)
        events = [self._event(f"{call.events}.delta", delta=new, **call.place)] if new else []
        if not piece.end:
            return events
        if piece.end == "whole":
            done = {"name": call.name, call.field: call.text}
            events.append(self._event(f"{call.events}.done", **done, **call.place))
        item = call.whole("completed" if piece.end == "whole" else "incomplete")
        self._output.append(item)
        self._call = None
        return [*events, self._event("response.output_item.done", output_index=call.index, item=item)]

    def _keep_item(self, item: _Item | _CallItem) -> None:
        """Keep an item so far: a client that stops the answer may refer to it at once."""
        if self._keep is not None:
            self._keep(item.id, item.as_input(), len(item.text))

    def end(self, event: Finished) -> list[bytes]:
        ended = self.result(event)
        return [self._event(f"response.{ended['status']}", response=ended)]

    def result(self, event: Finished) -> dict[str, Any]:
        cut = reason_of(event, self._parts) == "length"
        stats = event.stats
        return {
            **self._base,
            "status": "incomplete" if cut else "completed",
            "completed_at": None if cut else now(),
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "output": self._output,
            "usage": {
                "input_tokens": stats.prompt_tokens,
                "input_tokens_details": {"cached_tokens": stats.cached_tokens, "cache_write_tokens": 0},
                "output_tokens": stats.generated_tokens,
                "output_tokens_details": {"reasoning_tokens": reasoning_tokens(self._token_lengths, event)},
                "total_tokens": stats.prompt_tokens + stats.generated_tokens,
                "speculation": speculation([stats]),
            },
            "timings": timings(stats),
        }

    def _state_event(self, name: str, **more: Any) -> bytes:
        """Return an event with the response so far, without an item that grows, and `more` fields."""
        so_far = {**self._base, "status": "in_progress", "output": self._output, "usage": None}
        return self._event(f"response.{name}", response=so_far, **more)

    def _part_event(self, kind: str, **fields: Any) -> bytes:
        assert self._item is not None
        return self._event(kind, **self._item.place, **fields)

    def _event(self, kind: str, **fields: Any) -> bytes:
        self._number += 1
        return sse({"type": kind, "sequence_number": self._number, **fields}, kind)
