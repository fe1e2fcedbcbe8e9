"""What the controller is asked, what it answers, and what it learns from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Choice:
    """What an answer does in the next round: `depth` draft tokens of `source`, or plain decoding (None, 0).

    `reason` and `arguments` say why a round is plain, as in `engine.stats.PlainSpan`. An empty reason on a plain round
    means that no proposer had anything: its own reason applies.
    """

    source: str | None
    depth: int
    reason: str = ""
    arguments: tuple[tuple[str, float | str], ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """What one answer's proposers could propose in the next round, by source.

    `limits` are the most draft tokens, and `backlog` the tokens that they would have to read first. The verify pass has
    `carried` rows more. Where `decided` is given, that is what the answer does.
    """

    limits: Mapping[str, int] = field(default_factory=dict)
    backlog: Mapping[str, int] = field(default_factory=dict)
    carried: int = 0
    decided: Choice | None = None


@dataclass(frozen=True, slots=True)
class MeasuredRound:
    """A round to learn from: it committed `tokens` in all and took `seconds` until the next one.

    Its pass had `rows` rows in all. `draft` is what a drafter made: (source, tokens for each answer); `draft_seconds`
    of the time went into that, None where it was not timed apart. A round that is not `typical` held other work too,
    such as a drafter that read what it had missed.
    """

    rows: int
    tokens: int
    seconds: float
    draft: tuple[str, int] | None = None
    draft_seconds: float | None = None
    typical: bool = True
