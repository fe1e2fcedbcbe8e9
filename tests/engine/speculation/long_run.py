"""Scenarios beyond the judged pairs: long answers, growing contexts, hopeless pairs, machines that change speed.

Times are simulated, without a model. `figures` are shares of the possible speed, and the errors of shown speed-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import mean

from engine.speculation.choosing.controller import Controller
from engine.stats import rounded_speedup
from tests.engine.speculation.loaded_machine import LOADS, LoadedMachine
from tests.engine.speculation.simulation import PassCost, Run, World, constant, controlled, drifting, fixed, gentle

# (acceptance, cost of a row and of a draft token in plain steps) of the pairs whose speed-up is shown.
SHOWN = ((0.75, 0.06, 0.08), (0.9, 0.02, 0.03), (0.4, 0.1, 0.1))
LENGTHS = (300, 60, 100, 60, 200, 60)
# Tokens after which a text gets easy.
LATE_TURNS = (1000, 1200, 1400, 1600, 1800)
HOPELESS = World(gentle, constant(0.0))


def figures(seeds: int) -> dict[str, float]:
    """Return each scenario's figure, the number of shown speed-ups and of lower bounds among them, and their errors.

    "off" is the share of ratios off by more than a tenth, "error" the 95th percentile of the errors, and "untrue" the
    share of bounds that are above the truth by more than a tenth.
    """
    scenarios: dict[str, Callable[[int], float]] = {
        "turns": turning_text,
        "late turn": late_turn,
        "contexts": growing_contexts,
        "pauses": pauses,
        "hopeless": hopeless_pair,
        "revival": revival,
    }
    found = {name: mean(map(play, range(seeds))) for name, play in scenarios.items()}
    shown = [one for seed in range(seeds) for one in shown_speedups(seed) if one.known is not None]
    errors = sorted(abs(one.ratio - 1.0) for one in shown if one.known != "least")
    bounds = [one.ratio for one in shown if one.known == "least"]
    return found | {
        "shown": float(len(errors)),
        "off": mean(error > 0.1 for error in errors),
        "error": errors[int(0.95 * len(errors))],
        "bounds": float(len(bounds)),
        "untrue": mean(bound > 1.1 for bound in bounds) if bounds else 0.0,
    }


def turning_text(seed: int, tokens: int = 2000) -> float:
    """Play hard and easy text in turns of 250 tokens; returns the share of the speed with known turns."""
    rates = (0.2, 0.95, 0.3, 0.9)

    def acceptance(committed: int, _position: int) -> float:
        return rates[committed // 250 % len(rates)]

    run = controlled(World(gentle, acceptance), tokens, seed)
    return mean(_best_per_token(rate, 500, seed) for rate in rates) * run.tokens / run.seconds


def late_turn(seed: int) -> float:
    """Play text that becomes easy late; returns the share of the speed with a known turn, in the next 1,500 tokens.

    It is the mean over several turns, because much depends on where the last retry before them was.
    """
    return mean(_late_turn(turn, seed) for turn in LATE_TURNS)


def _late_turn(turn: int, seed: int) -> float:
    def acceptance(tokens: int, _position: int) -> float:
        return 0.95 if tokens >= turn else 0.1

    world = World(gentle, acceptance)
    whole, begun = controlled(world, turn + 1500, seed), controlled(world, turn, seed)
    return _best_per_token(0.95, 1500, seed) * (whole.tokens - begun.tokens) / (whole.seconds - begun.seconds)


def growing_contexts(seed: int) -> float:
    """Play 3,000 tokens while passes become several times slower; returns the share of the best fixed depth's speed."""
    world = World(_drifting_fast, constant(0.7), noise=0.08, stall_every=40)
    return share_of_best(world, 0.7, 3000, seed)


def share_of_best(world: World, rate: float, tokens: int, seed: int) -> float:
    """Play an answer in `world`, whose acceptance is `rate`; return the share of the best fixed depth's speed."""
    cost, stalls = world.pass_cost, world.stall_every
    best = min(_fixed_s(cost, rate, depth, tokens, seed, stall_every=stalls) for depth in range(9))
    return controlled(world, tokens, seed).speed * best / tokens


def pauses(seed: int) -> float:
    """Play short answers after pauses that change the machine's speed; returns the share of the best fixed depth's."""
    seconds, best = 0.0, 0.0
    controller, usual = Controller(), World(gentle, constant(0.75), noise=0.08)
    for number, slower in enumerate((1.0, 1.0, 3.0, 1.0, 1.2, 2.0, 2.0, 0.8, 1.0, 3.0)):
        world = replace(usual, pass_cost=_slowed(slower), draft_cost=slower * usual.draft_cost)
        seconds += _per_token(controlled(world, 48, 10 * seed + number, controller))
        best += slower * _best_per_token(0.75, 48, 10 * seed + number)
    return best / seconds


def hopeless_pair(seed: int, answers: int = 60) -> float:
    """Play `answers` answers of 64 tokens with every draft token wrong; returns the share of plain decoding's speed."""
    controller = Controller()
    seconds = sum(controlled(HOPELESS, 64, 100 * seed + one, controller).seconds for one in range(answers))
    return sum(_fixed_s(gentle, 0.0, 0, 64, 100 * seed + one) for one in range(answers)) / seconds


def revival(seed: int, answers: int = 20) -> float:
    """Play `answers` easy ones after as many hopeless ones; returns the share of the best fixed depth's speed."""
    controller, easy = Controller(), replace(HOPELESS, acceptance=constant(0.95))
    seeds = range(100 * seed, 100 * seed + answers)
    for one in seeds:
        controlled(HOPELESS, 64, one, controller)
    seconds = sum(_per_token(controlled(easy, 64, one, controller)) for one in seeds)
    return sum(_best_per_token(0.95, 64, one) for one in seeds) / seconds


@dataclass(frozen=True)
class Shown:
    """How well an answer's speed-up is known, None if it is not shown, and its ratio to the true one."""

    known: str | None
    ratio: float = 0.0


def shown_speedups(seed: int) -> Iterator[Shown]:
    """Generate the shown speed-up of every answer on noisy machines whose load changes."""
    for load in LOADS.values():
        for acceptance, row, draft in SHOWN:
            machine = LoadedMachine(load=load, acceptance=acceptance, row=row, draft=draft, noise=0.08, seed=seed)
            yield from _shown(machine, LENGTHS)


def _shown(machine: LoadedMachine, lengths: Sequence[int]) -> Iterator[Shown]:
    for length in lengths:
        answered = machine.answer(length)
        stats = answered.stats
        rounded = rounded_speedup(stats.speedup, stats.speedup_low, stats.speedup_high)
        if rounded is None:
            yield Shown(None)
        else:
            # A bound is rounded down; a ratio is judged before it is rounded.
            yield Shown(rounded.known, (stats.speedup or rounded.factor) / answered.truth)


def _drifting_fast(width: int, context: int) -> float:
    return drifting(width, 3 * context)


def _slowed(times: float) -> Callable[[int, int], float]:
    return lambda width, context: times * gentle(width, context)


def _per_token(run: Run) -> float:
    return run.seconds / run.tokens


@cache
def _fixed_s(cost: PassCost, rate: float, depth: int, tokens: int, seed: int, stall_every: int = 0) -> float:
    """Seconds of `tokens` tokens at one depth."""
    return tokens * _per_token(fixed(World(cost, constant(rate), stall_every=stall_every), depth, tokens, seed))


def _best_per_token(rate: float, tokens: int, seed: int) -> float:
    """Seconds a token at the best depth."""
    return best_s(rate, tokens, seed) / tokens


def best_s(rate: float, tokens: int, seed: int) -> float:
    """Return the seconds of `tokens` tokens at the best fixed depth."""
    return min(_fixed_s(gentle, rate, depth, tokens, seed) for depth in range(9))
