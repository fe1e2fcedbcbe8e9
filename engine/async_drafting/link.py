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
from typing import TYPE_CHECKING

from engine.async_drafting.messages import (
    FROM_DRAFTER,
    MOST_UNSENT,
    DrafterRefusal,
    DraftReply,
    FromDrafter,
    Ready,
    ToDrafter,
)
from engine.async_drafting.serving import PROCESS_OPTION, own_cores
from engine.wire.channel import Channel
from engine.wire.child import Child
from engine.wire.messages import ChannelClosed

if TYPE_CHECKING:
    from engine.speculation.drafters.sources import DraftSource

log = logging.getLogger(__name__)

# The share of drafting in a round from which "auto" tries a drafter. One slows the main model's passes down, because it
# uses memory bandwidth.
LEAST_SHARE = 0.1
START_S = 300.0
# How often a drafter is started.
ATTEMPTS = 2


@dataclass(slots=True)
class DrafterConnection:
    """A channel to a drafter, and a function that ends its process."""

    channel: Channel[FromDrafter]
    end: Callable[[], None]
    pid: int | None = None


def in_a_process(folder: Path) -> DrafterConnection:
    """Start a drafter with the draft model in `folder`, in a process of its own. Raises `OSError`."""
    # One thread of the BLAS for each core of the drafter.
    environment = {"HF_HUB_OFFLINE": "1", "OPENBLAS_NUM_THREADS": str(max(1, len(own_cores())))}
    child = Child(
        "engine.async_drafting.serving",
        PROCESS_OPTION,
        [str(folder)],
        FROM_DRAFTER,
        environment=environment,
        most_unsent=MOST_UNSENT,
    )
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
        if isinstance(said, Ready):
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


class AsyncDrafters:
    """Decides whether an engine drafts asynchronously, and owns its one link. Belongs to the engine's thread.

    `setting()` is that of the engine. `fits(draft)` tells whether there is memory for a copy of a draft model.
    """

    def __init__(self, setting: Callable[[], str], fits: Callable[[DraftSource], bool]) -> None:
        self._setting, self._fits = setting, fits
        self._link: DrafterLink | None = None
        self._folder: Path | None = None

    def reach(self, draft: DraftSource, share: float | None) -> DrafterLink | str:
        """Return the drafter for a draft model, or the reason for none, as in `RequestStats.ahead`.

        `share` is the measured share of drafting in a round, which is the most that can be gained; None before it was
        measured.
        """
        wanted = self._setting()
        if wanted == "off":
            reason = ""
        elif wanted == "auto" and not self.running and (share or 0.0) < LEAST_SHARE:
            reason = "no-gain"
        elif draft.translation is not None:
            reason = "other-tokenizer"
        elif not self.running and not self._fits(draft):
            log.info("there is no memory for another copy of %s", draft.info.name)
            reason = "no-memory"
        else:
            return self._link_for(draft.info.path)
        if wanted in ("off", "auto"):
            self.close()
        return reason

    def _link_for(self, folder: Path) -> DrafterLink:
        """Return the link for the draft model in `folder`, and end one for another model."""
        if folder != self._folder:
            self.close()
        if self._link is None:
            self._link, self._folder = DrafterLink(lambda: in_a_process(folder)), folder
        return self._link

    @property
    def running(self) -> bool:
        return self._link is not None and self._link.state != "gone"

    def close(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()
