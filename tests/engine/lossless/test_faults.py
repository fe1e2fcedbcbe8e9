"""Losslessness when a pass or a proposer fails: the answer is the same or an error, and the caches are sound."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, product
from typing import Any

import pytest

from engine.errors import InternalFailure, ModelNotUsable
from engine.events import Failed, Finished
from engine.main_model.loaded_model import LoadedModel
from engine.serving.scheduler import Scheduler
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.proposers.ngram import NgramProposer
from tests.engine.lossless.faulty_model import FaultyModel
from tests.engine.serving_requests import ask, ids
from tests.engine.tiers import by_tier


def out_of_memory(*_: object, **__: object) -> Any:
    raise RuntimeError("out of memory")


@pytest.mark.expects_log
@pytest.mark.parametrize("fail_at", by_tier(range(1, 9), (1, 4)))
def test_a_fault_in_any_pass_fails_the_request_and_leaves_sound_caches(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], fail_at: int
) -> None:
    main, draft = pair
    faulty = FaultyModel(main.model)
    scheduler.changes.install(replace(main, model=faulty), draft)
    expected = ids(ask(scheduler, max_tokens=24, method="off"))
    faulty.fail_at = faulty.calls + fail_at
    events = ask(scheduler, max_tokens=24, method="draft", depth=3)
    assert isinstance(events[-1], Failed)
    assert isinstance(events[-1].error, InternalFailure)
    assert ids(ask(scheduler, max_tokens=24, method="draft", depth=3)) == expected
    assert ids(ask(scheduler, max_tokens=24, method="off")) == expected


@pytest.mark.expects_log
@pytest.mark.parametrize("fail_at", by_tier(range(1, 7), (2,)))
def test_a_draft_that_fails_does_not_take_the_answer_with_it(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], fail_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A replayed pass would not call the faulty model, so nothing is compiled.
    monkeypatch.setattr("engine.speculation.drafters.sources.compiled_steps", lambda _: iter(()))
    main, draft = pair
    scheduler.changes.install(main, None)
    expected = ids(ask(scheduler, max_tokens=24, method="off"))
    faulty = FaultyModel(draft.model)
    faulty.fail_at = fail_at
    scheduler.changes.install(main, replace(draft, model=faulty))
    events = ask(scheduler, max_tokens=24, method="draft", depth=3)
    assert ids(events) == expected
    assert isinstance(events[-1], Finished)
    assert events[-1].stats.plain_spans[-1].reason == "draft-failed"
    assert ids(ask(scheduler, max_tokens=24, method="draft", depth=3)) == expected


@pytest.mark.expects_log
def test_a_draft_that_fails_while_it_gets_ready_does_not_take_the_answer_with_it(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler.changes.install(*pair)
    expected = ids(ask(scheduler, max_tokens=24, method="off"))
    monkeypatch.setattr(DraftModelProposer, "prepare", out_of_memory)
    events = ask(scheduler, max_tokens=24, method="draft", depth=3)
    assert ids(events) == expected
    assert isinstance(events[-1], Finished)
    assert any(span.reason == "draft-failed" for span in events[-1].stats.plain_spans)


def by_step(*steps: str) -> list[Any]:
    """Return (step, method) parameters; in the default tier each step fails with one method."""
    methods = ("auto", "draft", "ngram")
    return by_tier(product(steps, methods), [*zip(steps, cycle(methods), strict=False)])


@pytest.mark.expects_log
@pytest.mark.parametrize(("step", "method"), by_step("reset", "committed", "rewind"))
def test_a_proposer_that_cannot_follow_does_not_take_the_answer_with_it(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], method: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler.changes.install(*pair)
    expected = ids(ask(scheduler, max_tokens=24, method=method))
    assert ids(ask(scheduler, max_tokens=24, method="off")) == expected
    with monkeypatch.context() as failing:
        if step == "rewind":
            failing.setattr("engine.speculation.proposers.draft.continue_on", out_of_memory)
            failing.setattr("engine.speculation.proposers.ngram.NgramProposer", out_of_memory)
        else:
            failing.setattr(DraftModelProposer, step, out_of_memory)
            failing.setattr(NgramProposer, step, out_of_memory)
        events = ask(scheduler, max_tokens=24, method=method)
        assert ids(events) == expected
        assert isinstance(events[-1], Finished)
        assert events[-1].stats.plain_spans[-1].reason == "draft-failed"
    assert ids(ask(scheduler, max_tokens=24, method=method)) == expected


@pytest.mark.expects_log
@pytest.mark.parametrize(("step", "method"), by_step("max_proposals", "observations", "abandon", "backlog", "reason"))
def test_a_proposer_that_cannot_be_asked_does_not_take_the_answer_with_it(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], method: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler.changes.install(*pair)
    expected = ids(ask(scheduler, max_tokens=24, method="off"))
    failure = property(out_of_memory) if step in ("backlog", "reason") else out_of_memory
    with monkeypatch.context() as failing:
        for kind in (DraftModelProposer, NgramProposer):
            failing.setattr(kind, step, failure, raising=False)
            if step != "max_proposals":
                failing.setattr(kind, "max_proposals", lambda _: 0 if step == "reason" else 4)
        events = ask(scheduler, max_tokens=24, method=method)
    assert ids(events) == expected
    assert isinstance(events[-1], Finished)
    if step != "abandon":
        assert any(span.reason == "draft-failed" for span in events[-1].stats.plain_spans)
    assert ids(ask(scheduler, max_tokens=24, method=method)) == expected


@pytest.mark.expects_log
@pytest.mark.parametrize("step", ["max_proposals", "prepare", "abandon"])
def test_a_draft_that_fails_while_it_is_calibrated_is_left_out(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler.changes.install(*pair)
    monkeypatch.setattr("engine.upkeep.calibration.DEPTHS", (2,))
    monkeypatch.setattr(DraftModelProposer, step, out_of_memory)
    assert not scheduler.upkeep.calibrate()
    assert isinstance(ask(scheduler, max_tokens=24, method="off")[-1], Finished)


@pytest.mark.expects_log
def test_a_draft_whose_tokenizer_cannot_be_compared_is_not_usable_and_the_main_model_answers_alone(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.speculation.drafters.sources.vocabulary_of", out_of_memory)
    installed = scheduler.changes.install(*pair)
    assert isinstance(installed.draft_problem, ModelNotUsable)
    last = ask(scheduler, max_tokens=24, method="draft")[-1]
    assert isinstance(last, Finished)
    span = last.stats.plain_spans[-1]
    assert (span.reason, dict(span.arguments)) == ("draft-not-usable", {"reason": "no-tokenizer"})
