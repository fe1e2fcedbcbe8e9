"""A request under way, and how its end is told."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from engine.errors import EngineError, InternalFailure, without_frames
from engine.events import Finished
from engine.generation import Generation
from engine.lanes.speculative_decoder import SpeculativeDecoder
from engine.stream import RequestStream

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Active:
    """A request under way: it reads its prompt (no run, not batched), or is decoded by itself or in the batch.

    `apart` says why it has to stay out of the batch, `needs` how many bytes its caches will take.
    """

    stream: RequestStream
    generation: Generation
    run: SpeculativeDecoder | None = None
    batched: bool = False
    apart: str | None = None
    needs: int = 0


def log_finished(event: Finished) -> None:
    stats = event.stats
    log.info(
        "%s after %d tokens in %d rounds: %.1f tokens/s, %d of %d guesses accepted, first token after %.3f s",
        event.reason,
        stats.generated_tokens,
        stats.rounds,
        stats.decode_tps or 0.0,
        stats.accepted,
        stats.drafted,
        stats.ttft_s or 0.0,
    )


def log_lost() -> None:
    """Called where the caches of a request that failed cannot even be put away."""
    log.exception("the caches of a failed request are lost")


def as_engine_error(error: Exception) -> EngineError:
    """What a front end is told of `error`, which loses its frames: they know the caches of the request."""
    if not isinstance(error, EngineError):
        log.error("a request failed", exc_info=error)
    without_frames(error)
    return error if isinstance(error, EngineError) else InternalFailure(f"{type(error).__name__}: {error}")
