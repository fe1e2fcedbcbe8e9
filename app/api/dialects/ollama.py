"""POST /api/chat and /api/generate in the shape of Ollama's API, for programs that speak nothing else.

Answers stream as lines of JSON unless `stream` is false. A conversation that is longer than `num_ctx`, or than the
model's context, loses its oldest turns unless `truncate` is false; other options of Ollama's runtime, such as
`num_gpu`, have no effect, because Tandem's settings decide on memory. Models stay loaded until another one needs their
memory; `keep_alive` 0 unloads one that a client has loaded, after the answer.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec
from msgspec import Struct, field
from starlette.requests import Request
from starlette.types import ASGIApp

from app.api.answering import CompleteAnswer
from app.api.calls import AnswerRequestBody, Api
from app.api.requests.conversation import (
    ChatMessage,
    Content,
    EngineMessage,
    ImagePart,
    PictureBytes,
    TextPart,
    answerable,
    content_of,
    readable_message,
)
from app.api.requests.errors import ApiError, JsonReply
from app.api.requests.lenient_content import messages_of
from app.api.requests.request_settings import JsonSchema, Stop, grammar_of, refuse_unsupported
from app.api.requests.tool_use import (
    FunctionChoice,
    FunctionDefinition,
    RequestTools,
    openai_tools,
    with_readable_tools,
)
from app.api.requests.usage import TopLogprobs, schema_notes, token_logprobs
from app.api.response_writers import ResponseWriter, reason_of
from app.text.answer_parts import AnswerParts
from engine.call_forms.form import ToolCall
from engine.events import Event, Finished, Token, TokensCommitted
from engine.grammars.grammar import Grammar

_UNSUPPORTED_FIELDS = {
    "suffix": "Filling in the middle is not supported: set `raw`, and write the model's own marks into the prompt."
}


class _OllamaOptions(Struct, kw_only=True):
    # The names here are those of `request_settings.RequestSettings`.
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float | None = field(name="repeat_penalty", default=None)
    penalty_window: int | None = field(name="repeat_last_n", default=None)
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    stop: Stop | None = None
    max_tokens: int | None = field(name="num_predict", default=None)
    num_ctx: int | None = None

    def __post_init__(self) -> None:
        # Numbers below 0 stand for no limit, a random seed and the whole text.
        self.max_tokens = self.max_tokens if (self.max_tokens or 0) > 0 else None
        self.seed = self.seed if (self.seed or 0) >= 0 else None
        self.penalty_window = max(0, self.penalty_window) if self.penalty_window is not None else None


class _OllamaBody(AnswerRequestBody, kw_only=True):
    options: _OllamaOptions | None = None
    # "" stands for no format.
    format: Literal["json", ""] | dict[str, Any] | None = None
    think: bool | str | None = None
    keep_alive: str | float | None = None
    # False refuses a conversation that is longer than the context.
    truncate: bool | None = None
    logprobs: bool | None = None
    top_logprobs: TopLogprobs | None = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        fields = super().normalised(body, skipped)
        form = fields.get("format")
        if isinstance(form, str) and form not in ("json", ""):
            skipped.append(f"format {form}")
            fields["format"] = None
        return fields

    def __post_init__(self) -> None:
        self.stream = self.stream is not False
        for name, value in msgspec.structs.asdict(self.options or _OllamaOptions()).items():
            if name != "num_ctx":
                setattr(self, name, value)

    def answer_format(self) -> tuple[Grammar | None, str]:
        if isinstance(self.format, dict):
            return grammar_of(JsonSchema(self.format), "format")[0], "format"
        grammar = Grammar("json_object") if self.format else None
        return grammar, "format"

    def contents(self) -> list[dict[str, Any]]:
        content = {
            **self.content(),
            "alternatives": self.top_logprobs or 0,
            "token_bytes": self.with_logprobs,
            "overflow": "refuse" if self.truncate is False else "shorten",
            "kept_context": (self.options or _OllamaOptions()).num_ctx or None,
        }
        return [content]

    def writer_for(self, name: str, tools: RequestTools, count: int) -> OllamaWriter:  # noqa: ARG002
        return OllamaWriter(name, tools.parts(), self)

    @property
    def with_logprobs(self) -> bool:
        """Whether the answer has the log-probabilities of its tokens."""
        return bool(self.logprobs or self.top_logprobs)

    @property
    def unloads(self) -> bool:
        return self.keep_alive is not None and re.fullmatch(r"0+(\.0*)?[a-z]*", str(self.keep_alive)) is not None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to answer: the model is only to be loaded."""
        raise NotImplementedError

    def content(self) -> dict[str, Any]:
        """Return the fields of `requests.ChatRequest` that hold what is to be answered. Raises `ApiError`."""
        raise NotImplementedError

    def answer_in(self, text: str, thoughts: str, calls: Sequence[ToolCall]) -> dict[str, Any]:
        """Return the field that holds a piece of the answer."""
        raise NotImplementedError

    def last_fields(self, text: str) -> dict[str, Any]:
        """Return the fields that only the end of an answer with this text has."""
        del text
        return {}


class _OllamaMessage(ChatMessage, kw_only=True):
    thinking: str | None = None
    images: list[str] | None = None
    tool_name: str | None = None

    def __post_init__(self) -> None:
        self.content = _with_images(self.content, self.images)
        self.reasoning_content = self.thinking or self.reasoning_content


class _OllamaTool(Struct):
    function: FunctionDefinition


class OllamaChatBody(_OllamaBody, kw_only=True):
    """Answer a conversation, in the shape of Ollama's API."""

    messages: list[_OllamaMessage] | None = None
    tools: list[_OllamaTool] | None = None
    # Ollama has no such field; providers of SDKs send it.
    tool_choice: FunctionChoice | None = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        fields = super().normalised(body, skipped)
        fields["messages"] = messages_of(
            fields.get("messages"), lambda message: {**message, **readable_message(message, skipped)}
        )
        return with_readable_tools(fields, skipped, lambda _, function: {"function": function})

    @property
    def functions(self) -> list[FunctionDefinition]:
        return [tool.function for tool in self.tools or ()]

    def tools_for(self, form: str) -> RequestTools:
        return openai_tools(form, self.functions, self.tool_choice, None)

    @property
    def empty(self) -> bool:
        return not self.messages

    def content(self) -> dict[str, Any]:
        pictures: PictureBytes = {}
        turns = answerable(_turns(self.messages or (), pictures))
        return {"messages": turns, "pictures": pictures}

    def answer_in(self, text: str, thoughts: str, calls: Sequence[ToolCall]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if thoughts:
            message["thinking"] = thoughts
        if calls:
            functions = [{"name": call.name, "arguments": json.loads(call.arguments)} for call in calls]
            message["tool_calls"] = [{"function": function} for function in functions]
        return {"message": message}


class OllamaGenerateBody(_OllamaBody, kw_only=True):
    """Continue or answer a prompt, in the shape of Ollama's API."""

    prompt: str | None = None
    system: str | None = None
    # Whether the prompt is a text that no chat template wraps.
    raw: bool | None = None
    images: list[str] | None = None
    suffix: Any = None
    # The conversation so far, as the last answer had it.
    context: list[int] | None = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        fields = super().normalised(body, skipped)
        if fields.get("template") and not fields.get("raw"):
            # The model's own is used.
            skipped.append("template")
        if fields.get("context") and _turns_in(fields["context"]) is None:
            skipped.append("context")
            fields["context"] = None
        return fields

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_unsupported(self, _UNSUPPORTED_FIELDS)

    @property
    def empty(self) -> bool:
        return not self.prompt

    def content(self) -> dict[str, Any]:
        if self.raw:
            return {"prompt": self.prompt}
        pictures: PictureBytes = {}
        question = content_of(_with_images(self.prompt, self.images), pictures)
        turns = answerable([*self._earlier, {"role": "user", "content": question}])
        return {"messages": turns, "pictures": pictures}

    @property
    def _earlier(self) -> list[EngineMessage]:
        """The turns before the prompt."""
        system: list[EngineMessage] = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, *(_turns_in(self.context) or ())]

    def last_fields(self, text: str) -> dict[str, Any]:
        if self.raw:
            return {}
        asked = [*self._earlier, {"role": "user", "content": self.prompt or ""}]
        turns = [(turn["role"], turn["content"]) for turn in [*asked, {"role": "assistant", "content": text}]]
        return {"context": list(msgspec.json.encode(turns))}

    def answer_in(self, text: str, thoughts: str, calls: Sequence[ToolCall]) -> dict[str, Any]:
        del calls
        return {"response": text} | ({"thinking": thoughts} if thoughts else {})


async def answer_or_load(request: Request, body: _OllamaBody) -> ASGIApp:
    """Answer a call, or load its model if there is nothing to answer. Raises `ApiError`."""
    api: Api = request.app.state.api
    if not body.empty:
        return await api.answer(request, body)
    if body.unloads:
        model = await api.models.named(body.model or "")
        if model is not None:
            await api.models.release(Path(model.path))
        name = body.model
    else:
        name = api.models.name_of((await api.models.use(body.model or "")).main)
    done = {"model": name, "created_at": _now(), **body.answer_in("", "", ()), "done": True}
    return JsonReply({**done, "done_reason": "unload" if body.unloads else "load"})


def _turns_in(context: Any) -> list[EngineMessage] | None:
    """Return the turns that the `context` of an earlier answer holds; None for one of another server."""
    try:
        turns = msgspec.json.decode(
            bytes(context or b"[]"), type=list[tuple[Literal["system", "user", "assistant"], str]]
        )
    except (ValueError, TypeError, msgspec.DecodeError):
        return None
    return [{"role": role, "content": content} for role, content in turns]


def _with_images(content: Content | None, images: Sequence[str] | None) -> Content | None:
    """Return a content with pictures in base64 before its text, where Ollama puts them."""
    if not images:
        return content
    texts = [TextPart(content)] if isinstance(content, str) else content or ()
    urls = (image if image[:5].lower() == "data:" else f"data:image;base64,{image}" for image in images)
    return [*map(ImagePart, urls), *texts]


def _turns(messages: Sequence[_OllamaMessage], pictures: PictureBytes) -> list[EngineMessage]:
    """Return the turns of a conversation, and add their pictures to `pictures`.

    Calls and results get ids that all templates take: "call00000", "call00001" and so on. A result answers the call
    with its id or, as many programs send none, the first call of its name that has no result.
    """
    turns = [message.turn(message.role, pictures) for message in messages]
    count = 0
    # The calls without a result so far, each with the id that it had.
    waiting: list[tuple[str, EngineMessage]] = []
    for turn, message in zip(turns, messages, strict=True):
        for call in turn.get("tool_calls", ()):
            waiting.append((call["id"], call))
            call["id"] = f"call{count:05}"
            count = count + 1
        if message.role == "tool" and waiting:
            given = message.tool_call_id or None
            name = message.tool_name
            # The best match, and of equal ones the first.
            matches = [(old_id == given, call["function"]["name"] == name) for old_id, call in waiting]
            _, answered = waiting.pop(matches.index(max(matches)))
            turn["tool_call_id"] = answered["id"]
    return turns


class OllamaWriter(ResponseWriter):
    """Writes an answer as lines of JSON, or whole."""

    headers: ClassVar[Mapping[str, str]] = {"content-type": "application/x-ndjson"}

    def __init__(self, model: str, parts: AnswerParts, body: _OllamaBody) -> None:
        self._model = model
        self._parts = parts
        self._body = body
        self._began = time.perf_counter()

    @property
    def answers(self) -> Sequence[AnswerParts]:
        return (self._parts,)

    def keep_alive(self) -> bytes:
        # Clients parse every line, so it is a piece without text.
        return _line(self._piece("", "", ()))

    def events(self, index: int, event: Event) -> list[bytes]:
        del index
        if isinstance(event, TokensCommitted):
            delta = self._parts.add(event.text, event.stats.opening)
            if not (delta.content or delta.reasoning or delta.calls or self._body.with_logprobs):
                return []
            return [_line(self._piece(delta.content, delta.reasoning, delta.calls, event.tokens))]
        if isinstance(event, Finished):
            delta = self._parts.add("", ended=True, cut=event.cut)
            pieces = [] if not (delta.content or delta.calls) else [self._piece(delta.content, "", delta.calls)]
            return [*map(_line, pieces), _line(self._piece("", "", ()) | self._end(event))]
        return []

    def whole(self, answers: Sequence[CompleteAnswer]) -> dict[str, Any]:
        [answer] = answers
        parts = self._parts
        finished = answer.finished
        parts.add(finished.text, finished.stats.opening, ended=True, cut=finished.cut)
        return self._piece(parts.content, parts.reasoning, parts.calls, answer.tokens) | self._end(finished)

    def failed(self, error: ApiError) -> bytes:
        return _line(error.ollama())

    def _piece(
        self, text: str, thoughts: str, calls: Sequence[ToolCall], tokens: Sequence[Token] = ()
    ) -> dict[str, Any]:
        answer = self._body.answer_in(text, thoughts, calls)
        logprobs = {"logprobs": token_logprobs(tokens)} if self._body.with_logprobs and tokens else {}
        return {"model": self._model, "created_at": _now(), **answer, "done": False, **logprobs}

    def _end(self, event: Finished) -> dict[str, Any]:
        stats = event.stats
        total_s = time.perf_counter() - self._began + self.load_s
        # `decode_tps` does not count the first token, which the pass over the prompt gives.
        decoding_s = (stats.generated_tokens - 1) / stats.decode_tps if stats.decode_tps else 0.0
        return {
            "done": True,
            "done_reason": reason_of(event, self._parts),
            "total_duration": _ns(total_s),
            "load_duration": _ns(self.load_s),
            "prompt_eval_count": stats.prompt_tokens,
            "prompt_eval_duration": _ns(stats.ttft_s or 0.0),
            "eval_count": stats.generated_tokens,
            "eval_duration": _ns(decoding_s),
            **schema_notes(stats),
            **self._body.last_fields(self._parts.content),
        }


def _line(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)


def _now() -> str:
    return datetime.now(UTC).isoformat()
