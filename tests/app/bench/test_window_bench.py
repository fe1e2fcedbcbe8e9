"""The window's benchmark measures what it says; how long things take is none of a test's business."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from app.bench import long_answers, measured_window
from app.bench.fake_engine import SteadyEngine, WaitingEngine
from app.bench.frames import Frames
from app.bench.window_bench import frame_figures, panel_figures, table
from engine.events import Finished, TokensCommitted
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from app.widgets.application import Application

ROUNDS_A_PICTURE = 25
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
def painted_bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer goes on when there is a picture of what came before: a busy machine would paint it all at once."""
    pictures = threading.Semaphore(0)
    pause = SteadyEngine.pause

    def counted(work: Callable[[Frames], None]) -> Callable[[Frames], None]:
        def run(frames: Frames) -> None:
            pictures_before = len(frames.busy_ms)
            work(frames)
            if len(frames.busy_ms) > pictures_before:
                pictures.release()

        return run

    def pause_for_a_picture(engine: SteadyEngine, number: int) -> bool:
        if number and number % ROUNDS_A_PICTURE == 0 and threading.current_thread().name == "speaker":
            pictures.acquire(timeout=PATIENCE_S)
        return pause(engine, number)

    monkeypatch.setattr(Frames, "begin_frame", counted(Frames.begin_frame))
    monkeypatch.setattr(Frames, "waits", counted(Frames.waits))
    monkeypatch.setattr(SteadyEngine, "pause", pause_for_a_picture)
    monkeypatch.setattr(measured_window, "SETTLE_S", 0.0)


def test_frames_are_counted_while_text_streams_into_a_long_chat(qapp: Application) -> None:
    report = frame_figures(qapp, messages=20, rate=2000.0, seconds=0.2)
    assert report["tokens"] == 400
    assert 0 < report["frames"] < report["pictures"] + 1
    assert 0 < report["median_ms"] <= report["p99_ms"] <= report["worst_ms"]
    assert 0 < report["interval_median_ms"] <= report["interval_p99_ms"] <= report["interval_worst_ms"]
    assert report["gui_cpu_s_per_1000_tokens"] > 0


def _long(name: str, application: Application) -> dict[str, Any]:
    return long_answers.measured(application, replace(long_answers.TEXTS[name], rate=5000.0), 1000)


@pytest.mark.parametrize("name", long_answers.TEXTS)
def test_each_kind_of_long_answer_is_shown_to_its_end(name: str, qapp: Application) -> None:
    report = _long(name, qapp)
    assert report["tokens"] == 1000
    # A busy machine may show several fifths in one picture, which then have no time of their own.
    assert len(report["fifths"]) == 5
    assert sum(report["fifths"]) > 0


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


def test_a_frame_is_all_the_work_up_to_the_painting() -> None:
    frames = Frames()
    frames.begins()
    frames.waits()
    assert frames.busy_ms == []
    for _ in range(2):
        frames.begin_frame()
        frames.painted()
        frames.waits()
    assert len(frames.busy_ms) == len(frames.cpu_ms) == 2
    assert len(frames.interval_ms) == len(frames.waited_ms) == 1


def test_a_picture_without_news_makes_no_interval_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("app.bench.frames.time.perf_counter", lambda: now)
    frames = Frames()
    for moment, news in ((0.0, True), (0.005, False), (0.02, True)):
        now = moment
        frames.begin_frame() if news else frames.begins()
        now += 0.001
        frames.painted()
        now += 0.002
        frames.waits()
    assert frames.busy_ms == pytest.approx([3.0, 3.0, 3.0])
    assert frames.interval_ms == pytest.approx([20.0])


def test_a_picture_ends_where_work_for_the_next_one_begins_at_once() -> None:
    frames = Frames()
    frames.begin_frame()
    frames.painted()
    frames.begin_frame()
    frames.painted()
    frames.waits()
    assert len(frames.busy_ms) == 2


def test_what_is_painted_before_the_first_word_is_no_frame() -> None:
    frames = Frames()
    for streams in (False, True, True):
        frames.streams = lambda streams=streams: streams
        frames.begin_frame()
        frames.painted()
        frames.waits()
    assert len(frames.busy_ms) == 2
    assert len(frames.interval_ms) == 1


def test_the_engines_of_the_benchmark_say_all_of_their_tokens() -> None:
    for engine in (SteadyEngine(1e9, 40), WaitingEngine(0.0, 0.0, 40)):
        events: list[object] = []
        engine.speak(events.append)
        told = [event for event in events if isinstance(event, TokensCommitted)]
        assert sum(len(event.tokens) for event in told) == 40
        assert isinstance(events[-1], Finished)
        assert events[-1].text == "".join(event.text for event in told)
