"""Equal laps of answers of one engine: with and without drafters, two at a time, reopened from disk, and stopped.

Between laps the memory in use is measured.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx
import psutil

from engine import ChatRequest, Engine, Finished, SpeculationSettings, TokensCommitted
from engine.client import RequestStream
from tests.patience import PATIENCE_S

PLAIN, AUTO = SpeculationSettings(method="off"), SpeculationSettings()
FIXED = SpeculationSettings(method="draft", depth=3, sample_share=0.0)


@dataclass(frozen=True)
class Footprint:
    """Bytes of a process after a lap.

    They are those that MLX has in use, its peak during the lap, its free buffers, Python's since tracing began, and the
    resident bytes of the process.
    """

    active: int
    peak: int
    buffers: int
    python: int
    resident: int

    def grown_since(self, earlier: Footprint) -> dict[str, tuple[int, int]]:
        """Return the figures that have grown by more than chance since `earlier`, as (before, now).

        Auto's depths change the peak, and the order of frees changes the resident size. Python's part includes what
        controllers learn, which is bounded.
        """
        most = {
            "active": earlier.active + 2**14,
            "peak": earlier.peak * 1.1,
            "buffers": earlier.buffers * 1.05 + 2**19,
            "python": earlier.python + 2**15,
            "resident": earlier.resident + 2**25,
        }
        pairs = {name: (getattr(earlier, name), getattr(self, name)) for name in most}
        return {name: pair for name, pair in pairs.items() if pair[1] > most[name]}


@contextmanager
def tracing() -> Iterator[None]:
    """Trace Python's memory."""
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


class Laps:
    """Answers of at most `max_tokens` tokens with `main` and each of `drafters`; None stands for no drafter.

    `reopened` counts the answers whose chat was found on disk.
    """

    def __init__(self, engine: Engine, main: Path, drafters: Sequence[Path | None], max_tokens: int) -> None:
        self.answers = self.reopened = 0
        self._engine, self._main, self._drafters, self._max_tokens = engine, main, drafters, max_tokens

    def run(self) -> Footprint:
        """Run one lap, and forget the finished turns after it."""
        mx.reset_peak_memory()
        chat: list[dict[str, str]] = []
        for drafter in self._drafters:
            # Loading stores the chat in memory on disk, where its next question finds it.
            pair = self._engine.load(self._main, drafter).result(timeout=PATIENCE_S)
            assert pair.draft_problem is None, pair.draft_problem
            chat.append({"role": "user", "content": "the quick brown fox"})
            [turn] = self._ask(self._request(chat, FIXED, conversation="chat"))
            chat.append({"role": "assistant", "content": turn.text})
            self.reopened += turn.stats.cached_tokens > 0
            self._ask(self._request(_question("jumps over"), AUTO))
            self._ask(self._request(_question("the lazy dog"), FIXED), self._request(_question("and another"), AUTO))
            self._stop(self._request(_question("lazy"), AUTO))
            self._ask(self._request(_question("brown"), PLAIN), self._request(_question("jumps over it"), PLAIN))
        self._engine.clear_prefix_cache().result(timeout=PATIENCE_S)
        return _footprint()

    def _request(
        self, messages: Sequence[dict[str, str]], speculation: SpeculationSettings, conversation: str | None = None
    ) -> ChatRequest:
        return ChatRequest(
            tuple(messages), speculation=speculation, max_tokens=self._max_tokens, conversation=conversation
        )

    def _ask(self, *requests: ChatRequest) -> list[Finished]:
        return [self._end(stream) for stream in [self._engine.submit(request) for request in requests]]

    def _stop(self, request: ChatRequest) -> None:
        """Ask, and cancel the answer at its first tokens."""
        stream = self._engine.submit(request)
        for event in stream:
            if isinstance(event, TokensCommitted):
                stream.cancel()
                break
        self._end(stream)

    def _end(self, stream: RequestStream) -> Finished:
        *_, last = stream
        assert isinstance(last, Finished), last
        self.answers += 1
        return last


def _question(text: str) -> tuple[dict[str, str], ...]:
    return ({"role": "user", "content": text},)


def _footprint() -> Footprint:
    gc.collect()
    python, _ = tracemalloc.get_traced_memory()
    return Footprint(
        int(mx.get_active_memory()),
        int(mx.get_peak_memory()),
        int(mx.get_cache_memory()),
        python,
        int(psutil.Process().memory_info().rss),
    )
