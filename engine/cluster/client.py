"""`RemoteEngine`: an engine in another process, as `engine.client.EngineClient`. Imports no MLX."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from engine import errors
from engine.client import EngineBase, Loading, RequestStream
from engine.cluster import messages
from engine.cluster.messages import CALLS, REPLIES, EngineReply, ToEngine, dec_hook, enc_hook
from engine.computers.errors import ClusterError
from engine.errors import EngineError
from engine.events import Event, Failed, Finished, TokensCommitted
from engine.requests import ChatRequest, SpeculationSettings
from engine.settings import EngineSettings
from engine.stats import RequestStats
from engine.status import EngineStatus, LoadedPair
from engine.tuning import LearnedPair
from engine.wire.channel import Channel
from engine.wire.messages import BadMessage, ChannelClosed, pack, unpack

log = logging.getLogger(__name__)

# Seconds after a lost connection, or a failure inside rank 0, in which the watch over the ranks may report the cause.
ROOT_CAUSE_WAIT_S = 2.0
# Seconds of silence during requests after which the engine is asked for its status, and which that may take: all ranks
# wait for each other without an end when a link stalls that nothing has closed.
QUIET_S = 30.0


class _RemoteStream(RequestStream):
    """A request that another process serves, with what it has committed so far."""

    def __init__(
        self,
        number: int,
        request: ChatRequest,
        on_event: Callable[[Event], None] | None,
        send: Callable[[ToEngine], None],
    ) -> None:
        super().__init__(request, on_event)
        self._number = number
        self._send = send
        self._text: list[str] = []
        self._stats: RequestStats | None = None

    def cancel(self) -> None:
        super().cancel()
        self._send(messages.Cancel(self._number))

    def speculate(self, settings: SpeculationSettings) -> None:
        super().speculate(settings)
        self._send(messages.Speculate(self._number, settings))

    def deliver(self, event: Event) -> None:
        if isinstance(event, TokensCommitted):
            self._text.append(event.text)
            self._stats = event.stats
        super().deliver(event)

    def fail(self, error: EngineError) -> None:
        """End the request with what was committed."""
        super().deliver(Failed(error, "".join(self._text), self._stats))


class RemoteEngine(EngineBase):
    """The engine at the other end of `channel`. `engine.client.EngineClient` describes its methods.

    `fail` ends it with an error when its process is known to be lost; every request then ends with what it has
    committed. Otherwise a lost connection ends it, with `ClusterError` ("ended") of `host`. `applied` maps settings to
    those that the other process uses. `silent` is called when the engine's thread does not answer.
    """

    def __init__(
        self,
        channel: Channel[EngineReply],
        settings: EngineSettings,
        host: str,
        applied: Callable[[EngineSettings], EngineSettings] = lambda settings: settings,
        silent: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(settings)
        self._channel = channel
        self._host = host
        self._applied = applied
        self._silent = silent
        self._numbers = itertools.count(1)
        # Open calls and requests by number; a call has its name and its future.
        self._futures: dict[int, tuple[str, Future[Any]]] = {}
        self._streams: dict[int, _RemoteStream] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="remote-engine", daemon=True)
        self._thread.start()

    def load(self, main: str | Path, draft: str | Path | None = None) -> Loading:
        loading = Loading()
        self._call("load", str(main), _named(draft), future=loading)
        return loading

    def set_draft(self, draft: str | Path | None) -> Future[LoadedPair]:
        return self._call("set_draft", _named(draft))

    def cancel_load(self) -> Future[bool]:
        future: Future[bool] = Future()
        future.set_result(False)
        return future

    def load_additional(self, main: str | Path, draft: str | Path | None = None) -> Future[LoadedPair]:
        return self._call("load_additional", str(main), _named(draft))

    def unload(self, main: Path | None = None) -> Future[LoadedPair]:
        return self._call("unload", main)

    def configure(self, settings: EngineSettings) -> Future[None]:
        self._settings = settings
        return self._call("configure", self._applied(settings))

    def status(self) -> Future[EngineStatus]:
        return self._call("status")

    def clear_prefix_cache(self) -> Future[None]:
        return self._call("clear_prefix_cache")

    def forget_conversations(self, names: Collection[str]) -> Future[None]:
        return self._call("forget_conversations", list(names))

    def keep_stored(self, names: Collection[str]) -> Future[None]:
        return self._call("keep_stored", list(names))

    def learned(self) -> Future[tuple[LearnedPair, ...]]:
        return self._call("learned")

    def forget_learned(self) -> Future[None]:
        return self._call("forget_learned")

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        number = next(self._numbers)
        stream = _RemoteStream(number, request, on_event, self._send)
        with self._lock:
            refusal = self._refusal
            if refusal is None and request.pictures:
                refusal = errors.ModelCannotSee("", "cluster")
            if refusal is None and request.embedding:
                refusal = errors.BadRequest("model", "on one machine", "cluster")
            if refusal is None:
                self._streams[number] = stream
        if refusal is not None:
            stream.fail(refusal)
        else:
            try:
                self._send(messages.Submit(number, request))
            # The request has half of a surrogate pair.
            except UnicodeEncodeError as error:
                self._deliver(number, Failed(errors.TemplateFailed(str(error)), "", None))
        return stream

    def close(self) -> None:
        self._end(errors.EngineClosed(), failed=False)
        self._join()

    def fail(self, error: EngineError) -> None:
        """End the engine as lost. May be called from any thread; only the first call counts."""
        self._end(error, failed=True)

    def _call(self, name: str, *arguments: Any, future: Future[Any] | None = None) -> Future[Any]:
        """Call a method of the engine; the future gets its result, or the reason why nothing is accepted any more."""
        future = future or Future()
        future.set_running_or_notify_cancel()
        number = next(self._numbers)
        with self._lock:
            refusal = self._refusal
            if refusal is None:
                self._futures[number] = name, future
        if refusal is not None:
            future.set_exception(refusal)
        else:
            self._send(messages.Call(number, name, pack(arguments, enc_hook)))
        return future

    def _send(self, message: ToEngine) -> None:
        try:
            self._channel.send(message)
        except ChannelClosed:
            # This wakes the thread that listens, which ends the engine.
            self._channel.close()

    def _listen(self) -> None:
        """Handle replies on a thread until the channel closes.

        If nothing comes during an answer, it asks for the status once, and calls `silent` if that is not answered
        either.
        """
        asked = False
        try:
            while True:
                if (reply := self._channel.receive(QUIET_S)) is not None:
                    asked = False
                    self._handle(reply)
                elif asked:
                    self._silent()
                elif self._streams:
                    asked = True
                    self.status()
        except ChannelClosed as error:
            # The watch over the ranks may call `fail` with the rank that caused it.
            self._over.wait(ROOT_CAUSE_WAIT_S)
            self._end(ClusterError("ended", self._host, str(error)), failed=True)

    def _handle(self, reply: EngineReply) -> None:
        """Act on a reply. Raises `BadMessage` for one that the protocol does not have."""
        number = reply.number
        kind = reply.kind
        name, future = self._futures.get(number, ("", None))
        if kind == "result" and future is not None:
            value = unpack(reply.value, CALLS[name][1], dec_hook)
        elif kind in REPLIES:
            value = unpack(reply.value, REPLIES[kind], dec_hook)
        else:
            raise BadMessage(f"no reply of this protocol: {kind}")
        if kind == "progress":
            self._progress = value
        elif kind == "ended":
            self._end(value, failed=True)
        elif kind == "main":
            if isinstance(future, Loading) and not future.main.done():
                future.main.set_result(value)
        elif kind in ("result", "error"):
            self._resolve_call(number, value)
        else:
            self._deliver(number, value)

    def _deliver(self, number: int, event: Event) -> None:
        """Pass an event on to its stream, which is forgotten with its last event.

        A loss of the cluster is told elsewhere.
        """
        if isinstance(event, Failed) and self._is_a_loss(event.error):
            return
        ends = isinstance(event, Finished | Failed)
        with self._lock:
            stream = self._streams.pop(number, None) if ends else self._streams.get(number)
        if stream is not None:
            stream.deliver(event)

    def _resolve_call(self, number: int, outcome: Any) -> None:
        """Set the result or the error of the call with this number, unless it is the loss of the cluster."""
        if isinstance(outcome, EngineError) and self._is_a_loss(outcome):
            return
        with self._lock:
            _, future = self._futures.pop(number, ("", None))
        if future is None:
            return
        if isinstance(outcome, EngineError):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    def _is_a_loss(self, error: EngineError) -> bool:
        """Whether rank 0 failed because another rank is lost; the watch over the ranks then calls `fail`."""
        # While a model warms up, a failed pass is reported as weights that do not fit.
        misfit = isinstance(error, errors.ModelNotUsable) and error.reason == "wrong-tensors"
        return (misfit or isinstance(error, errors.InternalFailure)) and self._over.wait(ROOT_CAUSE_WAIT_S)

    def _end(self, error: EngineError, *, failed: bool) -> None:
        """Refuse all further calls, and end those that are open."""
        with self._lock:
            if self._refusal is not None:
                return
            self._refusal = error
            self._over.set()
            futures = self._futures
            self._futures = {}
            streams = self._streams
            self._streams = {}
        self._channel.close()
        for stream in streams.values():
            stream.fail(error)
        for _, future in futures.values():
            future.set_exception(error)
        if failed:
            self._report_failure(error)


def _named(draft: str | Path | None) -> str | None:
    return None if draft is None else str(draft)
