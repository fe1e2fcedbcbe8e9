"""The stopwatches of rounds, of one answer or of a batch: what a round is charged with, and what is learned from it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from engine.speculation.choosing.pauses import Pauses
from engine.stats import RequestLog


class RoundSeconds(NamedTuple):
    """The durations of a round, as in `engine.stats.RoundRecord`."""

    draft_s: float
    verify_s: float
    host_s: float


class RoundClock:
    """Divides the time of an answer among its rounds. All times are `time.perf_counter()` values, in seconds.

    The calls of a round, while the answer is decoded alone: `catch_up` for each piece of it, `start`, `read`,
    `skip_pause`, `charge`, and at last `take_interval` or `drop_interval`. `resume` is called first in each step of the
    decoder. A round that was started before the round before was read has waited for nothing: it has no `start`.

        read()   take_interval()         start()                        read()   take_interval()
        |------ host -----|-- catch-up --|-- drafting --|-- verifying --|------ host -----|-- ...
                 |--------------------------- interval --------------------------|

    The round is charged with the time since the round before was read. `RoundSeconds` adds catch-up and drafting up as
    `draft_s`; `verify_s` is the pass of the main model, and in `host_s` the device waited for the host.

    The controller learns from intervals. An interval lasts from the end of a round to the end of the next one: it
    includes the delivery of the round's event, which delays the next round. An interruption is other work between two
    rounds; a pause is found by `Pauses`. A round with one of them has no interval, and neither is charged to a round.

    A round that is shared has two calls, `read_shared` and `charge`. It is charged with an interruption, too;
    `BatchClock` has its interval.
    """

    def __init__(self, log: RequestLog) -> None:
        """Begin at the submission of the request; `log` is told of pauses."""
        self.interrupted = False
        # When the latest round was read.
        self.read_at = log.started
        self._log = log
        self._pauses = Pauses()
        # Time before this is not charged to the next round.
        self._charged_to = log.started
        # When the present interval began.
        self._interval_from = log.started
        # Host time and catch-up time of the next round so far.
        self._host_s = 0.0
        self._catch_up_s = 0.0

    def begin(self, pauses: Pauses) -> None:
        """Begin to time the rounds of a decoder; `pauses` knows how long rounds usually take."""
        self._pauses = pauses
        self._charged_to = time.perf_counter()
        self._host_s = 0.0
        self._catch_up_s = 0.0

    def interrupt(self) -> None:
        """Note that other work runs before the next round."""
        self.interrupted = True

    def resume(self) -> None:
        """After other work, start charging from now."""
        if self.interrupted:
            self._charged_to = time.perf_counter()

    @contextmanager
    def catch_up(self) -> Iterator[None]:
        """Charge the body, which prepares a proposer, to the drafting of the next round."""
        started_at = time.perf_counter()
        yield
        seconds = time.perf_counter() - started_at
        self._charged_to += seconds
        pause = self._pauses.within(seconds)
        if pause:
            self._leave_out(pause)
        self._catch_up_s += seconds - pause

    def start(self) -> float:
        """Note that a round begins with its drafting, and return when."""
        started_at = time.perf_counter()
        self._host_s = max(0.0, started_at - self._charged_to)
        self._charged_to = started_at
        return started_at

    def read(self) -> None:
        """Note that the round was read."""
        self.read_at = time.perf_counter()

    def read_shared(self, read_at: float) -> None:
        """Note that a round which the answer shares with others was read; it waited for nothing."""
        self.read_at = read_at
        self._interval_from = read_at

    @property
    def busy_s(self) -> float:
        """How long the round that was read has drafted and verified."""
        return max(0.0, self.read_at - self._charged_to)

    def skip_pause(self) -> bool:
        """Leave out a pause in the round that was read, and return whether there was one."""
        busy_s = self.busy_s
        pause = self._pauses.found(self._host_s + busy_s)
        if not pause:
            return False
        self._leave_out(pause)
        # Take the pause from the pass first, the rest from the host time.
        from_pass = min(busy_s, pause)
        from_host = pause - from_pass
        self._charged_to += from_pass
        self._host_s = max(0.0, self._host_s - from_host)
        return True

    def skip_shared(self, pause: float) -> None:
        """Leave out a pause of so many seconds in a shared round."""
        self._leave_out(pause)
        self._charged_to += pause

    def _leave_out(self, pause: float) -> None:
        """Leave a pause of so many seconds out of the figures of the answer, and out of the intervals."""
        self._log.skip(pause)
        self._interval_from += pause
        self.interrupted = True

    def charge(self, draft_s: float) -> RoundSeconds:
        """Charge the round that was read, `draft_s` of its `busy_s` to drafting, and return its seconds."""
        seconds = RoundSeconds(draft_s + self._catch_up_s, self.busy_s - draft_s, self._host_s)
        self._charged_to = self.read_at
        self._host_s = 0.0
        self._catch_up_s = 0.0
        return seconds

    @property
    def last_interval(self) -> float | None:
        """The interval of the round that was read, if none follows: it ends there. None after an interruption."""
        return None if self.interrupted else self.read_at - self._interval_from

    def take_interval(self) -> float | None:
        """End the round that was read, and return its interval; None after an interruption."""
        now = time.perf_counter()
        interval = None if self.interrupted else now - self._interval_from
        self._interval_from = now
        self.interrupted = False
        return interval

    def drop_interval(self) -> None:
        """End the round that was read, from which nothing is learned: the next interval begins with its reading."""
        self._interval_from = self._charged_to
        self.interrupted = False


class BatchClock:
    """Times the rounds of a batch. Its answers share each round, and every one is charged by a clock of its own."""

    def __init__(self, pauses: Pauses) -> None:
        # When the latest round was read, and its seconds since the round before was read.
        self.read_at = 0.0
        self.busy_s = 0.0
        self._pauses = pauses
        # None until the present members have shared a round.
        self._interval_from: float | None = None

    def restart(self) -> None:
        """Take no interval of the next round: it has other members than the round before."""
        self._interval_from = None

    def read(self, started_at: float) -> None:
        """Note that the round that was started at `started_at` was read."""
        self.read_at = time.perf_counter()
        self.busy_s = self.read_at - (started_at if self._interval_from is None else self._interval_from)

    def skip_pause(self, clocks: Sequence[RoundClock]) -> bool:
        """Leave a pause in the round that was read out of its answers' `clocks`, and return whether there was one."""
        pause = self._pauses.found(self.busy_s)
        if pause:
            for clock in clocks:
                clock.skip_shared(pause)
        return pause > 0.0

    def take_interval(self, clocks: Sequence[RoundClock]) -> float | None:
        """End the round that was read, and return its interval; None after an interruption, or with other members."""
        interrupted = any(clock.interrupted for clock in clocks)
        interval = None if interrupted or self._interval_from is None else self.busy_s
        self._interval_from = self.read_at
        for clock in clocks:
            clock.interrupted = False
        return interval
