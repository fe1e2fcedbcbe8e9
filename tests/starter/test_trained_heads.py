"""Small trained heads of the starter's main model: their proposals are accepted and change no text.

Random weights test arithmetic. An error in a norm, a rotary position or a tap shows only in the acceptance rate of a
trained head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.files.steps import run_to_completion
from engine.heads.chain_head import ChainHead
from engine.heads.eagle_network import EagleHead
from engine.main_model.loading import load
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.drafters.sources import HeadSource
from engine.speculation.rereading import ENOUGH_ROWS
from engine.speculation.rounds.tap_choice import choose_reading
from resources.starter.recipe.content import LANGUAGES, read_held_out
from tests.engine.heads.heads_on_disk import load_head
from tests.engine.lossless.chain_sessions import assert_as_read_anew
from tests.engine.serving_requests import PLAIN, alone, load_models, request, run
from tests.engine.tiers import by_tier

HERE = Path(__file__).parent
STARTER = HERE.parents[1] / "resources" / "starter"
MAIN = STARTER / "main"
DEPTH = 4
# Just below the measured acceptance rates.
FLOORS = {"eagle3": 0.82, "mtp": 0.97}
QUESTIONS = [question.turns[-1] for language in LANGUAGES for question in read_held_out(language)[:1]]
HEAD = SpeculationSettings(method="draft", depth=DEPTH, sample_share=0.0)


@pytest.fixture(scope="module", params=by_tier(FLOORS, ("mtp",)))
def scheduler(request: pytest.FixtureRequest) -> Iterator[Scheduler]:
    """Load the starter's main model with one of the heads."""
    scheduler = Scheduler()
    pair = load_models(scheduler, MAIN, HERE / "heads" / request.param)
    assert pair.draft_problem is None
    yield scheduler
    scheduler.close()


def head_of(scheduler: Scheduler) -> HeadSource:
    source = scheduler.models.drafter
    assert isinstance(source, HeadSource)
    return source


def accept_rate(scheduler: Scheduler, questions: Sequence[str] = QUESTIONS) -> float:
    stats = [alone(scheduler, request(text, max_tokens=80, speculation=HEAD)).stats for text in questions]
    return sum(one.accepted for one in stats) / sum(one.drafted for one in stats)


@pytest.mark.parametrize(
    ("scheduler", "floor"), by_tier(FLOORS.items(), (("mtp", FLOORS["mtp"]),)), indirect=["scheduler"]
)
def test_a_trained_head_is_right_as_often_as_it_was_measured(scheduler: Scheduler, floor: float) -> None:
    assert accept_rate(scheduler) >= floor


def states_reversed(taps: mx.array) -> mx.array:
    """Reverse the order of the tapped layers."""
    width = 256
    return mx.concatenate(mx.split(taps, taps.shape[-1] // width, axis=-1)[::-1], axis=-1)


def states_late(taps: mx.array) -> mx.array:
    """Shift the rows by one position."""
    return mx.concatenate([taps[:, :1], taps[:, :-1]], axis=1)


@pytest.mark.full
@pytest.mark.parametrize(
    ("scheduler", "floor", "mutant"),
    [
        ("eagle3", FLOORS["eagle3"], states_reversed),
        ("eagle3", FLOORS["eagle3"], states_late),
        ("mtp", FLOORS["mtp"], states_late),
    ],
    indirect=["scheduler"],
)
def test_a_trained_head_that_is_fed_wrongly_is_noticed(
    scheduler: Scheduler, floor: float, mutant: Callable[[mx.array], mx.array], monkeypatch: pytest.MonkeyPatch
) -> None:
    head = head_of(scheduler).head
    assert isinstance(head, ChainHead)
    states_of = head.states_of
    monkeypatch.setattr(head, "states_of", lambda taps: states_of(mutant(taps)))
    assert accept_rate(scheduler, QUESTIONS[:2]) < floor - 0.1


@pytest.mark.full
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_text_is_that_of_plain_decoding_and_the_cache_that_of_one_pass(
    scheduler: Scheduler, temperature: float
) -> None:
    for text in QUESTIONS[:1]:
        asked = request(text, max_tokens=40, temperature=temperature, speculation=HEAD)
        expected = alone(scheduler, replace(asked, speculation=PLAIN))
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert client.finished.stats.accepted > 0
        assert_as_read_anew(scheduler)


@pytest.mark.full
def test_a_prompt_that_was_cached_without_the_head_is_drafted_as_well_as_a_new_one() -> None:
    """Without reading rows again there are 4.6 tokens a round in place of 6.8."""
    scheduler = Scheduler()
    load_models(scheduler, MAIN, STARTER / "head")
    speculation = SpeculationSettings(method="draft", depth=7, sample_share=0.0)
    rounds = {"cold": 0, "cached": 0}
    for text in QUESTIONS[:2]:
        asked = request(text, max_tokens=60, speculation=speculation)
        cold = alone(scheduler, asked)
        # What was measured on this machine would decide how many rows are read again.
        scheduler.models.drafting.forget()
        [plain] = run(scheduler, replace(asked, speculation=PLAIN))
        [cached] = run(scheduler, asked)
        stats = cached.finished.stats
        assert stats.cached_tokens == stats.prompt_tokens - 1 - ENOUGH_ROWS
        assert cached.finished.ids == plain.finished.ids == cold.ids
        rounds["cold"] += cold.stats.rounds
        rounds["cached"] += stats.rounds
    scheduler.close()
    assert rounds["cached"] <= 1.05 * rounds["cold"]


@pytest.mark.parametrize("taps", [(0, 2, 4), pytest.param((1, 3, 5), marks=pytest.mark.full)])
def test_the_layers_that_a_head_was_trained_on_are_found(taps: tuple[int, ...]) -> None:
    """The ids 1, 3, 5 mean outputs in this head, whichever reading is tried first."""
    head = load_head(HERE / "heads" / "eagle3")
    assert isinstance(head, EagleHead)
    assert set(head.config.tap_choices) == {(0, 2, 4), (1, 3, 5)}
    head.use(taps)
    assert run_to_completion(choose_reading(load(MAIN), head)) == (1, 3, 5)
