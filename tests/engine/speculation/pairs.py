"""The pairs that the depth controller is judged on: the starter with each drafter, and synthetic ones.

`recorded_starter.json` and `recorded_costs.json` come from `python -m tests.tools.record`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from engine.requests import MAX_DEPTH, MAX_DRAFTED
from tests.engine.speculation.played import Answer, Machine, Pair, Position

HERE = Path(__file__).parent
ZERO = 33
BLOCK = 15
ANSWERS = 40
SIZES = ("10M", "50M", "200M")


def gpu(plain: float, row: float, step: float, drafting: Callable[[int], float], every: int = 5) -> Machine:
    """Return a GPU that reads the weights once for each `every` rows.

    A pass grows by `row` of a plain step for each row, and by `step` for each further reading of the weights.
    `drafting` is in plain steps by draft tokens.
    """
    passes = [plain * (1.0 + row * depth + step * (depth // every)) for depth in range(MAX_DEPTH + 1)]
    drafts = [plain * drafting(depth) if depth else 0.0 for depth in range(MAX_DRAFTED + 1)]
    return Machine(passes, drafts, pipelined=0.95 * plain, entering=0.15 * plain, reading=0.02 * plain)


def chain(share: float) -> Callable[[int], float]:
    """Return the drafting cost of a draft model, or of a head that drafts token by token."""
    return lambda depth: share * depth


def block(first: float, each: float) -> Callable[[int], float]:
    return lambda depth: first + each * depth


@cache
def starter_answers(drafter: str) -> tuple[Answer, ...]:
    """Return recorded answers of the starter's main model, with the proposals of a drafter."""
    rows: list[dict[str, Any]] = json.loads((HERE / "recorded_starter.json").read_text(encoding="ascii"))
    answers = []
    for row in rows:
        found = row["drafters"][drafter or "head"]
        positions = tuple(
            Position(ord(right) - ZERO, tuple((ord(chance) - ZERO) / 93 for chance in chances))
            for right, chances in zip(found["right"], found["chances"], strict=True)
        )
        answers.append(Answer(row["kind"], tuple(row["prompt"]), tuple(row["text"]), positions))
    return tuple(answer for answer in answers if len(answer.text) > 4)


@cache
def measured_machine(name: str) -> Machine:
    """Return the costs measured on two cores with this drafter of the starter, or this size of synthetic pairs."""
    costs = json.loads((HERE / "recorded_costs.json").read_text(encoding="ascii"))
    # The starter's passes are the same beside each drafter; with the draft model the widest were measured.
    passes = costs[name if name in SIZES else "draft"]["pass"]
    plain = passes[0]
    waiting = costs[name].get("reading", 0.0)
    return Machine(
        passes, costs[name]["draft"], pipelined=plain, entering=0.15 * plain, reading=0.02 * plain, waiting=waiting
    )


def synthetic_answers(rates: dict[str, float], seed: int, *, fade: float = 1.0, most: int = 96) -> tuple[Answer, ...]:
    """Return answers whose text is easier in some stretches than in others, around the acceptance of each kind.

    A draft token is right if the text is predictable, and a later one of a round less often, by `fade`. The drafter's
    confidence is the stretch's acceptance with noise. The kind "copy" copies its prompt.
    """
    draw = random.Random(seed)
    answers = []
    for number in range(ANSWERS):
        kind, rate = list(rates.items())[number % len(rates)]
        length = max(6, min(most, round(draw.lognormvariate(4.0, 0.6))))
        prompt = tuple(draw.randrange(300, 30_000) for _ in range(draw.randrange(10, 120)))
        text = [draw.randrange(300, 30_000) for _ in range(length)]
        if kind == "copy":
            text = [token if draw.random() < 0.9 else draw.randrange(300, 30_000) for token in (prompt * 10)[:length]]
        chances = stretches(rate, length + MAX_DRAFTED + 1, draw)
        answers.append(Answer(kind, prompt, tuple(text), proposals(chances, length, fade, draw)))
    return tuple(answers)


def proposals(chances: Sequence[float], length: int, fade: float, draw: random.Random) -> tuple[Position, ...]:
    """Return a drafter's proposals after each of `length` tokens.

    `chances[i]`, of which there are MAX_DRAFTED + 1 more, is the chance that it is right about token i as the first of
    a round; a token `n` places later is right less often by `fade`**n.
    """
    right = [draw.random() < chance for chance in chances]
    return tuple(_position(index, length, right, chances, fade, draw) for index in range(length))


def stretches(rate: float, length: int, draw: random.Random) -> list[float]:
    """Return the chance of each token: hard and easy stretches of about a dozen tokens, `rate` on average."""
    easy, hard = 1.0 - (1.0 - rate) * 0.3, max(0.0, 1.0 - (1.0 - rate) * 1.7)
    chances: list[float] = []
    while len(chances) < length:
        chances += [easy if draw.random() < 0.5 else hard] * draw.randrange(6, 24)
    return chances[:length]


def _position(
    index: int, length: int, right: Sequence[bool], stretches: Sequence[float], fade: float, draw: random.Random
) -> Position:
    count, chances = 0, []
    going = True
    for later in range(MAX_DRAFTED):
        at = index + 1 + later
        going = going and at < length and right[at] and draw.random() < fade**later
        count += going
        chances.append(min(0.999, max(0.02, draw.gauss(stretches[min(at, len(stretches) - 1)] * fade**later, 0.08))))
    return Position(count, tuple(chances))


KINDS = {"chat": 0.0, "prose": -0.1, "code": 0.05, "copy": 0.02, "odd": -0.35}


def around(rate: float) -> dict[str, float]:
    """Return the acceptance by kind of prompt, around `rate`."""
    return {kind: min(0.995, max(0.0, rate + offset)) for kind, offset in KINDS.items()}


@cache
def pairs() -> tuple[Pair, ...]:
    starter = [
        Pair(f"starter, {name}", measured_machine(name), starter_answers(name), _source(name), lookup=True)
        for name in ("draft", "head", "eagle3", "mtp")
    ]
    lookup = replace(starter[0], name="starter, lookup", drafter="")
    flat = gpu(9.0, 0.015, 0.0, block(0.22, 0.002))
    on_gpu = replace(starter[1], name="starter's head, flat GPU", machine=cut(flat, BLOCK))
    synthetic = [
        Pair(f"{size}, {rate:.2f}", measured_machine(size), synthetic_answers(around(rate), seed))
        for seed, (size, rate) in enumerate((("10M", 0.6), ("50M", 0.8), ("200M", 0.95)))
    ]
    gpus = [
        Pair("flat GPU, 0.50", gpu(20.0, 0.012, 0.0, chain(0.09)), synthetic_answers(around(0.5), 10)),
        Pair("GPU in steps, 0.85", gpu(20.0, 0.02, 0.28, chain(0.07)), synthetic_answers(around(0.85), 11)),
        Pair(
            "GPU in steps, block, 0.80",
            cut(gpu(25.0, 0.02, 0.3, block(0.2, 0.004)), BLOCK),
            synthetic_answers(around(0.8), 12, fade=0.97),
            "head",
        ),
        Pair(
            "flat GPU, MTP, 0.90",
            gpu(30.0, 0.02, 0.0, block(0.02, 0.05)),
            synthetic_answers(around(0.9), 13, fade=0.9),
            "head",
        ),
        Pair("old GPU, 0.70", gpu(30.0, 0.3, 0.0, chain(0.1)), synthetic_answers(around(0.7), 14)),
        Pair("flat GPU, 0.95", gpu(12.0, 0.01, 0.0, chain(0.05)), synthetic_answers(around(0.95), 15)),
    ]
    return (*starter, lookup, on_gpu, *synthetic, *gpus)


def busy(pair: Pair) -> Pair:
    """Return the same pair on a machine with other work: noisy rounds, and stalls."""
    return replace(pair, name=f"{pair.name}, busy", machine=replace(pair.machine, noise=0.12, stall_every=12))


def _source(name: str) -> str:
    return "draft" if name == "draft" else "head"


def cut(machine: Machine, depth: int) -> Machine:
    """Return the machine with a drafter of at most `depth` draft tokens."""
    return replace(machine, drafting=machine.drafting[: depth + 1])
