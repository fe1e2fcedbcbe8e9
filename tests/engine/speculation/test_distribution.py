"""Speculation draws from the main model's distribution: chi-square tests of both acceptance rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import mlx.core as mx
import pytest

from engine.main_model.sampling import Sampler
from engine.requests import SamplingSettings
from tests.engine.speculation.bigram import (
    VOCABULARY,
    chi_square_excess,
    generate,
    joint_excess,
    joint_law,
    random_table,
)
from tests.engine.tiers import by_tier

P_ONE_IN_A_THOUSAND = 3.09
# The numbers of tokens, and of continuations under penalties, that suffice to notice a wrong law.
DRAWS, CONTINUATIONS = 1000, 400
MAIN, NEAR, BAD = random_table(1), random_table(1) + 0.4 * random_table(2), random_table(9, spread=4.0)
DRAFTS = {"near": NEAR, "bad": BAD}
SETTINGS: dict[str, dict[str, Any]] = {
    "cold": {"temperature": 0.4},
    "warm": {"temperature": 1.0},
    "hot": {"temperature": 1.4},
    "top-p": {"temperature": 1.0, "top_p": 0.8},
    "top-k": {"temperature": 1.0, "top_k": 5},
    "min-p": {"temperature": 1.0, "min_p": 0.1},
    "bias": {"temperature": 0.8, "logit_bias": {3: 1.5, 7: -2.0}},
    "everything": {"temperature": 0.9, "top_k": 8, "top_p": 0.95, "min_p": 0.01, "logit_bias": {1: 0.5}},
}
# Under penalties the law depends on the whole history, so it is that of whole continuations.
PENALTIES = {"temperature": 0.9, "repetition_penalty": 1.3, "presence_penalty": 0.4, "frequency_penalty": 0.2}


def law(settings: SamplingSettings) -> list[list[float]]:
    sampler = Sampler(settings, VOCABULARY)
    rows: list[list[float]] = sampler.probabilities(sampler.log_probabilities(sampler.scores(MAIN, []))).tolist()  # type: ignore[assignment]
    return rows


def excess(name: str, draft: mx.array | None, rejection: bool, count: int, seed: int = 11) -> float:
    settings = SamplingSettings(seed=seed, **SETTINGS[name])
    tokens = generate(MAIN, draft, settings, count, depth=3, rejection=rejection)
    return chi_square_excess(tokens[2:], law(settings))


each_combination = product(("warm", "everything"), ("near", "bad"), (False, True))


@pytest.mark.parametrize(("name", "draft", "rejection"), by_tier(each_combination, [("everything", "near", True)]))
def test_draws_follow_the_main_models_law(name: str, draft: str, rejection: bool) -> None:
    assert excess(name, DRAFTS[draft], rejection, DRAWS) < P_ONE_IN_A_THOUSAND


@pytest.mark.full
def test_twenty_thousand_draws_by_rejection_follow_the_main_models_law() -> None:
    assert excess("everything", NEAR, True, 20_000) < P_ONE_IN_A_THOUSAND


@pytest.mark.campaign
@pytest.mark.parametrize("rejection", [False, True])
@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_hundred_thousand_draws_follow_the_main_models_law(name: str, draft: str, rejection: bool) -> None:
    assert excess(name, DRAFTS[draft], rejection, 100_000) < P_ONE_IN_A_THOUSAND


def penalised_excess(draft: mx.array, rejection: bool, continuations: int) -> float:
    """Draw continuations of three tokens under penalties, each with its own seed; returns their excess."""
    settings = SamplingSettings(**PENALTIES)
    drawn = (
        generate(MAIN, draft, replace(settings, seed=seed), 3, depth=3, rejection=rejection)
        for seed in range(continuations)
    )
    counts = Counter(tuple(tokens[3:6]) for tokens in drawn)
    return joint_excess(counts, joint_law(MAIN, settings, 3))


@pytest.mark.full
@pytest.mark.parametrize(("draft", "rejection"), [*product(DRAFTS, (False, True))])
def test_draws_under_penalties_follow_the_law_of_plain_decoding(draft: str, rejection: bool) -> None:
    assert penalised_excess(DRAFTS[draft], rejection, CONTINUATIONS) < P_ONE_IN_A_THOUSAND


@pytest.mark.campaign
@pytest.mark.parametrize("rejection", [False, True])
@pytest.mark.parametrize("draft", DRAFTS)
def test_a_hundred_thousand_draws_under_penalties_follow_the_law(draft: str, rejection: bool) -> None:
    assert penalised_excess(DRAFTS[draft], rejection, 33_334) < P_ONE_IN_A_THOUSAND


@pytest.mark.parametrize("values", by_tier([*SETTINGS.values(), PENALTIES], [SETTINGS["everything"], PENALTIES]))
def test_a_seed_gives_the_same_text_with_any_draft_and_depth(values: dict[str, Any]) -> None:
    settings = SamplingSettings(seed=3, **values)
    plain = generate(MAIN, None, settings, 60, depth=0, rejection=False)
    for draft, depth in ((NEAR, 1), (BAD, 2), (NEAR, 5), (BAD, 5)):
        speculated = generate(MAIN, draft, settings, 60, depth=depth, rejection=False)
        assert speculated[:60] == plain[:60], depth
