"""Files that are written again with edits, on an M4 Pro, which verifies 17 to 33 rows in the same time."""

from __future__ import annotations

import random
from functools import cache

from tests.engine.speculation.apple_pairs import Curve
from tests.engine.speculation.pairs import chain, gpu
from tests.engine.speculation.played import Answer, Machine, Pair

# Passes of Qwen3.8-27B in 4 bits on an M4 Pro in plain steps (mlx-dspark 0.20.3), and with one reading of the weights
# for 5 to 8 rows, and two for 9 to 16.
STOCK: Curve = {2: 1.11, 4: 1.45, 5: 1.65, 8: 1.65, 9: 3.2, 16: 4.1, 17: 4.5, 33: 4.5}
FEW_READINGS: Curve = {2: 1.11, 4: 1.3, 5: 1.4, 8: 1.4, 9: 2.4, 16: 2.4, 17: 4.5, 33: 4.5}
PLAIN_MS, FILE, ANSWERS = 78.0, 600, 4


def copying_machine(curve: Curve) -> Machine:
    """Return a machine without a drafter whose passes cost what `curve` says, between its points linearly."""
    points, passes = [(1, 1.0), *curve.items()], []
    for rows in range(1, points[-1][0] + 1):
        index = next(index for index in range(1, len(points)) if points[index][0] >= rows)
        (before, low), (after, high) = points[index - 1], points[index]
        passes.append(PLAIN_MS * (low + (rows - before) * (high - low) / (after - before)))
    base = gpu(PLAIN_MS, 0.0, 0.0, chain(0.0))
    return Machine(passes, [0.0], pipelined=base.pipelined, entering=base.entering)


@cache
def copies(edit_every: int, few_readings: bool = False) -> Pair:
    """Return answers that repeat a file of `FILE` tokens with about one edit in `edit_every` tokens; 0 for a new text.

    An edit replaces, inserts or deletes one to four tokens.
    """
    draw, answers = random.Random(edit_every), []
    for _ in range(ANSWERS):
        file = [draw.randrange(300, 30_000) for _ in range(FILE)]
        text, at = [], 0
        while at < FILE:
            if edit_every and draw.random() >= 1.0 / edit_every:
                text.append(file[at])
                at += 1
                continue
            text += [draw.randrange(300, 30_000) for _ in range(draw.randrange(5))]
            at += draw.randrange(5)
        answers.append(Answer("copy", tuple(file), tuple(text), (), 2 * FILE))
    curve = FEW_READINGS if few_readings else STOCK
    name = f"M4 Pro, an edit in {edit_every}{', few readings' if few_readings else ''}"
    return Pair(name, copying_machine(curve), answers, drafter="")
