"""What each constant of `engine.ahead` gives, in the worlds of `worlds`.

`python -m tests.engine.ahead.ablation` is the command that `tests.tools.ablation` describes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from math import inf
from typing import Any
from unittest.mock import patch

from engine.ahead import deepening, drafting_ahead, messages, rest, worth
from engine.requests import MAX_DRAFTED
from tests.engine.ahead.worlds import RECORD, deepening_figures, speed_figures
from tests.engine.recorded_figures import Figures
from tests.tools.ablation import BASE, Ablation, main

# A number that is never reached.
NEVER = 10**9
COMMENT = """\
What drafting ahead reaches in simulated worlds (tests/engine/ahead/worlds.py): tokens a second, prepared
tokens that are accepted in a round, and for each pass of the draft model. Written by
`python -m tests.engine.ahead.ablation record`; `first` are the first seeds alone."""

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


def play(variant: str, seeds: Sequence[int]) -> Iterator[tuple[int, Figures]]:
    """Yield each seed with its figures."""
    for seed in seeds:
        yield seed, figures(variant, seed)


if __name__ == "__main__":
    main(Ablation(play, list(SPEEDS | TREES), RECORD, COMMENT))
