"""GET /openapi.json: what the endpoints take, for people and for tools that make clients or tests of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from app.api.calls import Api
from app.api.models import ANY
from app.api.replies import JsonReply
from app.api.request_settings import LONGEST_STOP, MOST_CHOICES, MOST_STOPS
from app.system.versions import installed_version
from engine.requests import ACCEPTANCE_RULES, MAX_DEPTH, MAX_TEMPERATURE, MOST_ALTERNATIVES
from engine.speculation.proposers.registry import methods

_TEXT: dict[str, Any] = {"type": "string"}
_SOME_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_FLAG: dict[str, Any] = {"type": "boolean"}
_OBJECT: dict[str, Any] = {"type": "object"}


def _number(least: float, most: float) -> dict[str, Any]:
    return {"type": "number", "minimum": least, "maximum": most}


def _integer(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


def _list_of(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


_DEPTH = _integer(0, MAX_DEPTH)
_SPECULATION = _object(
    [],
    method={"type": "string", "enum": list(methods())},
    depth={"anyOf": [_DEPTH, {"const": "auto"}]},
    acceptance={"type": "string", "enum": list(ACCEPTANCE_RULES)},
)
# In place of these stand the names of installed models.
_MODEL: dict[str, Any] = {"type": "string", "enum": [name for name in ANY if name]}
_DRAFTER: dict[str, Any] = {"type": "string", "enum": ["none"]}
_PARTS = _list_of(_object(["type", "text"], type={"const": "text"}, text=_SOME_TEXT), minItems=1)
_CONTENT = {"anyOf": [_SOME_TEXT, _PARTS]}


def _messages(*roles: str) -> dict[str, Any]:
    role = {"type": "string", "enum": list(roles)}
    return _list_of(_object(["role", "content"], role=role, content=_CONTENT), minItems=1)


_MESSAGES = _messages("system", "developer", "user", "assistant", "tool")
_ANTHROPIC_MESSAGES = _messages("user", "assistant")
_STOP: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": LONGEST_STOP}
_SCHEMA_TYPE = {"const": "json_schema"}
_OTHER_FORMATS = (
    _object(["type"], type={"enum": ["text", "json_object"]}),
    _object(["type", "pattern"], type={"const": "regex"}, pattern=_SOME_TEXT),
    _object(["type", "grammar"], type={"const": "lark"}, grammar=_SOME_TEXT),
)
_SCHEMA = _object(["schema"], schema=_OBJECT)
_FORMAT = {"anyOf": [_object(["type", "json_schema"], type=_SCHEMA_TYPE, json_schema=_SCHEMA), *_OTHER_FORMATS]}
_MESSAGE_FORMAT = {"anyOf": [_object(["type", "schema"], type=_SCHEMA_TYPE, schema=_OBJECT), *_OTHER_FORMATS]}
_FUNCTION = _object(["name"], name=_TEXT, description=_TEXT, parameters=_OBJECT)
# What every endpoint that answers takes.
_COMMON: dict[str, Any] = {
    "model": _MODEL,
    "stream": _FLAG,
    "temperature": _number(0, MAX_TEMPERATURE),
    "top_p": _number(0.01, 1),
    "top_k": _integer(0, 1000),
    "min_p": _number(0, 1),
    "seed": _integer(0, 2**53),
    "max_tokens": _integer(1, 4096),
    "draft_model": _DRAFTER,
    "num_draft_tokens": _DEPTH,
    "speculation": {"anyOf": [{"type": "string", "enum": list(methods())}, _SPECULATION]},
}
_OPENAI: dict[str, Any] = {
    **_COMMON,
    "n": _integer(1, MOST_CHOICES),
    "stop": {"anyOf": [_STOP, _list_of(_STOP, maxItems=MOST_STOPS)]},
    "presence_penalty": _number(-2, 2),
    "frequency_penalty": _number(-2, 2),
    "repetition_penalty": _number(0.01, 10),
    "logit_bias": {
        "type": "object",
        "propertyNames": {"pattern": "^[0-9]{1,9}$"},
        "additionalProperties": _number(-100, 100),
    },
    "stream_options": _object([], include_usage=_FLAG),
}
# Path and method, a line on it, and the body that it takes.
_ENDPOINTS: tuple[tuple[str, str, str, dict[str, Any] | None], ...] = (
    ("get", "/health", "Whether the server answers.", None),
    ("get", "/v1/models", "The installed models, and which are loaded.", None),
    (
        "post",
        "/v1/chat/completions",
        "Answer a conversation.",
        _object(
            ["messages"],
            messages=_MESSAGES,
            max_completion_tokens=_integer(1, 4096),
            logprobs=_FLAG,
            top_logprobs=_integer(0, MOST_ALTERNATIVES),
            tools=_list_of(_object(["type", "function"], type={"const": "function"}, function=_FUNCTION)),
            tool_choice={"type": "string", "enum": ["auto", "none", "required"]},
            parallel_tool_calls=_FLAG,
            response_format=_FORMAT,
            **_OPENAI,
        ),
    ),
    (
        "post",
        "/v1/completions",
        "Continue a text that no chat template wraps.",
        _object(
            ["prompt"],
            prompt={
                "anyOf": [
                    _SOME_TEXT,
                    _list_of(_SOME_TEXT, minItems=1, maxItems=MOST_CHOICES),
                    _list_of(_integer(0, 10**6), minItems=1),
                ]
            },
            logprobs=_integer(0, 5),
            **_OPENAI,
        ),
    ),
    (
        "post",
        "/v1/responses",
        "Answer a conversation, without a memory of earlier responses.",
        _object(
            ["input"],
            input={"anyOf": [_SOME_TEXT, _MESSAGES]},
            instructions=_TEXT,
            max_output_tokens=_integer(1, 4096),
            include=_list_of(_TEXT),
            top_logprobs=_integer(0, MOST_ALTERNATIVES),
            **_COMMON,
        ),
    ),
    (
        "post",
        "/v1/messages",
        "Answer a conversation, in the shape of the Anthropic API.",
        _object(
            ["messages", "max_tokens"],
            messages=_ANTHROPIC_MESSAGES,
            system=_CONTENT,
            stop_sequences=_list_of(_STOP, maxItems=MOST_STOPS),
            tools=_list_of(_object(["name"], name=_TEXT, input_schema=_OBJECT)),
            output_config=_object([], format=_MESSAGE_FORMAT),
            output_format=_MESSAGE_FORMAT,
            **_COMMON,
        ),
    ),
    (
        "post",
        "/v1/messages/count_tokens",
        "How many tokens a conversation has.",
        _object(["messages"], messages=_ANTHROPIC_MESSAGES, system=_CONTENT),
    ),
    ("get", "/v1/speculation", "Draft model, method and depth in use, and the calls under way.", None),
    (
        "put",
        "/v1/speculation",
        "Change draft model, method or depth.",
        _object([], draft_model=_DRAFTER, **_SPECULATION["properties"]),
    ),
    ("delete", "/v1/speculation", "Drop the draft model; choose method and depth automatically.", None),
    ("get", "/v1/speculation/events", "The rounds of all calls, as server-sent events.", None),
)


def description(models: Mapping[str, tuple[str, ...]] | None = None) -> dict[str, Any]:
    """The OpenAPI description, version 3.1. `models` are the kinds of those that may be named: "main", "draft", ..."""
    paths: dict[str, Any] = {}
    mains = [name for name, kinds in (models or {}).items() if "main" in kinds]
    drafters = [name for name, kinds in (models or {}).items() if {"draft", "head"} & set(kinds)]
    named = {
        "model": _MODEL | {"enum": [*_MODEL["enum"], *mains]},
        "draft_model": _DRAFTER | {"enum": [*_DRAFTER["enum"], *drafters]},
    }
    for method, path, line, body in _ENDPOINTS:
        operation: dict[str, Any] = {"summary": line, "responses": {"200": {"description": "The answer."}}}
        operation["responses"]["default"] = {"description": "An error, with a sentence."}
        if body is not None:
            properties = {key: named.get(key, schema) for key, schema in body["properties"].items()}
            schema = {**body, "properties": properties}
            operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
        paths.setdefault(path, {})[method] = operation
    version = installed_version("tandem-chat") or "0"
    return {"openapi": "3.1.0", "info": {"title": "Tandem", "version": version}, "paths": paths}


async def openapi(request: Request) -> Response:
    api: Api = request.app.state.api
    return JsonReply(description({name: model.kinds for name, model in (await api.models.installed()).items()}))
