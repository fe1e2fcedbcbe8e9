"""What each constant of `engine.ahead` gives, in the worlds of `worlds`.

    python -m tests.engine.ahead.ablation FILE [--seeds 40] [VARIANT ...]

plays each variant, in which one constant is neutral or one part is missing, with the same seeds as today's code, adds
the figures to FILE, one JSON object a line, and prints by how many percent each figure changes, seed by seed, with its
standard error. A run that was stopped goes on where it was. A variant that has lost something beyond doubt, DECIDED
standard errors in a figure, is played with no more seeds than BLOCK.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from math import inf, sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple
from unittest.mock import patch

from engine.ahead import deepening, drafting_ahead, messages, rest, worth
from engine.requests import MAX_DRAFTED
from tests.engine.ahead.worlds import deepening_figures, speed_figures
from tests.engine.recorded_figures import SEEDS, Figures

# The seeds after which a variant may be decided.
BLOCK = 10
DECIDED = 4.0
# A number that is never reached.
NEVER = 10**9
BASE = "today"


class Change(NamedTuple):
    """By what share of today's a figure changes: its mean and standard error."""

    mean: float
    standard_error: float


# The constants, and what they are set to; "observe" is a method that then learns nothing.
Settings = tuple[tuple[object, str, Any], ...]
SPEEDS: dict[str, Settings] = {
    BASE: (),
    "no Worth": ((worth.Worth, "observe", lambda _worth, _seconds, _tokens: None),),
    "TRIAL_ROUNDS 3": ((worth, "TRIAL_ROUNDS", 3),),
    "CLEAR_TRIAL_ROUNDS as TRIAL_ROUNDS": ((worth, "CLEAR_TRIAL_ROUNDS", worth.TRIAL_ROUNDS),),
    "CLEAR_DIFFERENCE never": ((worth, "CLEAR_DIFFERENCE", inf),),
    "SETTLING_ROUNDS 0": ((worth, "SETTLING_ROUNDS", 0),),
    "STRETCH_ROUNDS as TRIAL_ROUNDS": ((worth, "STRETCH_ROUNDS", worth.TRIAL_ROUNDS),),
    "STRETCH_ROUNDS never": ((worth, "STRETCH_ROUNDS", NEVER),),
    "AVERAGED_CHANGES 1": ((worth, "AVERAGED_CHANGES", 1),),
    "HANDOVER_S 0": ((drafting_ahead, "HANDOVER_S", 0.0),),
    "FIRST_PATIENCE_S 0": ((drafting_ahead, "FIRST_PATIENCE_S", 0.0),),
    "FIRST_DEPTH the most": ((drafting_ahead, "FIRST_DEPTH", MAX_DRAFTED),),
    "FIRST_DEPTH 2": ((drafting_ahead, "FIRST_DEPTH", 2),),
    "no pauses": ((rest, "MAX_MISSES", NEVER),),
    "MAX_MISSES 1": ((rest, "MAX_MISSES", 1),),
    "pauses of FIRST_PAUSE": ((rest, "LAST_PAUSE", rest.FIRST_PAUSE),),
    "pauses of LAST_PAUSE": ((rest, "FIRST_PAUSE", rest.LAST_PAUSE),),
    "MAX_BAD never": ((rest, "MAX_BAD", NEVER),),
}
TREES: dict[str, Settings] = {
    BASE: (),
    "REMEMBERED_PASSES 1": ((deepening, "REMEMBERED_PASSES", 1),),
    "LEAST_GAIN 0": ((deepening, "LEAST_GAIN", 1e-300),),
    "FIRST_ACCEPTANCE 1": ((messages, "FIRST_ACCEPTANCE", (1.0,)),),
    "FIRST_ACCEPTANCE 0.5": ((messages, "FIRST_ACCEPTANCE", (0.5,)),),
    "MOST_RECOVERY 1": ((messages, "MOST_RECOVERY", 1),),
}
Played = dict[str, dict[int, Figures]]


def figures(variant: str, seed: int) -> Figures:
    """Return today's figures, or those of a variant."""
    found: Figures = {}
    for variants, play in ((SPEEDS, speed_figures), (TREES, deepening_figures)):
        if variant in variants:
            with ExitStack() as changed:
                for owner, name, value in variants[variant]:
                    changed.enter_context(patch.object(owner, name, value))
                found |= play(seed)
    return found


def read(file: Path) -> Played:
    """Return the figures by variant and seed."""
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
        name: Change(mean(values), stdev(values) / sqrt(len(values)))
        for name, values in found.items()
        if len(values) > 1
    }


def is_decided(played: Played, variant: str) -> bool:
    """Whether a figure is beyond doubt worse."""
    return len(played[variant]) >= BLOCK and any(
        change.mean < -max(0.005, DECIDED * change.standard_error) for change in changes(played, variant).values()
    )


def run(file: Path, seeds: int, names: list[str]) -> None:
    played = read(file)
    for end in sorted({min(BLOCK, seeds), seeds}):
        for variant in [BASE, *(name for name in names if name != BASE)]:
            if variant != BASE and is_decided(played, variant):
                continue
            for seed in range(end):
                if seed not in played[variant]:
                    found = played[variant][seed] = figures(variant, seed)
                    with file.open("a", encoding="utf-8") as stream:
                        stream.write(json.dumps({"variant": variant, "seed": seed, "figures": found}) + "\n")


def table(played: Played) -> Iterator[str]:
    """Generate a line for each variant and each of its figures that differs by more than its standard error."""
    for variant in played:
        if variant == BASE:
            continue
        yield f"{variant} ({len(played[variant])} seeds)"
        for name, change in sorted(changes(played, variant).items(), key=lambda row: row[1].mean):
            if abs(change.mean) > change.standard_error:
                yield f"    {name:40} {100 * change.mean:+7.2f} ± {100 * change.standard_error:.2f}"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("variants", nargs="*", metavar="VARIANT")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    asked = parser.parse_intermixed_args()
    run(asked.file, asked.seeds, asked.variants or [*SPEEDS, *TREES])
    print("\n".join(table(read(asked.file))))


if __name__ == "__main__":
    main()
