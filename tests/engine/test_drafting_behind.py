"""Drafting behind a verify pass changes no round: only when the draft tokens are there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.loading import load
from engine.requests import SpeculationSettings
from engine.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.proposers.draft_model import DraftModelProposer
from tests.engine.serving import PLAIN, Client, request, run, set_draft, submit

pytestmark = pytest.mark.usefixtures("without_compilation")

FIXED = SpeculationSettings(method="draft", depth=1, sample_share=0.0)
TEXTS = ("the quick brown fox", "안녕하세요 세계")


@pytest.fixture
def scheduler(tiny_main: Path, tiny_draft: Path) -> Iterator[Scheduler]:
    scheduler = Scheduler(EngineSettings(draft_behind="on"))
    scheduler.install(load(tiny_main), load(tiny_draft))
    yield scheduler
    scheduler.close()


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The depth of each proposal that was ready."""
    found: list[int] = []
    propose = DraftModelProposer._propose_ready

    def counting(self: DraftModelProposer, draft: Any, depth: int) -> Any:
        found.append(depth)
        return propose(self, draft, depth)

    monkeypatch.setattr(DraftModelProposer, "_propose_ready", counting)
    return found


def rounds_of(scheduler: Scheduler, **asked: Any) -> tuple[list[int], list[tuple[int, int, int]]]:
    """The ids of an answer, and what its rounds drafted, accepted and committed."""
    scheduler.clear_prefix_cache()
    [client] = run(scheduler, request(**asked))
    rounds = [(event.round.drafted, event.round.accepted, event.round.committed) for event in client.committed]
    return list(client.finished.ids), rounds


@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("rule", ["match", "rejection"])
@pytest.mark.parametrize(("right", "depth"), [(False, 1), (True, 4)])
def test_every_round_is_as_without_it(
    scheduler: Scheduler, tiny_main: Path, used: list[int], right: bool, depth: int, temperature: float, rule: str
) -> None:
    """With a draft model that is sometimes right, and one that always is."""
    if right:
        scheduler.install(load(tiny_main), load(tiny_main))
    speculation = SpeculationSettings(method="draft", depth=depth, acceptance=rule, sample_share=0.0)
    found = []
    for behind in ("on", "off"):
        scheduler.configure(EngineSettings(draft_behind=behind))
        asked = {"temperature": temperature, "speculation": speculation, "max_tokens": 37}
        found.append([rounds_of(scheduler, text=text, **asked) for text in TEXTS])
        assert bool(used) == (behind == "on")
        used.clear()
    assert found[0] == found[1]


def test_the_text_is_plain_decodings_with_the_controllers_depths(scheduler: Scheduler) -> None:
    scheduler.configure(EngineSettings(draft_behind="auto"))
    for number, text in enumerate(TEXTS):
        asked = {"text": text, "temperature": 0.8 * (number % 2), "max_tokens": 60}
        plain, _ = rounds_of(scheduler, speculation=PLAIN, **asked)
        for method in ("auto", "draft"):
            assert rounds_of(scheduler, speculation=SpeculationSettings(method=method), **asked)[0] == plain


def test_a_penalty_is_followed_without_it(scheduler: Scheduler, used: list[int]) -> None:
    asked = {"repetition_penalty": 1.3, "temperature": 0.8}
    assert rounds_of(scheduler, speculation=FIXED, **asked)[0] == rounds_of(scheduler, speculation=PLAIN, **asked)[0]
    assert not used


def until_ready(scheduler: Scheduler, client: Client) -> None:
    """Step until a draft is ready that the next round would use."""
    while scheduler.busy:
        scheduler.step()
        drafting = scheduler.models.drafting
        proposer = None if drafting is None else drafting.proposers.get("draft")
        if isinstance(proposer, DraftModelProposer) and proposer.drafts_aside:
            return
    raise AssertionError(client.finished)


def test_what_is_ready_is_dropped_with_its_draft_model(scheduler: Scheduler, tiny_draft: Path, tiny_main: Path) -> None:
    plain, _ = rounds_of(scheduler, speculation=PLAIN)
    for path in (None, tiny_main, tiny_draft):
        scheduler.clear_prefix_cache()
        client = submit(scheduler, request(speculation=FIXED))
        until_ready(scheduler, client)
        set_draft(scheduler, path)
        while scheduler.busy:
            scheduler.step()
        assert list(client.finished.ids) == plain
        set_draft(scheduler, tiny_draft)


def test_what_is_ready_is_dropped_with_the_method(scheduler: Scheduler) -> None:
    plain, _ = rounds_of(scheduler, speculation=PLAIN)
    scheduler.clear_prefix_cache()
    client = submit(scheduler, request(speculation=FIXED))
    for method in ("ngram", "auto", "off"):
        until_ready(scheduler, client)
        client.stream.speculation = SpeculationSettings(method=method)
        scheduler.step()
        client.stream.speculation = FIXED
    while scheduler.busy:
        scheduler.step()
    assert list(client.finished.ids) == plain


def test_an_answer_that_is_cancelled_or_joined_leaves_the_next_one_whole(scheduler: Scheduler) -> None:
    plain, _ = rounds_of(scheduler, speculation=PLAIN)
    for end in ("cancel", "join"):
        client = submit(scheduler, request(speculation=FIXED))
        until_ready(scheduler, client)
        if end == "cancel":
            client.stream.cancel()
        other = submit(scheduler, request(text=TEXTS[1], speculation=FIXED))
        while scheduler.busy:
            scheduler.step()
        assert len(other.finished.ids) > 0
        if end == "join":
            assert list(client.finished.ids) == plain
        # Without clearing the prefix cache, which has the draft's caches too.
        [again] = run(scheduler, request(speculation=FIXED))
        assert list(again.finished.ids) == plain


@pytest.mark.expects_log
def test_a_draft_model_that_fails_behind_a_round_costs_no_token(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, _ = rounds_of(scheduler, speculation=PLAIN)

    def fail(*_: object) -> mx.array:
        raise RuntimeError("out of memory, says the test")

    monkeypatch.setattr("engine.speculation.sequence.Sequence.draft_behind", fail)
    assert rounds_of(scheduler, speculation=FIXED)[0] == plain
