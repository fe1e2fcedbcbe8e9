"""Who may call, and with what: pages of other sites, rebound names, keys, ambiguous and oversized requests."""

from __future__ import annotations

import asyncio
import gzip
import socket
import zlib
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from app.api import proof
from app.api.guard import ApiSettings, Guard
from app.api.local_api import KeyNeeded, LocalApi, kept_key
from app.api.requests.bodies import LIMITS
from app.api.server import NotServing
from tests.app.api.conftest import Serve
from tests.app.api.serving import UNENCRYPTED, Served, accepted_connections

# They name this computer to who reads them loosely.
NO_HOSTS = (
    "127.0.0.1:80@evil", "evil@127.0.0.1", "127.0.0.1:80:evil", "127.0.0.1:", "127.0.0.1:port", "127.0.0.1:8642/evil",
    "localhost evil", "localhost,evil.example", "localhost#evil", "evil.example\\localhost", "[::1]evil.example",
    "[::1]:80@evil", "[::1", "::1", "[localhost]", "[::1]]:80", "localhost?:80", "127.0.0.1:65536", "[::1]:-1",
)  # fmt: skip
JSON = {"content-type": "application/json"}
GOOD = b'{"messages": [{"role": "user", "content": "Hi"}]}'


def raw(told: Served, data: bytes) -> bytes:
    """All that the server answers to bytes on a socket, up to the end of the connection."""
    with told.connect() as connection:
        connection.sendall(data)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
    return received


@pytest.mark.first
def test_other_sites_and_rebound_names_are_forbidden(told: Served) -> None:
    for headers, code in (
        ({"host": "evil.example"}, "host"),
        ({"host": "127.0.0.1.evil.example:8642"}, "host"),
        ({"host": ""}, "host"),
        ({"host": "192.168.1.5"}, "host"),
        *(({"host": host}, "host") for host in NO_HOSTS),
        ({"origin": "https://evil.example"}, "origin"),
        ({"origin": "null"}, "origin"),
        ({"origin": "http://localhost:3000"}, "origin"),
        ({"sec-fetch-site": "cross-site"}, "origin"),
    ):
        for path in ("/v1/models", "/health", "/nothing"):
            response = told.get(path, headers=headers)
            assert (response.status_code, response.json()["error"]["code"]) == (403, code), headers
            assert "access-control-allow-origin" not in response.headers


def test_every_name_of_this_machine_is_good(told: Served) -> None:
    for host in ("localhost", "localhost:1234", "127.0.0.1:80", "[::1]:8642", "LOCALHOST"):
        assert told.get("/health", headers={"host": host}).status_code == 200, host
    # A person typed the address.
    assert told.get("/health", headers={"sec-fetch-site": "none"}).status_code == 200


def test_an_allowed_origin_may_ask_and_read(serve: Serve) -> None:
    served, origin = serve(origins=("http://localhost:3000",)), "http://localhost:3000"
    response = served.get("/v1/models", headers={"origin": origin, "sec-fetch-site": "cross-site"})
    assert (response.status_code, response.headers["access-control-allow-origin"]) == (200, origin)
    asked = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    preflight = served.client.options("/v1/chat/completions", headers=asked)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, origin)
    assert "content-type" in preflight.headers["access-control-allow-headers"]
    assert served.get("/v1/models", headers={"origin": "http://localhost:3001"}).status_code == 403
    other = served.client.options("/v1/chat/completions", headers=asked | {"origin": "http://localhost:3001"})
    assert other.status_code == 403
    assert "access-control-allow-origin" not in other.headers


@pytest.mark.parametrize(
    "kind", ["", "application/x-www-form-urlencoded", "text/plain", "Application/JSON; charset=utf-8"]
)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/chat"])
def test_a_body_of_a_program_needs_no_type_and_that_of_a_page_does(serve: Serve, path: str, kind: str) -> None:
    served = serve(origins=("http://localhost:3000",))
    body = b'{"messages": [{"role": "user", "content": "Hi"}], "stream": false}'
    headers = {"content-type": kind} if kind else {}
    assert served.client.post(path, content=body, headers=headers).status_code == 200
    page = headers | {"origin": "http://localhost:3000"}
    assert served.client.post(path, content=body, headers=page).status_code == (200 if "JSON" in kind else 415)
    for other in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        assert served.client.post(path, content=body, headers=headers | other).status_code == 403


@pytest.mark.parametrize(
    "kind",
    ["text/json", "application/vnd.api+json", "application/problem+json; charset=utf-8", "TEXT/JSON", "x/y+json"],
)
def test_json_by_another_name_is_read_from_programs_and_allowed_pages(serve: Serve, kind: str) -> None:
    served = serve(origins=("http://localhost:3000",))
    for origin in ({}, {"origin": "http://localhost:3000"}):
        headers = {"content-type": kind, **origin}
        assert served.client.post("/v1/chat/completions", content=GOOD, headers=headers).status_code == 200


# A page sends the first without asking.
NO_JSON = ("text/plain;a=+json", "text/html", "multipart/form-data; boundary=x", "application/jsonp", "json", "+json")


def test_a_body_of_another_type_or_compression_is_refused(serve: Serve, told: Served) -> None:
    served = serve(origins=("http://localhost:3000",))
    for kind in (*NO_JSON, "text/plain, application/json", "text/plain,x/y+json", "application/json+x"):
        page = {"content-type": kind, "origin": "http://localhost:3000"}
        assert served.client.post("/v1/chat/completions", content=GOOD, headers=page).status_code == 415
    refused = [({"content-type": kind}, "content_type") for kind in NO_JSON[1:]]
    refused += [(JSON | {"content-encoding": encoding}, "content_encoding") for encoding in ("zstd", "br", "gzip, br")]
    for headers, code in refused:
        response = told.client.post("/v1/chat/completions", content=b'{"messages": []}', headers=headers)
        assert (response.status_code, response.json()["error"]["code"]) == (415, code), headers


@pytest.mark.parametrize(("encoding", "compressed"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_compressed_body_is_read_within_the_same_limits(
    told: Served, encoding: str, compressed: Callable[[bytes], bytes]
) -> None:
    headers = JSON | {"content-encoding": encoding}
    body = b'{"messages": [{"role": "user", "content": "Hi"}]}'
    assert told.client.post("/v1/chat/completions", content=compressed(body), headers=headers).status_code == 200
    wrong = {compressed(b" " * (LIMITS.size + 1)): 413, compressed(body)[:-9]: 400, body: 400, b"": 400}
    for sent, status in wrong.items():
        answer = told.client.post("/v1/chat/completions", content=sent, headers=headers)
        assert answer.status_code == status
        assert answer.json()["error"]["message"]


def test_no_answer_is_kept_or_guessed_at_by_a_browser(told: Served) -> None:
    for path in ("/health", "/v1/models", "/nothing"):
        headers = told.get(path).headers
        assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
        assert not {"server", "access-control-allow-origin"} & set(headers)


def test_a_key_is_asked_for_in_either_header(serve: Serve) -> None:
    served = serve(key="secret")
    for headers in ({"authorization": "Bearer secret"}, {"x-api-key": "secret"}, {"authorization": "bearer  secret"}):
        assert served.get("/v1/models", headers=headers).status_code == 200
    wrong = ({}, {"authorization": "Bearer Secret"}, {"x-api-key": "s"}, {"authorization": "secret"})
    for headers in wrong:
        response = served.get("/v1/models", headers=headers)
        assert (response.status_code, response.json()["error"]["code"]) == (401, "invalid_api_key")
    assert served.get("/health").json() == {"status": "ok"}


def test_programs_without_a_field_for_a_key_have_it_in_the_address(serve: Serve) -> None:
    served = serve(key="secret")
    address = served.address.removeprefix("http://")
    body = {"messages": [{"role": "user", "content": "Hi"}], "stream": False}
    for url in (f"http://secret@{address}", f"http://{address}/secret", f"http://any:secret@{address}/secret"):
        assert httpx2.get(f"{url}/v1/models", **UNENCRYPTED).status_code == 200, url
        assert httpx2.post(f"{url}/api/chat", json=body, **UNENCRYPTED).status_code == 200, url
    for url in (f"http://Secret@{address}", f"http://{address}/Secret", f"http://{address}//secret"):
        assert httpx2.get(f"{url}/v1/models", **UNENCRYPTED).status_code == 401, url
    # What a call is named in the window has no key in it.
    assert [call.endpoint for call in served.api.ended] == ["/api/chat"] * 3
    error = httpx2.post(f"http://{address}/secret/v1/messages", json={"messages": []}, **UNENCRYPTED).json()
    assert error["type"] == "error"


def test_two_hosts_are_refused(told: Served) -> None:
    for hosts in (b"Host: localhost\r\nHost: evil.example\r\n", b"Host: localhost\r\nHost: localhost\r\n", b""):
        answer = raw(told, b"GET /health HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
        assert answer.split()[1] in (b"400", b"403"), hosts


def proved(served: Served, asked: dict[str, str]) -> Any:
    return served.get("/proof", params=asked).json().get("proof")


def test_a_server_with_the_key_proves_it_to_who_has_it_and_to_nobody_else(serve: Serve) -> None:
    served = serve(key="secret")
    address = served.address.removeprefix("http://")
    asked = proof.question("secret", address)
    answer = proved(served, asked)
    assert proof.is_answer(answer, "secret", address, asked)
    assert not any(proof.is_answer(found, "secret", address, asked) for found in (None, 5, "", asked["proof"]))
    # Nor is it the answer to another question, or of a server that is reached elsewhere.
    assert not proof.is_answer(answer, "secret", address, proof.question("secret", address))
    assert not proof.is_answer(answer, "secret", "127.0.0.1:1", asked)
    for other in (
        {},
        proof.question("Secret", address),
        proof.question("secret", "127.0.0.1:1"),
        asked | {"nonce": "0" * 64},
        asked | {"proof": "\u00fc"},
        {"nonce": asked["nonce"]},
    ):
        assert proved(served, other) is None
    assert proved(serve(), asked) is None


def test_other_machines_are_let_in_only_with_a_key_and_under_no_rebound_name(serve: Serve) -> None:
    with pytest.raises(KeyNeeded):
        serve(host="0.0.0.0")
    served = serve(host="0.0.0.0", key="secret")
    assert not served.api.status.local
    served.client.base_url = served.address.replace("0.0.0.0", "127.0.0.1")
    for host, status in (("192.168.1.5:8642", 200), (socket.gethostname(), 200), ("evil.example", 403)):
        assert served.get("/health", headers={"host": host}).status_code == status


# By which programs in containers and virtual machines, and those on a tailnet, call this computer.
CONTAINERS = ("host.docker.internal:8642", "host.containers.internal", "host.orb.internal:1", "HOST.LIMA.INTERNAL")
OTHER_NAMES = ("studio.tail1234.ts.net:8642", "mac.example:80", "192.168.1.5", "my_mac")


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_with_the_key_this_computer_has_any_name(serve: Serve, host: str) -> None:
    served = serve(host=host, key="secret")
    served.client.base_url = served.address.replace("0.0.0.0", "127.0.0.1")
    key = {"authorization": "Bearer secret"}
    for name in (*CONTAINERS, *OTHER_NAMES):
        assert served.get("/v1/models", headers={"host": name, **key}).status_code == 200, name
        assert served.get("/secret/v1/models", headers={"host": name}).status_code == 200, name
        for wrong in ({}, {"authorization": "Bearer Secret"}, {"x-api-key": "s"}):
            assert served.get("/v1/models", headers={"host": name, **wrong}).status_code in (401, 403), name
    for name in NO_HOSTS:
        assert served.get("/v1/models", headers={"host": name, **key}).status_code == 403, name
    # A page is none, even with the key.
    page = {"host": "mac.example", "origin": "http://mac.example", **key}
    assert served.get("/v1/models", headers=page).json()["error"]["code"] == "origin"
    # What needs no key shows under no rebound name either.
    for path in ("/health", "/proof"):
        assert served.get(path, headers={"host": "mac.example"}).status_code == 403


def test_without_a_key_containers_reach_this_computer_and_no_other_name_does(told: Served) -> None:
    for name in CONTAINERS:
        assert told.get("/v1/models", headers={"host": name}).status_code == 200, name
        page = {"host": name, "origin": f"http://{name}"}
        assert told.get("/v1/models", headers=page).status_code == 403, name
    key = {"authorization": "Bearer secret"}
    for name in (*OTHER_NAMES, "internal", "docker.internal.example", "evilinternal", ".internal.", "internal.:80"):
        refused = told.get("/v1/models", headers={"host": name, **key})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "host"), name


def test_a_websocket_is_refused_with_an_answer(told: Served) -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    upgrade += b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    with told.connect() as connection:
        connection.sendall(b"GET /v1/responses HTTP/1.1\r\nHost: localhost\r\n" + upgrade)
        assert connection.recv(65536).startswith(b"HTTP/1.1 405")
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def never(*_: Any) -> Any:
        raise AssertionError

    asyncio.run(Guard(never, ApiSettings())({"type": "websocket", "path": "/", "headers": []}, never, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_an_address_that_is_taken_is_an_error_of_the_start(serve: Serve) -> None:
    served = serve()
    port = int(served.address.rpartition(":")[2])
    other = LocalApi(served.host)
    with pytest.raises(NotServing, match="another program uses it") as error:
        other.start(ApiSettings(port=port))
    assert error.value.reason == "in-use"
    assert not other.status.serving


def test_a_stopped_server_can_be_started_again(serve: Serve) -> None:
    served = serve()
    served.api.stop()
    assert not served.api.status.serving
    served.api.start(ApiSettings(port=0))
    assert served.client.get(f"{served.api.status.address}/health").status_code == 200


def test_a_body_beyond_the_limit_is_not_read(told: Served) -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    announced = raw(told, head + f"Content-Length: {LIMITS.size + 1}\r\n\r\n".encode())
    assert announced.startswith(b"HTTP/1.1 413")
    chunks = (b" " * 2**16 for _ in range(LIMITS.size // 2**16 + 2))
    response = told.client.post("/v1/chat/completions", content=chunks, headers=JSON)
    assert (response.status_code, response.json()["error"]["type"]) == (413, "request_too_large")


def test_a_client_that_sends_too_much_without_reading_is_told_so(told: Served) -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    for length in (b"Content-Length: 40000000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n2625a00\r\n"):
        with told.connect() as connection:
            connection.sendall(head + length)
            connection.sendall(b" " * 40_000_000)
            assert connection.recv(99).startswith(b"HTTP/1.1 413")


def test_a_second_request_cannot_be_hidden_in_the_first(told: Served) -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    hidden = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    for lengths in (
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 2\r\nContent-Length: 40\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Content-Length: +2\r\n",
        b"Content-Length : 2\r\n",
        b" Content-Length: 2\r\n",
    ):
        answer = raw(told, head + lengths + b"\r\n0\r\n\r\n" + hidden)
        assert answer.split()[1] in (b"400", b"415", b"501"), lengths
        assert b"HTTP/1.1 200" not in answer


def test_a_body_that_is_no_object_within_limits_is_a_bad_request(told: Served) -> None:
    for body in (
        b"",
        b"[]",
        b'"text"',
        b"{",
        b'{"messages": [}',
        b"\xff\xfe",
        b'{"a": ' * 100 + b"1" + b"}" * 100,
        b"[" * 100_000,
        b'{"temperature": NaN, "messages": [{"role": "user", "content": "Hi"}]}',
        b'{"temperature": 1e999, "messages": [{"role": "user", "content": "Hi"}]}',
        b'{"seed": ' + b"9" * 5000 + b"}",
        b'{"messages": [{"role": "user", "content": "\\ud800"}]}',
        b'{"messages": [{"role": "user", "content": "caf\xe9"}]}',
        b'{"messages": [{"role": "user", "content": "\xed\xa0\x80"}]}',
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\xef\xbb\xbf" + GOOD,
        GOOD.decode().encode("utf-16"),
    ):
        response = told.client.post("/v1/chat/completions", content=body, headers=JSON)
        assert response.status_code == 400, body[:60]
        assert response.json()["error"]["message"].endswith(".")


def test_a_mark_of_the_encoding_before_a_body_is_no_part_of_it(told: Served) -> None:
    reply = told.client.post("/v1/chat/completions", content=b"\xef\xbb\xbf" + GOOD, headers=JSON)
    assert reply.status_code == 200


def test_a_body_in_another_encoding_is_told_the_place(told: Served) -> None:
    body = '{"messages": [{"role": "user", "content": "café"}]}'.encode("latin-1")
    response = told.client.post("/v1/chat/completions", content=body, headers=JSON)
    assert response.json()["error"]["message"] == "The body is not UTF-8: byte 46 is 0xe9."


def test_paths_and_methods_that_there_are_not(told: Served) -> None:
    assert told.get("/v1/nothing").json()["error"]["type"] == "not_found_error"
    assert told.client.delete("/v1/chat/completions").status_code == 405
    assert told.get("/v1/models/none").status_code == 404
    assert told.get("/v1/messages/nothing").json()["type"] == "error"


class Kept:
    """A keychain in memory; one that keeps nothing if it is `broken`."""

    def __init__(self, broken: bool = False) -> None:
        self.broken, self.entries = broken, dict[str, str]()

    def read(self, endpoint: str) -> str | None:
        return self.entries.get(endpoint)

    def write(self, endpoint: str, token: str) -> bool:
        if not self.broken:
            self.entries[endpoint] = token
        return not self.broken


def test_the_key_is_made_once_and_kept_and_never_printed() -> None:
    store = Kept()
    key = kept_key(store)
    assert key is not None
    assert len(key) > 30
    assert kept_key(store) == key != kept_key(Kept())
    assert kept_key(Kept(broken=True)) is None
    assert "secret" not in repr(ApiSettings(key="secret"))


@pytest.mark.full
def test_events_are_sent_at_once(told: Served) -> None:
    """Without TCP_NODELAY the kernel holds each event back until the client has confirmed the last one."""
    with told.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        accepted = accepted_connections()[connection.getsockname()]
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
