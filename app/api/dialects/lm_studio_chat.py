"""POST /api/v1/chat in the shape of LM Studio's API, whose chats the server keeps.

A request has the new question only, and `previous_response_id` names the answer that it follows. Tools are those of
LM Studio's own servers there, so they are refused here; and a model is loaded before the stream begins, so there are no
events of loading. The fields and events are those of https://lmstudio.ai/docs/developer/rest/chat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct, field, structs
from starlette.requests import Request
from starlette.types import ASGIApp

from app.api.answering import CompleteAnswer
from app.api.calls import AnswerRequestBody, Api
from app.api.kept_chats import KeptChat
from app.api.requests.conversation import (
    Content,
    EngineMessage,
    PictureBytes,
    answerable,
    content_of,
    readable_content,
)
from app.api.requests.errors import KEEP_ALIVE, ApiError, sse
from app.api.requests.lenient_content import readable_text
from app.api.requests.request_settings import refuse_unsupported
from app.api.requests.tool_use import RequestTools
from app.api.requests.usage import lengths_of, reasoning_tokens, speculation
from app.api.response_writers import ResponseWriter, new_id
from app.text.answer_parts import AnswerParts
from app.text.answer_pieces import Delta
from engine.events import Event, Finished, PrefillProgress, TokensCommitted

_UNSUPPORTED_FIELDS = {
    "integrations": "Tandem's server calls no tools itself: offer them to /v1/responses or /v1/chat/completions, and "
    "call them in your program."
}


class LmStudioChatBody(AnswerRequestBody, kw_only=True):
    """Answer a question in a chat that the server keeps, in the shape of LM Studio's API."""

    input: Content
    system_prompt: str | None = None
    # The name here is that of `request_settings.RequestSettings`.
    repetition_penalty: Annotated[float, Meta(ge=0.01, le=10)] | None = field(name="repeat_penalty", default=None)
    context_length: Annotated[int, Meta(ge=1, le=2**31)] | None = None
    # Whether the chat is kept, so that a later request can follow it.
    store: bool | None = None
    previous_response_id: str | None = None
    integrations: Any = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        fields = super().normalised(body, skipped)
        if isinstance(items := fields.get("input"), list):
            fields["input"] = readable_content([_part(item) for item in items], skipped)
        if isinstance(level := fields.get("reasoning"), str):
            fields["reasoning_effort"] = level
        return fields

    def __post_init__(self) -> None:
        refuse_unsupported(self, _UNSUPPORTED_FIELDS)


def _part(item: Any) -> Any:
    """Return an item of `input` as a part of a content; what is no picture is its text."""
    if isinstance(item, dict) and "data_url" in item:
        return {"type": "image_url", "image_url": {"url": item["data_url"]}}
    return {"type": "text", "text": readable_text(item)}


class _Continued(Struct):
    """What a question follows, and what keeps the chat with its answer: it takes the answer's name and the chat."""

    chat: KeptChat
    keep: Callable[[str, KeptChat], None]


class _LmStudioCall(LmStudioChatBody, kw_only=True):
    """A question with the chat that it continues."""

    continued: _Continued

    def contents(self) -> list[dict[str, Any]]:
        asked = self._asked()
        return [
            {
                "messages": answerable(asked.messages),
                "pictures": asked.pictures,
                "overflow": "shorten",
                "kept_context": self.context_length,
            }
        ]

    def writer_for(self, name: str, tools: RequestTools, count: int) -> LmStudioChatWriter:  # noqa: ARG002
        return LmStudioChatWriter(name, tools.parts(), None if self.store is False else self._keep_answer)

    def _asked(self) -> KeptChat:
        """Return the chat with the new question. Raises `ApiError`.

        A new system prompt takes the place of the chat's.
        """
        earlier = self.continued.chat
        pictures: PictureBytes = dict(earlier.pictures)
        turns = list(earlier.messages)
        if self.system_prompt:
            talked = [turn for turn in turns if turn["role"] != "system"]
            turns = [{"role": "system", "content": self.system_prompt}, *talked]
        turns.append({"role": "user", "content": content_of(self.input, pictures)})
        return KeptChat(turns, pictures)

    def _keep_answer(self, name: str, answer: EngineMessage) -> None:
        asked = self._asked()
        self.continued.keep(name, KeptChat([*asked.messages, answer], asked.pictures))


async def chat(request: Request, body: LmStudioChatBody) -> ASGIApp:
    """Answer a question, after the chat that it follows. Raises `ApiError`: (response_not_found)."""
    api: Api = request.app.state.api
    caller = api.caller_of(request, body)
    earlier: KeptChat | None = KeptChat()
    if body.previous_response_id:
        earlier = api.chats.get(caller, body.previous_response_id)
    if earlier is None:
        sentence = "That response is not kept any more, or never was: send the conversation without it."
        raise ApiError(404, sentence, param="previous_response_id", code="response_not_found")

    def keep(name: str, whole: KeptChat) -> None:
        api.chats.keep(caller, name, whole)

    return await api.answer(request, _LmStudioCall(**structs.asdict(body), continued=_Continued(earlier, keep)))


class LmStudioChatWriter(ResponseWriter):
    """Writes an answer as named events, or whole.

    `keep` takes the name of the answer and the answer as a turn, before anybody reads that name; None keeps nothing.
    """

    def __init__(self, model: str, parts: AnswerParts, keep: Callable[[str, EngineMessage], None] | None) -> None:
        self._model = model
        self._parts = parts
        self._keep = keep
        self._output: list[dict[str, str]] = []
        # Whether the item that was added last still grows, and how many tokens each piece of text has.
        self._growing = self._begun = self._reading = False
        self._token_lengths: list[int] = []

    @property
    def answers(self) -> Sequence[AnswerParts]:
        return (self._parts,)

    def keep_alive(self) -> bytes:
        """Return the progress again, or a piece without text of the item that grows; a comment between two items."""
        if self._reading:
            return self._progress()
        return _event(f"{self._output[-1]['type']}.delta", content="") if self._growing else KEEP_ALIVE

    def events(self, index: int, event: Event) -> list[bytes]:
        del index
        written: list[bytes] = []
        if not self._begun:
            self._begun = True
            written.append(_event("chat.start", model_instance_id=self._model))
        if isinstance(event, PrefillProgress):
            if not self._reading:
                self._reading = True
                written.append(_event("prompt_processing.start"))
            return [*written, self._progress()]
        if self._reading:
            self._reading = False
            written.append(_event("prompt_processing.end"))
        if isinstance(event, TokensCommitted):
            self._token_lengths += lengths_of(event.tokens)
            return [*written, *self._grow(self._parts.add(event.text, event.stats.opening))]
        if isinstance(event, Finished):
            grown = self._grow(self._parts.add("", ended=True, cut=event.cut))
            return [*written, *grown, *self._end_item(), _event("chat.end", result=self._result(event))]
        return written

    def whole(self, answers: Sequence[CompleteAnswer]) -> dict[str, Any]:
        [answer] = answers
        finished = answer.finished
        self._token_lengths = lengths_of(answer.tokens)
        self._grow(self._parts.add(finished.text, finished.stats.opening, ended=True, cut=finished.cut))
        return self._result(finished)

    def failed(self, error: ApiError) -> bytes:
        wrong = {"type": error.kind, "message": error.sentence, "code": error.code, "param": error.param}
        end = _event("chat.end", result={"model_instance_id": self._model, "output": self._output, "stats": {}})
        return b"".join((*self._end_item(), _event("error", error=wrong), end))

    def _progress(self) -> bytes:
        reading = self.reading
        share = reading.done / reading.total if reading is not None and reading.total else 0.0
        return _event("prompt_processing.progress", progress=share)

    def _grow(self, delta: Delta) -> list[bytes]:
        events = []
        for kind, text in (("reasoning", delta.reasoning), ("message", delta.content)):
            if not text:
                continue
            if not self._output or self._output[-1]["type"] != kind:
                events += [*self._end_item(), _event(f"{kind}.start")]
                self._output.append({"type": kind, "content": ""})
                self._growing = True
            self._output[-1]["content"] += text
            events.append(_event(f"{kind}.delta", content=text))
        return events

    def _end_item(self) -> list[bytes]:
        if not self._growing:
            return []
        self._growing = False
        return [_event(f"{self._output[-1]['type']}.end")]

    def _result(self, finished: Finished) -> dict[str, Any]:
        """Return the whole answer, and keep it."""
        stats = finished.stats
        result: dict[str, Any] = {
            "model_instance_id": self._model,
            "output": self._output,
            "stats": {
                "input_tokens": stats.prompt_tokens,
                "total_output_tokens": stats.generated_tokens,
                "reasoning_output_tokens": reasoning_tokens(self._token_lengths, finished),
                "tokens_per_second": stats.decode_tps,
                "time_to_first_token_seconds": stats.ttft_s,
                "speculation": speculation([stats]),
            },
        }
        if self._keep is None:
            return result
        name = new_id("resp").replace("-", "_")
        turn: EngineMessage = {"role": "assistant", "content": self._parts.content}
        if self._parts.reasoning:
            # The template decides whether the model sees them again.
            turn["reasoning_content"] = self._parts.reasoning
        self._keep(name, turn)
        return {**result, "response_id": name}


def _event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, kind)
