"""How much a model may think, in the spellings of all clients, as it reaches the engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine import ChatRequest
from engine.status import LoadedPair
from engine.tokenizers.thinking import ThinkingChoice
from tests.app.api.conftest import Serve
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import Script

CHAT, RESPONSES, MESSAGES, OLLAMA = "/v1/chat/completions", "/v1/responses", "/v1/messages", "/api/chat"
SWITCH, EFFORTS, NONE = ThinkingChoice(("off", "on"), "on"), ThinkingChoice(("low", "high"), "high"), ThinkingChoice()


def asked(serve: Serve, path: str, body: dict[str, Any], choice: ThinkingChoice = NONE) -> ChatRequest:
    """Return the engine's request for a body, with a model whose template offers this choice."""
    engine = ScriptedEngine([Script("It is 4.")])
    served = serve(engine, LoadedPair(replace(model_info("main"), thinking=choice), None))
    content = {"input": "2 + 2?"} if path == RESPONSES else {"messages": [{"role": "user", "content": "2 + 2?"}]}
    reply = served.post(path, {**content, "max_tokens": 9, **body})
    assert reply.status_code == 200
    assert not reply.headers.get("x-tandem-skipped")
    return engine.requests[-1]


@pytest.mark.full
@pytest.mark.parametrize(
    ("path", "body"),
    [
        *((path, {"thinking_budget": 8}) for path in (CHAT, RESPONSES, MESSAGES, OLLAMA)),
        *((CHAT, {name: 8}) for name in ("thinking_budget_tokens", "thinking_token_budget", "reasoning_max_tokens")),
        *((CHAT, {name: 8}) for name in ("max_thinking_tokens", "reasoning_budget", "reasoning_budget_tokens")),
        *((path, {"reasoning": {"max_tokens": 8, "effort": "high"}}) for path in (CHAT, RESPONSES)),
        *((path, {"chat_template_kwargs": {"thinking_budget": 8}}) for path in (CHAT, OLLAMA, MESSAGES)),
        *((path, {"thinking": {"type": "enabled", "budget_tokens": 8}}) for path in (MESSAGES, CHAT)),
        (OLLAMA, {"options": {"thinking_budget": 8}, "think": True}),
        (CHAT, {"thinking_budget": "8.0", "reasoning_effort": "low"}),
    ],
)
def test_every_spelling_of_a_budget_is_the_same(serve: Serve, path: str, body: dict[str, Any]) -> None:
    assert asked(serve, path, body).thinking_budget == 8


@pytest.mark.full
@pytest.mark.parametrize(
    ("path", "effort"),
    [
        (CHAT, lambda effort: {"reasoning_effort": effort}),
        (CHAT, lambda effort: {"reasoning": {"effort": effort}}),
        (RESPONSES, lambda effort: {"reasoning": {"effort": effort}}),
        (OLLAMA, lambda effort: {"think": effort}),
        (MESSAGES, lambda effort: {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}),
    ],
)
def test_an_effort_is_a_budget_where_the_template_has_none(serve: Serve, path: str, effort: Any) -> None:
    for level, budget in (("minimal", 1024), ("low", 1024), ("medium", 8192), ("high", 24576), ("max", None)):
        request = asked(serve, path, effort(level), SWITCH)
        assert request.thinking_budget == budget
        assert request.template_options == {"enable_thinking": True}
    request = asked(serve, path, effort("low"), EFFORTS)
    assert (request.thinking_budget, request.template_options) == (None, {"reasoning_effort": "low"})


@pytest.mark.full
@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, {"thinking_budget": 0}),
        (CHAT, {"reasoning_effort": "none"}),
        (CHAT, {"reasoning": {"enabled": False, "effort": "high"}}),
        (CHAT, {"thinking": {"type": "disabled"}}),
        (CHAT, {"enable_thinking": False}),
        (MESSAGES, {"thinking": {"type": "disabled"}, "output_config": {"effort": "high"}}),
        (MESSAGES, {"thinking": {"type": "enabled", "budget_tokens": 0}}),
        (RESPONSES, {"reasoning": {"effort": "none"}}),
        (OLLAMA, {"think": False}),
    ],
)
def test_no_thoughts_are_no_thoughts_whatever_the_template_offers(
    serve: Serve, path: str, body: dict[str, Any]
) -> None:
    assert asked(serve, path, body, SWITCH).template_options == {"enable_thinking": False}
    assert asked(serve, path, body).thinking_budget == 0


@pytest.mark.parametrize("body", [{}, {"thinking_budget": -1}, {"thinking": None, "reasoning": "a", "think": None}])
def test_without_a_wish_thoughts_have_no_limit(serve: Serve, body: dict[str, Any]) -> None:
    assert asked(serve, CHAT, body, SWITCH).thinking_budget is None
