"""`tandem bench --window`: what the window costs, measured on the real one.

A stored chat of many messages is open while an answer streams into it at a fixed rate; a frame is the time that the
Qt thread is busy from one wait to the next. Then the starter pair answers alone and in the window, in turns: the ratio
is what the window takes from the engine.
"""

from __future__ import annotations

import math
import os
import statistics
import tempfile
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.events import Finished, Token, TokensCommitted
from engine.stats import RequestStats, RoundRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.session import Session
    from engine.engine import Engine
    from engine.events import Event
    from engine.requests import ChatRequest
    from engine.settings import EngineSettings

_PARAGRAPH = (
    "A draft model guesses **several** tokens, and the main model checks them in one pass. What it agrees with is "
    "kept; the first one that it would have said otherwise is replaced by its own.\n\n"
    "- a right guess costs nothing\n- a wrong one costs a little\n\n"
    "```python\nfor guess in guesses:\n    check(guess)\n```\n\n"
)
_TOKENS_A_ROUND = 4
_QUESTION = "Tell me everything about speculative decoding."


@dataclass(frozen=True)
class _Info:
    name: str = "bench"
    path: Path = Path("bench")
    context_length: int = 32_768
    bytes: int = 0
    architecture: str = "llama"


@dataclass(frozen=True)
class _Pair:
    main: _Info = _Info()
    draft: _Info | None = None
    draft_problem: None = None


class _SteadyEngine:
    """Says the same paragraph over and over, at `rate` tokens a second, `count` tokens long."""

    def __init__(self, rate: float, count: int) -> None:
        self._rate, self._count = rate, count
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def configure(self, _settings: EngineSettings) -> None:
        """There is nothing to limit."""

    def load(self, *_: object) -> Future[_Pair]:
        future: Future[_Pair] = Future()
        future.set_result(_Pair())
        return future

    def submit(self, _request: ChatRequest, on_event: Callable[[Event], None]) -> _SteadyEngine:
        self._thread = threading.Thread(target=self._speak, args=(on_event,), name="steady-engine")
        self._thread.start()
        return self

    def cancel(self) -> None:
        self._closed.set()

    def close(self) -> None:
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _speak(self, on_event: Callable[[Event], None]) -> None:
        words = [_PARAGRAPH[place : place + 4] for place in range(0, len(_PARAGRAPH), 4)]
        started, said = time.perf_counter(), []
        for number in range(self._count // _TOKENS_A_ROUND):
            first = number * _TOKENS_A_ROUND
            tokens = tuple(
                Token(place, words[place % len(words)], "draft", place - first, number, -0.1)
                for place in range(first, first + _TOKENS_A_ROUND)
            )
            text = "".join(token.text for token in tokens)
            said.append(text)
            record = RoundRecord(number, "draft", 4, 3, 4, 5, first / self._rate, 0.001, 0.003, 0.001)
            stats = RequestStats(generated_tokens=first + _TOKENS_A_ROUND, rounds=number + 1, drafted=4, accepted=3)
            due = started + (first + _TOKENS_A_ROUND) / self._rate
            if self._closed.wait(max(0.0, due - time.perf_counter())):
                break
            on_event(TokensCommitted(text, tokens, record, stats))
        on_event(Finished("stop", "".join(said), (), stats))


@dataclass
class _Frames:
    """Busy times of the Qt thread in ms: from taking what the engine said to the next wait, painting included."""

    busy_ms: list[float] = field(default_factory=list)
    _since: float | None = None

    def begins(self) -> None:
        if self._since is None:
            self._since = time.perf_counter()

    def waits(self) -> None:
        if self._since is not None:
            self.busy_ms.append(1000 * (time.perf_counter() - self._since))
            self._since = None


def measure(messages: int, rate: float, seconds: float, repetitions: int) -> dict[str, Any]:
    """All figures; opens the window on the screen there is, or offscreen."""
    from app.display import has_display

    if not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # GLib's event loop says that it is about to wait before every single source.
    os.environ["QT_NO_GLIB"] = "1"
    from app.application import Application

    application = Application(["tandem"], "en")
    return {
        "frames": _frames(application, messages, rate, seconds),
        "engine": _engine_share(application, repetitions),
    }


def _frames(application: Any, messages: int, rate: float, seconds: float) -> dict[str, Any]:
    from PySide6.QtCore import QAbstractEventDispatcher

    from app.main_window import MainWindow
    from app.session import Session

    frames, dispatcher = _Frames(), QAbstractEventDispatcher.instance()
    with tempfile.TemporaryDirectory(prefix="tandem-bench-") as folder:
        chats = Path(folder) / "chats.db"
        _fill(chats, messages)
        engine = _SteadyEngine(rate, round(rate * seconds))
        session = Session(lambda: engine, (Path("main"), Path("draft")), chats)  # type: ignore[arg-type,return-value]
        window = MainWindow(session, application)
        window.show()
        session.load_starter()
        wait(lambda: session.ready and bool(session.chat.turns), 30)
        wait(lambda: False, 1)
        session.bridge.frame_begins.connect(frames.begins)
        dispatcher.aboutToBlock.connect(frames.waits)
        answer = session.ask(_QUESTION).answer
        wait(lambda: answer.ended, seconds * 4 + 10)
        dispatcher.aboutToBlock.disconnect(frames.waits)
        window.close()
    times = sorted(frames.busy_ms)
    return {
        "messages": messages,
        "tokens_per_second": rate,
        "tokens": len(answer.tokens),
        "count": len(times),
        "median_ms": statistics.median(times),
        "p99_ms": times[math.ceil(0.99 * len(times)) - 1],
        "worst_ms": times[-1],
        "first_half_median_ms": statistics.median(frames.busy_ms[: len(times) // 2]),
        "second_half_median_ms": statistics.median(frames.busy_ms[len(times) // 2 :]),
    }


def _fill(chats: Path, messages: int) -> None:
    """A chat of that many messages, as the one that was last on screen."""
    from app.conversations.keeper import OPENED_AT
    from app.conversations.opening import open_store
    from app.conversations.records import AnswerSource

    store, _report = open_store(chats)
    with store.database.write():
        chat = store.conversations.create(title="bench", settings={OPENED_AT: 1.0})
        for number in range(messages // 2):
            asked = store.messages.add_user_turn(chat, f"Question {number} about drafts?")
            answer = store.answers.start(asked, AnswerSource())
            store.answers.finish(answer, "stop", RequestStats(), _PARAGRAPH * (1 + number % 4))
    store.close()


def _engine_share(application: Any, repetitions: int) -> dict[str, Any]:
    """Decoding speed of the starter pair alone and while the window shows the answer, in turns."""
    from app.main_window import MainWindow
    from app.session import Session
    from engine import Engine, starter_pair

    alone: list[float] = []
    shown: list[float] = []
    with tempfile.TemporaryDirectory(prefix="tandem-bench-") as folder:
        session = Session(Engine, starter_pair(), Path(folder) / "chats.db")
        window = MainWindow(session, application)
        window.show()
        session.load_starter()
        wait(lambda: session.ready, 120)
        for _ in range(repetitions):
            alone.append(_speed_alone(session.engine, session))
            session.new_chat()
            answer = session.ask(_QUESTION).answer
            wait(lambda answer=answer: answer.ended, 120)  # type: ignore[misc]
            shown.append(answer.stats.decode_tps or 0.0)
        window.close()
    return {
        "alone_tps": statistics.median(alone),
        "shown_tps": statistics.median(shown),
        "ratio": statistics.median(second / first for first, second in zip(alone, shown, strict=True) if first),
    }


def _speed_alone(engine: Engine, session: Session) -> float:
    from engine.requests import ChatRequest

    ended: list[Event] = []
    request = ChatRequest([{"role": "user", "content": _QUESTION}], session.sampling, session.speculation)

    def listen(event: Event) -> None:
        if isinstance(event, Finished):
            ended.append(event)

    engine.submit(request, listen)
    while not ended:
        time.sleep(0.02)
    return ended[0].stats.decode_tps or 0.0  # type: ignore[union-attr]


def wait(ready: Callable[[], bool], seconds: float) -> None:
    """Run the event loop until `ready`, looking twenty times a second."""
    from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer

    deadline, loop, tick = QDeadlineTimer(round(seconds * 1000)), QEventLoop(), QTimer()
    tick.timeout.connect(lambda: loop.quit() if ready() or deadline.hasExpired() else None)
    tick.start(50)
    loop.exec()
    tick.stop()


def table(report: dict[str, Any]) -> str:
    frames, engine = report["frames"], report["engine"]
    return (
        f"{frames['count']} frames while {frames['tokens_per_second']:.0f} tokens/s stream into a chat of "
        f"{frames['messages']} messages ({frames['tokens']} tokens)\n"
        f"median {frames['median_ms']:.1f} ms (first half {frames['first_half_median_ms']:.1f}, second "
        f"{frames['second_half_median_ms']:.1f}), 99th percentile {frames['p99_ms']:.1f} ms, worst "
        f"{frames['worst_ms']:.1f} ms\n"
        f"starter pair: {engine['alone_tps']:.0f} tokens/s alone, {engine['shown_tps']:.0f} in the window, ratio "
        f"{engine['ratio']:.3f}"
    )
