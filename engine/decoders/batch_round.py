"""One round of several generations: its pass on the device, and the tokens read from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import cast

import mlx.core as mx

from engine.cpu_backend.backend import backend
from engine.decoders.generation import Generation
from engine.errors import is_device_failure
from engine.main_model.sampling import LikeliestTokens, draw_together, fit, make_noise
from engine.speculation.choosing.choice import Choice
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.round_timing import drafting_of
from engine.speculation.rounds.drawing import Drawn, draw_likeliest, draw_tokens
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.round import DrawnTokens, count_matching
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

    `draws` concatenates the rows of all members, each with one row more than it has draft tokens; `starts` are the
    indices at which they start there. `depths` are the numbers of draft tokens, and `plain` is true if there are no
    proposals. `drafting` is what `drafting_of` returns for the proposals. `likeliest` holds, by row, the alternatives
    of requests that ask for them. `pipelined` is true if the round was started before the preceding one was read,
    `followed` if the next one was started before this one was read.
    """

    members: list[Member]
    choices: list[Choice]
    proposals: list[Proposal | None]
    done: BatchPass
    started_at: float
    draft_s: float | None
    pipelined: bool = False
    followed: bool = False
    draws: Drawn = field(default_factory=lambda: Drawn(mx.array([]), mx.array([])))
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
            tokens = cast("list[int]", self.draws.sampled.tolist())
            self._values = tokens, self.draws.read_logprobs()
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
    """Draws the tokens of a round, with each member's own sampler.

    `unread[b]` (1,) is the token that row b was fed before the host has read it; None if there is none.
    """

    def __init__(self, vocabulary: int) -> None:
        self._vocabulary = vocabulary
        self._host_reads_scores = backend().host_reads_scores

    def dispatch(self, current: BatchRound, batch: SequenceBatch, unread: Sequence[mx.array | None]) -> None:
        """Send the round to the device.

        `unread` has the last token (1,) of each answer, if the host has not read it.
        """
        samplers = [member.generation.sampler for member in current.members]
        if any(sampler.constraint is not None for sampler in samplers):
            # The device computes while the host determines the tokens that the grammars allow.
            mx.async_eval(current.done.logits)  # type: ignore[no-untyped-call]
        current.draws = self._draw(current, unread)
        likeliest = [array for tokens in current.likeliest.values() for array in tokens.arrays]
        mx.async_eval(*current.draws.arrays, *likeliest, *batch.state_arrays())  # type: ignore[no-untyped-call]

    def _draw(self, current: BatchRound, unread: Sequence[mx.array | None]) -> Drawn:
        """Draw for all rows: in one operation for those that allow it, and for each other one by itself."""
        rows = range(len(current.members))
        together = [row for row in rows if self._is_simple(current, row, unread[row])]
        drawn_together = self._try_together(current, together, unread) if together else None
        if drawn_together is None:
            together = []
        elif len(together) == len(rows):
            return drawn_together
        apart = [row for row in rows if row not in together]
        parts = [] if drawn_together is None else [drawn_together]
        parts += [self._draw_apart(current, row, unread[row]) for row in apart]
        sampled = mx.concatenate([drawn.sampled for drawn in parts])
        logprobs = mx.concatenate([drawn.logprobs for drawn in parts if drawn.logprobs is not None])
        if not together:
            return Drawn(sampled, logprobs)
        order = _order_of_rows([*together, *apart], current.depths)
        return Drawn(sampled[order], logprobs[order])

    def _try_together(
        self, current: BatchRound, rows: Sequence[int], unread: Sequence[mx.array | None]
    ) -> Drawn | None:
        """Draw for simple `rows` in one operation, with scores only if these are all rows; None if that fails."""
        try:
            return self._draw_together(current, rows, unread)
        # One sampler may have caused it. Drawing for each member by itself shows which one.
        except Exception as error:
            if is_device_failure(error):
                raise
            return None

    @staticmethod
    def _is_simple(current: BatchRound, row: int, unread: mx.array | None) -> bool:
        """Whether a member's scores are the unchanged logits, and it needs nothing but a token for each row."""
        generation = current.members[row].generation
        proposal = current.proposals[row]
        sampler = generation.sampler
        fed = unread if proposal is None else proposal.tokens
        rejects = proposal is not None and proposal.distributions is not None
        simple = sampler.plain_scores and not sampler.alternatives and not rejects
        # A call may begin, or thoughts may have to end, among the tokens that the rows were fed.
        return simple and sampler.allowed(generation.conversation.main.tokens, fed, current.depths[row] + 1) is None

    def _draw_together(self, current: BatchRound, rows: Sequence[int], unread: Sequence[mx.array | None]) -> Drawn:
        """Draw for the members in `rows`, whose scores are the unchanged logits."""
        members, width, outputs = current.done.logits.shape
        logits = current.done.logits.reshape(members * width, outputs)
        counts = [current.depths[row] + 1 for row in rows]
        firsts = [row * width + current.done.firsts[row] for row in rows]
        wanted = [first + index for first, count in zip(firsts, counts, strict=True) for index in range(count)]
        chosen = None if len(wanted) == members * width else mx.array(wanted)
        samplers = [current.members[row].generation.sampler for row in rows]
        if all(sampler.greedy for sampler in samplers):
            return self._draw_likeliest(logits, chosen, all_rows=len(rows) == members)
        scores = fit(logits if chosen is None else logits[chosen], self._vocabulary).astype(mx.float32)
        texts = [current.members[row].generation.conversation.main.tokens for row in rows]
        positions = [_position(text, unread[row]) for text, row in zip(texts, rows, strict=True)]
        make_noise(samplers, positions, counts)
        noises = [
            sampler.noise(position, count) for sampler, position, count in zip(samplers, positions, counts, strict=True)
        ]
        sampled, logprobs = draw_together(samplers, counts, noises, scores)
        return Drawn(sampled, logprobs)

    def _draw_likeliest(self, logits: mx.array, chosen: mx.array | None, *, all_rows: bool) -> Drawn:
        """Draw greedily (count,) from the `chosen` ones of `logits` (n, V), None for all.

        Only the draws of `all_rows` may have scores in place of log-probabilities.
        """
        if all_rows and self._host_reads_scores:
            scores = fit(logits if chosen is None else logits[chosen], self._vocabulary).astype(mx.float32)
            return draw_likeliest(scores, host_reads_scores=True)
        drawn = draw_likeliest(fit(logits, self._vocabulary).astype(mx.float32), host_reads_scores=False)
        if chosen is None or drawn.logprobs is None:
            return drawn
        return Drawn(drawn.sampled[chosen], drawn.logprobs[chosen])

    def _draw_apart(self, current: BatchRound, row: int, unread: mx.array | None) -> Drawn:
        """Draw (depth + 1,) tokens for one member with its own sampler.

        If the sampler fails, the member has its `error`, and what is returned is of no use. A failure of the device is
        raised.
        """
        member = current.members[row]
        proposal = current.proposals[row]
        first = current.done.firsts[row]
        rows = current.depths[row] + 1
        logits = current.done.logits[row, first : first + rows]
        tokens = member.generation.conversation.main.tokens
        fed = unread
        try:
            if proposal is not None:
                fed = mx.array(proposal.tokens, dtype=mx.uint32)
            drawn = draw_tokens(member.generation.sampler, logits, tokens, _position(tokens, unread), fed, proposal)
        # An exception in one request's sampler must not end the others.
        except Exception as error:
            if is_device_failure(error):
                raise
            member.error = error
            return Drawn(mx.argmax(logits, axis=-1).astype(mx.uint32), mx.zeros((rows,)))
        if drawn.likeliest is not None:
            current.likeliest[row] = drawn.likeliest
        return drawn


def _position(tokens: Sequence[int], unread: mx.array | None) -> int:
    """Return the position of the first token to draw, after `tokens` and the one that is `unread`."""
    return len(tokens) if unread is None else len(tokens) + 1


def _order_of_rows(drawn_rows: Sequence[int], depths: Sequence[int]) -> mx.array:
    """Return the indices (count,) that put what was drawn in the order of `drawn_rows` into the order of the rows.

    Row b has depths[b] + 1 draws. With depths [1, 0, 0], drawn in the order [1, 2, 0], it is [2, 3, 0, 1].
    """
    starts = dict(zip(drawn_rows, _starts([depths[row] for row in drawn_rows]), strict=False))
    return mx.array([starts[row] + index for row in range(len(depths)) for index in range(depths[row] + 1)])


def _starts(depths: Sequence[int]) -> list[int]:
    """Return where the rows of each proposal start in their concatenation, and where the last ones end."""
    return list(accumulate([depth + 1 for depth in depths], initial=0))
