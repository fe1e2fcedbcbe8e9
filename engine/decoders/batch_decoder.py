"""Decodes several generations together, a token each a step: mlx-lm's continuous batching with Tandem's samplers.

What is drawn for a generation depends on its own logits, settings, seed and position alone, so its text is the same
in every batch. Caches are handed over both ways: nothing is prefilled again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, cast

import mlx.core as mx

from engine.events import TokensCommitted
from engine.generation import DrawnTokens, Generation
from engine.loading import LoadedModel
from engine.sampling import LikeliestTokens, fit
from engine.speculation.cache_kinds import merge_obstacle
from engine.speculation.sequence import PREFILL_CHUNK, Sequence
from engine.speculation.shared_caches import SharedCaches
from engine.speculation.taps import Taps

# Generations join and end as decided here, not in mlx-lm.
_UNLIMITED = 2**31


def batch_obstacle(sequence: Sequence) -> str | None:
    """What keeps a generation with this sequence from sharing a batch, or None."""
    if sequence.plain_only is not None:
        return sequence.plain_only
    if isinstance(sequence.caches, SharedCaches):
        return "parts on several machines"
    return merge_obstacle(sequence.model, sequence.caches)


class BatchStepFailed(Exception):
    """A pass over the whole batch raised; `__cause__` says what. The caches of its generations are lost."""


@dataclass(eq=False, slots=True)
class _Draw:
    """What one pass drew, (rows,) each, on its way to the host; `likeliest` by row, where that is asked for."""

    tokens: mx.array
    logprobs: mx.array
    likeliest: dict[int, LikeliestTokens]
    values: tuple[list[int], list[float]] | None = None

    def read(self, row: int) -> tuple[int, float]:
        """Token and log-probability of a row; the first call waits for the device."""
        if self.values is None:
            self.values = (cast("list[int]", self.tokens.tolist()), cast("list[float]", self.logprobs.tolist()))
        return self.values[0][row], self.values[1][row]


@dataclass(eq=False, slots=True)
class _Member:
    """A generation in the batch. Its latest token, row `latest[1]` of a draw, is fed before it is reported.

    `outputs` are the tapped outputs (1, 1, width) of the pass that fed it last.
    """

    generation: Generation
    uid: int
    latest: tuple[_Draw, int] | None = None
    error: Exception | None = None
    outputs: list[mx.array] = field(default_factory=list)

    def follow(self) -> None:
        """Hand over what was fed in the latest pass: the newest committed token."""
        sequence, outputs = self.generation.conversation.main, self.outputs
        self.outputs = []
        if sequence.follower is not None and outputs:
            sequence.follower.read(len(sequence.tokens) - 1, outputs, sequence.tokens[-1:])


class BatchDecoder:
    """Generations of one main model, each with its own sampler, text and limits.

    `why_plain` names what keeps them from speculating together.
    """

    def __init__(self, main: LoadedModel, why_plain: str) -> None:
        # It imports transformers, which takes longer than a small model takes to load.
        from mlx_lm.generate import BatchGenerator, StopSequences

        self._why_plain = why_plain
        self._no_stop = StopSequences()
        self._members: list[_Member] = []
        self._joining: list[_Member] = []
        self._calls: list[list[_Member]] = []
        # What kept a row from being removed. From then on it is unknown which rows are whose.
        self._removal_error: Exception | None = None
        self._model = _FittedLogits(main.model, main.vocabulary)
        self._batch = BatchGenerator(
            self._model,
            sampler=self._sample,
            completion_batch_size=_UNLIMITED,
            prefill_batch_size=_UNLIMITED,
            stream=mx.default_stream(mx.default_device()),
        )

    def __len__(self) -> int:
        return len(self._members) + len(self._joining)

    def join(self, generation: Generation) -> None:
        """Add `generation`, whose sequence has no open transaction. The batch has its caches until it leaves."""
        sequence = generation.conversation.main
        while sequence.prefill(PREFILL_CHUNK):
            pass
        [uid] = self._batch.insert(
            [sequence.pending],
            max_tokens=[_UNLIMITED],
            caches=[list(sequence.caches)],
            stop_sequences=[self._no_stop],
        )
        sequence.adopt([], list(sequence.tokens), sequence.position)
        self._joining.append(_Member(generation, uid))

    def step(self) -> list[tuple[Generation, TokensCommitted | Exception]]:
        """One token for every generation but those that have just joined.

        One whose own sampler failed gets its exception instead and has to be removed. Raises `BatchStepFailed` when the
        pass itself failed, or a row could not be removed before.
        """
        if self._removal_error is not None:
            raise BatchStepFailed(str(self._removal_error)) from self._removal_error
        reported = [(member, member.latest) for member in self._members]
        self._calls = [rows for rows in (self._joining, self._members) if rows]
        followers = (member.generation.conversation.main.follower for member in (*self._members, *self._joining))
        self._model.taps = next((follower.taps for follower in followers if follower is not None), None)
        try:
            self._batch.next()
        except Exception as error:
            raise BatchStepFailed(str(error)) from error
        for member in self._joining:
            member.follow()
        self._members, self._joining = [*self._members, *self._joining], []
        rows = len(reported)
        outcome: list[tuple[Generation, TokensCommitted | Exception]] = []
        for member, latest in reported:
            assert latest is not None
            outcome.append((member.generation, member.error or self._commit(member.generation, latest, rows)))
            if member.error is None:
                member.follow()
        return outcome

    def leave(self, generation: Generation) -> TokensCommitted | None:
        """Give the caches back to the generation's sequence; returns the token drawn but not reported yet, if any.

        The generation is out of the batch even where the caches are lost, which raises.
        """
        rows = len(self._members)
        [member] = [member for member in (*self._members, *self._joining) if member.generation is generation]
        joined = member in self._members
        (self._members if joined else self._joining).remove(member)
        sequence = generation.conversation.main
        caches = self._remove(member)
        if not joined:
            sequence.adopt(caches, list(sequence.tokens), sequence.position)
            return None
        if member.error is not None:
            # The token that was fed is not one that its sampler drew.
            sequence.adopt([], list(sequence.tokens), 0)
            return None
        sequence.adopt(caches, list(sequence.tokens), len(sequence.tokens))
        # The next step need not wait for the copies.
        mx.async_eval(sequence.arrays())  # type: ignore[no-untyped-call]
        if member.latest is None or generation.reason is not None:
            return None
        return self._commit(generation, member.latest, rows)

    def _remove(self, member: _Member) -> list[Any]:
        try:
            if self._removal_error is not None:
                raise BatchStepFailed(str(self._removal_error)) from self._removal_error
            caches: list[Any] = self._batch.remove([member.uid], return_prompt_caches=True)[member.uid][0]
        except Exception as error:
            self._removal_error = self._removal_error or error
            sequence = member.generation.conversation.main
            sequence.adopt([], list(sequence.tokens), 0)
            raise
        return caches

    def close(self) -> None:
        """Drop whatever is in the batch. It cannot be used again."""
        self._members, self._joining = [], []
        self._batch.close()
        # They refer to each other: without this the weights stay in memory until a garbage collection.
        del self._batch, self._model

    def _commit(self, generation: Generation, latest: tuple[_Draw, int], rows: int) -> TokensCommitted:
        draw, row = latest
        token, logprob = draw.read(row)
        generation.conversation.main.append([token])
        likeliest = draw.likeliest[row].read() if row in draw.likeliest else ()
        drawn = DrawnTokens([token], [logprob], likeliest=likeliest)
        return generation.add_batch_token(drawn, rows, self._why_plain, time.perf_counter())

    def _sample(self, logprobs: mx.array) -> mx.array:
        """Called by mlx-lm with normalised scores (rows, vocabulary): first for the members, then for those joining."""
        members = self._calls.pop()
        for index, member in enumerate(members):
            member.outputs = [output[index : index + 1] for output in self._model.outputs]
        if all(member.generation.sampler.plain_argmax for member in members):
            # From the scores, as alone: normalising them can make unequal ones equal.
            sampled = mx.argmax(self._model.logits, axis=-1).astype(mx.uint32)
        else:
            rows = [self._sample_row(member, index, logprobs) for index, member in enumerate(members)]
            sampled = mx.concatenate([token for token, _ in rows])
            logprobs = mx.concatenate([row for _, row in rows])
        likeliest = {
            row: found
            for row, member in enumerate(members)
            if (found := member.generation.sampler.likeliest_tokens(logprobs[row : row + 1])) is not None
        }
        draw = _Draw(sampled, mx.take_along_axis(logprobs, sampled[:, None], axis=-1)[:, 0], likeliest)
        lists = [array for found in likeliest.values() for array in found.arrays]
        # Before the next pass is queued, or reading these would wait for that too.
        mx.async_eval(draw.tokens, draw.logprobs, *lists)  # type: ignore[no-untyped-call]
        for index, member in enumerate(members):
            member.latest = (draw, index)
        return sampled

    def _sample_row(self, member: _Member, index: int, logprobs: mx.array) -> tuple[mx.array, mx.array]:
        """The token (1,) that `member` draws, and its log-probabilities (1, vocabulary)."""
        own, generation = logprobs[index : index + 1], member.generation
        sampler, tokens = generation.sampler, generation.conversation.main.tokens
        try:
            seen = None
            if member.latest is not None:
                draw, row = member.latest
                seen = draw.tokens[row : row + 1]
            scores = self._model.logits[index : index + 1]
            if not sampler.plain_scores:
                scores = sampler.scores(scores, tokens, seen)
                own = sampler.log_probabilities(scores)
            noise = sampler.noise(len(tokens) + (seen is not None), 1)
            return sampler.draw(scores if noise is None else own, noise), own
        # An exception in one request's sampler must not end the others.
        except Exception as error:
            member.error = error
            return mx.argmax(own, axis=-1).astype(mx.uint32), own


class _FittedLogits:
    """The main model as the batch sees it: float32 logits over ids that stand for a token, kept for the samplers.

    With `taps`, it keeps their `outputs` of the latest pass too.
    """

    def __init__(self, model: Any, vocabulary: int) -> None:
        self.logits: mx.array = mx.zeros((0, vocabulary))
        self.taps: Taps | None = None
        self.outputs: list[mx.array] = []
        self._model = model
        self._vocabulary = vocabulary

    def __call__(self, tokens: mx.array, cache: Any) -> mx.array:
        if self.taps is None:
            self.outputs, logits = [], self._model(tokens, cache=cache)[:, -1, :]
        else:
            with self.taps.record() as self.outputs:
                logits = self._model(tokens, cache=cache)[:, -1, :]
        self.logits = fit(logits, self._vocabulary).astype(mx.float32)
        return self.logits[:, None]
