"""What a request says of sampling, limits and speculation, as the engine gets it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.api.bodies import Fields
from app.api.errors import ApiError
from app.api.request_settings import (
    LONGEST_STOP,
    MOST_BIASES,
    MOST_STOPS,
    Choices,
    choices_of,
    grammar_of,
    speculation_of,
)
from engine.grammars.grammar import Grammar
from engine.requests import SamplingSettings, SpeculationSettings

SAMPLING: dict[str, Any] = {
    "temperature": 0.6,
    "top_k": 30,
    "top_p": 0.9,
    "min_p": 0.05,
    "repetition_penalty": 1.1,
    "presence_penalty": -0.5,
    "frequency_penalty": 0.7,
}
SERVED = SpeculationSettings("draft", depth=5, acceptance="rejection")


def choices(fields: dict[str, Any], recommended: dict[str, float] | None = None, **options: Any) -> Choices:
    return choices_of(Fields(fields), recommended or {}, SERVED, **options)


def test_every_way_of_sampling_reaches_the_engine() -> None:
    asked = {**SAMPLING, "repetition_context_size": 64, "logit_bias": {"15": -100, "7": 2.5}, "seed": 9}
    expected = SamplingSettings(**SAMPLING, penalty_window=64, logit_bias={15: -100.0, 7: 2.5}, seed=9)
    assert choices(asked).sampling == expected


@pytest.mark.parametrize("key", SAMPLING)
def test_what_a_request_does_not_say_is_as_the_models_authors_recommend(key: str) -> None:
    recommended = {name: value / 2 for name, value in SAMPLING.items() if name != "top_k"} | {"top_k": 12}
    assert choices({}, recommended).sampling == SamplingSettings(**recommended)
    said = choices({key: SAMPLING[key]}, recommended).sampling
    assert said == SamplingSettings(**{**recommended, key: SAMPLING[key]})
    # A zero is said, too; null is not.
    assert choices({"temperature": 0, key: None}, recommended).sampling.temperature == (
        recommended["temperature"] if key == "temperature" else 0.0
    )


def test_the_seeds_of_several_answers_differ_and_may_be_negative() -> None:
    asked = choices({"seed": -1, "n": 2})
    assert [asked.sampling_of(index).seed for index in range(2)] == [2**64 - 1, 0]
    assert choices({"n": 3}).sampling_of(2).seed is None
    assert choices({"n": 3}, several=False).count == 1


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, SERVED),
        ({"speculation": "ngram"}, SpeculationSettings("ngram", 5, acceptance="rejection")),
        ({"speculation": {"depth": "auto"}}, SpeculationSettings("draft", None, acceptance="rejection")),
        (
            {"speculation": {"method": "auto", "depth": 3, "acceptance": "match"}},
            SpeculationSettings("auto", 3, acceptance="match"),
        ),
        ({"num_draft_tokens": 2}, SpeculationSettings("draft", 2, acceptance="rejection")),
        ({"num_draft_tokens": 2, "speculation": {"depth": 7}}, SpeculationSettings("draft", 2, acceptance="rejection")),
        ({"draft_model": "none"}, SpeculationSettings("off", 5, acceptance="rejection")),
        ({"draft_model": "some/draft"}, SERVED),
    ],
)
def test_a_request_changes_of_speculation_what_it_says(fields: dict[str, Any], expected: SpeculationSettings) -> None:
    assert speculation_of(Fields(fields), SERVED) == expected


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        *(({key: 1e12}, key) for key in SAMPLING),
        *(({key: True}, key) for key in SAMPLING),
        ({"logit_bias": {"-1": 1}}, "logit_bias"),
        ({"logit_bias": {"1": 101}}, "1"),
        ({"logit_bias": {str(token): 1 for token in range(MOST_BIASES + 1)}}, "logit_bias"),
        ({"stop": ["x"] * (MOST_STOPS + 1)}, "stop"),
        ({"stop": ["x" * (LONGEST_STOP + 1)]}, "stop"),
        ({"stop": [5]}, "stop"),
        ({"repetition_context_size": 2**21}, "repetition_context_size"),
        ({"seed": 2**64}, "seed"),
        ({"speculation": {"acceptance": "always"}}, "acceptance"),
        ({"speculation": {"depth": "deep"}}, "speculation.depth"),
        ({"speculation": 5}, "speculation"),
    ],
)
def test_values_out_of_range_are_refused_by_name(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(ApiError) as refused:
        choices(fields)
    assert refused.value.status == 400
    assert param in (refused.value.param or "")


def test_the_longest_that_is_allowed_is_allowed() -> None:
    stops = ["x" * LONGEST_STOP] * MOST_STOPS
    assert choices({"stop": stops}).stop == tuple(stops)
    assert choices({"stop_sequences": "end"}, stop_key="stop_sequences").stop == ("end",)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({}, None),
        ({"type": "text"}, None),
        ({"type": "json_object"}, Grammar("json_object")),
        ({"type": "regex", "pattern": "a+"}, Grammar("regex", "a+")),
        ({"type": "lark", "grammar": "start: /a+/"}, Grammar("lark", "start: /a+/")),
        ({"type": "json_schema", "schema": {"type": "object"}}, Grammar("json_schema", json.dumps({"type": "object"}))),
    ],
)
def test_every_format_is_a_grammar(form: dict[str, Any], expected: Grammar | None) -> None:
    assert grammar_of(Fields(form), Fields(form))[0] == expected


@pytest.mark.parametrize("form", [{"type": "xml"}, {"type": "regex"}, {"type": "lark", "grammar": 5}])
def test_a_format_that_there_is_not_is_refused(form: dict[str, Any]) -> None:
    with pytest.raises(ApiError):
        grammar_of(Fields(form, "response_format."), Fields(form))
