"""Reads the body of a request within limits of size, time and nesting, as the struct that its endpoint declares."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from typing import TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from app.api.errors import ApiError
from engine.files.bounded_json import JsonLimits, UntrustedJsonError, check_structure

Body = TypeVar("Body")

# More text than any model's context holds, and the largest picture; nesting as deep as tools' schemas ever are.
LIMITS = JsonLimits(size=32 * 2**20, depth=64, containers=200_000, commas=1_000_000)
# Seconds that a client may take to send its body.
BODY_S = 30.0
# Seconds for which the rest of a body is dropped that is too large.
_DROP_S = 1.0
# Larger bodies (bytes) are parsed on a thread of their own, so that the loop can serve other clients.
_LARGE = 2**18
# The path at the end of msgspec's errors, such as `$.messages[0].role`.
_PLACE = re.compile(r" - at (?:`key` in )?`\$([^`]*)`\Z")


async def read_body(request: Request, kind: type[Body]) -> Body:
    """Return the body of a request as `kind`. Raises `ApiError`."""
    data = await _read(request)
    return _parsed(data, kind) if len(data) < _LARGE else await asyncio.to_thread(_parsed, data, kind)


async def _read(request: Request) -> bytes:
    too_large = ApiError(413, f"The body is larger than {LIMITS.size} bytes.", code="too_large", closes=True)
    announced = request.headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced[:20]) > LIMITS.size:
        await _drop(request)
        raise too_large
    data = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for chunk in request.stream():
                data += chunk
                if len(data) > LIMITS.size:
                    await _drop(request)
                    raise too_large
    except TimeoutError as error:
        raise ApiError(408, "The body did not arrive in time.", code="timeout", closes=True) from error
    except ClientDisconnect as error:
        raise ApiError(400, "The client ended the connection.", closes=True) from error
    return bytes(data)


async def _drop(request: Request) -> None:
    """Read the rest of a body for a moment: where a connection ends with unread bytes, the client loses the answer."""
    with suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(_DROP_S):
            while (await request.receive()).get("more_body"):
                pass


def _parsed(data: bytes, kind: type[Body]) -> Body:
    try:
        check_structure(data, LIMITS)
        value = msgspec.json.decode(data.decode())
    except UnicodeDecodeError as error:
        sentence = f"The body is not UTF-8: byte {error.start} is {data[error.start]:#04x}."
        raise ApiError(400, sentence, code="invalid_json") from error
    except (UntrustedJsonError, msgspec.DecodeError) as error:
        raise ApiError(400, f"The body is not usable as JSON: {error}.", code="invalid_json") from error
    if not isinstance(value, dict):
        raise ApiError(400, "The body must be a JSON object.", code="invalid_json")
    # Some clients write whole numbers as 5.0.
    whole = {key: int(item) for key, item in value.items() if isinstance(item, float) and item.is_integer()}
    return body_of(value | whole, kind)


def body_of(value: dict[str, object], kind: type[Body]) -> Body:
    """Convert an object to `kind`. Raises `ApiError`, which names the field that is wrong."""
    try:
        return msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        problem, path = str(error), ""
        if (place := _PLACE.search(problem)) is not None:
            problem, path = problem[: place.start()], place[1]
        if isinstance(error.__cause__, ApiError):
            raise error.__cause__.within(path[1:]) from error
        if problem.startswith("Object missing required field"):
            path += "." + problem.split("`")[1]
        raise ApiError(400, f"{path[1:]!r}: {problem}.", param=path[1:], code="invalid_value") from error
