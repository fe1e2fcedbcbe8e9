"""The cost of exploration when no plan pays, and its repetition."""

from __future__ import annotations

import pytest

from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.exploration import FULL_BUDGET, LEAST_REFILL, REFILL_SHARE
from tests.engine.speculation.choosing.scenes import PLAIN_S, choose, measure, play, round_s
from tests.engine.speculation.simulation import COSTS, World, constant, controlled, fixed, gentle, learn
from tests.engine.tiers import by_tier

HOPELESS = {
    "wrong": World(gentle, constant(0.0)),
    "dear": World(COSTS["linear"], constant(0.5), draft_cost=0.3),
    "slow drafter": World(COSTS["flat"], constant(0.3), draft_cost=0.9),
}


def lost_steps(world: World, seed: int, answers: int, tokens: int) -> tuple[float, float]:
    """Return the plain steps lost against plain decoding, and those that plain decoding takes."""
    controller, took, plain = Controller(), 0.0, 0.0
    for number in range(answers):
        took += controlled(world, tokens, 1000 * seed + number, controller).seconds
        plain += fixed(world, 0, tokens, 1000 * seed + number).seconds
    return (took - plain) / PLAIN_S, plain / PLAIN_S


@pytest.mark.full
@pytest.mark.parametrize("name", by_tier(HOPELESS, ["dear"]))
def test_a_pair_that_never_pays_costs_no_more_than_the_budget_held_and_earned(name: str) -> None:
    """The bound is the first budget, a share of all time, and one round whose worst case was exceeded."""
    for seed in range(4):
        lost, plain = lost_steps(HOPELESS[name], seed, 6, 64)
        # The controller does not know the cost of the change from plain to speculative rounds.
        assert lost <= FULL_BUDGET + REFILL_SHARE * plain + 6.0, seed


@pytest.mark.full
@pytest.mark.parametrize("name", HOPELESS)
def test_in_the_long_run_it_costs_less_than_its_share(name: str) -> None:
    lost, plain = 0.0, 0.0
    for seed in range(2):
        more, steps = lost_steps(HOPELESS[name], seed, 25, 64)
        lost, plain = lost + more, plain + steps
    assert lost <= 0.02 * plain


def test_a_single_short_answer_of_a_hopeless_pair_is_hardly_slower() -> None:
    for seed in range(6):
        lost, plain = lost_steps(HOPELESS["wrong"], seed, 1, 100)
        assert lost <= 0.12 * plain, seed


def test_the_next_answers_draft_again_where_the_last_ones_were_hopeless() -> None:
    controller, easy = Controller(), World(gentle, constant(0.95))
    controlled(easy, 64, controller=controller)
    for seed in range(4):
        controlled(HOPELESS["wrong"], 64, seed, controller)
    runs = [controlled(easy, 64, seed, controller) for seed in range(8)]
    assert sum(run.depths.get(0, 0) < run.rounds / 2 for run in runs[4:]) >= 3


@pytest.mark.full
def test_one_hopeless_answer_does_not_keep_the_next_ones_plain() -> None:
    plain = 0
    for seed in range(6):
        controller = Controller()
        controlled(HOPELESS["wrong"], 120, seed, controller)
        easy = [controlled(World(gentle, constant(0.95)), 64, seed + number, controller) for number in (1, 2)]
        plain += sum(run.depths.get(0, 0) for run in easy)
    # Of 768 tokens; 529 where the next answers went on with the refill that it left.
    assert plain <= 250


def test_a_round_that_another_program_delayed_is_no_failed_trial() -> None:
    controller = Controller()
    answer = controller.begin()
    measure(answer.costs, depths=())
    choice = choose(controller, answer)
    assert choice.depth > 0
    before = controller.learned.exploration_budget
    learn(controller, answer, choice, choice.depth, 50.0 * round_s(choice.depth))
    assert controller.learned.exploration_budget >= before
    assert choose(controller, answer).depth > 0


def test_a_plan_is_tried_again_where_even_a_full_budget_affords_none() -> None:
    """All figures of drafting rest on disturbed rounds, and no saving would ever cover the worst case."""
    controller = Controller()
    answer = controller.begin()
    measure(answer.costs, depths=())
    for _ in range(2):
        for depth in (1, 4, 8):
            answer.costs.observe(depth + 1, 40.0 * round_s(depth), ("draft", depth), 20.0 * round_s(depth))
    chosen = play(controller, answer, 12, lambda _: 8)
    assert sum(choice.depth > 0 for choice in chosen[-6:]) >= 4


def test_other_depths_are_not_tried_for_an_acceptance_that_would_help_all_of_them() -> None:
    """The costs of all depths are known, and how many draft tokens are accepted is not known well."""
    controller = Controller()
    measure(controller.begin().costs, depths=tuple(range(1, 9)))
    for _ in range(3):
        answer = controller.begin()
        for _ in range(4):
            answer.observe("draft", 8, 6)
    chosen = play(controller, controller.begin(), 12, lambda _: 6)
    assert {choice.depth for choice in chosen} == {6}


@pytest.mark.full
def test_tries_in_vain_become_rarer_and_never_end() -> None:
    controller = Controller()
    lost = []
    for seed in range(4):
        run = controlled(HOPELESS["wrong"], 900, seed, controller)
        lost.append(run.rounds - run.depths[0])
    assert lost[-1] <= lost[0]
    assert lost[-1] >= 1
    assert controller.learned.budget_refill < 2 * LEAST_REFILL
