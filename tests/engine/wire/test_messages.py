"""Every message of every protocol arrives as it was sent, and so does every error."""

from __future__ import annotations

import json
from functools import partial
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
    errors,
)
from engine.cluster import messages as cluster
from engine.cluster.messages import CALLS, REPLIES, as_plain, dec_hook, enc_hook, from_plain
from engine.computers.errors import ClusterError
from engine.errors import EngineError, InternalFailure, PromptTooLong
from engine.events import Alternative, Event, PromptToken
from engine.grammars.grammar import Grammar
from engine.model_files.cache_counting import count_bare
from engine.pictures.picture_file import decode_picture
from engine.sandbox import tasks as sandbox
from engine.stats import PlainSpan, RoundRecord
from engine.status import EngineStatus, LoadedPair, MemoryUse, ModelInfo, PrefixCacheUsage
from engine.tokenizers.prompts import PromptJob
from engine.tokenizers.tasks import TokenizerSource, build_tokenizer, count_tokens, prompt_of
from engine.tokenizers.thinking import ThinkingChoice
from engine.tuning import LearnedPair
from engine.wire.messages import BadMessage, Codec, WireMessage, pack, unpack

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
VALUES: dict[str, Any] = {
    "load": PAIR,
    "set_draft": LoadedPair(PAIR.main, PAIR.main),
    "load_additional": PAIR,
    "unload": LoadedPair(None, None),
    "status": EngineStatus(1, 2, PrefixCacheUsage(1, 2, 3), MemoryUse(1, 2, 3), resident=(PAIR,)),
    "learned": (LearnedPair(("m", ""), loaded=True, same_text_cost=0.1),),
}
EVENT_VALUES: list[Event] = [
    PrefillProgress(1, 2),
    PrefillProgress(1, 2, 0, (PromptToken(3, "é", None), PromptToken(4, "x", -0.5, (Alternative(1, "x", -1.0),)))),
    TokensCommitted("é", (Token(3, "é", "draft", 0, 1, -0.5, (Alternative(1, "x", float("-inf")),)),), ROUND, STATS),
    Finished("stop", "text", (1, 2), STATS),
]
ERRORS = [
    errors.BadRequest("stop", "texts", [1]),
    errors.ModelNotUsable("a", "damaged", "x"),
    errors.LoadCancelled(),
    errors.NoModel(),
    errors.PromptTooLong(10, 5),
    errors.QueueFull(32),
    errors.NotEnoughMemory("m", 5, 3, 100, 50, (("weights", "main", 5),), kv_bits=8, draft_bytes=9),
    errors.TemplateFailed("roles must alternate"),
    errors.CannotTeach("too-little", "12%"),
    errors.PictureNotUsable("too-large", "20"),
    errors.ModelCannotSee("Qwen3-8B", "cluster"),
    errors.PicturesNotInstalled(),
    errors.GrammarNotUsable("invalid", "unknown name"),
    errors.EngineClosed(),
    errors.DeviceFailed("[METAL] out of memory", "Qwen3-8B"),
    errors.InternalFailure("boom"),
    errors.FileRefused("read-only", "a/b"),
    ClusterError("silent", "mac.local", "6"),
]
JOB = PromptJob([{"role": "user", "content": "x"}], 500, options={"enable_thinking": True}, tools=[])
TASKS = (
    partial(build_tokenizer, TokenizerSource("a", [1, 2], {"eos_token": "x"}, {"b": True}), True),
    partial(prompt_of, "a", JOB),
    partial(count_tokens, "a", "b", None),
    partial(count_bare, {"layers": [1, None, {"a": 0.5}]}),
    partial(decode_picture, b"\0", [(1, 2)], 3),
)
MESSAGES: dict[Codec[Any], list[WireMessage]] = {
    cluster.TO_ENGINE: [
        cluster.Call(1, "load", pack(("m", None))),
        cluster.Submit(2, REQUEST),
        cluster.Cancel(2),
        cluster.Speculate(2, SpeculationSettings("off")),
    ],
    cluster.TO_CLIENT: [cluster.EngineReply(3, "result", pack(None))],
    cluster.TO_RANK: [
        cluster.LoadPart(1, "starter", {"config.json": "x"}, None, "tensor", 512),
        cluster.AllLoaded(),
        cluster.Unload(),
        cluster.Changes([cluster.Change(2, "commit", 0, [[1, 2], 3], [[1, 0], True, 3, None])], [1], 3, (1, 5)),
    ],
    cluster.TO_LEADER: [cluster.Loaded(1, ["KVCache"])],
    cluster.ECHO: [cluster.Ping(b"x")],
    sandbox.REQUESTS: [sandbox.TaskRequest(8, "a.b", pack((1, "x")))],
    sandbox.REPLIES: [sandbox.Done(pack([1, 2])), sandbox.Failure.of(PromptTooLong(3, 2)), sandbox.TooLarge()],
}


@pytest.mark.parametrize(("codec", "message"), [(codec, one) for codec, sent in MESSAGES.items() for one in sent])
def test_a_message_arrives_as_it_was_sent(codec: Codec[Any], message: WireMessage) -> None:
    received = bytearray(codec.frame(message) + codec.frame(message)[:-1])
    assert codec.take(received) == message
    assert codec.take(received) is None


@pytest.mark.parametrize("task", TASKS)
def test_a_task_arrives_with_its_arguments(task: partial[Any]) -> None:
    assert unpack(pack(task.args), sandbox.types_of(task.func)[0]) == task.args


@pytest.mark.parametrize("name", CALLS)
def test_results_of_calls_cross_unchanged(name: str) -> None:
    value = VALUES.get(name)
    assert unpack(pack(value, enc_hook), CALLS[name][1], dec_hook) == value


@pytest.mark.parametrize("event", EVENT_VALUES, ids=lambda event: type(event).__name__)
def test_events_cross_unchanged(event: Event) -> None:
    assert unpack(pack(event, enc_hook), REPLIES[type(event).__name__], dec_hook) == event


def test_settings_cross_in_a_line() -> None:
    settings = EngineSettings(learned_file=Path("a") / "b", kv_bits=8, unload_after_s=3)
    assert from_plain(json.loads(json.dumps(as_plain(settings))), EngineSettings) == settings


def told_of(error: EngineError) -> list[EngineError]:
    """Return the error as it arrives by each kind of message."""
    failed: Failed = unpack(pack(Failed(error, "", STATS), enc_hook), Failed, dec_hook)
    found: list[EngineError] = [failed.error]
    for message in (cluster.LoadRefused(1, error), cluster.RankFailed(error)):
        arrived: Any = cluster.TO_LEADER.take(bytearray(cluster.TO_LEADER.frame(message)))
        found.append(arrived.error)
    return [*found, from_plain(json.loads(json.dumps(as_plain(error))), EngineError)]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_errors_cross_with_their_code_and_arguments(error: EngineError) -> None:
    for found in told_of(error):
        assert type(found) is type(error)
        assert json.dumps(found.arguments) == json.dumps(error.arguments)


def test_every_error_that_a_client_meets_has_an_example_here() -> None:
    met = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, EngineError)}
    assert {type(error) for error in ERRORS} == {*met, ClusterError} - {EngineError}


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
    with pytest.raises(BadMessage):
        unpack(pack(error), EngineError, dec_hook)


def test_a_request_is_checked_again_where_it_arrives() -> None:
    sent = msgspec.to_builtins(REQUEST) | {"max_tokens": -1}
    with pytest.raises(BadMessage, match="max_tokens"):
        unpack(pack(sent), ChatRequest, dec_hook)
