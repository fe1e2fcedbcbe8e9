from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine import (
    ChatRequest,
    EngineSettings,
    Failed,
    Finished,
    PrefillProgress,
    RequestStats,
    SamplingSettings,
    SpeculationSettings,
    Token,
    TokensCommitted,
)
from engine.cluster.errors import ClusterError
from engine.cluster.messages import (
    CALLS,
    EVENTS,
    TO_CLIENT,
    TO_ENGINE,
    TO_LEADER,
    TO_RANK,
    Beat,
    Cancel,
    Change,
    Changes,
    Digest,
    Ended,
    Imported,
    Join,
    Load,
    Loaded,
    Lost,
    MainLoaded,
    Progress,
    Raised,
    Refused,
    Speculate,
    Submit,
    Unload,
    Warm,
    as_plain,
    dec_hook,
    enc_hook,
    from_plain,
)
from engine.errors import BadRequest, EngineError, InternalFailure, ModelNotUsable, NotEnoughMemory, PromptTooLong
from engine.events import Alternative, Event
from engine.grammars.grammar import Grammar
from engine.stats import PlainSpan, RoundRecord
from engine.status import EngineStatus, LoadedPair, MemoryUse, ModelInfo, PrefixCacheUsage
from engine.thinking_choice import ThinkingChoice
from engine.tuning import AcceptanceFigures, Calibration, ContextFigures, DepthFigures, LearnedPair
from engine.wire.messages import BadMessage, Codec, Message, pack, unpack

ROUND = RoundRecord(1, "draft", 3, 2, 3, 4, 0.5, 0.1, 0.2, 0.0, arguments=(("plain_ms", 1.5), ("why", "slow")))
STATS = RequestStats(prompt_tokens=3, accept_by_position=((2, 1),), plain_spans=(PlainSpan(2, "off"),))
REQUEST = ChatRequest(
    messages=[{"role": "user", "content": "안녕"}],
    sampling=SamplingSettings(temperature=0.5, logit_bias={7: -1.0}, seed=2**64 - 1),
    stop=["\n"],
    template_options={"enable_thinking": True},
    tools=[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    grammar=Grammar("json_object"),
)
PAIR = LoadedPair(
    ModelInfo("m", Path("m"), "qwen3", 512, 10, sampling=(("top_k", 20.0),), thinking=ThinkingChoice(("off", "on"))),
    None,
)
CONTEXT = ContextFigures(0, None, 9.5, 3, (DepthFigures("draft", 2, 0.1, 0.05, None, 9.0, 3),), (1.1, 1.0, 1.2))
VALUES: dict[str, Any] = {
    "load": PAIR,
    "set_draft": LoadedPair(PAIR.main, PAIR.main),
    "unload": LoadedPair(None, None),
    "status": EngineStatus(1, 2, PrefixCacheUsage(1, 2, 3), MemoryUse(1, 2, 3)),
    "learned": (LearnedPair(("m", ""), "m", "", True, (CONTEXT,), (AcceptanceFigures("draft", 0, 1.5, 1.0),)),),
    "calibrate": Calibration(("m", "d"), CONTEXT, 3, 1.5, True, True, 2.0),
}
EVENT_VALUES: list[Event] = [
    PrefillProgress(1, 2),
    TokensCommitted("é", (Token(3, "é", "draft", 0, 1, -0.5, (Alternative(1, "x", float("-inf")),)),), ROUND, STATS),
    Finished("stop", "text", (1, 2), STATS),
]
ERRORS = [
    ModelNotUsable("a", "damaged", "x"),
    PromptTooLong(10, 5),
    NotEnoughMemory("m", 5, 3, 100, 50, (("weights", "main", 5),)),
    BadRequest("stop", "texts", [1]),
    ClusterError("silent", "mac.local", "6"),
    InternalFailure("boom"),
]
MESSAGES: list[tuple[Codec[Any], Message]] = [
    *((TO_ENGINE, message) for message in (Submit(2, REQUEST), Cancel(2), Speculate(2, SpeculationSettings("off")))),
    *((TO_CLIENT, message) for message in (MainLoaded(3, PAIR), Progress(1, 2))),
    *(
        (TO_RANK, message)
        for message in (
            Join(), Load(1, "starter", {"config.json": "x"}, None, "tensor", 512), Warm(), Unload(), Beat(),
            Changes([Change(2, "commit_rows", 0, [[1, 2], 3], [1, 0]), Change(2, "copy", 1, [], 4)], [1], 3, (1, 5), 7),
        )
    ),
    *((TO_LEADER, message) for message in (Imported(), Loaded(1, ["KVCache"]), Digest(3, 4, 5), Beat())),
]  # fmt: skip


@pytest.mark.parametrize(("codec", "message"), MESSAGES, ids=lambda value: type(value).__name__)
def test_messages_cross_unchanged(codec: Codec[Any], message: Message) -> None:
    assert codec.take(bytearray(codec.frame(message))) == message


@pytest.mark.parametrize("name", CALLS)
def test_results_of_calls_cross_unchanged(name: str) -> None:
    value = VALUES.get(name)
    assert unpack(pack(value, enc_hook), CALLS[name][1], dec_hook) == value


@pytest.mark.parametrize("event", EVENT_VALUES, ids=lambda event: type(event).__name__)
def test_events_cross_unchanged(event: Event) -> None:
    assert unpack(pack(event, enc_hook), EVENTS[type(event).__name__], dec_hook) == event


def test_settings_cross_in_a_line() -> None:
    settings = EngineSettings(learned_file=Path("a") / "b", kv_bits=8, unload_after_s=3)
    assert from_plain(json.loads(json.dumps(as_plain(settings))), EngineSettings) == settings


def told_of(error: EngineError) -> list[EngineError]:
    """The error as it arrives on each way."""
    found: list[EngineError] = [unpack(pack(Failed(error, "", STATS), enc_hook), Failed, dec_hook).error]
    for codec, message in ((TO_CLIENT, Raised(1, error)), (TO_CLIENT, Ended(error)), (TO_LEADER, Refused(1, error)),
                           (TO_LEADER, Lost(error))):  # fmt: skip
        arrived: Any = codec.take(bytearray(codec.frame(message)))
        found.append(arrived.error)
    return [*found, from_plain(json.loads(json.dumps(as_plain(error))), EngineError)]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_errors_cross_with_their_code_arguments_and_sentence(error: EngineError) -> None:
    for found in told_of(error):
        assert type(found) is type(error)
        assert str(found) == str(error)
        assert json.dumps(found.arguments) == json.dumps(error.arguments)


def test_an_error_of_another_kind_arrives_as_an_internal_failure() -> None:
    class Strange(EngineError):
        code = "strange"

    for found in told_of(Strange("odd")):
        assert isinstance(found, InternalFailure)
        assert "odd" in str(found)


def test_nothing_else_leaves() -> None:
    with pytest.raises(TypeError):
        pack(object(), enc_hook)


@pytest.mark.parametrize(
    "error", [["os.system", {}], ["PromptTooLong", {"no": 1}], ["PromptTooLong", 3], [], {}, "error", 3]
)
def test_no_other_error_arrives(error: Any) -> None:
    class Foreign(Message, frozen=True, tag="Raised"):
        number: int
        error: Any

    with pytest.raises(BadMessage):
        TO_CLIENT.take(bytearray(TO_CLIENT.frame(Foreign(1, error))))


def test_a_request_is_checked_again_where_it_arrives() -> None:
    sent = msgspec.to_builtins(REQUEST) | {"max_tokens": 0}
    with pytest.raises(BadMessage, match="max_tokens"):
        unpack(pack(sent), ChatRequest, dec_hook)
