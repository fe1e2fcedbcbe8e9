"""What a caller holds while the engine works: the events of a request, and the futures of a pair being loaded."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future

from engine.errors import EngineClosed
from engine.events import Event, Failed, Finished
from engine.requests import ChatRequest, SpeculationSettings
from engine.status import LoadedPair

log = logging.getLogger(__name__)


class RequestStream:
    """The events of one request. Iterate it from one thread, or pass `on_event` to `EngineClient.submit` instead.

    `submitted` is the `time.perf_counter()` of its creation. `cancel` sets `cancelled`, which is cheap to look at, and
    `cancel_requested`, which can be waited for; `speculate` sets `speculation`, which is first that of the request.
    """

    def __init__(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> None:
        self.request = request
        self.speculation: SpeculationSettings = request.speculation
        self.submitted = time.perf_counter()
        self.cancelled = False
        self.cancel_requested = threading.Event()
        self._on_event = on_event
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def cancel(self) -> None:
        """End the request within one round; what was committed stays cached. May be called from any thread."""
        self.cancelled = True
        self.cancel_requested.set()

    def speculate(self, settings: SpeculationSettings) -> None:
        """Speculate with other settings from the next round on. May be called from any thread."""
        self.speculation = settings

    def __iter__(self) -> Iterator[Event]:
        while True:
            event = self._events.get()
            yield event
            if isinstance(event, Finished | Failed):
                return

    def deliver(self, event: Event) -> None:
        """Called on the engine's thread. A listener that raises loses the event, not the request."""
        if self._on_event is None:
            self._events.put(event)
            return
        try:
            self._on_event(event)
        except Exception:
            log.exception("a listener failed on %s", type(event).__name__)


class Loading(Future[LoadedPair]):
    """A pair that is being loaded. `main` is done when requests can begin, perhaps before the draft model is loaded;
    it fails whenever the whole fails.
    """

    def __init__(self) -> None:
        super().__init__()
        self.main: Future[LoadedPair] = Future()
        # `main` cannot be cancelled separately.
        self.main.set_running_or_notify_cancel()
        self.add_done_callback(self._settle_main)

    def _settle_main(self, _: object) -> None:
        if self.main.done():
            return
        error = EngineClosed() if self.cancelled() else self.exception()
        if error is not None:
            self.main.set_exception(error)
        else:
            self.main.set_result(self.result())
