"""The engine as its callers see it: loading, cancelling, closing, and failures after which it still serves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue

import mlx.core as mx
import pytest

from engine import ChatRequest, Engine, Event, Failed, Finished, ModelNotUsable, TokensCommitted
from engine.errors import EngineClosed, EngineError, InternalFailure, NoModel
from engine.serving import scheduler
from engine.settings import EngineSettings
from tests.engine.serving_requests import QUESTION, ask, finished
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S


@pytest.mark.parametrize(("chosen", "used"), [({}, "0"), ({"MLX_ENABLE_TF32": "1"}, "1")])
def test_products_in_float32_are_exact_on_every_gpu_unless_the_user_chose_otherwise(
    chosen: dict[str, str], used: str
) -> None:
    others = {name: value for name, value in os.environ.items() if name != "MLX_ENABLE_TF32"}
    code = "import sys, engine, os; assert 'mlx.core' not in sys.modules; print(os.environ['MLX_ENABLE_TF32'])"
    said = subprocess.run([sys.executable, "-c", code], env=others | chosen, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == used


@pytest.mark.first
def test_cancel_ends_within_a_round_and_keeps_what_was_committed(engine_with_pair: Engine) -> None:
    submitted, ended = threading.Event(), threading.Event()
    seen: list[Event] = []

    def listen(event: Event) -> None:
        """Cancel on the engine's thread, so that no further round begins before."""
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
        """Keep the engine's thread from the next request until that is cancelled."""
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


def test_a_folder_that_cannot_be_loaded_is_reported_and_the_loaded_model_stays(
    engine_with_pair: Engine, tiny_main: Path, tmp_path: Path
) -> None:
    broken = Path(shutil.copytree(tiny_main, tmp_path / "broken"))
    config = json.loads((broken / "config.json").read_text())
    (broken / "config.json").write_text(json.dumps({**config, "intermediate_size": 96}))
    for folder, reason in ((tmp_path / "nowhere", "missing"), (broken, "wrong-tensors")):
        with pytest.raises(ModelNotUsable) as caught:
            engine_with_pair.load(folder).result(timeout=PATIENCE_S)
        assert caught.value.reason == reason
        assert finished(ask(engine_with_pair, max_tokens=2)).ids


def test_a_draft_that_cannot_be_used_does_not_stop_the_main_model(tiny_main: Path, tmp_path: Path) -> None:
    with Engine() as engine:
        pair = engine.load(tiny_main, tmp_path / "nowhere").result(timeout=PATIENCE_S)
        assert pair.main is not None
        assert pair.draft is None
        assert isinstance(pair.draft_problem, ModelNotUsable)
        spans = finished(ask(engine, method="draft", max_tokens=4)).stats.plain_spans
        assert spans[-1].reason == "draft-not-usable"


@pytest.mark.expects_log
def test_a_listener_that_raises_does_not_end_the_request(engine_with_pair: Engine) -> None:
    done = threading.Event()

    def listen(event: Event) -> None:
        if isinstance(event, Finished):
            done.set()
        raise ValueError("from a listener")

    engine_with_pair.submit(ChatRequest(QUESTION, max_tokens=3), on_event=listen)
    assert done.wait(PATIENCE_S)
    assert finished(ask(engine_with_pair, max_tokens=2)).ids


def test_without_a_model_a_request_fails_with_a_reason(tiny_draft: Path) -> None:
    with Engine() as engine:
        [failed] = ask(engine)
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, NoModel)
        with pytest.raises(NoModel):
            engine.set_draft(tiny_draft).result(timeout=PATIENCE_S)


def test_closing_while_it_streams_ends_the_stream(tiny_main: Path) -> None:
    engine = Engine()
    engine.load(tiny_main).result(timeout=PATIENCE_S)
    seen: list[Event] = []
    ended = threading.Event()

    def listen(event: Event) -> None:
        """Close on the engine's thread, so that the answer does not end before."""
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
def test_an_engine_that_cannot_start_fails_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
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


class Panic(BaseException):
    """A panic of Rust code, which is no Exception."""


@pytest.mark.expects_log
@pytest.mark.parametrize("failing", by_tier(["step", "admit", "clear_prefix_cache"], ["step"]))
def test_whatever_ends_the_thread_refuses_every_waiting_and_later_call(
    tiny_main: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def panic(*_: object) -> None:
        raise Panic("index out of bounds")

    reports: Queue[EngineError] = Queue()
    with Engine() as engine:
        engine.on_failure(reports.put)
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        monkeypatch.setattr(scheduler.Scheduler, failing, panic)
        stream, clearing, loading = engine.submit(ChatRequest(QUESTION)), engine.clear_prefix_cache(), engine.load("a")
        *_, last = stream
        assert isinstance(last, Failed)
        assert isinstance(last.error, InternalFailure)
        assert isinstance(clearing.exception(timeout=PATIENCE_S), InternalFailure | None)
        for future in (loading, loading.main, engine.status(), engine.load(tiny_main)):
            with pytest.raises(InternalFailure, match="index out of bounds"):
                future.result(timeout=PATIENCE_S)
        assert "index out of bounds" in str(reports.get(timeout=PATIENCE_S))
        late: Queue[EngineError] = Queue()
        engine.on_failure(late.put)
        assert "index out of bounds" in str(late.get(timeout=PATIENCE_S))


@pytest.mark.expects_log
def test_answers_under_way_fail_with_what_was_committed_when_the_thread_ends(
    tiny_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, steps = scheduler.Scheduler.step, iter(range(100))

    def step_then_panic(own: scheduler.Scheduler) -> None:
        if next(steps) == 6:
            raise Panic
        step(own)

    with Engine() as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        monkeypatch.setattr(scheduler.Scheduler, "step", step_then_panic)
        seen = list(engine.submit(ChatRequest(QUESTION, max_tokens=400)))
    text = "".join(event.text for event in seen if isinstance(event, TokensCommitted))
    assert isinstance(seen[-1], Failed)
    assert seen[-1].text == text != ""


@pytest.mark.full
def test_what_was_learned_outlives_the_engine(
    tiny_main: Path, tiny_draft: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine may leave idle moments, in which the engine would calibrate.
    monkeypatch.setattr("engine.engine.TUNING_S", -1.0)
    settings = EngineSettings(learned_file=tmp_path / "cache" / "learned.json")
    for known in (False, True):
        with Engine(settings) as engine:
            engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
            assert bool(engine.learned().result(timeout=PATIENCE_S)) == known
            ask(engine, method="auto")
    files = [path for path in tmp_path.glob("cache/*") if path.is_file()]
    assert tmp_path / "cache" / "learned.json" in files


@pytest.mark.expects_log
def test_learned_figures_that_cannot_be_written_do_not_fail_the_request(tiny_main: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("where the folder should be")
    with Engine(EngineSettings(learned_file=tmp_path / "file" / "learned.json")) as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        assert all(finished(ask(engine, max_tokens=4)).reason == "length" for _ in range(2))


@pytest.mark.expects_log
def test_a_call_that_fails_unexpectedly_reports_it_and_the_engine_continues(
    tiny_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine() as engine:
        with monkeypatch.context() as patch:
            patch.setattr(scheduler.Scheduler, "clear_prefix_cache", lambda _self: 1 / 0)
            with pytest.raises(InternalFailure, match="division"):
                engine.clear_prefix_cache().result(timeout=PATIENCE_S)
        with monkeypatch.context() as patch:
            patch.setattr("engine.upkeep.models.resolve_model", lambda _name: 1 / 0)
            with pytest.raises(InternalFailure, match="division"):
                engine.load(tiny_main).result(timeout=PATIENCE_S)
        assert engine.load(tiny_main).result(timeout=PATIENCE_S).main is not None


def test_a_call_that_is_cancelled_in_time_is_not_made(engine_with_pair: Engine) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def listen(_event: Event) -> None:
        """Keep the engine's thread from the calls after the request."""
        reached.set()
        go_on.wait(PATIENCE_S)

    stream = engine_with_pair.submit(ChatRequest(QUESTION, max_tokens=2), listen)
    assert reached.wait(PATIENCE_S)
    unloading, forgetting = engine_with_pair.unload(), engine_with_pair.clear_prefix_cache()
    assert unloading.cancel()
    assert forgetting.cancel()
    stream.cancel()
    go_on.set()
    assert finished(ask(engine_with_pair, max_tokens=2)).ids


@pytest.mark.parametrize(("chosen", "devices"), [("cpu", [mx.cpu]), ("", [])])
def test_the_environment_has_an_engine_compute_on_the_cpu(
    chosen: str, devices: list[mx.DeviceType], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on the virtual Macs of continuous integration."""
    found: list[object] = []
    monkeypatch.setattr(mx, "set_default_device", found.append)
    monkeypatch.setenv("TANDEM_DEVICE", chosen)
    with Engine() as engine:
        engine.status().result(timeout=PATIENCE_S)
    assert found == devices
