"""When an engine starts and ends an asynchronous drafter, and the reason that an answer reports without one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.ahead import link as links
from engine.ahead.link import NoRunner, RunnerConnection
from engine.ahead.messages import Begin
from engine.ahead.tree_drafter import TreeDrafter
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.upkeep.memory import ModelMemory
from tests.engine.ahead.runners import FIXED, REACHED, on_a_thread, started, untouched
from tests.engine.serving_requests import PLAIN, alone, load_models, open_scheduler, request, run, set_draft, submit
from tests.engine.tiers import by_tier
from tests.patience import wait_until
from tests.tiny_eagle import write_eagle_head

AUTO = SpeculationSettings(method="draft")


@pytest.fixture(autouse=True)
def drafters(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """The folders of the drafters that run; all have ended with the scheduler."""
    running: list[Path] = []

    def connect(folder: Path) -> RunnerConnection:
        connection = on_a_thread(folder, untouched)
        running.append(folder)

        def end() -> None:
            connection.end()
            running.remove(folder)

        return RunnerConnection(connection.channel, end)

    monkeypatch.setattr(links, "in_a_process", connect)
    yield running
    assert not running


@pytest.mark.full
def test_another_draft_in_the_middle_of_an_answer_has_a_drafter_of_its_own(
    scheduler: Scheduler, drafters: list[Path], tiny_main: Path, tiny_draft: Path
) -> None:
    plain = alone(scheduler, request(speculation=PLAIN))
    assert started(scheduler).ahead == "ready"
    assert drafters == [tiny_draft]
    client = submit(scheduler, request(speculation=FIXED))
    for _ in range(8):
        scheduler.step()
    set_draft(scheduler, tiny_main)
    while scheduler.busy:
        scheduler.step()
    assert client.finished.ids == plain.ids
    started(scheduler)
    assert drafters == [tiny_main]
    set_draft(scheduler, None)
    [client] = run(scheduler, request(speculation=FIXED))
    assert (client.finished.ids, client.finished.stats.ahead) == (plain.ids, "")


def test_it_can_be_started_before_the_first_answer(
    scheduler: Scheduler, drafters: list[Path], tiny_draft: Path
) -> None:
    assert scheduler.models.start_drafting_ahead() == "starting"
    wait_until(lambda: scheduler.models.start_drafting_ahead() == "ready")
    assert drafters == [tiny_draft]
    assert alone(scheduler, request(speculation=FIXED, max_tokens=4)).stats.ahead == "ready"
    set_draft(scheduler, None)
    assert scheduler.models.start_drafting_ahead() == ""


def test_it_ends_with_the_models_and_when_it_is_switched_off(
    scheduler: Scheduler, drafters: list[Path], tiny_main: Path, tiny_draft: Path
) -> None:
    started(scheduler)
    scheduler.changes.unload()
    assert not drafters
    load_models(scheduler, tiny_main, tiny_draft)
    assert started(scheduler).ahead == "ready"
    assert drafters
    scheduler.configure(EngineSettings(draft_ahead="off"))
    assert not drafters
    assert alone(scheduler, request(speculation=FIXED, max_tokens=4)).stats.ahead == ""


@pytest.mark.full
@pytest.mark.parametrize("branches", by_tier([1, 2], [2]))
def test_the_drafter_is_asked_for_the_branches_of_the_settings_and_the_text_stays(
    tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch, branches: int
) -> None:
    asked: list[int] = []
    begin = TreeDrafter.begin

    def begun(drafter: TreeDrafter, message: Begin) -> None:
        asked.append(message.recovery_tokens)
        begin(drafter, message)

    monkeypatch.setattr(TreeDrafter, "begin", begun)
    with open_scheduler(tiny_main, tiny_draft, draft_ahead="here", draft_ahead_branches=branches) as scheduler:
        plain = alone(scheduler, request(speculation=PLAIN))
        started(scheduler)
        assert alone(scheduler, request(speculation=FIXED)).ids == plain.ids
        wait_until(lambda: bool(asked))
    assert set(asked) == {branches}


def test_other_branches_begin_with_another_drafter(scheduler: Scheduler, drafters: list[Path]) -> None:
    started(scheduler)
    scheduler.configure(EngineSettings(draft_ahead="here", draft_ahead_branches=1))
    assert not drafters
    assert started(scheduler).ahead == "ready"


def test_there_is_none_without_memory_for_another_copy(
    scheduler: Scheduler, drafters: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ModelMemory, "available", 1000)
    assert alone(scheduler, request(speculation=FIXED, max_tokens=8)).stats.ahead == "no-memory"
    assert not drafters


@pytest.mark.parametrize("reason", by_tier(["not-usable", "no-branches"], ["not-usable"]))
def test_a_draft_model_that_cannot_draft_is_not_started_with_each_answer(
    scheduler: Scheduler, tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    asked: list[Path] = []

    def refused(folder: Path) -> RunnerConnection:
        asked.append(folder)
        raise NoRunner(reason)

    monkeypatch.setattr(links, "in_a_process", refused)
    assert started(scheduler).ahead == reason
    alone(scheduler, request(speculation=FIXED, max_tokens=4))
    # As between two main models that are asked in turn.
    scheduler.models.switch(tiny_main)
    assert alone(scheduler, request(speculation=FIXED, max_tokens=4)).stats.ahead == reason
    assert asked == [tiny_draft]
    # Its files may have changed.
    set_draft(scheduler, tiny_draft)
    assert started(scheduler).ahead == reason
    assert asked == [tiny_draft] * 2


def test_several_answers_at_once_have_none_and_say_so(scheduler: Scheduler) -> None:
    started(scheduler)
    plain = [alone(scheduler, request(text, speculation=PLAIN)).ids for text in ("fox", "dog")]
    clients = run(scheduler, *(request(text, speculation=FIXED) for text in ("fox", "dog")))
    assert [client.finished.ids for client in clients] == plain
    assert "several" in {client.finished.stats.ahead for client in clients}
    assert alone(scheduler, request(speculation=FIXED)).stats.ahead in REACHED


def test_a_plain_answer_says_nothing_of_it(scheduler: Scheduler, drafters: list[Path]) -> None:
    assert alone(scheduler, request(speculation=PLAIN)).stats.ahead == ""
    assert not drafters


def test_a_head_drafts_in_one_pass_and_has_none(tiny_main: Path, tmp_path: Path, drafters: list[Path]) -> None:
    head = write_eagle_head(tmp_path / "head", tiny_main)
    with open_scheduler(tiny_main, head, draft_ahead="here") as scheduler:
        assert alone(scheduler, request(speculation=FIXED)).stats.ahead == "head"
    assert not drafters
