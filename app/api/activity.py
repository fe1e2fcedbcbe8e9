"""The calls under way and those that ended last, by counts, for the window, the log and /v1/speculation/events.

Written on the server's and the engine's threads, read on any.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from engine.events import Event, Failed, Finished, PrefillProgress, TokensCommitted
from engine.stats import RequestStats, RoundRecord, summed

log = logging.getLogger(__name__)

# The number of ended calls that are kept.
MOST_ENDED_CALLS = 100

# The states of a call.
WAITING = "waiting"
PREFILLING = "prefilling"
ANSWERING = "answering"
FINISHED = "finished"
CANCELLED = "cancelled"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call of a client. `client` is the name that its program gives itself, `state` one of the constants above.

    `main` and `draft` are the loaded models as stored figures name them, `method` how it speculates. `stats` are the
    figures of each of its answers so far, and `reasons` why each has ended ("" while it has not): `Finished.reason`, or
    "failed". `began` is in seconds since 1970 and `seconds` how long it took, None while it is under way.
    """

    id: str
    endpoint: str
    model: str
    client: str
    began: float
    main: str = ""
    draft: str = ""
    method: str = ""
    state: str = WAITING
    stats: tuple[RequestStats, ...] = ()
    reasons: tuple[str, ...] = ()
    seconds: float | None = None

    @property
    def ended(self) -> bool:
        return self.seconds is not None

    @property
    def figures(self) -> RequestStats:
        """The figures of all its answers so far."""
        return summed(self.stats or (RequestStats(),))

    def after(self, index: int, event: Event) -> ApiCall:
        """Return the call after an event of the answer `index`."""
        if isinstance(event, PrefillProgress):
            return replace(self, state=PREFILLING)
        stats = _with(self.stats, index, event.stats or self.stats[index])
        if isinstance(event, TokensCommitted):
            return replace(self, state=ANSWERING, stats=stats)
        reason = event.reason if isinstance(event, Finished) else FAILED
        return replace(self, stats=stats, reasons=_with(self.reasons, index, reason))


_Item = TypeVar("_Item")
OnRound = Callable[[str, RoundRecord, RequestStats], object]


@dataclass
class Activity:
    """The calls under way and those that ended last.

    `on_change` is called after every change of a call's state, on the thread that caused it and without a lock.
    """

    on_change: Callable[[ApiCall], object] = lambda _call: None
    served: int = 0
    _calls: dict[str, ApiCall] = field(default_factory=dict)
    _ended: deque[ApiCall] = field(default_factory=lambda: deque(maxlen=MOST_ENDED_CALLS))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _round_listeners: list[OnRound] = field(default_factory=list)

    @property
    def under_way(self) -> tuple[ApiCall, ...]:
        """The calls under way, the oldest first."""
        with self._lock:
            return tuple(self._calls.values())

    @property
    def answers(self) -> int:
        """The number of answers under way."""
        with self._lock:
            return sum(len(call.stats) for call in self._calls.values())

    @property
    def ended(self) -> tuple[ApiCall, ...]:
        """The calls that ended last, the newest last."""
        with self._lock:
            return tuple(self._ended)

    def begin(self, call: ApiCall, answers: int = 1) -> None:
        """Add a call with this number of answers."""
        begun = replace(call, stats=(RequestStats(),) * answers, reasons=("",) * answers)
        with self._lock:
            self._calls[call.id] = begun
        self.on_change(begun)

    def note(self, call_id: str, index: int, event: Event) -> None:
        """Apply an event of the answer `index` of a call. Runs on the engine's thread, so it must be quick."""
        with self._lock:
            before = self._calls.get(call_id)
            if before is None:
                return
            call = self._calls[call_id] = before.after(index, event)
        if call.state != before.state:
            self.on_change(call)
        if isinstance(event, TokensCommitted):
            for listener in tuple(self._round_listeners):
                listener(call_id, event.round, event.stats)

    def end(self, call_id: str, state: str) -> None:
        """End a call as `state`, and log its counts, never its content."""
        with self._lock:
            under_way = self._calls.pop(call_id, None)
            if under_way is None:
                return
            reasons = tuple(reason or CANCELLED for reason in under_way.reasons)
            call = replace(under_way, state=state, reasons=reasons, seconds=time.time() - under_way.began)
            self._ended.append(call)
            self.served += 1
        figures = call.figures
        log.info(
            "%s %s for %s: %d prompt tokens, %d tokens, %d of %d draft tokens accepted, %.2f s",
            call.endpoint,
            state,
            call.client,
            sum(stats.prompt_tokens for stats in call.stats[:1]),
            figures.generated_tokens,
            figures.accepted,
            figures.drafted,
            call.seconds,
        )
        self.on_change(call)

    def listen(self, listener: OnRound) -> Callable[[], None]:
        """Call `listener` on the engine's thread after every round of every call; return what ends that."""
        self._round_listeners.append(listener)
        return lambda: self._round_listeners.remove(listener)


def _with(items: tuple[_Item, ...], index: int, item: _Item) -> tuple[_Item, ...]:
    return (*items[:index], item, *items[index + 1 :])


def outcome(events: Sequence[Event]) -> str:
    """Return the state of a call whose answers ended with `events`."""
    if any(isinstance(event, Failed) for event in events):
        return FAILED
    cancelled = any(isinstance(event, Finished) and event.reason == "cancelled" for event in events)
    return CANCELLED if cancelled else FINISHED
