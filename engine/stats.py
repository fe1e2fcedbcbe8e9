"""What happened in a request: one record a round, and the figures that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One round: `drafted` guesses of `source`, of which the first `accepted` were kept, then the main model's token.

    `committed` can be below accepted + 1 when the answer ended inside the round. `rows` is the width of the verify
    pass. `at_s` is the round's end in seconds since the request started; the durations are wall seconds. `reason`
    and `arguments` say why the round did not speculate ("" where it did).
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


@dataclass(frozen=True, slots=True)
class PlainSpan:
    """`tokens` in a row that were decoded without speculation, and why: a code and its arguments.

    Codes: "off" (the user), "no-draft", "draft-not-usable" (reason), "cache-kind" (kind), "no-match" (lookup),
    "costs-more" (plain_ms, round_ms, tokens_per_round), "measuring", "batch", "first-token", "length-limit".
    """

    tokens: int
    reason: str
    arguments: tuple[tuple[str, float | str], ...] = ()


@dataclass(frozen=True, slots=True)
class RequestStats:
    """The figures of one request; rates are None until there is something to divide by.

    `accept_rate` = accepted / drafted over the whole request; `accept_by_position[i]` = (reached, accepted) of guess
    i, where a guess counts as reached when every guess before it in its round was accepted. `decode_tps` counts the
    tokens after the first. `plain_tps` is what plain decoding does on this machine at this context length, measured,
    or None; `speedup` = decode_tps / plain_tps.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    draft_prefill_tokens: int = 0
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
    draft_s: float = 0.0
    verify_s: float = 0.0
    host_s: float = 0.0
    seed: int = 0
    main: str = ""
    draft: str = ""
    plain_spans: tuple[PlainSpan, ...] = field(default=())
