"""A server under test and a plain HTTP client for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2

from app.api.engine_host import EngineHost
from app.api.local_api import LocalApi
from engine.client import EngineClient
from tests.patience import PATIENCE_S


class Served:
    """`api` on `engine`, and requests to it."""

    def __init__(self, api: LocalApi, host: EngineHost, engine: EngineClient) -> None:
        self.api, self.host, self.engine = api, host, engine
        self.address = api.status.address
        self.client = httpx2.Client(base_url=self.address, timeout=PATIENCE_S, trust_env=False)

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

    def close(self) -> None:
        self.client.close()
        self.api.stop()


def content_of(chunks: list[dict[str, Any]], index: int = 0) -> str:
    """The text that the chunks of a streamed chat completion add up to."""
    return "".join(
        choice["delta"].get("content") or ""
        for chunk in chunks
        for choice in chunk["choices"]
        if choice["index"] == index
    )
