"""Settings of an engine take effect at once, or with the next model or request."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine import ChatRequest, Engine
from engine.errors import BadRequest, NotEnoughMemory, PromptTooLong, QueueFull
from engine.events import Failed, Finished
from engine.main_model.loaded_model import LoadedModel
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.upkeep import upkeep
from engine.upkeep.memory import memory_use
from tests.engine.serving_requests import load_models, request, run, set_draft, submit
from tests.patience import PATIENCE_S
from tests.tiny_models import QWEN3, write_model


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Scheduler]:
    scheduler = Scheduler(EngineSettings(most_active=4))
    scheduler.changes.install(pair[0], None)
    yield scheduler
    scheduler.close()


def change(scheduler: Scheduler, **changes: object) -> None:
    scheduler.configure(replace(scheduler.settings, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kv_bits", 3),
        ("draft_kv_bits", 16),
        ("overflow", "cut"),
        ("context", 0),
        ("memory_limit", -1),
        ("unload_after_s", 0),
        ("most_active", 0),
        ("prefix_cache_bytes", -1),
        ("prefix_folder_bytes", -1),
        ("draft_ahead_branches", 0),
        ("draft_ahead_branches", 4),
    ],
)
def test_settings_say_what_is_wrong_with_them(name: str, value: object) -> None:
    with pytest.raises(BadRequest, match=name):
        EngineSettings(**{name: value})  # type: ignore[arg-type]


def test_a_smaller_prefix_cache_gives_its_bytes_back_at_once(scheduler: Scheduler) -> None:
    run(scheduler, request("fox", max_tokens=2), request("lazy dog", max_tokens=2))
    assert scheduler.prefix_cache.usage.conversations == 2
    change(scheduler, prefix_cache_bytes=scheduler.prefix_cache.bytes - 1)
    assert scheduler.prefix_cache.usage.conversations == 1
    change(scheduler, prefix_cache_bytes=0)
    assert scheduler.prefix_cache.usage.bytes == 0


def test_more_may_be_active_and_wait_from_then_on(scheduler: Scheduler) -> None:
    change(scheduler, most_active=1, most_waiting=1)
    clients = [submit(scheduler, request(max_tokens=12)) for _ in range(3)]
    assert isinstance(clients[2].last, Failed)
    assert isinstance(clients[2].last.error, QueueFull)
    assert clients[2].last.error.arguments["limit"] == 1
    scheduler.step()
    assert scheduler.active == 1
    change(scheduler, most_active=3)
    clients.append(submit(scheduler, request(max_tokens=12)))
    scheduler.step()
    assert scheduler.active == 3
    while scheduler.busy:
        scheduler.step()
    assert len({clients[index].finished.ids for index in (0, 1, 3)}) == 1


def test_a_conversation_that_is_too_long_follows_the_current_setting(scheduler: Scheduler) -> None:
    turn = [{"role": "user", "content": "fox " * 60}, {"role": "assistant", "content": "lazy dog"}]
    chat = [*turn * 8, {"role": "user", "content": "fox"}]
    change(scheduler, overflow="shorten")
    [shortened] = run(scheduler, ChatRequest(chat, max_tokens=4))
    assert shortened.finished.stats.dropped_messages > 0
    # The request's own setting takes precedence.
    [refused] = run(scheduler, ChatRequest(chat, max_tokens=4, overflow="refuse"))
    assert isinstance(refused.last, Failed)
    change(scheduler, overflow="refuse")
    [refused] = run(scheduler, ChatRequest(chat, max_tokens=4))
    assert isinstance(refused.last, Failed)
    assert isinstance(refused.last.error, PromptTooLong)


def test_oversize_requests_are_accepted_while_they_are_allowed(scheduler: Scheduler, tiny_main: Path) -> None:
    change(scheduler, memory_limit=1)
    [client] = run(scheduler, request(max_tokens=3))
    assert isinstance(client.last, Failed)
    assert isinstance(client.last.error, NotEnoughMemory)
    change(scheduler, allow_oversize=True)
    [client] = run(scheduler, request(max_tokens=3))
    assert client.finished.reason == "length"
    assert load_models(scheduler, tiny_main, None).main is not None
    change(scheduler, allow_oversize=False)
    with pytest.raises(NotEnoughMemory):
        load_models(scheduler, tiny_main, None)


def test_quantised_caches_come_with_the_next_model(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "main", config={**QWEN3, "head_dim": 64})
    scheduler = Scheduler()
    load_models(scheduler, folder, None)
    change(scheduler, kv_bits=4, draft_kv_bits=8)
    [before] = run(scheduler, request(max_tokens=5))
    assert before.finished.reason == "length"
    assert scheduler.models.main.info.kv_bits is None
    pair = set_draft(scheduler, folder)
    assert pair.main is not None
    assert pair.draft is not None
    assert (pair.main.kv_bits, pair.draft.kv_bits) == (None, 8)
    pair = load_models(scheduler, folder, None)
    assert pair.main is not None
    assert pair.main.kv_bits == 4
    scheduler.close()


def test_a_model_must_fit_with_the_context_that_is_set(tiny_main: Path) -> None:
    gc.collect()
    scheduler = Scheduler(EngineSettings(context=512, memory_limit=memory_use().active))
    with pytest.raises(NotEnoughMemory) as long:
        load_models(scheduler, tiny_main, None)
    change(scheduler, context=256)
    with pytest.raises(NotEnoughMemory) as short:
        load_models(scheduler, tiny_main, None)
    assert short.value.arguments["needed"] < long.value.arguments["needed"]
    scheduler.close()


def test_asking_for_the_status_keeps_no_model_loaded(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(upkeep.time, "monotonic", lambda: now[0])
    assert scheduler.upkeep.seconds_to_park is None
    change(scheduler, unload_after_s=60.0)
    run(scheduler, request(max_tokens=2))
    for _ in range(5):
        now[0] += 10.0
        assert scheduler.status.active == 0
    assert scheduler.upkeep.seconds_to_park == 10.0
    run(scheduler, request(max_tokens=2))
    assert scheduler.upkeep.seconds_to_park == 60.0
    now[0] += 61.0
    assert scheduler.upkeep.seconds_to_park == 0.0
    scheduler.upkeep.park()
    assert scheduler.upkeep.seconds_to_park is None


def test_an_engine_that_serves_takes_new_settings(engine_with_pair: Engine) -> None:
    engine, before = engine_with_pair, engine_with_pair.settings
    try:
        engine.configure(replace(engine.settings, prefix_cache_bytes=0)).result(timeout=PATIENCE_S)
        assert engine.settings.prefix_cache_bytes == 0
        *_, last = engine.submit(request(max_tokens=3))
        assert isinstance(last, Finished)
        assert engine.status().result(timeout=PATIENCE_S).prefix_cache.budget == 0
        assert engine.status().result(timeout=PATIENCE_S).prefix_cache.conversations == 0
    finally:
        engine.configure(before).result(timeout=PATIENCE_S)
