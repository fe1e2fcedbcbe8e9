"""Models change between two tokens: no running answer waits, and every request is answered by the right model."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Set
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import Engine
from engine.errors import EngineClosed, EngineError, LoadCancelled, ModelNotUsable
from engine.events import Failed
from engine.files.steps import run_to_completion
from engine.main_model import loading
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load_in_steps
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import LoadedPair
from engine.upkeep import models
from tests.engine.serving_requests import (
    PLAIN,
    Client,
    Expected,
    alone,
    finish,
    load_models,
    open_scheduler,
    request,
    run,
    set_draft,
    step_until,
    submit,
)
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S
from tests.tiny_models import QWEN3, write_disturbed_copy, write_model

Outcome = LoadedPair | EngineError


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load a tiny model in as many chunks as a large one."""
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 2**12)


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Scheduler]:
    with open_scheduler() as scheduler:
        scheduler.changes.install(pair[0], None)
        yield scheduler


@pytest.fixture(scope="module")
def other_main(tiny_main: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A main model that gives other answers."""
    return write_disturbed_copy(tiny_main, tmp_path_factory.mktemp("other") / "main", amount=0.5)


@pytest.fixture
def broken(tiny_main: Path, tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(tiny_main, tmp_path / "broken"))
    (folder / "tokenizer.json").write_text("{}")
    return folder


def ask_for_draft(scheduler: Scheduler, draft: Path | None) -> list[Outcome]:
    ended: list[Outcome] = []
    steps = scheduler.changes.set_draft(draft)
    scheduler.changes.enqueue(steps, ended.append, blocks_requests=False, can_be_cancelled=True)
    return ended


def ask_for_main(scheduler: Scheduler, main: Path, draft: Path | None = None) -> list[Outcome]:
    ended: list[Outcome] = []
    scheduler.changes.enqueue(scheduler.changes.load(main, draft), ended.append, can_be_cancelled=True)
    return ended


def begun(scheduler: Scheduler, asked: ChatRequest) -> Client:
    client = submit(scheduler, asked)
    step_until(scheduler, lambda: client.committed)
    return client


STREAMED = request(max_tokens=80, speculation=SpeculationSettings(method="draft", depth=3))


@pytest.mark.full
@pytest.mark.usefixtures("disk_without_waiting")
def test_an_answer_streams_while_a_draft_model_is_loaded(
    scheduler: Scheduler, tiny_draft: Path, expected: Expected
) -> None:
    client = begun(scheduler, STREAMED)
    ended = ask_for_draft(scheduler, tiny_draft)
    steps = 0
    before = len(client.committed)
    while not ended:
        committed = len(client.committed)
        scheduler.step()
        steps += len(client.committed) == committed
    reported = len(client.committed) - before
    assert steps > 20
    # A token follows every step.
    assert reported >= steps - 2
    assert isinstance(ended[0], LoadedPair)
    assert ended[0].draft is not None
    finish(scheduler)
    assert [client.finished.ids] == expected.ids(STREAMED)
    assert client.finished.stats.drafted > 0


@pytest.mark.parametrize("instead", ["none", pytest.param("another", marks=pytest.mark.full)])
def test_a_draft_model_dropped_during_its_prefill_does_not_end_the_answer(tmp_path: Path, instead: str) -> None:
    main = write_model(tmp_path / "main", config={**QWEN3, "max_position_embeddings": 4096})
    draft = write_disturbed_copy(main, tmp_path / "draft", amount=0.01)
    scheduler = Scheduler()
    load_models(scheduler, main, draft)
    asked = request("the quick brown fox " * 200, max_tokens=12)
    expected = alone(scheduler, replace(asked, speculation=PLAIN)).ids
    client = begun(scheduler, asked)
    # The draft model has read one of several pieces.
    scheduler.step()
    set_draft(scheduler, draft if instead == "another" else None)
    finish(scheduler)
    assert client.finished.ids == expected
    assert ("no-draft" in client.reasons) == (instead == "none")
    assert (client.finished.stats.drafted > 0) == (instead == "another")
    scheduler.close()


@pytest.mark.usefixtures("disk_without_waiting")
def test_an_answer_begins_plain_and_speculates_once_the_draft_model_is_loaded(
    scheduler: Scheduler, tiny_main: Path, tiny_draft: Path, expected: Expected
) -> None:
    there: list[LoadedPair] = []
    ended: list[Outcome] = []
    change = scheduler.changes.load(tiny_main, tiny_draft, main_ready=there.append)
    scheduler.changes.enqueue(change, ended.append)
    client = submit(scheduler, STREAMED)
    while not there:
        assert not client.committed
        scheduler.step()
    assert there[0].draft is None
    assert not ended
    finish(scheduler)
    assert [client.finished.ids] == expected.ids(STREAMED)
    assert client.reasons[:2] == ["first-token", "draft-loading"]
    assert client.finished.stats.drafted > 0


def test_the_main_model_is_reported_before_its_draft_model(tiny_main: Path, tiny_draft: Path) -> None:
    with Engine() as engine:
        loading = engine.load(tiny_main, tiny_draft)
        assert loading.main.result(timeout=PATIENCE_S).draft is None
        assert loading.result(timeout=PATIENCE_S).draft is not None


def test_a_main_model_that_cannot_be_used_fails_both_futures(broken: Path, tiny_draft: Path) -> None:
    with Engine() as engine:
        loading = engine.load(broken, tiny_draft)
        assert isinstance(loading.main.exception(timeout=PATIENCE_S), ModelNotUsable)
        assert isinstance(loading.exception(timeout=PATIENCE_S), ModelNotUsable)
    assert isinstance(engine.load(broken).main.exception(timeout=PATIENCE_S), EngineClosed)


@pytest.mark.usefixtures("disk_without_waiting")
def test_requests_submitted_while_a_main_model_is_loaded_are_answered_by_it(
    scheduler: Scheduler, other_main: Path, tiny_main: Path, expected: Expected
) -> None:
    asked = request(max_tokens=12, speculation=PLAIN)
    [olds] = expected.ids(asked)
    running = begun(scheduler, request(max_tokens=400, speculation=PLAIN))
    ended = ask_for_main(scheduler, other_main)
    waiting = submit(scheduler, asked)
    before = len(running.committed)
    step_until(scheduler, lambda: ended)
    assert running.finished.reason == "cancelled"
    assert len(running.committed) > before + 10
    finish(scheduler)
    assert waiting.finished.ids != olds
    assert waiting.finished.ids == alone(scheduler, asked).ids
    load_models(scheduler, tiny_main, None)
    assert alone(scheduler, asked).ids == olds


def test_a_main_model_that_cannot_be_used_interrupts_no_answer(
    scheduler: Scheduler, broken: Path, expected: Expected
) -> None:
    asked = request(max_tokens=40, speculation=PLAIN)
    running = begun(scheduler, asked)
    ended = ask_for_main(scheduler, broken)
    waiting = submit(scheduler, asked)
    finish(scheduler)
    assert isinstance(ended[0], ModelNotUsable)
    assert [running.finished.ids, waiting.finished.ids] == expected.ids(asked, asked)


@pytest.mark.usefixtures("disk_without_waiting")
def test_the_old_model_is_unloaded_first_where_both_do_not_fit(
    scheduler: Scheduler, other_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler.models.memory, "crowds", lambda _: True)
    running = begun(scheduler, request(max_tokens=400))
    ended = ask_for_main(scheduler, other_main)
    scheduler.step()
    scheduler.step()
    assert running.finished.reason == "cancelled"
    assert not ended
    assert not scheduler.models.loaded
    finish(scheduler)
    assert scheduler.models.main.info.path == other_main


def test_an_unloaded_model_is_loaded_again_when_the_new_one_cannot_be_used(
    scheduler: Scheduler, broken: Path, tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_draft(scheduler, tiny_draft)
    monkeypatch.setattr(scheduler.models.memory, "crowds", lambda _: True)
    with pytest.raises(ModelNotUsable):
        load_models(scheduler, broken, None)
    assert scheduler.models.main.info.path == tiny_main
    assert scheduler.models.drafter is not None


def test_changes_run_one_after_the_other(scheduler: Scheduler, other_main: Path, tiny_draft: Path) -> None:
    outcomes = [
        ask_for_draft(scheduler, tiny_draft),
        ask_for_main(scheduler, other_main),
        ask_for_draft(scheduler, tiny_draft),
        ask_for_draft(scheduler, None),
    ]
    finish(scheduler)
    pairs = [outcome[0] for outcome in outcomes]
    assert all(isinstance(pair, LoadedPair) for pair in pairs)
    assert [pair.main.path == other_main for pair in pairs] == [False, True, True, True]  # type: ignore[union-attr]
    assert [pair.draft is not None for pair in pairs] == [True, False, True, False]  # type: ignore[union-attr]


@pytest.fixture
def reloadable(scheduler: Scheduler) -> Scheduler:
    scheduler.configure(EngineSettings(unload_after_s=1e-9))
    scheduler.upkeep.park()
    assert not scheduler.models.loaded
    return scheduler


def test_reloadable_models_are_loaded_with_a_new_draft_model_and_a_request_waits_for_both(
    reloadable: Scheduler, tiny_draft: Path
) -> None:
    ended = ask_for_draft(reloadable, tiny_draft)
    client = submit(reloadable, request(max_tokens=4))
    finish(reloadable)
    assert len(client.finished.ids) == 4
    assert ended[0].draft is not None  # type: ignore[union-attr]


@pytest.fixture
def away(tmp_path: Path, tiny_main: Path) -> Iterator[tuple[Scheduler, Path, Path]]:
    """A scheduler whose reloadable main model was moved, as if its disk were not plugged in."""
    folder, elsewhere = tmp_path / "gone", tmp_path / "elsewhere"
    shutil.copytree(tiny_main, folder)
    scheduler = Scheduler(EngineSettings(unload_after_s=1e-9))
    load_models(scheduler, folder, None)
    scheduler.upkeep.park()
    folder.rename(elsewhere)
    yield scheduler, folder, elsewhere
    scheduler.close()


def test_requests_for_reloadable_models_that_are_gone_fail_with_the_reason_and_the_next_tries_again(
    away: tuple[Scheduler, Path, Path], tiny_draft: Path
) -> None:
    scheduler, folder, elsewhere = away
    clients = run(scheduler, request(max_tokens=4), request(max_tokens=6))
    assert all(isinstance(client.last, Failed) for client in clients)
    assert all(isinstance(client.last.error, ModelNotUsable) for client in clients)  # type: ignore[union-attr]
    ended = ask_for_draft(scheduler, tiny_draft)
    finish(scheduler)
    assert isinstance(ended[0], ModelNotUsable)
    elsewhere.rename(folder)
    [client] = run(scheduler, request(max_tokens=4))
    assert len(client.finished.ids) == 4


def test_an_error_keeps_no_frames_and_so_no_model(scheduler: Scheduler, tiny_main: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_main, tmp_path / "damaged"))
    (folder / "model.safetensors").write_bytes(b"no weights")
    ended = ask_for_main(scheduler, folder)
    finish(scheduler)
    assert isinstance(ended[0], ModelNotUsable)
    known: BaseException | None = ended[0]
    while known is not None:
        assert known.__traceback__ is None
        known = known.__cause__ or known.__context__


def test_no_step_waits_for_the_disk_while_an_answer_streams(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, read = threading.Event(), threading.Event(), os.preadv

    def slow(*given: Any) -> int:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return read(*given)

    monkeypatch.setattr(os, "preadv", slow)
    steps = load_in_steps(tiny_main, streaming=lambda: True)
    while not begun.is_set():
        if (pending := next(steps)) is not None:
            wait([pending], timeout=0.01)
    for _ in range(3):
        pending = next(steps)
        assert pending is not None
        assert not pending.done()
    go_on.set()
    assert isinstance(run_to_completion(steps), LoadedModel)


def test_closing_abandons_a_load_in_the_middle(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set(threading.enumerate())
    reached, go_on = threading.Event(), threading.Event()
    check = loading.check_folder

    def slow(path: Path, may_lack: Set[str]) -> None:
        check(path, may_lack)
        reached.set()
        go_on.wait(PATIENCE_S)

    monkeypatch.setattr(loading, "check_folder", slow)
    engine = Engine()
    first, second = engine.load(tiny_main), engine.load(tiny_main)
    stream = engine.submit(request())
    assert reached.wait(PATIENCE_S)
    # The status is reported in the meantime.
    assert engine.status().result(timeout=PATIENCE_S).waiting == 1
    closing = threading.Thread(target=engine.close)
    closing.start()
    go_on.set()
    closing.join(PATIENCE_S)
    for future in (first, second):
        with pytest.raises(EngineClosed):
            future.result(timeout=PATIENCE_S)
    *_, last = stream
    assert isinstance(last, Failed)
    assert isinstance(last.error, EngineClosed)
    assert set(threading.enumerate()) == threads


@pytest.mark.usefixtures("disk_without_waiting")
@pytest.mark.parametrize("crowded", by_tier([False, True], [True]))
def test_a_load_that_is_given_up_at_any_step_leaves_the_models_from_before(
    scheduler: Scheduler, other_main: Path, tiny_main: Path, tiny_draft: Path, expected: Expected,
    monkeypatch: pytest.MonkeyPatch, crowded: bool,
) -> None:  # fmt: skip
    """Of those that were unloaded for want of memory, too."""
    # Each step is tried, so that there should be few of each kind.
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 2**15)
    set_draft(scheduler, tiny_draft)
    monkeypatch.setattr(scheduler.models.memory, "crowds", lambda _: crowded)
    asked = request(max_tokens=8, speculation=PLAIN)
    [olds] = expected.ids(asked)
    assert not scheduler.changes.cancel_loads()
    steps, is_over = 0, False
    while not is_over:
        ended = ask_for_main(scheduler, other_main)
        for _ in range(steps):
            scheduler.step()
        is_over = bool(ended)
        if not is_over:
            assert scheduler.changes.cancel_loads()
            finish(scheduler)
            assert isinstance(ended[0], LoadCancelled)
            assert ended[0].__traceback__ is None
            assert scheduler.models.main.info.path == tiny_main
            assert scheduler.models.drafter is not None
            assert [model.path for model in scheduler.models.resident] == [tiny_main]
        steps += 1
    assert steps > 5
    finish(scheduler)
    assert scheduler.models.main.info.path == other_main
    load_models(scheduler, tiny_main, tiny_draft)
    assert alone(scheduler, asked).ids == olds


@pytest.mark.usefixtures("disk_without_waiting")
def test_a_draft_that_is_given_up_leaves_the_one_from_before_and_a_loaded_main_model(
    scheduler: Scheduler, other_main: Path, tiny_draft: Path
) -> None:
    set_draft(scheduler, tiny_draft)
    before = scheduler.models.drafter
    ended = ask_for_draft(scheduler, tiny_draft)
    for _ in range(3):
        scheduler.step()
    assert scheduler.changes.cancel_loads()
    finish(scheduler)
    assert isinstance(ended[0], LoadCancelled)
    assert scheduler.models.drafter is before is not None
    # The main model of a pair has been loaded by then, and stays.
    ended = ask_for_main(scheduler, other_main, tiny_draft)
    step_until(scheduler, lambda: scheduler.models.main.info.path == other_main)
    assert scheduler.changes.cancel_loads()
    finish(scheduler)
    pair = ended[0]
    assert isinstance(pair, LoadedPair)
    assert pair.main is not None
    assert pair.main.path == other_main
    assert pair.draft is None
    assert isinstance(pair.draft_problem, LoadCancelled)


def test_a_conversion_that_is_given_up_ends_before_the_next_load_begins(
    tiny_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine goes on: the next load begins at once."""
    reached, left = threading.Event(), threading.Event()

    def convert(_source: Path, _folder: Path, _on_progress: object, cancelled: threading.Event) -> None:
        reached.set()
        assert cancelled.wait(PATIENCE_S)
        left.set()
        raise EngineClosed

    monkeypatch.setattr(models, "convert", convert)
    monkeypatch.setattr(models, "is_gguf", lambda _: True)
    file = tiny_main / "model.safetensors"
    monkeypatch.setattr(models, "resolve_model", lambda name: file if name == "file" else Path(name))
    with Engine() as engine:
        loading = engine.load("file")
        assert reached.wait(PATIENCE_S)
        assert engine.cancel_load().result(PATIENCE_S)
        assert isinstance(loading.exception(PATIENCE_S), LoadCancelled)
        assert isinstance(loading.main.exception(PATIENCE_S), LoadCancelled)
        assert left.is_set()
        assert not engine.cancel_load().result(PATIENCE_S)
        assert engine.load(tiny_main).result(PATIENCE_S).main is not None


def test_a_model_that_several_machines_load_is_not_given_up(
    scheduler: Scheduler, other_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler.models._main_loader, "one_at_a_time", True)
    ended = ask_for_main(scheduler, other_main)
    assert not scheduler.changes.cancel_loads()
    finish(scheduler)
    assert isinstance(ended[0], LoadedPair)
