"""Launches, waits and memory of plain tokens, rounds and chunks of a prompt, beside mlx-lm's.

Counts are those of a long answer less those of a short one, so that starting cancels out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm import stream_generate

from engine import ChatRequest, SpeculationSettings
from engine.bench.arms import run_all, run_to_end
from engine.main_model.loaded_model import LoadedModel
from engine.serving.scheduler import Scheduler
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.taps import layers_of
from engine.stats import RequestStats
from tests.engine.endurance.counting import Counts, counting, each_token, most_bytes
from tests.engine.passed_on import PassedOn
from tests.engine.serving_requests import DRAFT, submit
from tests.engine.tiers import by_tier

QUESTION = [{"role": "user", "content": "Tell me about the moon."}]
SHORT, LONG = 4, 12
# The starter pair has seven and four layers.
NODES_OF_A_PASS, NODES_OF_A_DRAFT_PASS = 1300, 200
# At the peak, beyond the caches.
BYTES_OF_A_PASS, BYTES_OF_A_DRAFT_TOKEN = 250_000, 100_000


# The first use of a kernel would count its trace.
@pytest.fixture
def main(starter: tuple[LoadedModel, LoadedModel]) -> LoadedModel:
    return starter[0]


@pytest.fixture
def serving(scheduler: Scheduler, starter: tuple[LoadedModel, LoadedModel]) -> Scheduler:
    scheduler.changes.install(*starter)
    return scheduler


def counted(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> Counts:
    with counting(monkeypatch) as counts:
        work()
    return counts


def ours(scheduler: Scheduler, speculation: SpeculationSettings, tokens: int) -> RequestStats:
    scheduler.clear_prefix_cache()
    return run_to_end(scheduler, ChatRequest(QUESTION, speculation=speculation, max_tokens=tokens)).stats


@pytest.mark.full
def test_a_plain_token_costs_the_device_what_it_costs_in_mlx_lm(
    monkeypatch: pytest.MonkeyPatch, serving: Scheduler, main: LoadedModel
) -> None:
    plain = SpeculationSettings(method="off")
    prompt = main.prompt_ids(QUESTION)

    def theirs(tokens: int) -> None:
        assert sum(1 for _ in stream_generate(main.model, main.tokenizer, prompt, max_tokens=tokens)) == tokens

    nodes, evaluations, waits = each_token(monkeypatch, lambda n: ours(serving, plain, n), SHORT, LONG)
    their_nodes, _, their_waits = each_token(monkeypatch, theirs, SHORT, LONG)
    assert nodes <= 1.03 * their_nodes
    assert waits <= their_waits == 1
    # A pass is sent in parts, which the device begins while the rest is built.
    assert evaluations <= 4


@pytest.mark.full
@pytest.mark.parametrize("depth", by_tier([2, 8], [2]))
def test_a_round_takes_no_more_memory_than_its_draft_tokens_need(serving: Scheduler, depth: int) -> None:
    fixed = SpeculationSettings(method="draft", depth=depth, sample_share=0.0)
    ours(serving, fixed, LONG)
    serving.clear_prefix_cache()

    def rounds_behind_the_first() -> None:
        client = submit(serving, ChatRequest(QUESTION, speculation=fixed, max_tokens=LONG))
        while len(client.committed) < 2:
            serving.step()
        # Exclude the peak of prefill.
        mx.reset_peak_memory()
        while serving.step():
            pass

    peak = most_bytes(rounds_behind_the_first)
    # A kept turn is cut to its length; while it is written, its buffers hold 256 tokens or more.
    buffers = serving.prefix_cache.latest.bytes * 256 / LONG
    assert peak <= buffers + BYTES_OF_A_PASS + depth * BYTES_OF_A_DRAFT_TOKEN


@pytest.mark.full
@pytest.mark.parametrize("depth", by_tier([2, 8], [8]))
def test_a_round_is_its_drafts_one_pass_and_one_wait(
    monkeypatch: pytest.MonkeyPatch, serving: Scheduler, depth: int
) -> None:
    fixed = SpeculationSettings(method="draft", depth=depth, sample_share=0.0)
    # So many rounds more than the short answer that one which is timed does not double their waits.
    longer = SHORT + 5 * (depth + 1)
    ours(serving, fixed, longer)
    passes = {"main": 0, "draft": 0}

    def count(name: str) -> None:
        run = getattr(CachedSequence, name)

        def counted_run(sequence: CachedSequence, *rest: object) -> object:
            passes["main" if sequence.model is serving.models.main.model else "draft"] += 1
            return run(sequence, *rest)

        monkeypatch.setattr(CachedSequence, name, counted_run)

    def measured(tokens: int) -> tuple[Counts, int]:
        with counting(monkeypatch) as counts:
            return counts, ours(serving, fixed, tokens).rounds

    for name in ("verify", "draft"):
        count(name)
    (long, rounds), drafted, verified = measured(longer), passes["draft"], passes["main"]
    # The first token's round drafts nothing, and the last one as much as fits.
    assert verified == rounds
    assert drafted <= depth * (rounds - 1)
    short, fewer = measured(SHORT)
    counts, rounds, drafted = long - short, rounds - fewer, 2 * drafted - passes["draft"]
    # Timing the drafting now and then costs one more wait.
    assert round(counts.waits / rounds) == 1
    # One for each draft token, for all of them, for the pass with its parts, and, in the first rounds, for timing.
    parts = (len(layers_of(serving.models.main.model)) - 1).bit_length()
    assert counts.evaluations <= drafted + (parts + 3) * rounds
    assert counts.nodes <= NODES_OF_A_PASS * rounds + NODES_OF_A_DRAFT_PASS * drafted


class Wide(PassedOn):
    """Has a megabyte of logits for each row that is computed."""

    def __call__(self, tokens: mx.array, cache: Any) -> mx.array:
        return mx.pad(super().__call__(tokens, cache), [(0, 0), (0, 0), (0, 2**18)])


@pytest.mark.full
@pytest.mark.parametrize("prompts", by_tier([1, 2], [2]))
def test_reading_prompts_computes_no_logits_but_those_of_their_last_rows(
    scheduler: Scheduler, starter: tuple[LoadedModel, LoadedModel], prompts: int
) -> None:
    main, draft = (replace(model, model=Wide(model.model)) for model in starter)
    scheduler.changes.install(main, draft)
    asked = ChatRequest(prompt=[7] * 200, speculation=DRAFT, max_tokens=4)
    assert most_bytes(lambda: run_all(scheduler, [asked] * prompts)) < 60e6
