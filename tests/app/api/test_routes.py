"""Which addresses there are, and what is said about others."""

from __future__ import annotations

import pytest

from tests.app.api.conftest import Serve
from tests.app.api.serving import Served


def test_programs_for_lm_studio_find_its_list(starter: Served) -> None:
    main, *_ = starter.get("/api/v0/models").json()["data"]
    assert starter.get("/api/v0/models/starter/main").json() == main
    assert (main["id"], main["type"], main["publisher"], main["state"]) == ("starter/main", "llm", "starter", "loaded")
    assert {"object", "arch", "compatibility_type", "quantization", "max_context_length"} <= {*main}
    assert starter.get("/api/v0/models/none").status_code == 404


def test_programs_for_the_newer_api_of_lm_studio_list_load_and_unload(starter: Served) -> None:
    main, *_ = starter.get("/api/v1/models").json()["models"]
    assert (main["type"], main["key"], main["publisher"], main["format"]) == ("llm", "starter/main", "starter", "mlx")
    [instance] = main["loaded_instances"]
    assert instance["config"]["context_length"] == main["max_context_length"]
    loaded = starter.post("/api/v1/models/load", {"model": main["key"], "context_length": 4096}).json()
    assert (loaded["instance_id"], loaded["status"]) == (instance["id"], "loaded")
    # It is the app's own.
    refused = starter.post("/api/v1/models/unload", {"instance_id": instance["id"]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "in-use")
    for path, body in {"load": {"model": "none"}, "unload": {"instance_id": "none"}}.items():
        assert starter.post(f"/api/v1/models/{path}", body).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("/chat/completions", "/v1/chat/completions"),
        ("/v1/v1/chat/completions", "/v1/chat/completions"),
        ("//v1/chat/completions", "/v1/chat/completions"),
        ("/v1//chat/completions/", "/v1/chat/completions"),
        ("/openai/v1/messages", "/v1/messages"),
        ("/v1/api/chat", "/api/chat"),
        ("/v1/chat/completions/chat/completions", "/v1/chat/completions"),
    ],
)
def test_a_wrong_address_names_the_right_one(told: Served, wrong: str, right: str) -> None:
    reply = told.client.post(f"{told.address}{wrong}", json={})
    assert reply.status_code == 404
    assert f"There is no such endpoint. Did you mean {told.address}{right}?" in reply.text
    assert "mean" not in told.get("/elsewhere").text


@pytest.mark.parametrize("slashes", ["/", "//"])
def test_a_slash_at_the_end_is_answered_and_not_led_on(serve: Serve, slashes: str) -> None:
    served = serve(key="secret")
    key = {"x-api-key": "secret"}
    question = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9, "stream": False}
    for path in ("/v1/chat/completions", "/v1/messages", "/secret/v1/chat/completions", "/api/chat"):
        assert served.post(path + slashes, question, headers=key).status_code == 200
        assert served.api.ended[-1].endpoint == path.removeprefix("/secret")
    for path in ("/v1/models", "/api/v0/models", "/health", "/openapi.json"):
        assert served.get(path + slashes, headers=key).json() == served.get(path, headers=key).json()
    for path, status in {"/v1/models/none": 404, "/nothing": 404, "/v1/chat/completions": 405}.items():
        assert served.get(path + slashes, headers=key).status_code == status
    # The key is asked for as without.
    assert [served.get(path + slashes).status_code for path in ("/v1/models", "/health")] == [401, 200]
    # The shape of an error, too.
    assert served.post("/v1/messages" + slashes, {}, headers=key).json()["type"] == "error"
