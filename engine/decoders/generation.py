"""One request from prompt to last token: its caches, its text, its figures. Runs on the engine's thread.

A `Generation` knows nothing of other requests. It prefills its prompt in chunks; the decoders (`engine.decoders`) draw
its tokens and report them to `add_tokens` and `end_round` here.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from math import isfinite
from typing import Any, cast

import mlx.core as mx
from msgspec.structs import replace

from engine.decoders.prepared import PreparedRequest
from engine.decoders.prompt_reading import PromptReading
from engine.decoders.round_clock import RoundClock, RoundSeconds
from engine.events import Alternative, Finished, PrefillProgress, Token, TokensCommitted
from engine.prefix.cache import PrefixCache
from engine.speculation.choosing.choice import Choice
from engine.speculation.choosing.texts import AnswerState
from engine.speculation.conversation import CachedConversation
from engine.speculation.rounds.interruptible import PrefillPass
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.round import DrawnTokens
from engine.stats import RequestLog, RequestStats, RoundRecord
from engine.tokenizers.answer_text import AnswerText
from engine.tokenizers.prompts import local_decoder


class Generation:
    """The answer to a prepared request: its conversation, its text, and what was measured.

    `started` is the `time.perf_counter()` of the submission. Set `cancelled` to end within one round, and `speculation`
    to change the speculation settings from the next round on. `ids` are the tokens of the answer; `reason` is None
    until the answer has ended, then one of `Finished.reason`. `budget` is the most tokens of the answer.
    """

    def __init__(self, prepared: PreparedRequest, cache: PrefixCache, started: float) -> None:
        """Begin with what `cache` holds of the prompt. Raises `BadRequest` as `PromptReading` does."""
        request = prepared.request
        main = prepared.main
        prompt = prepared.prompt
        self.request = request
        self.speculation = request.speculation
        self.sampler = prepared.sampler
        self.budget = prepared.budget
        self.cancelled = False
        self.ids: list[int] = []
        self.reason: str | None = None
        # The number of the round that runs, or is next.
        self.round = 0
        # The controller's state of the answer at the end of the decoder before this one, if that drafted.
        self.answer_state: AnswerState | None = None
        self.text_of = local_decoder(main.tokenizer)
        self._prepared = prepared
        self._cache = cache
        self._bytes_of = main.parts_of_characters if request.token_bytes else {}
        self._text = AnswerText(main.tokenizer.detokenizer, request.stop, prompt.ids[-1:] if request.continues else ())
        # What the prompt is read for, if no cache may be used for it; None for an answer alone.
        self.reading = PromptReading(prepared) if request.prompt_logprobs or request.embedding else None
        if self.reading is None:
            self.conversation = self._take(prompt.ids, prompt.boundaries or ())
        else:
            self.conversation = self.reading.conversation
        self.log = RequestLog(started, self._first_figures())
        self.clock = RoundClock(self.log)
        self._limit_thoughts()

    def _first_figures(self) -> RequestStats:
        """Return the figures that are known before anything is read."""
        prompt = self._prepared.prompt
        return RequestStats(
            prompt_tokens=len(prompt.ids),
            cached_tokens=self.conversation.main.position,
            dropped_messages=prompt.dropped,
            merged_messages=prompt.merged,
            opening=self._prepared.opening,
            seed=self.sampler.seed,
            main=self._prepared.main.info.name,
            pictures=len(self._prepared.pictures),
        )

    def recount_cached(self) -> None:
        """Count cached tokens that are read again, for a head, as not cached."""
        cached = min(self.log.figures.cached_tokens, self.conversation.main.position)
        self.log.figures = replace(self.log.figures, cached_tokens=cached)

    @property
    def text(self) -> str:
        """The part of the answer that was reported."""
        return self._text.text

    @property
    def remaining(self) -> int:
        """How many more tokens the answer may get."""
        return self.budget - len(self.ids)

    @property
    def max_length(self) -> int:
        """The most tokens of prompt and answer together."""
        return len(self.conversation.main.tokens) + self.remaining

    @property
    def backlog(self) -> int:
        """Tokens to prefill before decoding: all pending tokens but the last."""
        return len(self.conversation.main.pending) - 1

    @property
    def prefilled(self) -> bool:
        """Whether decoding can begin."""
        return self.backlog <= 0

    def stats(self) -> RequestStats:
        """The figures so far."""
        return self.log.snapshot()

    def progress(self) -> PrefillProgress:
        """Return how much of the prompt has been prefilled, and the tokens that were scored since the last call."""
        sequence = self.conversation.main
        scored = () if self.reading is None else self.reading.take_scored()
        return PrefillProgress(sequence.position, len(sequence.tokens), self.log.figures.cached_tokens, scored)

    @property
    def decoding(self) -> Sequence[Future[Any]]:
        """The pictures that are being decoded, for which the next chunk of the prompt waits."""
        reader = self._prepared.reader
        return () if reader is None else reader.files.pending

    def read_picture(self, most: int) -> bool:
        """Make the embedding of a picture that the next `most` tokens need, and return whether one was missing.

        A picture that is not decoded yet is `decoding` afterwards, and read by a later call. Raises `PictureNotUsable`
        and `ModelNotUsable`.
        """
        sequence = self.conversation.main
        picture = sequence.picture_to_read(most)
        if picture is None or sequence.reader is None:
            return False
        if not sequence.reader.decode(picture).done():
            return True
        seconds = sequence.reader.read(picture)
        figures = self.log.figures
        self.log.figures = replace(
            figures,
            picture_tokens=figures.picture_tokens + picture.stop - picture.start,
            picture_s=figures.picture_s + seconds,
        )
        return True

    def abandon_pictures(self) -> None:
        """End the reading of pictures, because the request has ended."""
        if self._prepared.reader is not None:
            self._prepared.reader.files.abandon()

    def begin_prefill(self, most: int) -> PrefillPass:
        """Begin to prefill at most `most` tokens."""
        return PrefillPass(self.conversation.main, most)

    def prefill_event(self) -> PrefillProgress | None:
        """Return the event that reports a chunk; None if tokens of the answer are prefilled again."""
        return None if self.ids else self.progress()

    def add_tokens(self, drawn: DrawnTokens) -> list[Token]:
        """Add the tokens of a round to the answer, up to its end; return those added, with their text.

        If the answer ends among them, `reason` is set, and the later ones are dropped.
        """
        tokens: list[Token] = []
        last = len(drawn.tokens) - 1
        for index in range(len(drawn.tokens)):
            tokens.append(self._add_token(drawn, index, last=index == last))
            if self.reason is not None:
                break
        self._limit_thoughts()
        return tokens

    def _add_token(self, drawn: DrawnTokens, index: int, *, last: bool) -> Token:
        """Add one token of a round to the answer, and end the answer if it ends here."""
        token = drawn.tokens[index]
        text = "" if token in self._prepared.main.end_tokens else self._text.add(token)
        self.ids.append(token)
        text += self._end_after(token, last=last)
        margin = drawn.top2_margins[index] if drawn.top2_margins else None
        return Token(
            token,
            text,
            source=drawn.source if index < drawn.accepted else "main",
            position=index,
            round=self.round,
            logprob=drawn.logprobs[index],
            alternatives=self._alternatives(drawn.likeliest[index]) if drawn.likeliest else (),
            # It is infinite where the grammar allows one token only.
            top2_margin=margin if margin is not None and isfinite(margin) else None,
            part=self._bytes_of.get(token, b""),
        )

    def _limit_thoughts(self) -> None:
        """Let the sampler follow the limit of the thoughts while rounds may reach it that have not started."""
        if (limit := self._prepared.thoughts) is not None:
            limit.read(self.ids)
            self.sampler.thought_limit = limit if limit.near else None

    def _end_after(self, token: int, *, last: bool) -> str:
        """Set `reason` if the answer ends with its newest `token`; return the text that was held back until then.

        A cancelled answer ends with the `last` token of a round. The text is "" while the answer goes on.
        """
        if token in self._prepared.main.end_tokens or self._text.stopped_by is not None:
            self.reason = "stop"
        elif len(self.ids) == self.budget:
            self.reason = "length"
        elif last and self.cancelled:
            self.reason = "cancelled"
        return "" if self.reason is None else self._text.finish()

    def _alternatives(self, likeliest: Sequence[tuple[int, float]]) -> tuple[Alternative, ...]:
        """Return likely tokens, given with their log-probabilities, with their texts."""
        bytes_of = self._bytes_of
        return tuple(
            Alternative(token, self.text_of([token]), logprob, bytes_of.get(token, b"")) for token, logprob in likeliest
        )

    def end_round(
        self,
        choice: Choice,
        proposal: Proposal | None,
        tokens: Sequence[Token],
        accepted: int,
        rows: int,
        seconds: RoundSeconds,
    ) -> TokensCommitted:
        """Count a round of `rows` rows that the clock has read, and return the event that reports it.

        It committed `tokens`, the first `accepted` of them from `proposal`.
        """
        depth = 0 if proposal is None else proposal.count
        # Draft tokens past the end of the answer do not count: the main model has not verified them.
        drafted = depth if len(tokens) > accepted or accepted == 0 else accepted
        rejected = ""
        if proposal is not None and drafted > accepted:
            ids = proposal.tokens if isinstance(proposal.tokens, list) else cast("list[int]", proposal.tokens.tolist())
            rejected = self.text_of(ids[accepted:])
        now = self.clock.read_at
        record = RoundRecord(
            number=self.round,
            source="main" if proposal is None else proposal.source,
            drafted=drafted,
            accepted=accepted,
            committed=len(tokens),
            rows=rows,
            at_s=now - self.log.started,
            draft_s=seconds.draft_s,
            verify_s=seconds.verify_s,
            host_s=seconds.host_s,
            reason=choice.reason or ("" if depth else "no-guess"),
            arguments=choice.arguments,
            rejected=rejected,
        )
        self.round += 1
        self.log.add(record, now)
        stats = self.log.latest(now) if self.reason is None else self.log.snapshot()
        return TokensCommitted("".join([token.text for token in tokens]), tuple(tokens), record, stats)

    def restart(self) -> None:
        """Prefill the committed tokens again, except what the prefix cache holds, because the caches are lost."""
        lost = self.conversation.main
        self.conversation = self._take(lost.tokens, lost.boundaries)

    def _take(self, tokens: Sequence[int], boundaries: Sequence[int]) -> CachedConversation:
        """Return a conversation for `tokens` with the request's pictures, with the caches of its longest known prefix.

        `boundaries` are the lengths after which caches that cannot be cut should be kept: the ends of turns.
        """
        prepared = self._prepared
        request = prepared.request
        taken = self._cache.take(
            prepared.main,
            tokens,
            request.conversation,
            prepared.pictures,
            shared=request.shared,
            caller=request.caller,
            opening=prepared.prompt.opening,
            boundaries=boundaries,
        )
        taken.main.reader = prepared.reader
        taken.main.positions = None if prepared.reader is None else prepared.reader.positions(prepared.pictures)
        return taken

    def finish(self) -> Finished:
        """Return the event that ends the answer, without the text held back at a cancellation between two rounds."""
        constraint = self._prepared.constraint
        thoughts = self._prepared.thoughts
        stats = replace(
            self.stats(),
            unchecked=() if constraint is None else constraint.left_out,
            thinking_limit=None if thoughts is None else thoughts.reached,
        )
        embedding = () if self.reading is None else self.reading.embedding
        return Finished(
            self.reason or "cancelled", self._text.text, tuple(self.ids), stats, self._text.stopped_by, embedding
        )

    def release(self) -> None:
        """Give the intact caches to the prefix cache, unless the prompt was read without it."""
        if self.reading is None:
            self._cache.put(self.conversation)


def release_unused_memory() -> None:
    """Free the memory that MLX keeps for reuse. It is worth its time between requests, not between rounds."""
    mx.clear_cache()
