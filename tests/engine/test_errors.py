"""Errors of the engine: they can be sent to another process, and keep nothing of what failed in memory."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import pytest

from engine.cluster.errors import ClusterError
from engine.errors import (
    BadRequest,
    Busy,
    EngineClosed,
    EngineError,
    GrammarNotUsable,
    InternalFailure,
    ModelNotUsable,
    NoModel,
    NotEnoughMemory,
    PromptTooLong,
    QueueFull,
    TemplateFailed,
    require,
    without_frames,
)
from engine.hub.failures import HubError
from engine.speculation.cache_rules import UnknownCacheKind

EXAMPLES = [
    EngineError("broken", where="here"),
    BadRequest("messages", "a role and a text in each message", {"role": "user"}),
    ModelNotUsable("models/main", "incomplete", "model.safetensors"),
    NoModel(),
    PromptTooLong(5000, 4096),
    Busy(2),
    QueueFull(32),
    NotEnoughMemory("main", 9 * 10**9, 8 * 10**9, 8192, 2048, (("weights", "main", 9),), kv_bits=8, draft_bytes=10**9),
    TemplateFailed("roles must alternate"),
    GrammarNotUsable("invalid", "unknown name"),
    EngineClosed(),
    InternalFailure("out of luck"),
    HubError("no-space", "org/name", needed=10, free=5),
    UnknownCacheKind("RotatingKVCache"),
    ClusterError("ended", "studio.local", "exit code -9"),
]


def subclasses(kind: type[EngineError]) -> Iterator[type[EngineError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from subclasses(child)


def test_every_error_of_the_engine_has_an_example_here() -> None:
    known = {kind for kind in subclasses(EngineError) if kind.__module__.startswith("engine.")}
    assert known == {type(error) for error in EXAMPLES}


@pytest.mark.parametrize("send", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy], ids=["pickle", "copy"])
@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_arrives_as_it_was_sent(error: EngineError, send) -> None:  # type: ignore[no-untyped-def]
    arrived = send(error)
    assert type(arrived) is type(error)
    assert (str(arrived), arrived.code, arrived.arguments) == (str(error), error.code, error.arguments)
    assert vars(arrived) == vars(error)


def test_an_error_without_frames_keeps_no_locals_alive() -> None:
    def fail() -> None:
        try:
            raise KeyError("inner")
        except KeyError as cause:
            raise InternalFailure("outer") from cause

    with pytest.raises(InternalFailure) as caught:
        fail()
    without_frames(caught.value)
    assert caught.value.__traceback__ is None
    assert caught.value.__cause__ is not None
    assert caught.value.__cause__.__traceback__ is None


def test_a_requirement_that_is_not_met_names_what_was_expected() -> None:
    require(True, "top_k", "0 or more", 0)
    with pytest.raises(BadRequest, match="top_k must be 0 or more, not -1"):
        require(False, "top_k", "0 or more", -1)
