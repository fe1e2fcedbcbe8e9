"""Who writes in which lane: one answer by itself, with guesses; several in a batch, or in turns where they cannot."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

from engine.active import Active, log_lost
from engine.events import TokensCommitted
from engine.generation import release_unused_memory
from engine.lanes.batch_decoder import BatchDecoder, BatchStepFailed, why_not_batched
from engine.lanes.speculative_decoder import SpeculativeDecoder
from engine.models import Models
from engine.pacing import PrefillPace
from engine.speculation.depth import Choice

log = logging.getLogger(__name__)


class CachesLost(Exception):
    """An answer has to be read again before it can go on; it is in no lane any more."""


Outcome = TokensCommitted | Exception


class Decoding:
    """The answers under way whose prompt has been read, in the order of their turns."""

    def __init__(self, models: Models, pace: PrefillPace) -> None:
        self._models = models
        self._pace = pace
        self._turns: deque[Active] = deque()
        self._batch: BatchDecoder | None = None

    def __len__(self) -> int:
        return len(self._turns)

    def __iter__(self) -> Iterator[Active]:
        return iter(list(self._turns))

    def __contains__(self, active: object) -> bool:
        return active in self._turns

    def add(self, active: Active) -> None:
        """The last token of its prompt is all that is left to read."""
        self._turns.append(active)

    def disturb(self) -> None:
        """Something else takes time between two rounds, so that it says nothing about what rounds cost."""
        for active in self._turns:
            active.generation.disturbed = True

    def step(self, *, joining: bool) -> Iterator[tuple[Active, Outcome]]:
        """Put everybody where they belong, then one round, or one step of the whole batch.

        Tells tokens, or the exception that ends a request, or `CachesLost`; who is told may be withdrawn at once.
        `joining` says that somebody reads a prompt and will be here soon.
        """
        for active in self:
            yield from self._leave_if_alone(active)
            if active in self._turns:
                yield from self._attempt(active, partial(self._place, active, joining))
        if not self._turns:
            return
        active = self._turns[0]
        if active.batched:
            yield from self._step_batch()
        else:
            yield from self._attempt(active, partial(self._step_run, active))
        if len(self._turns) > 1:
            # The next turn is for the next one by itself, or for the whole batch.
            self._turns.rotate(-1)
            self._turns = deque([*(a for a in self._turns if not a.batched), *(a for a in self._turns if a.batched)])

    def settle(self, active: Active) -> Iterator[TokensCommitted]:
        """What was drawn for an answer by itself and is on its way."""
        if active.run is not None:
            active.run.leave()
        while active.run is not None and not active.run.done:
            event = self._step_run(active)
            if event is not None:
                yield event

    def withdraw(self, active: Active) -> None:
        """Out of its lane, its caches at the last token that was told."""
        if active in self._turns:
            self._turns.remove(active)
        if active.run is not None:
            run, active.run = active.run, None
            run.close()
        if active.batched:
            active.generation.reason = active.generation.reason or "cancelled"
            try:
                self._leave_batch(active)
            # It has ended anyway.
            except Exception:
                log_lost()

    @staticmethod
    def _attempt(active: Active, work: Callable[[], TokensCommitted | None]) -> Iterator[tuple[Active, Outcome]]:
        try:
            event = work()
        except Exception as error:
            yield active, error
        else:
            if event is not None:
                yield active, event

    def _leave_if_alone(self, active: Active) -> Iterator[tuple[Active, Outcome]]:
        if not active.batched or len(self._turns) > 1:
            return
        try:
            event = self._leave_batch(active)
        except Exception as error:
            yield from self._disband([active], error)
        else:
            if event is not None:
                yield active, event

    def _place(self, active: Active, joining: bool) -> None:
        if active.batched:
            return
        alone = len(self._turns) == 1
        if active.run is not None and active.run.done:
            active.run.close()
            active.run = None
        if active.run is None and active.apart is None and not alone:
            active.apart = why_not_batched(active.generation.conversation.main)
        # Who joins soon is not worth calling the draft model in for.
        guesses = alone and (not joining or (active.run is not None and active.run.guesses))
        shares = not alone and active.apart is None
        if active.run is not None and (shares or active.run.guesses != guesses):
            active.run.leave()
        elif active.run is None and shares:
            self._join_batch(active)
        elif active.run is None:
            code = Choice(None, 0, "turns", (("kind", active.apart),)) if active.apart else Choice(None, 0, "batch")
            active.run = SpeculativeDecoder(active.generation, self._models.drafting if guesses else None, code)

    def _step_run(self, active: Active) -> TokensCommitted | None:
        assert active.run is not None
        active.generation.cancelled = active.generation.cancelled or active.stream.cancel_requested.is_set()
        with self._pace.decoding():
            return active.run.step()

    def _join_batch(self, active: Active) -> None:
        if self._batch is None:
            self._batch = BatchDecoder(self._models.main)
        self._batch.join(active.generation)
        active.batched = True

    def _leave_batch(self, active: Active) -> TokensCommitted | None:
        assert self._batch is not None
        active.batched = False
        try:
            return self._batch.leave(active.generation)
        finally:
            if not len(self._batch):
                self._batch.close()
                self._batch = None

    def _step_batch(self) -> Iterator[tuple[Active, Outcome]]:
        assert self._batch is not None
        members = {active.generation: active for active in self._turns if active.batched}
        try:
            with self._pace.decoding():
                outcome = self._batch.step()
        except BatchStepFailed as failure:
            yield from self._disband(list(members.values()), failure.__cause__ or failure)
            return
        for generation, event in outcome:
            yield members[generation], event

    def _disband(self, members: list[Active], failure: BaseException) -> Iterator[tuple[Active, Outcome]]:
        """Nobody knows whose fault it was: each goes on by itself, and who cannot fails by itself."""
        log.warning("a batch of %d answers failed; they go on one by one", len(members), exc_info=failure)
        if self._batch is not None:
            self._batch.close()
            self._batch = None
        release_unused_memory()
        for active in reversed(members):
            active.batched, active.apart = False, "error"
            self._turns.remove(active)
            yield active, CachesLost()
