"""The answers being decoded: one alone with speculation; several in a batch, or in turns if they cannot be batched."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from operator import attrgetter

from engine.decoders.batch_decoder import BatchDecoder, BatchStepFailed, StepOutcome
from engine.decoders.generation import release_unused_memory
from engine.decoders.speculative_decoder import SpeculativeDecoder
from engine.errors import is_device_failure
from engine.events import TokensCommitted
from engine.requests import MAX_DEPTH
from engine.serving.active_request import ActiveRequest
from engine.serving.pacing import PrefillPacer
from engine.speculation.choosing.choice import Choice
from engine.speculation.rounds.sequence_batch import rows_obstacle
from engine.upkeep.models import Models

log = logging.getLogger(__name__)

# What keeps a request from sharing passes if its text must not depend on their widths; a reason of plain rounds, too.
SAME_TEXT = "same-text"


class CachesLost(Exception):
    """The request has left its decoder without caches; it has to be prefilled again before it can continue."""


class Decoding:
    """The requests whose prompt has been prefilled."""

    def __init__(self, models: Models, pacer: PrefillPacer) -> None:
        self._models = models
        self._pacer = pacer
        # In the order in which they are decoded; for reading only.
        self.requests: deque[ActiveRequest] = deque()
        self._batch: BatchDecoder | None = None
        # Whether a request was added since the latest step while other answers had begun.
        self._added = False

    @property
    def streaming(self) -> bool:
        """Whether any of the answers has begun."""
        return any(active.generation.ids for active in self.requests)

    def add(self, active: ActiveRequest) -> None:
        """Add a request whose prompt is prefilled except for its last token."""
        self._added = self._added or self.streaming
        self.requests.append(active)

    def interrupt_timing(self) -> None:
        """Ignore the time until the next round, because other work runs before it."""
        for active in self.requests:
            active.generation.clock.interrupt()

    def step(self, *, joining: bool) -> Iterator[tuple[ActiveRequest, StepOutcome]]:
        """Assign every request to its decoder, then run one round, or one step of the whole batch.

        Yields (request, outcome): committed tokens, the exception that ends the request, or `CachesLost`. The caller
        may remove the request immediately. `joining`: another request is being prefilled and about to be added.
        """
        # Answers that have begun get a round between the last part of a prompt and the copying of its caches.
        added, self._added = self._added, False
        waits = added and bool(self.requests) and (self.requests[0].batched or self.requests[0].decoder is not None)
        if not (waits or self._alone_as_before):
            yield from self._assign_decoders(joining)
        if not self.requests:
            return
        active = self.requests[0]
        if active.batched:
            yield from self._step_batch()
        else:
            try:
                outcome: StepOutcome | None = self._step_alone(active)
            except Exception as error:
                outcome = error
            if outcome is not None:
                yield active, outcome
        if len(self.requests) > 1 and not waits:
            # The next turn is for the next request that is decoded alone, or for the whole batch.
            self.requests.rotate(-1)
            self.requests = deque(sorted(self.requests, key=attrgetter("batched")))

    @property
    def _alone_as_before(self) -> bool:
        """Whether the only answer goes on in the decoder that it has, as in nearly every step."""
        if len(self.requests) != 1:
            return False
        decoder = self.requests[0].decoder
        return decoder is not None and decoder.speculates and not decoder.done

    def settle(self, active: ActiveRequest) -> Iterator[TokensCommitted]:
        """Commit the rounds that have already been started for a request that is decoded alone."""
        if active.decoder is not None:
            active.decoder.leave()
        while active.decoder is not None and not active.decoder.done:
            event = self._step_alone(active)
            if event is not None:
                yield event

    def remove(self, active: ActiveRequest) -> None:
        """Stop decoding the request; its caches end at the last token reported, or are lost if this raises."""
        if active in self.requests:
            self.requests.remove(active)
        if active.decoder is not None:
            decoder, active.decoder = active.decoder, None
            decoder.close()
        if active.batched:
            active.generation.reason = active.generation.reason or "cancelled"
            self._leave_batch(active)

    def abandon(self) -> None:
        """Close all decoders, whose caches are lost. No request may be decoded here any more."""
        for decoder in (self._batch, *(active.decoder for active in self.requests)):
            if decoder is not None:
                with suppress(Exception):
                    decoder.close()

    def _assign_decoders(self, joining: bool) -> Iterator[tuple[ActiveRequest, StepOutcome]]:
        """Assign every request to its decoder, or do the next step towards that.

        New requests join a batch first, and answers that decode alone join a round later, because both copy caches.
        """
        unassigned = [active for active in self.requests if not active.batched and active.decoder is None]
        for active in list(self.requests):
            if active.batched and len(self.requests) == 1:
                try:
                    if (event := self._leave_batch(active)) is not None:
                        yield active, event
                except Exception as error:
                    yield from self._dissolve_batch([active], error)
            if unassigned and active.decoder is not None and not active.decoder.done:
                continue
            if not active.batched and active in self.requests:
                try:
                    self._assign_decoder(active, joining)
                except Exception as error:
                    yield active, error

    def _assign_decoder(self, active: ActiveRequest, joining: bool) -> None:
        """Have a request join the batch, leave its decoder, or get one of its own, as the others make it necessary.

        `joining` says that another request is about to join. A decoder that has to `leave` ends its round first; the
        next step of the request is done by a later call.
        """
        alone = len(self.requests) == 1
        if active.decoder is not None and active.decoder.done:
            active.decoder.close()
            active.decoder = None
        if active.decoder is None and active.batch_obstacle is None and not alone:
            active.batch_obstacle = self._batch_obstacle(active)
        # A request that another one is about to join does not start drafting.
        speculates = alone and (not joining or (active.decoder is not None and active.decoder.speculates))
        joins = not alone and active.batch_obstacle is None
        if active.decoder is not None and (joins or active.decoder.speculates != speculates):
            active.decoder.leave()
        elif active.decoder is None and joins:
            self._join_batch(active)
        elif active.decoder is None:
            drafting = self._models.drafting if speculates else None
            active.decoder = SpeculativeDecoder(active.generation, drafting, _plain_because(active.batch_obstacle))

    def _batch_obstacle(self, active: ActiveRequest) -> str | None:
        """Return the reason that keeps a request out of the batch; None if it may join."""
        main = active.generation.conversation.main
        if main.row_rules.strict:
            # In a pass with rows of other requests, a row could be rounded differently than alone.
            return SAME_TEXT
        obstacle = rows_obstacle(main)
        if obstacle is None and not self._rows_fit():
            return "memory"
        return obstacle

    def _rows_fit(self) -> bool:
        """Whether there is memory for all caches as rows of one batch, each as long as the longest text."""
        texts = [len(active.generation.conversation.main.tokens) for active in self.requests]
        needed = len(texts) * self._models.memory.cache_bytes(max(texts) + MAX_DEPTH)
        present = sum(self._models.memory.cache_bytes(length) for length in texts)
        return needed - present <= self._models.memory.use().free

    def _step_alone(self, active: ActiveRequest) -> TokensCommitted | None:
        """Run one step of the request's decoder. Return what it committed, None if it prepared a round or ended."""
        assert active.decoder is not None
        generation = active.generation
        stream = active.stream
        generation.speculation = stream.speculation
        generation.cancelled = generation.cancelled or stream.cancelled
        started = time.perf_counter()
        event = active.decoder.step()
        self._pacer.decode_step_took(time.perf_counter() - started)
        return event

    def _join_batch(self, active: ActiveRequest) -> None:
        """Add the request to the batch, which is created for the first one. If this raises, it has not joined."""
        if self._batch is None:
            self._batch = BatchDecoder(self._models.main, self._models.drafting)
        self._batch.reserve(sum(active_request.batch_obstacle is None for active_request in self.requests))
        try:
            self._batch.join(active.generation)
            active.batched = True
        finally:
            self._end_empty_batch()

    def _leave_batch(self, active: ActiveRequest) -> TokensCommitted | None:
        assert self._batch is not None
        active.batched = False
        try:
            return self._batch.leave(active.generation)
        finally:
            self._end_empty_batch()

    def _end_empty_batch(self) -> None:
        """End a batch without members: the next one may be of other models."""
        if self._batch is not None and not len(self._batch):
            self._batch.close()
            self._batch = None

    def _step_batch(self) -> Iterable[tuple[ActiveRequest, StepOutcome]]:
        """Run one step of the batch; return what it gave its members.

        If the step fails, the batch is dissolved as the result is iterated (see `_dissolve_batch`).
        """
        assert self._batch is not None
        members = {active.generation: active for active in self.requests if active.batched}
        for generation, active in members.items():
            generation.speculation = active.stream.speculation
        try:
            started = time.perf_counter()
            outcome = self._batch.step()
            self._pacer.decode_step_took(time.perf_counter() - started)
        except BatchStepFailed as failure:
            return self._dissolve_batch(list(members.values()), failure.__cause__ or failure)
        return [(members[generation], event) for generation, event in outcome]

    def _dissolve_batch(
        self, members: list[ActiveRequest], failure: BaseException
    ) -> Iterator[tuple[ActiveRequest, StepOutcome]]:
        """Decode the members alone from now on, because the failure may be due to any of them."""
        if is_device_failure(failure):
            raise failure
        log.warning("a batch of %d answers failed; they continue one by one", len(members), exc_info=failure)
        if self._batch is not None:
            self._batch.close()
            self._batch = None
        release_unused_memory()
        for active in reversed(members):
            active.batched = False
            active.batch_obstacle = "error"
            self.requests.remove(active)
            yield active, CachesLost()


def _plain_because(obstacle: str | None) -> Choice:
    """Return the choice of plain rounds for a request among others, with its reason."""
    if obstacle is None:
        return Choice(None, 0, "batch")
    if obstacle == SAME_TEXT:
        return Choice(None, 0, SAME_TEXT)
    return Choice(None, 0, "turns", (("kind", obstacle),))
