"""Several answers at once: each is what it would be alone, they move between the decoders, and no fault spreads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import InternalFailure, QueueFull
from engine.events import Failed, Finished, PrefillProgress
from engine.main_model.loading import LoadedModel, load
from engine.main_model.sampling import Sampler
from engine.requests import SpeculationSettings
from engine.serving.models import Models
from engine.serving.pacing import PrefillPacer
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.rounds.row_caches import RowCaches
from engine.speculation.rounds.sequence import Sequence
from engine.speculation.rounds.sequence_batch import SequenceBatch
from engine.status import MemoryUse
from tests.engine.counting_model import CountingModel
from tests.engine.serving_requests import PLAIN, Client, alone, request, run, set_draft, submit

pytestmark = pytest.mark.usefixtures("without_compilation")


@pytest.fixture(scope="module")
def pair(tiny_main: Path, tiny_draft: Path) -> tuple[LoadedModel, LoadedModel]:
    return load(tiny_main), load(tiny_draft)


@pytest.fixture
def model(pair: tuple[LoadedModel, LoadedModel]) -> CountingModel:
    return CountingModel(pair[0].model)


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel], model: CountingModel) -> Iterator[Scheduler]:
    scheduler = Scheduler(EngineSettings(most_active=4, most_waiting=2))
    scheduler.install(replace(pair[0], model=model), pair[1])
    yield scheduler
    scheduler.close()


@pytest.fixture(autouse=True)
def fixed_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chunks of a prompt beside running answers follow from timings; here they are always the same."""
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda _, streaming, **__: 64 if streaming else 512)


DRAFTING = SpeculationSettings(method="draft", depth=3)
TEXTS = ("the quick brown fox", "lazy dog jumps", "안녕하세요 세계", "the the the")


@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_sharing_a_batch_changes_no_text(scheduler: Scheduler, model: CountingModel, temperature: float) -> None:
    asked = [request(text, temperature=temperature, seed=i, max_tokens=20 + 7 * i) for i, text in enumerate(TEXTS)]
    expected = [alone(scheduler, one) for one in asked]
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == [one.ids for one in expected]
    assert [client.finished.text for client in clients] == [one.text for one in expected]
    assert model.most_rows == len(asked)
    assert all(client.finished.stats.accepted > 5 for client in clients)


def test_settings_of_one_request_do_not_reach_the_others(scheduler: Scheduler) -> None:
    whole = alone(scheduler, request()).text
    asked = [
        request(),
        request(temperature=0.8, seed=3, top_k=5, top_p=0.9),
        request(repetition_penalty=1.4, presence_penalty=0.5, logit_bias={7: 3.0}),
        request(stop=(whole[8:11],)),
    ]
    expected = [alone(scheduler, one) for one in asked]
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == [one.ids for one in expected]
    assert clients[3].finished.reason == "stop"
    assert clients[3].finished.text == whole[: whole.index(whole[8:11])]


def test_answers_that_end_together_cost_no_pass_beyond_their_last_token(
    scheduler: Scheduler, model: CountingModel
) -> None:
    prefilled = [request(text, max_tokens=9, speculation=PLAIN) for text in TEXTS[:2]]
    run(scheduler, *prefilled)
    assert [shape for shape in model.passes if shape[1] == 1] == [(2, 1)] * 9


class CloseModel(CountingModel):
    """Takes two tokens for all but equally likely, the second for a little likelier."""

    CLOSE = (200, 201)

    def __call__(self, tokens: mx.array, cache: Any) -> mx.array:
        logits = mx.zeros_like(super().__call__(tokens, cache)).astype(mx.float32)
        logits[..., self.CLOSE[0]] = 1.0
        logits[..., self.CLOSE[1]] = 1.0 + 2.0**-23
        return logits


@pytest.mark.parametrize("others", [{}, {"temperature": 0.9, "seed": 1}], ids=["greedy", "mixed"])
def test_near_ties_are_drawn_in_a_batch_as_alone(pair: tuple[LoadedModel, LoadedModel], others: dict[str, Any]) -> None:
    scheduler = Scheduler(EngineSettings(most_active=4))
    scheduler.install(replace(pair[0], model=CloseModel(pair[0].model)), None)
    expected = alone(scheduler, request(max_tokens=8)).ids
    together, _ = run(scheduler, request(max_tokens=8), request(TEXTS[1], max_tokens=8, **others))
    scheduler.close()
    assert expected == (CloseModel.CLOSE[1],) * 8
    assert together.finished.ids == expected


def test_log_probabilities_in_a_batch_are_those_of_plain_decoding(scheduler: Scheduler) -> None:
    def logprobs(client: Client) -> list[float]:
        return [token.logprob for event in client.committed for token in event.tokens]

    asked = [request(speculation=PLAIN), request(TEXTS[1], speculation=PLAIN, repetition_penalty=1.3)]
    expected = [logprobs(run(scheduler, one)[0]) for one in asked]
    for client, values in zip(run(scheduler, *asked), expected, strict=True):
        assert logprobs(client) == pytest.approx(values, abs=1e-3)


@pytest.mark.parametrize("temperature", [0.0, 0.9])
@pytest.mark.parametrize("speculation", [PLAIN, DRAFTING])
def test_ten_moves_between_the_decoders_change_no_text_and_prefill_nothing_again(
    scheduler: Scheduler, model: CountingModel, temperature: float, speculation: SpeculationSettings
) -> None:
    long = request(max_tokens=160, temperature=temperature, speculation=speculation)
    short = request(TEXTS[1], max_tokens=4, speculation=PLAIN)
    expected, guest = alone(scheduler, long), alone(scheduler, short)
    model.tokens, model.passes = 0, []
    client = submit(scheduler, long)
    guests: list[Client] = []
    while scheduler.busy:
        scheduler.step()
        served = all(one.events and isinstance(one.last, Finished) for one in guests)
        by_itself = bool(client.committed) and model.passes[-1][0] == 1
        if len(guests) < 10 and served and by_itself:
            scheduler.clear_prefix_cache()
            guests.append(submit(scheduler, short))
    assert len(guests) == 10
    assert client.finished.ids == expected.ids
    assert {one.finished.ids for one in guests} == {guest.ids}
    moves = sum(before == 1 < after for (before, _), (after, _) in pairwise(model.passes))
    assert moves >= 10
    # Every prompt was prefilled in one pass; all others are rounds.
    assert sum(width > 4 for _, width in model.passes) == 1 + 10
    stats = client.finished.stats
    if not stats.drafted:
        # Every token once, but the last of the answer; a guest's last token is fed before anybody knows it is the last.
        own = stats.prompt_tokens + stats.generated_tokens - 1
        assert model.tokens == own + sum(one.finished.stats.prompt_tokens + len(one.finished.ids) for one in guests)


def test_the_draft_model_reads_nothing_twice_on_the_way_into_a_batch_and_back(scheduler: Scheduler) -> None:
    [client, _] = run(scheduler, request(max_tokens=80), request(TEXTS[1], max_tokens=30))
    stats = client.finished.stats
    assert stats.drafted > 0
    assert stats.draft_prefill_tokens <= stats.prompt_tokens + 4


def test_requests_begin_in_the_order_of_submission(scheduler: Scheduler) -> None:
    begun: list[int] = []
    clients = [submit(scheduler, request(max_tokens=8)) for _ in range(6)]
    while scheduler.busy:
        scheduler.step()
        begun += [index for index, client in enumerate(clients) if client.committed and index not in begun]
    assert begun == list(range(6))


def test_a_full_queue_refuses_with_its_length(scheduler: Scheduler) -> None:
    clients = [submit(scheduler, request(max_tokens=3)) for _ in range(7)]
    assert isinstance(clients[6].last, Failed)
    assert isinstance(clients[6].last.error, QueueFull)
    assert clients[6].last.error.arguments["limit"] == 2
    while scheduler.busy:
        scheduler.step()
    assert all(client.finished.reason == "length" for client in clients[:6])


def test_a_long_prompt_is_prefilled_between_the_steps_of_running_answers(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda _, streaming, **__: 32 if streaming else 512)
    streaming = submit(scheduler, request(max_tokens=120))
    while not streaming.committed:
        scheduler.step()
    before = len(streaming.committed)
    reading = submit(scheduler, request("lazy dog " * 60, max_tokens=2))
    while not reading.committed:
        scheduler.step()
    pieces = [event for event in reading.events if isinstance(event, PrefillProgress)]
    assert [event.done for event in pieces] == [0, 32, 64, 96, 128, 139]
    assert len(streaming.committed) - before >= len(pieces) - 1
    while scheduler.busy:
        scheduler.step()


@pytest.mark.parametrize(
    ("streaming", "speculation", "expected"),
    [
        (1, PLAIN, ["read", "token", "copied", "token", "copied", "together", "token"]),
        (1, DRAFTING, ["read", "token", "copied", "token", "copied", "together", "token"]),
        (2, PLAIN, ["read", "token", "copied", "token", "together", "token"]),
        # Nothing was under way that could be read before the first pass over all.
        (2, DRAFTING, ["read", "token", "copied", "together", "token"]),
    ],
)
def test_answers_have_tokens_between_all_that_a_new_one_makes_them_wait_for(
    scheduler: Scheduler,
    monkeypatch: pytest.MonkeyPatch,
    streaming: int,
    speculation: SpeculationSettings,
    expected: list[str],
) -> None:
    """The last part of its prompt, the copying of its caches, and the first pass over all."""
    journal: list[str] = []
    join, feed = SequenceBatch.join, CountingModel.__call__

    def noted_join(batch: SequenceBatch, sequence: Sequence) -> None:
        journal.append("copied")
        join(batch, sequence)

    def noted_feed(fed: CountingModel, tokens: mx.array, cache: Any) -> mx.array:
        if tokens.shape[0] == streaming + 1 and "together" not in journal:
            journal.append("together")
        return feed(fed, tokens, cache)

    clients = [submit(scheduler, request(max_tokens=120, speculation=speculation)) for _ in range(streaming)]
    while not all(len(client.committed) > 5 for client in clients):
        scheduler.step()
    clients[0].on_event = lambda event: journal.append("token") if not isinstance(event, PrefillProgress) else None
    monkeypatch.setattr(SequenceBatch, "join", noted_join)
    monkeypatch.setattr(CountingModel, "__call__", noted_feed)
    arriving = submit(scheduler, request("lazy dog " * 60, max_tokens=20, speculation=speculation))
    arriving.on_event = lambda event: (
        journal.append("read") if isinstance(event, PrefillProgress) and event.done >= event.total - 1 else None
    )
    while journal[-1:] != ["token"] or "together" not in journal:
        scheduler.step()
    since = journal[journal.index("read") :]
    assert [after for before, after in pairwise(["", *since]) if before != after or after != "token"] == expected


@pytest.mark.parametrize("victim", [0, 1, 2])
def test_cancelling_one_of_a_batch_ends_it_at_once_and_leaves_the_others_alone(
    scheduler: Scheduler, victim: int
) -> None:
    asked = [request(text, max_tokens=30) for text in TEXTS[:3]]
    expected = [alone(scheduler, one).ids for one in asked]
    clients = [submit(scheduler, one) for one in asked]
    while len(clients[victim].committed) < 6 or not all(client.committed for client in clients):
        scheduler.step()
    clients[victim].stream.cancel()
    scheduler.step()
    assert clients[victim].finished.reason == "cancelled"
    while scheduler.busy:
        scheduler.step()
    for index, client in enumerate(clients):
        assert client.finished.ids == expected[index][: len(client.finished.ids)]
        assert index == victim or client.finished.ids == expected[index]
    # What it had read and written is still there for whoever asks again.
    [again] = run(scheduler, asked[victim])
    assert again.finished.ids == expected[victim]
    assert again.finished.stats.cached_tokens == again.finished.stats.prompt_tokens - 1


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_the_text_of_a_cancelled_answer_is_what_was_reported(scheduler: Scheduler, others: int, rounds: int) -> None:
    whole = alone(scheduler, request()).text
    # Whatever comes last might be the beginning of a stop string.
    stops = tuple(f"{character}\0" for character in sorted(set(whole)))
    client = submit(scheduler, request(stop=stops))
    guests = [submit(scheduler, request(TEXTS[1])) for _ in range(others)]
    while len(client.committed) < rounds or not all(guest.committed for guest in guests):
        scheduler.step()
    client.stream.cancel()
    while scheduler.busy:
        scheduler.step()
    assert client.finished.reason == "cancelled"
    assert client.finished.text == "".join(event.text for event in client.committed)


@pytest.mark.expects_log
def test_a_sampler_that_fails_ends_its_own_request_only(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [request(text, max_tokens=30) for text in TEXTS[:2]]
    expected = [alone(scheduler, one).ids for one in asked]
    draw = Sampler.draw

    def failing(sampler: Sampler, logprobs: mx.array, noise: mx.array | None) -> mx.array:
        if sampler.seed == 666:
            raise ValueError("a processor that fails, says the test")
        return draw(sampler, logprobs, noise)

    monkeypatch.setattr(Sampler, "draw", failing)
    clients = [submit(scheduler, one) for one in asked]
    while not all(client.committed for client in clients):
        scheduler.step()
    bad = submit(scheduler, request(TEXTS[2], temperature=0.5, seed=666))
    while scheduler.busy:
        scheduler.step()
    assert isinstance(bad.last, Failed)
    assert isinstance(bad.last.error, InternalFailure)
    assert [client.finished.ids for client in clients] == expected
    # Nor does it leave anything wrong in the prefix cache.
    monkeypatch.undo()
    [after] = run(scheduler, request(TEXTS[2]))
    assert after.finished.ids == alone(scheduler, request(TEXTS[2])).ids


@pytest.mark.expects_log
def test_a_batch_without_memory_continues_one_by_one(scheduler: Scheduler, model: CountingModel) -> None:
    asked = [request(text, max_tokens=24) for text in TEXTS[:3]]
    expected = [alone(scheduler, one).ids for one in asked]
    model.fails = lambda shape, _: shape[0] == 3
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected
    assert "turns" in clients[0].reasons


@pytest.mark.expects_log
@pytest.mark.parametrize("leaves", ["ends", "is cancelled", "is left alone"])
def test_caches_that_cannot_leave_a_batch_end_no_answer(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch, leaves: str
) -> None:
    asked = [request(text, max_tokens=most) for text, most in zip(TEXTS[:3], (12, 40, 40), strict=True)]
    asked = asked[1:] if leaves == "is left alone" else asked
    expected = [alone(scheduler, one).ids for one in asked]
    clients = [submit(scheduler, one) for one in asked]
    while not all(len(client.committed) > 3 for client in clients):
        scheduler.step()
    take_out, left = RowCaches.remove, [2 if leaves == "is left alone" else 1]

    def remove(rows: RowCaches, row: int) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("[metal::malloc] out of memory, says the test")
        return take_out(rows, row)

    monkeypatch.setattr(RowCaches, "remove", remove)
    if leaves != "ends":
        clients[0].stream.cancel()
    while scheduler.busy:
        scheduler.step()
    assert left[0] <= 0
    assert clients[0].finished.reason == ("length" if leaves == "ends" else "cancelled")
    assert [client.finished.ids for client in clients[1:]] == expected[1:]
    monkeypatch.undo()
    assert [client.finished.ids for client in run(scheduler, *asked)] == expected


@pytest.mark.expects_log
def test_only_the_request_that_makes_every_pass_fail_fails(scheduler: Scheduler, model: CountingModel) -> None:
    asked = [request(text, max_tokens=24) for text in TEXTS[:2]]
    expected = [alone(scheduler, one).ids for one in asked]
    model.fails = lambda shape, cache: shape[1] == 1 and mx.max(mx.array(cache[0].offset)).item() > 100
    clients = [submit(scheduler, one) for one in asked]
    bad = submit(scheduler, request("lazy dog " * 60, max_tokens=24))
    while scheduler.busy:
        scheduler.step()
    assert isinstance(bad.last, Failed)
    assert [client.finished.ids for client in clients] == expected


def test_answers_whose_rows_do_not_fit_take_turns(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a batch every row is as long as the longest text."""
    asked = [request("lazy dog " * 160, max_tokens=24), request(TEXTS[1], max_tokens=24)]
    expected = [alone(scheduler, one).ids for one in asked]
    clients = [submit(scheduler, one) for one in asked]
    while scheduler.active != 2:
        scheduler.step()
    monkeypatch.setattr(Models, "memory_use", lambda _: MemoryUse(0, 1000, 1000))
    while scheduler.busy:
        scheduler.step()
    assert [client.finished.ids for client in clients] == expected
    assert any("turns" in client.reasons for client in clients)


def test_a_draft_model_loaded_during_a_batch_drafts_for_the_last_answer_left(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel]
) -> None:
    asked = [request(max_tokens=60), request(TEXTS[1], max_tokens=12)]
    expected = [alone(scheduler, one).ids for one in asked]
    clients = [submit(scheduler, one) for one in asked]
    while len(clients[1].committed) < 4:
        scheduler.step()
    set_draft(scheduler, pair[0].info.path)
    while scheduler.busy:
        scheduler.step()
    assert [client.finished.ids for client in clients] == expected
    assert clients[0].finished.stats.accepted > 10


def too_large() -> mx.array:
    """More than any machine has: MLX's own out-of-memory error, not one that only looks like it."""
    array = mx.zeros((2**50,), mx.uint8)
    mx.eval(array)
    return array


@pytest.mark.expects_log
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize(
    "fault", [too_large, lambda: mx.zeros((2, 3)) + mx.zeros((5,))], ids=["no memory", "wrong shape"]
)
def test_an_error_of_mlx_itself_is_survived(
    scheduler: Scheduler, model: CountingModel, fault: Callable[[], mx.array], width: int
) -> None:
    """In a pass of one answer, or of the whole batch."""
    asked = [request(text, max_tokens=most, speculation=PLAIN) for text, most in zip(TEXTS[:2], (20, 40), strict=True)]
    expected = [alone(scheduler, one).ids for one in asked]
    left = 3

    def fails(shape: tuple[int, ...], _: Any) -> bool:
        nonlocal left
        if shape == (width, 1):
            left -= 1
            if left == 0:
                fault()
        return False

    model.fails = fails
    clients = run(scheduler, *asked)
    survivors = [client for client in clients if isinstance(client.last, Finished)]
    assert left <= 0
    assert len(survivors) >= width
    for client, ids in zip(clients, expected, strict=True):
        assert client not in survivors or client.finished.ids == ids
    assert [client.finished.ids for client in run(scheduler, *asked)] == expected
