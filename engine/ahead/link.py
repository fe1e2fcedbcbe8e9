"""The engine's link to a draft runner, which it starts, restarts once, and then gives up with a reason.

The engine's thread never waits longer than the timeouts that it passes. A thread of its own starts the runner;
afterwards only the engine's thread uses the connection.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from engine.ahead import messages
from engine.ahead.messages import DraftReply, PreparedTree, Refusal
from engine.ahead.runner import PROCESS_OPTION, runner_cores
from engine.ahead.worth import Worth
from engine.wire.channel import Channel
from engine.wire.child import Child
from engine.wire.messages import ChannelClosed

log = logging.getLogger(__name__)

# Seconds in which a runner has to load its model.
START_S = 300.0
# How often a runner is started at most.
ATTEMPTS = 2
# The reasons for none that stay as long as the draft model and its place do.
LASTING = ("not-usable", "no-branches")


class NoRunner(Exception):
    """There is no runner, for a reason of `RunnerLink`."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


@dataclass(slots=True)
class RunnerConnection:
    """A channel to a runner, and a function that ends it. `pid` is that of its process, if it has one here."""

    channel: Channel[messages.FromRunner]
    end: Callable[[], None]
    pid: int | None = None


def in_a_process(folder: Path) -> RunnerConnection:
    """Start a runner with the draft model in `folder`, in a process of its own. Raises `OSError`."""
    environment = {
        "HF_HUB_OFFLINE": "1",
        # One thread of the BLAS for each of the runner's cores.
        "OPENBLAS_NUM_THREADS": str(max(1, len(runner_cores()))),
    }
    child = Child(
        "engine.ahead.runner",
        PROCESS_OPTION,
        [str(folder)],
        messages.FROM_RUNNER,
        environment=environment,
        most_unsent=messages.MOST_UNSENT,
    )
    return RunnerConnection(child.channel, child.end, child.process.pid)


class Asker(NamedTuple):
    """On whose behalf an answer is written, and what it may share with others: its `opening`, the system message.

    `audience` is as in `engine.speculation.conversation.CachedConversation`.
    """

    audience: str | None
    opening: tuple[int, ...] = ()


# The chats of the window, which are one person's.
CHATS = Asker(None)


class RunnerLink:
    """A runner for one draft model, which `connect` starts on a thread of its own.

    `connect` raises `NoRunner` or `OSError`. `host` is the name of the runner's computer, "" for this one. `taught`,
    which is called on that thread, returns the file of what the draft model was taught, b"" for nothing. The runner
    prepares for at most `recovery_tokens` tokens at each cut.

    `state` is "starting", "ready" or "gone". `reason` says why it is gone: "not-usable" (the model cannot be loaded),
    "no-branches" (its passes cannot hold several continuations), "unreachable", "ended" or "closed"; for another
    computer also "other-key" (its end does not know the key of the connection) or one of `ClusterError`. `detail` is
    what was found there, and `given_up` the time of that, by `time.monotonic`.
    """

    def __init__(
        self,
        connect: Callable[[], RunnerConnection],
        host: str = "",
        taught: Callable[[], bytes] = bytes,
        recovery_tokens: int = messages.MOST_RECOVERY,
    ) -> None:
        self._connect = connect
        self._taught = taught
        self._recovery_tokens = recovery_tokens
        self.host = host
        self._connection: RunnerConnection | None = None
        self._attempts = 0
        self._closed = threading.Event()
        self.state = ""
        self.reason = ""
        self.detail = ""
        self.given_up = 0.0
        # What the rounds of all answers tell of this draft model at this place.
        self.worth = Worth()
        # The number of the runner: how many were reached so far. A new one knows no text.
        self.runner_number = 0
        # On whose behalf the latest answer began.
        self._asker = CHATS
        self._start()

    def send(self, message: messages.ToRunner) -> bool:
        """Send a message without waiting; returns False if there is no runner."""
        if self.state != "ready" or self._connection is None:
            return False
        try:
            self._connection.channel.send(message)
        except ChannelClosed as error:
            self._lose(error)
            return False
        return True

    def begin(self, message: messages.Begin, asker: Asker) -> None:
        """Send the beginning of an answer, with this link's number of recovery tokens.

        If the answer before was another asker's, the runner's caches keep the opening that both have, and nothing else:
        drafts that begin earlier after a right guess would tell what the other one has asked.
        """
        message = replace(message, recovery_tokens=self._recovery_tokens)
        before, self._asker = self._asker, asker
        if before.audience != asker.audience:
            message = replace(message, most_kept=len(asker.opening) if before.opening == asker.opening else 0)
        self.send(message)

    def receive(self, timeout_s: float) -> DraftReply | PreparedTree | None:
        """Return the next message, or None if there is none within `timeout_s` seconds, or no runner."""
        if self.state != "ready" or self._connection is None:
            return None
        try:
            message = self._connection.channel.receive(timeout_s)
        except ChannelClosed as error:
            self._lose(error)
            return None
        if message is not None and not isinstance(message, DraftReply | PreparedTree):
            self._lose(ChannelClosed(f"{type(message).__name__} from a runner that is ready"))
            return None
        return message

    def close(self) -> None:
        """End the runner; one that is starting ends as soon as it can."""
        self._closed.set()
        self.state = "gone"
        self.reason = "closed"
        self._drop()

    def _start(self) -> None:
        self.state = "starting"
        self._attempts += 1
        threading.Thread(target=self._reach, name="draft-runner-start", daemon=True).start()

    def _reach(self) -> None:
        """Start a runner and wait until it is ready, or give up."""
        try:
            connection = self._connect()
        except (NoRunner, OSError) as error:
            log.info("the draft runner cannot be started: %s", error)
            missing = error if isinstance(error, NoRunner) else NoRunner("unreachable", str(error))
            self._give_up(missing.reason, missing.detail)
            return
        self._connection = connection
        if self._closed.is_set():
            self._drop()
        first: messages.FromRunner | None
        try:
            first = connection.channel.receive(START_S)
            if isinstance(first, messages.Ready) and not self._is_taught(connection.channel):
                first = None
        except (ChannelClosed, OSError, ValueError) as error:
            # `OSError` or `ValueError`: the channel was closed meanwhile, so it has no socket to wait for.
            log.info("the draft runner ended while it started: %s", error)
            first = Refusal("ended")
        if isinstance(first, messages.Ready):
            self.runner_number += 1
            self.state = "ready"
            if self._closed.is_set():
                self.close()
            return
        self._drop()
        self._give_up(first.reason if isinstance(first, Refusal) else "unreachable")

    def _is_taught(self, channel: Channel[messages.FromRunner]) -> bool:
        """Send the runner what its model was taught, and return whether it has taken all of it."""
        content = self._taught()
        for start in range(0, len(content), messages.TAUGHT_PART):
            end = start + messages.TAUGHT_PART
            channel.send(messages.TaughtPart(content[start:end], end >= len(content)))
            if not isinstance(channel.receive(START_S), messages.TaughtTaken):
                return False
        return True

    def _lose(self, error: ChannelClosed) -> None:
        log.info("the draft runner is gone: %s", error)
        self._drop()
        if self._attempts < ATTEMPTS:
            self._start()
        else:
            self._give_up("ended")

    def _give_up(self, reason: str, detail: str = "") -> None:
        if not self._closed.is_set():
            self.reason = reason
            self.detail = detail
            self.given_up = time.monotonic()
            self.state = "gone"

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.channel.close()
            connection.end()
