"""The simulated worlds that every change of `engine.speculation.choosing` is judged in, one small sample a seed.

A world returns figures by name, each a ratio that is better the larger it is. A seed fixes the pair, the texts and the
noise, so two versions of the controller are compared seed by seed. Nothing depends on the load of the machine that
runs this.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import geometric_mean, mean
from typing import TypeVar

from engine.requests import MAX_DRAFTED
from engine.speculation import choosing
from engine.stats import rounded_speedup
from tests.engine.recorded_figures import Figures
from tests.engine.speculation import beside_a_runner, by_kind, long_run
from tests.engine.speculation.apple_pairs import apple_pairs
from tests.engine.speculation.batches import MEMORY_BOUND, STARTER, Batches, BatchMachine, Text
from tests.engine.speculation.copies import copies
from tests.engine.speculation.judging import FIRST, judge
from tests.engine.speculation.loaded_machine import LOADS, LoadedMachine
from tests.engine.speculation.pairs import busy, chain, cut, gpu, measured_machine, pairs, proposals
from tests.engine.speculation.played import Answer, Pair
from tests.engine.speculation.simulation import World, constant, controlled, drifting, gentle

Value = TypeVar("Value")

# What the worlds gave when they were recorded.
RECORD = Path(choosing.__file__).parent / "expected.toml"

# How often the draft model is right in texts that it drafts well, and badly.
GOOD, BAD = 0.98, 0.03
BATCHES: tuple[tuple[float, ...], ...] = (
    (GOOD, BAD),
    (*(GOOD,) * 7, BAD),
    (GOOD,) * 8,
    (BAD,) * 4,
    (0.9, 0.8, 0.7, 0.6),
)
# The tokens of one answer that is drafted well beside one that is drafted badly.
BESIDE = ((100, 60), (100, 100), (200, 60), (200, 100))
# The tokens of a short answer, the share of its draft tokens that are right, and how many follow each other.
SHORT_TOKENS = (20, 55)
SHORT_RATES = (0.95, 0.99)
SHORT_ANSWERS = 20
# The edits of a copied file: one in so many tokens.
EDITS = (120, 40, 15)


def _in_turn(values: Sequence[Value], seed: int) -> Value:
    return values[seed % len(values)]


def _judged(
    name: str,
    judged: Callable[[], Sequence[Pair]],
    answers: int,
    seed: int,
    *,
    is_busy: bool = False,
    calibrated: bool = False,
) -> Figures:
    """Judge one pair: the share of the best fixed arm's speed, and the slowest answer's of plain decoding."""
    pair = _in_turn(judged(), seed)
    verdict = judge(busy(pair) if is_busy else pair, seed, calibrated=calibrated, count=answers)
    found = {name: verdict.twenty, f"{name}, slowest": min([*verdict.long, *verdict.short])}
    if answers > FIRST:
        found[f"{name}, first three"] = verdict.three
    return found


def _copies(seed: int) -> Figures:
    """Return the gain over plain decoding of files that are written again with edits."""
    pair = copies(_in_turn(EDITS, seed), few_readings=seed % 2 == 1)
    verdict = judge(pair, seed, calibrated=True, count=2)
    return {"copies": mean([*verdict.long, *verdict.short])}


def _kinds(seed: int) -> Figures:
    """Return the share of the speed of the best arm of each kind of prompt: the mean over the kinds, and the worst."""
    drafter = _in_turn(list(by_kind.DRAFTING), seed)
    machine = _in_turn(by_kind.MACHINES, seed // len(by_kind.DRAFTING))
    found = by_kind.kinds_of(drafter, machine, [seed])
    return {"kinds of prompts": geometric_mean(found.values()), "kinds of prompts, worst": min(found.values())}


def _several(name: str, machine: BatchMachine, seed: int) -> Figures:
    """Return by what factor the second of two batches ends earlier than without draft tokens."""
    return {name: Batches(machine, seed).gains(_in_turn(BATCHES, seed), 2)[-1]}


def _slowest_of_several(seed: int) -> Figures:
    """Return by what factor an answer beside one that drafts well ends earlier than without draft tokens."""
    good, bad = _in_turn(BESIDE, seed // 2)
    texts = [Text(good, GOOD), Text(bad, BAD)]
    batches = Batches(_in_turn((STARTER, MEMORY_BOUND), seed), seed)
    ended = batches.answer(texts, seed=seed)
    plain = batches.plain_ms(texts)
    slowest = min(without / with_drafts for without, with_drafts in zip(plain, ended, strict=True))
    return {"several answers, slowest": slowest}


def _turning_text(seed: int) -> Figures:
    return {"turning text": long_run.turning_text(seed, tokens=1000)}


def _late_turn(seed: int) -> Figures:
    """Play a text that becomes easy late; return the share of the speed with a known turn."""
    turn, easy = 200 + 20 * (seed % 10), 300

    def acceptance(tokens: int, _position: int) -> float:
        return 0.95 if tokens >= turn else 0.1

    run = controlled(World(gentle, acceptance), turn + easy, seed)
    possible_s = long_run.best_s(0.1, turn, seed) + long_run.best_s(0.95, easy, seed)
    return {"late turn": possible_s / run.seconds}


def _growing_contexts(seed: int) -> Figures:
    """Play an answer while passes become several times slower; return the share of the best fixed depth's speed."""
    world = World(_drifting, constant(0.7), noise=0.08, stall_every=40)
    return {"growing contexts": long_run.share_of_best(world, 0.7, 800, seed)}


def _drifting(width: int, context: int) -> float:
    return drifting(width, 9 * context)


def _pauses(seed: int) -> Figures:
    return {"pauses": long_run.pauses(seed)}


def _hopeless(seed: int) -> Figures:
    return {"hopeless": long_run.hopeless_pair(seed, answers=5)}


def _revival(seed: int) -> Figures:
    return {"revival": long_run.revival(seed, answers=4)}


def _shown_speedups(seed: int) -> Figures:
    """Return how good the speed-ups are that are shown, and how fast the answers were meanwhile.

    "known" is the share of answers that show one, "true" how near the shown ones are to the truth, "bounds" the share
    of lower bounds that hold but for a tenth, and "interval" the share of intervals that hold the truth.
    """
    acceptance, row, draft = _in_turn(long_run.SHOWN, seed)
    load = _in_turn(list(LOADS.values()), seed)
    machine = LoadedMachine(load=load, acceptance=acceptance, row=row, draft=draft, noise=0.08, seed=seed)
    answered = [machine.answer(length) for length in long_run.LENGTHS]
    known, true, bounds, inside = 0, [1.0], [1.0], [1.0]
    for answer in answered:
        stats = answer.stats
        shown = rounded_speedup(stats.speedup, stats.speedup_low, stats.speedup_high)
        if stats.speedup_low is not None and stats.speedup_high is not None:
            inside.append(float(stats.speedup_low <= answer.truth <= stats.speedup_high))
        if shown is None:
            continue
        known += 1
        ratio = (stats.speedup or shown.factor) / answer.truth
        if shown.known == "exact":
            true.append(min(ratio, 1.0 / ratio))
        elif shown.known == "least":
            bounds.append(float(ratio <= 1.1))
    return {
        "shown speed-ups, known": known / len(answered),
        "shown speed-ups, true": mean(true),
        "shown speed-ups, bounds": mean(bounds),
        "shown speed-ups, interval": mean(inside),
        "shown speed-ups, speed": sum(one.plain_s for one in answered) / sum(one.decode_s for one in answered),
    }


@cache
def short_answers(on_gpu: bool, limit: int, seed: int) -> Pair:
    """Return a pair whose answers are short and nearly always drafted right, at little cost."""
    draw = random.Random(seed)
    rate = draw.uniform(*SHORT_RATES)
    machine = cut(gpu(12.0, 0.01, 0.0, chain(0.03)) if on_gpu else measured_machine("draft"), limit)
    answers = []
    for _ in range(SHORT_ANSWERS):
        length = draw.randint(*SHORT_TOKENS)
        prompt, text = (tuple(draw.randrange(300, 30_000) for _ in range(count)) for count in (40, length))
        chances = [rate] * (length + MAX_DRAFTED + 1)
        answers.append(Answer("short", prompt, text, proposals(chances, length, 1.0, draw), 512))
    return Pair(f"short answers, {on_gpu}, {limit}, {seed}", machine, answers, lookup=False)


def _short(name: str, on_gpu: bool, seed: int) -> Figures:
    """Return the share of the best fixed depth's speed in short answers that follow each other."""
    pair = short_answers(on_gpu, _in_turn((8, 16), seed), seed)
    verdict = judge(pair, seed, calibrated=seed // 2 % 2 == 0, count=SHORT_ANSWERS)
    return {name: verdict.twenty, f"{name}, first three": verdict.three}


# The worlds by name, each with those of its figures that begin with its name.
WORLDS: dict[str, Callable[[int], Figures]] = {
    "pairs": partial(_judged, "pairs", pairs, 8),
    "pairs, busy": partial(_judged, "pairs, busy", pairs, 8, is_busy=True),
    "pairs, calibrated": partial(_judged, "pairs, calibrated", pairs, 8, calibrated=True),
    "Apple": partial(_judged, "Apple", apple_pairs, 3),
    "Apple, busy": partial(_judged, "Apple, busy", apple_pairs, 3, is_busy=True),
    "Apple, calibrated": partial(_judged, "Apple, calibrated", apple_pairs, 3, calibrated=True),
    "kinds of prompts": _kinds,
    "copies": _copies,
    "several answers, starter": partial(_several, "several answers, starter", STARTER),
    "several answers, memory-bound": partial(_several, "several answers, memory-bound", MEMORY_BOUND),
    "several answers, slowest": _slowest_of_several,
    "turning text": _turning_text,
    "late turn": _late_turn,
    "growing contexts": _growing_contexts,
    "pauses": _pauses,
    "hopeless": _hopeless,
    "revival": _revival,
    "shown speed-ups": _shown_speedups,
    "short answers, starter": partial(_short, "short answers, starter", False),
    "short answers, GPU": partial(_short, "short answers, GPU", True),
    "beside a runner": beside_a_runner.shares,
}


def figures(seed: int, names: Sequence[str] = tuple(WORLDS)) -> Figures:
    """Return the figures of the worlds with these names for `seed`."""
    found: Figures = {}
    for name in names:
        found |= WORLDS[name](seed)
    return found
