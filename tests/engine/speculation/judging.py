"""Verdicts on auto beside every fixed arm, answer by answer, from the answers that `played` plays."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.engine.speculation.by_kind import calibrate
from tests.engine.speculation.played import Answer, Pair, Player, arms_of

# The first answers of a pair, and the most tokens of a short answer.
FIRST, SHORT = 3, 32


@dataclass(frozen=True)
class Verdict:
    """Ratios of auto's speed to that of fixed arms on a pair never seen before; above 1 if auto is faster.

    `twenty` and `three` are to the arm that is best over all answers and over the first three. `long` and `short` are
    each answer's ratio to plain decoding.
    """

    twenty: float
    three: float
    long: list[float]
    short: list[float]


_FIXED_MS: dict[tuple[str, int, int], dict[tuple[str, int], list[float]]] = {}


def fixed_ms(pair: Pair, seed: int, answers: Sequence[Answer]) -> dict[tuple[str, int], list[float]]:
    """Return every answer's milliseconds with each fixed arm; cached, because they do not depend on the controller."""
    key = pair.name, seed, len(answers)
    if key not in _FIXED_MS:
        _FIXED_MS[key] = {
            arm: [Player(pair, seed + 1).fixed(answer, *arm) for answer in answers] for arm in arms_of(pair)
        }
    return _FIXED_MS[key]


def judge(pair: Pair, seed: int, *, calibrated: bool = False, count: int = 20) -> Verdict:
    """Play `count` answers of the pair, drawn by `seed`, with a new controller and with every arm.

    A `calibrated` controller knows what the engine measures of a new pair while it is idle.
    """
    answers = random.Random(seed).sample(list(pair.answers), min(count, len(pair.answers)))
    player, fixed = Player(pair, seed), fixed_ms(pair, seed, answers)
    if calibrated:
        calibrate(player.drafting.controller, pair)
    auto = [player.auto(answer) for answer in answers]
    lengths = [len(answer.text) for answer in answers]
    to_plain = [plain / ours for plain, ours in zip(fixed["plain", 0], auto, strict=True)]
    return Verdict(
        min(sum(times) for times in fixed.values()) / sum(auto),
        min(sum(times[:FIRST]) for times in fixed.values()) / sum(auto[:FIRST]),
        [ratio for tokens, ratio in zip(lengths, to_plain, strict=True) if tokens > SHORT],
        [ratio for tokens, ratio in zip(lengths, to_plain, strict=True) if tokens <= SHORT],
    )
