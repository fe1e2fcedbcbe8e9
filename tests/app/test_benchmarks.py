"""The benchmarks of the window and of the local API run to their ends and report their figures."""

from __future__ import annotations

import json
import socket
import threading
from dataclasses import replace
from typing import Any

import pytest

from app.widgets.application import Application
from engine.events import Finished, TokensCommitted
from tests.benchmarks import api, api_client, api_overhead, long_answers, measured_window, starts
from tests.benchmarks.fake_engine import SteadyEngine, WaitingEngine
from tests.benchmarks.window import frame_figures, panel_figures, table

pytestmark = pytest.mark.full

_SHARE = {
    "alone_tps": 100.0,
    "shown_tps": 98.0,
    "alone_range_tps": (99.0, 101.0),
    "shown_range_tps": (97.0, 99.0),
    "ratio": 0.98,
    "gui_cpu_s_per_1000_tokens": 0.5,
    "other_cpu_s_per_1000_tokens": 9.5,
    "cores": 2,
}


@pytest.fixture(autouse=True)
def without_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured_window, "SETTLE_S", 0.0)


def _long(name: str, application: Application) -> dict[str, Any]:
    return long_answers.measured(application, replace(long_answers.TEXTS[name], rate=5000.0), 1000)


@pytest.mark.parametrize("name", long_answers.TEXTS)
def test_each_kind_of_long_answer_is_shown_to_its_end(name: str, qapp: Application) -> None:
    report = _long(name, qapp)
    assert report["tokens"] == 1000
    assert len(report["fifths"]) == 5


def test_the_report_can_be_read(qapp: Application) -> None:
    report = {
        "start": {
            "starts": 3,
            "window": 0.61,
            "models": 1.02,
            "first_token": 1.18,
            "bare_window": 0.31,
            "mlx_lm_first_token": 0.94,
        },
        "frames": frame_figures(qapp, messages=2, rate=2000.0, seconds=0.1),
        "long": {"one list": _long("one list", qapp)},
        "panel": panel_figures(qapp, rounds=20),
        "engine": _SHARE,
        "gpu": _SHARE,
    }
    words = table(report)
    assert "2 messages" in words
    assert "median of 3: window painted 0.61 s, models ready 1.02 s, first token 1.18 s" in words
    assert "an empty window 0.31 s, mlx-lm's first token 0.94 s" in words
    assert "1000 tokens at 5000/s, one list: 0." in words
    assert "over 20 rounds" in words
    assert words.count("ratio 0.980") == 2
    assert "Qt thread 0.50 s and all other threads 9.50 s of processor time, 1.0 of 2 cores" in words


def test_a_start_reaches_its_stages_in_order() -> None:
    found = starts.one_start()
    assert list(found) == list(starts.STAGES)
    assert 0 < found["window"] < found["models"] < found["first_token"]


def test_the_engines_of_the_benchmark_say_all_of_their_tokens() -> None:
    for engine in (SteadyEngine(1e9, 40), WaitingEngine(0.0, 0.0, 40)):
        events: list[object] = []
        engine.speak(events.append)
        engine.close()
        told = [event for event in events if isinstance(event, TokensCommitted)]
        assert sum(len(event.tokens) for event in told) == 40
        assert isinstance(events[-1], Finished)
        assert events[-1].text == "".join(event.text for event in told)


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
