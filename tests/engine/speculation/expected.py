"""The record of what the controller reaches in each world: `engine/speculation/choosing/expected.toml`.

`python -m tests.tools.ablation record` writes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

from engine.speculation import choosing
from tests.engine.speculation.worlds import Figures

FILE = Path(choosing.__file__).parent / "expected.toml"
# Change it with the worlds, whose figures are then no longer those of the record.
VERSION = 1
# The seeds of a record, and those of its beginning, which the default tier plays.
SEEDS = 40
FIRST_SEEDS = 2
# A figure is as recorded within this many standard errors of the record, and if it has lost no more than this share.
STANDARD_ERRORS = 3.0
LOSS = 0.02
# Other systems round logarithms otherwise, so choices that are equally good may differ.
LEAST_ERROR = 0.001


@dataclass(frozen=True)
class Expected:
    """A figure's mean, its standard error and its lowest value over `seeds` seeds, and its mean over FIRST_SEEDS."""

    mean: float
    standard_error: float
    lowest: float
    seeds: int
    first: float

    @property
    def most_by_chance(self) -> float:
        """By how much a figure may differ from the record."""
        return max(LEAST_ERROR, STANDARD_ERRORS * self.standard_error)

    def accepts(self, found: float, recorded: float) -> bool:
        """Whether `found` is as good as `recorded`, the mean over the same seeds."""
        return abs(found - recorded) <= self.most_by_chance and found >= (1.0 - LOSS) * recorded


def means(played: Mapping[int, Figures]) -> Figures:
    """Return the mean of each figure over the seeds."""
    return {name: mean(found[name] for found in played.values()) for name in played[0]}


def read() -> dict[str, Expected]:
    """Return the record by the names of figures."""
    record = tomllib.loads(FILE.read_text(encoding="utf-8"))
    if record.pop("version") != VERSION:
        raise ValueError("the record is of other worlds")
    return {name: Expected(**values) for name, values in record.items()}


def write(played: Mapping[int, Figures]) -> None:
    """Write the record of figures by seed, from 0."""
    lines = [
        "# What the controller reaches in simulated worlds (tests/engine/speculation/worlds.py): ratios, better the",
        "# larger they are. Written by `python -m tests.tools.ablation record`; `first` are the first seeds alone.",
        f"version = {VERSION}",
    ]
    first = means({seed: played[seed] for seed in range(FIRST_SEEDS)})
    for name, average in means(played).items():
        values = [found[name] for found in played.values()]
        lines += [
            "",
            f'["{name}"]',
            f"mean = {average:.5f}",
            f"standard_error = {stdev(values) / sqrt(len(values)):.5f}",
            f"lowest = {min(values):.5f}",
            f"seeds = {len(values)}",
            f"first = {first[name]:.5f}",
        ]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
