"""The figures of an answer that took several requests, because it called tools. No Qt in here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import log
from typing import Any

from msgspec.structs import replace

from engine.stats import KNOWN, RequestStats, most_speedup

_SUMS = ("generated_tokens", "rounds", "drafted", "accepted", "draft_s", "verify_s", "host_s", "picture_s")


def summed(parts: Sequence[RequestStats]) -> RequestStats:
    """Return ratios of totals, like the history; a figure that cannot be summed is that of the last request.

    The time to the first token is that of the first one.
    """
    last = parts[-1]
    sums: dict[str, Any] = {name: sum(getattr(one, name) for one in parts) for name in _SUMS}
    positions = zip_longest(*(one.accept_by_position for one in parts), fillvalue=(0, 0))
    timed = [(one, (one.generated_tokens - 1) / one.decode_tps) for one in parts if one.decode_tps]
    seconds = sum(decode_s for _, decode_s in timed)
    return replace(
        last,
        **sums,
        accept_rate=sums["accepted"] / sums["drafted"] if sums["drafted"] else None,
        accept_by_position=tuple((sum(a for a, _ in one), sum(b for _, b in one)) for one in positions),
        tokens_per_round=sums["generated_tokens"] / sums["rounds"] if sums["rounds"] else None,
        ttft_s=parts[0].ttft_s,
        decode_tps=sum(one.generated_tokens - 1 for one, _ in timed) / seconds if seconds else None,
        plain_spans=tuple(span for one in parts for span in one.plain_spans),
        sources=tuple(dict.fromkeys(source for one in parts for source in one.sources)),
        **_speedup(timed),
    )


def _speedup(timed: Sequence[tuple[RequestStats, float]]) -> dict[str, float | None]:
    """Return the figures of the speed-up, from the requests that know its bounds, by their seconds of decoding."""
    known = [(one, seconds) for one, seconds in timed if one.speedup_low is not None and one.rounds]
    whole = sum(seconds for _, seconds in known)
    if not whole:
        return dict.fromkeys(("speedup", "speedup_low", "speedup_high", "plain_tps", "saved_s"))
    most = most_speedup(sum(one.generated_tokens for one, _ in known) / sum(one.rounds for one, _ in known))

    def mean(figure: Callable[[RequestStats], float]) -> float:
        return min(most, sum(figure(one) * seconds for one, seconds in known) / whole)

    low, high = mean(lambda one: one.speedup_low or 0.0), mean(lambda one: one.speedup_high or 0.0)
    found: dict[str, float | None] = {"speedup_low": low, "speedup_high": high}
    if low <= 0.0 or log(high / low) / 2.0 > KNOWN:
        return found | dict.fromkeys(("speedup", "plain_tps", "saved_s"))
    factor, tokens = mean(_middle), sum(one.generated_tokens - 1 for one, _ in known)
    return found | {"speedup": factor, "plain_tps": tokens / whole / factor, "saved_s": (factor - 1.0) * whole}


def _middle(one: RequestStats) -> float:
    """Return the speed-up of a request, or the middle of its bounds where only these are known."""
    return one.speedup if one.speedup is not None else ((one.speedup_low or 0.0) + (one.speedup_high or 0.0)) / 2.0
