"""The record of what drafting ahead reaches in each world: `engine/ahead/expected.toml`.

    python -m tests.engine.ahead.expected

writes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

from engine import ahead
from tests.engine.ahead.worlds import SEEDS, Figures, deepening_figures, speed_figures

FILE = Path(ahead.__file__).parent / "expected.toml"
# The seeds at the beginning of a record, which the default tier plays.
FIRST_SEEDS = 2
# A figure is as recorded within this many standard errors of the record, and if it has lost no more than this share.
STANDARD_ERRORS = 3.0
MOST_LOSS = 0.02
# The share of a figure that other systems' logarithms may change.
ROUNDING = 0.001


@dataclass(frozen=True)
class Expected:
    """A figure's mean and its standard error over all seeds, and its mean over the first FIRST_SEEDS."""

    mean: float
    standard_error: float
    first: float

    def accepts(self, found: float, recorded: float) -> bool:
        """Whether `found` is as good as `recorded`, the mean over the same seeds."""
        most = max(ROUNDING * recorded, STANDARD_ERRORS * self.standard_error)
        return abs(found - recorded) <= most and found >= (1.0 - MOST_LOSS) * recorded


def play(seeds: Iterable[int]) -> list[Figures]:
    return [speed_figures(seed) | deepening_figures(seed) for seed in seeds]


def means(played: Sequence[Figures]) -> Figures:
    """Return the mean of each figure over what was played."""
    return {name: mean(figures[name] for figures in played) for name in played[0]}


def read() -> dict[str, Expected]:
    """Return the record by the names of figures."""
    record = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: Expected(**values) for name, values in record.items()}


def write(played: Sequence[Figures]) -> None:
    """Write the record of figures by seed, from 0."""
    lines = [
        "# What drafting ahead reaches in simulated worlds (tests/engine/ahead/worlds.py): tokens a second, prepared",
        "# tokens that are accepted in a round, and for each pass of the draft model. Written by",
        f"# `python -m tests.engine.ahead.expected` with {len(played)} seeds; `first` is of the first {FIRST_SEEDS}.",
    ]
    first = means(played[:FIRST_SEEDS])
    for name, average in means(played).items():
        error = stdev(figures[name] for figures in played) / sqrt(len(played))
        lines += ["", f'["{name}"]', f"mean = {average:.5f}", f"standard_error = {error:.5f}"]
        lines.append(f"first = {first[name]:.5f}")
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(play(range(SEEDS)))
