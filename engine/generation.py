"""One request from prompt to last token: its caches, its text, its figures. Runs on the engine's thread.

A `Generation` knows nothing of who else is served. It reads its prompt in pieces; the lanes (`engine.lanes`) decode
it, and hand every token they draw to `read` and `record` here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mlx.core as mx

from engine.conversation import Conversation
from engine.errors import BadRequest, PromptTooLong
from engine.events import Finished, PrefillProgress, Token, TokensCommitted
from engine.loading import LoadedModel
from engine.prefix_cache import PrefixCache
from engine.prompts import newest_turns, render, turn_boundaries
from engine.requests import ChatRequest
from engine.sampling import Sampler
from engine.speculation.sequence import PREFILL_CHUNK
from engine.stats import RequestLog, RequestStats, RoundRecord
from engine.text import AnswerText


@dataclass(slots=True)
class Drawn:
    """What a lane drew for one generation: `tokens` of which the first `accepted` came from `source`.

    `logprobs` are the main model's natural log-probabilities of the tokens.
    """

    tokens: Sequence[int]
    logprobs: Sequence[float]
    accepted: int = 0
    source: str = "main"


class Generation:
    """Serves `request` with `main`.

    Raises `PromptTooLong`, `TemplateFailed` or `BadRequest` at once when the conversation cannot be served. `started`
    is the `time.perf_counter()` of the submission. Set `cancelled` to end within one round.
    """

    def __init__(self, request: ChatRequest, main: LoadedModel, cache: PrefixCache, started: float) -> None:
        limit = main.info.context_length
        messages, prompt = _fitting(request, main.tokenizer, limit)
        _refuse_unknown(prompt, main)
        self.request = request
        self.cancelled = False
        self.conversation: Conversation = cache.take(main, prompt, request.conversation)
        sequence = self.conversation.main
        sequence.boundaries = turn_boundaries(main.tokenizer, messages, prompt) if sequence.needs_boundaries else ()
        self.sampler = Sampler(request.sampling, main.vocabulary)
        self.ids: list[int] = []
        self.reason: str | None = None
        self.round = 0
        # When the last round of this generation was over; what came before it belongs to nobody's round.
        self.mark = started
        self.disturbed = False
        self.log = RequestLog(started, prompt_tokens=len(prompt), seed=self.sampler.seed, main=main.info.name)
        self.log.cached_tokens = sequence.position
        self.log.dropped_messages = len(request.messages) - len(messages)
        self._main = main
        self._cache = cache
        self._budget = min(request.max_tokens or limit, limit - len(prompt))
        continued = prompt[-1:] if messages[-1]["role"] == "assistant" else ()
        self._text = AnswerText(main.tokenizer.detokenizer, request.stop, continued)

    @property
    def text(self) -> str:
        """What was handed out so far."""
        return self._text.text

    @property
    def remaining(self) -> int:
        """Tokens that the answer may still grow by."""
        return self._budget - len(self.ids)

    @property
    def most_tokens(self) -> int:
        """How long the text can become, prompt included."""
        return len(self.conversation.main.tokens) + self.remaining

    @property
    def unread(self) -> int:
        """Tokens to read before decoding."""
        return len(self.conversation.main.pending) - 1

    @property
    def prompt_read(self) -> bool:
        """Whether nothing but the last token is left to read before decoding."""
        return self.unread <= 0

    def stats(self) -> RequestStats:
        """The figures so far."""
        return self.log.snapshot()

    def progress(self) -> PrefillProgress:
        """How much of the prompt has been read."""
        sequence = self.conversation.main
        return PrefillProgress(sequence.position, len(sequence.tokens), self.log.cached_tokens)

    def read_prompt(self, most: int = PREFILL_CHUNK) -> PrefillProgress | None:
        """Read at most `most` tokens of the prompt; None where tokens of the answer had to be read again."""
        self.conversation.main.prefill(most)
        return None if self.ids else self.progress()

    def read(self, drawn: Drawn) -> list[Token]:
        """Words the tokens up to where the answer ends, if it does, and keeps them."""
        tokens: list[Token] = []
        for index, token in enumerate(drawn.tokens):
            text = ""
            if token in self._main.end_tokens:
                self.reason = "stop"
            else:
                text = self._text.add(token)
            self.ids.append(token)
            if self._text.stopped:
                self.reason = "stop"
            elif self.reason is None and len(self.ids) == self._budget:
                self.reason = "length"
            by = drawn.source if index < drawn.accepted else "main"
            tokens.append(Token(token, text, by, index, self.round, drawn.logprobs[index]))
            if self.reason is not None:
                break
        if self.reason is None and self.cancelled:
            self.reason = "cancelled"
        if self.reason is not None:
            tokens[-1] = replace(tokens[-1], text=tokens[-1].text + self._text.finish())
        return tokens

    def record(self, record: RoundRecord, tokens: Sequence[Token], now: float) -> TokensCommitted:
        """Counts a round that was over at `now` and tells it."""
        self.log.add(record, now)
        self.round += 1
        return TokensCommitted("".join(token.text for token in tokens), tuple(tokens), record, self.stats())

    def share(self, drawn: Drawn, rows: int, now: float) -> TokensCommitted:
        """Takes one token out of a batch of `rows` generations; the sequence holds it already or will."""
        tokens = self.read(drawn)
        self.log.shared = True
        record = RoundRecord(
            number=self.round,
            source="main",
            drafted=0,
            accepted=0,
            committed=1,
            rows=rows,
            at_s=now - self.log.started,
            draft_s=0.0,
            verify_s=now - self.mark,
            host_s=0.0,
            reason="batch",
            arguments=(("requests", rows),),
        )
        self.mark = now
        return self.record(record, tokens, now)

    def start_over(self) -> None:
        """The caches are lost: what was committed is read again, as far as the prefix cache has not got it."""
        lost = self.conversation.main
        self.conversation = self._cache.take(self._main, lost.tokens, self.request.conversation)
        self.conversation.main.boundaries = lost.boundaries

    def finish(self) -> Finished:
        """The end of the answer. Text that is held back when it is cancelled between two rounds was told to nobody."""
        return Finished(self.reason or "cancelled", self._text.text, tuple(self.ids), self.stats())

    def release(self) -> None:
        """Give what is sound of the caches back to the prefix cache."""
        self._cache.put(self.conversation)


def _fitting(request: ChatRequest, tokenizer: Any, limit: int) -> tuple[Sequence[Mapping[str, str]], list[int]]:
    """The conversation, shortened if it is too long and may be, and its tokens. Raises `PromptTooLong`."""
    messages: Sequence[Mapping[str, str]] = request.messages
    prompt = whole = render(tokenizer, messages)
    if request.overflow == "shorten":
        room = limit - min(request.max_tokens or limit, limit // 4)
        shorter = newest_turns(messages)
        while len(prompt) > room and (left := next(shorter, None)) is not None:
            messages, prompt = left, render(tokenizer, left)
    if len(prompt) >= limit:
        raise PromptTooLong(len(whole), limit)
    return messages, prompt


def _refuse_unknown(prompt: Sequence[int], main: LoadedModel) -> None:
    """Raise `BadRequest` for a token that only the tokenizer has.

    The embedding does not check its index: behind its last row lies memory that others write meanwhile.
    """
    largest = max(prompt, default=0)
    if main.rows is not None and largest >= main.rows:
        raise BadRequest("messages", "text that the model has tokens for", main.tokenizer.decode([largest]))


def release_unused_memory() -> None:
    """Give back what MLX keeps for reuse; worth it between requests, not between rounds."""
    mx.clear_cache()
