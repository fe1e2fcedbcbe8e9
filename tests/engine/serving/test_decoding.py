"""Several answers at once: each has the text that it has alone, and they move between the decoders."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import mlx.core as mx
import pytest

from engine.events import Finished, PrefillProgress
from engine.main_model.loaded_model import LoadedModel
from engine.requests import SpeculationSettings
from engine.serving.pacing import PrefillPacer
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.choosing.pauses import Pauses
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import SequenceBatch
from engine.status import MemoryUse
from engine.upkeep.memory import ModelMemory
from tests.engine.endurance.counting_model import CountingModel
from tests.engine.serving_requests import PLAIN, Client, Expected, finish, request, run, set_draft, step_until, submit
from tests.engine.tiers import by_tier

pytestmark = pytest.mark.usefixtures("fixed_chunks")


DRAFTING = SpeculationSettings(method="draft", depth=3, sample_share=0.0)
TEXTS = ("the quick brown fox", "lazy dog jumps", "안녕하세요 세계", "the the the")


@pytest.mark.full
@pytest.mark.parametrize("temperature", by_tier([0.0, 0.9], [0.9]))
def test_sharing_a_batch_changes_no_text(
    scheduler: Scheduler, model: CountingModel, expected: Expected, temperature: float
) -> None:
    asked = [request(text, temperature=temperature, seed=i, max_tokens=12 + 4 * i) for i, text in enumerate(TEXTS)]
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected.ids(*asked)
    assert [client.finished.text for client in clients] == [expected(one).text for one in asked]
    assert model.most_rows == len(asked)
    assert all(client.finished.stats.accepted > 2 for client in clients)


@pytest.mark.first
def test_settings_of_one_request_do_not_reach_the_others(scheduler: Scheduler, expected: Expected) -> None:
    whole = expected(request(max_tokens=24)).text
    asked = [
        request(max_tokens=24),
        request(max_tokens=24, temperature=0.8, seed=3, top_k=5, top_p=0.9),
        request(max_tokens=24, repetition_penalty=1.4, presence_penalty=0.5, logit_bias={7: 3.0}),
        request(max_tokens=24, stop=(whole[8:11],)),
    ]
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected.ids(*asked)
    assert clients[3].finished.reason == "stop"
    assert clients[3].finished.text == whole[: whole.index(whole[8:11])]


def test_answers_that_end_together_cost_no_pass_beyond_their_last_token(
    scheduler: Scheduler, model: CountingModel
) -> None:
    run(scheduler, *(request(text, max_tokens=9, speculation=PLAIN) for text in TEXTS[:2]))
    assert [shape for shape in model.passes if shape[1] == 1] == [(2, 1)] * 9


class CloseModel(CountingModel):
    """Makes two tokens almost equally likely, the second a little likelier."""

    CLOSE = (200, 201)

    def __call__(self, tokens: mx.array, cache: Any) -> mx.array:
        logits = mx.zeros_like(super().__call__(tokens, cache)).astype(mx.float32)
        logits[..., self.CLOSE[0]] = 1.0
        logits[..., self.CLOSE[1]] = 1.0 + 2.0**-23
        return logits


@pytest.mark.full
@pytest.mark.parametrize("others", [{}, {"temperature": 0.9, "seed": 1}], ids=["greedy", "mixed"])
def test_near_ties_are_drawn_in_a_batch_as_alone(pair: tuple[LoadedModel, LoadedModel], others: dict[str, Any]) -> None:
    scheduler = Scheduler(EngineSettings(most_active=4))
    scheduler.changes.install(replace(pair[0], model=CloseModel(pair[0].model)), None)
    [alone] = run(scheduler, request(max_tokens=8))
    scheduler.clear_prefix_cache()
    together, _ = run(scheduler, request(max_tokens=8), request(TEXTS[1], max_tokens=8, **others))
    scheduler.close()
    assert alone.finished.ids == together.finished.ids == (CloseModel.CLOSE[1],) * 8


@pytest.mark.full
def test_log_probabilities_in_a_batch_are_those_of_plain_decoding(scheduler: Scheduler) -> None:
    def logprobs(client: Client) -> list[float]:
        return [token.logprob for event in client.committed for token in event.tokens]

    asked = [
        request(max_tokens=24, speculation=PLAIN),
        request(TEXTS[1], max_tokens=24, speculation=PLAIN, repetition_penalty=1.3),
    ]
    expected = [logprobs(run(scheduler, one)[0]) for one in asked]
    for client, values in zip(run(scheduler, *asked), expected, strict=True):
        assert logprobs(client) == pytest.approx(values, abs=1e-3)


def test_a_pause_before_anything_was_measured_ends_no_batch(
    scheduler: Scheduler, expected: Expected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pauses, "found", lambda _pauses, seconds: seconds / 2)
    asked = [request(text, max_tokens=12, speculation=DRAFTING) for text in TEXTS[:3]]
    assert [client.finished.ids for client in run(scheduler, *asked)] == expected.ids(*asked)


@pytest.mark.parametrize(
    ("speculation", "temperature", "count", "tokens"),
    [
        pytest.param(PLAIN, 0.9, 3, 50, marks=pytest.mark.full),
        (DRAFTING, 0.0, 2, 50),
        pytest.param(PLAIN, 0.0, 10, 160, marks=pytest.mark.full),
        pytest.param(DRAFTING, 0.9, 10, 160, marks=pytest.mark.full),
    ],
)
def test_moves_between_the_decoders_change_no_text_and_prefill_nothing_again(
    scheduler: Scheduler,
    model: CountingModel,
    expected: Expected,
    speculation: SpeculationSettings,
    temperature: float,
    count: int,
    tokens: int,
) -> None:
    long = request(max_tokens=tokens, temperature=temperature, speculation=speculation)
    short = request(TEXTS[1], max_tokens=4, speculation=PLAIN)
    client = submit(scheduler, long)
    guests: list[Client] = []
    while scheduler.busy:
        scheduler.step()
        served = all(one.events and isinstance(one.last, Finished) for one in guests)
        by_itself = bool(client.committed) and model.passes[-1][0] == 1
        if len(guests) < count and served and by_itself:
            scheduler.clear_prefix_cache()
            guests.append(submit(scheduler, short))
    assert len(guests) == count
    assert [client.finished.ids] == expected.ids(long)
    assert [*{one.finished.ids for one in guests}] == expected.ids(short)
    assert sum(before == 1 < after for (before, _), (after, _) in pairwise(model.passes)) >= count
    # Every prompt was prefilled in one pass; all others are rounds.
    assert sum(width > 4 for _, width in model.passes) == 1 + count
    stats = client.finished.stats
    if not stats.drafted:
        # The model reads every token once except the last of the answer. It reads a guest's last token, because the
        # next pass starts before that token is known to be the last.
        own = stats.prompt_tokens + stats.generated_tokens - 1
        assert model.tokens == own + sum(one.finished.stats.prompt_tokens + len(one.finished.ids) for one in guests)


@pytest.mark.full
def test_the_draft_model_reads_nothing_twice_on_the_way_into_a_batch_and_back(scheduler: Scheduler) -> None:
    [client, _] = run(scheduler, request(max_tokens=40), request(TEXTS[1], max_tokens=12))
    stats = client.finished.stats
    assert stats.drafted > 0
    assert stats.draft_prefill_tokens <= stats.prompt_tokens + 4


def test_requests_begin_in_the_order_of_submission(scheduler: Scheduler) -> None:
    begun: list[int] = []
    clients = [submit(scheduler, request(max_tokens=8, speculation=PLAIN)) for _ in range(6)]
    while scheduler.busy:
        scheduler.step()
        begun += [index for index, client in enumerate(clients) if client.committed and index not in begun]
    assert begun == list(range(6))


def test_a_long_prompt_is_prefilled_between_the_steps_of_running_answers(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda _, streaming, **__: 32 if streaming else 512)
    streaming = submit(scheduler, request(max_tokens=60))
    step_until(scheduler, lambda: streaming.committed)
    before = len(streaming.committed)
    reading = submit(scheduler, request("lazy dog " * 60, max_tokens=2))
    step_until(scheduler, lambda: reading.committed)
    pieces = [event for event in reading.events if isinstance(event, PrefillProgress)]
    assert [event.done for event in pieces] == [0, 32, 64, 96, 128, 139]
    assert len(streaming.committed) - before >= len(pieces) - 1


@pytest.mark.full
@pytest.mark.parametrize(
    ("streaming", "speculation", "expected"),
    [
        pytest.param(
            1, PLAIN, ["read", "token", "copied", "token", "copied", "together", "token"], marks=pytest.mark.full
        ),
        (1, DRAFTING, ["read", "token", "copied", "token", "copied", "together", "token"]),
        pytest.param(2, PLAIN, ["read", "token", "copied", "token", "together", "token"], marks=pytest.mark.full),
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
    """They wait for the last part of its prompt, the copying of its caches, and the first pass over all."""
    journal: list[str] = []
    join, feed = SequenceBatch.join, CountingModel.__call__

    def noted_join(batch: SequenceBatch, sequence: CachedSequence) -> None:
        if type(batch) is SequenceBatch:
            journal.append("copied")
        join(batch, sequence)

    def noted_feed(fed: CountingModel, tokens: mx.array, cache: Any) -> mx.array:
        if tokens.shape[0] == streaming + 1 and "together" not in journal:
            journal.append("together")
        return feed(fed, tokens, cache)

    clients = [submit(scheduler, request(max_tokens=60, speculation=speculation)) for _ in range(streaming)]
    step_until(scheduler, lambda: all(len(client.committed) > 5 for client in clients))
    clients[0].on_event = lambda event: journal.append("token") if not isinstance(event, PrefillProgress) else None
    monkeypatch.setattr(SequenceBatch, "join", noted_join)
    monkeypatch.setattr(CountingModel, "__call__", noted_feed)
    arriving = submit(scheduler, request("lazy dog " * 60, max_tokens=20, speculation=speculation))
    arriving.on_event = lambda event: (
        journal.append("read") if isinstance(event, PrefillProgress) and event.done >= event.total - 1 else None
    )
    step_until(scheduler, lambda: journal[-1:] == ["token"] and "together" in journal)
    since = journal[journal.index("read") :]
    assert [after for before, after in pairwise(["", *since]) if before != after or after != "token"] == expected


@pytest.mark.full
@pytest.mark.parametrize("victim", by_tier([0, 2], [0]))
def test_cancelling_one_of_a_batch_ends_it_at_once_and_leaves_the_others_alone(
    scheduler: Scheduler, expected: Expected, victim: int
) -> None:
    asked = [request(text, max_tokens=16) for text in TEXTS[:3]]
    texts = expected.ids(*asked)
    clients = [submit(scheduler, one) for one in asked]
    step_until(scheduler, lambda: len(clients[victim].committed) > 3 and all(client.committed for client in clients))
    clients[victim].stream.cancel()
    scheduler.step()
    assert clients[victim].finished.reason == "cancelled"
    finish(scheduler)
    for index, client in enumerate(clients):
        assert client.finished.ids == texts[index][: len(client.finished.ids)]
        assert index == victim or client.finished.ids == texts[index]
    # The cache of the prompt is still there for the next request.
    [again] = run(scheduler, asked[victim])
    assert again.finished.ids == texts[victim]
    assert again.finished.stats.cached_tokens == again.finished.stats.prompt_tokens - 1


@pytest.mark.full
@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize("rounds", [1, pytest.param(2, marks=pytest.mark.full), 5])
def test_the_text_of_a_cancelled_answer_is_what_was_reported(
    scheduler: Scheduler, expected: Expected, others: int, rounds: int
) -> None:
    # Any last character might begin a stop string.
    stops = tuple(f"{character}\0" for character in sorted(set(expected(request()).text)))
    client = submit(scheduler, request(stop=stops))
    guests = [submit(scheduler, request(TEXTS[1])) for _ in range(others)]
    step_until(scheduler, lambda: len(client.committed) >= rounds and all(guest.committed for guest in guests))
    for one in (client, *guests):
        one.stream.cancel()
    finish(scheduler)
    assert client.finished.reason == "cancelled"
    assert client.finished.text == "".join(event.text for event in client.committed)


def test_answers_whose_rows_do_not_fit_take_turns(
    scheduler: Scheduler, expected: Expected, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a batch every row is as long as the longest text."""
    asked = [request("lazy dog " * 160, max_tokens=12), request(TEXTS[1], max_tokens=12)]
    texts, clients = expected.ids(*asked), [submit(scheduler, one) for one in asked]
    step_until(scheduler, lambda: scheduler.active == 2)
    monkeypatch.setattr(ModelMemory, "use", lambda _: MemoryUse(0, 1000, 1000))
    finish(scheduler)
    assert [client.finished.ids for client in clients] == texts
    assert any("turns" in client.reasons for client in clients)


@pytest.mark.full
def test_a_draft_model_loaded_during_a_batch_drafts_for_the_last_answer_left(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], expected: Expected
) -> None:
    asked = [request(max_tokens=40), request(TEXTS[1], max_tokens=10)]
    clients = [submit(scheduler, one) for one in asked]
    step_until(scheduler, lambda: len(clients[1].committed) >= 2)
    set_draft(scheduler, pair[0].info.path)
    finish(scheduler)
    assert [client.finished.ids for client in clients] == expected.ids(*asked)
    assert clients[0].finished.stats.accepted > 10
