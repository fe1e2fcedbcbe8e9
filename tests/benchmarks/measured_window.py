"""The real window with its own chats, for benchmarks, and statistics of its frames."""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer

from app.conversations.database.records import AnswerSource
from app.conversations.opening import open_store
from app.library.library import Library
from app.session.session import Session
from app.session.store_client import OPENED_AT
from app.settings.store import SettingsStore
from app.window.main_window import MainWindow
from app.window.startup import GcPolicy
from engine import starter_pair
from engine.client import EngineClient
from engine.stats import RequestStats
from tests.benchmarks.fake_engine import PARAGRAPH
from tests.benchmarks.frames import LATE_MS, Frames

_SIZE = (1440, 900)
# Seconds for a window to settle before it is measured, and the longest time for an answer.
SETTLE_S, PATIENCE_S = 1.0, 120.0


@contextmanager
def measured_window(
    application: Any, make_engine: Callable[[], EngineClient], messages: int
) -> Iterator[tuple[MainWindow, Session]]:
    """Open the real window with its own settings and chats, ready for questions."""

    with tempfile.TemporaryDirectory(prefix="tandem-bench-") as folder:
        chats = Path(folder) / "chats.db"
        if messages:
            _fill(chats, messages)
        session = Session(make_engine, starter_pair(), chats)
        window = MainWindow(session, application, Library(SettingsStore(Path(folder) / "settings.json")))
        window.resize(*_SIZE)
        sharing = GcPolicy(session)
        window.show()
        session.models.load_starter()
        try:
            wait(lambda: session.answers.ready and bool(session.chat.turns or not messages), PATIENCE_S)
            wait(lambda: False, SETTLE_S)
            yield window, session
        finally:
            # A benchmark that fails leaves no engine that still speaks into its window.
            sharing.close()
            window.close()


def wait(ready: Callable[[], bool], seconds: float) -> None:
    """Run the event loop until `ready`, which is checked twenty times a second."""

    deadline, loop, tick = QDeadlineTimer(round(seconds * 1000)), QEventLoop(), QTimer()
    tick.timeout.connect(lambda: loop.quit() if ready() or deadline.hasExpired() else None)
    tick.start(50)
    loop.exec()
    tick.stop()


def intervals(frames: Frames) -> dict[str, Any]:
    """Return the times from one painted frame to the next, in ms."""
    worst = max(range(len(frames.interval_ms)), key=frames.interval_ms.__getitem__, default=None)
    return {
        "frames": len(frames.interval_ms),
        "interval_median_ms": median(frames.interval_ms),
        "interval_p99_ms": percentile(frames.interval_ms, 0.99),
        "interval_worst_ms": 0.0 if worst is None else frames.interval_ms[worst],
        "worst_waited_ms": 0.0 if worst is None else frames.waited_ms[worst],
        "late": sum(interval > LATE_MS for interval in frames.interval_ms),
    }


def spread(figures: dict[str, Any]) -> str:
    """Format `intervals`."""
    return (
        f"median {figures['interval_median_ms']:.1f} ms, 99th percentile {figures['interval_p99_ms']:.1f} ms, worst "
        f"{figures['interval_worst_ms']:.1f} ms ({figures['worst_waited_ms']:.1f} ms of it without a processor), "
        f"{figures['late']} of {figures['frames']} later than {LATE_MS:.0f} ms"
    )


def median(times: list[float]) -> float:
    """Return the median; 0 if the machine was too busy to paint a single frame."""
    return statistics.median(times) if times else 0.0


def percentile(times: list[float], share: float) -> float:
    """Return another quantile, like `median`."""
    return sorted(times)[math.ceil(share * len(times)) - 1] if times else 0.0


def _fill(chats: Path, messages: int) -> None:
    """Store a chat of `count` messages, and make it the one that was shown last."""

    store, _damaged = open_store(chats)
    with store.database.write():
        chat = store.conversations.create(title="bench", settings={OPENED_AT: 1.0})
        for number in range(messages // 2):
            asked = store.messages.add_user_turn(chat, f"Question {number} about drafts?")
            answer = store.answers.start(asked, AnswerSource())
            store.answers.finish(answer, "stop", RequestStats(), PARAGRAPH * (1 + number % 4))
    store.close()
