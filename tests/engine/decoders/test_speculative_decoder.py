"""The attribution of a round's seconds, on a clock that only forward passes and listeners advance."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from msgspec.structs import replace as replace_fields

from engine.events import Finished, PrefillProgress, TokensCommitted
from engine.main_model.loaded_model import LoadedModel
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.choosing.choice import MeasuredRound
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.texts import AnswerState
from engine.speculation.drafters.sources import DraftSource
from engine.speculation.proposers import draft_model
from engine.tuning import KeyRange, Rounding, WidthCost
from tests.engine.passed_on import PassedOn
from tests.engine.serving_requests import PLAIN, Client, request, submit
from tests.engine.tiers import by_tier

MAIN_S, DRAFT_S, LISTENER_S, NIGHT_S = 1.0, 0.125, 0.5, 8 * 3600.0
DRAFT = SpeculationSettings(method="draft", depth=3)


class DecoderClock:
    """Replaces `time.perf_counter`."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class TimedModel(PassedOn):
    """Calls `model`; a pass takes `seconds`."""

    def __init__(self, model: Any, clock: DecoderClock, seconds: float) -> None:
        super().__init__(model)
        self._clock, self._seconds = clock, seconds
        # Passes until the computer sleeps through one.
        self.sleeps_in = 0

    def __call__(self, tokens: mx.array, cache: Any) -> mx.array:
        self.sleeps_in -= 1
        self._clock.now += self._seconds + (NIGHT_S if self.sleeps_in == 0 else 0.0)
        return super().__call__(tokens, cache)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> DecoderClock:
    clock = DecoderClock()
    monkeypatch.setattr(time, "perf_counter", clock)
    return clock


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel], clock: DecoderClock, tmp_path: Path) -> Iterator[Scheduler]:
    def timed(loaded: LoadedModel, seconds: float) -> LoadedModel:
        return replace(loaded, model=TimedModel(loaded.model, clock, seconds))

    scheduler = Scheduler(EngineSettings(learned_file=tmp_path / "learned.json"))
    scheduler.changes.install(timed(pair[0], MAIN_S), timed(pair[1], DRAFT_S))
    yield scheduler
    scheduler.close()


def answer(
    scheduler: Scheduler, clock: DecoderClock, speculation: SpeculationSettings, *, listening: float = 0.0
) -> Client:
    """Ask, and spend `listening` seconds in the listener for every round."""
    client = submit(scheduler, request(max_tokens=12, speculation=speculation))

    def listen(event: object) -> None:
        clock.now += listening * isinstance(event, TokensCommitted)

    client.on_event = listen
    while scheduler.busy:
        scheduler.step()
    return client


@pytest.mark.full
@pytest.mark.parametrize("speculation", [PLAIN, DRAFT], ids=["plain", "draft"])
def test_passes_are_no_host_time_and_all_of_decoding_is_accounted_for(
    scheduler: Scheduler, clock: DecoderClock, speculation: SpeculationSettings
) -> None:
    client = submit(scheduler, request(max_tokens=12, speculation=speculation))
    told: list[float] = []
    client.on_event = lambda event: told.append(clock.now) if isinstance(event, PrefillProgress) else None
    while scheduler.busy:
        scheduler.step()
    stats = client.finished.stats
    assert told[-1] >= MAIN_S
    assert stats.host_s == 0.0
    assert stats.draft_s + stats.verify_s == pytest.approx(clock.now - told[-1])


@pytest.mark.parametrize("sleeps_in", [0, 2])
def test_catch_up_counts_as_drafting_but_not_a_night_in_it(
    scheduler: Scheduler, clock: DecoderClock, monkeypatch: pytest.MonkeyPatch, sleeps_in: int
) -> None:
    monkeypatch.setattr(draft_model, "PREFILL_CHUNK", 2)
    drafter = scheduler.models.drafting.drafter
    assert isinstance(drafter, DraftSource)
    assert isinstance(drafter.model.model, TimedModel)
    drafter.model.model.sleeps_in = sleeps_in
    stats = answer(scheduler, clock, DRAFT).finished.stats
    assert (clock.now > NIGHT_S) == bool(sleeps_in)
    pieces = stats.draft_prefill_tokens // 2
    assert pieces > 3
    assert stats.host_s == 0.0
    assert pieces * DRAFT_S <= stats.draft_s < NIGHT_S
    assert stats.decode_tps is not None
    assert stats.decode_tps > 0.1 / MAIN_S


def test_what_a_listener_takes_between_two_rounds_is_host_time(scheduler: Scheduler, clock: DecoderClock) -> None:
    client = answer(scheduler, clock, DRAFT, listening=LISTENER_S)
    records = [event.round for event in client.committed]
    assert len(records) > 3
    assert [record.host_s for record in records] == pytest.approx([0.0, *[LISTENER_S] * (len(records) - 1)])


@pytest.mark.full
def test_the_prompt_of_another_request_is_charged_to_no_round(scheduler: Scheduler, clock: DecoderClock) -> None:
    """The round that follows lasts as long as it does alone."""
    client = submit(scheduler, request(max_tokens=24, speculation=DRAFT))
    while len(client.committed) < 3:
        scheduler.step()
    before = clock.now
    other = submit(scheduler, request("lazy dog " * 30, max_tokens=2, speculation=DRAFT))
    while len(client.committed) < 4:
        scheduler.step()
    assert any(isinstance(event, PrefillProgress) and event.done for event in other.events)
    record = client.committed[3].round
    assert record.host_s == 0.0
    assert record.draft_s + record.verify_s == pytest.approx(MAIN_S + 3 * DRAFT_S)
    assert clock.now - before >= 2 * MAIN_S
    while scheduler.busy:
        scheduler.step()


def test_the_prompt_of_an_answer_that_joins_a_batch_is_charged_to_no_round(
    scheduler: Scheduler, clock: DecoderClock
) -> None:
    first = submit(scheduler, request(max_tokens=24, speculation=PLAIN))
    while len(first.committed) < 3:
        scheduler.step()
    joining = submit(scheduler, request("lazy dog " * 30, max_tokens=12, speculation=PLAIN))
    told: list[float] = []
    joining.on_event = lambda event: told.append(clock.now) if isinstance(event, PrefillProgress) else None
    submitted_at = clock.now
    while scheduler.busy:
        scheduler.step()
    stats = joining.finished.stats
    assert told[-1] - submitted_at >= MAIN_S
    assert stats.draft_s + stats.verify_s + stats.host_s <= clock.now - told[-1]


def what_is_observed(monkeypatch: pytest.MonkeyPatch) -> list[MeasuredRound]:
    """Return a list that receives the rounds that controllers learn from."""
    heard: list[MeasuredRound] = []
    observe_round = Controller.observe_round

    def observed(controller: Controller, answer: AnswerState, measured: MeasuredRound) -> None:
        heard.append(measured)
        observe_round(controller, answer, measured)

    monkeypatch.setattr(Controller, "observe_round", observed)
    return heard


def test_a_plain_round_is_typical_only_where_it_takes_one_step(
    scheduler: Scheduler, clock: DecoderClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a launch takes a pass's time, so the first plain round of a run takes two steps, and the last one none."""
    heard = what_is_observed(monkeypatch)
    answer(scheduler, clock, SpeculationSettings(method="draft"))
    # The first round always counts, because nothing is known before.
    plain = [measured for measured in heard[1:] if measured.draft is None]
    assert {measured.seconds for measured in plain} > {MAIN_S}
    assert {measured.seconds for measured in plain if measured.typical} == {MAIN_S}


def test_the_reading_of_the_prompt_is_not_charged_to_the_answers_first_round(
    scheduler: Scheduler, clock: DecoderClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long prompt would let exploration cost much of a short answer, and hide that speculation saves time."""
    heard = what_is_observed(monkeypatch)
    answer(scheduler, clock, DRAFT)
    assert heard[0].seconds == pytest.approx(MAIN_S + 3 * DRAFT_S)


@pytest.mark.parametrize("method", by_tier(["plain", "draft", "auto", "batch"], ["batch"]))
def test_nights_in_the_middle_of_answers_are_in_no_figure(
    scheduler: Scheduler, clock: DecoderClock, method: str
) -> None:
    speculation = {"plain": PLAIN, "draft": DRAFT}.get(method, SpeculationSettings())
    asked = [request(text, max_tokens=24, speculation=speculation) for text in ("the quick brown fox", "lazy dog")]
    model, costs = scheduler.models.main.model, scheduler.models.drafting.controller.costs
    assert isinstance(model, TimedModel)
    learned: list[float] = []
    # The first answer tells what is usual.
    for sleeps_in in (0, *range(2, 12, 3)):
        scheduler.clear_prefix_cache()
        clients = [submit(scheduler, one) for one in (asked if method == "batch" else asked[:1])]
        while not all(client.committed for client in clients):
            scheduler.step()
        ended_at: list[float] = []
        # Of two answers, the other one may end later.
        clients[0].on_event = lambda event, ended_at=ended_at: (
            ended_at.append(clock.now) if isinstance(event, Finished) else None
        )
        model.sleeps_in, before = sleeps_in, clock.now
        while scheduler.busy:
            scheduler.step()
        awake_s = ended_at[0] - before
        if sleeps_in:
            assert awake_s > NIGHT_S
            awake_s -= NIGHT_S
        stats = clients[0].finished.stats
        assert stats.decode_tps is not None
        assert (stats.generated_tokens - 1) / stats.decode_tps == pytest.approx(awake_s, rel=0.1, abs=MAIN_S)
        assert stats.draft_s + stats.verify_s + stats.host_s < 1.1 * awake_s + 2 * MAIN_S
        if stats.plain_tps is not None:
            assert stats.plain_tps == pytest.approx(1.0 / MAIN_S, rel=0.1)
        if costs.known:
            learned.append(costs.verify(len(clients)).seconds)
    # After so few rounds, a pass of two rows is not yet told apart from the drafting before it.
    assert learned == pytest.approx([MAIN_S] * len(learned), rel=0.2)


@pytest.mark.expects_log
@pytest.mark.parametrize(
    ("rows", "method"), by_tier([(4, "draft"), (2, "batch"), (8, "draft")], [(4, "draft"), (2, "batch")])
)
def test_a_stalled_round_with_kernels_of_ours_turns_them_off_until_the_program_ends(
    scheduler: Scheduler, clock: DecoderClock, rows: int, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    chosen = Rounding((KeyRange(4096, 8),), (WidthCost(rows, 2.0, 1.2, used=True, alike=True),))
    models, model, served = scheduler.models, scheduler.models.main.model, rows != 8
    models.controllers.rounding = chosen
    assert isinstance(model, TimedModel)
    claims = []
    # The first answer tells what is expected.
    for sleeps_in in (0, 2, 2):
        scheduler.clear_prefix_cache()
        asked = request(max_tokens=24, speculation=DRAFT if method == "draft" else PLAIN)
        clients = [submit(scheduler, asked) for _ in range(1 if method == "draft" else 2)]
        while not all(client.committed for client in clients):
            scheduler.step()
        model.sleeps_in, before = sleeps_in, clock.now
        while scheduler.busy:
            scheduler.step()
        assert (clock.now - before > NIGHT_S) == (sleeps_in > 0)
        claims.append(clients[0].finished.stats.rounding)
    assert models.rounding == (Rounding((KeyRange(1, 1),), stalled=True) if served else chosen)
    if method == "draft":
        assert claims == ["identical", *(["rounded"] * 2 if served else ["identical"] * 2)]
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == served
    # The next start tries them again, and `tandem doctor` tells what was.
    with closing(Scheduler(scheduler.settings)) as next_start:
        next_start.changes.install(replace(models.main, model=model), None)
        assert next_start.models.rounding == (replace_fields(chosen, stalled=True) if served else None)
