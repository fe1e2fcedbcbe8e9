"""The requests whose prompts are being prefilled, one chunk a turn: a part of a long prompt, or several short ones."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator

from engine.active_request import ActiveRequest
from engine.events import PrefillProgress
from engine.generation import release_unused_memory
from engine.models import Models
from engine.pacing import PrefillPacer
from engine.speculation.interruptible import Interrupted
from engine.speculation.joint_prefill import choose_together, prefill_together

log = logging.getLogger(__name__)


class Prefilling(deque[ActiveRequest]):
    """In the order of their turns. Belongs to the engine's thread."""

    def __init__(self, models: Models, pacer: PrefillPacer) -> None:
        super().__init__()
        self._models = models
        self._pacer = pacer
        # Requests that took part in a pass that failed: it may be due to any of them.
        self._alone: set[ActiveRequest] = set()

    @property
    def backlog(self) -> int:
        """Tokens to prefill, of all."""
        return sum(active.generation.backlog for active in self)

    def discard(self, active: ActiveRequest) -> None:
        """The request, if it is here, has ended or is prefilled."""
        if active in self:
            self.remove(active)
        self._alone.discard(active)

    def step(self, most: int) -> Iterator[tuple[ActiveRequest, PrefillProgress | Exception | None]]:
        """Prefill about `most` tokens: of the oldest prompt, and of those behind it as far as they fit.

        Yields (request, outcome): its progress, None where tokens of its answer are prefilled again or nothing is left
        to prefill, or the exception that ends it. The caller removes requests that have ended or are prefilled.
        """
        left = most
        while self and left > 0:
            first = self[0]
            if left < most and first.generation.backlog > left:
                # A pass over a few of its tokens costs hardly less than one over many.
                break
            together = self._together(first, left)
            if len(together) > 1:
                fed = self._prefill_together(together, left)
                if not fed:
                    continue
                left -= fed
                for active in together:
                    yield active, active.generation.prefill_event()
            else:
                fed, outcome = self._prefill(first, left)
                left -= max(1, fed)
                yield first, outcome

    def _together(self, first: ActiveRequest, most: int) -> list[ActiveRequest]:
        """Who is in the next pass, `first` always."""
        if first in self._alone or first.generation.prefilled:
            return [first]
        by_sequence = {
            active.generation.conversation.main: active
            for active in self
            if active not in self._alone and not active.generation.prefilled
        }
        chosen = choose_together(list(by_sequence), most)
        if len(chosen) > 1 and not self._fit(max(len(sequence.tokens) for sequence in chosen) * len(chosen)):
            return [first]
        return [by_sequence[sequence] for sequence in chosen]

    def _fit(self, tokens: int) -> bool:
        """Whether there is memory for the rows of a pass beside the caches that they are copied from and to."""
        return 2 * self._models.cache_bytes(tokens) <= self._models.memory_use().free

    def _prefill_together(self, together: list[ActiveRequest], most: int) -> int:
        """One pass; returns its tokens with padding, 0 if it failed, after which each is prefilled alone."""
        sequences = [active.generation.conversation.main for active in together]
        area = len(sequences) * max(sequence.rows_to_prefill(most) for sequence in sequences)
        try:
            with self._pacer.time_prefill(area):
                prefill_together(sequences, most)
        except Exception as error:
            log.warning("%d prompts could not be read together", len(together), exc_info=error)
            self._alone.update(together)
            release_unused_memory()
            return 0
        return area

    def _prefill(self, active: ActiveRequest, most: int) -> tuple[int, PrefillProgress | Exception | None]:
        """Prefill one prompt; returns how many tokens of it, and the outcome. A long pass ends when it is cancelled."""
        tokens = active.generation.conversation.main.rows_to_prefill(most)
        if not tokens:
            return 0, None
        try:
            with self._pacer.time_prefill(tokens):
                parts = self._pacer.parts(tokens)
                return tokens, active.generation.prefill(most, parts, lambda: active.stream.cancelled)
        except Interrupted:
            # The scheduler ends what was cancelled.
            return tokens, None
        except Exception as error:
            return tokens, error
