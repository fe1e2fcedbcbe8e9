"""The engine's end: a drafter that is started or connected to, asked, restarted once, and given up with a reason.

The engine's thread never waits here for longer than it says. Starting runs on a thread of its own; the connection then
belongs to whoever calls, one thread at a time.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.async_drafting.channel import GREETING_S, Channel, ChannelClosed, greet_as_engine
from engine.async_drafting.messages import Answer, Message, Ready, Refused
from engine.async_drafting.worker import PROCESS_OPTION, own_cores

log = logging.getLogger(__name__)

START_S = 300.0
_POLL_S = 0.05
# A drafter that ends again within this time is not started a third time.
ATTEMPTS = 2
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from engine.async_drafting.worker import main; "
    "main(sys.argv[2:])"
)
_SECRETS = ("TOKEN", "SECRET", "PASSWORD", "KEY")


@dataclass(slots=True)
class Connection:
    """A channel to a drafter, and how to end what is behind it."""

    channel: Channel
    end: Callable[[], None]
    pid: int | None = None


Connect = Callable[[], Connection]


def in_a_process(folder: Path) -> Connection:
    """Start a drafter with the draft model in `folder`, in a process of its own. Raises `OSError`."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [*_command(), str(theirs.fileno()), str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            pass_fds=(theirs.fileno(),),
        )

    def end() -> None:
        process.kill()
        process.wait()

    return Connection(Channel(ours), end, process.pid)


def on_another_computer(host: str, port: int, secret: bytes) -> Connection:
    """Connect to a drafter that a person runs there. Raises `OSError` and `ChannelClosed`."""
    channel = Channel(socket.create_connection((host, port), timeout=GREETING_S))
    try:
        greet_as_engine(channel, secret)
    except ChannelClosed:
        channel.close()
        raise
    return Connection(channel, lambda: None)


class DrafterLink:
    """A drafter for one draft model, whose ids have the digest `vocabulary()` gives; `connect` reaches it.

    `state` is "starting", "ready" or "gone", with `reason` then: "not-usable", "no-branches", "other-tokenizer",
    "unreachable", "ended" or "closed".
    """

    def __init__(self, connect: Connect, vocabulary: Callable[[], bytes]) -> None:
        self._connect, self._vocabulary = connect, vocabulary
        self._connection: Connection | None = None
        self._attempts = 0
        self._closed = threading.Event()
        self.state, self.reason = "", ""
        # Changes with every drafter that was reached: a new one knows no text.
        self.generation = 0
        self.size_mb = 0
        self._start()

    @property
    def pid(self) -> int | None:
        """The drafter's process, where it is one of this computer."""
        return None if self._connection is None else self._connection.pid

    def send(self, message: Message) -> bool:
        """Send if there is a drafter; never waits. False where there is none (any more)."""
        if self.state != "ready" or self._connection is None:
            return False
        try:
            self._connection.channel.send(message)
        except ChannelClosed as error:
            self._lost(error)
            return False
        return True

    def receive(self, timeout_s: float) -> Answer | None:
        """The next answer, or None if there is none within `timeout_s`, or no drafter."""
        if self.state != "ready" or self._connection is None:
            return None
        try:
            message = self._connection.channel.receive(timeout_s)
        except ChannelClosed as error:
            self._lost(error)
            return None
        if message is not None and not isinstance(message, Answer):
            self._lost(ChannelClosed(f"{type(message).__name__} from a drafter"))
            return None
        return message

    def close(self) -> None:
        """End the drafter; what starts is ended as soon as it can be."""
        self._closed.set()
        self.state, self.reason = "gone", "closed"
        self._drop()

    def _start(self) -> None:
        self.state, self._attempts = "starting", self._attempts + 1
        threading.Thread(target=self._reach, name="drafter-start", daemon=True).start()

    def _reach(self) -> None:
        try:
            connection = self._connect()
        except (OSError, ChannelClosed) as error:
            log.info("the drafter cannot be reached: %s", error)
            self._give_up("unreachable")
            return
        try:
            ready = self._wait_for_model(connection.channel)
        except ChannelClosed as error:
            log.info("the drafter ended while it started: %s", error)
            ready = Refused("ended")
        if isinstance(ready, Ready) and ready.vocabulary != self._vocabulary():
            ready = Refused("other-tokenizer")
        if isinstance(ready, Refused) or self._closed.is_set():
            connection.channel.close()
            connection.end()
            self._give_up(ready.reason if isinstance(ready, Refused) else "closed")
            return
        self._connection, self.size_mb = connection, ready.size
        self.generation += 1
        self.state = "ready"
        if self._closed.is_set():
            self.close()

    def _wait_for_model(self, channel: Channel) -> Ready | Refused:
        until = time.monotonic() + START_S
        while time.monotonic() < until and not self._closed.is_set():
            message = channel.receive(_POLL_S)
            if isinstance(message, (Ready, Refused)):
                return message
            if message is not None:
                break
        return Refused("unreachable")

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


def _command() -> list[str]:
    """What starts the process. A bundle has no interpreter to start: its own program takes an option instead."""
    if getattr(sys, "frozen", False):
        return [sys.executable, PROCESS_OPTION]
    return [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)]


def _environment() -> dict[str, str]:
    """Ours without secrets; the BLAS gets no more threads than the drafter has cores."""
    kept = {name: value for name, value in os.environ.items() if not any(word in name.upper() for word in _SECRETS)}
    return kept | {"HF_HUB_OFFLINE": "1", "OPENBLAS_NUM_THREADS": str(max(1, len(own_cores())))}
