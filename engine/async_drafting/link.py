"""The engine's connection to a drafter in a process, which it starts, restarts once, and then gives up with a reason.

The engine's thread waits no longer than the timeouts that it passes. A separate thread starts the drafter; then one
thread at a time may use the connection.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.async_drafting import messages
from engine.async_drafting.messages import DrafterRefusal, DraftReply
from engine.async_drafting.serving import PROCESS_OPTION, own_cores
from engine.wire.channel import Channel
from engine.wire.child import Child
from engine.wire.messages import ChannelClosed

log = logging.getLogger(__name__)

START_S = 300.0
# How often a drafter is started.
ATTEMPTS = 2


@dataclass(slots=True)
class DrafterConnection:
    """A channel to a drafter, and a function that ends its process."""

    channel: Channel[messages.FromDrafter]
    end: Callable[[], None]
    pid: int | None = None


def in_a_process(folder: Path) -> DrafterConnection:
    """Start a drafter with the draft model in `folder`, in a process of its own. Raises `OSError`."""
    # One thread of the BLAS for each core of the drafter.
    environment = {"HF_HUB_OFFLINE": "1", "OPENBLAS_NUM_THREADS": str(max(1, len(own_cores())))}
    module, most, codec = "engine.async_drafting.serving", messages.MOST_UNSENT, messages.FROM_DRAFTER
    child = Child(module, PROCESS_OPTION, [str(folder)], codec, environment=environment, most_unsent=most)
    return DrafterConnection(child.channel, child.end, child.process.pid)


class DrafterLink:
    """A drafter for one draft model, which `connect` starts.

    `state` is "starting", "ready" or "gone". `reason` says why it is gone: "not-usable", "no-branches", "unreachable",
    "ended" or "closed".
    """

    def __init__(self, connect: Callable[[], DrafterConnection]) -> None:
        self._connect = connect
        self._connection: DrafterConnection | None = None
        self._attempts = 0
        self._closed = threading.Event()
        self.state, self.reason = "", ""
        # Incremented for each drafter that was reached, as a new one knows no text.
        self.generation = 0
        self._start()

    def send(self, message: messages.ToDrafter) -> bool:
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
            log.info("the drafter cannot be started: %s", error)
            self._give_up("unreachable")
            return
        if self._closed.is_set():
            self._drop()
        try:
            said = connection.channel.receive(START_S)
        except ChannelClosed as error:
            log.info("the drafter ended while it started: %s", error)
            said = DrafterRefusal("ended")
        if isinstance(said, messages.Ready):
            self.generation += 1
            self.state = "ready"
            if self._closed.is_set():
                self.close()
            return
        self._drop()
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
