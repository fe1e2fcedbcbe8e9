"""What a controller expects of the next round of an answer, and what it makes of answers that differ."""

from __future__ import annotations

import random

import pytest

from engine.speculation.accept_rates import AcceptRates
from engine.speculation.depth import DepthController, MeasuredRound
from tests.engine.speculation.simulation import World, constant, controlled, fixed, gentle

KNOWN_BY_HEART, UNKNOWN = World(gentle, constant(0.99)), World(gentle, constant(0.0))
ANSWER = 64


@pytest.fixture(scope="module")
def of_both_kinds() -> DepthController:
    """A controller that has seen answers that the draft knows by heart and others of which it knows nothing."""
    controller, draw = DepthController(), random.Random(5)
    for seed in range(120):
        controlled(draw.choice((KNOWN_BY_HEART, UNKNOWN)), ANSWER, seed, controller)
    return controller


def test_an_answer_that_the_draft_knows_by_heart_is_drafted_deep_from_its_first_round_on(
    of_both_kinds: DepthController,
) -> None:
    run = controlled(KNOWN_BY_HEART, ANSWER, 100, of_both_kinds)
    assert run.depths.get(0, 0) <= 1
    assert run.speed > 0.93 * fixed(KNOWN_BY_HEART, 8, ANSWER, 100).speed


def test_an_answer_that_the_draft_knows_nothing_of_is_given_up_after_a_round_or_two(
    of_both_kinds: DepthController,
) -> None:
    run = controlled(UNKNOWN, ANSWER, 101, of_both_kinds)
    assert run.rounds - run.depths[0] <= 4
    # Every draft token is made and paid for here, as no draft model would that sees how unlikely they are.
    assert run.speed > 0.88 * fixed(UNKNOWN, 0, ANSWER, 101).speed


def test_the_next_answer_is_not_judged_by_the_last_one(of_both_kinds: DepthController) -> None:
    controlled(UNKNOWN, ANSWER, 102, of_both_kinds)
    of_both_kinds.begin(UNKNOWN.context)
    assert of_both_kinds.choose({"draft": 8}).depth > 0


def test_what_follows_a_failure_is_expected_from_what_followed_others() -> None:
    rates = AcceptRates()
    for accepted in (0, 8, 8, 8) * 20:
        if accepted == 0:
            rates.begin()
        rates.observe("draft", "", 8, accepted)
    rates.begin()
    first = rates.forecast("draft", "", 8).kept[-1]
    rates.observe("draft", "", 8, 0)
    after_failure = rates.forecast("draft", "", 8).kept[-1]
    assert first < 2.5
    assert after_failure > 5.0


def ending_early(*, complete: bool) -> DepthController:
    """Calibrated costs; three of four rounds of eight draft tokens end after the first, which is wrong in these."""
    controller = DepthController()
    controller.begin(100)
    controller.measured(None, 0, 1, 0.02, 0.0)
    for depth in (1, 4, 8):
        controller.measured("draft", depth, depth + 1, 0.02 + 0.006 * depth, 0.006 * depth)
    draw = random.Random(7)
    for _ in range(80):
        right = 8 if draw.random() < 0.25 else 0
        drafted = right or 1
        controller.observe(
            MeasuredRound(
                "draft", 8, 1 + drafted, right, 0.02 + 0.012 * drafted, None, drafted=drafted, complete=complete
            )
        )
    return controller


def test_a_round_that_ends_early_where_its_draft_tokens_are_unlikely_is_expected_to_cost_less() -> None:
    # As if all eight were drafted every time.
    in_full = ending_early(complete=True).expected_tps("draft", 8)[-1]
    assert ending_early(complete=False).expected_tps("draft", 8)[-1] > 1.5 * in_full


def test_figures_of_a_depth_are_those_of_rounds_that_do_not_end_early() -> None:
    [figures] = ending_early(complete=False).figures()
    assert figures.depths[7].round_s == pytest.approx(0.116, rel=0.05)


def test_the_best_case_of_a_deep_round_is_not_that_every_position_is_lucky_at_once() -> None:
    rates = AcceptRates()
    for accepted in (2, 0, 4, 1, 3, 0):
        rates.observe("draft", "", 16, accepted)
    forecast = rates.forecast("draft", "", 16)
    assert forecast.kept[16] < forecast.most_kept[16] < forecast.kept[16] + 1.0


def test_where_nearly_all_was_right_an_answer_is_drafted_as_deep_as_possible_at_once() -> None:
    controller = DepthController()
    controller.begin(100)
    controller.measured(None, 0, 1, 0.02, 0.0)
    for depth in (1, 8, 16):
        controller.measured("draft", depth, depth + 1, 0.02 + 0.0002 * depth, 0.0002 * depth)
    first = 0
    for _ in range(4):
        controller.begin(100)
        first = controller.choose({"draft": 16}).depth
        for _ in range(4):
            depth = controller.choose({"draft": 16}).depth
            controller.observe(MeasuredRound("draft", depth, depth + 1, depth, 0.02 + 0.0002 * depth, None))
    assert first == 16


def test_lookup_is_judged_by_how_the_draft_model_fares_in_the_same_answer() -> None:
    """Lookup finds edited code again, and what a draft model does not predict; new text it finds by chance alone."""
    rates = AcceptRates()
    for _ in range(10):
        for drafts_right in (True, False):
            rates.begin()
            rates.observe("draft", "", 4, 4 if drafts_right else 0)
            rates.observe("ngram", "3", 4, 0 if drafts_right else 4)
    expected = []
    for drafts_right in (True, False):
        rates.begin()
        rates.observe("draft", "", 4, 4 if drafts_right else 0)
        expected.append(rates.forecast("ngram", "3", 4).kept[4])
    assert expected[0] < 1.0
    assert expected[1] > 3.0


def test_how_long_a_prompt_is_tells_before_the_first_round_what_its_answer_is_like() -> None:
    """Short questions whose answers the draft model knows, and long texts to be edited, which lookup finds again."""
    rates = AcceptRates()
    for _ in range(6):
        for tokens, drafts_right in ((20, True), (100, False)):
            rates.begin(tokens)
            rates.observe("draft", "", 4, 4 if drafts_right else 0)
    expected = []
    for tokens in (20, 100, 22):
        rates.begin(tokens)
        expected.append(rates.forecast("draft", "", 4).kept[4])
    assert expected[0] > 3.0
    assert expected[1] < 0.5
    assert expected[2] == expected[0]


def test_a_prompt_as_long_as_none_before_is_judged_as_prompts_in_general() -> None:
    rates = AcceptRates()
    for accepted in (4, 0) * 6:
        rates.begin(20)
        rates.observe("draft", "", 4, accepted)
    rates.begin()
    general = rates.forecast("draft", "", 4).kept[4]
    rates.begin(3000)
    assert rates.forecast("draft", "", 4).kept[4] == general


def test_what_prompts_of_a_length_taught_is_learned_by_the_answers_beside() -> None:
    """In a batch each answer has its own prompt, and all of them share what is learned."""
    shared = AcceptRates()
    for _ in range(6):
        for tokens, accepted in ((20, 4), (100, 0)):
            beside = AcceptRates(shared)
            beside.begin(tokens)
            beside.observe("draft", "", 4, accepted)
    beside = AcceptRates(shared)
    beside.begin(100)
    assert beside.forecast("draft", "", 4).kept[4] < 0.5


def test_figures_that_lack_what_prompts_of_a_length_did_in_all_are_passed_over() -> None:
    """A file of learned figures that somebody has edited ends no answer."""
    rates = AcceptRates()
    rates.load({"draft": {" of 14 after nothing": [[4.0, 2.0, 0.0, 0.0, 0.0, 0.0]]}})
    rates.begin(100)
    unknown = AcceptRates().forecast("draft", "", 4)
    assert rates.forecast("draft", "", 4).kept == unknown.kept
