"""Bodies that are cut off or no HTTP: every endpoint says so with status 400, in the form of its dialect."""

from __future__ import annotations

import gzip
import json
import socket

import pytest

from app.api.requests.bodies import ApiRoute
from app.api.routes import ENDPOINTS
from tests.app.api.conftest import Serve
from tests.app.api.serving import Served

WITH_BODY = [endpoint for endpoint in ENDPOINTS if endpoint.body is not None]
WHOLE = json.dumps(
    {"model": "", "messages": [{"role": "user", "content": "één"}], "input": "hi", "prompt": "hi"}, ensure_ascii=False
).encode()
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def sized(body: bytes, size: int | None = None) -> bytes:
    """Return the end of a head that announces `size` bytes, by default those of the body, and the body."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body) if size is None else size, body)


def chunk(body: bytes, size: int) -> bytes:
    """Return a chunk that announces `size` bytes."""
    return b"%x\r\n%s" % (size, body)


# What ends with its connection, because the client has nothing more to send.
CUT_OFF = {
    "fewer bytes than announced": sized(WHOLE[:-9], len(WHOLE)),
    "no byte of those announced": sized(b"", len(WHOLE)),
    "a chunk that is cut": CHUNKED + chunk(WHOLE[:-9], len(WHOLE)),
    "no last chunk": CHUNKED + chunk(WHOLE, len(WHOLE)) + b"\r\n",
}
# What is wrong although all of it has arrived, and words of the sentence that says so.
WHOLE_BUT_WRONG = {
    "half": (sized(WHOLE[:-9]), "The body is cut off"),
    "half, within a string": (sized(WHOLE[:14]), "The body is cut off"),
    "half, within a letter": (sized(WHOLE[: WHOLE.index("é".encode()) + 1]), "The body is cut off"),
    "half in chunks": (CHUNKED + chunk(WHOLE[:-9], len(WHOLE) - 9) + b"\r\n0\r\n\r\n", "The body is cut off"),
    "half of gzip": (
        b"Content-Encoding: gzip\r\n" + sized(gzip.compress(WHOLE)[:-9]),
        "The compressed body is cut off",
    ),
    "empty": (sized(b""), "The body is empty"),
    "a word": (sized(b"hello"), "must be a JSON object"),
    "something behind it": (sized(WHOLE + b"}}"), "not usable as JSON"),
    "no chunks": (CHUNKED + b"zz\r\n" + WHOLE, "no valid HTTP"),
}


def answer_to(served: Served, endpoint: ApiRoute, body: bytes, ends: bool) -> tuple[bytes, bytes]:
    """Return the first line and the body of the answer; with `ends`, the client sends nothing more, but reads."""
    head = f"{endpoint.method.upper()} {endpoint.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    with served.connect() as connection:
        connection.sendall(head.encode() + b"Content-Type: application/json\r\n" + body)
        if ends:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while part := connection.recv(4096):
            received += part
    head_received, _, content = received.partition(b"\r\n\r\n")
    return head_received.partition(b"\r\n")[0], content


def sentence_in(content: bytes, endpoint: ApiRoute) -> str:
    """Return the sentence of an error, which has the form of its dialect."""
    answer = json.loads(content)
    is_anthropic = endpoint.path.startswith("/v1/messages")
    is_ollama = endpoint.path.startswith("/api/") and not endpoint.path.startswith("/api/v1/")
    assert (answer.get("type") == "error") == is_anthropic
    assert isinstance(answer["error"], str) == is_ollama
    sentence: str = answer["error"] if is_ollama else answer["error"]["message"]
    return sentence


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=lambda endpoint: f"{endpoint.method} {endpoint.path}")
def test_every_endpoint_says_what_is_wrong_with_a_body(told: Served, endpoint: ApiRoute) -> None:
    before = len(told.requests)
    for body in CUT_OFF.values():
        status, content = answer_to(told, endpoint, body, ends=True)
        assert status == b"HTTP/1.1 400 Bad Request"
        assert sentence_in(content, endpoint).startswith("The body is cut off. Send")
    for body, words in WHOLE_BUT_WRONG.values():
        status, content = answer_to(told, endpoint, body, ends=False)
        assert status == b"HTTP/1.1 400 Bad Request"
        assert words in sentence_in(content, endpoint)
    assert len(told.requests) == before
    assert told.get("/health").status_code == 200


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (CUT_OFF["fewer bytes than announced"], f"Only {len(WHOLE) - 9} of the {len(WHOLE)} bytes"),
        (CUT_OFF["no last chunk"], "The end of the body did not arrive"),
    ],
    ids=["bytes", "chunk"],
)
def test_a_client_that_waits_for_an_answer_to_half_a_body_is_told_how_much_came(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, body: bytes, words: str
) -> None:
    monkeypatch.setattr("app.api.requests.bodies.BODY_S", 0.1)
    served = serve()
    for endpoint in WITH_BODY[:2]:
        status, content = answer_to(served, endpoint, body, ends=False)
        assert status.startswith(b"HTTP/1.1 408")
        assert sentence_in(content, endpoint).startswith(words)


def test_a_request_that_is_no_http_is_refused_in_json(told: Served) -> None:
    with told.connect() as connection:
        connection.sendall(b"HELLO\r\n\r\n")
        received = b""
        while part := connection.recv(4096):
            received += part
    assert received.startswith(b"HTTP/1.1 400 ")
    assert json.loads(received.partition(b"\r\n\r\n")[2])["error"]["code"] == "invalid_http"
