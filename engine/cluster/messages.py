"""The messages between a cluster's processes.

A client sends the calls of `engine.client.EngineClient`; rank 0 and the other ranks have messages of their own.
Names in messages are looked up only in the tables here, and every value passes the checks of its class.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from engine import errors
from engine.computers.errors import ClusterError
from engine.errors import EngineError, InternalFailure
from engine.events import Failed, Finished, PrefillProgress, TokensCommitted
from engine.requests import ChatRequest, SpeculationSettings
from engine.settings import EngineSettings
from engine.status import EngineStatus, LoadedPair
from engine.tuning import LearnedPair
from engine.wire.messages import Codec, WireMessage

Known = TypeVar("Known")
# The methods of `engine.client.EngineClient` that a client may call, with the types of their positional arguments and
# results.
CALLS: dict[str, tuple[Any, Any]] = {
    "load": (tuple[str, str | None], LoadedPair),
    "set_draft": (tuple[str | None], LoadedPair),
    "load_additional": (tuple[str, str | None], LoadedPair),
    "unload": (tuple[Path | None], LoadedPair),
    "configure": (tuple[EngineSettings], None),
    "status": (tuple[()], EngineStatus),
    "clear_prefix_cache": (tuple[()], None),
    "forget_conversations": (tuple[list[str]], None),
    "keep_stored": (tuple[list[str]], None),
    "learned": (tuple[()], tuple[LearnedPair, ...]),
    "forget_learned": (tuple[()], None),
}
# The other replies: events by the names of their classes, the loaded main model, the progress of loading, and the error
# of a call or of the whole engine.
REPLIES: dict[str, Any] = {kind.__name__: kind for kind in (PrefillProgress, TokensCommitted, Finished, Failed)} | {
    "main": LoadedPair,
    "progress": tuple[int, int],
    "error": EngineError,
    "ended": EngineError,
}
# The errors that cross processes as themselves.
_CROSSING = (
    errors.BadRequest,
    errors.ModelNotUsable,
    errors.LoadCancelled,
    errors.NoModel,
    errors.PromptTooLong,
    errors.QueueFull,
    errors.NotEnoughMemory,
    errors.TemplateFailed,
    errors.GrammarNotUsable,
    errors.EngineClosed,
    errors.InternalFailure,
    errors.CannotTeach,
    errors.DeviceFailed,
    errors.PictureNotUsable,
    errors.ModelCannotSee,
    errors.PicturesNotInstalled,
    errors.FileRefused,
    ClusterError,
)
_ERRORS: dict[str, type[EngineError]] = {error.__name__: error for error in _CROSSING}


def enc_hook(value: Any) -> Any:
    """Convert a path or an error for msgspec; an error of an unknown class becomes an `InternalFailure`."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, EngineError):
        known = value if _ERRORS.get(type(value).__name__) is type(value) else InternalFailure(str(value))
        return type(known).__name__, known.arguments
    raise TypeError(f"{type(value).__name__} does not cross processes")


def dec_hook(kind: type, value: Any) -> Any:
    """Restore a path or an error from `enc_hook`'s result. Raises `TypeError`, `ValueError` or `LookupError`."""
    if kind is Path:
        return Path(value)
    name, arguments = value
    return _ERRORS[name](**arguments)


def as_plain(value: Any) -> Any:
    """Convert `value` to types that JSON can hold."""
    return msgspec.to_builtins(value, enc_hook=enc_hook)


def from_plain(value: Any, kind: type[Known]) -> Known:
    """Restore a value of type `kind` from `as_plain`'s result. Raises `ValueError` for anything else."""
    return msgspec.convert(value, kind, dec_hook=dec_hook)


class Call(WireMessage, frozen=True):
    """Call a method of CALLS."""

    number: int
    name: str
    arguments: msgspec.Raw


class Submit(WireMessage, frozen=True):
    """Queue a request."""

    number: int
    request: ChatRequest


class Cancel(WireMessage, frozen=True):
    """End the request of this number."""

    number: int


class Speculate(WireMessage, frozen=True):
    """Change the speculation settings of the request of this number."""

    number: int
    settings: SpeculationSettings


class EngineReply(WireMessage, frozen=True):
    """A reply to the call or the request of this number: a "result" of the type in CALLS, or a kind of REPLIES."""

    number: int
    kind: str
    value: msgspec.Raw


class LoadPart(WireMessage, frozen=True):
    """Load this rank's part of the model with this portable name and fingerprint (`files`)."""

    number: int
    name: str
    files: dict[str, str]
    kv_bits: int | None
    split: str
    context: int | None


class AllLoaded(WireMessage, frozen=True):
    """Every rank has loaded its part; passes follow."""


class Unload(WireMessage, frozen=True):
    """Drop the model, or give up loading it."""


class Change(WireMessage, frozen=True):
    """A call that changes caches, with the numbers of its object and of an argument that has one (0: none).

    `outcome` is its result, and the positions of the caches afterwards.
    """

    target: int
    method: str
    other: int
    arguments: list[int | list[int]]
    outcome: list[bool | int | list[int] | None]


class Changes(WireMessage, frozen=True):
    """The calls that rank 0 has `done`, the numbers that it has `dropped`, and a pass that follows.

    The pass reads ids of `shape` with the caches of number `caches` (0: there is no pass).
    """

    done: list[Change]
    dropped: list[int]
    caches: int = 0
    shape: tuple[int, ...] = ()


class Loaded(WireMessage, frozen=True):
    """A rank has loaded its part for the `LoadPart` of this number, with these kinds of caches."""

    number: int
    kinds: list[str]


class LoadRefused(WireMessage, frozen=True):
    """A rank cannot load its part for the `LoadPart` of this number."""

    number: int
    error: EngineError


class RankFailed(WireMessage, frozen=True):
    """A rank cannot continue."""

    error: EngineError


class Ping(WireMessage, frozen=True):
    """Measures a link: the reply is an empty `Ping`."""

    payload: bytes = b""


ToEngine = Call | Submit | Cancel | Speculate
ToRank = LoadPart | AllLoaded | Unload | Changes
ToLeader = Loaded | LoadRefused | RankFailed
TO_ENGINE: Codec[ToEngine] = Codec(ToEngine, enc_hook=enc_hook, dec_hook=dec_hook)
TO_CLIENT: Codec[EngineReply] = Codec(EngineReply)
TO_RANK: Codec[ToRank] = Codec(ToRank, enc_hook=enc_hook, dec_hook=dec_hook)
TO_LEADER: Codec[ToLeader] = Codec(ToLeader, enc_hook=enc_hook, dec_hook=dec_hook)
ECHO: Codec[Ping] = Codec(Ping)
