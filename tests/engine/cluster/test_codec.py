from __future__ import annotations

import json
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest

from engine import (
    ChatRequest,
    EngineSettings,
    Failed,
    Finished,
    RequestStats,
    SamplingSettings,
    Token,
    TokensCommitted,
    events,
    requests,
    stats,
    status,
    tuning,
)
from engine import settings as engine_settings
from engine.cluster.codec import decode, encode
from engine.cluster.errors import ClusterError
from engine.errors import EngineError, InternalFailure, ModelNotUsable, NotEnoughMemory, PromptTooLong
from engine.grammars.grammar import Grammar
from engine.stats import PlainSpan, RoundRecord
from engine.status import LoadedPair, ModelInfo
from engine.thinking_choice import ThinkingChoice

# What the engine keeps to itself.
NEVER_SENT = {"MeasuredSpeedup", "SpeedupTotals"}
ROUND = RoundRecord(1, "draft", 3, 2, 3, 4, 0.5, 0.1, 0.2, 0.0, arguments=(("plain_ms", 1.5),))
STATS = RequestStats(prompt_tokens=3, accept_by_position=((2, 1),), plain_spans=(PlainSpan(2, "off"),))


def crossed(value: Any) -> Any:
    return decode(json.loads(json.dumps(encode(value))))


@pytest.mark.parametrize(
    "value",
    [
        ChatRequest(
            messages=({"role": "user", "content": "안녕"},),
            sampling=SamplingSettings(temperature=0.5, logit_bias={7: -1.0}),
            stop=("\n",),
            template_options={"enable_thinking": True},
            grammar=Grammar("json_object"),
        ),
        EngineSettings(learned_file=Path("a") / "b", kv_bits=8),
        TokensCommitted("é", (Token(3, "é", "draft", 0, 1, -0.5),), ROUND, STATS),
        Finished("stop", "text", (1, 2), STATS),
        LoadedPair(
            ModelInfo(
                "m", Path("m"), "qwen3", 512, 10, sampling=(("top_k", 20.0),), thinking=ThinkingChoice(("off", "on"))
            ),
            None,
        ),
        {1: [None, True, (1.5, "x")]},
    ],
)
def test_what_the_protocol_knows_crosses_unchanged(value: Any) -> None:
    assert crossed(value) == value


@pytest.mark.parametrize(
    "error",
    [
        ModelNotUsable("a", "damaged", "x"),
        PromptTooLong(10, 5),
        NotEnoughMemory("m", 5, 3, 100, 50, (("weights", "main", 5),)),
        ClusterError("silent", "mac.local", "6"),
        InternalFailure("boom"),
    ],
)
def test_errors_cross_with_their_code_arguments_and_sentence(error: EngineError) -> None:
    found = crossed(Failed(error, "so far", STATS))
    assert isinstance(found, Failed)
    assert type(found.error) is type(error)
    assert (str(found.error), found.error.arguments) == (str(error), error.arguments)
    assert (found.text, found.stats) == ("so far", STATS)


def kinds_of(module: object) -> list[str]:
    """The dataclasses that a module of the protocol defines."""
    found = [kind for kind in vars(module).values() if isinstance(kind, type) and is_dataclass(kind)]
    return [kind.__name__ for kind in found if kind.__module__ == vars(module)["__name__"]]


@pytest.mark.parametrize("module", [events, requests, engine_settings, stats, status, tuning])
def test_every_dataclass_that_a_client_meets_is_known(module: object) -> None:
    """One that is added later must not end an answer."""
    for kind in sorted({*kinds_of(module)} - NEVER_SENT):
        with pytest.raises(ValueError, match="unexpected keyword argument 'unknown'"):
            decode({"!": kind, "=": {"unknown": 1}})


def test_an_error_of_another_kind_arrives_as_an_internal_failure() -> None:
    class Strange(EngineError):
        code = "strange"

    found = crossed(Strange("odd"))
    assert isinstance(found, InternalFailure)
    assert "odd" in str(found)


def test_nothing_else_leaves_or_arrives() -> None:
    with pytest.raises(TypeError):
        encode(object())
    for foreign in ({"!": "os.system", "=": {}}, {"!": "Token", "=": {"no": 1}}, {"x": 1}, {"!": "error", "=": {}}):
        with pytest.raises(ValueError, match="protocol"):
            decode(foreign)


def test_a_request_is_checked_again_where_it_arrives() -> None:
    sent = encode(ChatRequest(messages=({"role": "user", "content": "a"},)))
    sent["="]["max_tokens"] = 0
    with pytest.raises(EngineError):
        decode(sent)
