"""What products over several rows should cost on each chip, and what the controller makes of it. Nothing is measured.

    python -m tests.tools.row_kernel_plan [--seeds N]

A product takes as long as reading its weights or as computing, whichever is longer. Per weight of 4 bits in groups of
64, a GPU reads 9/16 of a byte, decodes with two operations, and multiplies and adds once for each row. Rates are
Apple's for memory, and published ones for fused products in float32 (2 operations each).
"""

from __future__ import annotations

import argparse
import random
from dataclasses import replace
from statistics import mean
from typing import Any, ClassVar

from engine.row_kernels.product import TILE
from engine.speculation.choosing.choice import Choice
from engine.speculation.rounds.round import PendingRound
from tests.engine.speculation.apple_pairs import Curve, apple_pairs, passes
from tests.engine.speculation.judging import FIRST
from tests.engine.speculation.played import Pair, Player

BYTES, DECODING = 9 / 16, 2
# The share of the peak that MLX's kernel for several rows reaches: a further row costs it 0.2 of the first (mlx#3839).
EFFICIENCY = 0.5
# Gigabytes and teraflops a second.
CHIPS = {
    "M1": (68, 2.6), "M1 Max": (400, 10.4), "M1 Ultra": (800, 20.8), "M2": (100, 3.6), "M2 Max": (400, 13.6),
    "M3": (100, 4.1), "M3 Max": (400, 16.4), "M3 Ultra": (819, 28.2), "M4": (120, 4.6), "M4 Pro": (273, 9.3),
    "M4 Max": (546, 18.4), "M5": (153, 5.7),
}  # fmt: skip
WIDTHS = range(1, 9)
# As published: row by row on M1 and M2 (mlx-lm#990 has 1.72 for two rows), and the curves of `apple_pairs`.
ROW_BY_ROW: Curve = {2: 1.72, 8: 1.72 + 6 * 0.72}


def seconds(chip: str, rows: int) -> float:
    """Return the seconds of a product of 10**9 weights with `rows` rows, in tiles that share what a cache holds."""
    bandwidth, rate = CHIPS[chip]
    tiles = -(-rows // TILE)
    return max(BYTES / bandwidth, (tiles * DECODING + rows) / (1000 * EFFICIENCY * rate / 2))


def planned(chip: str) -> Curve:
    """Return the costs of several rows, in products of one row."""
    return {rows: seconds(chip, rows) / seconds(chip, 1) for rows in WIDTHS if rows > 1}


class Counting(Player):
    """Remembers the rows of every round."""

    rows: ClassVar[list[int]] = []

    def _observe(self, choice: Choice, pending: PendingRound, *rest: Any) -> None:
        self.rows.append(pending.depth + 1)
        super()._observe(choice, pending, *rest)


def played(pair: Pair, seeds: int) -> tuple[float, float]:
    """Return the mean number of rows of a round, and the speed beside plain decoding, over the answers after FIRST."""
    ratios = []
    Counting.rows.clear()
    for seed in range(seeds):
        player, answers = Counting(pair, seed), random.Random(seed).sample(list(pair.answers), 12)
        plain = [Player(pair, seed + 1).fixed(answer, "plain", 0) for answer in answers]
        auto = [player.auto(answer) for answer in answers]
        ratios.append(sum(plain[FIRST:]) / sum(auto[FIRST:]))
    return mean(Counting.rows), mean(ratios)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    seeds: int = parser.parse_args().seeds
    print("chip      " + "".join(f"{rows:>7}" for rows in WIDTHS))
    for chip in CHIPS:
        print(f"{chip:10}1.00   " + "".join(f"{cost:7.2f}" for cost in planned(chip).values()))
    for pair in apple_pairs():
        if "bf16" in pair.name or "2 bits" in pair.name:
            continue
        chip = next(name for name in ("M4 Pro", "M3 Ultra") if pair.name.startswith(name))
        curve = {**planned(chip), 9: 2 * planned(chip)[8]}
        plain = pair.machine.passes[0]
        ours = replace(pair, machine=replace(pair.machine, passes=[plain * cost for cost in passes(curve)]))
        before, after = played(pair, seeds), played(ours, seeds)
        print(f"{pair.name:40} rows {before[0]:.2f} -> {after[0]:.2f}, speed {before[1]:.2f}x -> {after[1]:.2f}x")


if __name__ == "__main__":
    main()
