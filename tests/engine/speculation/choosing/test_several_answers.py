"""The controller's choices for several answers, and their speed on a clock that only forward passes advance."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from statistics import mean
from typing import Any

import mlx.core as mx
import pytest

from engine.main_model.loaded_model import LoadedModel
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.choosing.choice import Choice, MeasuredRound, Offer
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.texts import AnswerState
from tests.engine.serving_requests import PLAIN, request, submit
from tests.engine.speculation.choosing.scenes import measure
from tests.engine.tiers import by_tier

Cost = Callable[[int], float]
AUTO = SpeculationSettings(method="auto")
TOKENS = 160
DRAFT_S = 0.06


def flat(rows: int) -> float:
    """Cost a pass whose products are bound by memory, as on a Mac: each row adds a hundredth."""
    return 1.0 + 0.01 * rows


def staircase(rows: int) -> float:
    """Cost quantised products from M3 on, which read the weights again for every five rows."""
    return 0.3 + 0.7 * (1.0 + 0.85 * ((rows - 1) // 5)) + 0.01 * rows


def two_cores(rows: int) -> float:
    """Cost the starter's main model on two CPU cores, interpolated between powers of two."""
    known = ((1, 1.0), (2, 1.2), (4, 1.5), (8, 1.8), (16, 2.6), (32, 2.9), (64, 5.5))
    for (few, before), (many, after) in pairwise(known):
        if rows <= many:
            return before + (after - before) * (rows - few) / (many - few)
    return known[-1][1] * rows / known[-1][0]


def proportional(rows: int) -> float:
    """Cost a pass that is bound by computation: twice the rows take twice as long."""
    return 0.02 + 0.25 * rows


class RoundClock:
    """Replaces `time.perf_counter`."""

    def __init__(self) -> None:
        self.now = 1.0

    def __call__(self) -> float:
        # No round takes no time at all.
        self.now += 1e-5
        return self.now


class SimulatedModel:
    """Predicts `script[p]` for position p; a pass advances the clock by `cost` of its rows."""

    def __init__(self, script: list[int], vocabulary: int, clock: RoundClock, cost: Cost) -> None:
        self.layers = [None]
        self.script = mx.array([*script, 0])
        self._ids = mx.arange(vocabulary)
        self._clock, self._cost = clock, cost

    def parameters(self) -> dict[str, Any]:
        return {}

    def __call__(self, tokens: mx.array, cache: Any) -> mx.array:
        rows, width = tokens.shape
        start = mx.array(cache[0].offset).reshape(-1, 1)
        written = mx.zeros((rows, 1, width, 1))
        cache[0].update_and_fetch(written, written)
        # Prompts have a fixed cost.
        self._clock.now += self._cost(rows * width) if width < 20 else 1.0
        wanted = mx.take(self.script, mx.minimum(mx.arange(1, width + 1) + start, len(self.script) - 1))
        return 10.0 * (self._ids == wanted[..., None])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[RoundClock]:
    clock = RoundClock()
    # A replayed pass would not advance the clock, so nothing is compiled.
    monkeypatch.setattr("engine.speculation.drafters.sources.compiled_steps", lambda _: iter(()))
    with monkeypatch.context() as patched:
        patched.setattr(time, "perf_counter", clock)
        yield clock


def simulated(pair: tuple[LoadedModel, LoadedModel], clock: RoundClock, cost: Cost, accept: float) -> Scheduler:
    main = SimulatedModel(script_of(pair[0], 1.0), pair[0].vocabulary, clock, cost)
    draft = SimulatedModel(script_of(pair[0], accept), pair[0].vocabulary, clock, lambda _: DRAFT_S)
    return serving(pair, main, draft)


def script_of(model: LoadedModel, right: float) -> list[int]:
    """Return the predictions for each position; `right` is the share on which the main model agrees."""
    draw = random.Random(7)
    script = [draw.randrange(30, model.vocabulary) for _ in range(500)]
    return [token if draw.random() < right else 29 for token in script]


def serving(pair: tuple[LoadedModel, LoadedModel], main: SimulatedModel, draft: SimulatedModel) -> Scheduler:
    scheduler = Scheduler(EngineSettings(most_active=8))
    scheduler.changes.install(replace(pair[0], model=main), replace(pair[1], model=draft))
    return scheduler


def tokens_per_second(scheduler: Scheduler, clock: RoundClock, count: int, speculation: SpeculationSettings) -> float:
    scheduler.clear_prefix_cache()
    asked = [
        request("lazy dog " * (1 + index % 3), max_tokens=TOKENS, speculation=speculation) for index in range(count)
    ]
    started = clock.now
    clients = [submit(scheduler, one) for one in asked]
    while scheduler.busy:
        scheduler.step()
    assert all(len(client.finished.ids) == TOKENS for client in clients)
    return count * TOKENS / (clock.now - started)


@pytest.mark.parametrize(
    ("cost", "count", "accept", "least"),
    by_tier(
        [
            *((flat, 2, 0.8, 2.2), (flat, 4, 0.8, 1.9), (flat, 8, 0.8, 1.5), (flat, 4, 0.0, 0.97)),
            *(
                (two_cores, 4, 0.85, 1.15),
                (two_cores, 8, 0.85, 1.2),
                (staircase, 2, 0.8, 1.5),
                (staircase, 4, 0.8, 0.97),
            ),
            *((proportional, 2, 0.8, 0.97), (proportional, 4, 0.4, 0.97), (proportional, 8, 0.8, 0.96)),
        ],
        [(proportional, 2, 0.8, 0.97)],
    ),
)
def test_a_batch_gains_where_passes_allow_it_and_loses_nowhere(
    pair: tuple[LoadedModel, LoadedModel], clock: RoundClock, cost: Cost, count: int, accept: float, least: float
) -> None:
    scheduler = simulated(pair, clock, cost, accept)
    plain = tokens_per_second(scheduler, clock, count, PLAIN)
    tokens_per_second(scheduler, clock, count, AUTO)
    # An answer that explores may lose up to 5 %, so the mean of three counts.
    gained = mean(tokens_per_second(scheduler, clock, count, AUTO) for _ in range(3)) / plain
    scheduler.close()
    assert gained >= least


@pytest.mark.full
@pytest.mark.parametrize("count", by_tier([2, 4], [2]))
def test_a_batch_in_which_nothing_was_right_is_not_the_last_one_to_speculate(
    pair: tuple[LoadedModel, LoadedModel], clock: RoundClock, count: int
) -> None:
    vocabulary = pair[0].vocabulary
    main = SimulatedModel(script_of(pair[0], 1.0), vocabulary, clock, flat)
    wrong, right = (SimulatedModel(script_of(pair[0], share), vocabulary, clock, lambda _: DRAFT_S) for share in (0, 1))
    draft = SimulatedModel([], vocabulary, clock, lambda _: DRAFT_S)
    draft.script = wrong.script
    scheduler = serving(pair, main, draft)
    plain = tokens_per_second(scheduler, clock, count, PLAIN)
    for _ in range(2):
        tokens_per_second(scheduler, clock, count, AUTO)
    draft.script = right.script
    tokens_per_second(scheduler, clock, count, AUTO)
    gained = tokens_per_second(scheduler, clock, count, AUTO) / plain
    scheduler.close()
    assert gained >= 1.5


RATE = 0.8


@pytest.fixture
def controller() -> Controller:
    """The controller of a pair whose draft tokens are accepted in four of five cases; plain rounds take a second."""
    controller = Controller()
    answer = controller.begin()
    measure(answer.costs, depths=(1, 2, 4), plain_s=1.0)
    for _ in range(10):
        answer.costs.observe(5, 1.15, ("draft", 4), 0.05)
    for kept in (4, 4, 2, 4, 0, 4, 4, 3, 4, 4) * 4:
        controller.begin().observe("draft", 4, kept)
    return controller


def begin(controller: Controller, count: int) -> list[AnswerState]:
    return [controller.begin() for _ in range(count)]


def wide(answers: int, depth: int) -> float:
    """Return the seconds of a round on a machine whose passes hardly grow with the row."""
    return 1.0 + 0.02 * answers * (depth + 1) + 0.05 * depth


def narrow(answers: int, depth: int) -> float:
    """Return the seconds of a round if each row beyond the first four takes as long as a pass."""
    return 1.0 + 0.02 * answers + max(0.0, answers * (depth + 1) - 4) + 0.05 * depth


def play(
    controller: Controller,
    answers: list[AnswerState],
    rounds: int,
    seconds: Callable[[int, int], float] = wide,
    spoilt: int = 0,
    offers: list[Offer] | None = None,
) -> list[list[Choice]]:
    """Play rounds; the first `spoilt` ones with draft tokens take three times as long."""
    chosen, draw = [], random.Random(3)
    for _ in range(rounds):
        choices = controller.choose([*zip(answers, offers or [Offer({"draft": 4})] * len(answers), strict=True)])
        depth, tokens = max(choice.depth for choice in choices), 0
        drafting = any(choice.source == "draft" for choice in choices)
        accepted = [
            next((index for index in range(choice.depth) if draw.random() >= RATE), choice.depth) for choice in choices
        ]
        for answer, choice, right in zip(answers, choices, accepted, strict=True):
            controller.observe(answer, choice, choice.depth, choice.depth, right)
            tokens += right + 1
        took = seconds(len(answers), depth) * (3.0 if depth and spoilt else 1.0)
        spoilt -= depth > 0 and spoilt > 0
        draft = ("draft", depth) if drafting else None
        draft_s = 0.05 * depth if drafting else None
        rows = len(answers) * (depth + 1)
        controller.observe_round(answers[0], MeasuredRound(rows, tokens, took, draft, draft_s, answers=len(answers)))
        chosen.append(choices)
    return chosen


def depths(chosen: list[list[Choice]]) -> list[int]:
    return [max(choice.depth for choice in choices) for choices in chosen]


@pytest.mark.parametrize(("seconds", "least", "most"), [(wide, 3, 4), (narrow, 0, 0)])
def test_the_width_is_the_one_that_brings_most_tokens_a_second(
    controller: Controller, seconds: Callable[[int, int], float], least: int, most: int
) -> None:
    found = depths(play(controller, begin(controller, 4), 60, seconds))[-20:]
    assert sum(least <= depth <= most for depth in found) >= 18


def test_where_an_answer_ends_the_others_go_on_as_they_were(controller: Controller) -> None:
    answers = begin(controller, 4)
    assert depths(play(controller, answers, 40))[-1] >= 3
    # Passes of as many rows are known: at most a plain round of so many answers is measured.
    assert all(depth >= 3 for depth in depths(play(controller, answers[:3], 10))[1:])


def test_each_answer_proposes_what_it_expects_most_of(controller: Controller) -> None:
    """Lookup costs nothing beside the draft model."""
    answers = begin(controller, 2)
    play(controller, answers, 30)
    for _ in range(10):
        for answer, found in zip(answers, (4, 0), strict=True):
            answer.observe("ngram", 4, found)
            answer.observe("draft", 4, 3)
    [first, second] = controller.choose([(answer, Offer({"draft": 4, "ngram": 4})) for answer in answers])
    assert (first.source, second.source) == ("ngram", "draft")


def test_a_depth_that_a_user_fixed_is_kept_beside_free_ones(controller: Controller) -> None:
    fixed, plain = Choice("draft", 3), Choice(None, 0, "off")
    answers = begin(controller, 3)
    offers = [Offer(forced=fixed), Offer({"draft": 4}), Offer(forced=plain)]
    for choices in play(controller, answers, 30, offers=offers):
        assert choices[0] == fixed
        assert choices[2] == plain
    # The rows are as wide as the fixed one anyway, so the free answer uses them.
    assert choices[1].depth >= 3


def test_the_first_rounds_of_so_many_answers_are_plain_until_that_is_measured() -> None:
    controller = Controller()
    answers = begin(controller, 2)
    [first, *_] = play(controller, answers, 8)
    assert [choice.reason for choice in first] == ["measuring", "measuring"]
    assert any(depths(play(controller, answers, 12)))
