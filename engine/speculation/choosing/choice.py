"""The values that pass between decoders and the controller: offers, choices and measured rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.speculation.rounds.row_rule import UNKNOWN, RowRule


@dataclass(frozen=True, slots=True)
class Choice:
    """What an answer does in the next round: `depth` draft tokens of `source`, or plain decoding (None, 0).

    `reason` and `arguments` say why a round is plain, as in `engine.stats.PlainSpan`. If a plain round has no reason,
    no proposer had a proposal, and the proposer's own reason applies.
    """

    source: str | None
    depth: int
    reason: str = ""
    arguments: tuple[tuple[str, float | str], ...] = ()


# A draft model would have to read the prompt first, and texts are hard to draft at their beginning.
FIRST_TOKEN = Choice(None, 0, "first-token")


@dataclass(frozen=True, slots=True)
class Offer:
    """What one answer's proposers could propose in the next round, by source.

    `limits` are the most draft tokens, and `backlog` the tokens that a proposer would have to read first. The verify
    pass has `carried` more rows, and keeps to `rule`. If `forced` is given, nothing is weighed: the
    answer does that.
    """

    limits: Mapping[str, int] = field(default_factory=dict)
    backlog: Mapping[str, int] = field(default_factory=dict)
    carried: int = 0
    forced: Choice | None = None
    rule: RowRule = UNKNOWN


@dataclass(frozen=True, slots=True)
class MeasuredRound:
    """A round to learn from: it committed `tokens` in all and took `seconds` until the next one.

    Its pass had `rows` rows in all, of so many `answers`. `draft` is (source, tokens for each answer) if a drafter
    drafted; `draft_seconds` is the duration of that, None if it was not timed apart. A round that is not `typical`
    included other work, such as the catch-up of a drafter.
    """

    rows: int
    tokens: int
    seconds: float
    draft: tuple[str, int] | None = None
    draft_seconds: float | None = None
    typical: bool = True
    answers: int = 1
