"""Prompts that wait at the same time are read together, and every answer is what it is alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import InternalFailure
from engine.events import Failed, PrefillProgress
from engine.main_model.loading import LoadedModel, load
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.models import Models
from engine.serving.pacing import PrefillPacer
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import MemoryUse
from engine.tokenizers.prompt_process.client import PROMPT_PROCESS, PromptCall
from engine.tokenizers.prompt_process.protocol import TokenizerSource
from engine.tokenizers.prompts import PromptJob
from tests.engine.counting_model import CountingModel
from tests.engine.family_serving import serving
from tests.engine.serving_requests import PLAIN, Client, alone, request, run, set_draft, submit
from tests.tiny_models import QWEN3, write_model

pytestmark = pytest.mark.usefixtures("without_compilation")

TEXTS = ("the quick brown fox", "lazy dog jumps over the lazy dog", "안녕하세요 세계", "the the the")


@pytest.fixture(scope="module")
def pair(tiny_main: Path, tiny_draft: Path) -> tuple[LoadedModel, LoadedModel]:
    return load(tiny_main), load(tiny_draft)


@pytest.fixture
def main(pair: tuple[LoadedModel, LoadedModel]) -> CountingModel:
    return CountingModel(pair[0].model)


@pytest.fixture
def draft(pair: tuple[LoadedModel, LoadedModel]) -> CountingModel:
    return CountingModel(pair[1].model)


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel], main: CountingModel, draft: CountingModel) -> Iterator[Scheduler]:
    scheduler = Scheduler(EngineSettings(most_active=4))
    scheduler.install(replace(pair[0], model=main), replace(pair[1], model=draft))
    yield scheduler
    scheduler.close()


@pytest.fixture(autouse=True)
def fixed_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda _, streaming, **__: 64 if streaming else 512)


def wide(model: CountingModel, least: int = 6) -> list[tuple[int, ...]]:
    """The passes that read prompts."""
    return [shape for shape in model.passes if shape[1] >= least]


@pytest.mark.parametrize("speculation", [PLAIN, SpeculationSettings(method="draft", depth=3, sample_share=0.0)])
def test_prompts_that_wait_together_are_read_in_one_pass_of_each_model(
    scheduler: Scheduler, main: CountingModel, draft: CountingModel, speculation: SpeculationSettings
) -> None:
    asked = [request(text, max_tokens=16, speculation=speculation) for text in TEXTS]
    expected = [alone(scheduler, one).ids for one in asked]
    main.passes, draft.passes = [], []
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected
    assert [rows for rows, _ in wide(main)] == [len(asked)]
    assert [rows for rows, _ in wide(draft)] == ([] if speculation is PLAIN else [len(asked)])
    for client in clients:
        progress = [event for event in client.events if isinstance(event, PrefillProgress)]
        assert [(event.done, event.total) for event in progress] == [
            (0, client.finished.stats.prompt_tokens),
            (client.finished.stats.prompt_tokens - 1, client.finished.stats.prompt_tokens),
        ]


def test_prompts_behind_prefixes_of_different_lengths_are_read_together(
    scheduler: Scheduler, main: CountingModel
) -> None:
    asked = [request(f"{text}, jumps over the lazy dog again", max_tokens=12, temperature=0.8) for text in TEXTS]
    expected = [alone(scheduler, one).ids for one in asked]
    run(scheduler, *(request(text, max_tokens=2) for text in TEXTS[:3]))
    main.passes = []
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected
    assert len({client.finished.stats.cached_tokens for client in clients}) > 2
    assert [rows for rows, _ in wide(main)] == [len(asked)]


@pytest.mark.parametrize("name", ["qwen3_next", "gemma3_text", "llama4", "nemotron_h"])
def test_every_kind_of_model_reads_prompts_as_alone(name: str, tmp_path: Path) -> None:
    """Hybrids and windows together; what has no rows one by one, as before."""
    with serving(name, tmp_path) as (scheduler, _):
        asked = [request(f"{text} " * (1 + 3 * index), max_tokens=10) for index, text in enumerate(TEXTS)]
        expected = [alone(scheduler, one).ids for one in asked]
        assert [client.finished.ids for client in run(scheduler, *asked)] == expected
        # Finished turns are in the prefix cache as they were.
        assert [client.finished.ids for client in run(scheduler, *asked)] == expected


@pytest.mark.parametrize("victim", [0, 1, 2])
def test_cancelling_one_between_two_chunks_leaves_the_others_alone(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch, victim: int
) -> None:
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda *_, **__: 130)
    asked = [request("lazy dog " * 18, max_tokens=10), request("jumps " * 30, max_tokens=10), request(max_tokens=10)]
    expected = [alone(scheduler, one).ids for one in asked]
    clients = [submit(scheduler, one) for one in asked]
    scheduler.step()
    assert not any(client.committed for client in clients)
    clients[victim].stream.cancel()
    while scheduler.busy:
        scheduler.step()
    assert clients[victim].finished.reason == "cancelled"
    for index, client in enumerate(clients):
        assert index == victim or client.finished.ids == expected[index]
    assert [client.finished.ids for client in run(scheduler, *asked)] == expected


@pytest.mark.expects_log
def test_a_pass_over_several_prompts_that_fails_ends_no_answer(scheduler: Scheduler, main: CountingModel) -> None:
    asked = [request(text, max_tokens=8, speculation=PLAIN) for text in TEXTS[:3]]
    expected = [alone(scheduler, one).ids for one in asked]
    main.passes, main.fails = [], lambda shape, _: shape[0] == 3 and shape[1] >= 6
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected
    # Tried once.
    assert [rows for rows, _ in wide(main)] == [3, 1, 1, 1]


@pytest.mark.expects_log
def test_only_the_prompt_that_cannot_be_read_fails(scheduler: Scheduler, main: CountingModel) -> None:
    asked = [request(text, max_tokens=8, speculation=PLAIN) for text in TEXTS[:3]]
    expected = [alone(scheduler, one).ids for one in asked]
    longest = max(asked, key=lambda one: len(str(one.messages)))
    width = max(shape[1] for shape in wide(main))

    def fails(shape: tuple[int, ...], _: Any) -> bool:
        return shape[1] >= width

    main.fails = fails
    clients = run(scheduler, *asked)
    for client, one, ids in zip(clients, asked, expected, strict=True):
        if one is longest:
            assert isinstance(client.last, Failed)
            assert isinstance(client.last.error, InternalFailure)
        else:
            assert client.finished.ids == ids


def test_prompts_are_read_one_by_one_where_their_rows_do_not_fit(
    scheduler: Scheduler, main: CountingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [request(text, max_tokens=8, speculation=PLAIN) for text in TEXTS[:3]]
    expected = [alone(scheduler, one).ids for one in asked]
    clients = [submit(scheduler, one) for one in asked]
    main.passes = []
    monkeypatch.setattr(Models, "memory_use", lambda _: MemoryUse(0, 1000, 1000))
    monkeypatch.setattr(Models, "check_request", lambda *_: None)
    while scheduler.busy:
        scheduler.step()
    assert [client.finished.ids for client in clients] == expected
    assert [rows for rows, _ in wide(main)] == [1, 1, 1]


def test_answers_asked_for_at_once_begin_at_once(scheduler: Scheduler, main: CountingModel) -> None:
    """Also where their prompts take several chunks, or the first rounds would serve only some."""
    asked = [request("lazy dog " * 18, max_tokens=6, speculation=PLAIN) for _ in range(3)]
    expected = [alone(scheduler, one).ids for one in asked]
    main.passes = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PrefillPacer, "chunk_size", lambda *_, **__: 64)
        patch.setattr(PrefillPacer, "starts_together", lambda *_: True)
        clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected
    steps = [rows for rows, width in main.passes if width == 1]
    assert set(steps) == {3}


def test_an_answer_that_could_begin_does_not_wait_for_a_long_prompt(scheduler: Scheduler) -> None:
    clients = [submit(scheduler, request(max_tokens=4)), submit(scheduler, request("lazy dog " * 120, max_tokens=4))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PrefillPacer, "chunk_size", lambda *_, **__: 64)
        patch.setattr(PrefillPacer, "starts_together", lambda _, tokens: tokens < 100)
        while not clients[0].committed:
            scheduler.step()
    assert not clients[1].committed
    assert scheduler.active == 2
    while scheduler.busy:
        scheduler.step()


def test_prompts_of_all_that_can_start_are_made_at_once(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's template runs in another process: nobody waits for that one by one."""
    made: list[PromptJob] = []
    start = PROMPT_PROCESS.start_prompt

    def started(source: TokenizerSource, job: PromptJob) -> PromptCall:
        made.append(job)
        return start(source, job)

    monkeypatch.setattr(PROMPT_PROCESS, "start_prompt", started)
    assert pair[0].prompt_source is not None
    clients = [submit(scheduler, request(text, max_tokens=4)) for text in (*TEXTS, "jumps")]
    scheduler.step()
    assert len(made) == scheduler.settings.most_active
    while scheduler.busy:
        scheduler.step()
    assert len(made) == len(clients)


LONG = "lazy dog " * 60


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return load(write_model(tmp_path_factory.mktemp("deep"), seed=1, config={**QWEN3, "num_hidden_layers": 4}))


@pytest.fixture
def layer_by_layer(
    pair: tuple[LoadedModel, LoadedModel], deep: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Scheduler]:
    """It reads chunks of 64 tokens, each layer in a part of its own."""
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda *_, **__: 64)
    monkeypatch.setattr(PrefillPacer, "part_s", lambda *_, **__: 0.0)
    scheduler = Scheduler(EngineSettings(most_active=4))
    scheduler.install(deep, pair[1])
    yield scheduler
    scheduler.close()


def in_the_middle_of_a_pass(scheduler: Scheduler, asked: ChatRequest) -> Client:
    """The client of a prompt of which a chunk and a part of the next one are read."""
    client = submit(scheduler, asked)
    while not (client.events and isinstance(client.last, PrefillProgress) and client.last.done):
        scheduler.step()
    read = client.last
    scheduler.step()
    assert client.last is read
    return client


def test_cancelling_in_the_middle_of_a_pass_ends_it_there(layer_by_layer: Scheduler) -> None:
    asked = request(LONG, max_tokens=6)
    expected = alone(layer_by_layer, asked).ids
    layer_by_layer.clear_prefix_cache()
    client = in_the_middle_of_a_pass(layer_by_layer, asked)
    read = client.last
    client.stream.cancel()
    layer_by_layer.step()
    assert client.finished.reason == "cancelled"
    again = run(layer_by_layer, asked)[0].finished
    assert again.ids == expected
    assert isinstance(read, PrefillProgress)
    assert again.stats.cached_tokens == read.done


@pytest.mark.parametrize("speculation", [PLAIN, SpeculationSettings(method="draft", depth=3, sample_share=0.0)])
def test_answers_go_on_between_the_parts_of_a_pass(
    layer_by_layer: Scheduler, deep: LoadedModel, speculation: SpeculationSettings
) -> None:
    asked = [request(max_tokens=48, speculation=speculation), request(LONG, max_tokens=6)]
    expected = [alone(layer_by_layer, one).ids for one in asked]
    layer_by_layer.clear_prefix_cache()
    first = submit(layer_by_layer, asked[0])
    while not first.committed:
        layer_by_layer.step()
    second, rounds = submit(layer_by_layer, asked[1]), []
    while not second.committed:
        events = len(second.events)
        layer_by_layer.step()
        if len(second.events) > events:
            rounds.append(len(first.committed))
    while layer_by_layer.busy:
        layer_by_layer.step()
    assert [first.finished.ids, second.finished.ids] == expected
    # The first layer alone is hardly a part; a round follows each of the others.
    parts = len(deep.new_caches()) - 1
    assert [after - before for before, after in pairwise(rounds[1:])][:2] == [parts, parts]


def test_another_draft_model_can_be_chosen_in_the_middle_of_a_pass(layer_by_layer: Scheduler, tiny_draft: Path) -> None:
    asked = request(LONG, max_tokens=6)
    expected = alone(layer_by_layer, asked).ids
    layer_by_layer.clear_prefix_cache()
    client = in_the_middle_of_a_pass(layer_by_layer, asked)
    set_draft(layer_by_layer, None)
    layer_by_layer.step()
    set_draft(layer_by_layer, tiny_draft)
    while layer_by_layer.busy:
        layer_by_layer.step()
    assert client.finished.ids == expected


def test_closing_in_the_middle_of_a_pass_undoes_it(layer_by_layer: Scheduler) -> None:
    client = in_the_middle_of_a_pass(layer_by_layer, request(LONG, max_tokens=6))
    layer_by_layer.close()
    assert client.finished.reason == "cancelled"


@pytest.mark.expects_log
def test_a_part_that_fails_ends_its_request_only(layer_by_layer: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [request(LONG, max_tokens=6), request(max_tokens=6)]
    expected = [alone(layer_by_layer, one).ids for one in asked]
    layer_by_layer.clear_prefix_cache()
    client = in_the_middle_of_a_pass(layer_by_layer, asked[0])
    beside = submit(layer_by_layer, asked[1])

    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr(mx, "eval", fail)
        layer_by_layer.step()
    assert isinstance(client.last, Failed)
    while layer_by_layer.busy:
        layer_by_layer.step()
    assert beside.finished.ids == expected[1]
    assert run(layer_by_layer, asked[0])[0].finished.ids == expected[0]
