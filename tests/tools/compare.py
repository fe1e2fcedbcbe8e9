"""Judge the controller in one table: `python -m tests.tools.compare [--seeds N] [PART ...]`.

All times are simulated. For pairs it prints the share of the best fixed arm's speed over twenty answers and over the
first three, the mean and the worst pair's, and the shares of long answers below 0.95 of plain decoding and of short
ones below 0.9; with stalls, or calibrated before. `long` is `long_run`. `kinds` is auto's speed to the best fixed arm's
by kind of prompt.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from statistics import geometric_mean, mean

from tests.engine.speculation import long_run
from tests.engine.speculation.apple_pairs import apple_pairs
from tests.engine.speculation.by_kind import MACHINES, by_kind
from tests.engine.speculation.judging import judge
from tests.engine.speculation.pairs import busy, pairs
from tests.engine.speculation.played import Pair

Figures = dict[str, float]


def pair_figures(
    judged: Callable[[], Sequence[Pair]], seeds: int, *, calibrated: bool = False, stalls: bool = False
) -> Figures:
    """Summarise the verdicts on these pairs. The worst pair is the one with the worst mean over the seeds."""
    chosen = [busy(pair) if stalls else pair for pair in judged()]
    verdicts = [[judge(pair, seed, calibrated=calibrated) for seed in range(seeds)] for pair in chosen]
    twenty = [mean(one.twenty for one in found) for found in verdicts]
    three = [mean(one.three for one in found) for found in verdicts]
    long = [ratio for found in verdicts for one in found for ratio in one.long]
    short = [ratio for found in verdicts for one in found for ratio in one.short]
    return {
        "twenty": mean(twenty),
        "worst": min(twenty),
        "three": mean(three),
        "worst three": min(three),
        "long": mean(ratio < 0.95 for ratio in long),
        "short": mean(ratio < 0.9 for ratio in short),
    }


def kind_figures(seeds: int) -> Figures:
    """Return auto's speed to the best fixed arm's by machine, drafter and kind of prompt, and each machine's mean."""
    found: Figures = {}
    for machine in MACHINES:
        ratios = by_kind(machine, range(seeds))
        found |= {f"{machine}, {name}": ratio for name, ratio in ratios.items()}
        found[f"{machine}, mean"] = geometric_mean(ratios.values())
    return found


PARTS: dict[str, Callable[[int], Figures]] = {
    "pairs": partial(pair_figures, pairs),
    "calibrated": partial(pair_figures, pairs, calibrated=True),
    "stalls": partial(pair_figures, pairs, stalls=True),
    "apple": partial(pair_figures, apple_pairs),
    "apple-calibrated": partial(pair_figures, apple_pairs, calibrated=True),
    "apple-stalls": partial(pair_figures, apple_pairs, stalls=True),
    "long": long_run.figures,
    "kinds": kind_figures,
}


def table(part: str, figures: Figures) -> str:
    """Format a part in rows; `kinds` has a row for each machine and drafter."""
    rows: dict[str, list[str]] = {}
    for name, value in figures.items():
        row, _, column = name.rpartition(", ")
        rows.setdefault(row, []).append(shown(column, value))
    return "\n".join(f"{f'{part} {row}':28} {', '.join(cells)}" for row, cells in rows.items())


def shown(name: str, value: float) -> str:
    if name == "shown":
        return f"{name} {value:.0f}"
    return f"{name} {value:.1%}" if name.startswith(("long", "short", "off", "error")) else f"{name} {value:.3f}"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    for part in asked.parts or PARTS:
        print(table(part, PARTS[part](asked.seeds)), flush=True)


if __name__ == "__main__":
    main()
