"""The events of a request: PrefillProgress*, TokensCommitted*, then exactly one of Finished or Failed.

All of them hold plain Python data and may cross threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec import to_builtins

from engine.errors import EngineError
from engine.stats import RequestStats, RoundRecord


@dataclass(frozen=True, slots=True)
class Alternative:
    """A token that could have been drawn: its id, its text by itself, and its natural log-probability.

    `part` is as in `Token`.
    """

    id: int
    text: str
    logprob: float
    part: bytes = b""


@dataclass(frozen=True, slots=True)
class PromptToken:
    """A token of a prompt; the fields are those of `Token`. The first one has no `logprob`."""

    id: int
    text: str
    logprob: float | None
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class PrefillProgress:
    """`done` of `total` prompt tokens are in the main model's cache; `cached` of them came from an earlier turn.

    With `ChatRequest.prompt_logprobs`, `read` holds the tokens that have been read since the last event; all of them
    together are the prompt.
    """

    done: int
    total: int
    cached: int = 0
    read: tuple[PromptToken, ...] = ()


@dataclass(frozen=True, slots=True)
class Token:
    """One committed token.

    `text` is the text that it added to the answer (empty while a character is incomplete or a stop string may be
    forming), `source` the name of its proposer, `position` its index in its round (0 is the first draft token), `round`
    the round's number in this request, and `logprob` the main model's natural log-probability of it. `alternatives` are
    the `ChatRequest.alternatives` likeliest tokens in its place, the likeliest first. `top2_margin` is by how much its
    score, with the noise of the draw, exceeds that of the next best token, in units of logits; None if it was not
    measured: a request has to ask for it, and a batch does not measure it. With `ChatRequest.token_bytes`, `part` has
    the bytes of a token that alone is no text, because a character is split over several.
    """

    id: int
    text: str
    source: str
    position: int
    round: int
    logprob: float
    alternatives: tuple[Alternative, ...] = ()
    top2_margin: float | None = None
    part: bytes = b""


@dataclass(frozen=True, slots=True)
class TokensCommitted:
    """One round's result: the text it added, its tokens and what the round did.

    `stats` are the figures as they were at most a tenth of a second ago, with the last round those of the whole answer.
    """

    text: str
    tokens: tuple[Token, ...]
    round: RoundRecord
    stats: RequestStats


@dataclass(frozen=True, slots=True)
class Finished:
    """The whole answer: `reason` is "stop", "length" or "cancelled"; `ids` are all committed tokens.

    `stopped_by` is the stop string that ended it, if one did. `embedding` is the vector of an
    `engine.requests.ChatRequest` that asks for one.
    """

    reason: str
    text: str
    ids: tuple[int, ...]
    stats: RequestStats
    stopped_by: str | None = None
    embedding: tuple[float, ...] = ()

    @property
    def cut(self) -> bool:
        """Whether something else than the model ended the answer."""
        return self.reason != "stop" or self.stopped_by is not None


@dataclass(frozen=True, slots=True)
class Failed:
    """The request ended with `error`; `text` is the answer so far. The engine serves the other requests."""

    error: EngineError
    text: str
    stats: RequestStats | None = None


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The answer to an `engine.requests.EmbeddingRequest`: a vector of length 1 for each text.

    `tokens` counts the tokens of all texts together.
    """

    vectors: tuple[tuple[float, ...], ...]
    tokens: int


Event = PrefillProgress | TokensCommitted | Finished | Failed


def as_json(event: Event) -> dict[str, Any]:
    """The event as the object that `tandem chat --json` prints."""
    if isinstance(event, Failed):
        return {
            "event": "failed",
            "code": event.error.code,
            "arguments": {name: str(value) for name, value in event.error.arguments.items()},
            "text": event.text,
            "stats": to_builtins(event.stats),
        }
    fields = to_builtins(event)
    if isinstance(event, PrefillProgress) and not event.read:
        del fields["read"]
    if isinstance(event, Finished) and not event.embedding:
        del fields["embedding"]
    if isinstance(event, TokensCommitted):
        del fields["stats"]
        fields["ids"] = [token.id for token in event.tokens]
        for token in fields["tokens"]:
            del token["part"]
            if not token["alternatives"]:
                del token["alternatives"]
    names = {PrefillProgress: "prefill", TokensCommitted: "tokens", Finished: "finished"}
    return {"event": names[type(event)], **fields}
