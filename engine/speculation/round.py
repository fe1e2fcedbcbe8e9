"""The round: propose, verify, accept, commit. One optimistic transaction over the main model's caches.

Depth 0 is plain decoding through the same code. While rounds guess nothing, the next one is launched before the one
under way is settled, so that the device never waits for the host.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

import mlx.core as mx

from engine.sampling import Sampler
from engine.speculation.acceptance import count_matching, reject_or_resample
from engine.speculation.proposers import Proposal, Proposer
from engine.speculation.sequence import Sequence as CachedSequence


class ProposerFailed(Exception):
    """`source` could not guess; `__cause__` says why. The main model is untouched."""

    def __init__(self, source: str) -> None:
        super().__init__(f"the proposer {source!r} failed")
        self.source = source


@contextmanager
def failing_as(source: str) -> Iterator[None]:
    """Whatever a proposer raises in here becomes `ProposerFailed`."""
    try:
        yield
    except Exception as error:
        raise ProposerFailed(source) from error


@dataclass(slots=True)
class PendingRound:
    """A round whose graph is on its way to the device: nothing of it has been read yet.

    `sampled` (k+1,) holds what the main model draws at each row and `logprobs` (k+1,) its log-probability there.
    `ahead` tells that it was launched before the round below was read.
    """

    proposal: Proposal | None
    guesses: mx.array | None
    sampled: mx.array
    logprobs: mx.array
    rows: int
    started: float
    draft_s: float | None
    ahead: bool = False

    @property
    def depth(self) -> int:
        return 0 if self.proposal is None else self.proposal.count

    @property
    def stopped(self) -> bool:
        """Whether it guesses less than it was asked to, because more would hardly have been right."""
        return self.proposal is not None and self.proposal.stopped


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round that was read: its candidate tokens, of which the first `accepted` are guesses."""

    tokens: list[int]
    logprobs: list[float]
    accepted: int
    landed: float


class Rounds:
    """Runs rounds for one request over one main model's sequence.

    `proposers` are the sources of guesses by name. Guesses are accepted where the main model draws the same, or by
    rejection sampling where they come with the distributions they were drawn from.
    """

    def __init__(self, sequence: CachedSequence, sampler: Sampler, proposers: Mapping[str, Proposer]) -> None:
        self.sequence = sequence
        self._sampler = sampler
        self._proposers = proposers
        self._in_halves = mx.default_device() == mx.Device(mx.cpu)

    def launch(self, source: str | None, depth: int, *, timed: bool = False) -> PendingRound:
        """Propose up to `depth` guesses of `source` and send their verification to the device.

        `timed` waits for the guesses first, so that drafting and verifying can be told apart on the clock. Raises
        `ProposerFailed` before the main model's caches are touched.
        """
        started = time.perf_counter()
        proposal = self._propose(source, depth) if source is not None and depth > 0 else None
        guesses = None if proposal is None else mx.array(proposal.tokens, dtype=mx.uint32)
        draft_s = None
        if timed and guesses is not None:
            mx.eval(guesses)
            draft_s = time.perf_counter() - started
        elif guesses is not None:
            # The device drafts while the verify pass is still being built.
            mx.async_eval(guesses)  # type: ignore[no-untyped-call]
        rows = len(self.sequence.pending) + (0 if proposal is None else proposal.count)
        logits = self.sequence.verify([] if guesses is None else guesses)
        sampled, logprobs = self._draw(logits, len(self.sequence.tokens), guesses, proposal)
        return self._dispatch(PendingRound(proposal, guesses, sampled, logprobs, rows, started, draft_s))

    def launch_after(self, flight: PendingRound) -> PendingRound:
        """Launch the next plain round on top of a plain one that has not been read yet."""
        started = time.perf_counter()
        if self.sequence.rollback.active:
            # The round below guessed nothing, so all of its rows stay.
            self.sequence.commit(0, [])
        logits = self.sequence.verify(flight.sampled)
        sampled, logprobs = self._draw(logits, len(self.sequence.tokens) + 1, flight.sampled, None)
        return self._dispatch(PendingRound(None, None, sampled, logprobs, 1, started, None, ahead=True))

    def land(self, flight: PendingRound) -> RoundResult:
        """Wait for the round and read it: the one host synchronisation."""
        sampled = cast("list[int]", flight.sampled.tolist())
        logprobs = cast("list[float]", flight.logprobs.tolist())
        landed = time.perf_counter()
        guesses = [] if flight.guesses is None else cast("list[int]", flight.guesses.tolist())
        accepted = count_matching(guesses, sampled)
        return RoundResult(sampled[: accepted + 1], logprobs[: accepted + 1], accepted, landed)

    def commit(
        self, flight: PendingRound, accepted: int, tokens: Sequence[int], ahead: PendingRound | None = None
    ) -> None:
        """Keep the first `accepted` guesses in every cache and append `tokens`; tell the proposers.

        With `ahead` under way on top of this plain round, its one row, this round's token, is kept. Raises a group of
        `ProposerFailed`, one for each that could not follow, when all else is done: the round is committed.
        """
        if ahead is not None:
            self.sequence.commit(1, tokens)
        elif self.sequence.rollback.active:
            self.sequence.commit(accepted, tokens)
        else:
            self.sequence.append(tokens)
        failures = []
        for source, proposer in self._proposers.items():
            used = flight.proposal is not None and flight.proposal.source == source
            try:
                with failing_as(source):
                    proposer.committed(tokens, accepted if used else 0, flight.depth if used else 0)
            except ProposerFailed as failure:
                failures.append(failure)
        if failures:
            try:
                raise ExceptionGroup("the round is committed, but not everybody could follow", failures)
            finally:
                # Their frames are this one: a circle that would keep the caches.
                del failures

    def abandon(self) -> None:
        """Take back what is under way: the caches stand where the last commit left them."""
        if self.sequence.rollback.active:
            self.sequence.abort()

    def _propose(self, source: str, depth: int) -> Proposal | None:
        with failing_as(source):
            proposal = self._proposers[source].propose(depth)
        return proposal if proposal.count else None

    def _draw(
        self, logits: mx.array, position: int, seen: mx.array | None, proposal: Proposal | None
    ) -> tuple[mx.array, mx.array]:
        sampler = self._sampler
        rows = logits.shape[0]
        scores = sampler.scores(logits, self.sequence.tokens, seen)
        noise = sampler.noise(position, rows)
        if noise is None:
            return sampler.likeliest(scores)
        logprobs = sampler.log_probabilities(scores)
        if proposal is not None and proposal.distributions is not None:
            sampled = reject_or_resample(
                sampler.probabilities(logprobs),
                proposal.distributions,
                mx.array(proposal.tokens, dtype=mx.uint32),
                sampler.uniforms(position, rows - 1),
                noise,
            )
        else:
            sampled = sampler.draw(logprobs, noise)
        chosen = mx.take_along_axis(logprobs, sampled[:, None], axis=-1)[:, 0]
        return sampled, chosen

    def _dispatch(self, flight: PendingRound) -> PendingRound:
        # MLX puts a whole graph in order before any of it runs. Here the first half runs while the second is put in
        # order, which makes a plain token of the starter pair 4 % faster.
        if self._in_halves and (halfway := self.sequence.rollback.halfway()) is not None:
            mx.async_eval(halfway)  # type: ignore[no-untyped-call]
        # Recurrent state can hang behind the logits that need it; left alone it would grow into a long chain.
        state = self.sequence.arrays() if self.sequence.rollback.carries else []
        mx.async_eval(flight.sampled, flight.logprobs, *state)  # type: ignore[no-untyped-call]
        return flight
