"""Requests made of our own OpenAPI description, right ones and broken ones: never a 500, never a hang."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.requests.bodies import description
from app.api.routes import ENDPOINTS
from tests.app.api.serving import Served

DESCRIPTION = description(ENDPOINTS, {})
SCHEMAS: dict[str, Any] = {
    f"#/components/schemas/{key}": one for key, one in DESCRIPTION["components"]["schemas"].items()
}
BODIES = [
    (method, path, SCHEMAS[operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]])
    for path, methods in DESCRIPTION["paths"].items()
    for method, operation in methods.items()
    if "requestBody" in operation
]
# Values that a client may send instead of the right ones.
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema of ours allows."""
    if "$ref" in schema:
        return values(SCHEMAS[schema["$ref"]])
    if "anyOf" in schema:
        return st.one_of([values(one) for one in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema["type"]
    if kind == "object":
        properties, required = schema.get("properties", {}), schema.get("required", [])
        optional = {name: values(one) for name, one in properties.items() if name not in required}
        return st.fixed_dictionaries({name: values(properties[name]) for name in required}, optional=optional)
    if kind == "array":
        return st.lists(values(schema["items"]), min_size=schema.get("minItems", 0), max_size=3)
    bounds = {"min_value": schema.get("minimum"), "max_value": schema.get("maximum")}
    if kind == "integer":
        return st.integers(**bounds)
    if kind == "number":
        return st.floats(**bounds, allow_nan=False)
    return st.booleans() if kind == "boolean" else st.text(min_size=schema.get("minLength", 0), max_size=12)


@st.composite
def broken(draw: st.DrawFn, schema: dict[str, Any]) -> Any:
    """A body that the schema allows, with some fields replaced, added or left out."""
    body = draw(values(schema))
    for name in draw(st.lists(st.sampled_from(sorted(schema["properties"])), max_size=3)):
        if draw(st.booleans()):
            body[name] = draw(ANYTHING)
        else:
            body.pop(name, None)
    return draw(st.one_of(st.just(body), st.just(body), ANYTHING))


def check(served: Served, method: str, path: str, body: Any) -> None:
    headers = {"content-type": "application/json"}
    response = served.client.request(method, path, content=json.dumps(body).encode(), headers=headers)
    assert response.status_code in (200, 400, 404, 429), f"{response.status_code} {response.text} to {body}"
    if response.status_code != 200:
        error = response.json()["error"]
        assert (error if isinstance(error, str) else error["message"]).endswith(".")
    assert "Traceback" not in response.text
    assert "/home" not in response.text


@pytest.mark.parametrize(
    ("method", "path", "schema"),
    [
        pytest.param(*one, id=f"{one[0]} {one[1]}", marks=() if one[1] == "/v1/responses" else pytest.mark.full)
        for one in BODIES
    ],
)
@settings(max_examples=10)
@given(data=st.data())
def test_no_request_is_too_odd(
    told: Served, method: str, path: str, schema: dict[str, Any], data: st.DataObject
) -> None:
    check(told, method, path, data.draw(broken(schema)))


@settings(max_examples=20)
@given(
    body=st.binary(max_size=200) | st.text(max_size=99).map(lambda text: json.dumps({"messages": text}).encode()[:-1])
)
def test_no_bytes_are_too_odd(told: Served, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    assert told.client.post("/v1/chat/completions", content=body, headers=headers).status_code == 400


def test_every_endpoint_is_described(told: Served) -> None:
    described = told.get("/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    for path, methods in described["paths"].items():
        for method in ("get", "post", "put", "delete"):
            if path.endswith("/events") and method == "get":
                # Its answer never ends.
                assert method in methods
                continue
            answered = told.client.request(method, path, json={}).status_code
            assert (answered != 405) == (method in methods), (method, path)
