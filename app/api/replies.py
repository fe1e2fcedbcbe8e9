"""Replies: JSON, errors in the form of their endpoint, and server-sent events."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from app.api.errors import ApiError

# Endpoints whose clients expect the form of the Anthropic and of Ollama's API.
_ANTHROPIC_PATHS, _OLLAMA_PATHS = "/v1/messages", "/api/"
EVENT_HEADERS = {"content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no"}
KEEP_ALIVE = b": keep-alive\n\n"
DONE = b"data: [DONE]\n\n"


class JsonReply(Response):
    """A JSON body with its status."""

    media_type = "application/json"

    def __init__(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__(msgspec.json.encode(value), status, headers)


def error_reply(error: ApiError, path: str) -> JsonReply:
    """Return an error in the form that clients of the endpoint at `path` expect."""
    headers = {}
    if error.retry_after is not None:
        headers["retry-after"] = str(error.retry_after)
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    if error.closes:
        headers["connection"] = "close"
    if path.startswith(_ANTHROPIC_PATHS):
        body = error.anthropic()
    else:
        body = error.ollama() if path.startswith(_OLLAMA_PATHS) else error.openai()
    return JsonReply(body, error.status, headers)


def sse(value: Any, event: str = "") -> bytes:
    """Return one server-sent event; `event` is its name in protocols that name events."""
    name = f"event: {event}\n".encode() if event else b""
    return b"".join((name, b"data: ", msgspec.json.encode(value), b"\n\n"))
