"""`tandem bench --api`: two servers, many clients, one table."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from app.__main__ import main
from app.bench import api_bench, api_client, api_overhead


def test_a_server_that_does_not_start_is_a_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["bench", "--api", "--main", str(tmp_path), "--draft", "none"]) == 1
    assert "the server of tandem did not start" in capsys.readouterr().err


def test_the_table_has_a_line_for_each_number_of_clients() -> None:
    figures = {"tokens_per_s": 350.1, "mlx_lm_tokens_per_s": 72.8, "ratio": 4.8}
    table = api_bench.table({"concurrent": {"1": figures, "4": figures}})
    assert table.splitlines()[0] == "1 clients: 350.1 tokens/s, mlx-lm's server 72.8, ratio 4.8"
    assert len(table.splitlines()) == 2


def test_the_overhead_is_the_median_of_pairs() -> None:
    def pair(own: float, over_api: float) -> tuple[dict[str, Any], dict[str, Any]]:
        answers = [
            {"first_s": first, "last_s": first + 1.0 + first, "tokens": 11, "text": "a"} for first in (own, over_api)
        ]
        return answers[0], answers[1]

    figures = api_overhead.figures_of([pair(0.010, 0.013), pair(0.010, 0.012), pair(0.010, 0.5)])
    assert (figures["first_token_ms"], figures["first_token_over_ms"], figures["same_text"]) == (10.0, 3.0, 3)
    assert (figures["token_ms"], figures["token_over_percent"]) == (101.0, 0.3)
    assert "first token 10.0 ms, over the API +3.0 ms" in api_overhead.table({"off": figures})


@pytest.mark.campaign
def test_both_servers_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--api", "--repetitions", "1", "--max-tokens", "16", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert list(report["concurrent"]) == ["1", "4", "8"]
    assert all(figures["ratio"] > 0 for figures in report["concurrent"].values())
    assert list(report["overhead"]) == ["off", "auto"]
    assert all(figures["same_text"] == figures["answers"] for figures in report["overhead"].values())
    assert list(report["overhead"]) == ["off", "auto"]
    assert all(figures["same_text"] == figures["answers"] for figures in report["overhead"].values())


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
