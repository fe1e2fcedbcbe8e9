"""A measured gate: whether to do something that changes no result, found out by doing it in every other stretch."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

# Rounds of a stretch, and pairs of stretches with and without it that decide.
STRETCH, PAIRS = 8, 4
# Its first rounds catch up, and drafts that come late make rounds of other kinds.
AHEAD_STRETCH = 12
# The least speed-up that is worth it; with less than the other in the first pair, none is to be expected.
MARGIN, HOPELESS = 1.03, 0.85
# A round of so many usual ones was interrupted: by a computer that slept, or a process that was stopped.
INTERRUPTED = 20
# Rounds until it is tried again (doubling).
FIRST_HOLD, LAST_HOLD = 1024, 16384


class PairedGate:
    """`open` says whether to do it in the next round.

    The order of stretches is with, without, without, with, so that a machine that gets slower favours neither.
    """

    def __init__(self, stretch: int = STRETCH) -> None:
        self.open = True
        self._stretch = stretch
        self._ratios: list[float] = []
        self._begin_stretch()
        # The seconds to the expected ones in the first stretch of a pair.
        self._first: float | None = None
        self._held = 0
        self._hold = FIRST_HOLD

    @property
    def settled(self) -> bool:
        """Whether `open` was measured, and holds for now."""
        return self._held > 0

    @property
    def hopeful(self) -> bool:
        """Whether it pays, or may."""
        return self.open or not self.settled

    def observe(self, seconds: float, expected: float) -> None:
        """A round took `seconds`; `expected` is how long rounds like it take, in any unit."""
        if self._held:
            self._held -= 1
            if not self._held:
                self.open = True
            return
        usual = self._seconds / self._expected if self._rounds else self._first
        if usual is not None and seconds > INTERRUPTED * usual * expected:
            return
        self._rounds += 1
        self._seconds += seconds
        self._expected += expected
        if self._rounds == self._stretch:
            self._end_stretch()

    def _end_stretch(self) -> None:
        ratio = self._seconds / self._expected
        self._begin_stretch()
        if self._first is None:
            self._first, self.open = ratio, not self.open
            return
        with_it, without = (ratio, self._first) if self.open else (self._first, ratio)
        self._ratios.append(without / with_it)
        # The next pair begins as this one ended.
        self._first = None
        hopeless = max(self._ratios) < (HOPELESS if len(self._ratios) < PAIRS // 2 else 1.0)
        if len(self._ratios) == PAIRS or hopeless:
            self._settle(median(self._ratios) > MARGIN)

    def _settle(self, worthwhile: bool) -> None:
        self.open, self._ratios = worthwhile, []
        self._held, self._hold = self._hold, min(2 * self._hold, LAST_HOLD)

    def _begin_stretch(self) -> None:
        self._rounds, self._seconds, self._expected = 0, 0.0, 0.0

    def export(self) -> list[object]:
        """Plain data: what was found out, and for how many rounds that holds; nothing while it is being tried."""
        return [self.open, self._held, self._hold] if self._held else []

    def load(self, data: object) -> None:
        """Take over the result of `export`. Raises TypeError or ValueError for other data."""
        if data == []:
            return
        if not isinstance(data, list) or len(data) != 3:
            raise TypeError(f"not a gate: {data!r}")
        open_, held, hold = data
        if not isinstance(open_, bool) or not isinstance(held, int) or not isinstance(hold, int):
            raise TypeError(f"not a gate: {data!r}")
        if not 0 < held <= LAST_HOLD or not FIRST_HOLD <= hold <= LAST_HOLD:
            raise ValueError(f"not a gate: {data!r}")
        self.open, self._held, self._hold = open_, held, hold


class Gates:
    """What was found out about a pair: whether an asynchronous drafter pays."""

    def __init__(self) -> None:
        self.ahead = PairedGate(AHEAD_STRETCH)

    def export(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {"ahead": self.ahead.export()}

    def load(self, data: Mapping[str, object]) -> None:
        """Take over the result of `export`. Raises TypeError or ValueError for other data."""
        self.ahead.load(data.get("ahead", []))
