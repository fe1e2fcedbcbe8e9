"""What the controller reaches in each simulated world is what was recorded, but for chance, and has lost nothing.

A change of `engine.speculation.choosing` that fails here is judged by all seeds:
`python -m tests.engine.speculation.ablation record` writes the record anew, and its difference says what each world
gained or lost.
"""

from __future__ import annotations

import pytest

from tests.engine.recorded_figures import FIRST_SEEDS, SEEDS, Expected, differences, read
from tests.engine.speculation.worlds import RECORD, WORLDS
from tests.engine.tiers import by_tier

# They take seconds to make, or to play.
COSTLY = [
    name
    for name in WORLDS
    if name.startswith(("pairs", "Apple", "kinds", "turning", "short answers, starter", "beside a runner"))
]


@pytest.mark.parametrize("world", by_tier(WORLDS, [name for name in WORLDS if name not in COSTLY]))
def test_the_first_seeds_are_as_recorded(world: str) -> None:
    played = {seed: WORLDS[world](seed) for seed in range(FIRST_SEEDS)}
    assert not differences(read(RECORD), played)


@pytest.mark.campaign
@pytest.mark.parametrize("world", WORLDS)
def test_all_seeds_are_as_recorded(world: str) -> None:
    played = {seed: WORLDS[world](seed) for seed in range(SEEDS)}
    assert not differences(read(RECORD), played)


def test_the_record_has_figures_of_every_world_and_of_no_other() -> None:
    names = read(RECORD).keys()
    assert all(any(name.startswith(world) for name in names) for world in WORLDS)
    assert all(name.startswith(tuple(WORLDS)) for name in names)


def test_a_figure_that_lost_more_than_chance_is_not_accepted() -> None:
    known = Expected(mean=1.0, standard_error=0.01, lowest=0.9, seeds=40, first=0.95)
    assert known.accepts(0.985, known.mean)
    assert not known.accepts(0.97, known.mean)
    assert not known.accepts(1.04, known.mean)
    assert known.accepts(0.94, known.first)
