"""The data of the charts, without Qt.

A series adds only new rounds and keeps fewer than POINTS values by merging neighbours, so the cost of a frame does not
grow with the answer.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from app.session.answer import Answer
from engine.stats import RequestStats

POINTS = 240


@dataclass
class Series:
    """Values in order, each the mean of `stride` inputs. At POINTS values, neighbours merge and `stride` doubles."""

    values: list[float] = field(default_factory=list)
    stride: int = 1
    _pending: list[float] = field(default_factory=list)

    def add(self, value: float) -> None:
        self._pending.append(value)
        if len(self._pending) < self.stride:
            return
        self.values.append(sum(self._pending) / len(self._pending))
        self._pending.clear()
        if len(self.values) >= POINTS:
            pairs = zip(self.values[::2], self.values[1::2], strict=True)
            self.values = [(first + second) / 2 for first, second in pairs]
            self.stride *= 2


class RoundHistory:
    """Tokens per second over the rounds of one answer."""

    # Rounds over which the speed is averaged, because single rounds vary too much.
    WINDOW = 8

    def __init__(self) -> None:
        self._answer: Answer | None = None
        self._clear()

    def _clear(self) -> None:
        self.speed = Series()
        self._seen = self._first = 0
        # The numbers of tokens after the last rounds.
        self._written: deque[int] = deque(maxlen=self.WINDOW + 1)

    def follow(self, answer: Answer | None) -> None:
        """Add the new rounds of `answer`; another answer begins a new history."""
        if answer is not self._answer or (answer is not None and len(answer.rounds) < self._seen):
            self._answer = answer
            self._clear()
        if answer is None:
            return
        rounds = answer.rounds
        written = self._written
        for index in range(self._seen, len(rounds)):
            if index == 0 or rounds[index].reason == "first-token":
                # A continued answer has several requests, and times count from the start of each.
                self._first = index
                written.clear()
                written.append(0)
                continue
            written.append(written[-1] + rounds[index].committed)
            first = max(self._first, index - self.WINDOW)
            seconds = rounds[index].at_s - rounds[first].at_s
            if seconds > 0:
                self.speed.add((written[-1] - written[0]) / seconds)
        self._seen = len(rounds)


def time_shares(stats: RequestStats) -> tuple[float, float, float] | None:
    """Return the shares of draft, verify and host in the time of all rounds, or None before the first."""
    whole = stats.draft_s + stats.verify_s + stats.host_s
    if whole <= 0:
        return None
    return stats.draft_s / whole, stats.verify_s / whole, stats.host_s / whole


def position_rates(stats: RequestStats) -> list[tuple[float, int, int]]:
    """Return (rate, accepted, reached) of each position that was verified."""
    return [(accepted / reached, accepted, reached) for reached, accepted in stats.accept_by_position if reached]
