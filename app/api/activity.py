"""What the server is doing and has done, by counts: for the window, the log and /v1/speculation/events.

Changed on the server's and the engine's threads, read on any.
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

# Ended calls that are kept for a look back.
MOST_KEPT = 100
# Durations of answers from which the waiting time of the next is estimated.
_RECENT = 8

WAITING, PREFILLING, ANSWERING, FINISHED, CANCELLED, FAILED = (
    "waiting", "prefilling", "answering", "finished", "cancelled", "failed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a client. `client` is the name that its program gives itself, `state` one of the constants above.

    `stats` are the figures of each of its answers so far; `began` is in seconds since 1970 and `seconds` how long it
    took, None while it is under way.
    """

    id: str
    endpoint: str
    model: str
    client: str
    began: float
    state: str = WAITING
    stats: tuple[RequestStats, ...] = ()
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


OnRound = Callable[[str, RoundRecord, RequestStats], object]


@dataclass
class Activity:
    """The calls under way and those ended last; listeners are called on whichever thread changes it, without a lock.

    `on_change` is called after every change of a call's state, not for every token.
    """

    on_change: Callable[[Call], object] = lambda _call: None
    served: int = 0
    _calls: dict[str, Call] = field(default_factory=dict)
    _ended: deque[Call] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    _durations: deque[float] = field(default_factory=lambda: deque(maxlen=_RECENT))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _round_listeners: list[OnRound] = field(default_factory=list)

    @property
    def under_way(self) -> tuple[Call, ...]:
        """The calls under way, the oldest first."""
        with self._lock:
            return tuple(self._calls.values())

    @property
    def ended(self) -> tuple[Call, ...]:
        """The calls that ended last, the newest last."""
        with self._lock:
            return tuple(self._ended)

    @property
    def typical_s(self) -> float:
        """About how long a call takes, in seconds, as the latest ones show."""
        recent = tuple(self._durations)
        return sum(recent) / len(recent) if recent else 1.0

    def begin(self, call: Call, answers: int = 1) -> None:
        """A call with so many answers was accepted."""
        self._change(replace(call, stats=(RequestStats(),) * answers))

    def note(self, call_id: str, index: int, event: Event) -> None:
        """Take over an event of the answer `index` of a call; called on the engine's thread, so it must be quick."""
        with self._lock:
            call = self._calls.get(call_id)
            if call is None:
                return
            state = PREFILLING if isinstance(event, PrefillProgress) else ANSWERING
            changed = state != call.state and not isinstance(event, Finished | Failed)
            stats = getattr(event, "stats", None)
            if changed or stats is not None:
                figures = call.stats if stats is None else (*call.stats[:index], stats, *call.stats[index + 1 :])
                call = replace(call, state=state if changed else call.state, stats=figures)
                self._calls[call_id] = call
        if changed:
            self.on_change(call)
        if isinstance(event, TokensCommitted):
            for listener in tuple(self._round_listeners):
                listener(call_id, event.round, event.stats)

    def end(self, call_id: str, state: str) -> None:
        """A call has ended as `state`. Logged by counts, never by content."""
        with self._lock:
            call = self._calls.pop(call_id, None)
            if call is None:
                return
            call = replace(call, state=state, seconds=time.time() - call.began)
            self._ended.append(call)
            self.served += 1
            if state == FINISHED:
                self._durations.append(call.seconds or 0.0)
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
        """Call `listener` on the engine's thread after every round of every call; returns what ends that."""
        self._round_listeners.append(listener)
        return lambda: self._round_listeners.remove(listener)

    def _change(self, call: Call) -> None:
        with self._lock:
            self._calls[call.id] = call
        self.on_change(call)


def outcome(events: Sequence[Event]) -> str:
    """How a call ended whose answers ended with `events`."""
    if any(isinstance(event, Failed) for event in events):
        return FAILED
    cancelled = any(isinstance(event, Finished) and event.reason == "cancelled" for event in events)
    return CANCELLED if cancelled else FINISHED
