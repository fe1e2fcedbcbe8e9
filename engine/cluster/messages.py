"""What crosses between the processes of a cluster: the calls of `EngineClient`, and what rank 0 tells the other ranks.

No class is ever looked up by a name from outside of the tables here, and none is made without its own checks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from engine import errors
from engine.cluster.errors import ClusterError
from engine.errors import EngineError, InternalFailure
from engine.events import Failed, Finished, PrefillProgress, TokensCommitted
from engine.requests import ChatRequest, SpeculationSettings
from engine.settings import EngineSettings
from engine.status import EngineStatus, LoadedPair
from engine.tuning import Calibration, LearnedPair, Pair
from engine.wire.messages import Codec, Message

Known = TypeVar("Known")
# The methods of `EngineClient` that a client may call: their positional arguments, and what their futures hold.
CALLS: dict[str, tuple[Any, Any]] = {
    "load": (tuple[str, str | None], LoadedPair),
    "set_draft": (tuple[str | None], LoadedPair),
    "unload": (tuple[()], LoadedPair),
    "configure": (tuple[EngineSettings], None),
    "status": (tuple[()], EngineStatus),
    "clear_prefix_cache": (tuple[()], None),
    "forget_conversations": (tuple[list[str]], None),
    "keep_stored": (tuple[list[str]], None),
    "learned": (tuple[()], tuple[LearnedPair, ...]),
    "forget_learned": (tuple[Pair | None], None),
    "calibrate": (tuple[()], Calibration),
}
# What else a client is told: events by the names of their classes, that the main model is loaded, how far loading is,
# and why a call failed or the whole engine ended.
REPLIES: dict[str, Any] = {kind.__name__: kind for kind in (PrefillProgress, TokensCommitted, Finished, Failed)} | {
    "main": LoadedPair,
    "progress": tuple[int, int],
    "error": EngineError,
    "ended": EngineError,
}
_ERRORS: dict[str, type[EngineError]] = {
    kind.__name__: kind
    for kind in (
        errors.BadRequest, errors.ModelNotUsable, errors.NoModel, errors.PromptTooLong, errors.Busy, errors.QueueFull,
        errors.NotEnoughMemory, errors.TemplateFailed, errors.GrammarNotUsable, errors.EngineClosed,
        errors.InternalFailure, ClusterError,
    )
}  # fmt: skip


def enc_hook(value: Any) -> Any:
    """What msgspec is to encode for a path or an error; one of an unknown kind arrives as an `InternalFailure`."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, EngineError):
        known = value if _ERRORS.get(type(value).__name__) is type(value) else InternalFailure(str(value))
        return type(known).__name__, known.arguments
    raise TypeError(f"{type(value).__name__} does not cross processes")


def dec_hook(kind: type, value: Any) -> Any:
    """The path or the error that `enc_hook` was given. Raises `TypeError`, `ValueError` or `LookupError`."""
    if kind is Path:
        return Path(value)
    name, arguments = value
    return _ERRORS[name](**arguments)


def as_plain(value: Any) -> Any:
    """`value` as what JSON can hold."""
    return msgspec.to_builtins(value, enc_hook=enc_hook)


def from_plain(value: Any, kind: type[Known]) -> Known:
    """What `as_plain` was given, of type `kind`. Raises `ValueError` for anything else."""
    return msgspec.convert(value, kind, dec_hook=dec_hook)


class Call(Message, frozen=True):
    """Call a method of CALLS."""

    number: int
    name: str
    arguments: msgspec.Raw
    allow_oversize: bool | None = None


class Submit(Message, frozen=True):
    """Queue a request."""

    number: int
    request: ChatRequest


class Cancel(Message, frozen=True):
    """End the request of this number."""

    number: int


class Speculate(Message, frozen=True):
    """Have the request of this number speculate otherwise."""

    number: int
    settings: SpeculationSettings


class Reply(Message, frozen=True):
    """What came of the call or the request of this number: a "result" of the type that CALLS has, or one of REPLIES."""

    number: int
    kind: str
    value: msgspec.Raw


class Load(Message, frozen=True):
    """Load this rank's part of the model with a portable name and these files."""

    number: int
    name: str
    files: dict[str, str]
    kv_bits: int | None
    split: str
    context: int | None


class Warm(Message, frozen=True):
    """Every rank has loaded its part; passes follow."""


class Unload(Message, frozen=True):
    """Drop the model, or give up loading it."""


class Change(Message, frozen=True):
    """A call that changes caches, by the numbers of what it is called of and with (0: nothing).

    `outcome` is what it came to, and the positions of the caches afterwards.
    """

    target: int
    method: str
    other: int
    arguments: list[int | list[int]]
    outcome: list[bool | int | list[int] | None]


class Changes(Message, frozen=True):
    """What rank 0 has done to its caches, and dropped, and a pass that follows over ids of `shape` with the caches
    `caches` (0: none).
    """

    done: list[Change]
    dropped: list[int]
    caches: int = 0
    shape: tuple[int, ...] = ()


class Loaded(Message, frozen=True):
    """A rank has loaded its part for the `Load` of this number, with these kinds of caches."""

    number: int
    kinds: list[str]


class Refused(Message, frozen=True):
    """A rank cannot load its part for the `Load` of this number."""

    number: int
    error: EngineError


class Lost(Message, frozen=True):
    """A rank cannot go on."""

    error: EngineError


class Echo(Message, frozen=True):
    """Measures a link: it is answered by an empty one."""

    payload: bytes = b""


ToEngine = Call | Submit | Cancel | Speculate
ToRank = Load | Warm | Unload | Changes
ToLeader = Loaded | Refused | Lost
TO_ENGINE: Codec[ToEngine] = Codec(ToEngine, enc_hook=enc_hook, dec_hook=dec_hook)
TO_CLIENT: Codec[Reply] = Codec(Reply)
TO_RANK: Codec[ToRank] = Codec(ToRank, enc_hook=enc_hook, dec_hook=dec_hook)
TO_LEADER: Codec[ToLeader] = Codec(ToLeader, enc_hook=enc_hook, dec_hook=dec_hook)
ECHO: Codec[Echo] = Codec(Echo)
