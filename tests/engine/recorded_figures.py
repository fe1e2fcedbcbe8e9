"""The record of what a part of the engine reaches in simulated worlds, and the one rule by which changes are judged.

A record is a TOML file next to the part. Each figure is better the larger it is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

# What a world gives for one seed: figures by name.
Figures = dict[str, float]
# The seeds of a record, and those of its beginning, which the default tier plays.
SEEDS = 40
FIRST_SEEDS = 2
# A figure is as recorded within this many standard errors of the record, and if it has lost no more than this share.
STANDARD_ERRORS = 3.0
MOST_LOSS = 0.02
# The share of a figure that other systems' logarithms may change: choices that are equally good may differ.
ROUNDING = 0.001


@dataclass(frozen=True)
class Expected:
    """A figure's mean, its standard error and its lowest value over `seeds` seeds, and its mean over FIRST_SEEDS."""

    mean: float
    standard_error: float
    lowest: float
    seeds: int
    first: float

    def most_by_chance(self, recorded: float) -> float:
        """By how much a figure may differ from `recorded`, a mean or a lowest value of the record."""
        return max(ROUNDING * recorded, STANDARD_ERRORS * self.standard_error)

    def accepts(self, found: float, recorded: float) -> bool:
        """Whether `found` is as good as `recorded`, the mean over the same seeds."""
        is_by_chance = abs(found - recorded) <= self.most_by_chance(recorded)
        return is_by_chance and found >= (1.0 - MOST_LOSS) * recorded


def means(played: Mapping[int, Figures]) -> Figures:
    """Return the mean of each figure over the seeds."""
    return {name: mean(found[name] for found in played.values()) for name in played[0]}


class Difference(NamedTuple):
    """A figure that is not as recorded: what was found, and what is recorded for the same seeds."""

    found: float
    recorded: float


def differences(record: Mapping[str, Expected], played: Mapping[int, Figures]) -> dict[str, Difference]:
    """Return the figures that are not as recorded, in what was played with FIRST_SEEDS seeds or with all of the record.

    With all seeds no lowest value may be lower than recorded, either.
    """
    found = {}
    for name, average in means(played).items():
        expected = record[name]
        is_whole = len(played) == expected.seeds
        recorded = expected.mean if is_whole else expected.first
        if not expected.accepts(average, recorded):
            found[name] = Difference(average, recorded)
        lowest = min(figures[name] for figures in played.values())
        if is_whole and lowest < expected.lowest - expected.most_by_chance(expected.lowest):
            found[f"{name}, lowest"] = Difference(lowest, expected.lowest)
    return found


def read(file: Path) -> dict[str, Expected]:
    """Return the record in `file` by the names of figures."""
    record = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: Expected(**values) for name, values in record.items()}


def write(file: Path, comment: str, played: Mapping[int, Figures]) -> None:
    """Write the record of figures by seed, from 0. The lines of `comment` say what they are and who wrote them."""
    lines = [f"# {line}" for line in comment.splitlines()]
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
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
