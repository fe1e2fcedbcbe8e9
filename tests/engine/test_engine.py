"""The engine as its callers see it: the same text with and without guesses, clear errors, and it goes on serving."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine import (
    ChatRequest,
    Engine,
    Event,
    Failed,
    Finished,
    ModelNotUsable,
    PrefillProgress,
    RequestStats,
    SamplingSettings,
    SpeculationSettings,
    TokensCommitted,
    scheduler,
)
from engine.errors import BadRequest, EngineClosed, InternalFailure, NoModel, PromptTooLong
from engine.requests import MAX_DEPTH
from engine.settings import EngineSettings
from tests.patience import PATIENCE_S

QUESTION = [{"role": "user", "content": "the quick brown fox"}]


def ask(
    engine: Engine,
    *,
    messages: list[dict[str, str]] = QUESTION,
    max_tokens: int = 60,
    temperature: float = 0.0,
    seed: int = 5,
    stop: tuple[str, ...] = (),
    **speculation: object,
) -> list[Event]:
    request = ChatRequest(
        messages=messages,
        sampling=SamplingSettings(temperature=temperature, seed=seed),
        speculation=SpeculationSettings(**speculation),  # type: ignore[arg-type]
        max_tokens=max_tokens,
        stop=stop,
    )
    return list(engine.submit(request))


def finished(events: list[Event]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished), last
    return last


@pytest.fixture(scope="module")
def plain_answers(engine_with_pair: Engine) -> dict[float, Finished]:
    """By temperature."""
    return {
        temperature: finished(ask(engine_with_pair, method="off", temperature=temperature))
        for temperature in (0.0, 0.8)
    }


@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("method", ["draft", "ngram", "auto"])
@pytest.mark.parametrize("depth", [1, 3, 8, None])
def test_text_is_the_same_whatever_guesses(
    engine_with_pair: Engine,
    plain_answers: dict[float, Finished],
    method: str,
    depth: int | None,
    temperature: float,
) -> None:
    plain = plain_answers[temperature]
    guessed = finished(ask(engine_with_pair, method=method, depth=depth, temperature=temperature))
    assert guessed.ids == plain.ids
    assert guessed.text == plain.text


def test_who_sets_a_depth_gets_it(engine_with_pair: Engine) -> None:
    """Whatever the controller may choose at most, and up to the most guesses that a round can have."""
    events = ask(engine_with_pair, method="draft", depth=MAX_DEPTH, max_depth=2)
    drafted = [event.round.drafted for event in events if isinstance(event, TokensCommitted)]
    assert max(drafted) == MAX_DEPTH


@pytest.mark.parametrize("name", ["depth", "max_depth"])
def test_more_guesses_than_a_round_can_have_are_refused(name: str) -> None:
    SpeculationSettings(**{name: MAX_DEPTH})  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match=f"{name} must be between [01] and {MAX_DEPTH}, not {MAX_DEPTH + 1}"):
        SpeculationSettings(**{name: MAX_DEPTH + 1})  # type: ignore[arg-type]


def test_another_seed_gives_another_text(engine_with_pair: Engine) -> None:
    texts = {finished(ask(engine_with_pair, temperature=1.0, seed=seed)).ids for seed in (1, 2, 3)}
    assert len(texts) == 3


def test_joined_deltas_are_the_final_text(engine_with_pair: Engine) -> None:
    events = ask(engine_with_pair, method="draft", depth=4, temperature=0.9)
    committed = [event for event in events if isinstance(event, TokensCommitted)]
    last = finished(events)
    assert "".join(event.text for event in committed) == last.text
    assert [token.id for event in committed for token in event.tokens] == list(last.ids)


def test_figures_follow_from_the_rounds(engine_with_pair: Engine) -> None:
    events = ask(engine_with_pair, method="draft", depth=4)
    rounds = [event.round for event in events if isinstance(event, TokensCommitted)]
    stats = finished(events).stats
    assert stats.rounds == len(rounds)
    assert stats.drafted == sum(record.drafted for record in rounds)
    assert stats.accepted == sum(record.accepted for record in rounds)
    assert stats.generated_tokens == sum(record.committed for record in rounds) == 60
    assert stats.accept_rate == stats.accepted / stats.drafted
    assert stats.accept_by_position[0] == (
        sum(record.drafted > 0 for record in rounds),
        sum(record.accepted > 0 for record in rounds),
    )
    assert stats.draft == "draft"
    assert stats.ttft_s is not None


def test_sources_of_tokens_are_the_accept_flags(engine_with_pair: Engine) -> None:
    for event in ask(engine_with_pair, method="draft", depth=4):
        if isinstance(event, TokensCommitted):
            sources = [token.source for token in event.tokens]
            assert sources.count("draft") == event.round.accepted
            assert sources == sorted(sources)  # guesses first, then the main model's own token


def test_the_draft_reads_the_prompt_only_when_it_is_to_guess(tiny_main: Path, tiny_draft: Path) -> None:
    with Engine() as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        assert finished(ask(engine, method="off")).stats.draft_prefill_tokens == 0
        stats = finished(ask(engine, method="draft", depth=2)).stats
        assert stats.draft_prefill_tokens == stats.prompt_tokens


def test_plain_spans_say_why(engine_with_pair: Engine) -> None:
    off = finished(ask(engine_with_pair, method="off", max_tokens=8)).stats
    assert [(span.tokens, span.reason) for span in off.plain_spans] == [(1, "first-token"), (7, "off")]
    fixed = finished(ask(engine_with_pair, method="draft", depth=4, max_tokens=8)).stats
    assert fixed.plain_spans[0].reason == "first-token"


def test_the_next_turn_reads_only_what_is_new(engine_with_pair: Engine) -> None:
    first = finished(ask(engine_with_pair, max_tokens=20, method="draft", depth=3))
    turn = [*QUESTION, {"role": "assistant", "content": first.text}, {"role": "user", "content": "and then"}]
    second = finished(ask(engine_with_pair, messages=turn, max_tokens=4)).stats
    assert second.cached_tokens >= first.stats.prompt_tokens


def test_cancel_ends_within_a_round_and_keeps_what_was_committed(engine_with_pair: Engine) -> None:
    submitted, ended = threading.Event(), threading.Event()
    seen: list[Event] = []

    def listen(event: Event) -> None:
        """On the engine's thread, so that no round goes by before the answer is cancelled."""
        seen.append(event)
        if isinstance(event, TokensCommitted):
            submitted.wait()
            stream.cancel()
        elif isinstance(event, Finished | Failed):
            ended.set()

    stream = engine_with_pair.submit(ChatRequest(QUESTION, max_tokens=400), listen)
    submitted.set()
    assert ended.wait(PATIENCE_S)
    last = finished(seen)
    assert last.reason == "cancelled"
    assert 1 <= last.stats.rounds <= 3
    assert "".join(event.text for event in seen if isinstance(event, TokensCommitted)) == last.text


def test_cancel_before_the_start_gives_no_text(engine_with_pair: Engine) -> None:
    cancelled, ended = threading.Event(), threading.Event()
    seen: list[Event] = []

    def listen(event: Event) -> None:
        """Keeps the engine's thread from the next request until that is cancelled."""
        seen.append(event)
        cancelled.wait(PATIENCE_S)
        if isinstance(event, Finished | Failed):
            ended.set()

    engine_with_pair.submit(ChatRequest(QUESTION, max_tokens=50), listen)
    waiting = engine_with_pair.submit(ChatRequest(QUESTION, max_tokens=50))
    waiting.cancel()
    cancelled.set()
    assert ended.wait(PATIENCE_S)
    assert finished(seen).reason == "length"
    last = finished(list(waiting))
    assert (last.reason, last.text, last.ids) == ("cancelled", "", ())


def test_max_tokens_is_exact_inside_a_block(engine_with_pair: Engine) -> None:
    for limit in range(1, 12):
        last = finished(ask(engine_with_pair, method="draft", depth=4, max_tokens=limit))
        assert (len(last.ids), last.reason) == (limit, "length")


def test_a_stop_string_cuts_the_text_exactly(engine_with_pair: Engine) -> None:
    whole = finished(ask(engine_with_pair, method="off")).text
    stop = whole[10:13]
    for depth in (0, 1, 4, 8):
        last = finished(ask(engine_with_pair, method="draft", depth=depth, stop=(stop,)))
        assert last.reason == "stop"
        assert last.text == whole[: whole.index(stop)]


def test_a_prompt_longer_than_the_context_is_refused_with_the_count(engine_with_pair: Engine) -> None:
    [failed] = ask(engine_with_pair, messages=[{"role": "user", "content": "fox " * 600}])
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, PromptTooLong)
    assert failed.error.arguments["limit"] == 512
    assert finished(ask(engine_with_pair, max_tokens=2)).ids


def test_the_answer_ends_where_the_context_does(engine_with_pair: Engine) -> None:
    long = [{"role": "user", "content": "lazy dog " * 150}]
    events = ask(engine_with_pair, messages=long, max_tokens=5000, method="draft", depth=6)
    last = finished(events)
    assert last.reason in ("length", "stop")
    assert last.stats.prompt_tokens > 300
    assert last.stats.prompt_tokens + len(last.ids) <= 512


def test_prefill_progress_ends_at_the_last_prompt_token_but_one(engine_with_pair: Engine) -> None:
    events = ask(engine_with_pair, messages=[{"role": "user", "content": "lazy dog " * 30}], max_tokens=1)
    progress = [event for event in events if isinstance(event, PrefillProgress)]
    assert progress[-1].done == progress[-1].total - 1


def test_an_empty_question_is_refused_where_it_is_made() -> None:
    with pytest.raises(BadRequest, match="text"):
        ChatRequest([{"role": "user", "content": "  \n"}])


def test_a_missing_folder_is_told_and_the_model_before_stays(engine_with_pair: Engine, tmp_path: Path) -> None:
    with pytest.raises(ModelNotUsable) as caught:
        engine_with_pair.load(tmp_path / "nowhere").result(timeout=PATIENCE_S)
    assert caught.value.reason == "missing"
    assert finished(ask(engine_with_pair, max_tokens=2)).ids


def test_a_folder_with_the_wrong_tensors_is_told(engine_with_pair: Engine, tiny_main: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in tiny_main.iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    config = json.loads((broken / "config.json").read_text())
    config["intermediate_size"] = 96
    (broken / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelNotUsable) as caught:
        engine_with_pair.load(broken).result(timeout=PATIENCE_S)
    assert caught.value.reason == "wrong-tensors"
    assert finished(ask(engine_with_pair, max_tokens=2)).ids


def test_a_draft_that_cannot_be_used_does_not_stop_the_main_model(tiny_main: Path, tmp_path: Path) -> None:
    with Engine() as engine:
        pair = engine.load(tiny_main, tmp_path / "nowhere").result(timeout=PATIENCE_S)
        assert pair.main is not None
        assert pair.draft is None
        assert isinstance(pair.draft_problem, ModelNotUsable)
        spans = finished(ask(engine, method="draft", max_tokens=4)).stats.plain_spans
        assert spans[-1].reason == "draft-not-usable"


@pytest.mark.usefixtures("disk_without_waiting")
def test_a_draft_can_come_and_go_in_the_middle_of_an_answer(tiny_main: Path, tiny_draft: Path) -> None:
    seen: list[Event] = []
    ended = threading.Event()

    def listen(event: Event) -> None:
        """On the engine's thread, so that the answer does not run away from what is asked for in the middle of it."""
        seen.append(event)
        if isinstance(event, TokensCommitted) and event.round.number == 20:
            engine.set_draft(tiny_draft)
        if isinstance(event, TokensCommitted) and event.stats.drafted > 60:
            engine.set_draft(None)
        if isinstance(event, Finished | Failed):
            ended.set()

    with Engine() as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        plain = finished(ask(engine, max_tokens=300, method="off")).ids
        speculation = SpeculationSettings(method="draft", depth=3)
        engine.submit(ChatRequest(QUESTION, max_tokens=300, speculation=speculation), listen)
        assert ended.wait(PATIENCE_S)
        assert finished(seen).ids == plain
        assert finished(seen).stats.drafted > 60
        assert finished(seen).stats.plain_spans[-1].reason == "no-draft"


def test_requests_wait_for_each_other_in_order(engine_with_pair: Engine) -> None:
    order: list[int] = []
    done = threading.Event()

    def note(index: int) -> object:
        def listen(event: Event) -> None:
            if isinstance(event, Finished):
                order.append(index)
                if index == 2:
                    done.set()

        return listen

    for index in range(3):
        engine_with_pair.submit(ChatRequest(QUESTION, max_tokens=10), on_event=note(index))  # type: ignore[arg-type]
    assert done.wait(PATIENCE_S)
    assert order == [0, 1, 2]


@pytest.mark.expects_log
def test_a_listener_that_fails_does_not_hurt_the_request(engine_with_pair: Engine) -> None:
    done = threading.Event()

    def listen(event: Event) -> None:
        if isinstance(event, Finished):
            done.set()
        raise ValueError("from a listener")

    engine_with_pair.submit(ChatRequest(QUESTION, max_tokens=3), on_event=listen)
    assert done.wait(PATIENCE_S)
    assert finished(ask(engine_with_pair, max_tokens=2)).ids


def test_without_a_model_a_request_fails_with_a_reason() -> None:
    with Engine() as engine:
        [failed] = ask(engine)
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, NoModel)


def test_closing_while_it_streams_ends_the_stream(tiny_main: Path) -> None:
    engine = Engine()
    engine.load(tiny_main).result(timeout=PATIENCE_S)
    seen: list[Event] = []
    ended = threading.Event()

    def listen(event: Event) -> None:
        """Closes on the engine's thread, so that the answer is not over before."""
        seen.append(event)
        if isinstance(event, Finished | Failed):
            ended.set()
        else:
            engine.close()

    engine.submit(ChatRequest(QUESTION, max_tokens=450), listen)
    assert ended.wait(PATIENCE_S)
    engine.close()
    assert finished(seen).reason == "cancelled"
    [failed] = list(engine.submit(ChatRequest(QUESTION)))
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, EngineClosed)


@pytest.mark.expects_log
def test_an_engine_that_cannot_start_tells_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def refuse(*_: object) -> None:
        go_on.wait(PATIENCE_S)
        raise OSError("no device")

    monkeypatch.setattr(scheduler, "Scheduler", refuse)
    with Engine() as engine:
        early, loading, stream = engine.status(), engine.load("nowhere"), engine.submit(ChatRequest(QUESTION))
        go_on.set()
        for future in (early, loading):
            with pytest.raises(InternalFailure, match="no device"):
                future.result(timeout=PATIENCE_S)
        [failed] = list(stream)
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, InternalFailure)
        with pytest.raises(InternalFailure, match="no device"):
            engine.learned().result(timeout=PATIENCE_S)


@pytest.mark.expects_log
def test_an_engine_whose_thread_fails_ends_what_it_was_asked(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine() as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        monkeypatch.setattr(scheduler.Scheduler, "step", lambda _self: 1 / 0)
        *_, last = engine.submit(ChatRequest(QUESTION))
        assert isinstance(last, Failed)
        with pytest.raises(InternalFailure, match="division"):
            engine.status().result(timeout=PATIENCE_S)


def test_stats_keys_are_those_of_the_contract() -> None:
    expected = {
        "prompt_tokens", "cached_tokens", "draft_prefill_tokens", "generated_tokens", "rounds", "drafted", "accepted",
        "accept_rate", "accept_by_position", "tokens_per_round", "ttft_s", "decode_tps", "plain_tps", "speedup",
        "draft_s", "verify_s", "host_s", "plain_spans",
    }  # fmt: skip
    assert expected <= set(RequestStats.__slots__)


def test_engine_imports_and_answers_without_qt(tiny_main: Path) -> None:
    program = f"""
import sys
sys.modules["PySide6"] = None
from engine import ChatRequest, Engine
with Engine() as engine:
    engine.load({str(tiny_main)!r}).result()
    *_, last = engine.submit(ChatRequest([{{"role": "user", "content": "fox"}}], max_tokens=3))
    print(last.reason)
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert result.stdout.strip() == "length"


def test_what_was_learned_outlives_the_engine(
    tiny_main: Path, tiny_draft: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing is found out in an idle moment, of which a busy machine has more.
    monkeypatch.setattr("engine.engine.TUNING_S", -1.0)
    settings = EngineSettings(learned_file=tmp_path / "cache" / "learned.json")
    for known in (False, True):
        with Engine(settings) as engine:
            engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
            committed = [event for event in ask(engine, method="auto") if isinstance(event, TokensCommitted)]
        assert (committed[0].stats.plain_tps is not None) == known
    assert list(tmp_path.glob("cache/*")) == [tmp_path / "cache" / "learned.json"]


@pytest.mark.expects_log
def test_a_disk_that_refuses_does_not_fail_the_request(tiny_main: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("where the folder should be")
    with Engine(EngineSettings(learned_file=tmp_path / "file" / "learned.json")) as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        assert all(finished(ask(engine, max_tokens=4)).reason == "length" for _ in range(2))
