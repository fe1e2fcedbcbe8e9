"""The engine's connection to a drafter, which it starts or connects to, restarts once, and then gives up with a reason.

The engine's thread waits no longer than the timeouts that it passes. A separate thread starts the drafter; then one
thread at a time may use the connection.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.async_drafting.messages import (
    MOST_UNSENT,
    TO_ENGINE,
    DrafterRefusal,
    DraftReply,
    Ready,
    ToDrafter,
    ToEngine,
)
from engine.async_drafting.serving import PROCESS_OPTION, own_cores, vocabulary_digest
from engine.machine.local_network import is_denied
from engine.main_model.loading import LoadedModel
from engine.settings import EngineSettings
from engine.wire.channel import Channel
from engine.wire.child import Child
from engine.wire.handshake import connect
from engine.wire.messages import ChannelClosed

log = logging.getLogger(__name__)

START_S = 300.0
# How often a drafter is started or connected to.
ATTEMPTS = 2
# The port of `tandem drafter serve`.
DEFAULT_PORT = 8799


@dataclass(slots=True)
class DrafterConnection:
    """A channel to a drafter, and a function that ends its process."""

    channel: Channel[ToEngine]
    end: Callable[[], None]
    pid: int | None = None


Connect = Callable[[], DrafterConnection]


def in_a_process(folder: Path) -> DrafterConnection:
    """Start a drafter with the draft model in `folder`, in a process of its own. Raises `OSError`."""
    # One thread of the BLAS for each core of the drafter.
    environment = {"HF_HUB_OFFLINE": "1", "OPENBLAS_NUM_THREADS": str(max(1, len(own_cores())))}
    child = Child(
        "engine.async_drafting.serving",
        PROCESS_OPTION,
        [str(folder)],
        TO_ENGINE,
        environment=environment,
        most_unsent=MOST_UNSENT,
    )
    return DrafterConnection(child.channel, child.end, child.process.pid)


def on_another_computer(host: str, port: int, secret: bytes) -> DrafterConnection:
    """Connect to a drafter that a person runs on another computer. Raises `OSError`."""
    return DrafterConnection(connect((host, port), secret, TO_ENGINE, most_unsent=MOST_UNSENT), lambda: None)


class DrafterLink:
    """A drafter for one draft model; `connect` reaches it, and `vocabulary` returns the digest of the model's ids.

    `state` is "starting", "ready" or "gone". `reason` says why it is gone: "not-usable", "no-branches",
    "other-tokenizer", "unreachable", "network-denied", "ended" or "closed".
    """

    def __init__(self, connect: Connect, vocabulary: Callable[[], bytes]) -> None:
        self._connect, self._vocabulary = connect, vocabulary
        self._connection: DrafterConnection | None = None
        self._attempts = 0
        self._closed = threading.Event()
        self.state, self.reason = "", ""
        # Incremented for each drafter that was reached, as a new one knows no text.
        self.generation = 0
        self._start()

    def send(self, message: ToDrafter) -> bool:
        """Send a message without waiting; return False if there is no drafter."""
        if self.state != "ready" or self._connection is None:
            return False
        try:
            self._connection.channel.send(message)
        except ChannelClosed as error:
            self._lost(error)
            return False
        return True

    def receive(self, timeout_s: float) -> DraftReply | None:
        """Return the next answer, or None if there is none within `timeout_s`, or no drafter."""
        if self.state != "ready" or self._connection is None:
            return None
        try:
            message = self._connection.channel.receive(timeout_s)
        except ChannelClosed as error:
            self._lost(error)
            return None
        if message is not None and not isinstance(message, DraftReply):
            self._lost(ChannelClosed(f"{type(message).__name__} from a drafter"))
            return None
        return message

    def close(self) -> None:
        """End the drafter; one that is starting ends as soon as it can."""
        self._closed.set()
        self.state, self.reason = "gone", "closed"
        self._drop()

    def _start(self) -> None:
        self.state, self._attempts = "starting", self._attempts + 1
        threading.Thread(target=self._reach, name="drafter-start", daemon=True).start()

    def _reach(self) -> None:
        try:
            connection = self._connection = self._connect()
        except OSError as error:
            log.info("the drafter cannot be reached: %s", error)
            self._give_up("network-denied" if is_denied(error) else "unreachable")
            return
        if self._closed.is_set():
            self._drop()
        try:
            said = connection.channel.receive(START_S)
        except ChannelClosed as error:
            log.info("the drafter ended while it started: %s", error)
            said = DrafterRefusal("ended")
        if isinstance(said, Ready) and said.vocabulary == self._vocabulary():
            self.generation += 1
            self.state = "ready"
            if self._closed.is_set():
                self.close()
            return
        self._drop()
        if isinstance(said, Ready):
            self._give_up("other-tokenizer")
        else:
            self._give_up(said.reason if isinstance(said, DrafterRefusal) else "unreachable")

    def _lost(self, error: ChannelClosed) -> None:
        log.info("the drafter is gone: %s", error)
        self._drop()
        if self._attempts < ATTEMPTS:
            self._start()
        else:
            self._give_up("ended")

    def _give_up(self, reason: str) -> None:
        if not self._closed.is_set():
            self.state, self.reason = "gone", reason

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.channel.close()
            connection.end()


class AsyncDrafters:
    """Owns the one link of an engine. Belongs to the engine's thread."""

    def __init__(self) -> None:
        self._link: DrafterLink | None = None
        self._key: tuple[object, ...] = ()

    def link(self, draft: LoadedModel, settings: EngineSettings) -> DrafterLink | None:
        """Return the link for a draft model and the settings, and end one for others. None for a bad address."""
        connect = _connect(draft, settings)
        key = (draft.info.path, settings.async_drafter == "remote", settings.drafter_address, settings.drafter_secret)
        if connect is None or key != self._key:
            self.close()
        if connect is not None and self._link is None:
            self._link, self._key = DrafterLink(connect, partial(vocabulary_digest, draft)), key
        return self._link

    @property
    def running(self) -> bool:
        """Whether a drafter runs or starts."""
        return self._link is not None and self._link.state != "gone"

    def close(self) -> None:
        """End the drafter, if there is one."""
        link, self._link = self._link, None
        if link is not None:
            link.close()


def address_of(text: str) -> tuple[str, int] | None:
    """Return host and port of "host:port", "[host]:port" or "host"; None for anything else."""
    host, colon, port = text.strip().rpartition(":")
    if not colon or (host.count(":") and not host.endswith("]")):
        host, port = text.strip(), str(DEFAULT_PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        return None
    return host, int(port)


def _connect(draft: LoadedModel, settings: EngineSettings) -> Connect | None:
    if settings.async_drafter != "remote":
        return partial(in_a_process, draft.info.path)
    address = address_of(settings.drafter_address)
    if address is None or not settings.drafter_secret:
        return None
    return partial(on_another_computer, *address, settings.drafter_secret.encode())
