"""One round of several generations: its pass on the device, and the tokens read from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, cast

import mlx.core as mx

from engine.cpu_backend.backend import backend
from engine.cpu_backend.log_probabilities import likeliest_log_probabilities
from engine.decoders.generation import Generation
from engine.errors import is_device_failure
from engine.main_model.sampling import LikeliestTokens, Sampler, draw_together, fit, make_noise
from engine.speculation.choosing.choice import Choice
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.round_timing import drafting_of
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.round import DrawnTokens, count_matching, draw_tokens
from engine.speculation.rounds.sequence_batch import BatchPass, SequenceBatch


@dataclass(eq=False, slots=True)
class Member:
    """A generation in the batch, with its proposers. `error` is the exception that its own sampler raised."""

    generation: Generation
    request: RequestProposers
    error: Exception | None = None


@dataclass(eq=False, slots=True)
class BatchRound:
    """A round of `members`, some of which may have left since; row b belongs to members[b].

    `sampled` and `logprobs` (all,) concatenate the rows of all members, each with one row more than it has draft
    tokens; `starts` are the indices at which they start there. Instead of log-probabilities there can be the scores
    (all, vocabulary) from which the host computes these. `depths` are the numbers of draft tokens, `plain` is
    true if there are no proposals, and `drafting` is the value of `drafting_of`. `likeliest` holds, by row, the
    alternatives of requests that ask for them. `pipelined` is true if the round was started before the preceding one
    was read, `followed` if the next one was started before this one was read.
    """

    members: list[Member]
    choices: list[Choice]
    proposals: list[Proposal | None]
    done: BatchPass
    started_at: float
    draft_s: float | None
    pipelined: bool = False
    followed: bool = False
    sampled: mx.array = field(default_factory=lambda: mx.array([]))
    logprobs: mx.array = field(default_factory=lambda: mx.array([]))
    likeliest: dict[int, LikeliestTokens] = field(default_factory=dict)
    accepted: list[int] = field(default_factory=list)
    depths: list[int] = field(init=False)
    plain: bool = field(init=False)
    drafting: tuple[str, int] | None = field(init=False)
    starts: list[int] = field(init=False)
    _values: tuple[list[int], list[float]] | None = None

    def __post_init__(self) -> None:
        self.depths = [0 if proposal is None else proposal.count for proposal in self.proposals]
        self.plain = self.proposals.count(None) == len(self.proposals)
        self.drafting = drafting_of(self.proposals)
        self.starts = _starts(self.depths)

    @property
    def rows(self) -> int:
        """The rows of its pass, padding included."""
        return len(self.members) * max(self.done.counts)

    def read(self) -> tuple[list[int], list[float]]:
        """Wait for the round; returns tokens and log-probabilities of all rows. The only host synchronisation."""
        if self._values is None:
            tokens: Any = self.sampled.tolist()
            scores = self.logprobs
            logprobs: Any = likeliest_log_probabilities(scores) if scores.ndim == 2 else scores.tolist()
            self._values = tokens, logprobs
            rows = range(len(self.members))
            self.accepted = [0] * len(rows) if self.plain else [self._count_accepted(row) for row in rows]
        return self._values

    def drawn(self, row: int) -> DrawnTokens:
        """Return the tokens that a member commits, at most."""
        tokens, logprobs = self._of(row)
        proposal = self.proposals[row]
        count = self.accepted[row] + 1
        return DrawnTokens(
            tokens[:count],
            logprobs[:count],
            self.accepted[row],
            "main" if proposal is None else proposal.source,
            self.likeliest[row].read() if row in self.likeliest else (),
        )

    def keep(self) -> list[int]:
        """Return how many of the tokens that each row was fed belong to its text."""
        if self.plain:
            return list(self.done.counts)
        depths = zip(self.done.counts, self.depths, self.accepted, strict=True)
        return [count - depth + accepted for count, depth, accepted in depths]

    def report_row(self, row: int) -> None:
        """Give the member's listener the kept rows; its sequence must hold them already."""
        sequence = self.members[row].generation.conversation.main
        SequenceBatch.report(self.done, sequence, row, self.keep()[row])

    def _of(self, row: int) -> tuple[list[int], list[float]]:
        assert self._values is not None
        tokens, logprobs = self._values
        of_row = slice(self.starts[row], self.starts[row + 1])
        return tokens[of_row], logprobs[of_row]

    def _count_accepted(self, row: int) -> int:
        """Return how many of the draft tokens of a row were drawn, too; 0 if it has none or its sampler failed."""
        proposal = self.proposals[row]
        if proposal is None or self.members[row].error is not None:
            return 0
        tokens = proposal.tokens
        drafted = cast("list[int]", tokens.tolist()) if isinstance(tokens, mx.array) else tokens
        # The record of the round needs them as a list, when an exception could no longer be handled.
        self.proposals[row] = replace(proposal, tokens=drafted)
        return count_matching(drafted, self._of(row)[0])


class BatchSampling:
    """Draws the tokens of a round, with each member's own sampler."""

    def __init__(self, vocabulary: int) -> None:
        self._vocabulary = vocabulary
        self._reads_scores = backend().host_reads_scores

    def dispatch(self, current: BatchRound, batch: SequenceBatch, fed: Sequence[mx.array | None]) -> None:
        """Send the round to the device. `fed[b]` (1,) is the token that row b was fed before the host knew it."""
        samplers = [member.generation.sampler for member in current.members]
        if any(sampler.constraint is not None for sampler in samplers):
            # The device computes while the host determines the tokens that the grammars allow.
            mx.async_eval(current.done.logits)  # type: ignore[no-untyped-call]
        rows = range(len(samplers))
        together, drawn = self._drawn_together(current, fed)
        apart = [row for row in rows if row not in together]
        drawn += [self._row(current, row, fed[row]) for row in apart]
        current.sampled = mx.concatenate([tokens for tokens, _ in drawn])
        current.logprobs = mx.concatenate([logprobs for _, logprobs in drawn])
        if apart and together:
            order = _order_of_rows([*together, *apart], current.depths)
            current.sampled = current.sampled[order]
            current.logprobs = current.logprobs[order]
        likeliest = [array for tokens in current.likeliest.values() for array in tokens.arrays]
        mx.async_eval(current.sampled, current.logprobs, *likeliest, *batch.state_arrays())  # type: ignore[no-untyped-call]

    def _drawn_together(
        self, current: BatchRound, fed: Sequence[mx.array | None]
    ) -> tuple[list[int], list[tuple[mx.array, mx.array]]]:
        """Draw for all rows that can be drawn in one operation.

        Returns these rows, and one pair of their tokens and log-probabilities, each of shape (count,) with the rows one
        after the other, or scores in place of the latter, as in `BatchRound`, if these are all rows. Both lists are
        empty if there are no such rows, or drawing for them failed.
        """
        together = [row for row in range(len(current.members)) if self._is_simple(current, row, fed[row])]
        if not together:
            return [], []
        try:
            return together, [self._together(current, together, fed)]
        # One sampler may have caused it. Drawing for each member by itself shows which one.
        except Exception as error:
            if is_device_failure(error):
                raise
            return [], []

    @staticmethod
    def _is_simple(current: BatchRound, row: int, fed: mx.array | None) -> bool:
        """Whether a member's scores are the unchanged logits, and it needs nothing but a token for each row."""
        generation = current.members[row].generation
        proposal = current.proposals[row]
        sampler = generation.sampler
        seen = fed if proposal is None else proposal.tokens
        rejects = proposal is not None and proposal.distributions is not None
        simple = sampler.plain_scores and not sampler.alternatives and not rejects
        # A call may begin, or thoughts may have to end, among the tokens that the rows were fed.
        return simple and sampler.allowed(generation.conversation.main.tokens, seen, current.depths[row] + 1) is None

    def _together(
        self, current: BatchRound, members: Sequence[int], fed: Sequence[mx.array | None]
    ) -> tuple[mx.array, mx.array]:
        """Draw for the members whose scores are the unchanged logits."""
        rows, width, outputs = current.done.logits.shape
        logits = current.done.logits.reshape(rows * width, outputs)
        depths = current.depths
        firsts = [row * width + current.done.firsts[row] for row in members]
        wanted = [first + index for first, row in zip(firsts, members, strict=True) for index in range(depths[row] + 1)]
        chosen = None if len(wanted) == rows * width else mx.array(wanted)
        samplers = [current.members[row].generation.sampler for row in members]
        if all(sampler.greedy for sampler in samplers):
            return self._likeliest(logits, chosen, by_host=self._reads_scores and len(members) == rows)
        scores = fit(logits if chosen is None else logits[chosen], self._vocabulary).astype(mx.float32)
        texts = [current.members[row].generation.conversation.main.tokens for row in members]
        positions = [_position(text, fed[row]) for text, row in zip(texts, members, strict=True)]
        counts = [depths[row] + 1 for row in members]
        make_noise(samplers, positions, counts)
        noises = [
            sampler.noise(position, count) for sampler, position, count in zip(samplers, positions, counts, strict=True)
        ]
        return draw_together(samplers, counts, noises, scores)

    def _likeliest(self, logits: mx.array, chosen: mx.array | None, *, by_host: bool) -> tuple[mx.array, mx.array]:
        """Return the greedy draws (count,) of the `chosen` ones of `logits` (n, V), None for all.

        With them come their log-probabilities, or `by_host` the scores (count, vocabulary).
        """
        if by_host:
            scores = fit(logits if chosen is None else logits[chosen], self._vocabulary).astype(mx.float32)
            return mx.argmax(scores, axis=-1), scores
        sampled, logprobs = Sampler.likeliest(fit(logits, self._vocabulary).astype(mx.float32))
        return (sampled, logprobs) if chosen is None else (sampled[chosen], logprobs[chosen])

    def _row(self, current: BatchRound, row: int, fed: mx.array | None) -> tuple[mx.array, mx.array]:
        """Draw for one member with its own sampler; return its tokens and log-probabilities, (depth + 1,) each.

        If the sampler fails, the member has its `error`, and what is returned is of no use. A failure of the device is
        raised.
        """
        member = current.members[row]
        proposal = current.proposals[row]
        first = current.done.firsts[row]
        rows = current.depths[row] + 1
        logits = current.done.logits[row, first : first + rows]
        tokens, seen = member.generation.conversation.main.tokens, fed
        try:
            if proposal is not None:
                seen = mx.array(proposal.tokens, dtype=mx.uint32)
            drawn = draw_tokens(member.generation.sampler, logits, tokens, _position(tokens, fed), seen, proposal)
            if drawn.likeliest is not None:
                current.likeliest[row] = drawn.likeliest
            return drawn.sampled, drawn.logprobs
        # An exception in one request's sampler must not end the others.
        except Exception as error:
            if is_device_failure(error):
                raise
            member.error = error
            return mx.argmax(logits, axis=-1).astype(mx.uint32), mx.zeros((rows,))


def _position(tokens: Sequence[int], fed: mx.array | None) -> int:
    """Return the position of the first token to draw, after `tokens` and the one that is `fed`."""
    return len(tokens) if fed is None else len(tokens) + 1


def _order_of_rows(drawn_rows: Sequence[int], depths: Sequence[int]) -> mx.array:
    """Return the indices (count,) that put what was drawn in the order of `drawn_rows` into the order of the rows.

    Row b has depths[b] + 1 draws. With depths [1, 0, 0], drawn in the order [1, 2, 0], it is [2, 3, 0, 1].
    """
    starts = dict(zip(drawn_rows, _starts([depths[row] for row in drawn_rows]), strict=False))
    return mx.array([starts[row] + index for row in range(len(depths)) for index in range(depths[row] + 1)])


def _starts(depths: Sequence[int]) -> list[int]:
    """Return where the rows of each proposal start in their concatenation, and where the last ones end."""
    return list(accumulate([depth + 1 for depth in depths], initial=0))
