"""An engine holds no more memory after many answers than after the first ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Engine, EngineSettings, starter_pair
from tests.engine.growth import Footprint, Laps, tracing
from tests.patience import PATIENCE_S
from tests.tiny_eagle import write_eagle_head

TRAINED = Path(__file__).parents[1] / "starter" / "heads"


@pytest.fixture
def engine(tiny_main: Path, tmp_path: Path) -> Iterator[Engine]:
    with Engine(EngineSettings(prefix_cache_folder=tmp_path / "chats")) as engine:
        # Loading imports modules, whose tracing would take seconds.
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        with tracing():
            yield engine


def test_answers_leave_nothing(engine: Engine, tiny_main: Path, tiny_draft: Path, tmp_path: Path) -> None:
    drafters = (tiny_draft, write_eagle_head(tmp_path / "eagle", tiny_main))
    laps = Laps(engine, tiny_main, drafters, max_tokens=4)
    # The first lap measures how deep drafts should be, which the next ones are then.
    laps.run()
    first = laps.run()
    assert laps.run().grown_since(first) == {}
    # In each lap the chat begins with the first of them.
    assert (laps.answers, laps.reopened) == (3 * 2 * 7, 3)


@pytest.mark.campaign
def test_two_hundred_answers_leave_nothing(engine: Engine) -> None:
    main, draft = starter_pair()
    drafters = (None, draft, main.parent / "head", TRAINED / "eagle3", TRAINED / "mtp")
    laps = Laps(engine, main, drafters, max_tokens=24)
    found: dict[int, Footprint] = {}
    while laps.answers < 200:
        one = laps.run()
        found[laps.answers] = one
        print(laps.answers, one)
    early = min(answers for answers in found if answers >= 50)
    assert found[laps.answers].grown_since(found[early]) == {}
    assert laps.reopened > 0
