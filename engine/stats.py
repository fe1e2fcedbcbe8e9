"""The records of a request's rounds, and the figures that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import ceil, exp, floor, log
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import force_setattr, replace

# The computer counts as busy if a plain step takes this many times as long as the fastest one known.
BUSY = 1.5
# The largest error (two standard deviations, natural logarithm) of a speed-up that is shown; with a larger error, only
# a bound is.
KNOWN = 0.14
# A smaller factor between two speeds is not noticeable.
NOTICEABLE = 1.05
# Of a speed-up that is more than this many times as large as possible, nothing is true.
UNTRUE = 2.0
# The seconds between two updates of the figures of events: fast enough to read.
FIGURES_S = 0.1
# The figures that are unknown of a request whose speed says nothing of others.
NO_SPEEDUP: dict[str, None] = dict.fromkeys(("speedup", "speedup_low", "speedup_high", "plain_tps", "saved_s"))
# What `summed` adds up.
_SUMS = ("generated_tokens", "rounds", "drafted", "accepted", "draft_s", "verify_s", "host_s", "picture_s")


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One round: `drafted` draft tokens of `source`, the first `accepted` of which were kept, then the bonus token.

    `committed` can be below accepted + 1 when the answer ended inside the round. `rows` is the width of the verify
    pass. `at_s` is the round's end in seconds since the request started. `reason` and `arguments` say why the round did
    not speculate ("" if it did). `rejected` is the text of the rejected draft tokens, if the main model wrote another
    token in place of the first of them.

    The durations are wall seconds and add up to all the time since the round before was read: `draft_s` went into
    drafting, the draft model's catch-up included, `verify_s` into the main model's pass, from the moment its graph is
    built, and `host_s` is the rest, in which the device waited for the host. It is 0 for a round that was started
    before the previous one was read.
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
    "draft-context-full", "no-guess" (nothing usable was proposed), "cache-kind" (kind),
    "carried-rows" (rows that a rejection left to be fed again), "no-match" (lookup), "not-forced" (grammar),
    "costs-more" (plain_ms, round_ms, tokens_per_round), "same-text" (`SpeculationSettings.same_text` forbids wider
    passes, or to share them), "measuring", "catching-up" (a draft model reads what it missed while the answer goes on),
    "batch" (another answer is about to join), "turns" (kind: what keeps the answers from sharing a batch, so that they
    take turns), "first-token", "length-limit".
    """

    tokens: int
    reason: str
    arguments: tuple[tuple[str, float | str], ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredSpeedup:
    """The seconds that `tokens` would have taken plainly (`plain_s`) and took with speculation (`decode_s`).

    `error` is the error of `plain_s` (two standard deviations, natural logarithm). `load` is the duration of a plain
    step over that of the fastest one known.
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
        """Whether the ratio is precise enough to be shown, and not only its bounds."""
        return self.error <= KNOWN


class RoundedSpeedup(NamedTuple):
    """A speed-up as it is shown to people: exactly, at least, or at most `factor`."""

    factor: float
    known: Literal["exact", "least", "most"]


def most_speedup(tokens_per_round: float) -> float:
    """Return the largest possible speed-up, with one decimal as it is shown.

    A pass over several rows takes at least as long as one over a single row, so a round takes at least a plain step.
    """
    return floor(10.0 * tokens_per_round) / 10.0


def rounded_speedup(factor: float | None, low: float | None, high: float | None) -> RoundedSpeedup | None:
    """Round a speed-up to what is known of it; None if it is not even known on which side of 1 it lies.

    Without `factor`, or if the bounds are too far apart, only the bound on the side of 1 is shown.
    """
    if low is None or high is None or low <= 0.0:
        return None
    if factor is not None and log(high / low) / 2.0 <= KNOWN:
        return RoundedSpeedup(round(factor, 1), "exact")
    least = floor(10.0 * low) / 10.0
    most = ceil(10.0 * high) / 10.0
    if least > NOTICEABLE:
        return RoundedSpeedup(least, "least")
    return RoundedSpeedup(most, "most") if most < 1.0 / NOTICEABLE else None


class RequestStats(Struct, frozen=True):
    """The figures of one request; a rate is None while its divisor is zero.

    `dropped_messages` of the conversation were left out because the context could not hold them, and `merged_messages`
    of the system became a part of users' messages, because the template refuses them. `opening` is the mark with which
    the chat template opened the model's thoughts at the end of the prompt, or with which an answer that is continued
    opened those in which it stopped, so that the text lacks it. `unchecked` are the places in the schemas of a finished
    answer of what its grammar did not check, and `problems` what a caller that checked the answer afterwards found
    wrong with it. `thinking_limit` are the tokens after which a limit ended the thoughts, None if none did.

    `accept_rate` = accepted / drafted over the whole request; `accept_by_position[i]` = (reached, accepted) of
    draft token i, which counts as reached when all before it in its round were accepted. `decode_tps` counts the tokens
    after the first. `speedup` compares the time of the answer's rounds with what plain decoding would have taken at the
    same time; it lies between `speedup_low` and `speedup_high` (two standard deviations). No figure of it exceeds the
    tokens per round, see `most_speedup`; 0 as lower bound says that nothing else is known. `plain_tps` is the speed of
    plain decoding meanwhile, and `saved_s` the seconds saved (below zero: lost). If the bounds are too far apart, only
    they are given; all of these are None if nothing was drafted or measured, or if the answer shared a batch.
    `load` is the duration of a plain step over that of the fastest one known. `slowed` says what slowed the machine
    when the answer began: "low-power" (macOS's Low Power Mode), "hot" (heat), "memory" (macOS is almost out of it), or
    "" for nothing that is known. `sources` are the proposers of its draft tokens.

    `draft_fits` is false if under 2 % of the first draft tokens of some 200 rounds were accepted, in this answer and
    earlier ones.

    `rounding` says how the text compares with the text of plain decoding: "identical" if this machine was found to
    round every pass, by its width and its number of keys, like a plain round, "rounded" if some tokens may differ, ""
    if that is unknown. `same_text_cost` is the share of the speed that `SpeculationSettings.same_text`, if set, is
    expected to cost.

    `ahead` is the state of a draft runner, "" if there is none, or nothing to say of it: "starting", "ready", a reason
    of `engine.ahead.link.RunnerLink`, "resting-slower" (rounds are faster without it), "resting-unused" (its last
    replies came too late or were not used), "bad-replies" (three that no sound runner sends), "no-memory",
    "other-tokenizer", "several" (it serves an answer alone only), "pictures" or "head" (which drafts a block in one
    pass). The runner had prepared draft tokens for `ahead_hits` outcomes of rounds, of which `ahead_used` were
    verified, and not for `ahead_misses`; `ahead_late` replies came too late, `ahead_bad` were not sound. A round that
    asked for none is in no figure: so a runner that has stopped is not late while it rests, or while a rest is tried,
    in which `ahead` stays "ready". Drafting here as many tokens as were used would have taken `ahead_hidden_s` seconds.
    `ahead_host` is the name of the runner's computer, "" for this one, and `ahead_detail` what was found there, if the
    state is a reason.

    The prompt has `pictures`; those that no cache held have `picture_tokens`, and their files and the tower took
    `picture_s` seconds of the time to the first token.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    draft_prefill_tokens: int = 0
    dropped_messages: int = 0
    merged_messages: int = 0
    unchecked: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    opening: str = ""
    thinking_limit: int | None = None
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
    slowed: str = ""
    rounding: str = ""
    same_text_cost: float | None = None
    draft_s: float = 0.0
    verify_s: float = 0.0
    host_s: float = 0.0
    seed: int = 0
    main: str = ""
    draft: str = ""
    draft_fits: bool = True
    ahead: str = ""
    ahead_host: str = ""
    ahead_detail: str = ""
    ahead_hits: int = 0
    ahead_misses: int = 0
    ahead_late: int = 0
    ahead_bad: int = 0
    ahead_used: int = 0
    ahead_hidden_s: float = 0.0
    plain_spans: tuple[PlainSpan, ...] = ()
    sources: tuple[str, ...] = ()
    pictures: int = 0
    picture_tokens: int = 0
    picture_s: float = 0.0

    @property
    def accepted_rounds(self) -> int | None:
        """The number of rounds in which at least the first draft token was accepted; None if it is not known."""
        return self.accept_by_position[0][1] if self.accept_by_position else None

    def __post_init__(self) -> None:
        """Keep the speed-up within what is possible: earlier versions stored larger ones."""
        low = self.speedup_low
        high = self.speedup_high
        rate = self.tokens_per_round
        if rate is None and self.rounds:
            rate = self.generated_tokens / self.rounds
        if low is None or high is None or rate is None or high <= (most := most_speedup(rate)):
            return
        known = low <= UNTRUE * most
        bounded: dict[str, float | None] = {"speedup_low": min(low, most) if known else 0.0, "speedup_high": most}
        if self.speedup is not None and self.speedup > most:
            bounded |= {"speedup": most if known else None, "plain_tps": None, "saved_s": None, "load": None}
        for name, value in bounded.items():
            force_setattr(self, name, value)


class RequestLog:
    """Adds up the rounds of a request; `snapshot` makes figures of them.

    Belongs to the engine's thread. `figures` are those that do not follow from rounds; the request's decoder sets some
    of them before a snapshot. Times are `time.perf_counter()` values in seconds.
    """

    def __init__(self, started: float, figures: RequestStats) -> None:
        self.started = started
        self.figures = figures
        self.speedup: MeasuredSpeedup | None = None
        # In a batch an answer is slower than alone by design, so a ratio to decoding alone would mislead.
        self.shared = False
        # Whether every pass so far had a width at which rows are rounded as in a plain round.
        self.exact = True
        self.drafted = self._accepted = self._rounds = self._tokens = 0
        self._draft_s = self._verify_s = self._host_s = 0.0
        self._first_at: float | None = None
        self._latest_at = started
        self._first_tokens = 0
        # [reached, accepted] of each draft token, as in `RequestStats.accept_by_position`.
        self._by_position: list[list[int]] = []
        self._sources: list[str] = []
        # The tokens and the newest round of each span without speculation.
        self._spans: list[tuple[int, RoundRecord]] = []
        self._latest_was_plain = False
        self._shown: RequestStats | None = None
        self._shown_at = 0.0

    def skip(self, seconds: float) -> None:
        """Count no `seconds` of the time so far, in which the computer slept or the process was stopped."""
        self.started += seconds
        if self._first_at is not None:
            self._first_at += seconds

    def add(self, record: RoundRecord, now: float) -> None:
        """Count a round that was read at `now`."""
        if self._first_at is None:
            self._first_at = now
            self._first_tokens = record.committed
        self._latest_at = now
        self._rounds += 1
        self._tokens += record.committed
        self._draft_s += record.draft_s
        self._verify_s += record.verify_s
        self._host_s += record.host_s
        if record.drafted:
            self._add_drafted(record)
        elif record.committed:
            spans = self._spans
            if self._latest_was_plain and spans and spans[-1][1].reason == record.reason:
                spans[-1] = spans[-1][0] + record.committed, record
            else:
                spans.append((record.committed, record))
        self._latest_was_plain = not record.drafted

    def is_due(self, now: float) -> bool:
        """Whether `latest` will make new figures."""
        return self._shown is None or now - self._shown_at >= FIGURES_S

    def latest(self, now: float) -> RequestStats:
        """Return figures that are at most FIGURES_S old."""
        if self._shown is None or self.is_due(now):
            self._shown = self.snapshot()
            self._shown_at = now
        return self._shown

    def snapshot(self) -> RequestStats:
        """Return the figures so far."""
        if self._first_at is None:
            return self.figures
        seconds = self._latest_at - self._first_at
        return replace(
            self.figures,
            generated_tokens=self._tokens,
            rounds=self._rounds,
            drafted=self.drafted,
            accepted=self._accepted,
            accept_rate=self._accepted / self.drafted if self.drafted else None,
            accept_by_position=tuple((reached, accepted) for reached, accepted in self._by_position),
            tokens_per_round=self._tokens / self._rounds,
            ttft_s=self._first_at - self.started,
            decode_tps=(self._tokens - self._first_tokens) / seconds if seconds > 0.0 else None,
            draft_s=self._draft_s,
            verify_s=self._verify_s,
            host_s=self._host_s,
            plain_spans=tuple(PlainSpan(tokens, newest.reason, newest.arguments) for tokens, newest in self._spans),
            sources=tuple(self._sources),
            **self._speedup_figures(),
        )

    def _add_drafted(self, record: RoundRecord) -> None:
        self.drafted += record.drafted
        self._accepted += record.accepted
        if record.source not in self._sources:
            self._sources.append(record.source)
        for index in range(min(record.drafted, record.accepted + 1)):
            if index == len(self._by_position):
                self._by_position.append([0, 0])
            self._by_position[index][0] += 1
            if index < record.accepted:
                self._by_position[index][1] += 1

    def _speedup_figures(self) -> dict[str, float]:
        measured = self.speedup
        if measured is None or self.shared or not self.drafted:
            return {}
        most = most_speedup(self._tokens / self._rounds)
        factor, low, high = (
            min(most, measured.factor * exp(error)) for error in (0.0, -measured.error, measured.error)
        )
        bounds = {"speedup_low": low, "speedup_high": high}
        if not measured.known or not factor:
            return bounds
        return bounds | {
            "plain_tps": measured.tokens / measured.decode_s / factor,
            "speedup": factor,
            "saved_s": (factor - 1.0) * measured.decode_s,
            "load": measured.load,
        }


def summed(parts: Sequence[RequestStats]) -> RequestStats:
    """Return the figures of several requests: totals over totals, and what cannot be summed of the last one.

    The time to the first token is the first answer's.
    """
    if len(parts) == 1:
        return parts[0]
    sums: dict[str, Any] = {name: sum(getattr(stats, name) for stats in parts) for name in _SUMS}
    timed = [(stats, (stats.generated_tokens - 1) / stats.decode_tps) for stats in parts if stats.decode_tps]
    seconds = sum(decode_s for _, decode_s in timed)
    timed_tokens = sum(stats.generated_tokens - 1 for stats, _ in timed)
    return replace(
        parts[-1],
        **sums,
        accept_rate=_ratio(sums["accepted"], sums["drafted"]),
        accept_by_position=_summed_positions(parts),
        tokens_per_round=_ratio(sums["generated_tokens"], sums["rounds"]),
        ttft_s=parts[0].ttft_s,
        decode_tps=_ratio(timed_tokens, seconds),
        plain_spans=tuple(span for stats in parts for span in stats.plain_spans),
        sources=tuple(dict.fromkeys(source for stats in parts for source in stats.sources)),
        **_summed_speedup(timed),
    )


def _ratio(total: float, divisor: float) -> float | None:
    """Return the quotient, None if the divisor is zero."""
    return total / divisor if divisor else None


def _summed_positions(parts: Sequence[RequestStats]) -> tuple[tuple[int, int], ...]:
    """Add up `accept_by_position`; requests that never drafted so far count as (0, 0) at that position."""
    positions = zip_longest(*(stats.accept_by_position for stats in parts), fillvalue=(0, 0))
    return tuple(
        (sum(reached for reached, _ in position), sum(accepted for _, accepted in position)) for position in positions
    )


def _summed_speedup(timed: Sequence[tuple[RequestStats, float]]) -> dict[str, float | None]:
    """Return the figures of the speed-up, from the requests that know its bounds, by their seconds of decoding."""
    known = [(stats, seconds) for stats, seconds in timed if stats.speedup_low is not None and stats.rounds]
    whole = sum(seconds for _, seconds in known)
    if not whole:
        return dict.fromkeys(("speedup", "speedup_low", "speedup_high", "plain_tps", "saved_s"))
    most = most_speedup(sum(stats.generated_tokens for stats, _ in known) / sum(stats.rounds for stats, _ in known))

    def mean(figure: Callable[[RequestStats], float]) -> float:
        return min(most, sum(figure(stats) * seconds for stats, seconds in known) / whole)

    low = mean(lambda stats: stats.speedup_low or 0.0)
    high = mean(lambda stats: stats.speedup_high or 0.0)
    bounds: dict[str, float | None] = {"speedup_low": low, "speedup_high": high}
    if low <= 0.0 or log(high / low) / 2.0 > KNOWN:
        return bounds | dict.fromkeys(("speedup", "plain_tps", "saved_s"))
    factor = mean(_middle_speedup)
    tokens = sum(stats.generated_tokens - 1 for stats, _ in known)
    return bounds | {"speedup": factor, "plain_tps": tokens / whole / factor, "saved_s": (factor - 1.0) * whole}


def _middle_speedup(stats: RequestStats) -> float:
    """Return the speed-up of a request, or the middle of its bounds where only these are known."""
    return (
        stats.speedup if stats.speedup is not None else ((stats.speedup_low or 0.0) + (stats.speedup_high or 0.0)) / 2.0
    )
