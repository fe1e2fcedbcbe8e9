"""A drafter's end of a connection: verdicts come in, answers go out, and in between it prepares for the next one."""

from __future__ import annotations

import hashlib
import logging
import socket
from collections.abc import Callable

from engine.async_drafting.branches import NoBranches
from engine.async_drafting.channel import Channel, ChannelClosed, greet_as_drafter
from engine.async_drafting.messages import Begin, End, Ready, Refused, Verdict
from engine.async_drafting.tree_drafter import TreeDrafter
from engine.errors import EngineError
from engine.loading import LoadedModel

log = logging.getLogger(__name__)


def vocabulary_digest(model: LoadedModel) -> bytes:
    """A digest of the ids that the tokens of a model have: equal where its tokens need no translation."""
    tokens = sorted(model.tokenizer.get_vocab().items(), key=lambda item: item[1])
    return hashlib.sha256("\0".join(f"{token}\1{number}" for token, number in tokens).encode()).digest()


def serve(channel: Channel, load: Callable[[], LoadedModel]) -> None:
    """Load the model, say so, and draft with it until the engine is gone. Raises `ChannelClosed` then."""
    try:
        model = load()
        drafter = TreeDrafter(model.model)
    except (EngineError, NoBranches) as error:
        log.info("this model cannot draft here: %s", error)
        channel.send(Refused("no-branches" if isinstance(error, NoBranches) else "not-usable"))
        channel.receive(None)
        return
    channel.send(Ready(vocabulary_digest(model), model.info.bytes >> 20))
    draft(channel, drafter)


class DrafterServer:
    """Drafts for the engines of other computers that know `secret`, one after the other, with one model.

    Raises `NoBranches` for a model that cannot draft, and `OSError` for an address that is taken.
    """

    def __init__(self, model: LoadedModel, host: str, port: int, secret: bytes) -> None:
        self._drafter = TreeDrafter(model.model)
        self._ready = Ready(vocabulary_digest(model), model.info.bytes >> 20)
        self._secret = secret
        self._socket = socket.create_server((host, port))

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._socket.getsockname()[1])

    def serve_one(self) -> None:
        """Wait for an engine, and draft for it until it is gone. Raises `OSError` once closed."""
        connection, address = self._socket.accept()
        channel = Channel(connection)
        try:
            greet_as_drafter(channel, self._secret)
            log.info("drafting for %s", address[0])
            channel.send(self._ready)
            draft(channel, self._drafter)
        except ChannelClosed as closed:
            log.info("%s is gone: %s", address[0], closed)
        finally:
            channel.close()

    def close(self) -> None:
        """Accept nobody any more."""
        self._socket.close()


def draft(channel: Channel, drafter: TreeDrafter) -> None:
    """Draft until the engine is gone. Raises `ChannelClosed` then."""
    while True:
        # A verdict that has arrived goes before everything else; without work there is nothing to do but wait.
        message = channel.receive(0.0 if drafter.busy else None)
        if message is None:
            answer = drafter.step()
        elif isinstance(message, Verdict):
            answer = drafter.take(message)
        else:
            answer = None
            _follow(message, drafter)
        if answer is not None:
            channel.send(answer)


def _follow(message: object, drafter: TreeDrafter) -> None:
    if isinstance(message, Begin):
        drafter.begin(message)
    elif isinstance(message, End):
        drafter.end(message.conversation)
    else:
        raise ChannelClosed(f"{type(message).__name__} from an engine")
