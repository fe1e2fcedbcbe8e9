"""The calls under way and those ended last, by counts, for the window, the log and /v1/speculation/events.

Written on the server's and the engine's threads, read on any.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from engine.events import Event, Failed, Finished, PrefillProgress, TokensCommitted
from engine.stats import RequestStats, RoundRecord

log = logging.getLogger(__name__)

# The number of ended calls that are kept.
MOST_KEPT = 100

WAITING, PREFILLING, ANSWERING, FINISHED, CANCELLED, FAILED = (
    "waiting", "prefilling", "answering", "finished", "cancelled", "failed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
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
    def drafted(self) -> int:
        return sum(stats.drafted for stats in self.stats)

    @property
    def accepted(self) -> int:
        return sum(stats.accepted for stats in self.stats)

    @property
    def accept_rate(self) -> float | None:
        """Accepted over drafted tokens; None until a token was drafted."""
        return self.accepted / self.drafted if self.drafted else None

    @property
    def tokens(self) -> int:
        """Tokens generated so far, over all its answers."""
        return sum(stats.generated_tokens for stats in self.stats)


@dataclass(slots=True)
class _UnderWay:
    """A call that has not ended; every token changes it, so it is changed in place."""

    call: Call
    state: str
    stats: list[RequestStats]
    reasons: list[str]

    def take(self, index: int, event: Event) -> bool:
        """Apply an event of the answer `index`; return whether it changed the state of the call."""
        before = self.state
        if isinstance(event, PrefillProgress):
            self.state = PREFILLING
            return before != PREFILLING
        if event.stats is not None:
            self.stats[index] = event.stats
        if isinstance(event, TokensCommitted):
            self.state = ANSWERING
        else:
            self.reasons[index] = event.reason if isinstance(event, Finished) else FAILED
        return before != self.state

    @property
    def now(self) -> Call:
        return replace(self.call, state=self.state, stats=tuple(self.stats), reasons=tuple(self.reasons))


OnRound = Callable[[str, RoundRecord, RequestStats], object]


@dataclass
class Activity:
    """The calls under way and those ended last.

    `on_change` is called after every change of a call's state, on the thread that caused it and without a lock.
    """

    on_change: Callable[[Call], object] = lambda _call: None
    served: int = 0
    _calls: dict[str, _UnderWay] = field(default_factory=dict)
    _ended: deque[Call] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _round_listeners: list[OnRound] = field(default_factory=list)

    @property
    def under_way(self) -> tuple[Call, ...]:
        """The calls under way, the oldest first."""
        with self._lock:
            return tuple(call.now for call in self._calls.values())

    @property
    def answers(self) -> int:
        """The number of answers under way."""
        with self._lock:
            return sum(len(call.stats) for call in self._calls.values())

    @property
    def ended(self) -> tuple[Call, ...]:
        """The calls that ended last, the newest last."""
        with self._lock:
            return tuple(self._ended)

    def begin(self, call: Call, answers: int = 1) -> None:
        """Add a call with this number of answers."""
        under_way = _UnderWay(call, call.state, [RequestStats()] * answers, [""] * answers)
        with self._lock:
            self._calls[call.id] = under_way
            begun = under_way.now
        self.on_change(begun)

    def note(self, call_id: str, index: int, event: Event) -> None:
        """Apply an event of the answer `index` of a call. Runs on the engine's thread, so it must be quick."""
        with self._lock:
            call = self._calls.get(call_id)
            if call is None:
                return
            changed = call.now if call.take(index, event) else None
        if changed is not None:
            self.on_change(changed)
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
            call = replace(under_way.now, state=state, reasons=reasons, seconds=time.time() - under_way.call.began)
            self._ended.append(call)
            self.served += 1
        log.info(
            "%s %s for %s: %d prompt tokens, %d tokens, %d of %d draft tokens accepted, %.2f s",
            call.endpoint,
            state,
            call.client,
            sum(stats.prompt_tokens for stats in call.stats[:1]),
            call.tokens,
            call.accepted,
            call.drafted,
            call.seconds,
        )
        self.on_change(call)

    def listen(self, listener: OnRound) -> Callable[[], None]:
        """Call `listener` on the engine's thread after every round of every call; return what ends that."""
        self._round_listeners.append(listener)
        return lambda: self._round_listeners.remove(listener)


def outcome(events: Sequence[Event]) -> str:
    """Return the state of a call whose answers ended with `events`."""
    if any(isinstance(event, Failed) for event in events):
        return FAILED
    cancelled = any(isinstance(event, Finished) and event.reason == "cancelled" for event in events)
    return CANCELLED if cancelled else FINISHED
