"""The command of an ablation: a part of the engine is played with one thing less, and compared seed by seed.

    record                              write what today's code reaches to the part's expected.toml
    run FILE [--seeds 40] [VARIANT ...] play the same seeds with each variant
    table FILE                          print by how many percent each figure changes, with its standard error

In a variant one constant is neutral, or one part is replaced by a simpler one. `run` adds the figures to FILE, one JSON
object a line; a run that was stopped goes on where it was. A variant that has lost something beyond doubt, DECIDED
standard errors in a figure, is played with no more seeds.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

from tests.engine import recorded_figures
from tests.engine.recorded_figures import SEEDS, Figures

# The seeds that are played with every variant before the next ones are.
BLOCK = 10
DECIDED = 4.0
# The name of no change.
BASE = "today"

# Figures by variant and seed.
Played = dict[str, dict[int, Figures]]
# Plays a variant, or BASE, with seeds, and yields each seed with its figures.
Play = Callable[[str, Sequence[int]], Iterable[tuple[int, Figures]]]


@dataclass(frozen=True)
class Ablation:
    """A part of the engine: how it is played, the names of its variants, and the record of today's figures."""

    play: Play
    variants: Sequence[str]
    record: Path
    # The first lines of the record.
    comment: str


@dataclass(frozen=True)
class Change:
    """By what share of today's a figure changes: its mean and standard error over `seeds` seeds."""

    mean: float
    standard_error: float
    seeds: int

    @property
    def is_decided(self) -> bool:
        """Whether the figure is beyond doubt worse."""
        return self.seeds >= BLOCK and self.mean < -max(0.005, DECIDED * self.standard_error)


def read(file: Path) -> Played:
    """Return what earlier runs have played."""
    played: Played = defaultdict(dict)
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            played[row["variant"]][row["seed"]] = row["figures"]
    return played


def changes(played: Played, variant: str) -> dict[str, Change]:
    """Return how each figure changes with `variant`, over the seeds that were played with it."""
    found: dict[str, list[float]] = defaultdict(list)
    for seed, changed in played[variant].items():
        for name, value in changed.items():
            found[name].append(value / played[BASE][seed][name] - 1.0)
    return {
        name: Change(mean(values), stdev(values) / sqrt(len(values)), len(values))
        for name, values in found.items()
        if len(values) > 1
    }


def run(file: Path, play: Play, variants: Sequence[str], seeds: int) -> None:
    """Play today's code and `variants` block by block, and add the figures to `file`."""
    played = read(file)
    for first in range(0, seeds, BLOCK):
        block = range(first, min(first + BLOCK, seeds))
        for variant in (BASE, *variants):
            if any(change.is_decided for change in changes(played, variant).values()):
                continue
            wanted = [seed for seed in block if seed not in played[variant]]
            for seed, found in play(variant, wanted):
                played[variant][seed] = found
                with file.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps({"variant": variant, "seed": seed, "figures": found}) + "\n")


def table(played: Played) -> Iterator[str]:
    """Generate a line for each variant and each of its figures that differs by more than its standard error.

    Figures are in percent of today's; "*" marks two standard errors.
    """
    for variant in played:
        if variant == BASE:
            continue
        rows = changes(played, variant)
        lost = [change for change in rows.values() if -change.mean > change.standard_error]
        gained = [change for change in rows.values() if change.mean > change.standard_error]
        seeds = max((change.seeds for change in rows.values()), default=0)
        whole = 100 * mean(change.mean for change in rows.values()) if rows else 0.0
        yield f"{variant} ({seeds} seeds): {whole:+.2f}; of {len(rows)} {len(lost)} lost, {len(gained)} gained"
        for name, change in sorted(rows.items(), key=lambda row: row[1].mean):
            if abs(change.mean) > change.standard_error:
                mark = "*" if abs(change.mean) > 2 * change.standard_error else ""
                yield f"    {name:40} {100 * change.mean:+7.2f} ± {100 * change.standard_error:.2f} {mark}"


def main(ablation: Ablation) -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("record", "run", "table"))
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("variants", nargs="*", metavar="VARIANT")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    asked = parser.parse_intermixed_args()
    if asked.action == "record":
        played = dict(ablation.play(BASE, range(asked.seeds)))
        recorded_figures.write(ablation.record, ablation.comment, played)
    elif asked.action == "run":
        run(asked.file, ablation.play, asked.variants or ablation.variants, asked.seeds)
    else:
        print("\n".join(table(read(asked.file))))
