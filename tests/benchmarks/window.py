"""Measures what the window costs, on the real one.

A stored chat of many messages is open while an answer streams into it at a fixed rate. A frame is a picture that shows
something new of it (`frames`); 60 a second are one every 16.7 ms at most, and one that comes more than 32 ms
after the one before it is late. They are counted from the first one with words of the answer on: before it there is
nothing to show. A long answer tells whether a token costs more at its end than at its start, and an answer of many
rounds what the live panel costs by itself.

Then two engines answer alone and in the window, in turns, the same request each time: the ratio of their median speeds
is what the window takes from them. One waits for something else, as an engine on a GPU does, and loses only what
Python's lock costs. The other one is the starter pair, which computes on the same cores as the window: what the Qt
thread takes of them it lacks, so it is said how much each takes and how many cores that makes busy.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
from PySide6.QtCore import QCoreApplication

from app.session.answer import Answer
from app.session.session import Session
from app.speculation.panel import SpeculationPanel
from app.system.display import has_display
from app.widgets.application import Application
from engine import Engine, starter_pair
from engine.client import RequestStream
from engine.events import Event, Finished
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from tests.benchmarks import long_answers, options, starts
from tests.benchmarks.fake_engine import TOKENS_A_ROUND, SteadyEngine, WaitingEngine
from tests.benchmarks.frames import Frames
from tests.benchmarks.measured_window import PATIENCE_S, intervals, measured_window, median, percentile, spread, wait

_QUESTION = "Tell me everything about speculative decoding."
_STARTS = 5
_ENGINE_TOKENS = 400
_FRAME_S = 0.016
# A round of a model that does about 40 plain steps a second on a GPU, with the Python that goes on around it.
_GPU_WAIT_S, _GPU_WORK_S, _GPU_TOKENS = 0.024, 0.001, 400


def measure(messages: int, rate: float, seconds: float, repetitions: int, long_tokens: int) -> dict[str, Any]:
    """All figures; opens the window on the screen there is, or offscreen. Long answers have `long_tokens` tokens."""

    if not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # GLib's event loop says that it is about to wait before every single source.
    os.environ["QT_NO_GLIB"] = "1"

    application = Application(["tandem"], "en")
    return {
        "start": starts.measure(_STARTS),
        "frames": frame_figures(application, messages, rate, seconds),
        "long": long_answers.growth(application, long_tokens),
        "panel": panel_figures(application, 2000),
        "engine": _starter_share(application, repetitions),
        "gpu": _gpu_share(application, repetitions),
    }


def frame_figures(application: Any, messages: int, rate: float, seconds: float) -> dict[str, Any]:
    """Frames and the Qt thread's processor time while an answer streams into a chat of so many messages."""
    engine, frames = SteadyEngine(rate, round(rate * seconds)), Frames()
    with (
        measured_window(application, lambda: engine, messages) as (window, session),
        frames.recording(session, window, lambda: _has_words(session)),
    ):
        began = time.thread_time()
        answer = session.answers.ask(_QUESTION).answer
        wait(lambda: answer.ended, seconds + PATIENCE_S)
        spent = time.thread_time() - began
    times = frames.busy_ms
    return {
        "messages": messages,
        "tokens_per_second": rate,
        "tokens": len(answer.tokens),
        "pictures": len(times),
        "median_ms": median(times),
        "p99_ms": percentile(times, 0.99),
        "worst_ms": max(times, default=0.0),
        "cpu_median_ms": median(frames.cpu_ms),
        "cpu_worst_ms": max(frames.cpu_ms, default=0.0),
        **intervals(frames),
        "gui_cpu_s_per_1000_tokens": 1000 * spent / max(1, len(answer.tokens)),
    }


def _has_words(session: Session) -> bool:
    return bool(session.chat.turns and session.chat.turns[-1].answer.tokens)


def panel_figures(application: Any, rounds: int) -> dict[str, Any]:
    """Measure the Qt thread's processor time for a frame that changes only the live panel, with two rounds a frame."""

    events: list[Event] = []
    with closing(SteadyEngine(1e9, TOKENS_A_ROUND * rounds)) as engine:
        engine.speak(events.append)
    times: list[float] = []
    with measured_window(application, lambda: SteadyEngine(1.0, 0), 0) as (window, _):
        panel, answer = window.findChild(SpeculationPanel), Answer()
        assert panel is not None
        panel.show_answer(answer)
        for index in range(0, len(events) - 2, 2):
            answer.apply(events[index : index + 2])
            began = time.thread_time()
            panel.follow()
            QCoreApplication.processEvents()
            # The platform paints a few ms after a request.
            time.sleep(_FRAME_S)
            QCoreApplication.processEvents()
            times.append(1000 * (time.thread_time() - began))
            if index == len(events) // 10 * 2:
                before = _memory()
        grown = _memory() - before
    return {"rounds": rounds, "mean_ms": statistics.fmean(times), "worst_ms": max(times), "memory_grown_mb": grown}


def _memory() -> float:
    """Return the resident memory of the process in MB."""

    return float(psutil.Process().memory_info().rss) / 1e6


def _starter_share(application: Any, repetitions: int) -> dict[str, Any]:
    """Measure plain decoding of the starter pair, which has the most events a second."""

    sampling = _endless(starter_pair()[0])

    class LongAnswers(Engine):
        """Answers every question at the same length, in the window and without it."""

        def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
            off = SpeculationSettings(method="off")
            long = replace(request, sampling=sampling, speculation=off, max_tokens=_ENGINE_TOKENS)
            return super().submit(long, on_event)

    with measured_window(application, LongAnswers, 0) as (_, session):
        return _shares(session, repetitions)


def _gpu_share(application: Any, repetitions: int) -> dict[str, Any]:
    engine = WaitingEngine(_GPU_WAIT_S, _GPU_WORK_S, _GPU_TOKENS)
    with measured_window(application, lambda: engine, 0) as (_, session):
        return _shares(session, repetitions)


def _endless(model: Path) -> SamplingSettings:
    """Return greedy settings that exclude the token that would end the answer."""
    ends = json.loads((model / "config.json").read_text(encoding="utf-8"))["eos_token_id"]
    return SamplingSettings(logit_bias=dict.fromkeys(ends if isinstance(ends, list) else [ends], -1e9))


def _shares(session: Session, repetitions: int) -> dict[str, Any]:
    """Measure decoding speed alone and while the window shows the answer, in turns, after one of each to warm up."""
    alone: list[float] = []
    shown: list[float] = []
    costs: list[float] = []
    others: list[float] = []
    for _ in range(repetitions + 1):
        speed, length = _speed_alone(session)
        alone.append(speed)
        session.chats.new_chat()
        began, whole = time.thread_time(), time.process_time()
        answer = session.answers.ask(_QUESTION).answer
        wait(lambda answer=answer: answer.ended, PATIENCE_S)  # type: ignore[misc]
        spent, tokens = time.thread_time() - began, len(answer.tokens)
        # Speed depends on length, so only answers of equal length can be compared.
        assert tokens == length, (tokens, length)
        costs.append(1000 * spent / tokens)
        others.append(1000 * (time.process_time() - whole - spent) / tokens)
        shown.append(answer.stats.decode_tps or 0.0)
    return {
        "tokens": length,
        "alone_tps": statistics.median(alone[1:]),
        "shown_tps": statistics.median(shown[1:]),
        # Ratios of single pairs would vary more, as a disturbance affects only one answer.
        "ratio": statistics.median(shown[1:]) / statistics.median(alone[1:]),
        "alone_range_tps": (min(alone[1:]), max(alone[1:])),
        "shown_range_tps": (min(shown[1:]), max(shown[1:])),
        "gui_cpu_s_per_1000_tokens": statistics.median(costs[1:]),
        "other_cpu_s_per_1000_tokens": statistics.median(others[1:]),
        "cores": os.cpu_count(),
    }


def _busy_cores(share: dict[str, Any]) -> float:
    """Return how many cores the process keeps busy while the window shows an answer."""
    spent = share["gui_cpu_s_per_1000_tokens"] + share["other_cpu_s_per_1000_tokens"]
    return float(spent * share["shown_tps"] / 1000)


def _speed_alone(session: Session) -> tuple[float, int]:
    """Return tokens a second and their number, without a consumer of the events and with the Qt thread asleep."""

    ended: list[Finished] = []
    request = ChatRequest([{"role": "user", "content": _QUESTION}])

    def listen(event: Event) -> None:
        if isinstance(event, Finished):
            ended.append(event)

    session.models.engine.submit(request, listen)
    while not ended:
        time.sleep(0.02)
    stats = ended[0].stats
    assert stats is not None
    return stats.decode_tps or 0.0, stats.generated_tokens


def table(report: dict[str, Any]) -> str:
    """Format the figures."""
    frames, panel = report["frames"], report["panel"]
    lines = [
        *starts.line(report["start"]),
        f"{frames['frames']} frames while {frames['tokens_per_second']:.0f} tokens/s stream into a chat of "
        f"{frames['messages']} messages ({frames['tokens']} tokens)",
        f"from frame to frame, painted to painted: {spread(frames)}",
        f"work a picture, of {frames['pictures']}: median {frames['median_ms']:.1f} ms, 99th percentile "
        f"{frames['p99_ms']:.1f} ms, worst {frames['worst_ms']:.1f} ms; processor time of it: median "
        f"{frames['cpu_median_ms']:.1f} ms, worst {frames['cpu_worst_ms']:.1f} ms",
        f"Qt thread: {frames['gui_cpu_s_per_1000_tokens']:.2f} s of processor time for 1,000 tokens",
        *long_answers.lines(report["long"]),
        f"live panel over {panel['rounds']} rounds: mean {panel['mean_ms']:.2f} ms a frame, worst "
        f"{panel['worst_ms']:.1f} ms, memory grown by {panel['memory_grown_mb']:.1f} MB",
    ]
    for name, key in (("starter pair", "engine"), ("an engine that waits for a GPU", "gpu")):
        share = report[key]
        alone, shown = ("{:.0f} to {:.0f}".format(*share[arm]) for arm in ("alone_range_tps", "shown_range_tps"))
        lines.append(
            f"{name}: {share['alone_tps']:.0f} tokens/s alone ({alone}), {share['shown_tps']:.0f} in the window "
            f"({shown}), ratio {share['ratio']:.3f}; 1,000 tokens take the Qt thread "
            f"{share['gui_cpu_s_per_1000_tokens']:.2f} s and all other threads "
            f"{share['other_cpu_s_per_1000_tokens']:.2f} s of processor time, "
            f"{_busy_cores(share):.1f} of {share['cores']} cores"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = options.parser_of(__doc__)
    parser.add_argument("--messages", type=int, default=500, metavar="N", help="messages in the open chat (500)")
    parser.add_argument("--rate", type=float, default=300.0, metavar="R", help="tokens per second (300)")
    parser.add_argument("--seconds", type=float, default=10.0, metavar="S", help="length of streaming (10)")
    parser.add_argument("--long-tokens", type=int, default=8000, metavar="N", help="length of the long answers (8000)")
    arguments = parser.parse_args()
    report = measure(
        arguments.messages, arguments.rate, arguments.seconds, arguments.repetitions, arguments.long_tokens
    )
    options.show(arguments, report, lambda found: print(table(found)))


if __name__ == "__main__":
    main()
