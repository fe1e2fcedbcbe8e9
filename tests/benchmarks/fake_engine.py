"""Fake engines for measuring the window: they commit about the same text over and over at a given pace.

`SteadyEngine` follows the clock. `RoundsEngine` commits a given round when it is told to. `WaitingEngine` behaves like
an engine on a GPU: each round waits without holding the interpreter lock and then works in Python, so what it loses to
the window is the cost of that lock.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.client import RequestStream
from engine.events import Event, Finished, Token, TokensCommitted
from engine.requests import ChatRequest
from engine.stats import RequestStats, RoundRecord
from tests.app.scripted_engine import ScriptedEngine

PARAGRAPH = (
    "A draft model guesses **several** tokens, and the main model checks them in one pass. What it agrees with is "
    "kept; the first one that it would have said otherwise is replaced by its own.\n\n"
    "- a right guess costs nothing\n- a wrong one costs a little\n\n"
    "```python\nfor guess in guesses:\n    check(guess)\n```\n\n"
)
TOKENS_A_ROUND = 4


class _Speaker(ScriptedEngine):
    """An engine that commits `count` tokens of `letters` characters of the repeated text.

    Each repetition has another word in its middle, because the window pauses an answer that only repeats itself.
    `pause(number)` takes as long as a round; if it returns False, the answer ends.
    """

    def __init__(self, count: int, text: str = PARAGRAPH, letters: int = 4) -> None:
        super().__init__()
        self._count = count
        self._words = [text[start : start + letters] for start in range(0, len(text), letters)]
        self._speaking: threading.Thread | None = None
        self._stopped = threading.Event()

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        stream = RequestStream(request, on_event)
        self._stopped = stream.cancel_requested
        self._speaking = threading.Thread(target=self.speak, args=(stream.deliver,), name="speaker")
        self._speaking.start()
        return stream

    def close(self) -> None:
        self._stopped.set()
        if self._speaking is not None:
            self._speaking.join()
        super().close()

    @abstractmethod
    def pause(self, number: int) -> bool: ...

    def speak(self, on_event: Callable[[Event], None]) -> None:
        """Deliver the whole answer on this thread."""
        said: list[str] = []
        stats = RequestStats()
        self._started = time.perf_counter()
        for number in range(self._count // TOKENS_A_ROUND):
            first = number * TOKENS_A_ROUND
            tokens = tuple(
                Token(position, self._word(position), "draft", position - first, number, -0.1)
                for position in range(first, first + TOKENS_A_ROUND)
            )
            text = "".join(token.text for token in tokens)
            if not self.pause(number):
                break
            said.append(text)
            passed = time.perf_counter() - self._started
            stats = _stats(number + 1, passed)
            on_event(TokensCommitted(text, tokens, _record(number, passed), stats))
        on_event(Finished("stop", "".join(said), (), stats))

    def _word(self, position: int) -> str:
        repetition, index = divmod(position, len(self._words))
        word = self._words[index]
        if not repetition or index != len(self._words) // 2:
            return word
        # Six letters are enough for any answer; powers of 26 for each of many letters would take minutes.
        letters = (chr(ord("a") + repetition // 26**place % 26) for place in range(min(len(word), 6)))
        return "".join(letters).ljust(len(word), "a")


class SteadyEngine(_Speaker):
    """Answers have `count` tokens at `rate` tokens a second by the clock."""

    def __init__(self, rate: float, count: int, text: str = PARAGRAPH, letters: int = 4) -> None:
        super().__init__(count, text, letters)
        self._rate = rate

    def pause(self, number: int) -> bool:
        due = self._started + (number + 1) * TOKENS_A_ROUND / self._rate
        return not self._stopped.wait(max(0.0, due - time.perf_counter()))


class WaitingEngine(_Speaker):
    """Each round waits `wait_s` without Python's lock, as for a GPU, and then computes for `work_s` with it."""

    def __init__(self, wait_s: float, work_s: float, count: int) -> None:
        super().__init__(count)
        self._wait_s, self._work_s = wait_s, work_s

    def pause(self, number: int) -> bool:  # noqa: ARG002
        time.sleep(self._wait_s)
        ends = time.thread_time() + self._work_s
        while time.thread_time() < ends:
            sum(range(50))
        return not self._stopped.is_set()


@dataclass(frozen=True)
class DraftedRound:
    """A round of an answer: the texts of its tokens, of which all but the last are drafted by `source`."""

    texts: tuple[str, ...]
    source: str


class RoundsEngine(ScriptedEngine):
    """Answers have the rounds that `rounds` has when they are asked for. Each comes when `deliver` is called."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds: Sequence[DraftedRound] = ()
        self._stream: RequestStream | None = None
        self._number = 0

    @property
    def is_asked(self) -> bool:
        """Whether there is a question that has not been answered to its end."""
        return self._stream is not None

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        self._stream, self._number = RequestStream(request, on_event), 0
        return self._stream

    def deliver(self) -> bool:
        """Deliver the next round, or the end. Return whether there was a round."""
        assert self._stream is not None
        stats = _stats(self._number + 1, (self._number + 1) / 30)
        if self._number == len(self.rounds):
            text = "".join(text for committed in self.rounds for text in committed.texts)
            self._stream.deliver(Finished("stop", text, (), stats))
            self._stream = None
            return False
        texts, source = self.rounds[self._number].texts, self.rounds[self._number].source
        tokens = tuple(
            Token(at, text, source if at + 1 < len(texts) else "main", at, self._number, -0.1)
            for at, text in enumerate(texts)
        )
        drafted = len(texts) - 1
        record = RoundRecord(
            number=self._number,
            source=source,
            drafted=drafted,
            accepted=drafted,
            committed=len(texts),
            rows=len(texts),
            at_s=self._number / 30,
            draft_s=0.001,
            verify_s=0.003,
            host_s=0.001,
        )
        self._stream.deliver(TokensCommitted("".join(texts), tokens, record, stats))
        self._number += 1
        return True


def _record(number: int, passed: float) -> RoundRecord:
    return RoundRecord(number, "draft", 4, 3, TOKENS_A_ROUND, 5, passed, 0.001, 0.003, 0.001)


def _stats(rounds: int, passed: float) -> RequestStats:
    """Return figures that change with every round, as a real engine's do."""
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
        speedup_low=tokens / passed / 102.0,
        speedup_high=tokens / passed / 98.0,
        draft_s=0.001 * rounds,
        verify_s=0.003 * rounds,
        host_s=0.001 * rounds,
    )
