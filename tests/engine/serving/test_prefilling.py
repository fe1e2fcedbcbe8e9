"""Prompts that wait at the same time are read together, and every answer has the text that it has alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import mlx.core as mx
import pytest

from engine.errors import InternalFailure
from engine.events import Failed, PrefillProgress
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.pacing import PrefillPacer
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import MemoryUse
from engine.tokenizers.prompt_process import PROMPT_PROCESS, PromptCall
from engine.tokenizers.prompts import PromptJob
from engine.tokenizers.tasks import TokenizerSource
from engine.upkeep.memory import ModelMemory
from tests.engine.endurance.counting_model import CountingModel
from tests.engine.lossless.family_serving import serving
from tests.engine.serving_requests import (
    PLAIN,
    Client,
    Expected,
    alone,
    finish,
    request,
    run,
    set_draft,
    step_until,
    submit,
)
from tests.engine.tiers import by_tier
from tests.tiny_models import QWEN3, write_model

pytestmark = pytest.mark.usefixtures("fixed_chunks")

DRAFTING = SpeculationSettings(method="draft", depth=3, sample_share=0.0)
TEXTS = ("the quick brown fox", "lazy dog jumps over the lazy dog", "안녕하세요 세계", "the the the")


@pytest.fixture
def main(pair: tuple[LoadedModel, LoadedModel]) -> CountingModel:
    return CountingModel(pair[0].model)


@pytest.fixture
def draft(pair: tuple[LoadedModel, LoadedModel]) -> CountingModel:
    return CountingModel(pair[1].model)


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel], main: CountingModel, draft: CountingModel) -> Iterator[Scheduler]:
    scheduler = Scheduler(EngineSettings(most_active=4))
    scheduler.changes.install(replace(pair[0], model=main), replace(pair[1], model=draft))
    yield scheduler
    scheduler.close()


def wide(model: CountingModel, least: int = 6) -> list[tuple[int, ...]]:
    """Return the passes that read prompts."""
    return [shape for shape in model.passes if shape[1] >= least]


@pytest.mark.parametrize("speculation", [pytest.param(PLAIN, marks=pytest.mark.full), DRAFTING])
def test_prompts_that_wait_together_are_read_in_one_pass_of_each_model(
    scheduler: Scheduler,
    main: CountingModel,
    draft: CountingModel,
    expected: Expected,
    speculation: SpeculationSettings,
) -> None:
    asked = [request(text, max_tokens=8, speculation=speculation) for text in TEXTS]
    draft.passes = []
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected.ids(*asked)
    assert [rows for rows, _ in wide(main)] == [len(asked)]
    assert [rows for rows, _ in wide(draft)] == ([] if speculation is PLAIN else [len(asked)])
    for client in clients:
        progress = [event for event in client.events if isinstance(event, PrefillProgress)]
        assert [(event.done, event.total) for event in progress] == [
            (0, client.finished.stats.prompt_tokens),
            (client.finished.stats.prompt_tokens - 1, client.finished.stats.prompt_tokens),
        ]


@pytest.mark.full
def test_prompts_behind_prefixes_of_different_lengths_are_read_together(
    scheduler: Scheduler, main: CountingModel, expected: Expected
) -> None:
    asked = [request(f"{text}, jumps over the lazy dog again", max_tokens=8, temperature=0.8) for text in TEXTS]
    run(scheduler, *(request(text, max_tokens=2, speculation=PLAIN) for text in TEXTS[:3]))
    main.passes = []
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected.ids(*asked)
    assert len({client.finished.stats.cached_tokens for client in clients}) > 2
    assert [rows for rows, _ in wide(main)] == [len(asked)]


@pytest.mark.parametrize(
    "name",
    ["qwen3_next", *(pytest.param(one, marks=pytest.mark.full) for one in ("gemma3_text", "llama4", "nemotron_h"))],
)
def test_every_kind_of_model_reads_prompts_as_alone(name: str, tmp_path: Path) -> None:
    """Hybrids and models with windows read prompts together; models whose caches have no rows, one by one."""
    with serving(name, tmp_path) as (scheduler, _):
        asked = [request(f"{text} " * (1 + 3 * index), max_tokens=6) for index, text in enumerate(TEXTS)]
        expected = [alone(scheduler, one).ids for one in asked]
        assert [client.finished.ids for client in run(scheduler, *asked)] == expected
        # The finished turns in the prefix cache are right, too.
        assert [client.finished.ids for client in run(scheduler, *asked)] == expected


@pytest.mark.full
@pytest.mark.parametrize("victim", by_tier([0, 1, 2], [1]))
def test_cancelling_one_between_two_chunks_leaves_the_others_alone(
    scheduler: Scheduler, expected: Expected, monkeypatch: pytest.MonkeyPatch, victim: int
) -> None:
    texts = ("lazy dog " * 18, "jumps " * 30, TEXTS[0])
    asked = [request(text, max_tokens=6, speculation=PLAIN) for text in texts]
    ids = expected.ids(*asked)
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda *_, **__: 130)
    clients = [submit(scheduler, one) for one in asked]
    scheduler.step()
    assert not any(client.committed for client in clients)
    clients[victim].stream.cancel()
    finish(scheduler)
    assert clients[victim].finished.reason == "cancelled"
    for index, client in enumerate(clients):
        assert index == victim or client.finished.ids == ids[index]
    assert [client.finished.ids for client in run(scheduler, *asked)] == ids


@pytest.fixture
def asked() -> list[ChatRequest]:
    return [request(text, max_tokens=8, speculation=PLAIN) for text in TEXTS[:3]]


@pytest.mark.expects_log
def test_a_pass_over_several_prompts_that_fails_ends_no_answer(
    scheduler: Scheduler, main: CountingModel, expected: Expected, asked: list[ChatRequest]
) -> None:
    main.fails = lambda shape, _: shape[0] == 3 and shape[1] >= 6
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected.ids(*asked)
    # The joint pass is tried once.
    assert [rows for rows, _ in wide(main)] == [3, 1, 1, 1]


@pytest.mark.expects_log
def test_only_the_prompt_that_cannot_be_read_fails(
    scheduler: Scheduler, main: CountingModel, expected: Expected, asked: list[ChatRequest]
) -> None:
    longest = max(asked, key=lambda one: len(str(one.messages)))
    width = expected(longest).stats.prompt_tokens - 1
    main.fails = lambda shape, _: shape[1] >= width
    clients = run(scheduler, *asked)
    for client, one, ids in zip(clients, asked, expected.ids(*asked), strict=True):
        if one is longest:
            assert isinstance(client.last, Failed)
            assert isinstance(client.last.error, InternalFailure)
        else:
            assert client.finished.ids == ids


def test_prompts_are_read_one_by_one_where_their_rows_do_not_fit(
    scheduler: Scheduler,
    main: CountingModel,
    expected: Expected,
    asked: list[ChatRequest],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids, clients = expected.ids(*asked), [submit(scheduler, one) for one in asked]
    monkeypatch.setattr(ModelMemory, "use", lambda _: MemoryUse(0, 1000, 1000))
    monkeypatch.setattr(ModelMemory, "check_request", lambda *_: None)
    finish(scheduler)
    assert [client.finished.ids for client in clients] == ids
    assert [rows for rows, _ in wide(main)] == [1, 1, 1]


def test_answers_asked_for_at_once_begin_at_once(scheduler: Scheduler, main: CountingModel, expected: Expected) -> None:
    """Even if their prompts take several chunks, or the first rounds would serve only some."""
    asked = [request("lazy dog " * 18, max_tokens=6, speculation=PLAIN) for _ in range(3)]
    ids = expected.ids(*asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PrefillPacer, "chunk_size", lambda *_, **__: 64)
        patch.setattr(PrefillPacer, "starts_together", lambda *_: True)
        clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == ids
    steps = [rows for rows, width in main.passes if width == 1]
    assert set(steps) == {3}


def test_an_answer_that_could_begin_does_not_wait_for_a_long_prompt(scheduler: Scheduler) -> None:
    clients = [submit(scheduler, request(max_tokens=4)), submit(scheduler, request("lazy dog " * 120, max_tokens=4))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PrefillPacer, "chunk_size", lambda *_, **__: 64)
        patch.setattr(PrefillPacer, "starts_together", lambda _, tokens: tokens < 100)
        step_until(scheduler, lambda: clients[0].committed)
    assert not clients[1].committed
    assert scheduler.active == 2


def test_prompts_of_all_that_can_start_are_made_at_once(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's template runs in another process, which renders them at the same time."""
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
    finish(scheduler)
    assert len(made) == len(clients)


LONG = request("lazy dog " * 60, max_tokens=6)


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return load(write_model(tmp_path_factory.mktemp("deep"), seed=1, config={**QWEN3, "num_hidden_layers": 4}))


@pytest.fixture(scope="module")
def answers(deep: LoadedModel) -> Iterator[Expected]:
    answers = Expected(deep)
    # Served before chunks and parts are patched.
    answers(LONG)
    yield answers
    answers.close()


@pytest.fixture
def layer_by_layer(
    pair: tuple[LoadedModel, LoadedModel], deep: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Scheduler]:
    """A scheduler that reads chunks of 64 tokens, each layer in a separate part."""
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda *_, **__: 64)
    monkeypatch.setattr(PrefillPacer, "part_s", lambda *_, **__: 0.0)
    scheduler = Scheduler(EngineSettings(most_active=4))
    scheduler.changes.install(deep, pair[1])
    yield scheduler
    scheduler.close()


def in_the_middle_of_a_pass(scheduler: Scheduler) -> Client:
    """Return a client after a chunk of its prompt, and a part of the next one, were read."""
    client = submit(scheduler, LONG)
    step_until(scheduler, lambda: client.events and isinstance(client.last, PrefillProgress) and client.last.done)
    read = client.last
    scheduler.step()
    assert client.last is read
    return client


def test_cancelling_in_the_middle_of_a_pass_ends_it_there(answers: Expected, layer_by_layer: Scheduler) -> None:
    client = in_the_middle_of_a_pass(layer_by_layer)
    read = client.last
    client.stream.cancel()
    layer_by_layer.step()
    assert client.finished.reason == "cancelled"
    again = run(layer_by_layer, LONG)[0].finished
    assert again.ids == answers(LONG).ids
    assert isinstance(read, PrefillProgress)
    assert again.stats.cached_tokens == read.done


@pytest.mark.parametrize("speculation", [PLAIN, pytest.param(DRAFTING, marks=pytest.mark.full)])
def test_answers_go_on_between_the_parts_of_a_pass(
    answers: Expected, layer_by_layer: Scheduler, deep: LoadedModel, speculation: SpeculationSettings
) -> None:
    asked = [request(max_tokens=48, speculation=speculation), LONG]
    first = submit(layer_by_layer, asked[0])
    step_until(layer_by_layer, lambda: first.committed)
    second, rounds = submit(layer_by_layer, asked[1]), []
    while not second.committed:
        events = len(second.events)
        layer_by_layer.step()
        if len(second.events) > events:
            rounds.append(len(first.committed))
    finish(layer_by_layer)
    assert [first.finished.ids, second.finished.ids] == answers.ids(*asked)
    # The first layer belongs to the first part; a round follows each part.
    parts = len(deep.new_caches()) - 1
    assert [after - before for before, after in pairwise(rounds[1:])][:2] == [parts, parts]


@pytest.mark.full
def test_another_draft_model_can_be_chosen_in_the_middle_of_a_pass(
    answers: Expected, layer_by_layer: Scheduler, tiny_draft: Path
) -> None:
    client = in_the_middle_of_a_pass(layer_by_layer)
    set_draft(layer_by_layer, None)
    layer_by_layer.step()
    set_draft(layer_by_layer, tiny_draft)
    finish(layer_by_layer)
    assert client.finished.ids == answers(LONG).ids


def test_closing_in_the_middle_of_a_pass_undoes_it(layer_by_layer: Scheduler) -> None:
    client = in_the_middle_of_a_pass(layer_by_layer)
    layer_by_layer.close()
    assert client.finished.reason == "cancelled"


@pytest.mark.expects_log
def test_a_part_that_fails_ends_its_request_only(
    answers: Expected, layer_by_layer: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = in_the_middle_of_a_pass(layer_by_layer)
    beside = submit(layer_by_layer, short := request(max_tokens=6))

    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr(mx, "eval", fail)
        layer_by_layer.step()
    assert isinstance(client.last, Failed)
    finish(layer_by_layer)
    assert [beside.finished.ids] == answers.ids(short)
    assert [run(layer_by_layer, LONG)[0].finished.ids] == answers.ids(LONG)
