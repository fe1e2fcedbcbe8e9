"""A request that is being served, and the log and report of its end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from engine.client import RequestStream
from engine.decoders.generation import Generation
from engine.decoders.speculative_decoder import SpeculativeDecoder
from engine.errors import EngineError, is_device_failure
from engine.events import Failed, Finished

log = logging.getLogger(__name__)


@dataclass(eq=False)
class ActiveRequest:
    """A request that is prefilled (no decoder, not batched), or decoded alone by `decoder`, or `batched`.

    `batch_obstacle` names the reason that keeps it out of the batch, if any; its caches will take `needed_bytes`.
    """

    stream: RequestStream
    generation: Generation
    decoder: SpeculativeDecoder | None = None
    batched: bool = False
    batch_obstacle: str | None = None
    needed_bytes: int = 0

    def fail(self, error: EngineError) -> None:
        """Report that the request has ended with `error`."""
        self.stream.deliver(Failed(error, self.generation.text, self.generation.stats()))


def log_finished(event: Finished) -> None:
    """Log why a request has ended, and its most important figures."""
    stats = event.stats
    log.info(
        "%s after %d tokens in %d rounds: %.1f tokens/s, %d of %d draft tokens accepted, first token after %.3f s",
        event.reason,
        stats.generated_tokens,
        stats.rounds,
        stats.decode_tps or 0.0,
        stats.accepted,
        stats.drafted,
        stats.ttft_s or 0.0,
    )


def cleaned_up(step: Callable[[], None]) -> bool:
    """Run the last `step` for a request that has ended in any case; return False if its caches are lost.

    Raises a failure of the device.
    """
    try:
        step()
    except Exception as error:
        if is_device_failure(error):
            raise
        log.exception("the caches of a request are lost")
        return False
    return True
