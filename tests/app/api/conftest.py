"""Servers on loopback: one on the starter pair for a whole module, and others on engines that play scripts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Protocol

import pytest

from app.api.engine_host import EngineHost
from app.api.local_api import ApiSettings, LocalApi
from engine import Engine, starter_pair
from engine.client import EngineClient
from engine.status import LoadedPair
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.patience import PATIENCE_S


@pytest.fixture(scope="module")
def starter() -> Iterator[Served]:
    """The starter pair, served without a key."""
    main, draft = starter_pair()
    with Engine() as engine:
        host = EngineHost(engine)
        host.load(str(main), str(draft)).result(PATIENCE_S)
        api = LocalApi(host)
        api.start(ApiSettings(port=0))
        served = Served(api, host, engine)
        # The thread that lists models stays.
        served.get("/v1/models")
        yield served
        served.close()


@pytest.fixture(scope="module")
def told() -> Iterator[Served]:
    """An engine that tells a story, served without a key."""
    engine = ScriptedEngine()
    engine.loads = [LoadedPair(model_info("main"), model_info("draft"))]
    host = EngineHost(engine)
    host.load("main", "draft").result(PATIENCE_S)
    api = LocalApi(host)
    api.start(ApiSettings(port=0))
    served = Served(api, host, engine)
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
            if isinstance(engine, ScriptedEngine):
                engine.loads = [pair or LoadedPair(model_info("main"), model_info("draft"))]
            opened.callback(engine.close)
            host = EngineHost(engine)
            host.load("main", "draft").result(PATIENCE_S)
            api = LocalApi(host)
            api.start(ApiSettings(**{"port": 0, **settings}))
            served = Served(api, host, engine)
            opened.callback(served.close)
            return served

        yield serve_on


@pytest.fixture
def question() -> dict[str, Any]:
    """The fields of a short chat completion that is always the same."""
    return {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 24, "temperature": 0}
