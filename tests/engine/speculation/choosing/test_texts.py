"""Forecasts of acceptance from what was accepted in this text and in earlier ones."""

from __future__ import annotations

import random
from itertools import accumulate
from operator import mul

import pytest
from msgspec import convert, to_builtins

from engine.speculation.choosing.costs import Costs
from engine.speculation.choosing.texts import AnswerState, TextStatistics


def observe(text: AnswerState, source: str, verified: int, accepted: int) -> None:
    text.decay()
    text.observe(source, verified, accepted)


def expected(text: AnswerState, source: str = "draft", depth: int = 4) -> float:
    return text.forecast(source, depth).accepted[depth]


@pytest.fixture
def alternating() -> TextStatistics:
    """Statistics of answers in which either the draft model or lookup is right, as in new text and in edited code."""
    texts = TextStatistics()
    for number in range(40):
        text = AnswerState(Costs(), texts)
        for _ in range(6):
            observe(text, "draft", 4, 4 * (number % 2))
            observe(text, "ngram", 4, 4 * (1 - number % 2))
    return texts


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.6, 0.9, 1.0])
def test_how_often_draft_tokens_are_accepted_is_learned(rate: float) -> None:
    texts, draw = TextStatistics(), random.Random(1)
    for _ in range(30):
        text = AnswerState(Costs(), texts)
        for _ in range(20):
            accepted = next((index for index in range(4) if draw.random() >= rate), 4)
            observe(text, "draft", 4, accepted)
    truth = sum(rate**power for power in range(1, 5))
    # The usual distribution does not depend on the luck of the last rounds.
    assert expected(AnswerState(Costs(), texts)) == pytest.approx(truth, abs=0.35)
    forecast = AnswerState(Costs(), texts).forecast("draft", 4)
    assert forecast.least[4] <= forecast.accepted[4] <= forecast.most[4]
    # The rate of each draft token, given those before it.
    assert sum(accumulate(forecast.rates, mul)) == pytest.approx(forecast.accepted[4])
    assert all(0.0 <= each <= 1.0 for each in forecast.rates)


def test_short_look_ups_tell_how_far_a_copy_goes_and_short_drafts_do_not() -> None:
    """A copy breaks off at an edit, as likely at each place; a drafter loses its way with each token."""
    texts = TextStatistics()
    text = AnswerState(Costs(), texts)
    for source in ("ngram", "draft"):
        observe(text, source, 32 if source == "ngram" else 16, 10)
        for _ in range(40):
            observe(text, source, 7, 7)
    assert expected(text, "ngram", 16) > 14.0 > 13.0 > expected(text, "draft", 16)
    forecast = text.forecast("ngram", 32)
    assert forecast.accepted[32] - forecast.least[32] > 3.2 * (forecast.accepted[16] - forecast.least[16])


def test_a_text_that_was_hard_so_far_is_expected_to_stay_so(alternating: TextStatistics) -> None:
    """Some plain rounds tell nothing about it; a text that is new may be easy."""
    hard = AnswerState(Costs(), alternating)
    for _ in range(24):
        observe(hard, "draft", 4, 0)
    for _ in range(30):
        hard.decay()
    assert expected(hard) < 0.75 * expected(AnswerState(Costs(), alternating))


def test_an_answer_that_goes_on_is_expected_to_stay_as_it_was(alternating: TextStatistics) -> None:
    hard, new = AnswerState(Costs(), alternating), AnswerState(Costs(), alternating)
    for _ in range(24):
        observe(hard, "draft", 4, 0)
    other_pair = AnswerState(Costs(), TextStatistics())
    before = expected(other_pair)
    for answer in (new, other_pair):
        answer.go_on_from(hard)
    assert expected(new) == expected(hard)
    assert expected(other_pair) == before


@pytest.mark.parametrize(("every", "fits"), [(0, False), (100, False), (30, True), (2, True)])
def test_a_drafter_that_is_right_by_chance_only_does_not_fit(every: int, fits: bool) -> None:
    texts = TextStatistics()
    text = AnswerState(Costs(), texts)
    for round_ in range(1, 401):
        text = AnswerState(Costs(), texts) if round_ % 20 == 1 else text
        observe(text, "draft", 4, int(every > 0 and round_ % every == 0))
        # So few rounds cannot tell.
        assert texts.fits("draft") or round_ >= 150
    assert texts.fits("draft") == fits
    assert texts.fits("ngram")


def test_what_lookup_meets_tells_of_the_draft_model(alternating: TextStatistics) -> None:
    expectations = []
    for accepted in (4, 0):
        text = AnswerState(Costs(), alternating)
        for _ in range(2):
            observe(text, "ngram", 4, accepted)
        expectations.append(expected(text))
    assert expectations[0] < expectations[1] - 0.5


def test_all_that_one_drafter_makes_is_right_or_wrong_together(alternating: TextStatistics) -> None:
    """A draft model and a head share one state."""
    text = AnswerState(Costs(), alternating)
    before = text.forecast("head", 4).accepted[4]
    for _ in range(3):
        text.observe("draft", 4, 0)
    assert text.forecast("head", 4).accepted[4] < 0.8 * before


def test_thousands_of_rounds_can_be_loaded_again() -> None:
    texts = TextStatistics()
    for number in range(2000):
        AnswerState(Costs(), texts).observe("draft", 4, 4 * (number % 7 > 0))
    assert convert(to_builtins(texts), TextStatistics) == texts


def test_what_is_drafted_ahead_counts_as_drafted_by_the_draft_model() -> None:
    texts = TextStatistics()
    answer = AnswerState(Costs(), texts)
    for _ in range(20):
        answer.observe("ahead", 3, 3)
    assert texts.counts.keys() == {"draft"}
    assert answer.forecast("ahead", 3) == answer.forecast("draft", 3)
