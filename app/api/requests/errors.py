"""Replies of the API: JSON, server-sent events, and errors.

An error has a status, a sentence that a person can act on, and the form that clients of its dialect expect. It never
contains a path or a traceback.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from engine.errors import (
    BadRequest,
    DeviceFailed,
    EngineClosed,
    EngineError,
    GrammarNotUsable,
    LoadCancelled,
    ModelCannotSee,
    ModelNotUsable,
    NoModel,
    NotEnoughMemory,
    PictureNotUsable,
    PicturesNotInstalled,
    PromptTooLong,
    QueueFull,
    TemplateFailed,
)

# The type that both the OpenAI and the Anthropic API give an error of each status.
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    408: "timeout_error",
    413: "request_too_large",
    415: "invalid_request_error",
    429: "rate_limit_error",
    503: "overloaded_error",
}
_OF_ENGINE: dict[type[EngineError], str] = {
    NotEnoughMemory: "There is not enough memory for this.",
    NoModel: "No model is loaded.",
    LoadCancelled: "The loading of the model was cancelled.",
    ModelNotUsable: "The model cannot be used ({reason}).",
    DeviceFailed: "The GPU failed. Try again, or use a smaller model, fewer requests at once or a shorter context.",
    EngineClosed: "The engine is closed.",
}
# What is wrong with the format of an answer, with a picture, or with a chat that the model's template does not take.
_GRAMMAR = {
    "not-json": "the schema is not JSON ({detail})",
    "not-a-schema": "the schema is not a JSON object",
    "invalid": "{detail}",
    "unchecked": "these parts of the schema cannot be checked: {detail}",
    "too-large": "it is larger than {detail} KB",
    "too-slow": "compiling it takes longer than {detail} seconds",
    "too-complex": "it takes more memory than it may",
    "continued": "the text that is to be continued does not follow it",
    "lost": "it became too complex while the answer was written ({detail})",
}
_PICTURE = {
    "unknown-format": "it is no PNG, JPEG, WebP or GIF file",
    "damaged": "the file is damaged ({detail})",
    "animated": "it is animated",
    "too-large": "the file is larger than {detail} MB",
    "too-many-pixels": "it has more than {detail} megapixels",
    "too-narrow": "one side is more than {detail} times as long as the other",
    "too-slow": "decoding it takes longer than {detail} seconds",
    "too-slow-together": "decoding it and the others of the request takes longer than {detail} seconds",
    "too-much-memory": "decoding it takes more memory than it may",
    "crashed": "its decoder crashed",
}
_TEMPLATE = {
    "": "{detail}",
    "empty": "it renders to nothing",
    "too-slow": "it takes longer than {detail} seconds",
    "too-large": "it takes more memory than it may",
    "crashed": "its process ended several times",
    "pictures": "it leaves a picture out",
}
_LONGEST_SENTENCE = 500
# Seconds until a place in the queue is likely to be free.
RETRY_S = 2


class ApiError(ValueError):
    """An error that ends a call: HTTP `status`, sentence, the `param` of the request that is wrong, a stable `code`.

    Checks in the structs of a body raise it as well: to a `ValueError` msgspec adds the path of the value.
    `retry_after` are the seconds after which the same call may succeed. `closes` ends the connection as well, because
    the rest of the request was not read. `details` is what Anthropic's API says of an error beside its sentence.
    """

    def __init__(
        self,
        status: int,
        sentence: str,
        *,
        param: str | None = None,
        code: str | None = None,
        retry_after: int | None = None,
        closes: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.param = param
        self.code = code
        self.sentence = sentence[:_LONGEST_SENTENCE]
        self.retry_after = retry_after
        self.closes = closes
        self.details = details

    def within(self, path: str) -> ApiError:
        """Return the error with the whole path of its field, which belongs to the object at `path`."""
        param = ".".join(filter(None, (path, self.param)))
        return ApiError(self.status, self.sentence.replace(repr(self.param), repr(param)), param=param, code=self.code)

    @property
    def kind(self) -> str:
        return _TYPES.get(self.status, "api_error")

    def openai(self) -> dict[str, Any]:
        """The body in the shape of the OpenAI API."""
        return {"error": {"message": self.sentence, "type": self.kind, "param": self.param, "code": self.code}}

    def ollama(self) -> dict[str, Any]:
        """The body in the shape of Ollama's API."""
        return {"error": self.sentence}

    def anthropic(self) -> dict[str, Any]:
        """The body in the shape of the Anthropic API."""
        details = {} if self.details is None else {"details": self.details}
        return {"type": "error", "error": {"type": self.kind, "message": self.sentence, **details}}


def bad_field(param: str, expected: str) -> ApiError:
    """Return the error of a field that must be `expected`."""
    return ApiError(400, f"{param!r} must be {expected}.", param=param, code="invalid_value")


def unsupported(param: str, sentence: str) -> ApiError:
    """Return the error of a field that the API refuses rather than ignores."""
    return ApiError(400, sentence, param=param, code="unsupported")


def too_busy(sentence: str, retry_after: int = RETRY_S) -> ApiError:
    return ApiError(429, sentence, code="queue_full", retry_after=retry_after)


def of_engine(error: EngineError, form: str = "") -> ApiError:
    """Return an error of the engine for clients, without paths.

    `form` names the field with the answer's format, to which an unusable grammar belongs; "" if no field asked for it.
    """
    if isinstance(error, BadRequest):
        return bad_field(str(error.arguments["name"]), str(error.arguments["expected"]))
    if isinstance(error, GrammarNotUsable):
        why = f"answer cannot follow the grammar: {_GRAMMAR[error.reason].format_map(error.arguments)}."
        return ApiError(400, f"{form!r}: the {why}" if form else f"The {why}", param=form or None, code=error.code)
    if isinstance(error, QueueFull):
        return too_busy("The queue is full. Try again in a moment.")
    if (of_messages := _of_messages(error)) is not None:
        return of_messages
    for kind, sentence in _OF_ENGINE.items():
        if isinstance(error, kind):
            # A request that comes while models are exchanged finds none.
            retry_after = RETRY_S if kind is NoModel else None
            return ApiError(503, sentence.format_map(error.arguments), code=error.code, retry_after=retry_after)
    return unexpected()


def _of_messages(error: EngineError) -> ApiError | None:
    """Return the error for a conversation that cannot be answered; None if the error is about something else."""
    code = error.code
    if isinstance(error, PromptTooLong):
        # Programs search for these words of the Anthropic and the OpenAI API, and sum their conversation up.
        template = "Prompt is too long: {tokens} tokens > {limit} maximum. "
        template += "This model's maximum context length is {limit} tokens."
        sentence = template.format_map(error.arguments)
        code = "context_length_exceeded"
    elif isinstance(error, TemplateFailed):
        why = _TEMPLATE[error.reason].format(detail=error.detail)
        # What has a slash may be a path.
        why = "" if "/" in why else f": {why}"
        sentence = f"The model's chat template cannot render this conversation{why}."
        code = "template_failed"
    elif isinstance(error, PictureNotUsable):
        sentence = f"The picture cannot be used: {_PICTURE[error.reason].format_map(error.arguments)}."
    elif isinstance(error, ModelCannotSee):
        where = " on several machines" if error.arguments["reason"] == "cluster" else ""
        sentence = f"{error.arguments['name'] or 'The main model'} cannot see pictures{where}."
    elif isinstance(error, PicturesNotInstalled):
        sentence = f"Pictures need mlx-vlm: {error.command}."
    else:
        return None
    return ApiError(400, sentence, param="messages", code=code)


def unexpected() -> ApiError:
    return ApiError(500, "Something unexpected happened; the program's log has the details.", code="internal")


# Endpoints whose clients expect the form of the Anthropic and of Ollama's API.
_ANTHROPIC_PATHS = "/v1/messages"
_OLLAMA_PATHS = "/api/"
# LM Studio's own API beside Ollama's, with errors as OpenAI has them.
_LM_STUDIO_PATHS = ("/api/v0/", "/api/v1/")
EVENT_HEADERS = {"content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no"}
KEEP_ALIVE = b": keep-alive\n\n"
DONE = b"data: [DONE]\n\n"


class JsonReply(Response):
    """A JSON body with its status."""

    media_type = "application/json"

    def __init__(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__(msgspec.json.encode(value), status, headers)


# The fields of endpoints that hold what is to be answered, elsewhere "messages".
_ASKED = "messages"
_ASKED_IN = {"/v1/responses": "input", "/v1/embeddings": "input", "/v1/completions": "prompt", "/api/v1/chat": "input"}


def error_reply(error: ApiError, path: str) -> JsonReply:
    """Return an error in the form that clients of the endpoint at `path` expect, with its name of the field."""
    headers = {}
    if error.param in (_ASKED, "prompt") and (field_name := _ASKED_IN.get(path, _ASKED)) != error.param:
        error.sentence = error.sentence.replace(repr(error.param), repr(field_name))
        error.param = field_name
    if error.retry_after is not None:
        headers["retry-after"] = str(error.retry_after)
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    if error.closes:
        headers["connection"] = "close"
    if path.startswith(_ANTHROPIC_PATHS):
        body = error.anthropic()
    else:
        is_ollama = path.startswith(_OLLAMA_PATHS) and not path.startswith(_LM_STUDIO_PATHS)
        body = error.ollama() if is_ollama else error.openai()
    return JsonReply(body, error.status, headers)


def sse(value: Any, event: str = "") -> bytes:
    """Return one server-sent event; `event` is its name in protocols that name events."""
    name = f"event: {event}\n".encode() if event else b""
    return b"".join((name, b"data: ", msgspec.json.encode(value), b"\n\n"))
