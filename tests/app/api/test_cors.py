"""What a page of an allowed origin may ask and read, by the CORS protocol of the Fetch standard, and nobody else.

A preflight is OPTIONS of the address that the page wants, whether there is such an endpoint or not, with a key in the
address or none, and with

- `Origin`: scheme, host and port, the last left out if it is the scheme's own; "null" for what has none
- `Access-Control-Request-Method`: in capitals, but for a method of the page's own, such as "patch"
- `Access-Control-Request-Headers`, unless there are none: names in small letters, in order, between commas; older
  browsers have spaces, capitals and an order of their own
- `Access-Control-Request-Private-Network: true` in Chromium, if the page is of a wider network than the address
- neither a body nor cookies nor the key, and maybe more headers, such as `Sec-Fetch-Mode`

The answer is read if its status is 200 to 299 and names the origin. Methods are compared as they are written, but GET,
HEAD and POST are always good; headers are compared in any case, and `*` does not stand for `Authorization`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from app.api.requests.bodies import LIMITS
from app.api.requests.lenient_content import SKIPPED_HEADER
from engine.errors import QueueFull
from tests.app.api.conftest import Serve
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

OBSIDIAN = "app://obsidian.md"
PAGE = "http://localhost:3000"
# Of Electron, Tauri and what VS Code shows in a window: nobody has named them.
PROGRAMS = (
    OBSIDIAN,
    "tauri://localhost",
    "vscode-webview://0e2d8f-a",
    "vscode-file://vscode-app",
    "app://",
    "app://.:80",
)
KEY = {"authorization": "Bearer secret"}
CHAT = "/v1/chat/completions"
QUESTION: dict[str, Any] = {"messages": [{"role": "user", "content": "Hi"}]}
# What the clients of OpenAI and Anthropic send in a browser; the last ones are of no client.
_STAINLESS = (
    "x-stainless-arch,x-stainless-lang,x-stainless-os,x-stainless-package-version,x-stainless-retry-count,"
    "x-stainless-runtime,x-stainless-runtime-version,x-stainless-timeout"
)
ASKED = {
    "OpenAI's client": f"authorization,content-type,{_STAINLESS}",
    "its stream helper": f"authorization,content-type,{_STAINLESS},x-stainless-helper-method",
    "in Firefox": "authorization,content-type,user-agent",
    "with an organization": "authorization,content-type,openai-organization,openai-project",
    "Anthropic's client": f"anthropic-dangerous-direct-browser-access,anthropic-version,x-api-key,{_STAINLESS}",
    "with a beta": "anthropic-beta,anthropic-version,content-type,x-api-key,x-stainless-helper",
    "one header": "content-type",
    "spaces and large letters": "Content-Type, X-Not-Known-Yet ,user-agent",
    "one header many times": ",".join(["x-own"] * 200),
}


@pytest.fixture(scope="module")
def guarded() -> Iterator[Served]:
    """A server that asks for a key and allows an origin."""
    engine = ScriptedEngine()
    served = Served(engine, origins=(PAGE,), key="secret")
    # The thread that lists models stays.
    served.get("/v1/models", headers=KEY)
    yield served
    served.close()
    engine.close()


def preflight(served: Served, origin: str, path: str = CHAT, method: str = "POST", **more: str) -> httpx2.Response:
    asked = {"origin": origin, "access-control-request-method": method}
    return served.client.options(path, headers=asked | {name.replace("_", "-"): value for name, value in more.items()})


def names(value: str) -> set[str]:
    """The names in the value of a header, which are separated by commas and of any case."""
    return {name.strip().lower() for name in value.split(",")}


def access_control(response: httpx2.Response) -> set[str]:
    return {name for name in response.headers if name.startswith("access-control-")}


@pytest.mark.parametrize("asked", ASKED.values(), ids=list(ASKED))
@pytest.mark.parametrize("origin", [PAGE, OBSIDIAN])
def test_an_allowed_page_may_send_the_headers_that_it_asks_for(guarded: Served, origin: str, asked: str) -> None:
    # A browser does not send the key with this question.
    reply = preflight(guarded, origin, access_control_request_headers=asked)
    assert reply.is_success
    assert reply.headers["access-control-allow-origin"] == origin
    assert names(asked) <= names(reply.headers["access-control-allow-headers"])
    assert int(reply.headers["access-control-max-age"]) > 0
    assert {"origin", "access-control-request-headers"} <= names(reply.headers["vary"])
    # Browsers send no cookies of theirs to a server that does not say this.
    assert "access-control-allow-credentials" not in reply.headers


@pytest.mark.parametrize(
    ("path", "method"),
    [
        (CHAT, "POST"), ("/v1/models", "GET"), ("/v1/models", "HEAD"), ("/v1/speculation", "PUT"),
        ("/v1/speculation", "DELETE"), ("/api/delete", "DELETE"), ("/nothing", "POST"), ("/secret/v1/models", "GET"),
        (CHAT + "/", "POST"),
    ],
)  # fmt: skip
def test_every_method_of_an_endpoint_is_allowed(guarded: Served, path: str, method: str) -> None:
    # Without further headers, as the standard has it for some requests.
    reply = preflight(guarded, OBSIDIAN, path, method)
    assert reply.is_success
    assert method.lower() in names(reply.headers["access-control-allow-methods"])


def test_a_public_page_may_reach_this_network_if_its_origin_is_allowed(guarded: Served) -> None:
    asked = {"access_control_request_private_network": "true", "access_control_request_headers": "content-type"}
    allowed = preflight(guarded, OBSIDIAN, **asked)
    assert (allowed.is_success, allowed.headers["access-control-allow-private-network"]) == (True, "true")
    assert preflight(guarded, OBSIDIAN).headers.get("access-control-allow-private-network") is None


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example", "null", "http://localhost:3001", "https://localhost:3000", "http://localhost",
        "http://localhost:3000.evil.example", "http://evil.example/http://localhost:3000", "http://localhost:3000/",
        "http://localhost:3000, https://evil.example", "*", "", "file://", "file:///home/page.html", "HTTP://localhost:3000",
        "http://app://obsidian.md", "https://app.example", "app:obsidian.md", "app://obsidian.md/", "app://a@b",
        "app://obsidian.md https://evil.example", "app://obsidian.md\tx", "myapp://obsidian.md", "app://a:port",
        "chrome-extension://abcdefghijklmnop", "moz-extension://x", "http://tauri.localhost", "vscode://x", "blob:app://x",
    ],
)  # fmt: skip
def test_other_origins_are_told_nothing(guarded: Served, origin: str) -> None:
    asked = {"access_control_request_headers": "content-type", "access_control_request_private_network": "true"}
    for reply in (
        preflight(guarded, origin, **asked),
        guarded.post(CHAT, QUESTION, headers=KEY | {"origin": origin}),
        guarded.get("/health", headers={"origin": origin}),
    ):
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "origin")
        assert not access_control(reply)


def test_without_allowed_origins_no_page_of_a_site_is_told_anything(serve: Serve) -> None:
    served = serve()
    for reply in (preflight(served, PAGE), served.get("/v1/models"), served.get("/", headers={"origin": PAGE})):
        assert not access_control(reply)


@pytest.mark.parametrize("origin", PROGRAMS)
def test_a_program_with_a_browser_inside_may_call_unnamed(serve: Serve, guarded: Served, origin: str) -> None:
    asked = {"access_control_request_headers": ASKED["OpenAI's client"]}
    page = {"origin": origin, "sec-fetch-site": "cross-site"}
    served = serve()
    assert preflight(served, origin, **asked).headers["access-control-allow-origin"] == origin
    reply = served.post(CHAT, QUESTION, headers=page)
    assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (200, origin)
    # As a page, it says that it sends JSON; and where there is a key, it needs that.
    assert served.client.post(CHAT, content=b"{}", headers=page | {"content-type": "text/plain"}).status_code == 415
    assert guarded.post(CHAT, QUESTION, headers=page).status_code == 401
    assert guarded.post(CHAT, QUESTION, headers=page | KEY).status_code == 200


def test_what_an_origin_was_refused_for_is_said(serve: Serve) -> None:
    assert "--origin" in serve().get("/v1/models", headers={"origin": PAGE}).json()["error"]["message"]


def test_an_allowed_page_can_read_every_answer_and_what_is_wrong(guarded: Served) -> None:
    page = {"origin": OBSIDIAN}
    too_large = json.dumps(QUESTION).encode() + b" " * LIMITS.size
    as_json = {"content-type": "application/json"}
    replies = {
        200: guarded.post(CHAT, QUESTION | {"min_tokens": 5}, headers=page | KEY),
        400: guarded.post(CHAT, {}, headers=page | KEY),
        401: guarded.post(CHAT, QUESTION, headers=page),
        403: guarded.get("/v1/models", headers=page | {"host": "evil.example"}),
        404: guarded.get("/nothing", headers=page | KEY),
        405: guarded.get(CHAT, headers=page | KEY),
        413: guarded.client.post(CHAT, content=too_large, headers=page | KEY | as_json),
        415: guarded.client.post(CHAT, content="x", headers=page | KEY),
    }
    for status, reply in replies.items():
        assert reply.status_code == status
        assert reply.headers["access-control-allow-origin"] == OBSIDIAN
        # Without cookies, it stands for all headers.
        assert reply.headers["access-control-expose-headers"] == "*"
        assert "origin" in names(reply.headers["vary"])
        assert reply.json()
    assert SKIPPED_HEADER in replies[200].headers
    # Of a request that is no page's, too: a store of answers must not give its answer to a page.
    own = guarded.get("/v1/models", headers=KEY)
    assert (access_control(own), names(own.headers["vary"])) == (set(), {"origin"})


def test_an_allowed_page_can_read_a_stream_and_when_to_try_again(serve: Serve) -> None:
    served = serve(ScriptedEngine([Script(), Script("", error=QueueFull(3))]))
    for status in (200, 429):
        reply = served.post(CHAT, QUESTION | {"stream": True}, headers={"origin": OBSIDIAN})
        assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (status, OBSIDIAN)
        assert reply.headers["access-control-expose-headers"] == "*"
    assert "retry-after" in reply.headers


@pytest.mark.expects_log
def test_a_failure_of_ours_can_be_read_by_an_allowed_page(guarded: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("app.api.models.ModelDirectory.named")
    reply = guarded.get("/v1/models/any", headers=KEY | {"origin": OBSIDIAN})
    assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (500, OBSIDIAN)
    assert reply.json()["error"]["code"] == "internal"
