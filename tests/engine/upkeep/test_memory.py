"""Models and requests that do not fit into memory are refused with the arithmetic."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import pytest

from engine import Engine
from engine.advice.fit import ModelSize
from engine.errors import NotEnoughMemory
from engine.events import Failed
from engine.files.steps import run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import MemoryUse
from engine.upkeep import memory
from engine.upkeep.memory import check_request, memory_use
from tests.engine.model_files.model_folders import llama_config
from tests.engine.serving_requests import load_models, request, run, set_draft, submit
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.tiers import by_tier
from tests.mac_memory import report_memory
from tests.patience import PATIENCE_S
from tests.tiny_models import write_disturbed_copy, write_model


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Scheduler]:
    scheduler = Scheduler()
    scheduler.changes.install(pair[0], None)
    yield scheduler
    scheduler.close()


def scheduler_with(free: int) -> Scheduler:
    """A scheduler that may use `free` bytes more than MLX holds now, after garbage was collected."""
    gc.collect()
    return Scheduler(EngineSettings(memory_limit=memory_use().active + free))


def needed_by(main: Path) -> int:
    with pytest.raises(NotEnoughMemory) as caught:
        load_models(Scheduler(EngineSettings(memory_limit=1)), main, None)
    return int(caught.value.arguments["needed"])


def allow_oversize(scheduler: Scheduler) -> None:
    scheduler.configure(replace(scheduler.settings, allow_oversize=True))


def test_a_model_that_does_not_fit_is_refused_with_the_arithmetic(tiny_main: Path) -> None:
    scheduler = scheduler_with(10**6)
    with pytest.raises(NotEnoughMemory) as caught:
        load_models(scheduler, tiny_main, None)
    arguments = caught.value.arguments
    assert arguments["needed"] == sum(size for _, _, size in arguments["terms"])
    assert {code for code, _, _ in arguments["terms"]} == {"weights", "cache", "workspace"}
    assert arguments["largest_context"] == 0
    allow_oversize(scheduler)
    assert load_models(scheduler, tiny_main, None).main is not None
    scheduler.close()
    # With half of the cache's memory, it names the largest context that fits.
    [cache] = [size for code, _, size in arguments["terms"] if code == "cache"]
    with pytest.raises(NotEnoughMemory) as caught:
        load_models(Scheduler(EngineSettings(memory_limit=arguments["needed"] - cache // 2)), tiny_main, None)
    assert 0 < caught.value.arguments["largest_context"] < 512


@pytest.mark.parametrize("missing", [0, 1])
def test_what_goes_with_the_old_model_is_room_for_the_new_one(
    missing: int, scheduler: Scheduler, tiny_draft: Path
) -> None:
    """The window says "fits" of what needs no more than the limit, whatever finished turns take now."""
    run(scheduler, request(max_tokens=4))
    scheduler.configure(EngineSettings(memory_limit=needed_by(tiny_draft) - missing))
    with suppress(NotEnoughMemory):
        load_models(scheduler, tiny_draft, None)
    assert (scheduler.models.main.info.path == tiny_draft) == (not missing)


def test_a_draft_that_does_not_fit_leaves_the_main_model_in_use(tiny_main: Path, tiny_draft: Path) -> None:
    scheduler = Scheduler(EngineSettings(memory_limit=needed_by(tiny_main) + 200_000))
    pair = load_models(scheduler, tiny_main, tiny_draft)
    assert pair.main is not None
    assert pair.draft is None
    assert isinstance(pair.draft_problem, NotEnoughMemory)
    allow_oversize(scheduler)
    [client] = run(scheduler, request(max_tokens=4))
    assert client.reasons[-1] == "draft-not-usable"
    assert set_draft(scheduler, tiny_draft).draft is not None
    scheduler.close()


def test_a_request_that_never_fits_costs_no_finished_turn(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(scheduler, request(max_tokens=4))
    use = memory_use()
    with monkeypatch.context() as patch:
        patch.setattr(scheduler.models.memory, "use", lambda: replace(use, free=1000))
        [client] = run(scheduler, request("lazy dog", max_tokens=4))
    assert isinstance(client.last, Failed)
    [again] = run(scheduler, request(max_tokens=4))
    assert again.finished.stats.cached_tokens == again.finished.stats.prompt_tokens - 1


def test_what_a_request_needs_is_reported_term_by_term(tmp_path: Path) -> None:
    config = {"model_type": "qwen3_next", **FAMILIES["qwen3_next"]}
    main = write_model(tmp_path / "main", config=config)
    scheduler = Scheduler(EngineSettings(memory_limit=1))
    scheduler.changes.install(load(main), load(write_disturbed_copy(main, tmp_path / "draft", amount=0.01)))
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
    sizes = {"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8}
    config = llama_config(**sizes, max_position_embeddings=131072)
    main, draft = ModelSize("main", 8 * gib, config), ModelSize("draft", 2 * gib, {**config, "num_hidden_layers": 8})

    def refusal(free: int) -> dict[str, Any]:
        with pytest.raises(NotEnoughMemory) as caught:
            check_request(main, draft, 65536, free)
        return caught.value.arguments

    # 8 GiB of weights, 8 of caches and a workspace for the main model; 2 and 2 for the draft.
    close = refusal(20 * gib)
    assert close["kv_bits"] == 8
    assert 32768 < close["largest_context"] < 65536
    assert 3 * gib < close["draft_bytes"] < 4 * gib
    assert refusal(14 * gib)["kv_bits"] == 4
    far = refusal(9 * gib)
    assert (far["kv_bits"], far["draft_bytes"], far["largest_context"]) == (0, 0, 0)


@pytest.mark.parametrize(("architecture", "blocks"), [("applegpu_g13d", 1024), ("applegpu_g13s", 512), ("x86_64", 0)])
def test_the_sums_of_blocks_of_this_machine_s_attention_are_reckoned_with(
    architecture: str, blocks: int, tiny_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An Ultra writes the most for long contexts, and does not return the memory after each layer."""
    kept: list[int] = []
    monkeypatch.setattr(memory.mx, "device_info", lambda: {"architecture": architecture})
    config = {"num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "max_position_embeddings": 65536}
    loaded = load(tiny_main)
    main = replace(loaded, config=loaded.config | config)
    scheduler = Scheduler(EngineSettings(context=65536))
    monkeypatch.setattr(scheduler.models.memory, "_limits", SimpleNamespace(set=lambda _, most: kept.append(most)))
    scheduler.changes.install(main, None)
    with pytest.raises(NotEnoughMemory) as caught:
        scheduler.models.memory.check_request(65536, 0)
    [workspace] = [size for code, _, size in caught.value.arguments["terms"] if code == "workspace"]
    assert workspace == kept[-1] == max(2**28, 2 * 64 * 33 * blocks * 264)


def test_what_models_and_answers_need_is_wired_and_the_freed_memory_of_a_pass_is_kept(
    tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is so while models are loaded."""
    wired, kept = [7], [2**40]
    monkeypatch.setattr(memory.mx.metal, "is_available", lambda: True)
    monkeypatch.setattr(memory.mx, "set_wired_limit", lambda limit: wired.append(limit) or wired[-2])
    monkeypatch.setattr(memory.mx, "set_cache_limit", lambda limit: kept.append(limit) or kept[-2])
    scheduler = Scheduler(EngineSettings(most_active=2))
    load_models(scheduler, tiny_main, tiny_draft)
    models = scheduler.models
    assert models.drafter is not None
    weights = models.main.info.bytes + models.drafter.info.bytes
    caches = 2 * models.memory.cache_bytes(scheduler.settings.context)
    assert weights + caches < wired[-1] < 2 * (weights + caches) + 2**30
    # A pass of 2,048 tokens of a tiny model.
    assert kept[-1] == 2**28
    both = wired[-1]
    set_draft(scheduler, None)
    assert models.main.info.bytes < wired[-1] < both
    scheduler.changes.unload()
    assert (wired[-1], kept[-1]) == (7, 2**40)
    monkeypatch.setattr(mx, "device_info", lambda _device=mx.gpu: {"max_recommended_working_set_size": 2**10})
    allow_oversize(scheduler)
    load_models(scheduler, tiny_main, None)
    assert wired[-1] == 2**10
    scheduler.close()
    assert wired[-1] == 7


def test_on_a_mac_a_part_of_what_metal_recommends_stays_free(monkeypatch: pytest.MonkeyPatch) -> None:
    report_memory(monkeypatch, total=24 * 2**30, available=10 * 2**30)
    monkeypatch.setattr(mx, "device_info", lambda: {"max_recommended_working_set_size": 16 * 2**30})
    assert memory_use().limit == int(16 * 2**30 * 0.95)


@pytest.fixture
def virtual_mac(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Metal is compiled in, as in every MLX for macOS, and the CPU is the default device, as TANDEM_DEVICE=cpu has it.

    Returns the sizes that were kept resident, which Metal refuses above what it recommends.
    """
    devices = {mx.cpu: {"architecture": "arm64", "device_name": "Apple M1 (Virtual)"}}
    devices[mx.gpu] = {"architecture": "applegpu_g13g", "max_recommended_working_set_size": 2**20}
    wired: list[int] = []

    def set_wired_limit(limit: int) -> int:
        if limit > 2**20:
            raise ValueError("[metal::set_wired_limit] Setting a wired limit larger than the maximum working set size")
        wired.append(limit)
        return 0

    monkeypatch.setattr(mx, "default_device", lambda: mx.Device(mx.cpu))
    monkeypatch.setattr(mx, "device_info", lambda device=mx.cpu: devices[device])
    monkeypatch.setattr(mx.metal, "is_available", lambda: True)
    monkeypatch.setattr(mx, "set_wired_limit", set_wired_limit)
    return wired


def test_a_mac_that_computes_on_its_cpu_loads_and_answers(
    virtual_mac: list[int], tiny_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The CPU has no recommended working set: the limit is a share of the memory, and nothing is kept resident."""
    monkeypatch.delenv("TANDEM_BACKEND")
    report_memory(monkeypatch, total=8 * 2**30, available=4 * 2**30)
    assert memory_use().limit == 4 * 2**30
    scheduler = Scheduler()
    load_models(scheduler, tiny_main, None)
    [client] = run(scheduler, request(max_tokens=4))
    assert client.finished.reason == "length"
    scheduler.close()
    assert not virtual_mac


def test_what_the_tests_keep_resident_on_such_a_mac_is_what_its_gpu_allows(
    virtual_mac: list[int], tiny_main: Path
) -> None:
    """They take the branches of a GPU there, too."""
    scheduler = Scheduler()
    load_models(scheduler, tiny_main, None)
    assert {*virtual_mac} == {2**20}
    scheduler.close()


@pytest.mark.full
@pytest.mark.parametrize(
    ("available", "level", "crowded"),
    by_tier([(0, 0, True), (0, None, True), (0, 47, False), (4 * 2**30, 20, False)], [(0, None, True), (0, 47, False)]),
)
def test_a_mac_makes_room_for_what_fits_in_metals_limit(
    tiny_main: Path, tiny_draft: Path, available: int, level: int | None, crowded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a model nor a request is refused because other programs use the memory now."""
    report_memory(monkeypatch, available=available, level=level)
    scheduler = Scheduler()
    pair = load_models(scheduler, tiny_main, tiny_draft)
    assert (pair.draft_problem, pair.crowded) == (None, crowded)
    # It is said of what was just loaded.
    assert not set_draft(scheduler, None).crowded
    assert set_draft(scheduler, tiny_draft).crowded == crowded
    # Two answers share a batch.
    clients = run(scheduler, request(max_tokens=12), request("lazy dog", max_tokens=12))
    assert all(client.finished.reason == "length" for client in clients)
    assert not any("turns" in client.reasons for client in clients)
    scheduler.close()


@pytest.mark.full
def test_a_mac_refuses_what_exceeds_metals_limit(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report_memory(monkeypatch, available=16 * 2**30, level=100)
    with pytest.raises(NotEnoughMemory):
        load_models(scheduler_with(10**6), tiny_main, None)


def test_models_that_are_not_in_use_go_before_a_mac_makes_room(
    tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = Scheduler()
    load_models(scheduler, tiny_main, None)
    for available, resident in ((0, [tiny_draft]), (8 * 2**30, [tiny_draft, tiny_main])):
        report_memory(monkeypatch, available=available, level=0)
        run_to_completion(scheduler.changes.load_additional(resident[-1], None))
        assert [one.path for one in scheduler.models.resident] == resident
    scheduler.close()


def test_a_request_that_fits_alone_waits_for_the_others(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    one = scheduler.models.memory.cache_bytes(100)
    with pytest.raises(NotEnoughMemory) as caught:
        scheduler.models.memory.check_request(100, 0)
    workspace = caught.value.arguments["needed"] - one
    use = memory_use()
    monkeypatch.setattr(scheduler.models.memory, "use", lambda: replace(use, free=workspace + int(1.5 * one)))
    clients = [submit(scheduler, request(max_tokens=40)) for _ in range(2)]
    while scheduler.busy:
        scheduler.step()
        assert scheduler.active <= 1
    assert all(client.finished.reason == "length" for client in clients)


def test_the_status_reports_what_is_held(tiny_main: Path) -> None:
    with Engine() as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        list(engine.submit(request(max_tokens=3)))
        status = engine.status().result(timeout=PATIENCE_S)
        assert status.prefix_cache.conversations == 1
        assert 0 < status.prefix_cache.bytes < status.prefix_cache.budget
        assert status.memory.active > 0
        engine.clear_prefix_cache().result(timeout=PATIENCE_S)
        assert engine.status().result(timeout=PATIENCE_S).prefix_cache.bytes == 0


def test_finished_turns_are_dropped_where_that_makes_a_request_fit(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(scheduler, request(max_tokens=4))
    assert scheduler.prefix_cache.bytes > 0
    with pytest.raises(NotEnoughMemory) as caught:
        scheduler.models.memory.check_request(60, 0)
    needed, use = caught.value.arguments["needed"], memory_use()
    cached = scheduler.prefix_cache.bytes

    def free() -> MemoryUse:
        """Return one byte too little as long as anything is cached."""
        return replace(use, free=needed - 1 if scheduler.prefix_cache.bytes else needed + cached)

    monkeypatch.setattr(scheduler.models.memory, "use", free)
    [client] = run(scheduler, request("lazy dog", max_tokens=4))
    assert client.finished.reason == "length"
    assert scheduler.prefix_cache.usage.conversations == 1
