"""One request from prompt to last token: its caches, its text, its figures. Runs on the engine's thread.

A `Generation` knows nothing of other requests. It prefills its prompt in chunks; the decoders (`engine.decoders`) draw
its tokens and report them to `add_tokens` and `end_round` here.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from math import isfinite
from typing import Any, cast

import mlx.core as mx
from msgspec.structs import replace

from engine.decoders.mean_state import MeanState
from engine.decoders.prompt_tokens import PromptTokens
from engine.errors import BadRequest
from engine.events import Alternative, Finished, PrefillProgress, Token, TokensCommitted
from engine.grammars.calls import opening_of
from engine.grammars.calls_in_text import CallsInText
from engine.grammars.constraint import CompiledGrammar, Constraint, Thinking
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.sampling import Sampler
from engine.main_model.thought_limit import ThoughtLimit
from engine.model_files.thought_marks import opened_thought
from engine.pictures.reading import PictureFiles
from engine.prefix.cache import PrefixCache
from engine.requests import ChatRequest
from engine.speculation.choosing.choice import Choice
from engine.speculation.conversation import CachedConversation, continue_on
from engine.speculation.rounds.interruptible import PrefillPass
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.round import DrawnTokens
from engine.speculation.rounds.sequence import CachedSequence
from engine.stats import RequestLog, RequestStats, RoundRecord
from engine.tokenizers.answer_text import AnswerText
from engine.tokenizers.prompts import Prompt, PromptJob, local_decoder, make_prompt

log = logging.getLogger(__name__)

# Upper bound on the tokens of a thinking-start marker.
_MARK_TOKENS = 16
# A template starts or ends the thinking within these last tokens of a prompt; earlier markers may be a user's text.
_OPENING = 4


class Generation:
    """The answer of `main` to `request`.

    `made` is the prompt if it was made already, `files` the request's pictures as far as they were read, and `grammar`
    the compiled grammar, which may still be compiling if only the calls in the answer have to follow it. The
    constructor raises `PromptTooLong`, `TemplateFailed`, `BadRequest` or `GrammarNotUsable` when the conversation
    cannot be answered.
    `started` is the `time.perf_counter()` of the submission. Set `cancelled` to end within one round, and `speculation`
    to change the speculation settings from the next round on.
    """

    def __init__(
        self,
        request: ChatRequest,
        main: LoadedModel,
        cache: PrefixCache,
        started: float,
        made: Prompt | None = None,
        grammar: CompiledGrammar | None = None,
        files: PictureFiles | None = None,
    ) -> None:
        files = files or PictureFiles(request.pictures)
        limit = main.info.context_length
        if made is None:
            needed = CachedSequence(main.model, main.new_caches()).needs_boundaries
            made = make_prompt(main.tokenizer, prompt_job(request, main, files), with_boundaries=needed)
        if made.merged:
            log.info("%d system messages were merged into users' messages: the template refuses them", made.merged)
        prompt = made.ids
        _check_ids(prompt, main, "messages" if request.prompt is None else "prompt")
        self._constraint = None if request.grammar is None else _constraint(request, grammar, main, prompt)
        self.request = request
        self.speculation = request.speculation
        self.cancelled = False
        self._reader = main.reader(files) if request.pictures else None
        self._pictures = () if self._reader is None else self._reader.places(prompt, made.pictures)
        self._main, self._cache = main, cache
        self.text_of = local_decoder(main.tokenizer)
        self._parts = main.parts_of_characters if request.token_bytes else {}
        self.prompt_tokens: PromptTokens | None = None
        self._mean: MeanState | None = None
        if request.prompt_logprobs:
            self.conversation = CachedConversation(continue_on(None, main, prompt))
            self.prompt_tokens = PromptTokens(prompt, main, request.alternatives, self.text_of, request.prompt)
            self.conversation.main.on_logits = self.prompt_tokens.read
        elif request.embedding:
            # The last token of a sequence is read with the first one of an answer only.
            self.conversation = CachedConversation(continue_on(None, main, [*prompt, prompt[-1]]))
            self._mean = self.conversation.main.listener = MeanState(main)
        else:
            self.conversation = self._take(prompt, made.boundaries or ())
        sequence = self.conversation.main
        self.sampler = Sampler(request.sampling, main.vocabulary, self._constraint, request.alternatives)
        self.ids: list[int] = []
        self.reason: str | None = None
        self.round = 0
        # When the latest round ended. With `timing_interrupted`, other work has run since then.
        self.round_ended = started
        self.timing_interrupted = False
        known = RequestStats(
            prompt_tokens=len(prompt),
            cached_tokens=sequence.position,
            dropped_messages=made.dropped,
            merged_messages=made.merged,
            opening=opened_thought(self.text_of(prompt[-_MARK_TOKENS:])),
            seed=self.sampler.seed,
            main=main.info.name,
            pictures=len(self._pictures),
        )
        self.log = RequestLog(started, known)
        self._thoughts: ThoughtLimit | None = None
        if request.thinking_budget is not None:
            begun = request.messages[-1]["content"] if request.messages and request.continues else known.opening
            most = request.thinking_budget
            calls = bool(request.tools)
            self._thoughts = ThoughtLimit(most, len(prompt), begun, main.tokenizer, calls=calls)
            self._limit_thoughts()
        # The most tokens of the answer.
        self.budget = min(limit if request.max_tokens is None else request.max_tokens, limit - len(prompt))
        continued = prompt[-1:] if request.continues else ()
        self._text = AnswerText(main.tokenizer.detokenizer, request.stop, continued)

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
    def only_reads(self) -> bool:
        """Whether the prompt is only to be scored or embedded, in passes of its own."""
        return self.prompt_tokens is not None or self._mean is not None

    @property
    def prefilled(self) -> bool:
        """Whether decoding can begin."""
        return self.backlog <= 0

    def stats(self) -> RequestStats:
        """The figures so far."""
        return self.log.snapshot()

    def progress(self) -> PrefillProgress:
        """How much of the prompt has been prefilled."""
        sequence = self.conversation.main
        read = self.prompt_tokens.take() if self.prompt_tokens is not None else ()
        return PrefillProgress(sequence.position, len(sequence.tokens), self.log.figures.cached_tokens, read)

    @property
    def decoding(self) -> Sequence[Future[Any]]:
        """The pictures that are being decoded, for which the next chunk of the prompt waits."""
        return () if self._reader is None else self._reader.files.pending

    def read_picture(self, most: int) -> bool:
        """Make the embedding of a picture that the next `most` tokens need, if one is missing. Returns whether it was.

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
        if self._reader is not None:
            self._reader.files.abandon()

    def begin_prefill(self, most: int) -> PrefillPass:
        return PrefillPass(self.conversation.main, most)

    def prefill_event(self) -> PrefillProgress | None:
        """Return the event that reports a chunk; None if tokens of the answer are prefilled again."""
        return None if self.ids else self.progress()

    def add_tokens(self, drawn: DrawnTokens) -> list[Token]:
        """Add the tokens to the answer, up to its end if it ends among them; returns those added, with their text."""
        tokens: list[Token] = []
        last = len(drawn.tokens) - 1
        for index, token in enumerate(drawn.tokens):
            text = "" if token in self._main.end_tokens else self._text.add(token)
            self.ids.append(token)
            text += self._end_behind(token, last=index == last)
            source = drawn.source if index < drawn.accepted else "main"
            alternatives = self._alternatives(drawn.likeliest[index]) if drawn.likeliest else ()
            top2_margin = (
                drawn.top2_margins[index] if drawn.top2_margins and isfinite(drawn.top2_margins[index]) else None
            )
            part = self._parts.get(token, b"")
            logprob = drawn.logprobs[index]
            tokens.append(Token(token, text, source, index, self.round, logprob, alternatives, top2_margin, part))
            if self.reason is not None:
                break
        self._limit_thoughts()
        return tokens

    def _limit_thoughts(self) -> None:
        """Let the sampler follow the limit of the thoughts while rounds may reach it that have not started."""
        if (limit := self._thoughts) is not None:
            limit.read(self.ids)
            self.sampler.thought_limit = limit if limit.near else None

    def _end_behind(self, token: int, *, last: bool) -> str:
        """Set `reason` if the answer ends with its newest `token`; returns the text that was held back until then. A
        cancelled answer ends with the `last` token of a round.
        """
        if token in self._main.end_tokens or self._text.stopped_by is not None:
            self.reason = "stop"
        elif len(self.ids) == self.budget:
            self.reason = "length"
        elif last and self.cancelled:
            self.reason = "cancelled"
        return "" if self.reason is None else self._text.finish()

    def _alternatives(self, likeliest: Sequence[tuple[int, float]]) -> tuple[Alternative, ...]:
        parts = self._parts
        return tuple(Alternative(one, self.text_of([one]), logprob, parts.get(one, b"")) for one, logprob in likeliest)

    def end_round(
        self,
        choice: Choice,
        proposal: Proposal | None,
        tokens: Sequence[Token],
        accepted: int,
        rows: int,
        seconds: tuple[float, float, float],
        now: float,
    ) -> TokensCommitted:
        """Count a round of `rows` rows that ended at `now`, and return the event that reports it. It committed
        `tokens`, the first `accepted` of them from `proposal`. `seconds` are the durations of drafting, of the main
        model's pass and of waiting for the host.
        """
        depth = 0 if proposal is None else proposal.count
        # Draft tokens past the end of the answer do not count: the main model has not verified them.
        drafted = depth if len(tokens) > accepted or accepted == 0 else accepted
        rejected = ""
        if proposal is not None and drafted > accepted:
            ids = proposal.tokens if isinstance(proposal.tokens, list) else cast("list[int]", proposal.tokens.tolist())
            rejected = self.text_of(ids[accepted:])
        draft_s, verify_s, host_s = seconds
        record = RoundRecord(
            number=self.round,
            source="main" if proposal is None else proposal.source,
            drafted=drafted,
            accepted=accepted,
            committed=len(tokens),
            rows=rows,
            at_s=now - self.log.started,
            draft_s=draft_s,
            verify_s=verify_s,
            host_s=host_s,
            reason=choice.reason or ("" if depth else "no-guess"),
            arguments=choice.arguments,
            rejected=rejected,
        )
        self.round += 1
        self.log.add(record, now)
        stats = self.log.latest(now) if self.reason is None else self.log.snapshot()
        return TokensCommitted("".join([token.text for token in tokens]), tuple(tokens), record, stats)

    def skip_pause(self, seconds: float) -> None:
        """Take a pause of `seconds` out of the figures; the round in which it was is no sample."""
        self.log.skip(seconds)
        self.round_ended += seconds
        self.timing_interrupted = True

    def restart(self) -> None:
        """Prefill the committed tokens again, except what the prefix cache holds, because the caches are lost."""
        lost = self.conversation.main
        self.conversation = self._take(lost.tokens, lost.boundaries)

    def _take(self, tokens: Sequence[int], boundaries: Sequence[int]) -> CachedConversation:
        """Return a conversation for `tokens` with the request's pictures, as far as cached as it can be."""
        request = self.request
        taken = self._cache.take(
            self._main, tokens, request.conversation, self._pictures, shared=request.shared, boundaries=boundaries
        )
        taken.main.reader = self._reader
        taken.main.positions = None if self._reader is None else self._reader.positions(self._pictures)
        return taken

    def finish(self) -> Finished:
        """Return the event that ends the answer, without the text held back at a cancellation between two rounds."""
        unchecked = () if self._constraint is None else self._constraint.left_out
        limit = None if self._thoughts is None else self._thoughts.reached
        stats = replace(self.stats(), unchecked=unchecked, thinking_limit=limit)
        return Finished(
            self.reason or "cancelled",
            self._text.text,
            tuple(self.ids),
            stats,
            self._text.stopped_by,
            () if self._mean is None else self._mean.embedding,
        )

    def release(self) -> None:
        """Give the intact caches to the prefix cache, unless the prompt was only to be scored or embedded."""
        if not self.only_reads:
            self._cache.put(self.conversation)


def prompt_job(request: ChatRequest, main: LoadedModel, files: PictureFiles) -> PromptJob:
    """Return the job that makes a request's prompt; with pictures it waits, thread-safe, and raises as `texts` does."""
    return PromptJob(
        request.messages,
        main.info.context_length,
        request.max_tokens,
        request.overflow,
        dict(request.template_options),
        request.tools,
        request.prompt,
        main.reader(files).texts() if request.pictures else {},
        request.kept_context,
    )


def _constraint(
    request: ChatRequest, grammar: CompiledGrammar | None, main: LoadedModel, prompt: Sequence[int]
) -> Constraint | CallsInText:
    """Return the grammar of an answer that follows `prompt`, or continues its last message."""
    begun, thinking = _begun(request, main, prompt)
    if grammar is not None:
        return Constraint(grammar, len(prompt), begun, thinking)
    assert request.grammar is not None
    opening = opening_of(request.grammar.source)
    start = partial(main.grammars.start, request.grammar)
    mark = main.token_of(opening.mark)
    return CallsInText(start, main.grammars.bytes_of, opening, mark, len(prompt), thinking, begun=bool(begun))


def _begun(request: ChatRequest, main: LoadedModel, prompt: Sequence[int]) -> tuple[str, Thinking | None]:
    """Return the text that an answer continues, without thoughts, and the thinking that may precede it."""
    marks = main.thought_marks
    begun = request.messages[-1]["content"] if request.prompt is None and request.continues else ""
    if marks is None:
        return begun, None
    (opening, start), (closing, end) = marks
    if opening in begun:
        _, over, begun = begun.rpartition(closing)
        if not over:
            return "", Thinking(end)
    return (begun.lstrip(), None) if begun else ("", _thinking(start, end, prompt))


def _thinking(start: int, end: int, prompt: Sequence[int]) -> Thinking | None:
    """Return the thinking that may precede the answer; None if the template has already ended it."""
    newest = next((token for token in reversed(prompt[-_OPENING:]) if token in (start, end)), None)
    return None if newest == end else Thinking(end, None if newest == start else start)


def _check_ids(prompt: Sequence[int], main: LoadedModel, given: str) -> None:
    """Raise `BadRequest` about `given` for an id past the embedding, behind whose last row lies foreign memory."""
    largest = max(prompt, default=0)
    if main.rows is not None and largest >= main.rows:
        raise BadRequest(given, "text that the model has tokens for", main.tokenizer.decode([largest]))


def release_unused_memory() -> None:
    """Free the memory that MLX keeps for reuse. It is worth its time between requests, not between rounds."""
    mx.clear_cache()
