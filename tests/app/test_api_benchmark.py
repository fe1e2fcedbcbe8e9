"""The benchmark of the local API: two servers, many clients, and a client that notes when bytes come."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

import pytest

from tests.benchmarks import api, api_client, api_overhead


def answer(first: float, token: float = 0.1, tokens: int = 11, text: str = "a") -> dict[str, Any]:
    return {"first_s": first, "last_s": first + token * (tokens - 1), "tokens": tokens, "text": text}


def test_the_overhead_is_the_median_of_blocks() -> None:
    def block(over: float, token: float) -> api_overhead.Block:
        own = [answer(0.010), answer(0.012)]
        return api_overhead.Block(own, [answer(0.011 + over, token), answer(0.011 + over, token)])

    figures = api_overhead.figures_of([block(0.003, 0.101), block(0.002, 0.099), block(0.5, 0.5)])
    assert (figures["first_token_ms"], figures["answers"], figures["same_text"]) == (11.0, 6, 6)
    assert (figures["first_token_over_ms"], figures["first_token_over_ms_between"]) == (3.0, [2.0, 500.0])
    assert (figures["token_ms"], figures["token_over_percent"]) == (100.0, 1.0)
    assert figures["token_over_percent_between"] == [-1.0, 400.0]
    table = api_overhead.table({"off": figures})
    assert "first token 11.0 ms, over the API +3.0 (+2.0 to +500.0) ms" in table
    assert "a token 100.0 ms, over the API +1.0 (-1.0 to +400.0) %" in table


@pytest.mark.campaign
def test_both_servers_are_measured(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["api", "--repetitions", "1", "--max-tokens", "16", "--json"])
    api.main()
    report = json.loads(capsys.readouterr().out)
    assert list(report["concurrent"]) == ["1", "4", "8"]
    assert all(figures["ratio"] > 0 for figures in report["concurrent"].values())
    assert list(report["overhead"]) == ["off", "auto", "draft"]
    assert all(figures["same_text"] == figures["answers"] for figures in report["overhead"].values())


@pytest.mark.full
def test_the_client_reads_a_reply_however_it_is_cut() -> None:
    deltas = [{"role": "assistant", "content": ""}, {"content": "Hel"}, {"content": "lo\r\n0\r\n"}, {}]
    chunks: list[dict[str, Any]] = [{"choices": [{"delta": delta}]} for delta in deltas]
    chunks.append({"choices": [], "usage": {"completion_tokens": 2}})
    events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    parts = [events[0], events[1] + events[2], events[3], events[4] + b"data: [DONE]\n\n"]
    reply = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    reply += b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    client, server = socket.socketpair()
    with client, server:
        sending = threading.Thread(target=lambda: [server.sendall(reply[at : at + 1]) for at in range(len(reply))])
        sending.start()
        figures = api_client.ask(client, "localhost", b"{}")
        sending.join()
        assert server.recv(1000).endswith(b"\r\nContent-Length: 2\r\n\r\n{}")
    assert (figures["text"], figures["tokens"]) == ("Hello\r\n0\r\n", 2)
    assert 0 < figures["first_s"] <= figures["last_s"]
