"""A drafter's end of a connection: it receives verdicts, sends answers, and prepares for the next verdict in between.

As a process of an engine it runs one draft model on the CPU, on its own cores if the system lets a process choose them.
It ends with its connection, and so with the engine, even if that was killed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import mlx.core as mx

from engine.async_drafting.branches import NoBranches
from engine.async_drafting.messages import (
    MOST_UNSENT,
    TO_DRAFTER,
    DrafterRefusal,
    End,
    Ready,
    RoundOutcome,
    ToDrafter,
)
from engine.async_drafting.tree_drafter import TreeDrafter
from engine.cpu_backend.backend import use_cpu
from engine.errors import EngineError
from engine.machine.keep_awake import KeepAwake
from engine.main_model.loading import LoadedModel, load
from engine.wire.channel import Channel
from engine.wire.handshake import Listener
from engine.wire.messages import ChannelClosed

log = logging.getLogger(__name__)

PROCESS_OPTION = "--drafter-process"


def main(arguments: Sequence[str]) -> None:
    """Run as a process; `arguments` are the number of an inherited socket and the folder of the draft model."""
    connection = socket.socket(fileno=int(arguments[0]))
    if cores := own_cores():
        os.sched_setaffinity(0, cores)
    use_cpu()
    # For the CPU, MLX compiles with the system's C++ compiler into files: a Mac may have no compiler, a full disk no
    # room, and a draft model gains nothing from it.
    mx.disable_compile()
    channel = Channel(connection, TO_DRAFTER, most_unsent=MOST_UNSENT)
    try:
        serve(channel, lambda: load(Path(arguments[1])))
    except ChannelClosed:
        sys.exit(0)


def own_cores() -> list[int]:
    """Return the drafter's cores: the last quarter of all, at least one. Empty if a process cannot choose its cores."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    cores = sorted(os.sched_getaffinity(0))
    return cores[-max(1, len(cores) // 4) :]


def vocabulary_digest(model: LoadedModel) -> bytes:
    """Return a digest of a model's tokens and ids, equal for models whose tokens need no translation."""
    tokens = sorted(model.tokenizer.get_vocab().items(), key=lambda item: item[1])
    return hashlib.sha256("\0".join(f"{token}\1{number}" for token, number in tokens).encode()).digest()


def serve(channel: Channel[ToDrafter], load: Callable[[], LoadedModel]) -> None:
    """Load the model, send `Ready`, and draft until the engine is gone. Raises `ChannelClosed` then."""
    try:
        model = load()
        drafter = TreeDrafter(model.model)
    except (EngineError, NoBranches) as error:
        log.info("this model cannot draft here: %s", error)
        channel.send(DrafterRefusal("no-branches" if isinstance(error, NoBranches) else "not-usable"))
        channel.receive()
        return
    channel.send(Ready(vocabulary_digest(model)))
    draft(channel, drafter)


class DrafterServer:
    """Drafts with one model for engines on other computers that know `secret`, one engine at a time.

    Raises `NoBranches` for a model that cannot draft, and `OSError` for an address that is in use.
    """

    def __init__(self, model: LoadedModel, host: str, port: int, secret: bytes) -> None:
        self._drafter = TreeDrafter(model.model)
        self._ready = Ready(vocabulary_digest(model))
        self._listener = Listener(socket.create_server((host, port)), secret, TO_DRAFTER, most_unsent=MOST_UNSENT)
        self._awake = KeepAwake("Tandem drafts for another computer")

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return self._listener.port

    def serve_one(self) -> None:
        """Wait for an engine, and draft for it until it is gone."""
        peer = self._listener.accept()
        log.info("drafting for %s", peer.host)
        try:
            peer.channel.send(self._ready)
            self._awake.keep(True)
            draft(peer.channel, self._drafter)
        except ChannelClosed as closed:
            log.info("%s is gone: %s", peer.host, closed)
        finally:
            self._awake.keep(False)
            peer.channel.close()

    def close(self) -> None:
        """Accept no more engines."""
        self._listener.close()


def draft(channel: Channel[ToDrafter], drafter: TreeDrafter) -> None:
    """Draft until the engine is gone. Raises `ChannelClosed` then."""
    while True:
        # A message that has arrived comes first; without work, wait for one.
        message = channel.receive(0.0 if drafter.busy else None)
        answer = None
        if message is None:
            drafter.step()
        elif isinstance(message, RoundOutcome):
            answer = drafter.take(message)
        elif isinstance(message, End):
            drafter.end(message.conversation)
        elif message.in_bounds:
            drafter.begin(message)
        else:
            raise ChannelClosed("sampling out of bounds")
        if answer is not None:
            channel.send(answer)
