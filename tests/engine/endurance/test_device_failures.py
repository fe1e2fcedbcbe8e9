"""The device fails at random moments of everything that it does: the engine lives, and answers like a fresh one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import DeviceFailed, EngineError
from engine.events import Failed
from engine.serving.scheduler import Scheduler
from engine.status import LoadedPair
from tests.engine.endurance.late_errors import late_error
from tests.engine.serving_requests import PLAIN, alone, load_models, open_scheduler, request, run, submit

pytestmark = [pytest.mark.usefixtures("disk_without_waiting"), pytest.mark.expects_log]

LONG = "the quick brown fox jumps over the lazy dog " * 12
TEXTS = ("the quick brown fox", "jumps", LONG, f"{LONG} a b c")


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Scheduler]:
    with open_scheduler(prefix_cache_folder=tmp_path / "prefixes") as scheduler:
        yield scheduler


def change(scheduler: Scheduler, steps: Any) -> LoadedPair | EngineError:
    """Serve a change of models, and return its outcome."""
    ended: list[LoadedPair | EngineError] = []
    scheduler.changes.enqueue(steps, ended.append)
    while scheduler.step():
        pass
    return ended[0]


def test_all_answers_under_way_end_with_the_device_and_the_next_ones_are_right(
    scheduler: Scheduler, tiny_main: Path, tiny_draft: Path
) -> None:
    load_models(scheduler, tiny_main, tiny_draft)
    asked = [request(text, max_tokens=16, speculation=PLAIN) for text in TEXTS]
    expected = [alone(scheduler, one).ids for one in asked]
    first = [submit(scheduler, one) for one in asked[:2]]
    while not all(client.committed for client in first):
        scheduler.step()
    read = submit(scheduler, asked[2])
    scheduler.step()
    with late_error(scheduler, 1):
        while scheduler.step():
            pass
    for client in (*first, read):
        assert isinstance(client.last, Failed)
        assert isinstance(client.last.error, DeviceFailed)
        assert client.last.error.arguments["unloaded"] == ""
    assert [client.finished.ids for client in run(scheduler, *asked)] == expected


def test_a_device_that_fails_twice_in_a_row_loses_its_models_until_the_next_question(
    scheduler: Scheduler, tiny_main: Path, tiny_draft: Path
) -> None:
    load_models(scheduler, tiny_main, tiny_draft)
    asked = request(max_tokens=8)
    expected = alone(scheduler, asked).ids
    unloaded = []
    for _ in range(2):
        with late_error(scheduler, 3):
            [client] = run(scheduler, asked)
        assert isinstance(client.last, Failed)
        unloaded.append(client.last.error.arguments["unloaded"])
    assert unloaded == ["", "main"]
    assert not scheduler.models.loaded
    assert run(scheduler, asked)[0].finished.ids == expected
    assert scheduler.models.drafter is not None


def test_a_device_that_answers_in_between_keeps_its_models(scheduler: Scheduler, tiny_main: Path) -> None:
    load_models(scheduler, tiny_main, None)
    asked = request(max_tokens=8, speculation=PLAIN)
    for _ in range(2):
        with late_error(scheduler, 3):
            [client] = run(scheduler, asked)
        assert isinstance(client.last, Failed)
        assert isinstance(client.last.error, DeviceFailed)
        assert run(scheduler, asked)[0].finished.ids
    assert scheduler.models.loaded


@pytest.mark.full
@pytest.mark.parametrize("which", ["main", "draft"])
def test_a_model_that_the_device_fails_to_load_is_not_blamed_for_it(
    scheduler: Scheduler, tiny_main: Path, tiny_draft: Path, which: str
) -> None:
    load_models(scheduler, tiny_main, None)
    asked = request(max_tokens=8)
    expected = alone(scheduler, asked).ids
    running = submit(scheduler, asked)
    scheduler.step()
    with late_error(scheduler, 2):
        if which == "main":
            outcome = change(scheduler, scheduler.changes.load(tiny_main, tiny_draft))
        else:
            outcome = change(scheduler, scheduler.changes.set_draft(tiny_draft))
    assert isinstance(outcome, DeviceFailed) or isinstance(running.last, Failed)
    assert run(scheduler, asked)[0].finished.ids == expected


def test_a_calibration_during_which_the_device_fails_says_so(scheduler: Scheduler, tiny_main: Path) -> None:
    load_models(scheduler, tiny_main, None)
    asked = request(max_tokens=8)
    expected = alone(scheduler, asked).ids
    with late_error(scheduler, 9), pytest.raises(DeviceFailed):
        scheduler.upkeep.calibrate()
    assert run(scheduler, asked)[0].finished.ids == expected
