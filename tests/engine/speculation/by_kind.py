"""Auto beside the best arm of each kind of prompt, on the starter with each drafter, in simulated seconds.

The bench's table without its noise: `python -m tests.engine.speculation.by_kind [DRAFTER ...]`. As there, the pair is
calibrated, every prompt is answered once to warm up, the next answers count, and every prompt counts alike. The same
answers are also played on two simulated GPUs, where a rejected draft token costs far less than on two cores.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp, log
from statistics import mean

from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.plans import DEPTHS
from engine.speculation.choosing.speedup import RUN
from tests.engine.speculation.pairs import block, chain, cut, gpu, pairs
from tests.engine.speculation.played import Answer, Machine, Pair, Player, arms_of

DRAFTERS = ("draft", "head", "eagle3", "mtp")
KINDS = ("chat", "code-edit", "copy", "list", "prose")
MOST_TOKENS = 64
OWN_DEPTH = "own depth"


CORES, FLAT, STEPS = "cores", "flat GPU", "GPU in steps"
MACHINES = (CORES, FLAT, STEPS)
DRAFTING = {"draft": chain(0.08), "head": block(0.2, 0.004), "eagle3": block(0.02, 0.05), "mtp": block(0.02, 0.05)}


@dataclass(frozen=True)
class KindRow:
    """One kind of prompt: milliseconds of each of its answers by plain decoding, by auto, and by every arm by name."""

    plain: Sequence[float]
    auto: Sequence[float]
    arms: dict[str, Sequence[float]]

    @property
    def best(self) -> str:
        return min(self.arms, key=lambda arm: sum(map(log, self.arms[arm])))

    @property
    def ratio(self) -> float:
        """Auto's speed to the best arm's."""
        return faster(self.arms[self.best], self.auto)


def faster(slow: Sequence[float], fast: Sequence[float]) -> float:
    """The geometric mean, over the answers, of how many times as long they took."""
    return exp(mean(log(one / other) for one, other in zip(slow, fast, strict=True)))


@cache
def table_pair(drafter: str, machine: str = CORES) -> Pair:
    """The starter with this drafter on this machine, and the answers to the bench's prompts."""
    pair = next(pair for pair in pairs() if pair.name == f"starter, {drafter}")
    answers = [_cut(answer) for answer in pair.answers if answer.kind in KINDS]
    return replace(pair, answers=answers, machine=_machine(pair, drafter, machine))


def _machine(pair: Pair, drafter: str, name: str) -> Machine:
    if name == CORES:
        return pair.machine
    passes = {FLAT: (0.015, 0.0), STEPS: (0.02, 0.28)}
    return replace(cut(gpu(20.0, *passes[name], DRAFTING[drafter]), pair.max_depth), waiting=pair.machine.waiting)


def _cut(answer: Answer) -> Answer:
    count = min(len(answer.text), MOST_TOKENS)
    return replace(answer, text=answer.text[:count], positions=answer.positions[:count], limit=MOST_TOKENS)


def calibrate(controller: Controller, pair: Pair) -> None:
    """What `engine.serving.calibration` tells a new controller about the costs of this pair."""
    costs = controller.begin(128).costs
    machine = pair.machine
    for depth in dict.fromkeys(min(depth, pair.max_depth) for depth in (0, *DEPTHS)):
        draft = (pair.drafter, depth) if depth else None
        whole = machine.round_ms(pair.drafter, depth, waits=False)
        pass_ms = whole - machine.drafting[depth] if depth else machine.pipelined
        draft_s = machine.drafting[depth] / 1e3
        for _ in range(RUN):
            costs.observe(depth + 1, pass_ms / 1e3 + draft_s, draft, draft_s)


def answered(pair: Pair, seeds: Sequence[int], *, met_once: bool = False) -> list[float]:
    """Milliseconds of every answer by a new controller, calibrated, the second time that it sees them: the mean over
    `seeds`. With `met_once` it sees them once, in an order drawn by the seed.
    """
    played = []
    for seed in seeds:
        player, order = Player(pair, seed), list(range(len(pair.answers)))
        calibrate(player.drafting.controller, pair)
        if met_once:
            random.Random(seed).shuffle(order)
        else:
            for answer in pair.answers:
                player.auto(answer)
        ms = {index: player.auto(pair.answers[index]).ms for index in order}
        played.append([ms[index] for index in range(len(order))])
    return [mean(times) for times in zip(*played, strict=True)]


@cache
def fixed_ms(drafter: str, machine: str = CORES) -> dict[str, list[float]]:
    pair = table_pair(drafter, machine)
    quiet = replace(pair, machine=replace(pair.machine, noise=0.0))
    return {
        f"{source} {depth}": [Player(quiet).fixed(answer, source, depth) for answer in pair.answers]
        for source, depth in arms_of(pair)
    }


def by_kind(
    drafter: str, seeds: Sequence[int], machine: str = CORES, *, own_depth: bool = True, met_once: bool = False
) -> dict[str, KindRow]:
    """A row for each kind of prompt, of answers as in `answered`.

    With `own_depth` the drafter alone with a depth that is chosen is an arm, too.
    """
    pair = table_pair(drafter, machine)
    auto = answered(pair, seeds, met_once=met_once)
    arms = dict(fixed_ms(drafter, machine))
    if own_depth:
        arms[OWN_DEPTH] = answered(replace(pair, lookup=False), seeds, met_once=met_once)
    rows = {}
    for kind in KINDS:
        chosen = [index for index, answer in enumerate(pair.answers) if answer.kind == kind]
        of_kind = {arm: [times[index] for index in chosen] for arm, times in arms.items()}
        rows[kind] = KindRow(of_kind["plain 0"], [auto[index] for index in chosen], of_kind)
    return rows


def table(drafter: str, machine: str, rows: dict[str, KindRow]) -> str:
    """Of plain: auto / the best arm = their ratio (the best arm), by kind."""
    cells = [
        f"{kind} {faster(row.plain, row.auto):.2f}/{faster(row.plain, row.arms[row.best]):.2f}"
        f" = {row.ratio:.3f} ({row.best})"
        for kind, row in rows.items()
    ]
    return "  ".join([f"{drafter:7} {machine:12}", *cells])


def main(names: Sequence[str]) -> None:
    for machine in MACHINES:
        for name in names:
            print(table(name, machine, by_kind(name, range(5), machine)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or DRAFTERS)
