"""Answers of the starter's main, recorded with what its head proposed at every position, to try the controller on.

`recorded_answers.json` has, for each answer, its kind, the length of its prompt, and for every position but the last
how many of 15 proposals were right and the head's confidences in them, in hundredths. A machine plays rounds of them in
simulated seconds, so that nothing depends on the load of the one that tests run on.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.speculation.depth import DepthController, MeasuredRound
from engine.speculation.proposers.head import worth_verifying

DEPTHS = (0, 2, 4, 6, 8, 12, 15)
PLAIN_S = 0.005
# The limit of an answer: nobody knows where one ends before that.
MOST_TOKENS = 100


@dataclass(frozen=True)
class Position:
    """What the head proposes here: how many tokens are right, and its confidence in each."""

    right: int
    chances: tuple[float, ...]


@dataclass(frozen=True)
class Answer:
    kind: str
    prompt: int
    positions: tuple[Position, ...]


@dataclass(frozen=True)
class Costs:
    """In plain passes: a verify pass by its rows, drafting by its depth, entering or leaving plain decoding."""

    verify: Callable[[int], float]
    drafting: Callable[[int], float]
    entering: float = 0.15
    pipelined: float = 0.95


MACHINES = {
    "two cores": Costs(lambda rows: 1.0 + 0.075 * (rows - 1), lambda depth: 0.38 + 0.02 * depth),
    "steps": Costs(
        lambda rows: 1.0 + 0.02 * (rows - 1) + 0.25 * (rows > 5) + 0.25 * (rows > 9), lambda depth: 0.25 + 0.003 * depth
    ),
    "dear rows": Costs(lambda rows: 1.0 + 0.04 * min(rows - 1, 4) + 0.09 * max(rows - 5, 0), lambda _: 0.3),
}


def recorded_answers() -> list[Answer]:
    rows = json.loads((Path(__file__).parent / "recorded_answers.json").read_text(encoding="ascii"))
    return [
        Answer(
            row["kind"],
            row["prompt"],
            tuple(
                Position(right, tuple(number / 100 for number in chances))
                for right, chances in zip(row["right"], row["chances"], strict=True)
            ),
        )
        for row in rows
    ]


class Player:
    """Plays answers on one machine; the same seed meets the same noise. Returns seconds."""

    def __init__(self, costs: Costs, seed: int) -> None:
        self._costs, self._random = costs, random.Random(seed)
        self._was_plain = True

    def fixed(self, answer: Answer, depth: int) -> float:
        """The answer at one depth in every round."""
        position, seconds = 0, 0.0
        while position < len(answer.positions):
            drafted = min(depth, MOST_TOKENS - position)
            accepted = min(answer.positions[position].right, drafted)
            seconds += self._round(drafted, drafted)[0]
            position += accepted + 1
        return seconds

    def controlled(self, answer: Answer, controller: DepthController) -> float:
        """The answer as the controller wants it."""
        controller.begin(answer.prompt)
        position, total = 0, 0.0
        while position < len(answer.positions):
            here, left = answer.positions[position], MOST_TOKENS - position
            choice = controller.choose({"head": min(15, left)}, remaining=left + 1, whole={"head"})
            count = worth_verifying(here.chances[: choice.depth], choice.prices) if choice.depth else 0
            accepted = min(here.right, count)
            seconds, drafting = self._round(choice.depth, count)
            controller.observe(
                MeasuredRound(
                    choice.source,
                    choice.depth,
                    count + 1,
                    accepted,
                    seconds,
                    drafting if count else None,
                    drafted=count if count else None,
                    made=choice.depth if count else None,
                )
            )
            position += accepted + 1
            total += seconds
        return total

    def _round(self, depth: int, count: int) -> tuple[float, float]:
        """Seconds of a round that drafts `depth` tokens and verifies `count`, and of its drafting."""
        costs, plain = self._costs, depth == 0
        noise = self._random.lognormvariate(0.0, 0.03) * PLAIN_S
        drafting = 0.0 if plain else costs.drafting(depth)
        verify = costs.pipelined if plain else costs.verify(count + 1)
        entering = costs.entering if plain != self._was_plain else 0.0
        self._was_plain = plain
        return (verify + drafting + entering) * noise, drafting * noise


def speed_against_best(costs: Costs, answers: Sequence[Answer], seed: int, first: int) -> tuple[float, float]:
    """A new controller's speed against the best fixed depth: over all answers, and over the `first` ones."""
    controller, player = DepthController(), Player(costs, seed)
    ours = [player.controlled(answer, controller) for answer in answers]
    fixed = [[Player(costs, seed).fixed(answer, depth) for answer in answers] for depth in DEPTHS]
    return tuple(min(sum(row[:count]) for row in fixed) / sum(ours[:count]) for count in (len(answers), first))  # type: ignore[return-value]
