"""A server under test and a plain HTTP client for it."""

from __future__ import annotations

import gc
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx2

from app.api.activity import ApiCall
from app.api.engine_host import EngineHost
from app.api.guard import ApiSettings
from app.api.local_api import LocalApi
from engine.client import EngineClient
from engine.requests import ChatRequest
from tests.app.scripted_engine import ScriptedEngine
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    # Their modules take seconds to import.
    import anthropic
    import openai

# For clients on loopback. Reading the certificates of all authorities takes longer than any of their requests.
UNENCRYPTED: dict[str, Any] = {"verify": False, "trust_env": False}


class Served:
    """The API on `engine`, with a pair loaded and without a key unless `settings` have one, and requests to it."""

    def __init__(
        self,
        engine: EngineClient,
        main: str = "main",
        draft: str | None = "draft",
        on_change: Callable[[ApiCall], object] = lambda _call: None,
        **settings: Any,
    ) -> None:
        self.engine, self.host = engine, EngineHost(engine)
        self.host.load(main, draft).result(PATIENCE_S)
        self.api = LocalApi(self.host, on_change)
        self.api.start(ApiSettings(**{"port": 0, **settings}))
        self.address = self.api.status.address
        self.client = httpx2.Client(base_url=self.address, timeout=PATIENCE_S, **UNENCRYPTED)

    @property
    def requests(self) -> list[ChatRequest]:
        """What the engine, which plays scripts, was asked."""
        assert isinstance(self.engine, ScriptedEngine)
        return self.engine.requests

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.client.get(path, **options)

    def post(self, path: str, body: Any, **options: Any) -> httpx2.Response:
        return self.client.post(path, json=body, **options)

    def events(self, path: str, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The data of the server-sent events of a streaming call, up to [DONE]."""
        with self.client.stream("POST", path, json={**body, "stream": True}) as response:
            assert response.status_code == 200, response.read()
            for line in response.iter_lines():
                if line.startswith("data: ") and line != "data: [DONE]":
                    yield json.loads(line.removeprefix("data: "))

    def chat(self, body: dict[str, Any]) -> dict[str, Any]:
        """A chat completion that succeeds."""
        response = self.post("/v1/chat/completions", body)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def connect(self) -> socket.socket:
        """A connection with a small buffer, which a client that does not read fills soon."""
        host, port = self.address.removeprefix("http://").split(":")
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(PATIENCE_S)
        connection.connect((host, int(port)))
        return connection

    def openai(self) -> openai.OpenAI:
        """The official client of OpenAI."""
        import openai

        http = openai.DefaultHttpxClient(**UNENCRYPTED)
        return openai.OpenAI(
            base_url=f"{self.address}/v1", api_key="none", max_retries=0, timeout=PATIENCE_S, http_client=http
        )

    def anthropic(self) -> anthropic.Anthropic:
        """The official client of Anthropic."""
        import anthropic

        http = anthropic.DefaultHttpxClient(**UNENCRYPTED)
        return anthropic.Anthropic(
            base_url=self.address, api_key="none", max_retries=0, timeout=PATIENCE_S, http_client=http
        )

    def close(self) -> None:
        self.client.close()
        self.api.stop()


def accepted_connections() -> dict[object, socket.socket]:
    """The connections of this process by the address of their other end."""
    found = {}
    for one in gc.get_objects():
        if isinstance(one, socket.socket) and one.fileno() >= 0:
            with suppress(OSError):
                found[one.getpeername()] = one
    return found


def content_of(chunks: list[dict[str, Any]], index: int = 0) -> str:
    """The text that the chunks of a streamed chat completion add up to."""
    return "".join(
        choice["delta"].get("content") or ""
        for chunk in chunks
        for choice in chunk["choices"]
        if choice["index"] == index
    )
