"""Serves an engine to one client over a connection: the calls of `EngineClient`, with the same events and errors."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from engine.client import EngineClient
from engine.cluster.codec import decode, encode
from engine.cluster.wire import Connection
from engine.errors import EngineError, InternalFailure
from engine.events import Event
from engine.stream import Loading, RequestStream

log = logging.getLogger(__name__)

# The methods that a client may call, all of which return futures.
CALLS = (
    "load", "set_draft", "unload", "configure", "status", "clear_prefix_cache", "forget_conversations", "keep_stored",
    "learned", "forget_learned", "calibrate",
)  # fmt: skip
# Seconds between two looks at how far loading is.
PROGRESS_S = 0.1


def serve(engine: EngineClient, connection: Connection, failed: Callable[[Exception], object]) -> None:
    """Serve until the client closes the connection; then close the engine.

    `failed(error)` is called, on any thread, where the client cannot be told what it waits for.
    """
    _Server(engine, connection, failed).run()


class _Server:
    def __init__(self, engine: EngineClient, connection: Connection, failed: Callable[[Exception], object]) -> None:
        self._engine, self._connection, self._failed = engine, connection, failed
        self._streams: dict[int, RequestStream] = {}
        self._closed = threading.Event()

    def run(self) -> None:
        self._engine.on_failure(lambda error: self._surely(self._send, {"failure": encode(error)}))
        threading.Thread(target=self._report_progress, name="cluster-progress", daemon=True).start()
        try:
            while True:
                self._handle(self._connection.receive())
        except (OSError, ValueError) as error:
            log.info("the client is gone: %s", error)
        except Exception as error:
            self._failed(error)
        finally:
            self._closed.set()
            self._connection.close()
            self._engine.close()

    def _handle(self, message: Mapping[str, Any]) -> None:
        if "submit" in message:
            self._submit(int(message["submit"]), message["request"])
        elif "cancel" in message:
            stream = self._streams.get(int(message["cancel"]))
            if stream is not None:
                stream.cancel()
        elif "speculate" in message:
            stream = self._streams.get(int(message["speculate"]))
            if stream is not None:
                stream.speculate(decode(message["value"]))
        elif message.get("call") in CALLS:
            self._call(int(message["number"]), message)
        else:
            raise ValueError(f"no call of this protocol: {message.get('call')}")

    def _submit(self, number: int, request: Any) -> None:
        self._streams[number] = self._engine.submit(
            decode(request), lambda event: self._surely(self._deliver, number, event)
        )

    def _deliver(self, number: int, event: Event) -> None:
        self._send({"event": number, "value": encode(event)})
        if type(event).__name__ in ("Finished", "Failed"):
            self._streams.pop(number, None)

    def _call(self, number: int, message: Mapping[str, Any]) -> None:
        call: Callable[..., Future[Any]] = getattr(self._engine, message["call"])
        keywords = {str(name): value for name, value in decode(message["keywords"]).items()}
        future = call(*decode(message["arguments"]), **keywords)
        if isinstance(future, Loading):
            future.main.add_done_callback(lambda main: self._surely(self._answer, "main", number, main))
        future.add_done_callback(lambda done: self._surely(self._answer, "result", number, done))

    def _surely(self, tell: Callable[..., None], *what: Any) -> None:
        """Tell the client; whoever calls back from the engine keeps errors to itself, and the client would wait."""
        try:
            tell(*what)
        # Without memory everything can fail.
        except Exception as error:
            self._failed(error)

    def _answer(self, kind: str, number: int, done: Future[Any]) -> None:
        error = done.exception()
        if error is None:
            self._send({kind: number, "value": encode(done.result())})
        else:
            known = error if isinstance(error, EngineError) else InternalFailure(str(error))
            self._send({kind: number, "error": encode(known)})

    def _report_progress(self) -> None:
        before = 0, 0
        while not self._closed.wait(PROGRESS_S):
            now = self._engine.loading_progress
            if now != before:
                before = now
                self._send({"progress": list(now)})

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._connection.send(message)
        except OSError:
            # The thread that receives finds out too, and ends.
            log.info("a message finds no client")
