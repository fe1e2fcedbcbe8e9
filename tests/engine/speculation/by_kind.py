"""Auto beside the best arm of each kind of prompt, on the starter with each drafter, in simulated seconds.

The bench's table without its noise: `python -m tests.engine.speculation.by_kind [DRAFTER ...]`. As there, the pair is
calibrated, every prompt is answered once to warm up, and the next answers count.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import mean

from engine.speculation.calibration import DEPTHS
from engine.speculation.depth import DepthController
from tests.engine.speculation.pairs import pairs
from tests.engine.speculation.played import Answer, Pair, Played, Player, arms_of

DRAFTERS = ("draft", "head", "eagle3", "mtp")
KINDS = ("chat", "code-edit", "copy", "list", "prose")
MOST_TOKENS = 64
OWN_DEPTH = "own depth"


@dataclass(frozen=True)
class KindRow:
    """One kind of prompt: milliseconds of plain decoding, of auto, and of every arm by name."""

    plain: float
    auto: float
    arms: dict[str, float]

    @property
    def best(self) -> str:
        return min(self.arms, key=lambda arm: self.arms[arm])

    @property
    def ratio(self) -> float:
        """Auto's speed to the best arm's."""
        return self.arms[self.best] / self.auto


@cache
def table_pair(drafter: str) -> Pair:
    """The starter with this drafter, and the answers to the bench's prompts."""
    pair = next(pair for pair in pairs() if pair.name == f"starter, {drafter}")
    answers = [_cut(answer) for answer in pair.answers if answer.kind in KINDS]
    return replace(pair, answers=answers)


def _cut(answer: Answer) -> Answer:
    count = min(len(answer.text), MOST_TOKENS)
    return replace(answer, text=answer.text[:count], positions=answer.positions[:count], limit=MOST_TOKENS)


def calibrate(controller: DepthController, pair: Pair) -> None:
    """What `engine.speculation.calibration` tells a new controller about the costs of this pair."""
    controller.begin(128)
    machine = pair.machine
    for depth in dict.fromkeys(min(depth, pair.max_depth) for depth in DEPTHS):
        source = pair.drafter if depth else None
        whole = machine.round_ms(pair.drafter, depth, depth, waits=False)
        pass_ms = whole - machine.drafting[depth] if depth else machine.pipelined
        controller.measured(source, depth, depth + 1, pass_ms / 1e3, machine.drafting[depth] / 1e3)


def answered(pair: Pair, seed: int) -> list[Played]:
    """Every answer by the controller, the second time that it sees them."""
    player = Player(pair, seed)
    calibrate(player.drafting.controller, pair)
    for answer in pair.answers:
        player.auto(answer)
    return [player.auto(answer) for answer in pair.answers]


@cache
def fixed_ms(drafter: str) -> dict[str, list[float]]:
    pair = table_pair(drafter)
    quiet = replace(pair, machine=replace(pair.machine, noise=0.0))
    return {
        f"{source} {depth}": [Player(quiet).fixed(answer, source, depth) for answer in pair.answers]
        for source, depth in arms_of(pair)
    }


def by_kind(drafter: str, seeds: Sequence[int], *, own_depth: bool = True) -> dict[str, KindRow]:
    """A row for each kind of prompt, the mean over `seeds`.

    With `own_depth` the drafter alone with a depth that is chosen is an arm, too.
    """
    pair = table_pair(drafter)
    auto = [answered(pair, seed) for seed in seeds]
    own = [answered(replace(pair, lookup=False), seed) for seed in seeds if own_depth]
    rows = {}
    for kind in KINDS:
        chosen = [index for index, answer in enumerate(pair.answers) if answer.kind == kind]
        arms = {arm: sum(times[index] for index in chosen) for arm, times in fixed_ms(drafter).items()}
        if own:
            arms[OWN_DEPTH] = mean(sum(played[index].ms for index in chosen) for played in own)
        auto_ms = mean(sum(played[index].ms for index in chosen) for played in auto)
        rows[kind] = KindRow(arms["plain 0"], auto_ms, arms)
    return rows


def table(drafter: str, rows: dict[str, KindRow]) -> str:
    """Of plain: auto / the best arm = their ratio (the best arm), by kind."""
    cells = [
        f"{kind} {row.plain / row.auto:.2f}/{row.plain / row.arms[row.best]:.2f} = {row.ratio:.3f} ({row.best})"
        for kind, row in rows.items()
    ]
    return "  ".join([f"{drafter:7}", *cells])


def main(names: Sequence[str]) -> None:
    for name in names:
        print(table(name, by_kind(name, range(5))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or DRAFTERS)
