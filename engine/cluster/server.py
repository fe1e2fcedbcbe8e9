"""Serves an engine to one client over a channel: the calls of `EngineClient`, with the same events and errors."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from engine.client import EngineClient, Loading, RequestStream
from engine.cluster.messages import CALLS, Call, Cancel, EngineReply, Submit, ToEngine, dec_hook, enc_hook
from engine.errors import as_engine_error
from engine.events import Event, Failed, Finished
from engine.status import LoadedPair
from engine.wire.channel import Channel
from engine.wire.messages import BadMessage, ChannelClosed, pack, unpack

log = logging.getLogger(__name__)

# Seconds between two reports of the progress of loading.
PROGRESS_S = 0.1


def serve(engine: EngineClient, channel: Channel[ToEngine], failed: Callable[[Exception], object]) -> None:
    """Serve until the client closes the connection; then close the engine.

    Calls `failed(error)`, on any thread, if a reply cannot be sent.
    """
    _EngineServer(engine, channel, failed).run()


class _EngineServer:
    def __init__(self, engine: EngineClient, channel: Channel[ToEngine], failed: Callable[[Exception], object]) -> None:
        self._engine = engine
        self._channel = channel
        self._failed = failed
        self._streams: dict[int, RequestStream] = {}
        self._closed = threading.Event()

    def run(self) -> None:
        """Handle the client's messages until it closes the channel, then close the engine."""
        self._engine.on_failure(lambda error: self._surely(self._tell, 0, "ended", error))
        threading.Thread(target=self._report_progress, name="cluster-progress", daemon=True).start()
        try:
            while (message := self._channel.receive()) is not None:
                self._handle(message)
        except ChannelClosed as error:
            log.info("the client is gone: %s", error)
        except Exception as error:
            self._failed(error)
        finally:
            self._closed.set()
            self._channel.close()
            self._engine.close()

    def _handle(self, message: ToEngine) -> None:
        """Act on one message; those for requests that have ended are ignored."""
        number = message.number
        if isinstance(message, Submit):
            tell = partial(self._surely, self._deliver, number)
            self._streams[number] = self._engine.submit(message.request, tell)
        elif isinstance(message, Call):
            self._call(message)
        # A request that has ended is no longer listed.
        elif stream := self._streams.get(number):
            if isinstance(message, Cancel):
                stream.cancel()
            else:
                stream.speculate(message.settings)

    def _deliver(self, number: int, event: Event) -> None:
        self._tell(number, type(event).__name__, event)
        if isinstance(event, Finished | Failed):
            self._streams.pop(number, None)

    def _call(self, message: Call) -> None:
        """Call a method of CALLS; its result is sent when it is there. Raises `BadMessage` for another name."""
        if message.name not in CALLS:
            raise BadMessage(f"no call of this protocol: {message.name}")
        call: Callable[..., Future[Any]] = getattr(self._engine, message.name)
        future = call(*unpack(message.arguments, CALLS[message.name][0], dec_hook))
        if isinstance(future, Loading):
            future.main.add_done_callback(lambda main: self._surely(self._tell_of_main, message.number, main))
        future.add_done_callback(lambda done: self._surely(self._answer, message.number, done))

    def _surely(self, tell: Callable[..., None], *what: Any) -> None:
        """Call `tell`, and report its errors: the engine ignores errors of callbacks, and the client would wait."""
        try:
            tell(*what)
        # Without memory everything can fail.
        except Exception as error:
            self._failed(error)

    def _tell_of_main(self, number: int, main: Future[LoadedPair]) -> None:
        if main.exception() is None:
            self._tell(number, "main", main.result())

    def _answer(self, number: int, done: Future[Any]) -> None:
        error = done.exception()
        if error is None:
            self._tell(number, "result", done.result())
        else:
            self._tell(number, "error", as_engine_error(error))

    def _report_progress(self) -> None:
        """Send the progress of loading whenever it has changed, on a thread."""
        before = 0, 0
        while not self._closed.wait(PROGRESS_S):
            now = self._engine.loading_progress
            if now != before:
                before = now
                self._tell(0, "progress", now)

    def _tell(self, number: int, kind: str, value: object) -> None:
        try:
            self._channel.send(EngineReply(number, kind, pack(value, enc_hook)))
        except ChannelClosed:
            # The thread that receives notices it too, and ends.
            log.info("a message finds no client")
