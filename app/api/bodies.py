"""Reads the JSON body of a request within limits of size, time and nesting, and takes typed fields out of it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from app.api.errors import ApiError, bad_field
from engine.files.bounded_json import JsonLimits, UntrustedJsonError, parse

T = TypeVar("T")

# More text than any model's context holds; nesting as deep as tools' schemas ever are.
LIMITS = JsonLimits(size=8 * 2**20, depth=64, containers=200_000, commas=1_000_000)
# Seconds that a client may take to send its body.
BODY_S = 30.0
# Bodies larger than this are parsed away from the loop, which serves all other clients.
_LARGE = 2**18


async def read_object(request: Request) -> dict[str, Any]:
    """The object that is the body of a request. Raises `ApiError`."""
    data = await _read(request)
    try:
        value = parse(data, LIMITS) if len(data) < _LARGE else await asyncio.to_thread(parse, data, LIMITS)
    except UntrustedJsonError as error:
        raise ApiError(400, f"The body is not usable as JSON: {error}.", code="invalid_json") from error
    if not isinstance(value, dict):
        raise ApiError(400, "The body must be a JSON object.", code="invalid_json")
    if b"\\u" in data and not _encodable(value):
        raise ApiError(400, "The body holds half a surrogate pair, which is no character.", code="invalid_json")
    return value


async def _read(request: Request) -> bytes:
    too_large = ApiError(413, f"The body is larger than {LIMITS.size} bytes.", code="too_large", closes=True)
    announced = request.headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced[:20]) > LIMITS.size:
        raise too_large
    data = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for chunk in request.stream():
                data += chunk
                if len(data) > LIMITS.size:
                    raise too_large
    except TimeoutError as error:
        raise ApiError(408, "The body did not arrive in time.", code="timeout", closes=True) from error
    except ClientDisconnect as error:
        raise ApiError(400, "The client ended the connection.", closes=True) from error
    return bytes(data)


def _encodable(value: Any) -> bool:
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, dict):
        return all(_encodable(key) and _encodable(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(_encodable, value))


class Fields:
    """Typed access to the fields of an object; `null` counts as absent. Every method raises `ApiError`."""

    def __init__(self, values: Mapping[str, Any], path: str = "") -> None:
        self._values, self._path = values, path

    def name(self, key: str) -> str:
        """The path of a field, as errors name it."""
        return f"{self._path}{key}"

    def has(self, key: str) -> bool:
        return self._values.get(key) is not None

    def raw(self, key: str) -> Any:
        return self._values.get(key)

    def text(self, key: str, default: T | None = None) -> str | T | None:
        value: str | T | None = self._typed(key, str, "a text", default)
        return value

    def required_text(self, key: str) -> str:
        value = self.text(key)
        if not isinstance(value, str):
            raise bad_field(self.name(key), "a text")
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        return bool(self._typed(key, bool, "true or false", default))

    def integer(self, key: str, default: T | None = None, least: int = 0, most: int = 2**63) -> int | T | None:
        value = self._values.get(key)
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise bad_field(self.name(key), f"a whole number between {least} and {most}")
        return value

    def number(self, key: str, default: T | None = None, least: float = 0.0, most: float = 1.0) -> float | T | None:
        value = self._values.get(key)
        if value is None:
            return default
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
            raise bad_field(self.name(key), "a number")
        if not least <= value <= most:
            raise bad_field(self.name(key), f"between {least:g} and {most:g}")
        return float(value)

    def items(self, key: str) -> list[Any]:
        """The elements of an array, none where the field is absent."""
        value: list[Any] = self._typed(key, list, "an array", []) or []
        return value

    def fields(self, key: str) -> Fields:
        """The fields of an object, none where it is absent."""
        return Fields(self._typed(key, dict, "an object", {}) or {}, f"{self._path}{key}.")

    def objects(self, key: str) -> list[Fields]:
        """The objects of an array, none where the field is absent."""
        found = []
        for index, item in enumerate(self.items(key)):
            path = f"{self._path}{key}[{index}]"
            if not isinstance(item, dict):
                raise bad_field(path, "an object")
            found.append(Fields(item, f"{path}."))
        return found

    @property
    def values(self) -> Mapping[str, Any]:
        return self._values

    def _typed(self, key: str, kind: type, words: str, default: Any) -> Any:
        value = self._values.get(key)
        if value is None:
            return default
        if not isinstance(value, kind):
            raise bad_field(self.name(key), words)
        return value
