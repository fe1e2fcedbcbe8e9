"""Counts of the work that several answers at once give the device, which do not depend on the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from mlx_lm.generate import batch_generate

from engine import starter_pair
from engine.client import RequestStream
from engine.events import Event, Finished
from engine.main_model.loading import LoadedModel, load
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.drafters.draft_rows import DraftRows
from engine.speculation.rounds.sequence import Sequence
from tests.engine.counting import Counts, counting, most_bytes
from tests.engine.serving_requests import PLAIN, alone, request, run, submit

pytestmark = pytest.mark.usefixtures("without_compilation")

TEXTS = ("Count from 1 to 20.", "Tell me what you can do, in a few sentences.")
LONG, SHORT = 24, 12


@pytest.fixture(scope="module")
def main(without_compilation: None) -> LoadedModel:  # noqa: ARG001
    return load(starter_pair()[0])


@pytest.fixture
def scheduler(main: LoadedModel) -> Iterator[Scheduler]:
    scheduler = Scheduler()
    scheduler.install(main, load(starter_pair()[1]))
    yield scheduler
    scheduler.close()


def ours(scheduler: Scheduler, speculation: SpeculationSettings, tokens: int) -> None:
    scheduler.clear_prefix_cache()
    heard: list[list[Event]] = [[] for _ in TEXTS]
    for text, events in zip(TEXTS, heard, strict=True):
        asked = request(text, max_tokens=tokens, speculation=speculation)
        scheduler.admit(RequestStream(asked, on_event=events.append))
    while scheduler.step():
        pass
    assert all(isinstance(events[-1], Finished) and len(events[-1].ids) == tokens for events in heard)


def theirs(main: LoadedModel, tokens: int) -> None:
    prompts = [main.prompt_ids([{"role": "user", "content": text}]) for text in TEXTS]
    batch_generate(main.model, main.tokenizer, prompts, max_tokens=tokens)


def each_step(monkeypatch: pytest.MonkeyPatch, work: Callable[[int], None]) -> tuple[float, float, float]:
    # The first use imports modules and builds kernels.
    work(LONG)
    counts: list[Counts] = []
    for tokens in (SHORT, LONG):
        with counting(monkeypatch) as counted:
            work(tokens)
        counts.append(counted)
    return (counts[1] - counts[0]).each(LONG - SHORT)


def test_a_plain_step_of_several_answers_costs_the_device_what_it_costs_in_mlx_lm(
    monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler, main: LoadedModel
) -> None:
    nodes, _, waits = each_step(monkeypatch, lambda tokens: ours(scheduler, PLAIN, tokens))
    their_nodes, _, their_waits = each_step(monkeypatch, lambda tokens: theirs(main, tokens))
    assert nodes <= 1.03 * their_nodes
    assert waits <= their_waits == 1


@pytest.mark.full
@pytest.mark.parametrize("count", [2, 8])
def test_answers_of_a_batch_take_no_more_memory_than_in_mlx_lm(
    scheduler: Scheduler, main: LoadedModel, count: int
) -> None:
    """The peak covers prefill, joining, every step, and leaving one by one."""
    texts = [f"{TEXTS[index % 2]} {index}" for index in range(count)]
    limits = [SHORT + index for index in range(count)]

    def mine() -> None:
        clients = run(
            scheduler,
            *(request(text, max_tokens=most, speculation=PLAIN) for text, most in zip(texts, limits, strict=True)),
        )
        assert all(client.reasons == ["off"] for client in clients)

    def theirs() -> None:
        prompts = [main.prompt_ids([{"role": "user", "content": text}]) for text in texts]
        batch_generate(main.model, main.tokenizer, prompts, max_tokens=limits)

    peaks: dict[Callable[[], None], list[int]] = {mine: [], theirs: []}
    # The peak varies a little with the lead of the host over the device.
    for work in (mine, theirs, theirs, mine):
        scheduler.clear_prefix_cache()
        peaks[work].append(most_bytes(work))
    # The prefix cache is kept for later turns.
    kept = scheduler.prefix_cache.bytes
    assert min(peaks[mine]) - kept <= 1.03 * min(peaks[theirs])


def test_a_round_of_several_answers_waits_once(monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler) -> None:
    fixed = SpeculationSettings(method="ngram", depth=2, sample_share=0.0)
    _, _, waits = each_step(monkeypatch, lambda tokens: ours(scheduler, fixed, tokens))
    # Accepted draft tokens reduce the waits for each token below one.
    assert waits <= 1


def test_a_draft_model_drafts_for_all_in_one_pass_a_step(monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler) -> None:
    passes = {DraftRows: 0, Sequence: 0}

    def count(kind: type) -> None:
        draft = kind.draft  # type: ignore[attr-defined]

        def counted(*arguments: object) -> object:
            passes[kind] += 1
            return draft(*arguments)

        monkeypatch.setattr(kind, "draft", counted)

    clients = [submit(scheduler, request(text, max_tokens=60)) for text in TEXTS]
    while not all(len(client.committed) > 1 for client in clients):
        scheduler.step()
    count(DraftRows)
    count(Sequence)
    for _ in range(4):
        scheduler.step()
    # Each round drafts three tokens and feeds all but the last.
    assert passes == {DraftRows: 4 * 2, Sequence: 0}


@pytest.mark.expects_log
def test_drafting_that_fails_for_all_ends_no_answer(monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler) -> None:
    asked = [request(text, max_tokens=40) for text in TEXTS]
    expected = [alone(scheduler, one).ids for one in asked]
    clients = [submit(scheduler, one) for one in asked]
    while not all(len(client.committed) > 1 for client in clients):
        scheduler.step()

    def failing(*_arguments: object) -> None:
        raise RuntimeError("[metal::malloc] out of memory, says the test")

    with monkeypatch.context() as patched:
        patched.setattr(DraftRows, "draft", failing)
        scheduler.step()
    while scheduler.busy:
        scheduler.step()
    assert [client.finished.ids for client in clients] == expected
    assert all("draft-failed" in client.reasons for client in clients)
    assert [client.finished.ids for client in run(scheduler, *asked)] == expected
