"""The benchmarks of the window run to their ends and report their figures."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from app.widgets.application import Application
from engine.events import Finished, TokensCommitted
from tests.benchmarks import long_answers, measured_window, ranks, starts, window
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


@pytest.mark.parametrize(("benchmark", "option"), [(ranks, "--delays"), (window, "--messages")])
def test_a_benchmark_says_what_it_takes(
    benchmark: ModuleType, option: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmark", "--help"])
    with pytest.raises(SystemExit, match="0"):
        benchmark.main()
    assert option in capsys.readouterr().out
