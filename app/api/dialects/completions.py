"""POST /v1/completions: raw prompts without a chat template, for editors and evaluation tools."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated, Any

from msgspec import Meta

from app.api.answering import CompleteAnswer
from app.api.calls import SeveralAnswers
from app.api.requests.errors import bad_field
from app.api.requests.request_settings import MOST_CHOICES, refuse_unsupported
from app.api.requests.tool_use import RequestTools
from app.api.requests.usage import TopLogprobs
from app.api.response_writers import ChoicesWriter
from engine.events import Event, Finished, PrefillProgress, PromptToken, Token, TokensCommitted

_UNSUPPORTED_FIELDS = {"suffix": "Filling in the middle is not supported: write the model's own marks into the prompt."}
# The default of the OpenAI API.
_MAX_TOKENS = 16
# The prompt in place of an empty one: a model needs something to continue.
_NOTHING = "\n"
_AnyToken = PromptToken | Token
TokenId = Annotated[int, Meta(ge=0, lt=2**31)]


class CompletionBody(SeveralAnswers, kw_only=True):
    """Continue a raw prompt, without a chat template."""

    prompt: str | list[TokenId | str | list[TokenId]] | None = None
    best_of: Annotated[int, Meta(ge=1, le=1)] | None = None
    logprobs: bool | TopLogprobs | None = None
    echo: bool | None = None
    suffix: Any = None

    def __post_init__(self) -> None:
        refuse_unsupported(self, _UNSUPPORTED_FIELDS)

    def contents(self) -> list[dict[str, Any]]:
        """Return the `requests.ChatRequest` fields of each prompt. Raises `ApiError`."""
        prompts = [given_prompt or _NOTHING for given_prompt in texts_or_ids("prompt", self.prompt or "")]
        if len(prompts) * self.answer_count > MOST_CHOICES:
            raise bad_field("prompt", f"at most {MOST_CHOICES} prompts times `n`")
        wanted: dict[str, Any] = {
            "max_tokens": self.most_tokens(_MAX_TOKENS),
            "alternatives": 0 if isinstance(self.logprobs, bool) else self.logprobs or 0,
            "prompt_logprobs": bool(self.echo),
        }
        return [{"prompt": prompt, **wanted} for prompt in prompts]

    def writer_for(self, name: str, tools: RequestTools, count: int) -> CompletionWriter:  # noqa: ARG002
        logprobs = self.logprobs is not None and self.logprobs is not False
        return CompletionWriter(name, with_usage=self.with_usage, logprobs=logprobs)


def texts_or_ids(param: str, given: str | Sequence[int | str | list[int]]) -> list[str | list[int]]:
    """Return the prompts in the field `param`, each a text or a list of token ids. Raises `errors.ApiError`."""
    items = [given] if isinstance(given, str) else given
    ids = [item for item in items if isinstance(item, int)]
    texts = [item for item in items if not isinstance(item, int)]
    if ids and texts:
        raise bad_field(param, "a text or token ids, or an array of those")
    return texts or [ids]


class CompletionWriter(ChoicesWriter):
    """Writes answers as text completions: in chunks, or whole."""

    id_kind = "cmpl"
    whole_object = "text_completion"
    chunk_object = "text_completion"

    def __init__(self, model: str, *, with_usage: bool, logprobs: bool) -> None:
        super().__init__(model, with_usage=with_usage, logprobs=logprobs)
        self._lengths: dict[int, int] = {}

    def events(self, index: int, event: Event) -> list[bytes]:
        tokens: Sequence[_AnyToken] = ()
        if isinstance(event, PrefillProgress):
            tokens = event.read
        elif isinstance(event, TokensCommitted):
            tokens = event.tokens
        if tokens and ((text := _text_of(tokens)) or self._logprobs):
            chunk = self.chunk(self._choice(index, text, tokens, None))
            self._lengths[index] = self._lengths.get(index, 0) + len(text)
            return [chunk]
        if isinstance(event, Finished):
            return [self.last_chunk(index, event, self._choice(index, "", (), event.reason))]
        return []

    def choice(self, index: int, answer: CompleteAnswer) -> dict[str, Any]:
        tokens: list[_AnyToken] = [*answer.prompt, *answer.tokens]
        text = _text_of(answer.prompt) + answer.finished.text
        return self._choice(index, text, tokens, answer.finished.reason)

    def empty_choice(self, index: int) -> dict[str, Any]:
        return self._choice(index, "", (), None)

    def _choice(self, index: int, text: str, tokens: Sequence[_AnyToken], reason: str | None) -> dict[str, Any]:
        logprobs = _logprobs(tokens, self._lengths.get(index, 0)) if self._logprobs and tokens else None
        return {"index": index, "text": text, "logprobs": logprobs, "finish_reason": reason}


def _text_of(tokens: Sequence[_AnyToken]) -> str:
    return "".join(token.text for token in tokens)


def _logprobs(tokens: Sequence[_AnyToken], start: int) -> dict[str, Any]:
    """Return the log-probabilities in the form of this endpoint; the first token's text begins at `start`."""
    ends = accumulate((len(token.text) for token in tokens), initial=start)
    return {
        "tokens": [token.text for token in tokens],
        "token_logprobs": [token.logprob for token in tokens],
        "top_logprobs": [_likeliest(token) for token in tokens] if any(t.alternatives for t in tokens) else None,
        "text_offset": list(ends)[:-1],
    }


def _likeliest(token: _AnyToken) -> dict[str, float] | None:
    """Return the log-probabilities of a token and its alternatives, by text; of equal texts, the highest."""
    if token.logprob is None:
        return None
    return {token.text: token.logprob} | {other.text: other.logprob for other in reversed(token.alternatives)}
