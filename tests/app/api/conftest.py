"""Servers on loopback: one on the starter pair for all tests here, and others on engines that play scripts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Protocol

import pytest

from engine import Engine, starter_pair
from engine.client import EngineClient
from engine.status import LoadedPair
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.tiny_models import QWEN3, write_disturbed_copy, write_model


@pytest.fixture(scope="package", autouse=True)
def quick_servers() -> Iterator[None]:
    """Servers that stop at once: uvicorn waits 0.1 s between two looks, and as long for connections to close."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.api.server._STOP_S", 0.05)
        quick = {**vars(asyncio), "sleep": lambda _: asyncio.sleep(0.005)}
        patch.setattr("uvicorn.server.asyncio", SimpleNamespace(**quick))
        yield


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


@pytest.fixture(scope="package")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A random model whose chat template knows tools, with a draft model."""
    folder = tmp_path_factory.mktemp("caller")
    main = write_model(folder / "main", seed=1, config=QWEN3 | {"max_position_embeddings": 8192})
    settings = json.loads((main / "tokenizer_config.json").read_text())
    settings["chat_template"] += "{# <tool_call> tool_call.name #}"
    (main / "tokenizer_config.json").write_text(json.dumps(settings))
    draft = write_disturbed_copy(main, folder / "draft", amount=0.05)
    with Engine() as engine:
        with pytest.MonkeyPatch.context() as patch:
            # Its template needs no process of its own, which takes seconds to start.
            patch.setattr("engine.tokenizers.loading.is_known_good", lambda _: True)
            served = Served(engine, str(main), str(draft))
        # The thread that lists models stays.
        served.get("/v1/models")
        yield served
        served.close()


# A main model that can call functions.
CALLER = LoadedPair(replace(model_info("main"), tool_format="json_tools"), None)


@pytest.fixture
def question() -> dict[str, Any]:
    """The fields of a short chat completion that is always the same."""
    return {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 24, "temperature": 0}
