"""Auto beside the best arm of each kind of prompt, on the starter with each drafter, in simulated seconds.

As in the bench, the pair is calibrated and every prompt counts alike; each prompt is met once. The same answers are
also played on two simulated GPUs, where a rejected draft token costs far less than on two cores.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import log
from statistics import geometric_mean, mean

from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.plans import DEPTHS
from engine.speculation.choosing.speedup import RUN
from tests.engine.speculation.pairs import block, chain, cut, gpu, pairs
from tests.engine.speculation.played import Answer, Machine, Pair, Player, arms_of

KINDS = ("chat", "code-edit", "copy", "list", "prose")
MOST_TOKENS = 64

CORES, FLAT, STEPS = "cores", "flat GPU", "GPU in steps"
MACHINES = (CORES, FLAT, STEPS)
DRAFTING = {"draft": chain(0.08), "head": block(0.2, 0.004), "eagle3": block(0.02, 0.05), "mtp": block(0.02, 0.05)}


@cache
def table_pair(drafter: str, machine: str) -> Pair:
    """Return the starter with this drafter on this machine, and the answers to the bench's prompts."""
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
    """Tell a new controller the costs of this pair, as `engine.upkeep.calibration` does."""
    costs = controller.begin().costs
    machine = pair.machine
    drafted = {min(depth, pair.max_depth) for depth in DEPTHS} if pair.drafter else set()
    for depth in sorted({0, *drafted, *(depth for depth in DEPTHS if depth <= pair.widest)}):
        draft = (pair.drafter, depth) if depth in drafted else None
        draft_s = 0.0 if draft is None else machine.drafting[depth] / 1e3
        whole = machine.round_ms(pair.drafter if draft else "ngram", depth, waits=False)
        pass_ms = whole - 1e3 * draft_s if depth else machine.pipelined
        for _ in range(RUN):
            costs.observe(depth + 1, pass_ms / 1e3 + draft_s, draft, draft_s)


def auto_ms(pair: Pair, seeds: Sequence[int]) -> list[float]:
    """Return every answer's mean milliseconds by a new, calibrated controller, in an order drawn by each seed."""
    played = []
    for seed in seeds:
        player, order = Player(pair, seed), list(range(len(pair.answers)))
        calibrate(player.drafting.controller, pair)
        random.Random(seed).shuffle(order)
        ms = {index: player.auto(pair.answers[index]) for index in order}
        played.append([ms[index] for index in range(len(order))])
    return [mean(times) for times in zip(*played, strict=True)]


@cache
def fixed_ms(drafter: str, machine: str) -> list[list[float]]:
    """Return every answer's milliseconds with each arm, without noise."""
    pair = table_pair(drafter, machine)
    quiet = replace(pair, machine=replace(pair.machine, noise=0.0))
    return [[Player(quiet).fixed(answer, *arm) for answer in pair.answers] for arm in arms_of(pair)]


def by_kind(machine: str, seeds: Sequence[int]) -> dict[str, float]:
    """Return auto's speed to the best arm's, by drafter and kind of prompt."""
    found: dict[str, float] = {}
    for drafter in DRAFTING:
        found |= {f"{drafter}, {kind}": share for kind, share in kinds_of(drafter, machine, seeds).items()}
    return found


def kinds_of(drafter: str, machine: str, seeds: Sequence[int]) -> dict[str, float]:
    """Return auto's speed to the best arm's with this drafter on this machine, by kind of prompt."""
    pair = table_pair(drafter, machine)
    arms = fixed_ms(drafter, machine)
    auto = auto_ms(pair, seeds)
    found = {}
    for kind in KINDS:
        chosen = [index for index, answer in enumerate(pair.answers) if answer.kind == kind]
        best = min(arms, key=lambda arm: sum(log(arm[index]) for index in chosen))
        found[kind] = geometric_mean(best[index] / auto[index] for index in chosen)
    return found
