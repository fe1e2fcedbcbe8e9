"""The requests whose prompts are being prefilled, one chunk a turn: a part of a long prompt, or several short ones."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from engine.decoders.generation import release_unused_memory
from engine.errors import is_device_failure
from engine.events import PrefillProgress
from engine.serving.active_request import ActiveRequest
from engine.serving.pacing import PassParts, PrefillPacer
from engine.speculation.rounds.interruptible import PrefillPass, in_parts
from engine.speculation.rounds.joint_prefill import choose_together, prefill_together
from engine.speculation.rounds.sequence import PREFILL_CHUNK
from engine.upkeep.models import Models

log = logging.getLogger(__name__)


PrefillOutcome = PrefillProgress | Exception | None


@dataclass(frozen=True)
class _Begun:
    """A pass over one prompt, some parts of which may be evaluated already."""

    active: ActiveRequest
    under_way: PrefillPass
    parts: PassParts


class Prefilling(deque[ActiveRequest]):
    """The requests in the order of their turns. Belongs to the engine's thread."""

    def __init__(self, models: Models, pacer: PrefillPacer) -> None:
        super().__init__()
        self._models = models
        self._pacer = pacer
        # Requests of a joint pass that failed, perhaps because of any of them.
        self._alone: set[ActiveRequest] = set()
        self._begun: _Begun | None = None

    @property
    def ready(self) -> list[ActiveRequest]:
        """The requests that do not wait for a picture to be decoded."""
        return [active for active in self if not active.generation.decoding]

    @property
    def pictures_in_work(self) -> list[Future[Any]]:
        """The pictures being decoded, for which the other requests wait."""
        return [picture for active in self for picture in active.generation.decoding]

    @property
    def starts_together(self) -> bool:
        """Whether answers that could begin wait for these short prompts, so that all share passes."""
        backlog = sum(active.generation.backlog for active in self.ready)
        return backlog > 0 and self._pacer.starts_together(backlog)

    def give_up_pass(self) -> None:
        """Undo the pass over one prompt that has begun, if there is one."""
        if self._begun is not None:
            begun, self._begun = self._begun, None
            begun.under_way.undo()

    def discard(self, active: ActiveRequest) -> None:
        """Remove a request, if it is here, that has ended or is prefilled."""
        if self._begun is not None and self._begun.active is active:
            self.give_up_pass()
        if active in self:
            self.remove(active)
        self._alone.discard(active)

    def step(self, *, streaming: bool) -> Iterator[tuple[ActiveRequest, PrefillOutcome]]:
        """Prefill a chunk, or a part of one, of the oldest prompt and of later ones as far as they fit.

        Yields (request, outcome): its progress, None if tokens of its answer are prefilled again or nothing is left
        to prefill, or the exception that ends it. The caller removes requests that have ended or are prefilled.
        `streaming` is true if running answers wait for this.
        """
        if self._begun is not None:
            yield from self._continue(self._begun, time.perf_counter(), streaming=streaming)
            return
        left = most = self._pacer.chunk_size(streaming=streaming)
        while left > 0 and (ready := self.ready):
            first = ready[0]
            if left < most and first.generation.backlog > left:
                # A pass over few tokens costs hardly less than one over many.
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
                fed = yield from self._prefill(first, left, alone=left == most, streaming=streaming)
                if not fed:
                    return
                left -= fed

    def _together(self, first: ActiveRequest, most: int) -> list[ActiveRequest]:
        """Return the requests of the next pass, `first` among them."""
        if not self._may_share(first):
            return [first]
        by_sequence = {active.generation.conversation.main: active for active in self.ready if self._may_share(active)}
        chosen = choose_together(list(by_sequence), most)
        if len(chosen) > 1 and not self._fit(max(len(sequence.tokens) for sequence in chosen) * len(chosen)):
            return [first]
        return [by_sequence[sequence] for sequence in chosen]

    def _may_share(self, active: ActiveRequest) -> bool:
        """Whether the prompt may be read in a pass with others."""
        generation = active.generation
        alone = active in self._alone or generation.reading is not None or _is_strict(active)
        return not (alone or generation.prefilled)

    def _fit(self, tokens: int) -> bool:
        """Whether there is memory for the rows of a joint pass, which are copied from the caches and back."""
        return 2 * self._models.memory.cache_bytes(tokens) <= self._models.memory.use().free

    def _prefill_together(self, together: list[ActiveRequest], most: int) -> int:
        """Run one joint pass and return its tokens with padding; 0 if it failed, then each is prefilled alone."""
        sequences = [active.generation.conversation.main for active in together]
        area = len(sequences) * max(sequence.rows_to_prefill(most) for sequence in sequences)
        started = time.perf_counter()
        try:
            prefill_together(sequences, most)
        except Exception as error:
            log.warning("%d prompts could not be read together", len(together), exc_info=error)
            self._alone.update(together)
            release_unused_memory()
            if is_device_failure(error):
                raise
            return 0
        self._pacer.took(area, time.perf_counter() - started)
        return area

    def _prefill(
        self, active: ActiveRequest, most: int, *, alone: bool, streaming: bool
    ) -> Generator[tuple[ActiveRequest, PrefillOutcome], None, int]:
        """Begin a pass over one prompt, longer than `most` if it is `alone` and can be read in parts.

        Yields its outcome if it is over; returns the number of tokens read, 0 if the pass is not over.
        """
        sequence = active.generation.conversation.main
        started = time.perf_counter()
        if _is_strict(active):
            most = PREFILL_CHUNK
        elif alone and in_parts(sequence):
            most = self._pacer.chunk_size(streaming=streaming, in_parts=True)
        reading = active.generation.reading
        if reading is not None and reading.most_rows is not None:
            most = min(most, reading.most_rows)
        tokens = sequence.rows_to_prefill(most)
        if not tokens:
            yield active, None
            return 1
        try:
            if active.generation.read_picture(most):
                # Other work gets its turn after each picture, and while it is decoded.
                yield active, active.generation.prefill_event()
                return 0
            under_way = active.generation.begin_prefill(most)
        except Exception as error:
            yield active, error
            return tokens
        self._begun = _Begun(active, under_way, PassParts(self._pacer, tokens))
        yield from self._continue(self._begun, started, streaming=streaming)
        return 0 if self._begun else tokens

    def _continue(
        self, begun: _Begun, started: float, *, streaming: bool
    ) -> Iterator[tuple[ActiveRequest, PrefillOutcome]]:
        """Evaluate the next part of a pass; yield the outcome if it was the last."""
        under_way = begun.under_way
        layers = under_way.layers
        until = begun.parts.until(layers, self._pacer.part_s(streaming=streaming))
        try:
            over = under_way.evaluate(until)
        except Exception as error:
            self._begun = None
            yield begun.active, error
            return
        begun.parts.took(until, layers, time.perf_counter() - started)
        if over:
            self._begun = None
            yield begun.active, begun.active.generation.prefill_event()


def _is_strict(active: ActiveRequest) -> bool:
    """Whether passes over a prompt must not depend on measured times or on other prompts, because rounding does."""
    return active.generation.conversation.main.row_rules.strict
