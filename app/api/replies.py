"""What goes back over the wire: JSON, errors in the shape of the endpoint, and server-sent events."""

from __future__ import annotations

import json
import secrets
from typing import Any

from starlette.responses import Response

from app.api.errors import ApiError

# Endpoints whose clients expect the Anthropic shape.
_ANTHROPIC_PATHS = "/v1/messages"
EVENT_STREAM = "text/event-stream; charset=utf-8"
KEEP_ALIVE = b": keep-alive\n\n"
DONE = b"data: [DONE]\n\n"
# Encodes as `json.dumps` would, which makes an encoder for every value.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
# What is filled in later; no text of a client or of a model can be equal to it.
HOLE = secrets.token_hex(16)


def as_json(value: Any) -> bytes:
    """Compact JSON in UTF-8."""
    return _ENCODER.encode(value).encode()


class JsonReply(Response):
    """A JSON body with its status."""

    media_type = "application/json"

    def __init__(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__(as_json(value), status, headers)


def error_reply(error: ApiError, path: str) -> JsonReply:
    """An error as the clients of the endpoint at `path` expect it."""
    headers = {}
    if error.retry_after is not None:
        headers["retry-after"] = str(error.retry_after)
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    if error.closes:
        headers["connection"] = "close"
    body = error.anthropic() if path.startswith(_ANTHROPIC_PATHS) else error.openai()
    return JsonReply(body, error.status, headers)


def sse(value: Any, event: str = "") -> bytes:
    """One server-sent event, named where the protocol names its events."""
    name = f"event: {event}\n".encode() if event else b""
    return b"".join((name, b"data: ", as_json(value), b"\n\n"))


class EventForm:
    """A server-sent event that is sent for every token: all but its HOLEs is encoded once."""

    def __init__(self, value: Any, event: str = "") -> None:
        self._parts = sse(value, event).split(as_json(HOLE))

    def filled(self, *values: Any) -> bytes:
        """The event with `values` in the holes, in their order."""
        found = [self._parts[0]]
        for value, part in zip(values, self._parts[1:], strict=True):
            found += (as_json(value), part)
        return b"".join(found)
