from __future__ import annotations

from typing import Any

import pytest

from engine.speculation.arm_estimate import Arm, ArmEstimate, estimate_arms
from engine.speculation.depth import DepthController, MeasuredRound
from engine.speculation.proposers.proposal import Observation
from tests.engine.speculation.simulation import (
    ACCEPTANCES,
    COSTS,
    World,
    best_fixed,
    constant,
    controlled,
    fixed,
    gentle,
)

TOKENS = 5000


def compare(world: World, tokens: int, seeds: range) -> tuple[float, float]:
    """Mean speed of the controller against the best fixed depth, and its worst against plain decoding."""
    _, best = best_fixed(world, tokens, seeds)
    plain = fixed(world, 0, tokens).speed
    speeds = [controlled(world, tokens, seed).speed for seed in seeds]
    return sum(speeds) / len(speeds) / best, min(speeds) / plain


@pytest.mark.parametrize("acceptance", ["always wrong", "constant 0.8", "prose and code"])
@pytest.mark.parametrize("cost", ["flat", "linear", "stepped"])
def test_it_is_as_fast_as_the_best_fixed_depth_and_never_slower_than_plain(cost: str, acceptance: str) -> None:
    to_best, to_plain = compare(World(COSTS[cost], ACCEPTANCES[acceptance]), 2000, range(1))
    assert to_best > 0.93
    assert to_plain > 0.97


@pytest.mark.campaign
@pytest.mark.parametrize("stall_every", [0, 50])
@pytest.mark.parametrize("acceptance", ACCEPTANCES)
@pytest.mark.parametrize("cost", COSTS)
def test_it_is_within_five_percent_of_the_best_fixed_depth(cost: str, acceptance: str, stall_every: int) -> None:
    world = World(COSTS[cost], ACCEPTANCES[acceptance], stall_every=stall_every)
    to_best, to_plain = compare(world, TOKENS, range(4))
    assert to_best > 0.95
    assert to_plain > 0.97


def test_nothing_offered_is_plain_decoding_for_the_proposers_own_reason() -> None:
    choice = DepthController().choose({"ngram": 0})
    assert (choice.source, choice.depth, choice.reason) == (None, 0, "")


def test_it_measures_plain_decoding_first() -> None:
    choice = DepthController().choose({"draft": 8})
    assert (choice.source, choice.reason) == (None, "measuring")


def test_it_says_what_speculation_would_cost() -> None:
    controller = DepthController()
    controlled(World(gentle, constant(0.0)), 300, controller=controller)
    choice = controller.choose({"draft": 8})
    arguments = dict(choice.arguments)
    assert choice.reason == "costs-more"
    assert float(arguments["plain_ms"]) * float(arguments["tokens_per_round"]) < float(arguments["round_ms"])


@pytest.fixture
def estimates(monkeypatch: pytest.MonkeyPatch) -> list[dict[Arm, ArmEstimate]]:
    """The estimates of all arms, each time the controller makes them."""
    made: list[dict[Arm, ArmEstimate]] = []

    def recorded(*arguments: Any) -> dict[Arm, ArmEstimate]:
        made.append(estimate_arms(*arguments))
        return made[-1]

    monkeypatch.setattr("engine.speculation.depth.estimate_arms", recorded)
    return made


def settled() -> DepthController:
    """A controller that has found out that the draft does not pay."""
    controller = DepthController()
    controlled(World(gentle, constant(0.0)), 300, controller=controller)
    while controller.choose({"draft": 8}).reason != "costs-more":
        controller.observe(MeasuredRound("draft", 8, 9, 0, 0.2, None))
    return controller


def test_a_settled_offer_is_not_estimated_again_every_round(estimates: list[dict[Arm, ArmEstimate]]) -> None:
    controller = settled()
    estimates.clear()
    for _ in range(64):
        choice = controller.choose({"draft": 8})
        controller.observe(MeasuredRound(choice.source, choice.depth, choice.depth + 1, 0, 0.02, None))
    assert len(estimates) <= 64 // 4


def test_a_new_offer_or_an_observation_is_estimated_at_once(estimates: list[dict[Arm, ArmEstimate]]) -> None:
    for lesson in (False, True):
        controller = settled()
        estimates.clear()
        controller.choose({"draft": 8})
        assert not estimates
        if lesson:
            controller.learn("draft", Observation("", 8, 8))
        controller.choose({"draft": 8} if lesson else {"draft": 8, "ngram": 4})
        assert estimates


@pytest.mark.parametrize("rate", [0.3, 0.6, 0.8])
def test_it_does_not_flap(rate: float) -> None:
    """0.3 is where drafting barely loses here, 0.6 where it barely pays."""
    run = controlled(World(gentle, constant(rate)), 1500)
    assert run.entries < 0.05 * run.rounds
    assert run.switches < 0.25 * run.rounds


def test_a_first_answer_costs_at_most_a_few_rounds_to_find_out() -> None:
    run = controlled(World(COSTS["linear"], constant(0.0)), 200)
    assert run.speed > 0.95 * fixed(World(COSTS["linear"], constant(0.0)), 0, 200).speed


def test_a_second_answer_starts_where_the_first_ended() -> None:
    controller, world = DepthController(), World(gentle, constant(0.95))
    controlled(world, 2000, controller=controller)
    controller.begin(world.context)
    assert controller.choose({"draft": 8}).depth >= 5


def test_a_stretch_of_plain_decoding_gets_probed_ever_more_rarely() -> None:
    early = controlled(World(gentle, constant(0.0)), 300)
    late = controlled(World(gentle, constant(0.0)), 3000)
    speculative = [run.rounds - run.depths[0] for run in (early, late)]
    assert speculative[1] < 3 * speculative[0]


def test_an_answer_in_which_nothing_was_right_is_not_the_last_one_to_speculate() -> None:
    """As short answers leave too little time for a retry in each, what they do not spend adds up."""
    controller = DepthController()
    easy, hard = World(gentle, constant(0.95), catch_up=0.05), World(gentle, constant(0.0), catch_up=0.05)
    controlled(easy, 64, controller=controller)
    controlled(hard, 64, controller=controller)
    for _ in range(45):
        controller.learn("draft", Observation("", 8, 0))
    later = [controlled(easy, 64, seed, controller) for seed in range(8)]
    # One of them may meet a rejection that reminds of the hard answer.
    assert sum(run.depths.get(0, 0) < run.rounds / 2 for run in later[4:]) >= 3


def test_a_proposer_that_never_pays_costs_short_answers_little() -> None:
    controller = DepthController()
    hopeless = World(gentle, constant(0.0))
    controlled(hopeless, 300, controller=controller)
    runs = [controlled(hopeless, 64, seed, controller) for seed in range(40)]
    assert sum(run.rounds - run.depths[0] for run in runs) < 0.02 * sum(run.rounds for run in runs)


def test_acceptance_of_one_kind_of_proposal_does_not_stand_for_another() -> None:
    controller = DepthController()
    for _ in range(4):
        controller.observe(MeasuredRound(None, 0, 1, 0, 0.02, None))
    for _ in range(40):
        controller.learn("ngram", Observation("3", 2, 0))
        controller.learn("ngram", Observation("18", 8, 8))
    assert (
        controller.expected_tps("ngram", 4, bucket="18")[-1] > 2 * controller.expected_tps("ngram", 4, bucket="3")[-1]
    )


def test_auto_takes_the_proposer_with_the_better_speed() -> None:
    controller = DepthController()
    for _ in range(4):
        controller.observe(MeasuredRound(None, 0, 1, 0, 0.02, None))
    for _ in range(30):
        controller.observe(MeasuredRound("draft", 4, 5, 2, 0.045, 0.02))
        controller.observe(MeasuredRound("ngram", 4, 5, 4, 0.025, 0.0, bucket="18"))
    offer = {"draft": 4, "ngram": 4}
    assert controller.choose(offer, buckets={"ngram": "18"}).source == "ngram"
    assert controller.choose({"draft": 4, "ngram": 0}).source == "draft"


def test_rows_that_ride_along_are_part_of_the_cost() -> None:
    controller = DepthController()
    controlled(World(COSTS["stepped"], constant(0.9), limit=8), 2000, controller=controller)
    controller.begin(500)
    alone, with_rows = controller.expected_tps("draft", 4), controller.expected_tps("draft", 4, rows_carried=3)
    assert with_rows[-1] < 0.8 * alone[-1]


def test_a_round_that_was_not_typical_teaches_acceptance_but_not_cost() -> None:
    controller = DepthController()
    for _ in range(4):
        controller.observe(MeasuredRound(None, 0, 1, 0, 0.02, None))
    for _ in range(3):
        controller.observe(MeasuredRound("draft", 4, 5, 4, 0.03, 0.01))
    before = controller.expected_tps("draft", 4)[-1]
    controller.observe(MeasuredRound(None, 0, 1, 0, 0.02, None))
    controller.observe(MeasuredRound("draft", 4, 5, 4, 5.0, 4.9, typical=False))
    assert controller.expected_tps("draft", 4)[-1] > before


def test_draft_tokens_past_the_end_of_an_answer_are_no_rejections() -> None:
    cut, rejected = DepthController(), DepthController()
    for controller, checked in ((cut, 2), (rejected, 8)):
        for _ in range(4):
            controller.observe(MeasuredRound(None, 0, 1, 0, 0.02, None))
        for _ in range(10):
            controller.observe(MeasuredRound("draft", 8, 9, 2, 0.03, 0.01, verified=checked))
    assert cut.expected_tps("draft", 8)[-1] > 1.5 * rejected.expected_tps("draft", 8)[-1]


def test_a_round_that_ended_early_costs_what_it_drafted() -> None:
    controller = DepthController()
    for _ in range(4):
        controller.observe(MeasuredRound(None, 0, 1, 0, 0.02, None))
    for _ in range(10):
        controller.observe(MeasuredRound("draft", 8, 3, 2, 0.024, 0.002, drafted=2))
    # What was never drafted was never reached either.
    assert [round(position.reached) for position in controller.acceptance()] == [10, 10]
    drafting = {figures.depth: figures.draft_s for figures in controller.figures()[0].depths}
    assert drafting[2] == pytest.approx(0.002, rel=0.01)


def test_timing_the_drafting_now_and_then_is_no_surprise_to_the_costs() -> None:
    controller = DepthController()
    controller.begin(100)
    for number in range(40):
        controller.observe(MeasuredRound("draft", 3, 4, 2, 0.01, 0.004 if number % 16 == 0 else None))
    assert controller.export()


def test_drafting_timed_now_and_then_is_counted_once() -> None:
    controller = DepthController()
    for _ in range(4):
        controller.observe(MeasuredRound(None, 0, 1, 0, 0.02, None))
    for number in range(40):
        controller.observe(MeasuredRound("draft", 4, 5, 4, 0.04, 0.015 if number % 16 == 0 else None))
    assert controller.expected_tps("draft", 4)[-1] == pytest.approx(5 / 0.04, rel=0.1)


def restored(*, plain_s: float, draft_s: float) -> DepthController:
    """A controller that goes on from an earlier session, in which rounds took as long as this."""
    earlier, later = DepthController(), DepthController()
    earlier.begin(100)
    for source, depth, seconds in [(None, 0, plain_s)] * 8 + [("draft", 4, draft_s)] * 8:
        earlier.observe(MeasuredRound(source, depth, depth + 1, depth, seconds, None))
    later.load(earlier.export())
    later.begin(100)
    return later


def test_a_warm_start_drafts_from_the_first_round_on() -> None:
    controller = restored(plain_s=0.03, draft_s=0.05)
    assert controller.choose({"draft": 4}).depth == 4


def test_restored_figures_are_set_right_by_the_first_rounds_whatever_they_are() -> None:
    for source, depth, seconds in ((None, 0, 0.003), ("draft", 4, 0.005)):
        controller = restored(plain_s=0.03, draft_s=0.05)
        for _ in range(5):
            controller.observe(MeasuredRound(source, depth, depth + 1, depth, seconds, None))
        assert controller.plain_s() == pytest.approx(0.003, rel=0.01)
        assert controller.choose({"draft": 4}).source == "draft"


def test_the_first_rounds_of_answers_after_pauses_may_be_slower_than_later_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(0, 10**6, 1000))
    monkeypatch.setattr("engine.speculation.depth.monotonic", lambda: float(next(clock)))
    controller = familiar_controller(8)
    before = controller.expected_tps("draft", 8)
    for _ in range(30):
        controller.begin(100)
        for number in range(40):
            controller.observe(MeasuredRound(None, 0, 1, 0, 0.026 if number < 6 else 0.02, None))
    controller.begin(100)
    plain = controller.plain_s()
    assert plain is not None
    assert 0.019 < plain < 0.027
    assert controller.expected_tps("draft", 8) == pytest.approx(before, rel=0.05)


def test_what_was_not_tried_for_many_answers_does_not_become_dearer_with_those_that_grew_long() -> None:
    controller = familiar_controller(8)
    before = controller.expected_tps("draft", 8)
    for _ in range(30):
        controller.begin(100)
        for number in range(60):
            # A longer context makes every round of an answer a little slower than the last one.
            controller.observe(MeasuredRound(None, 0, 1, 0, 0.02 * (1.0 + 0.002 * number), None))
    controller.begin(100)
    assert controller.expected_tps("draft", 8) == pytest.approx(before, rel=0.05)


def familiar_controller(accepted: int, *, context: int = 100) -> DepthController:
    """Calibrated costs, at which four accepted draft tokens make a round twice as fast as plain decoding."""
    controller = DepthController()
    controller.begin(context)
    controller.measured(None, 0, 1, 0.02, 0.0)
    for depth in (1, 4, 8):
        controller.measured("draft", depth, depth + 1, 0.02 + 0.004 * depth, 0.004 * depth)
    for _ in range(12):
        controller.learn("draft", Observation("", 8, accepted))
    return controller


def test_what_was_calibrated_need_not_be_tried_first() -> None:
    assert familiar_controller(8).choose({"draft": 8}).depth == 8


def test_a_draft_that_has_to_read_much_for_little_is_left_alone() -> None:
    controller = familiar_controller(8)
    controller.observe_catch_up("draft", 100, 0.1)
    assert controller.choose({"draft": 8}, backlog={"draft": 100}, remaining=500).source == "draft"
    assert controller.choose({"draft": 8}, backlog={"draft": 2000}, remaining=500).source is None


def test_what_has_to_be_read_counts_more_the_sooner_the_answer_must_end() -> None:
    controller = familiar_controller(8)
    controller.observe_catch_up("draft", 100, 0.1)
    assert controller.choose({"draft": 4}, backlog={"draft": 100}, remaining=100).source == "draft"
    assert controller.choose({"draft": 4}, backlog={"draft": 100}, remaining=5).source is None


def test_what_has_to_be_read_counts_more_for_a_drafter_that_may_be_dropped_at_once() -> None:
    """Five tokens a round on average, but half of the rounds bring one."""
    steady, torn = familiar_controller(4), familiar_controller(8)
    for _ in range(9):
        torn.learn("draft", Observation("", 8, 0))
    for controller in (steady, torn):
        controller.begin(100)
        controller.observe_catch_up("draft", 100, 0.1)
        assert controller.choose({"draft": 8}, remaining=100).source == "draft"
        controller.begin(100)
    assert steady.choose({"draft": 8}, backlog={"draft": 30}, remaining=100).source == "draft"
    assert torn.choose({"draft": 8}, backlog={"draft": 30}, remaining=100).source is None


def test_finding_out_costs_no_answer_more_than_its_share() -> None:
    controller = familiar_controller(0)
    lost = took = 0.0
    for _ in range(200):
        choice = controller.choose({"draft": 8})
        seconds = 0.02 + 0.008 * choice.depth
        controller.observe(MeasuredRound(choice.source, choice.depth, choice.depth + 1, 0, seconds, None))
        lost += seconds - 0.02
        took += 0.02
        # One round may be under way when the share is used up.
        assert lost <= 0.02 * took + 0.016


def test_a_look_at_this_text_outweighs_what_others_were_like() -> None:
    controller = familiar_controller(0)
    assert controller.choose({"draft": 8}).depth == 0
    for _ in range(8):
        controller.learn("draft", Observation("", 8, 8))
    assert controller.choose({"draft": 8}).depth > 0


def test_answers_with_a_grammar_are_learned_apart() -> None:
    """Drafting waits there for what the grammar allows, and little of it is right; a chat is drafted as before."""
    controller = familiar_controller(8)
    took = plain = 0.0
    for _ in range(4):
        controller.begin(100, constrained=True)
        for _ in range(40):
            choice = controller.choose({"draft": 8})
            seconds = 0.025 + 0.006 * choice.depth
            share = None if controller.drafting_share("draft", 4, 5) else 0.004 * choice.depth
            controller.observe(MeasuredRound(choice.source, choice.depth, choice.depth + 1, 0, seconds, share))
            took, plain = took + seconds, plain + 0.025
    assert took < 1.05 * plain
    controller.begin(100)
    assert controller.choose({"draft": 8}).depth == 8


def test_what_was_learned_with_a_grammar_is_kept_apart_too() -> None:
    earlier, later = familiar_controller(8), DepthController()
    earlier.begin(100, constrained=True)
    for _ in range(4):
        earlier.observe(MeasuredRound(None, 0, 1, 0, 0.025, None))
    later.load(earlier.export())
    later.begin(100, constrained=True)
    assert later.plain_s() == pytest.approx(0.025)
    later.end()
    assert later.plain_s() == pytest.approx(0.02)
    older = {name: value for name, value in earlier.export().items() if name != "constrained"}
    later.load(older)
    assert later.plain_s() == pytest.approx(0.02)
