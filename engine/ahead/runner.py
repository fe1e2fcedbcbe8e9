"""A draft runner: it takes the outcomes of rounds, sends what it has prepared for them, and prepares in between.

It is a process that runs one draft model on the CPU, on cores of its own if the system lets a process choose them. It
ends with its connection, and so with the engine, even if that was killed.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import mlx.nn as nn

from engine.ahead.branches import NoBranches
from engine.ahead.messages import (
    MOST_UNSENT,
    TO_RUNNER,
    DraftReply,
    End,
    PreparedTree,
    Ready,
    Refusal,
    RoundOutcome,
    TaughtPart,
    TaughtTaken,
    ToRunner,
)
from engine.ahead.tree_drafter import TreeDrafter
from engine.cpu_backend.backend import use_cpu
from engine.errors import CannotTeach, EngineError
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.main_model.low_rank import apply_low_rank, from_bytes
from engine.wire.channel import Channel
from engine.wire.messages import ChannelClosed

log = logging.getLogger(__name__)

PROCESS_OPTION = "--draft-runner"


def main(arguments: Sequence[str]) -> None:
    """Run as a process; `arguments` are the number of an inherited socket and the folder of the draft model."""
    descriptor, folder = arguments
    connection = socket.socket(fileno=int(descriptor))
    if sys.platform == "linux":
        os.sched_setaffinity(0, runner_cores())
    use_cpu()
    channel = Channel(connection, TO_RUNNER, most_unsent=MOST_UNSENT)
    try:
        serve(channel, lambda: load(Path(folder)))
    except ChannelClosed:
        sys.exit(0)


def runner_cores() -> list[int]:
    """Return the runner's cores: the last quarter of all, at least one. Empty if a process cannot choose its cores."""
    if sys.platform != "linux":
        return []
    cores = sorted(os.sched_getaffinity(0))
    return cores[-max(1, len(cores) // 4) :]


def serve(channel: Channel[ToRunner], load: Callable[[], LoadedModel]) -> None:
    """Load the model, send `Ready`, and draft until the engine is gone. Raises `ChannelClosed` then.

    What the model was taught may come before the first answer. If the model cannot draft here, send a `Refusal`
    instead, and wait for the engine to close the connection.
    """
    try:
        loaded = load()
        drafter = TreeDrafter(loaded.model, loaded.rows)
    except (EngineError, NoBranches) as error:
        log.info("this model cannot draft here: %s", error)
        channel.send(Refusal("no-branches" if isinstance(error, NoBranches) else "not-usable"))
        channel.receive()
        return
    channel.send(Ready())
    taught = bytearray()
    while True:
        # A message that has arrived comes first; without work, wait for one.
        message = channel.receive(0.0 if drafter.busy else None)
        reply: DraftReply | PreparedTree | TaughtTaken | None = None
        if message is None:
            drafter.step()
            reply = drafter.news()
        elif isinstance(message, RoundOutcome):
            reply = drafter.take(message)
        elif isinstance(message, End):
            drafter.end(message.conversation)
        elif isinstance(message, TaughtPart):
            taught += message.content
            if message.is_last:
                _adapt(loaded.model, bytes(taught))
                taught.clear()
            reply = TaughtTaken()
        else:
            drafter.begin(message)
        if reply is not None:
            channel.send(reply)


def _adapt(model: nn.Module, content: bytes) -> None:
    """Add what the file `content` holds to a draft model, which else stays as it was downloaded."""
    try:
        weights, _ = from_bytes(content)
        apply_low_rank(model, weights)
    except (CannotTeach, ValueError) as error:
        log.warning("what the draft model was taught is not used: %s", error)
