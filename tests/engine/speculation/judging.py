"""The judgement of what `played` plays: auto beside every fixed arm, answer by answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.engine.speculation.by_kind import calibrate
from tests.engine.speculation.played import Answer, Pair, Player, arms_of

# The first answers of a pair, and the most tokens of a short answer.
FIRST, SHORT = 3, 32


@dataclass(frozen=True)
class Verdict:
    """Auto beside fixed arms on one pair never seen before: ratios of speeds, above 1 where auto is faster.

    `twenty` and `three` are to the arm that is best over all answers and over the first three, `by_kind` to the best of
    each kind of prompt. `long` and `short` are each answer's ratio to plain decoding.
    """

    pair: str
    best: tuple[str, int]
    twenty: float
    three: float
    by_kind: dict[str, float]
    long: list[float]
    short: list[float]
    speedup: float


_FIXED_MS: dict[tuple[str, int], dict[tuple[str, int], list[float]]] = {}


def fixed_ms(pair: Pair, seed: int, answers: Sequence[Answer]) -> dict[tuple[str, int], list[float]]:
    """Milliseconds of every answer with each fixed arm, kept because they do not depend on the controller."""
    if (pair.name, seed) not in _FIXED_MS:
        _FIXED_MS[pair.name, seed] = {
            arm: [Player(pair, seed + 1).fixed(answer, *arm) for answer in answers] for arm in arms_of(pair)
        }
    return _FIXED_MS[pair.name, seed]


def drawn(pair: Pair, seed: int, count: int = 20) -> list[Answer]:
    """`count` of the pair's answers, drawn and ordered by `seed`."""
    return random.Random(seed).sample(list(pair.answers), min(count, len(pair.answers)))


def judge(pair: Pair, seed: int, *, calibrated: bool = False) -> Verdict:
    """Play answers of the pair with a new controller and with every arm.

    A `calibrated` one knows what the engine measures of a new pair while it is idle.
    """
    answers, player = drawn(pair, seed), Player(pair, seed)
    if calibrated and pair.drafter:
        calibrate(player.drafting.controller, pair)
    return verdict(pair, seed, answers, [player.auto(answer).ms for answer in answers])


def verdict(pair: Pair, seed: int, answers: Sequence[Answer], auto: Sequence[float]) -> Verdict:
    """Answers that took `auto` milliseconds beside the same with each arm."""
    fixed = fixed_ms(pair, seed, answers)
    kinds = sorted({answer.kind for answer in answers})

    def ratio(chosen: Callable[[int], bool]) -> float:
        rows = [index for index in range(len(answers)) if chosen(index)]
        ours = sum(auto[index] for index in rows)
        return min(sum(times[index] for index in rows) for times in fixed.values()) / ours

    best = min(fixed, key=lambda arm: sum(fixed[arm]))
    plain = fixed["plain", 0]
    to_plain = [(len(answer.text), plain[index] / auto[index]) for index, answer in enumerate(answers)]
    return Verdict(
        pair.name,
        best,
        ratio(lambda _: True),
        ratio(lambda index: index < FIRST),
        {kind: ratio(lambda index, kind=kind: answers[index].kind == kind) for kind in kinds},  # type: ignore[misc]
        [value for tokens, value in to_plain if tokens > SHORT],
        [value for tokens, value in to_plain if tokens <= SHORT],
        sum(plain) / sum(auto),
    )
