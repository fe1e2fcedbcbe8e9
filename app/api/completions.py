"""POST /v1/completions: raw prompts, which no chat template wraps, for editors and evaluation tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp

from app.api.answering import Answer, Indexed, failure, now
from app.api.bodies import Fields
from app.api.calls import Api, Plan, fields_of, new_id
from app.api.engine_requests import engine_requests
from app.api.errors import bad_field
from app.api.replies import DONE, HOLE, EventForm, sse
from app.api.request_settings import MOST_CHOICES, choices_of, refuse_unsupported
from app.api.usage import openai_usage, speculation, timings
from engine.events import Finished, Token, TokensCommitted
from engine.stats import RequestStats
from engine.status import ModelInfo

_UNSUPPORTED = {
    "echo": "Echoing the prompt is not supported.",
    "suffix": "Filling in the middle is not supported: write the model's own marks into the prompt.",
}
# What the OpenAI API takes where nothing is said.
_MAX_TOKENS = 16
_MOST_ALTERNATIVES = 5


async def completions(request: Request) -> ASGIApp:
    fields = await fields_of(request)
    api: Api = request.app.state.api
    return await api.answer(request, fields, lambda info, name: _plan(api, fields, info, name))


def _plan(api: Api, fields: Fields, info: ModelInfo, name: str) -> Plan:
    refuse_unsupported(fields, _UNSUPPORTED)
    fields.integer("best_of", 1, 1, 1)
    prompts = _prompts(fields)
    choices = choices_of(fields, api.recommended(info), api.speculation)
    if len(prompts) * choices.count > MOST_CHOICES:
        raise bad_field("prompt", f"at most {MOST_CHOICES} prompts times `n`")
    choices = replace(choices, max_tokens=choices.max_tokens or _MAX_TOKENS)
    logprobs = _alternatives(fields)
    requests = [
        one for prompt in prompts for one in engine_requests(choices, prompt=prompt, alternatives=logprobs or 0)
    ]
    with_usage = fields.fields("stream_options").flag("include_usage")
    return Plan(requests, CompletionShape(name, with_usage=with_usage, logprobs=logprobs is not None))


def _alternatives(fields: Fields) -> int | None:
    """How many alternatives come with the log-probability of each token; None where neither is asked for."""
    if isinstance(fields.raw("logprobs"), bool):
        return 0 if fields.raw("logprobs") else None
    return fields.integer("logprobs", None, 0, _MOST_ALTERNATIVES)


def _prompts(fields: Fields) -> list[str | list[int]]:
    """The prompts: a text, token ids, or an array of either."""
    value = fields.raw("prompt")
    if (
        isinstance(value, list)
        and value
        and all(isinstance(item, int) and not isinstance(item, bool) for item in value)
    ):
        return [value]
    found = value if isinstance(value, list) else [value]
    for prompt in found:
        ids = isinstance(prompt, list) and all(isinstance(token, int) and 0 <= token < 2**31 for token in prompt)
        if not prompt or not (ids or isinstance(prompt, str)):
            raise bad_field("prompt", "a text or token ids, not empty, or an array of those")
    if not found:
        raise bad_field("prompt", "a text or token ids, not empty, or an array of those")
    return found


class CompletionShape:
    """Writes answers as text completions: chunks of them, or whole."""

    def __init__(self, model: str, *, with_usage: bool, logprobs: bool) -> None:
        self._id, self._created, self._model = new_id("cmpl"), now(), model
        self._with_usage, self._logprobs = with_usage, logprobs
        self._stats: dict[int, RequestStats] = {}
        self._lengths: dict[int, int] = {}
        self._forms: dict[int, EventForm] = {}

    def write(self, batch: list[Indexed]) -> bytes:
        chunks = []
        for index, event in batch:
            if (error := failure(event)) is not None:
                chunks.append(sse(error.openai()))
            elif isinstance(event, TokensCommitted) and (event.text or self._logprobs):
                chunks.append(self._chunk(index, event.text, event.tokens))
                self._lengths[index] = self._lengths.get(index, 0) + len(event.text)
            elif isinstance(event, Finished):
                self._stats[index] = event.stats
                figures = {"timings": timings(event.stats), "speculation": speculation([event.stats])}
                chunks.append(sse(self._frame([self._choice(index, "", (), event.reason)], **figures)))
        return b"".join(chunks)

    def finish(self) -> bytes:
        if not self._with_usage or not self._stats:
            return DONE
        return sse(self._frame([], usage=openai_usage(list(self._stats.values())))) + DONE

    def whole(self, answers: Sequence[Answer]) -> dict[str, Any]:
        choices = [
            self._choice(index, answer.finished.text, answer.tokens, answer.finished.reason)
            for index, answer in enumerate(answers)
        ]
        stats = [answer.finished.stats for answer in answers]
        return self._frame(choices, usage=openai_usage(stats), timings=timings(stats[0]))

    def _chunk(self, index: int, text: str, tokens: Sequence[Token]) -> bytes:
        if self._logprobs:
            return sse(self._frame([self._choice(index, text, tokens, None)]))
        if index not in self._forms:
            self._forms[index] = EventForm(self._frame([self._choice(index, HOLE, (), None)]))
        return self._forms[index].filled(text)

    def _choice(self, index: int, text: str, tokens: Sequence[Token], reason: str | None) -> dict[str, Any]:
        logprobs = _logprobs(tokens, self._lengths.get(index, 0)) if self._logprobs and tokens else None
        return {"index": index, "text": text, "logprobs": logprobs, "finish_reason": reason}

    def _frame(self, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        return {
            "id": self._id,
            "object": "text_completion",
            "created": self._created,
            "model": self._model,
            "choices": choices,
            **more,
        }


def _logprobs(tokens: Sequence[Token], start: int) -> dict[str, Any]:
    """The log-probabilities in the shape of this endpoint; the first token's text begins at `start`."""
    offsets = []
    for token in tokens:
        offsets.append(start)
        start += len(token.text)
    return {
        "tokens": [token.text for token in tokens],
        "token_logprobs": [token.logprob for token in tokens],
        "top_logprobs": [_likeliest(token) for token in tokens] if any(t.alternatives for t in tokens) else None,
        "text_offset": offsets,
    }


def _likeliest(token: Token) -> dict[str, float]:
    """By text, the likeliest tokens in the place of one, and this one."""
    return {other.text: other.logprob for other in reversed(token.alternatives)} | {token.text: token.logprob}
