"""Servers on loopback: one on the starter pair for all tests here, and others on engines that play scripts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Protocol

import mlx.core as mx
import pytest

from engine import Engine, starter_pair
from engine.client import EngineClient
from engine.status import LoadedPair
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine, model_info


@pytest.fixture(scope="package", autouse=True)
def quick_servers() -> Iterator[None]:
    """Servers that stop at once, and engines that compile no kernels."""
    mx.disable_compile()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.api.server._STOP_S", 0.05)
        yield
    mx.enable_compile()


@pytest.fixture(scope="package")
def starter() -> Iterator[Served]:
    """The starter pair, served without a key."""
    with Engine() as engine:
        served = Served(engine, *map(str, starter_pair()))
        # The thread that lists models stays.
        served.get("/v1/models")
        yield served
        served.close()


@pytest.fixture(scope="package")
def told() -> Iterator[Served]:
    """An engine that tells a story, served without a key."""
    engine = ScriptedEngine()
    served = Served(engine)
    served.get("/v1/models")
    yield served
    served.close()
    engine.close()


class Serve(Protocol):
    """Serves an engine, by default one that tells a story, with other settings of the API."""

    def __call__(
        self, engine: EngineClient | None = None, pair: LoadedPair | None = None, **settings: Any
    ) -> Served: ...


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as opened:

        def serve_on(engine: EngineClient | None = None, pair: LoadedPair | None = None, **settings: Any) -> Served:
            engine = engine or ScriptedEngine()
            if pair is not None and isinstance(engine, ScriptedEngine):
                engine.loads = [pair]
            opened.callback(engine.close)
            served = Served(engine, **settings)
            opened.callback(served.close)
            return served

        yield serve_on


# A main model that can call functions.
CALLER = LoadedPair(replace(model_info("main"), tool_format="json_tools"), None)


@pytest.fixture
def question() -> dict[str, Any]:
    """The fields of a short chat completion that is always the same."""
    return {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 24, "temperature": 0}
