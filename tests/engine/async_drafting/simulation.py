"""Asynchronous against synchronous drafting with known costs: `python -m tests.engine.async_drafting.simulation`.

Costs are in verify passes. A draft token is accepted with a fixed chance; behind a rejection, `second_right` of the
recovery tokens are the draft model's runner-up, and each further rank is as likely to be right as those before it were
among what was left. On a device of its own the drafter prepares while the main model verifies. On a shared device the
two take turns, as where both are bound by the same memory bandwidth.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import accumulate

from engine.async_drafting.tree_cache import fan_out

DEPTHS = range(1, 11)
ACCEPTANCES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
# The authors' own figure.
PAPER = "up to 2 times synchronous drafting with a drafter on a GPU of its own (arXiv:2603.03251)"


@dataclass(frozen=True)
class World:
    """`draft` is a draft token's time, `row` that of a further row of its pass, `width` that of a verified one."""

    acceptance: float
    draft: float
    shared: bool = False
    row: float = 0.1
    width: float = 0.02
    handover: float = 0.01
    second_right: float = 0.6

    def verify(self, depth: int) -> float:
        return 1.0 + self.width * depth

    def tree(self, depth: int, rows: int) -> float:
        """One pass over the proposal, and `depth` passes of `rows` branches."""
        return self.draft * ((1 + self.row * depth) + depth * (1 + self.row * (rows - 1)))


def synchronous(world: World, depth: int) -> float:
    """Tokens per verify pass's time."""
    kept = sum(accumulate([world.acceptance] * depth, lambda a, b: a * b))
    return (1.0 + kept) / (world.verify(depth) + depth * world.draft)


def asynchronous(world: World, depth: int, rows: int, rounds: int = 4000) -> float:
    """The same with a drafter that prepares `rows` branches, by drawing rounds."""
    draw = random.Random(depth * 100 + rows)
    counts = fan_out(world.acceptance, depth, rows)
    prepared = world.tree(depth, rows)
    tokens, seconds, hit = 0, 0.0, False
    for _ in range(rounds):
        seconds += 0.0 if hit else depth * world.draft
        verify = world.verify(depth)
        seconds += world.handover + (verify + prepared if world.shared else max(verify, prepared))
        accepted = next((j for j in range(depth) if draw.random() >= world.acceptance), depth)
        tokens += accepted + 1
        # Behind full acceptance the first choice is as good as any draft token.
        first = world.acceptance if accepted == depth else world.second_right
        hit = any(draw.random() < first for _ in range(counts[accepted]))
    return tokens / seconds


def best(world: World) -> tuple[float, float]:
    """(synchronous, asynchronous) at the best depth and number of branches of each."""
    ahead = max(asynchronous(world, depth, rows) for depth in DEPTHS for rows in (1, depth + 1, 2 * depth + 2))
    return max(synchronous(world, depth) for depth in DEPTHS), ahead


def main() -> None:
    print(PAPER)
    for share in (0.02, 0.05, 0.1):
        for shared in (False, True):
            gains = []
            for acceptance in ACCEPTANCES:
                plain, ahead = best(replace(World(acceptance, share), shared=shared))
                gains.append(f"{acceptance:.2f}: {ahead / plain:.2f}x")
            device = "shared device" if shared else "own device   "
            print(f"draft token {share:.0%} of a pass, {device}  " + "  ".join(gains))


if __name__ == "__main__":
    main()
