"""Reads the bodies of requests as the structs that their endpoints declare, and describes them as OpenAPI.

Size, time and nesting are limited. The description is for people, and for tools that generate clients or tests.
"""

from __future__ import annotations

import asyncio
import codecs
import re
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Route
from starlette.types import ASGIApp

from app.api.requests.errors import ApiError
from app.api.requests.lenient_content import READING_TIME, note_skipped
from app.system.versions import installed_version
from engine.files.bounded_json import JsonLimits, UntrustedJsonError, check_structure
from engine.files.reading_time import ReadingTime

Body = TypeVar("Body")

# Names of the model that the window or `tandem serve` has loaded, whichever it is; "" if a body names none.
LOADED_MODEL_NAMES = ("", "default", "tandem")

# More text than any model's context holds, and the largest picture; nesting as deep as tools' schemas ever are.
LIMITS = JsonLimits(size=32 * 2**20, depth=64, containers=200_000, commas=1_000_000)
# The ways in which a body may be compressed, as `content-encoding` names them: zlib finds out which of them it is.
COMPRESSIONS = ("gzip", "x-gzip", "deflate")
# Seconds that a client may take to send its body.
BODY_S = 30.0
# Seconds of computing for the files of a body together.
_FILES_S = 60.0
# Seconds for which the rest of a body is dropped that is too large.
_DROP_S = 1.0
# What a client that waits for an answer to half a body is told; `announced` bytes are those of its header.
_LATE = "Only {count} of the {announced} bytes of the body arrived in time. Send as many as `Content-Length` says."
_LATE_CHUNK = "The end of the body did not arrive in time. Send its last chunk, or declare a `Content-Length`."
_CUT_OFF_JSON = "The body is cut off: its JSON does not end. Send it whole."
_EMPTY = "The body is empty. Send a JSON object."
_NO_OBJECT = "The body must be a JSON object."
# Larger bodies (bytes) are parsed on a thread of their own, so that the loop can serve other clients.
_LARGE = 2**18
# Parts of contents with files, whose texts take time to read; such bodies are parsed on a thread, too.
_FILE = re.compile(rb'"(?:document|file|input_file)"')
# The path at the end of msgspec's errors, such as `$.messages[0].role`.
_PLACE = re.compile(r" - at (?:`key` in )?`\$([^`]*)`\Z")


async def read_body(request: Request, kind: type[Body]) -> Body:
    """Return the body of a request as `kind`, and note in its state what was skipped. Raises `ApiError`."""
    data = await _read(request)
    if request.headers.get("content-encoding", "").strip().lower() in COMPRESSIONS:
        # Even a small one may become as large as any.
        data = await asyncio.to_thread(_decompressed, data)
    skipped = list[str]()
    quick = len(data) < _LARGE and _FILE.search(data) is None
    body = _parsed(data, kind, skipped) if quick else await _parsed_apart(request, data, kind, skipped)
    request.state.skipped = note_skipped(request.url.path, skipped)
    return body


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
        sentence = _LATE.format(count=len(data), announced=announced) if int(announced[:20]) else _LATE_CHUNK
        raise ApiError(408, sentence, code="timeout", closes=True) from error
    except ClientDisconnect as error:
        raise ApiError(400, "The client ended the connection.", closes=True) from error
    return bytes(data)


def _decompressed(data: bytes) -> bytes:
    """Return what gzip or zlib has compressed. Raises `ApiError` for what is neither, and beyond the largest body."""
    # Either of the two heads.
    reader = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        whole = reader.decompress(data, LIMITS.size + 1)
    except zlib.error as error:
        sentence = "The body is not compressed as its header `Content-Encoding` says."
        raise ApiError(400, sentence, code="content_encoding") from error
    if len(whole) > LIMITS.size:
        raise ApiError(413, f"The body is larger than {LIMITS.size} bytes.", code="too_large")
    if not reader.eof:
        raise ApiError(400, "The compressed body is cut off.", code="content_encoding")
    return whole


async def _drop(request: Request) -> None:
    """Read the rest of a body for a moment: where a connection ends with unread bytes, the client loses the answer."""
    with suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(_DROP_S):
            while (await request.receive()).get("more_body"):
                pass


async def _parsed_apart(request: Request, data: bytes, kind: type[Body], skipped: list[str]) -> Body:
    """Parse a body on a thread that no other call waits for, until the client leaves or the server ends."""
    time = ReadingTime(_FILES_S)
    thread = ThreadPoolExecutor(1, "api-body", READING_TIME.set, (time,))
    parsing = asyncio.get_running_loop().run_in_executor(thread, _parsed, data, kind, skipped)
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait((parsing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not parsing.done():
            raise ApiError(400, "The client ended the connection.", closes=True)
        return parsing.result()
    finally:
        time.abandoned.set()
        parsing.cancel()
        leaving.cancel()
        thread.shutdown(wait=False)


def _parsed(data: bytes, kind: type[Body], skipped: list[str]) -> Body:
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        check_structure(data, LIMITS)
        value = msgspec.json.decode(data.decode())
    except UnicodeDecodeError as error:
        sentence = f"The body is not UTF-8: byte {error.start} is {data[error.start]:#04x}."
        raise ApiError(400, sentence, code="invalid_json") from error
    except (UntrustedJsonError, msgspec.DecodeError) as error:
        raise ApiError(400, _what_is_wrong(data, error), code="invalid_json") from error
    if not isinstance(value, dict):
        raise ApiError(400, _NO_OBJECT, code="invalid_json")
    return body_of(value, kind, skipped)


def _what_is_wrong(data: bytes, error: Exception) -> str:
    """Return a sentence for a body that is no JSON, of which `error` says why."""
    begin = data.lstrip()[:1]
    if not begin:
        return _EMPTY
    if begin not in (b"{", b"["):
        return _NO_OBJECT
    # The words of `check_structure` and of msgspec.
    is_cut = str(error) in ("cut off", "Input data was truncated")
    return _CUT_OFF_JSON if is_cut else f"The body is not usable as JSON: {error}."


def body_of(value: dict[str, object], kind: type[Body], skipped: list[str] | None = None) -> Body:
    """Convert an object to `kind`. Raises `ApiError`, which names the field that is wrong.

    A kind with a method `normalised` reads what programs really send; `skipped` gets the names of what it leaves out.
    Numbers may be texts, and whole ones may be 5.0, as some programs write them.
    """
    normalised = getattr(kind, "normalised", None)
    if normalised is not None:
        value = normalised(value, [] if skipped is None else skipped)
    try:
        return msgspec.convert(value, kind, strict=False, str_keys=True)
    except msgspec.ValidationError as error:
        problem = str(error)
        path = ""
        if (place := _PLACE.search(problem)) is not None:
            problem = problem[: place.start()]
            path = place[1]
        if isinstance(error.__cause__, ApiError):
            raise error.__cause__.within(path[1:]) from error
        if problem.startswith("Object missing required field"):
            path += "." + problem.split("`")[1]
        raise ApiError(400, f"{path[1:]!r}: {problem}.", param=path[1:], code="invalid_value") from error


_API_DESCRIPTION = (
    "Marks of control tokens, such as <|im_end|>, in messages, tools and chat_template_kwargs are ordinary text. In "
    "the prompt of a completion they are control tokens. Sampling that a request leaves out is as the model's authors "
    "recommend or, without a recommendation, at temperature 0."
)


class ApiRoute(Route):
    """A route with the struct that its body is read as, if it takes one, and a line of documentation.

    The line is the first one of the struct's docstring, else of `reply`'s.
    """

    def __init__(
        self, method: str, path: str, reply: Callable[..., Awaitable[ASGIApp]], body: type[msgspec.Struct] | None = None
    ) -> None:
        async def with_body(request: Request) -> ASGIApp:
            assert body is not None
            return await reply(request, await read_body(request, body))

        super().__init__(path, reply if body is None else with_body, methods=[method])
        self.method = method.lower()
        self.body = body
        self.line = str((body or reply).__doc__).partition("\n")[0]


def description(endpoints: Sequence[ApiRoute], models: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 description. `models` has the kinds ("main", "draft", ...) of the models by name."""
    bodies = [endpoint.body for endpoint in endpoints if endpoint.body is not None]
    references, schemas = msgspec.json.schema_components(bodies, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(bodies, references, strict=True))
    mains = [name for name, kinds in models.items() if "main" in kinds]
    drafters = [name for name, kinds in models.items() if {"draft", "head"} & set(kinds)]
    names = {"model": [*filter(None, LOADED_MODEL_NAMES), *mains], "draft_model": ["none", *drafters]}
    for schema in schemas.values():
        properties = {name: _given(field) for name, field in schema["properties"].items()}
        # Fields that may be anything are those that the API refuses.
        schema["properties"] = {name: field for name, field in properties.items() if field}
        for name in names.keys() & properties.keys():
            schema["properties"][name]["enum"] = names[name]
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        operation: dict[str, Any] = {"summary": endpoint.line, "responses": {"200": {"description": "The answer."}}}
        operation["responses"]["default"] = {"description": "An error, with a sentence."}
        if endpoint.body is not None:
            content = {"application/json": {"schema": schema_of[endpoint.body]}}
            operation["requestBody"] = {"required": True, "content": content}
        paths.setdefault(endpoint.path, {})[endpoint.method] = operation
    info = {"title": "Tandem", "version": installed_version("tandem-chat") or "0", "description": _API_DESCRIPTION}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _given(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field without null, which counts as absent everywhere."""
    others = {key: value for key, value in schema.items() if key != "anyOf" and (key, value) != ("default", None)}
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if not kinds:
        return others
    return others | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds})
