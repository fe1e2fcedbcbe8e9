"""Sampling, limits and speculation of a request, as they reach the engine."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.dialects.chat import ChatBody
from app.api.dialects.responses import ResponseBody
from app.api.requests.bodies import body_of
from app.api.requests.errors import ApiError
from app.api.requests.request_settings import LONGEST_STOP, MOST_BIASES, MOST_STOPS, RequestSettings
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


def sampling(fields: dict[str, Any], recommended: dict[str, float] | None = None, index: int = 0) -> SamplingSettings:
    return body_of(fields, RequestSettings).sampling(recommended or {}, index)


@pytest.mark.first
def test_every_way_of_sampling_reaches_the_engine() -> None:
    asked = {**SAMPLING, "repetition_context_size": 64, "logit_bias": {"15": -100, "7": 2.5}, "seed": 9}
    expected = SamplingSettings(**SAMPLING, penalty_window=64, logit_bias={15: -100.0, 7: 2.5}, seed=9)
    assert sampling(asked) == expected
    for spelling in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        assert body_of({spelling: 3}, RequestSettings).most_tokens() == 3


def test_what_a_request_does_not_say_is_as_the_models_authors_recommend() -> None:
    recommended = {name: value / 2 for name, value in SAMPLING.items() if name != "top_k"} | {"top_k": 12}
    assert sampling({}, recommended) == SamplingSettings(**recommended)
    for key, value in SAMPLING.items():
        assert sampling({key: value}, recommended) == SamplingSettings(**{**recommended, key: value})
        # Zero is a value; null counts as absent.
        assert sampling({"temperature": 0, key: None}, recommended).temperature == (
            recommended["temperature"] if key == "temperature" else 0.0
        )


def test_the_seeds_of_several_answers_differ_and_may_be_negative() -> None:
    assert [sampling({"seed": -1}, index=index).seed for index in range(2)] == [2**64 - 1, 0]
    assert sampling({}, index=2).seed is None


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
    assert body_of(fields, RequestSettings).speculating(SERVED) == expected


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"logit_bias": {"-1": 1}}, "logit_bias"),
        ({"logit_bias": {"1": 101}}, "logit_bias"),
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
        body_of(fields, RequestSettings).sampling({})
    assert refused.value.status == 400
    assert param in (refused.value.param or "")


@pytest.mark.parametrize("value", [1e12, True])
def test_no_way_of_sampling_takes_a_value_out_of_range(value: object) -> None:
    for key in SAMPLING:
        with pytest.raises(ApiError) as refused:
            body_of({key: value}, RequestSettings)
        assert (refused.value.status, refused.value.param) == (400, key)


def test_the_longest_that_is_allowed_is_allowed() -> None:
    stops = ["x" * LONGEST_STOP] * MOST_STOPS
    assert body_of({"stop": stops}, RequestSettings).stops == tuple(stops)
    assert body_of({"stop": "end"}, RequestSettings).stops == ("end",)


@pytest.mark.parametrize(
    ("turn", "sentence"),
    [
        ({"role": "user", "content": 5}, "'{}[1].content': Expected `str | array | null`, got `int`."),
        ({"role": "user", "content": [5]}, "'{}[1].content[0]': Expected `object`, got `int`."),
    ],
)
@pytest.mark.parametrize(("key", "kind"), [("messages", ChatBody), ("input", ResponseBody)])
def test_an_error_says_where_in_a_body_what_is_expected(
    key: str, kind: type[RequestSettings], turn: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ApiError) as refused:
        body_of({key: [{"role": "user", "content": "Hi"}, turn]}, kind)
    assert refused.value.sentence == sentence.format(key)


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"min_tokens": 5, "stop_token_ids": [2]}, ["min_tokens", "stop_token_ids"]),
        ({"options": {"mirostat": 2, "typical_p": 0.9}}, ["typical_p", "mirostat"]),
        # What programs send where nothing is asked for.
        (
            {"min_tokens": 0, "ignore_eos": False, "stop_token_ids": [], "typical_p": 1.0, "options": {"mirostat": 0}},
            [],
        ),
        ({"min_tokens": None, "options": None}, []),
    ],
)
def test_what_other_servers_would_heed_is_said_to_have_no_effect(fields: dict[str, Any], names: list[str]) -> None:
    skipped = list[str]()
    body_of(fields, RequestSettings, skipped)
    assert skipped == names
