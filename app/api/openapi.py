"""Endpoints and their OpenAPI description, for people and for tools that generate clients or tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp

from app.api.bodies import read_body
from app.api.models import ANY
from app.system.versions import installed_version

_ABOUT = (
    "Marks of control tokens, such as <|im_end|>, in the texts of messages and tools are ordinary text, unless one of "
    "Tandem's settings lets them take effect. In the prompt of a completion they are control tokens."
)


class Endpoint(Route):
    """A route with the struct that its body is read as, if it takes one, and a line of documentation.

    The line is the first one of the struct's docstring, else of `reply`'s.
    """

    def __init__(
        self,
        method: str,
        path: str,
        reply: Callable[..., Awaitable[ASGIApp]],
        body: type[msgspec.Struct] | None = None,
    ) -> None:
        async def with_body(request: Request) -> ASGIApp:
            assert body is not None
            return await reply(request, await read_body(request, body))

        super().__init__(path, reply if body is None else with_body, methods=[method])
        self.method, self.body = method.lower(), body
        self.line = str((body or reply).__doc__).partition("\n")[0]


def description(endpoints: Sequence[Endpoint], models: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 description. `models` has the kinds ("main", "draft", ...) of the models by name."""
    bodies = [endpoint.body for endpoint in endpoints if endpoint.body is not None]
    references, schemas = msgspec.json.schema_components(bodies, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(bodies, references, strict=True))
    mains = [name for name, kinds in models.items() if "main" in kinds]
    drafters = [name for name, kinds in models.items() if {"draft", "head"} & set(kinds)]
    names = {"model": [*filter(None, ANY), *mains], "draft_model": ["none", *drafters]}
    for schema in schemas.values():
        properties = {name: _given(one) for name, one in schema["properties"].items()}
        # Fields that may be anything are those that the API refuses.
        schema["properties"] = {name: one for name, one in properties.items() if one}
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
    info = {"title": "Tandem", "version": installed_version("tandem-chat") or "0", "description": _ABOUT}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _given(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field without null, which counts as absent everywhere."""
    found = {key: value for key, value in schema.items() if (key, value) != ("default", None)}
    kinds = [one for one in found.pop("anyOf", ()) if one != {"type": "null"}]
    return found | (dict(kinds[0]) if len(kinds) == 1 else {"anyOf": kinds} if kinds else {})
