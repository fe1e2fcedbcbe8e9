"""Several main models at hand: each request is answered by its own, and none is loaded twice while all fit."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import ModelNotUsable, NoModel
from engine.events import Failed
from engine.files.steps import run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.requests import ChatRequest
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import LoadedPair
from engine.upkeep import memory
from engine.upkeep.models import Models
from tests.engine.serving_requests import (
    PLAIN,
    alone,
    finish,
    load_models,
    open_with_pair,
    request,
    run,
    step_until,
    submit,
)
from tests.tiny_models import write_disturbed_copy


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Scheduler]:
    with open_with_pair(pair) as scheduler:
        yield scheduler


@pytest.fixture(scope="module")
def others(tiny_main: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two main models that give other answers."""
    folder = tmp_path_factory.mktemp("others")
    return tuple(write_disturbed_copy(tiny_main, folder / name, amount=0.5 * at) for at, name in enumerate("bc", 1))  # type: ignore[return-value]


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The main models that are loaded from now on."""
    counted: list[Path] = []
    load = Models.load_main

    def note(models: Models, main: Path) -> object:
        counted.append(Path(main))
        return load(models, main)

    monkeypatch.setattr(Models, "load_main", note)
    return counted


def beside(scheduler: Scheduler, main: Path, draft: Path | None = None) -> LoadedPair:
    return run_to_completion(scheduler.changes.load_additional(main, draft))


def names(scheduler: Scheduler) -> list[Path | None]:
    return [pair.main and pair.main.path for pair in scheduler.status.resident]


def room_for(monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler, count: int) -> None:
    """Let `count` main models fit into memory."""
    monkeypatch.setattr(scheduler.models.memory, "crowds", lambda _: len(scheduler.models.resident) >= count)


ASKED = request(max_tokens=12, speculation=PLAIN)


def test_ten_alternating_requests_load_the_second_model_once(
    scheduler: Scheduler, others: tuple[Path, Path], loads: list[Path], tiny_main: Path
) -> None:
    other = others[0]
    beside(scheduler, other)
    clients = run(scheduler, *(replace(ASKED, main=str(main)) for main in [tiny_main, other] * 5))
    texts = [client.finished.ids for client in clients]
    assert loads == [other]
    assert len(set(texts)) == 2
    assert texts == texts[:2] * 5
    assert names(scheduler) == [tiny_main, other]
    load_models(scheduler, other, None)
    assert alone(scheduler, ASKED).ids == texts[1]


def test_a_request_without_a_name_is_answered_by_the_own_models(
    scheduler: Scheduler, others: tuple[Path, Path], tiny_main: Path
) -> None:
    before = alone(scheduler, ASKED).ids
    pair = beside(scheduler, others[0])
    assert (pair.main and pair.main.path, pair.draft) == (others[0], None)
    [client] = run(scheduler, ASKED)
    assert client.finished.ids == before
    assert scheduler.models.pair.main == scheduler.models.own_resident.main.info  # type: ignore[union-attr]
    assert scheduler.models.drafter is not None
    assert scheduler.models.own == tiny_main


def test_an_answer_under_way_ends_before_another_model_answers(
    scheduler: Scheduler, others: tuple[Path, Path], tiny_draft: Path
) -> None:
    running = submit(scheduler, replace(ASKED, max_tokens=60))
    step_until(scheduler, lambda: running.committed)
    ended: list[object] = []
    scheduler.changes.enqueue(scheduler.changes.load_additional(others[0], None), ended.append)
    waiting = submit(scheduler, replace(ASKED, main=str(others[0])))
    scheduler.changes.enqueue(scheduler.changes.set_draft(tiny_draft), ended.append, blocks_requests=False)
    finish(scheduler)
    assert (running.finished.reason, len(running.finished.ids)) == ("length", 60)
    assert len(waiting.finished.ids) == 12
    assert [pair.main.path == others[0] for pair in ended] == [True, False]  # type: ignore[attr-defined]


def test_the_model_that_was_used_least_goes_first_and_the_own_one_last(
    scheduler: Scheduler, others: tuple[Path, Path], tiny_main: Path, monkeypatch: pytest.MonkeyPatch, loads: list[Path]
) -> None:
    room_for(monkeypatch, scheduler, 2)
    first, second = others
    beside(scheduler, first)
    beside(scheduler, second)
    assert names(scheduler) == [tiny_main, second]
    # A model that was unloaded is loaded again for its next request.
    [client] = run(scheduler, replace(ASKED, main=str(first)))
    assert len(client.finished.ids) == 12
    assert names(scheduler) == [tiny_main, first]
    assert loads == [first, second, first]


def test_where_only_one_model_fits_the_own_one_is_loaded_again_for_its_requests(
    scheduler: Scheduler, others: tuple[Path, Path], tiny_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room_for(monkeypatch, scheduler, 1)
    beside(scheduler, others[0])
    assert names(scheduler) == [others[0]]
    run(scheduler, ASKED)
    assert names(scheduler) == [tiny_main]
    assert scheduler.models.drafter is not None


def test_a_request_that_needs_the_memory_unloads_models_that_are_not_in_use(
    scheduler: Scheduler, others: tuple[Path, Path], tiny_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside(scheduler, others[0])
    use = scheduler.models.memory.use()
    monkeypatch.setattr(
        memory, "memory_use", lambda _limit: replace(use, free=use.free if len(scheduler.models.resident) < 2 else 0)
    )
    [client] = run(scheduler, ASKED)
    assert len(client.finished.ids) == 12
    assert names(scheduler) == [tiny_main]


@pytest.mark.full
def test_each_model_keeps_its_own_finished_turns(scheduler: Scheduler, others: tuple[Path, Path]) -> None:
    beside(scheduler, others[0])
    asked = [ASKED, replace(ASKED, main=str(others[0]))]
    run(scheduler, *asked)
    again = run(scheduler, *asked)
    assert all(client.finished.stats.cached_tokens > 0 for client in again)
    assert scheduler.prefix_cache.usage.conversations == 2


def test_one_model_is_unloaded_alone_and_all_with_the_own_one(
    scheduler: Scheduler, others: tuple[Path, Path], tiny_main: Path
) -> None:
    beside(scheduler, others[0])
    pair = run_to_completion(scheduler.changes.unload_in_turn(others[0]))
    assert (pair.main and pair.main.path, names(scheduler)) == (tiny_main, [tiny_main])
    beside(scheduler, others[0])
    assert run_to_completion(scheduler.changes.unload_in_turn(tiny_main)).main is None
    [nameless, named] = run(scheduler, ASKED, replace(ASKED, main=str(others[0])))
    assert isinstance(nameless.last, Failed)
    assert isinstance(nameless.last.error, NoModel)
    assert len(named.finished.ids) == 12
    run_to_completion(scheduler.changes.unload_in_turn(None))
    assert names(scheduler) == []


def test_a_model_that_was_the_own_one_still_answers_requests_that_name_it(
    scheduler: Scheduler, others: tuple[Path, Path], tiny_main: Path
) -> None:
    load_models(scheduler, others[0], None)
    assert names(scheduler) == [others[0]]
    [client] = run(scheduler, replace(ASKED, main=str(tiny_main)))
    assert len(client.finished.ids) == 12
    assert names(scheduler) == [others[0], tiny_main]
    assert scheduler.models.own == others[0]


def test_an_idle_engine_unloads_all_and_loads_each_for_its_next_request(
    scheduler: Scheduler, others: tuple[Path, Path], tiny_main: Path
) -> None:
    beside(scheduler, others[0])
    scheduler.configure(EngineSettings(unload_after_s=1e-9))
    scheduler.upkeep.park()
    assert names(scheduler) == []
    run(scheduler, replace(ASKED, main=str(others[0])), ASKED)
    assert names(scheduler) == [others[0], tiny_main]


def test_a_model_that_is_gone_fails_its_own_requests_only(
    scheduler: Scheduler, others: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(others[0], tmp_path / "gone"))
    beside(scheduler, folder)
    run(scheduler, ASKED)
    assert scheduler.changes.unload_least_used()
    folder.rename(tmp_path / "elsewhere")
    asked: list[ChatRequest] = [replace(ASKED, main=str(folder)), ASKED]
    gone, here = run(scheduler, *asked)
    assert isinstance(gone.last, Failed)
    assert isinstance(gone.last.error, ModelNotUsable)
    assert len(here.finished.ids) == 12
