"""Measures what reading a long stored chat costs: switching to it, scrolling, and the search in it.

With `--tints`, it also measures what the tints of a streaming answer cost (`tests.benchmarks.tints`).

Everything is processor time of the Qt thread, because other programs may have the processors: a slice is what the
thread does in one turn of the event loop, and no paint can come inside of one.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QEvent, QObject
from PySide6.QtTest import QTest

from app.system.display import has_display
from app.transcript.lazy_turn import LazyTurn
from app.widgets.application import Application
from app.window.main_window import MainWindow
from tests.benchmarks import options, tints
from tests.benchmarks.fake_engine import SteadyEngine
from tests.benchmarks.frames import LATE_MS
from tests.benchmarks.measured_window import measured_window, median, percentile, wait

# Pixels and seconds from one step of the wheel to the next: a fast scroll by hand. `headlong` leaves no time between.
_STEP, _PACE_S = 400, 0.1
_REST_S = 1.5


class Slices:
    """The processor time of each slice of the Qt thread, in ms."""

    def __init__(self) -> None:
        self.ms: list[float] = []
        self._since = time.thread_time()

    @contextmanager
    def recording(self) -> Iterator[None]:
        dispatcher = QAbstractEventDispatcher.instance()
        # Waiting itself takes no processor time.
        self._since = time.thread_time()
        # Before each wait, and before each turn of the event loop that does not wait.
        for begins in (dispatcher.aboutToBlock, dispatcher.awake):
            begins.connect(self._end)
        yield
        self._end()
        for begins in (dispatcher.aboutToBlock, dispatcher.awake):
            begins.disconnect(self._end)

    def _end(self) -> None:
        self.ms.append(1000 * (time.thread_time() - self._since))
        self._since = time.thread_time()


class SourcePaints(QObject):
    """Counts the paints of turns that show the typed words, because they have no widgets yet."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, LazyTurn) and watched.view is None:
            self.count += 1
        return False


def measure(turns: int, steps: int, pairs: int) -> dict[str, Any]:
    """Measure a chat of `turns` questions and answers, and each streamed text in that many `pairs` of answers."""
    if not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_NO_GLIB"] = "1"
    application = Application(["tandem"], "en")
    with measured_window(application, lambda: SteadyEngine(1.0, 0), 2 * turns) as (window, session):
        wait(lambda: False, _REST_S)
        chat, paints = session.chat, SourcePaints()
        application.installEventFilter(paints)
        report = {
            "turns": turns,
            "scrolling": _scrolled(window, steps, _PACE_S),
            "headlong": _scrolled(window, steps, 0.0),
            "find": [_found(window, text) for text in ("n", "ne", "t", "number", "Question 7")],
        }
        switches = []
        for _ in range(5):
            session.chats.new_chat()
            wait(lambda: False, 0.3)
            paints.count, slices = 0, Slices()
            with slices.recording():
                session.chats.open(chat)
                wait(lambda: False, 0.6)
            switches.append((sum(slices.ms), max(slices.ms), paints.count))
        report["switch"] = switches
    report["tints"] = tints.compared(application, list(tints.TEXTS), pairs) if pairs else {}
    return report


def _scrolled(window: MainWindow, steps: int, pace: float) -> dict[str, float]:
    """Scroll up from the end, a step a frame."""
    bar = window.parts.transcript.verticalScrollBar()
    bar.setValue(bar.maximum())
    wait(lambda: False, _REST_S)
    frames = []
    for _ in range(steps):
        slices = Slices()
        with slices.recording():
            bar.setValue(bar.value() - _STEP)
            if pace:
                wait(lambda: False, pace)
            else:
                QCoreApplication.processEvents()
        # A frame cannot come before the longest slice has ended.
        frames.append(max(slices.ms))
    return _spread(frames)


def _found(window: MainWindow, text: str) -> dict[str, Any]:
    window.parts.find_bar.close_bar()
    window.parts.find_bar.open()
    wait(lambda: False, 0.3)
    slices = Slices()
    with slices.recording():
        QTest.keyClicks(window.parts.find_bar.edit, text)
        wait(lambda: False, _REST_S)
    total, worst = sum(slices.ms), max(slices.ms)
    window.parts.find_bar.close_bar()
    return {"text": text, "total_ms": total, "worst_ms": worst, "slices": len(slices.ms)}


def _spread(times: list[float]) -> dict[str, float]:
    late = sum(one > LATE_MS for one in times)
    return {
        "frames": len(times),
        "median_ms": median(times),
        "p95_ms": percentile(times, 0.95),
        "worst_ms": max(times, default=0.0),
        "late": late,
    }


def table(report: dict[str, Any]) -> str:
    """Format the figures."""
    lines = [f"a chat of {report['turns']} turns, processor time of the Qt thread"]
    for name in ("scrolling", "headlong"):
        run = report[name]
        lines.append(
            f"{name}, {_STEP} px a step: median {run['median_ms']:.0f} ms a frame, 95 % {run['p95_ms']:.0f} ms, worst "
            f"{run['worst_ms']:.0f} ms, {run['late']} of {run['frames']} above {LATE_MS:.0f} ms"
        )
    lines += [
        f"find {run['text']!r}: {run['total_ms']:.0f} ms, the longest slice {run['worst_ms']:.0f} ms"
        for run in report["find"]
    ]
    total, worst, paints = (statistics.median(column) for column in zip(*report["switch"], strict=True))
    lines.append(
        f"switching to it: {total:.0f} ms, the longest slice {worst:.0f} ms, typed words painted {paints:.0f} times"
    )
    return "\n".join([*lines, *tints.lines(report["tints"])])


def main() -> None:
    """Measure and print."""
    parser = options.parser_of(__doc__, repetitions=False)
    parser.add_argument("--turns", type=int, default=300, metavar="N", help="questions in the chat (300)")
    parser.add_argument("--steps", type=int, default=100, metavar="N", help="steps of the wheel (100)")
    parser.add_argument("--tints", type=int, default=0, metavar="N", help="pairs of streamed answers of each kind (0)")
    arguments = parser.parse_args()
    options.show(
        arguments, measure(arguments.turns, arguments.steps, arguments.tints), lambda found: print(table(found))
    )


if __name__ == "__main__":
    main()
