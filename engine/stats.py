"""What happened in a request: one record a round, and the figures that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, floor, log
from typing import Any, Literal, NamedTuple

# From which ratio of a plain step to the fastest one known the computer counts as busy.
BUSY = 1.5
# Up to which error (two standard deviations, natural log) a speed-up is given as known exactly, and up to which as
# "about"; beyond it only the low end is given.
EXACT, ROUGH = 0.05, 0.14


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One round: `drafted` draft tokens of `source`, the first `accepted` of which were kept, then the bonus token.

    `committed` can be below accepted + 1 when the answer ended inside the round. `rows` is the width of the verify
    pass. `at_s` is the round's end in seconds since the request started. `reason` and `arguments` say why the round did
    not speculate ("" where it did). `rejected` is the text of the draft tokens that were not kept, where the main model
    wrote another one in the place of the first.

    The durations are wall seconds and add up to all the time since the round before was read: `draft_s` went into
    drafting, the draft model's catch-up included, `verify_s` into the main model's pass, from the moment its graph is
    built, and `host_s` is what else the device waited for. A round that was started before the one before was read
    waited for nothing.
    """

    number: int
    source: str
    drafted: int
    accepted: int
    committed: int
    rows: int
    at_s: float
    draft_s: float
    verify_s: float
    host_s: float
    reason: str = ""
    arguments: tuple[tuple[str, float | str], ...] = ()
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class PlainSpan:
    """`tokens` in a row that were decoded without speculation, and why: a code and its arguments.

    Codes: "off" (the user), "no-draft", "draft-loading", "draft-not-usable" (reason), "draft-failed",
    "draft-context-full", "no-guess" (the draft's text could not be put into main tokens), "cache-kind" (kind),
    "carried-rows" (rows that a rejection left to be fed again), "no-match" (lookup), "not-forced" (grammar),
    "costs-more" (plain_ms, round_ms, tokens_per_round), "measuring", "catching-up" (a draft model reads what it missed
    while the answer goes on), "batch" (another answer is about to join), "turns" (kind: what keeps the answers from
    sharing a batch, so that they take turns), "first-token", "length-limit".
    """

    tokens: int
    reason: str
    arguments: tuple[tuple[str, float | str], ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredSpeedup:
    """What plain decoding would have taken for `tokens`, and what they took with speculation, in seconds.

    `error` is that of `plain_s` (two standard deviations, natural logarithm). `load` is the duration of a plain step
    over that of the fastest one known.
    """

    plain_s: float
    decode_s: float
    tokens: int
    error: float
    load: float

    @property
    def factor(self) -> float:
        return self.plain_s / self.decode_s

    @property
    def known(self) -> bool:
        """Whether it is known well enough to be given as a ratio, and not only by its lower end."""
        return self.error <= ROUGH


class RoundedSpeedup(NamedTuple):
    """A speed-up as it is given to people: it is known exactly, is about `factor`, or is at least that."""

    factor: float
    known: Literal["exact", "about", "least"]


def rounded_speedup(factor: float | None, low: float | None, high: float | None) -> RoundedSpeedup | None:
    """A speed-up as exactly as it is known, from its bounds and, if that is known at all, its ratio; None if it is not.

    Where the bounds are too far apart for a ratio, it is at least the lower one.
    """
    if low is None or high is None or low <= 0.0:
        return None
    error = log(high / low) / 2.0
    if factor is None or error > ROUGH:
        least = floor(10.0 * low) / 10.0
        return RoundedSpeedup(least, "least") if least else None
    if error <= EXACT:
        return RoundedSpeedup(round(factor, 1), "exact")
    step = 0.1 if factor < 2.0 else 0.2 if factor < 5.0 else 0.5
    return RoundedSpeedup(round(factor / step) * step, "about")


@dataclass(frozen=True, slots=True)
class RequestStats:
    """The figures of one request; rates are None until there is something to divide by.

    `dropped_messages` of the conversation were left out because the context could not hold them. `opening` is the mark
    with which the chat template opened the model's thoughts at the end of the prompt, so that the answer lacks it.

    `accept_rate` = accepted / drafted over the whole request; `accept_by_position[i]` = (reached, accepted) of
    draft token i, which counts as reached when all before it in its round were accepted. `decode_tps` counts the tokens
    after the first. `speedup` compares the time of the answer's rounds with what plain decoding would have taken at the
    same time; it lies between `speedup_low` and `speedup_high` (two standard deviations). `plain_tps` is the speed of
    plain decoding meanwhile, and `saved_s` the seconds saved (below zero: lost). Where the bounds are too far apart,
    they are given alone; nothing is where nothing was drafted or measured, and for an answer that shared a batch.
    `load` is how many times as long a plain step took as the fastest one known.

    `ahead` is the state of an asynchronous drafter, "" where none was asked for: "starting", "ready", a reason of
    `DrafterLink`, "no-gain" (drafting takes too little of a round), "not-faster" (as was measured), "no-memory" or
    "no-address". What followed `ahead_hits` verdicts was drafted before they were known, what followed `ahead_misses`
    was not, and `ahead_late` answers came too late. `ahead_branches` were prepared; `ahead_hidden_s` seconds of useful
    drafting took place while the main model verified.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    draft_prefill_tokens: int = 0
    dropped_messages: int = 0
    opening: str = ""
    generated_tokens: int = 0
    rounds: int = 0
    drafted: int = 0
    accepted: int = 0
    accept_rate: float | None = None
    accept_by_position: tuple[tuple[int, int], ...] = ()
    tokens_per_round: float | None = None
    ttft_s: float | None = None
    decode_tps: float | None = None
    plain_tps: float | None = None
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    saved_s: float | None = None
    load: float | None = None
    draft_s: float = 0.0
    verify_s: float = 0.0
    host_s: float = 0.0
    seed: int = 0
    main: str = ""
    draft: str = ""
    ahead: str = ""
    ahead_hits: int = 0
    ahead_misses: int = 0
    ahead_late: int = 0
    ahead_branches: int = 0
    ahead_hidden_s: float = 0.0
    plain_spans: tuple[PlainSpan, ...] = field(default=())


class RequestLog:
    """Collects the rounds of a request and computes its figures. Belongs to the engine's thread.

    Times are `time.perf_counter()` values in seconds.
    """

    def __init__(self, started: float, *, prompt_tokens: int, seed: int, main: str) -> None:
        self.started = started
        self.draft = ""
        self.draft_prefill_tokens = 0
        self.cached_tokens = 0
        self.dropped_messages = 0
        self.opening = ""
        self.speedup: MeasuredSpeedup | None = None
        # `RequestStats`'s figures of asynchronous drafting.
        self.ahead: dict[str, Any] = {}
        # In a batch an answer is slower than alone by design, so a ratio to decoding alone would mislead.
        self.shared = False
        # `RequestStats`'s figures that never change.
        self._request: dict[str, Any] = {"prompt_tokens": prompt_tokens, "seed": seed, "main": main}
        # Draft tokens so far.
        self.drafted = 0
        self._rounds = self._accepted = self._generated = 0
        self._by_position: list[tuple[int, int]] = []
        self._draft_s = self._verify_s = self._host_s = 0.0
        self._first_at: float | None = None
        self._first_tokens = 0
        self._last_at = started
        self._spans: tuple[PlainSpan, ...] = ()
        # The latest span, which may go on: its tokens, reason and arguments.
        self._span_tokens, self._span_reason = 0, ""
        self._span_arguments: tuple[tuple[str, float | str], ...] = ()
        self._speculated = True

    def snapshot(self, record: RoundRecord | None = None, now: float = 0.0) -> RequestStats:
        """Count `record`, a round that was read at `now`, if there is one; returns the figures so far."""
        if record is not None:
            self._rounds += 1
            self._generated += record.committed
            self._draft_s += record.draft_s
            self._verify_s += record.verify_s
            self._host_s += record.host_s
            if self._first_at is None:
                self._first_at, self._first_tokens = now, record.committed
            self._last_at = now
            if record.drafted:
                self._count_drafted(record)
            else:
                if self._speculated or self._span_reason != record.reason:
                    self._begin_span(record.reason)
                self._span_tokens += record.committed
                self._span_arguments = record.arguments
        decode_tps = None
        if self._first_at is not None and self._last_at > self._first_at:
            decode_tps = (self._generated - self._first_tokens) / (self._last_at - self._first_at)
        spans = self._spans
        if self._span_tokens:
            spans += (PlainSpan(self._span_tokens, self._span_reason, self._span_arguments),)
        return RequestStats(
            **self._request,
            cached_tokens=self.cached_tokens,
            draft_prefill_tokens=self.draft_prefill_tokens,
            dropped_messages=self.dropped_messages,
            opening=self.opening,
            generated_tokens=self._generated,
            rounds=self._rounds,
            drafted=self.drafted,
            accepted=self._accepted,
            accept_rate=self._accepted / self.drafted if self.drafted else None,
            accept_by_position=tuple(self._by_position),
            tokens_per_round=self._generated / self._rounds if self._rounds else None,
            ttft_s=None if self._first_at is None else self._first_at - self.started,
            decode_tps=decode_tps,
            **(self._speedup_figures() if self.speedup is not None else {}),
            **self.ahead,
            draft_s=self._draft_s,
            verify_s=self._verify_s,
            host_s=self._host_s,
            draft=self.draft,
            plain_spans=spans,
        )

    def _count_drafted(self, record: RoundRecord) -> None:
        self._speculated = True
        self.drafted += record.drafted
        self._accepted += record.accepted
        for index in range(min(record.drafted, record.accepted + 1)):
            if index == len(self._by_position):
                self._by_position.append((0, 0))
            reached, accepted = self._by_position[index]
            self._by_position[index] = reached + 1, accepted + (index < record.accepted)

    def _begin_span(self, reason: str) -> None:
        if self._span_tokens:
            self._spans += (PlainSpan(self._span_tokens, self._span_reason, self._span_arguments),)
        self._span_tokens, self._span_reason, self._speculated = 0, reason, False

    def _speedup_figures(self) -> dict[str, Any]:
        found = self.speedup
        if found is None or self.shared or not self.drafted:
            return {}
        bounds = {"speedup_low": found.factor * exp(-found.error), "speedup_high": found.factor * exp(found.error)}
        if not found.known:
            return bounds
        return bounds | {
            "plain_tps": found.tokens / found.plain_s,
            "speedup": found.factor,
            "saved_s": found.plain_s - found.decode_s,
            "load": found.load,
        }
