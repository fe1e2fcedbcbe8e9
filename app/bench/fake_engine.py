"""Stands in for the engine where the window is measured: says the same text over and over, as fast as it is told.

`SteadyEngine` speaks by the clock. `WaitingEngine` takes turns as an engine on a GPU does: it waits without Python,
then works in it, so what it loses to the window is what Python's one lock costs.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.events import Finished, Token, TokensCommitted
from engine.stats import RequestStats, RoundRecord
from engine.stream import Loading

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from engine.events import Event
    from engine.requests import ChatRequest
    from engine.settings import EngineSettings

PARAGRAPH = (
    "A draft model guesses **several** tokens, and the main model checks them in one pass. What it agrees with is "
    "kept; the first one that it would have said otherwise is replaced by its own.\n\n"
    "- a right guess costs nothing\n- a wrong one costs a little\n\n"
    "```python\nfor guess in guesses:\n    check(guess)\n```\n\n"
)
TOKENS_A_ROUND = 4


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


class _Speaker:
    """An engine of which only `submit` does anything: `count` tokens, each of so many `letters` of the text, which is
    said over and over. `pause(number)` is what a round takes; False ends the answer.
    """

    # There is no prompt to read.
    loading_progress = (0, 0)

    def __init__(self, count: int, text: str = PARAGRAPH, letters: int = 4) -> None:
        self._count = count
        self._words = [text[place : place + letters] for place in range(0, len(text), letters)]
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def configure(self, _settings: EngineSettings) -> None:
        """There is nothing to limit."""

    def keep_stored(self, _conversations: Collection[str]) -> None:
        """Nothing is stored."""

    def learned(self) -> Future[tuple[()]]:
        """There are no costs to learn."""
        future: Future[tuple[()]] = Future()
        future.set_result(())
        return future

    def load(self, *_: object) -> Loading:
        loading = Loading()
        loading.set_result(_Pair())  # type: ignore[arg-type]
        return loading

    def submit(self, _request: ChatRequest, on_event: Callable[[Event], None]) -> _Speaker:
        self._thread = threading.Thread(target=self.speak, args=(on_event,), name="speaker")
        self._thread.start()
        return self

    def cancel(self) -> None:
        self._closed.set()

    def close(self) -> None:
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    @abstractmethod
    def _pause(self, number: int) -> bool: ...

    def speak(self, on_event: Callable[[Event], None]) -> None:
        """Give the whole answer on this thread."""
        words = self._words
        said: list[str] = []
        stats = RequestStats()
        self._started = time.perf_counter()
        for number in range(self._count // TOKENS_A_ROUND):
            first = number * TOKENS_A_ROUND
            tokens = tuple(
                Token(place, words[place % len(words)], "draft", place - first, number, -0.1)
                for place in range(first, first + TOKENS_A_ROUND)
            )
            text = "".join(token.text for token in tokens)
            if not self._pause(number):
                break
            said.append(text)
            passed = time.perf_counter() - self._started
            stats = _stats(number + 1, passed)
            on_event(TokensCommitted(text, tokens, _record(number, passed), stats))
        on_event(Finished("stop", "".join(said), (), stats))


class SteadyEngine(_Speaker):
    """`rate` tokens a second by the clock, `count` tokens long."""

    def __init__(self, rate: float, count: int, text: str = PARAGRAPH, letters: int = 4) -> None:
        super().__init__(count, text, letters)
        self._rate = rate

    def _pause(self, number: int) -> bool:
        due = self._started + (number + 1) * TOKENS_A_ROUND / self._rate
        return not self._closed.wait(max(0.0, due - time.perf_counter()))


class WaitingEngine(_Speaker):
    """Each round waits `wait_s` outside of Python, as for a GPU, and then works `work_s` of processor time in it."""

    def __init__(self, wait_s: float, work_s: float, count: int) -> None:
        super().__init__(count)
        self._wait_s, self._work_s = wait_s, work_s

    def _pause(self, number: int) -> bool:  # noqa: ARG002
        time.sleep(self._wait_s)
        ends = time.thread_time() + self._work_s
        while time.thread_time() < ends:
            sum(range(50))
        return not self._closed.is_set()


def _record(number: int, passed: float) -> RoundRecord:
    return RoundRecord(number, "draft", 4, 3, TOKENS_A_ROUND, 5, passed, 0.001, 0.003, 0.001)


def _stats(rounds: int, passed: float) -> RequestStats:
    """What a real engine would say at this point: figures that change with every round."""
    tokens = rounds * TOKENS_A_ROUND
    return RequestStats(
        generated_tokens=tokens,
        rounds=rounds,
        drafted=4 * rounds,
        accepted=3 * rounds,
        accept_rate=0.75,
        accept_by_position=((rounds, rounds), (rounds, rounds), (rounds, rounds), (rounds, 0)),
        tokens_per_round=float(TOKENS_A_ROUND),
        ttft_s=0.05,
        decode_tps=tokens / passed,
        plain_tps=100.0,
        speedup=tokens / passed / 100.0,
        draft_s=0.001 * rounds,
        verify_s=0.003 * rounds,
        host_s=0.001 * rounds,
    )
