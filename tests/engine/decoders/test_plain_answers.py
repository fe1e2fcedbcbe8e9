"""Runs of plain rounds begin and end anywhere in an answer, and no text or cache shows where."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from engine.events import Failed
from engine.main_model.loading import load
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.rounds.sequence import Sequence
from tests.engine.serving_requests import PLAIN, alone, request, run, serve_and_act, submit
from tests.engine.speculation.families import change_kinds

pytestmark = pytest.mark.usefixtures("without_compilation")

DRAFT = SpeculationSettings(method="draft", depth=2, sample_share=0.0)
PART = 9


@pytest.fixture
def pair(scheduler: Scheduler, tiny_main: Path, tiny_draft: Path) -> Scheduler:
    scheduler.install(load(tiny_main), load(tiny_draft))
    return scheduler


@pytest.mark.parametrize("temperature", [0.0, 0.9])
@pytest.mark.parametrize(("before", "behind"), [(PLAIN, DRAFT), (DRAFT, PLAIN)])
def test_speculation_is_switched_in_the_middle_of_an_answer(
    pair: Scheduler, before: SpeculationSettings, behind: SpeculationSettings, temperature: float
) -> None:
    expected = alone(pair, request(temperature=temperature, speculation=PLAIN))
    client = submit(pair, request(temperature=temperature, speculation=before))
    serve_and_act(pair, client, PART, lambda: client.stream.speculate(behind))
    assert client.finished.ids == expected.ids
    drafted = [event.round.drafted > 0 for event in client.committed]
    assert any(drafted[1:PART]) is (before is DRAFT)
    assert any(drafted[PART + 2 :]) is (behind is DRAFT)


@pytest.mark.parametrize("temperature", [0.0, 0.9])
@pytest.mark.parametrize(("before", "behind"), [(PLAIN, DRAFT), (DRAFT, PLAIN)])
def test_speculation_is_switched_for_one_of_two_answers(
    pair: Scheduler, before: SpeculationSettings, behind: SpeculationSettings, temperature: float
) -> None:
    other = request("jumps over the lazy dog", temperature=temperature, speculation=PLAIN)
    expected = [alone(pair, one).ids for one in (request(temperature=temperature, speculation=PLAIN), other)]
    switching, beside = submit(pair, request(temperature=temperature, speculation=before)), submit(pair, other)
    serve_and_act(pair, switching, PART, lambda: switching.stream.speculate(behind))
    assert [switching.finished.ids, beside.finished.ids] == expected
    drafted = [event.round.drafted > 0 for event in switching.committed]
    assert any(drafted[:PART]) is (before is DRAFT)
    assert any(drafted[PART + 2 :]) is (behind is DRAFT)


@pytest.mark.parametrize("reversible", [True, False])
def test_an_answer_that_is_cancelled_keeps_the_caches_of_all_that_was_reported(
    pair: Scheduler, reversible: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not reversible:
        change_kinds(monkeypatch, width_dependent=frozenset({"qwen3"}))
    client = submit(pair, request(speculation=PLAIN))
    serve_and_act(pair, client, PART, client.stream.cancel)
    assert client.finished.reason == "cancelled"
    kept = pair.prefix_cache.latest.main
    assert (kept.plain_only is None) is reversible
    assert kept.tokens[-len(client.finished.ids) :] == list(client.finished.ids)
    assert len(kept.tokens) - kept.position <= 1


@pytest.mark.expects_log
def test_a_pass_that_fails_ends_the_answer_and_nothing_else(pair: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = alone(pair, request(speculation=PLAIN))
    client = submit(pair, request(speculation=PLAIN))

    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patched:
        serve_and_act(pair, client, PART, lambda: patched.setattr(Sequence, "verify", fail))
    assert isinstance(client.last, Failed)
    assert expected.text.startswith(client.last.text)
    assert alone(pair, request(speculation=PLAIN)).ids == expected.ids


def test_every_round_is_reported_with_figures_of_its_own(pair: Scheduler) -> None:
    client = submit(pair, request(speculation=PLAIN, alternatives=2))
    serve_and_act(pair, client, 0, lambda: None)
    assert [event.round.number for event in client.committed] == list(range(len(client.committed)))
    assert [event.stats.generated_tokens for event in client.committed] == list(range(1, len(client.committed) + 1))
    assert all(len(token.alternatives) == 2 for event in client.committed for token in event.tokens)
    at = [event.round.at_s for event in client.committed]
    assert at == sorted(at)
    durations = [event.round.verify_s for event in client.committed[3:]]
    assert durations == pytest.approx([later - earlier for earlier, later in pairwise(at[2:])])
    spans = client.finished.stats.plain_spans
    assert [(span.reason, span.tokens) for span in spans] == [("first-token", 1), ("off", len(at) - 1)]


def test_an_answer_that_its_first_token_ends_leaves_caches_for_the_next_turn(pair: Scheduler) -> None:
    expected = alone(pair, request(speculation=PLAIN))
    ended, again = request(speculation=PLAIN, stop=(expected.text[:1],)), request(speculation=PLAIN)
    [client] = run(pair, ended)
    assert (client.finished.reason, len(client.finished.ids)) == ("stop", 1)
    [client] = run(pair, again)
    assert client.finished.ids == expected.ids
    assert client.finished.stats.cached_tokens > 0
