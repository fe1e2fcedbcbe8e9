"""Race the project's kernels against MLX's, as after a load, and compare those of attention with heads of 256.

The last line is a JSON object: the `seconds` of the race, whether these kernels are `confirmed` on this chip, the
kernels and rows that are `used`, the `problems`, and up to how many rows `heads_of_256` have the bits of single rows, 0
without Metal.
"""

from __future__ import annotations

import json
import time

import mlx.core as mx

from engine import starter_pair
from engine.files.steps import run_to_completion
from engine.main_model.loading import load
from engine.row_kernels.attention import attention_of_rows
from engine.row_kernels.attention_probe import AttentionShape, passes_of
from engine.row_kernels.choice import choose_kernels, is_confirmed
from engine.row_kernels.row_kernel import widest_alike
from engine.speculation.choosing.race_journal import RaceJournal

# Free bytes that the race may count on.
FREE = 1 << 30
# The keys and rows of passes with heads of 256, which the starter has none of.
WIDE_KEYS = 2048
WIDE_ROWS = (2, 4, 8, 16)


def main() -> None:
    """Race all kernels with the starter's main model, and print what has come of it."""
    races = RaceJournal()
    begun = time.perf_counter()
    costs = run_to_completion(choose_kernels(load(starter_pair()[0]), FREE, races))
    seconds = round(time.perf_counter() - begun, 1)
    said = {
        "seconds": seconds,
        "confirmed": is_confirmed(),
        "used": sorted({(cost.kernel, cost.rows) for cost in costs if cost.used}),
        "problems": [f"{problem.kernel} {problem.why}" for problem in races.problems],
        "heads_of_256": widest_with_heads_of_256() if mx.metal.is_available() else 0,
    }
    print(json.dumps(said))


def widest_with_heads_of_256() -> int:
    """Return the most rows of attention with heads of 256 that have the bits of single rows, 1 if there are none."""
    shape = AttentionShape(heads=24, kv_heads=4, size=256, dtype=mx.bfloat16)
    return run_to_completion(widest_alike(passes_of(shape, WIDE_KEYS, attention_of_rows), WIDE_ROWS))


if __name__ == "__main__":
    main()
