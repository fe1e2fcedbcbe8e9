"""Requests and their settings say what is wrong with them when they are created."""

from __future__ import annotations

import pytest

from engine import (
    ChatRequest,
    SpeculationSettings,
)
from engine.errors import BadRequest
from engine.requests import MAX_DEPTH


@pytest.mark.parametrize("name", ["depth", "max_depth"])
def test_a_depth_above_the_most_of_a_round_is_refused(name: str) -> None:
    SpeculationSettings(**{name: MAX_DEPTH})  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match=f"{name} must be between [01] and {MAX_DEPTH}, not {MAX_DEPTH + 1}"):
        SpeculationSettings(**{name: MAX_DEPTH + 1})  # type: ignore[arg-type]


def test_an_empty_question_is_refused_when_it_is_created() -> None:
    with pytest.raises(BadRequest, match="text"):
        ChatRequest([{"role": "user", "content": "  \n"}])
