"""One request from prompt to last token: prefill, rounds, text, figures. Runs on the engine's thread.

`Generation.events()` is a generator whose every step is one unit of work (a chunk of prompt, a round), so whoever
drives it can look at other requests, commands and cancellations between two steps.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import mlx.core as mx

from engine.errors import PromptTooLong
from engine.events import Event, Finished, PrefillProgress, Token, TokensCommitted
from engine.loading import LoadedModel
from engine.prefix_cache import PrefixCache
from engine.prompts import render
from engine.requests import ChatRequest
from engine.sampling import Sampler
from engine.speculation.depth import Choice
from engine.speculation.drafting import FIRST_TOKEN, Drafting
from engine.speculation.round import Flight, Landing, ProposerFailed, Rounds
from engine.stats import RequestLog, RequestStats, RoundRecord
from engine.text import AnswerText

log = logging.getLogger(__name__)

PREFILL_CHUNK = 512
# Waiting for the guesses before verifying them costs the overlap of both; now and then it is worth knowing.
TIMED_EVERY = 16


@dataclass(slots=True)
class _Underway:
    """A launched round with why it is what it is, and how long the host kept the device waiting before it."""

    choice: Choice
    flight: Flight
    host_s: float


class Generation:
    """Serves `request` with `main`, guessing through `drafting`.

    Raises `PromptTooLong` or `TemplateFailed` at once when the conversation cannot be served. `started` is the
    `time.perf_counter()` of the submission. Set `cancelled` to end within one round.
    """

    def __init__(
        self, request: ChatRequest, main: LoadedModel, drafting: Drafting, cache: PrefixCache, started: float
    ) -> None:
        prompt = render(main.tokenizer, request.messages)
        limit = main.info.context_length
        if len(prompt) >= limit:
            raise PromptTooLong(len(prompt), limit)
        self.cancelled = False
        self._budget = min(request.max_tokens or limit, limit - len(prompt))
        self._end_tokens = main.end_tokens
        self._cache = cache
        self._conversation = cache.take(main, prompt)
        sampler = Sampler(request.sampling, main.vocabulary)
        self._drafting = drafting
        drafting.begin(request.speculation, self._conversation, sampler)
        self._rounds = Rounds(self._conversation.main, sampler, drafting.proposers)
        self._text = AnswerText(main.tokenizer.detokenizer, request.stop)
        self._ids: list[int] = []
        self._reason: str | None = None
        self._number = 0
        self._draft_share: float | None = None
        self._mark = started
        self._log = RequestLog(started, prompt_tokens=len(prompt), seed=sampler.seed, main=main.info.name)
        self._log.cached_tokens = self._conversation.main.position

    @property
    def text(self) -> str:
        """What was handed out so far."""
        return self._text.text

    def stats(self) -> RequestStats:
        """The figures so far."""
        self._log.draft, self._log.draft_prefill_tokens = self._drafting.draft_name, self._drafting.tokens_read
        self._log.plain_tps = self._drafting.plain_tps
        return self._log.snapshot()

    def events(self) -> Generator[Event | None, None, None]:
        """Every event of the request in order; None is a step with nothing to tell.

        Closing the iterator, or an exception in a step, leaves the caches at the last committed token, and what is
        sound of them goes back to the prefix cache.
        """
        try:
            yield from self._prefill()
            if not self.cancelled:
                yield from self._decode()
            self._text.finish()
            yield Finished(self._reason or "cancelled", self._text.text, tuple(self._ids), self.stats())
        finally:
            self._rounds.abandon()
            self._drafting.end()
            self._cache.put(self._conversation)

    def _prefill(self) -> Iterator[Event]:
        sequence = self._conversation.main
        total, cached = len(sequence.tokens), sequence.position
        yield PrefillProgress(cached, total, cached)
        for _ in sequence.prefill(PREFILL_CHUNK):
            if self.cancelled:
                return
            yield PrefillProgress(sequence.position, total, cached)

    def _decode(self) -> Iterator[Event | None]:
        current = self._launch(FIRST_TOKEN)
        while True:
            ahead = self._launch_ahead(current)
            landing = self._rounds.land(current.flight)
            event = self._settle(current, landing, ahead)
            yield event
            self._observe(current, event.round)
            if self._reason is not None:
                return
            if ahead is None:
                choice = self._choose()
                while choice.depth > 0 and not self.cancelled and self._drafting.prepare(choice):
                    yield None
                ahead = self._launch(choice)
            current = ahead

    def _observe(self, current: _Underway, record: RoundRecord) -> None:
        """The round counts until the next one may begin, whoever listens to its event included."""
        now = time.perf_counter()
        timed = current.flight.draft_s is not None
        self._drafting.observe(current.choice, current.flight.rows, record, now - self._mark, timed)
        self._mark = now

    def _choose(self, under_way: int = 0) -> Choice:
        remaining = self._budget - len(self._ids) - under_way
        return self._drafting.choose(remaining, len(self._conversation.main.pending) - 1)

    def _launch(self, choice: Choice) -> _Underway:
        idle = time.perf_counter() - self._mark
        timed = choice.depth > 0 and (self._draft_share is None or self._number % TIMED_EVERY == 0)
        try:
            flight = self._rounds.launch(choice.source, choice.depth, timed=timed)
        except ProposerFailed as failure:
            log.warning("%s; the answer goes on without it", failure, exc_info=failure.__cause__)
            choice = self._drafting.drop(failure.source)
            flight = self._rounds.launch(None, 0)
        return _Underway(choice, flight, idle)

    def _launch_ahead(self, current: _Underway) -> _Underway | None:
        """The next round on top of this one, when both guess nothing: the device need not wait for the host."""
        if current.flight.depth > 0 or current.choice is FIRST_TOKEN or self.cancelled:
            return None
        if len(self._ids) + 1 >= self._budget:
            return None
        choice = self._choose(under_way=1)
        if choice.depth > 0:
            return None
        return _Underway(choice, self._rounds.launch_after(current.flight), 0.0)

    def _settle(self, current: _Underway, landing: Landing, ahead: _Underway | None) -> TokensCommitted:
        """Words the round's tokens, commits what is kept of them and counts it."""
        flight = current.flight
        tokens = self._read(flight, landing)
        accepted = min(landing.accepted, len(tokens))
        self._rounds.commit(flight, accepted, [token.id for token in tokens], ahead.flight if ahead else None)
        record = self._record(current, landing, tokens, accepted)
        self._log.add(record, landing.landed)
        self._number += 1
        return TokensCommitted("".join(token.text for token in tokens), tuple(tokens), record, self.stats())

    def _read(self, flight: Flight, landing: Landing) -> list[Token]:
        tokens: list[Token] = []
        source = flight.proposal.source if flight.proposal is not None else "main"
        for index, token in enumerate(landing.tokens):
            text = ""
            if token in self._end_tokens:
                self._reason = "stop"
            else:
                text = self._text.add(token)
            self._ids.append(token)
            if self._text.stopped:
                self._reason = "stop"
            elif self._reason is None and len(self._ids) == self._budget:
                self._reason = "length"
            by = source if index < landing.accepted else "main"
            tokens.append(Token(token, text, by, index, self._number, landing.logprobs[index]))
            if self._reason is not None:
                break
        if self._reason is None and self.cancelled:
            self._reason = "cancelled"
        if self._reason is not None:
            tokens[-1] = replace(tokens[-1], text=tokens[-1].text + self._text.finish())
        return tokens

    def _record(self, current: _Underway, landing: Landing, tokens: list[Token], accepted: int) -> RoundRecord:
        flight = current.flight
        # Nobody knows what the main model would have said to guesses behind the end of the answer.
        drafted = flight.depth if len(tokens) > accepted or accepted == 0 else accepted
        busy = landing.landed - max(flight.started, self._mark)
        if flight.draft_s is not None:
            self._draft_share = flight.draft_s / (landing.landed - flight.started)
        draft_s = busy * (self._draft_share or 0.0) if flight.depth else 0.0
        return RoundRecord(
            number=self._number,
            source=flight.proposal.source if flight.proposal is not None else "main",
            drafted=drafted,
            accepted=accepted,
            committed=len(tokens),
            rows=flight.rows,
            at_s=landing.landed - self._log.started,
            draft_s=draft_s,
            verify_s=busy - draft_s,
            host_s=current.host_s,
            reason=current.choice.reason or ("" if flight.depth else "no-guess"),
            arguments=current.choice.arguments,
        )


def release_unused_memory() -> None:
    """Give back what MLX keeps for reuse; worth it between requests, not between rounds."""
    mx.clear_cache()
