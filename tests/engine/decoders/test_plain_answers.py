"""Plain answers: how they end, their figures, and the caches that they leave."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from engine.main_model.loaded_model import LoadedModel
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.serving_requests import PLAIN, alone, request, run, serve_and_act, submit
from tests.engine.speculation.families import change_kinds

PART = 9


@pytest.fixture
def serving(scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel]) -> Scheduler:
    scheduler.changes.install(*pair)
    return scheduler


def test_a_model_without_a_rule_answers_plainly_and_says_why(
    serving: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No rollback rule serves the caches of this model; the next turn reuses them nevertheless."""
    asked = request(max_tokens=24, speculation=SpeculationSettings())
    expected = alone(serving, asked)
    turns = [*asked.messages, {"role": "assistant", "content": expected.text}, *asked.messages]
    longer = replace(asked, messages=turns, speculation=SpeculationSettings(method="draft"))
    expected_next = alone(serving, longer)
    change_kinds(monkeypatch, width_dependent=frozenset({"qwen3"}))
    [plain], [plain_next] = run(serving, asked), run(serving, longer)
    assert (plain.finished.ids, plain_next.finished.ids) == (expected.ids, expected_next.ids)
    assert plain.finished.stats.drafted == plain_next.finished.stats.drafted == 0
    reasons = {(span.reason, span.arguments) for span in plain.finished.stats.plain_spans}
    assert ("cache-kind", (("kind", "KVCache of qwen3"),)) in reasons


@pytest.mark.parametrize("reversible", [True, False])
def test_an_answer_that_is_cancelled_keeps_the_caches_of_all_that_was_reported(
    serving: Scheduler, reversible: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not reversible:
        change_kinds(monkeypatch, width_dependent=frozenset({"qwen3"}))
    client = submit(serving, request(speculation=PLAIN))
    serve_and_act(serving, client, PART, client.stream.cancel)
    assert client.finished.reason == "cancelled"
    kept = serving.prefix_cache.latest.main
    assert (kept.plain_only is None) is reversible
    assert kept.tokens[-len(client.finished.ids) :] == list(client.finished.ids)
    assert len(kept.tokens) - kept.position <= 1


def test_every_round_is_reported_with_what_it_did_and_figures_that_are_hardly_older(serving: Scheduler) -> None:
    client = submit(serving, request(speculation=PLAIN, alternatives=2))
    serve_and_act(serving, client, 0, lambda: None)
    assert [event.round.number for event in client.committed] == list(range(len(client.committed)))
    counts = [event.stats.generated_tokens for event in client.committed]
    assert counts[0] == 1
    assert all(before <= count <= number for number, (before, count) in enumerate(pairwise(counts), 2))
    assert client.finished.stats.generated_tokens == len(counts)
    assert all(len(token.alternatives) == 2 for event in client.committed for token in event.tokens)
    at = [event.round.at_s for event in client.committed]
    assert at == sorted(at)
    durations = [event.round.verify_s for event in client.committed[3:]]
    assert durations == pytest.approx([later - earlier for earlier, later in pairwise(at[2:])])
    spans = client.finished.stats.plain_spans
    assert [(span.reason, span.tokens) for span in spans] == [("first-token", 1), ("off", len(at) - 1)]


@pytest.mark.full
@pytest.mark.parametrize("speculation", [PLAIN, SpeculationSettings(method="draft", depth=3)], ids=["plain", "draft"])
def test_only_a_request_that_asks_for_leads_has_one_for_each_token(
    serving: Scheduler, speculation: SpeculationSettings
) -> None:
    [without] = run(serving, request(speculation=speculation))
    [client] = run(serving, replace(request(speculation=speculation), top2_margins=True))
    assert [token.top2_margin for event in without.committed for token in event.tokens] == [None] * len(
        without.finished.ids
    )
    top2_margins = [token.top2_margin for event in client.committed for token in event.tokens]
    assert all(top2_margin is not None and top2_margin >= 0.0 for top2_margin in top2_margins)
    assert client.finished.ids == without.finished.ids


@pytest.mark.full
def test_an_answer_that_its_first_token_ends_leaves_caches_for_the_next_turn(serving: Scheduler) -> None:
    word = serving.models.main.token_of("Ġfox")
    asked = request(speculation=PLAIN, logit_bias={word: 60.0})
    expected = alone(serving, asked)
    ended, again = replace(asked, stop=("f",)), asked
    [client] = run(serving, ended)
    assert (client.finished.reason, len(client.finished.ids)) == ("stop", 1)
    [client] = run(serving, again)
    assert client.finished.ids == expected.ids
    assert client.finished.stats.cached_tokens > 0
