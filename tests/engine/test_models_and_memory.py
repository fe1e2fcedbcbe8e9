"""What is loaded, what fits, and what is told when it does not."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine import Engine, loading, memory
from engine.advice.fit import ModelSize
from engine.errors import ModelNotUsable, NotEnoughMemory, PromptTooLong
from engine.events import Failed, Finished
from engine.loading import load
from engine.memory import check_load, memory_use
from engine.requests import ChatRequest, SpeculationSettings
from engine.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.steps import run_to_completion
from tests.engine.serving import alone, load_models, request, run, set_draft, submit
from tests.engine.speculation.family_configs import FAMILIES
from tests.patience import PATIENCE_S
from tests.tiny_models import QWEN3, write_disturbed_copy, write_model

pytestmark = pytest.mark.usefixtures("without_compilation")


@pytest.fixture
def scheduler(request: pytest.FixtureRequest) -> Iterator[Scheduler]:
    scheduler = Scheduler(getattr(request, "param", EngineSettings()))
    yield scheduler
    scheduler.close()


def scheduler_with(free: int) -> Scheduler:
    """One that may use `free` bytes more than MLX holds now, with nothing to be given back by chance."""
    gc.collect()
    return Scheduler(EngineSettings(memory_limit=memory_use().active + free))


def test_a_model_that_does_not_fit_is_refused_with_the_arithmetic(tiny_main: Path) -> None:
    scheduler = scheduler_with(10**6)
    with pytest.raises(NotEnoughMemory) as caught:
        load_models(scheduler, tiny_main, None)
    arguments = caught.value.arguments
    assert arguments["needed"] == sum(size for _, _, size in arguments["terms"])
    assert {code for code, _, _ in arguments["terms"]} == {"weights", "cache", "workspace"}
    assert arguments["largest_context"] == 0
    assert load_models(scheduler, tiny_main, None, oversize=True).main is not None
    scheduler.close()


def test_what_would_fit_is_told(tiny_main: Path) -> None:
    with pytest.raises(NotEnoughMemory) as caught:
        load_models(scheduler_with(10**6), tiny_main, None)
    cache = next(size for code, _, size in caught.value.arguments["terms"] if code == "cache")
    all_but_the_cache = caught.value.arguments["needed"] - cache
    with pytest.raises(NotEnoughMemory) as caught:
        load_models(scheduler_with(all_but_the_cache + cache // 2), tiny_main, None)
    assert 0 < caught.value.arguments["largest_context"] < 512


@pytest.mark.parametrize("name", ["~nobody-here/model", "x" * 5000, "y" * 300 + "/z", "a\0b", "", "no/such"])
def test_what_can_be_no_model_is_missing(name: str) -> None:
    with pytest.raises(ModelNotUsable) as caught:
        load_models(Scheduler(), name, None)
    assert caught.value.reason in ("missing", "not-a-model")


def test_a_draft_that_does_not_fit_leaves_the_main_model_in_use(tiny_main: Path, tiny_draft: Path) -> None:
    with pytest.raises(NotEnoughMemory) as caught:
        load_models(scheduler_with(10**6), tiny_main, None)
    scheduler = scheduler_with(caught.value.arguments["needed"] + 200_000)
    pair = load_models(scheduler, tiny_main, tiny_draft)
    assert pair.main is not None
    assert pair.draft is None
    assert isinstance(pair.draft_problem, NotEnoughMemory)
    [client] = run(scheduler, request(max_tokens=4))
    assert client.reasons[-1] == "draft-not-usable"
    assert set_draft(scheduler, tiny_draft, oversize=True).draft is not None
    scheduler.close()


def test_a_text_that_cannot_fit_is_refused_and_may_be_forced(tiny_main: Path) -> None:
    scheduler = Scheduler(EngineSettings(memory_limit=1))
    scheduler.install(load(tiny_main), None)
    [client] = run(scheduler, request(max_tokens=4))
    assert isinstance(client.last, Failed)
    assert isinstance(client.last.error, NotEnoughMemory)
    [client] = run(scheduler, replace(request(max_tokens=4), allow_oversize=True))
    assert client.finished.reason == "length"
    scheduler.close()


def test_a_text_that_fits_in_no_case_costs_no_finished_turn(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler = Scheduler()
    scheduler.install(load(tiny_main), None)
    run(scheduler, request(max_tokens=4))
    use = memory_use()
    with monkeypatch.context() as patch:
        patch.setattr(scheduler.models, "memory_use", lambda: replace(use, free=1000))
        [client] = run(scheduler, request("lazy dog", max_tokens=4))
    assert isinstance(client.last, Failed)
    [again] = run(scheduler, request(max_tokens=4))
    assert again.finished.stats.cached_tokens == again.finished.stats.prompt_tokens - 1
    scheduler.close()


def test_what_a_text_needs_is_told_term_by_term(tmp_path: Path) -> None:
    config = {"model_type": "qwen3_next", **FAMILIES["qwen3_next"]}
    main = write_model(tmp_path / "main", config=config)
    scheduler = Scheduler(EngineSettings(memory_limit=1))
    scheduler.install(load(main), load(write_disturbed_copy(main, tmp_path / "draft", amount=0.01)))
    [client] = run(scheduler, request(max_tokens=4))
    assert isinstance(client.last, Failed)
    terms = client.last.error.arguments["terms"]
    assert isinstance(terms, tuple)
    assert [(code, whose) for code, whose, _ in terms] == [
        ("cache", "main"),
        ("state", "main"),
        ("cache", "draft"),
        ("state", "draft"),
        ("workspace", "both"),
    ]
    assert sum(size for _, _, size in terms) == client.last.error.arguments["needed"]
    scheduler.close()


def test_a_refusal_says_what_would_fit_instead() -> None:
    gib = 2**30
    shape = {"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32}
    config = {**shape, "num_key_value_heads": 8, "max_position_embeddings": 131072}
    main, draft = ModelSize("main", 8 * gib, config), ModelSize("draft", 2 * gib, {**config, "num_hidden_layers": 8})

    def refusal(free: int) -> dict[str, Any]:
        with pytest.raises(NotEnoughMemory) as caught:
            check_load(main, draft, 65536, free)
        return caught.value.arguments

    # 8 GiB of weights, 8 of caches and a workspace for the main model; 2 and 2 for the draft.
    close = refusal(20 * gib)
    assert close["kv_bits"] == 8
    assert 32768 < close["largest_context"] < 65536
    assert 3 * gib < close["draft_bytes"] < 4 * gib
    assert refusal(14 * gib)["kv_bits"] == 4
    far = refusal(9 * gib)
    assert (far["kv_bits"], far["draft_bytes"], far["largest_context"]) == (0, 0, 0)


def test_the_wired_limit_is_raised_while_models_are_loaded_and_put_back(
    tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = [7]
    monkeypatch.setattr(memory, "on_gpu", lambda: True)
    monkeypatch.setattr(memory, "recommended_limit", lambda: 2**40)
    monkeypatch.setattr(memory.mx, "set_wired_limit", lambda limit: limits.append(limit) or limits[-2])
    scheduler = Scheduler()
    load_models(scheduler, tiny_main, tiny_draft)
    load_models(scheduler, tiny_main, None)
    assert limits == [7, 2**40]
    scheduler.changes.unload()
    assert limits == [7, 2**40, 7]
    scheduler.close()


def test_a_text_that_fits_alone_waits_for_the_others(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler = Scheduler()
    scheduler.install(load(tiny_main), None)
    one = scheduler.models.cache_bytes(100)
    with pytest.raises(NotEnoughMemory) as caught:
        scheduler.models.check_request(100, 0)
    workspace = caught.value.arguments["needed"] - one
    use = memory_use()
    monkeypatch.setattr(scheduler.models, "memory_use", lambda: replace(use, free=workspace + int(1.5 * one)))
    clients = [submit(scheduler, request(max_tokens=40)) for _ in range(2)]
    while scheduler.busy:
        scheduler.step()
        assert scheduler.active <= 1
    assert all(client.finished.reason == "length" for client in clients)
    scheduler.close()


@pytest.mark.parametrize("bits", [8, 4])
def test_quantised_caches_hold_less_and_speculation_stays_lossless(bits: int, tmp_path: Path) -> None:
    config = {**QWEN3, "head_dim": 64}
    main = write_model(tmp_path / "main", config=config)
    draft = write_disturbed_copy(main, tmp_path / "draft", amount=0.01)
    scheduler = Scheduler(EngineSettings(kv_bits=bits, draft_kv_bits=8))
    pair = load_models(scheduler, main, draft)
    assert pair.main is not None
    assert (pair.main.kv_bits, scheduler.models.draft.info.kv_bits) == (bits, 8)  # type: ignore[union-attr]
    plain = alone(scheduler, request(speculation=SpeculationSettings(method="off")))
    [guessed] = run(scheduler, request())
    assert guessed.finished.ids == plain.ids
    assert guessed.finished.stats.drafted > 0
    held = scheduler.prefix_cache.bytes
    scheduler.clear_prefix_cache()
    # They cannot share a batch, so they take turns, and say so.
    clients = run(scheduler, request(), request(max_tokens=30))
    assert clients[0].finished.ids == plain.ids
    assert clients[1].finished.ids == plain.ids[:30]
    assert "turns" in clients[0].reasons
    full = Scheduler()
    load_models(full, main, draft)
    run(full, request())
    assert held < full.prefix_cache.bytes / 2
    full.close()
    scheduler.close()


def test_caches_that_cannot_be_quantised_stay_as_they_are(tiny_main: Path) -> None:
    scheduler = Scheduler(EngineSettings(kv_bits=8))
    pair = load_models(scheduler, tiny_main, None)
    assert pair.main is not None
    assert pair.main.kv_bits is None  # heads of 16 values, and scales are shared by 32 at least
    scheduler.close()


def long_chat(turns: int) -> list[dict[str, str]]:
    chat = [{"role": "system", "content": "lazy dog"}]
    for turn in range(turns):
        chat += [
            {"role": "user", "content": f"the quick brown fox {turn} " * 3},
            {"role": "assistant", "content": "over the lazy dog " * 3},
        ]
    return [*chat, {"role": "user", "content": "and now"}]


def test_a_conversation_that_is_too_long_loses_its_oldest_turns_when_it_may(tiny_main: Path) -> None:
    scheduler = Scheduler()
    scheduler.install(load(tiny_main), None)
    chat = long_chat(12)
    [refused] = run(scheduler, ChatRequest(chat, max_tokens=8))
    assert isinstance(refused.last, Failed)
    assert isinstance(refused.last.error, PromptTooLong)
    [shortened] = run(scheduler, ChatRequest(chat, max_tokens=8, overflow="shorten"))
    stats = shortened.finished.stats
    assert stats.dropped_messages > 0
    assert stats.dropped_messages % 2 == 0
    assert 256 < stats.prompt_tokens <= 512 - 8
    kept = [chat[0], *chat[1 + stats.dropped_messages :]]
    assert alone(scheduler, ChatRequest(kept, max_tokens=8)).ids == shortened.finished.ids
    scheduler.close()


def test_one_message_that_is_too_long_is_refused_even_so(tiny_main: Path) -> None:
    scheduler = Scheduler()
    scheduler.install(load(tiny_main), None)
    [client] = run(scheduler, ChatRequest([{"role": "user", "content": "fox " * 600}], overflow="shorten"))
    assert isinstance(client.last, Failed)
    assert isinstance(client.last.error, PromptTooLong)
    scheduler.close()


def test_idle_models_are_unloaded_and_come_back_with_the_next_question(tiny_main: Path, tiny_draft: Path) -> None:
    with Engine() as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        gc.collect()
        held = engine.status().result(timeout=PATIENCE_S).memory.active
        engine.configure(replace(engine.settings, unload_after_s=0.01)).result(timeout=PATIENCE_S)
        deadline = time.monotonic() + PATIENCE_S
        while engine.status().result(timeout=PATIENCE_S).memory.active > held - 100_000:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        engine.configure(replace(engine.settings, unload_after_s=None)).result(timeout=PATIENCE_S)
        drafted = 0
        for _ in range(50):
            # The main model answers as soon as it is back; the draft may come too late for the first answer.
            *_, last = engine.submit(request(max_tokens=12))
            assert isinstance(last, Finished)
            drafted += last.stats.drafted
            if drafted:
                break
        assert drafted > 0


def test_models_may_stay_without_end(tiny_main: Path) -> None:
    with Engine(EngineSettings(unload_after_s=float("inf"))) as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        *_, last = engine.submit(request(max_tokens=2))
        assert isinstance(last, Finished)
        # Idle now, and back again.
        assert engine.status().result(timeout=PATIENCE_S).active == 0


def test_loading_tells_how_much_has_been_read(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(loading, "CHUNK_BYTES", 1000)
    slices = loading.load_in_steps(tiny_main, on_progress=lambda read, total: told.append((read, total)))
    loaded = run_to_completion(slices)
    assert {total for _, total in told} == {loaded.info.bytes}
    assert [read for read, _ in told] == sorted({read for read, _ in told})
    assert told[0][0] == 0
    assert len(told) > 2


def test_status_tells_what_is_held(tiny_main: Path) -> None:
    with Engine() as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        list(engine.submit(request(max_tokens=3)))
        status = engine.status().result(timeout=PATIENCE_S)
        assert status.prefix_cache.conversations == 1
        assert 0 < status.prefix_cache.bytes < status.prefix_cache.budget
        assert 0 < status.memory.active <= status.memory.peak
        engine.clear_prefix_cache().result(timeout=PATIENCE_S)
        assert engine.status().result(timeout=PATIENCE_S).prefix_cache.bytes == 0


def test_unloading_gives_the_memory_back(tiny_main: Path, tiny_draft: Path) -> None:
    scheduler = Scheduler()
    before = mx.get_active_memory()
    load_models(scheduler, tiny_main, tiny_draft)
    run(scheduler, request(), request(max_tokens=9))
    scheduler.changes.unload()
    assert mx.get_active_memory() - before < 50_000
    scheduler.close()
