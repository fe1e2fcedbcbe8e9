"""The models in use: their caches, their loading and unloading."""

from __future__ import annotations

import gc
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine import Engine
from engine.errors import ModelNotUsable
from engine.events import Finished
from engine.files.steps import run_to_completion
from engine.main_model import loading
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.upkeep.models import Models
from tests.engine.serving_requests import PLAIN, alone, load_models, request, run
from tests.patience import PATIENCE_S, wait_until
from tests.tiny_models import QWEN3, write_disturbed_copy, write_model


@pytest.mark.parametrize("name", ["~nobody-here/model", "x" * 5000, "y" * 300 + "/z", "a\0b", "", "no/such"])
def test_a_name_that_can_be_no_model_is_missing(name: str) -> None:
    with pytest.raises(ModelNotUsable) as caught:
        load_models(Scheduler(), name, None)
    assert caught.value.reason in ("missing", "not-a-model")


@pytest.mark.parametrize("bits", [pytest.param(8, marks=pytest.mark.full), 4])
def test_quantised_caches_hold_less_and_speculation_stays_lossless(bits: int, tmp_path: Path) -> None:
    config = {**QWEN3, "head_dim": 64}
    main = write_model(tmp_path / "main", config=config)
    draft = write_disturbed_copy(main, tmp_path / "draft", amount=0.01)
    scheduler = Scheduler(EngineSettings(kv_bits=bits, draft_kv_bits=8))
    pair = load_models(scheduler, main, draft)
    assert pair.main is not None
    assert (pair.main.kv_bits, scheduler.models.drafter.info.kv_bits) == (bits, 8)  # type: ignore[union-attr]
    plain = alone(scheduler, request(max_tokens=20, speculation=PLAIN))
    [guessed] = run(scheduler, request(max_tokens=20))
    assert guessed.finished.ids == plain.ids
    assert guessed.finished.stats.drafted > 0
    held = scheduler.prefix_cache.bytes
    scheduler.clear_prefix_cache()
    # They share rounds.
    clients = run(scheduler, request(max_tokens=20), request(max_tokens=15))
    assert [client.finished.ids for client in clients] == [plain.ids, plain.ids[:15]]
    assert all(client.finished.stats.accepted > 0 for client in clients)
    full = Scheduler()
    load_models(full, main, draft)
    run(full, request(max_tokens=20))
    # Of 16 bits in two models; the draft has 8, and scales take half a bit.
    assert held < full.prefix_cache.bytes * (bits + 8 + 1.5) / 32
    full.close()
    scheduler.close()


@pytest.mark.first
def test_caches_that_cannot_be_quantised_stay_as_they_are(tiny_main: Path) -> None:
    scheduler = Scheduler(EngineSettings(kv_bits=8))
    pair = load_models(scheduler, tiny_main, None)
    assert pair.main is not None
    assert pair.main.kv_bits is None  # heads of 16 values, and scales are shared by 32 at least
    scheduler.close()


@pytest.mark.parametrize(("chip", "grows"), [("Apple M1", 0.72), ("Apple M9", 0.72), ("AMD EPYC", None)])
def test_wider_passes_are_expected_to_cost_what_was_published_for_the_chip(
    chip: str, grows: float | None, set_chip: Callable[[str], None], tmp_path: Path
) -> None:
    """On another computer nothing is expected."""
    set_chip(chip)
    main = write_model(tmp_path / "main")
    config = json.loads((main / "config.json").read_text()) | {"quantization": {"bits": 4, "group_size": 32}}
    models = Models(EngineSettings())
    loaded = run_to_completion(models.load_main(main))
    models.activate_main(replace(loaded, config=config))
    costs = models.drafting.controller.costs
    costs.observe(1, 0.02)
    expected = 1.0 + 3 * grows if grows else 2.0
    assert costs.verify(4).seconds == pytest.approx(0.02 * expected)
    models.drop(main)


def test_idle_models_are_unloaded_and_loaded_again_by_the_next_request(tiny_main: Path, tiny_draft: Path) -> None:
    with Engine() as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        gc.collect()
        held = engine.status().result(timeout=PATIENCE_S).memory.active
        engine.configure(replace(engine.settings, unload_after_s=0.01)).result(timeout=PATIENCE_S)
        wait_until(lambda: engine.status().result(timeout=PATIENCE_S).memory.active <= held - 100_000)
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


def test_models_are_never_unloaded_after_an_infinite_time(tiny_main: Path) -> None:
    with Engine(EngineSettings(unload_after_s=float("inf"))) as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        *_, last = engine.submit(request(max_tokens=2))
        assert isinstance(last, Finished)
        # Idle now, and back again.
        assert engine.status().result(timeout=PATIENCE_S).active == 0


def test_loading_reports_its_progress(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 1000)
    build, when_built = loading._build_model, list[int]()

    def build_model(*arguments: Any) -> Any:
        when_built.append(told[-1][0])
        return build(*arguments)

    monkeypatch.setattr(loading, "_build_model", build_model)
    steps = loading.load_in_steps(tiny_main, on_progress=lambda read, total: told.append((read, total)))
    loaded = run_to_completion(steps)
    assert {total for _, total in told} == {loaded.info.bytes}
    assert [read for read, _ in told] == sorted({read for read, _ in told})
    assert told[0][0] == 0
    assert len(told) > 2
    # What is computed with the tensors counts as much as reading them.
    assert 0 < when_built[0] < loaded.info.bytes / 2 < told[-1][0]


def test_a_file_that_changes_while_it_is_loaded_is_refused(
    tiny_main: Path, tiny_draft: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its numbers would be those of two models; where it is cut, MLX fails to read, and may hang later."""
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 20_000)
    file = Path(shutil.copytree(tiny_main, tmp_path / "model")) / "model.safetensors"

    def write_over(loaded: int, _total: int) -> None:
        if loaded:
            shutil.copy(tiny_draft / file.name, file)

    with pytest.raises(ModelNotUsable, match=r"model.safetensors \(changed meanwhile\)"):
        run_to_completion(loading.load_in_steps(file.parent, on_progress=write_over))


def test_unloading_gives_the_memory_back(tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are freed before MLX's freed memory is returned: on Metal it would keep them for reuse."""
    scheduler, before, held = Scheduler(), mx.get_active_memory(), list[int]()
    load_models(scheduler, tiny_main, tiny_draft)
    run(scheduler, request(max_tokens=9), request(max_tokens=5))
    release = "engine.upkeep.models.release_unused_memory"
    monkeypatch.setattr(release, lambda: held.append(mx.get_active_memory() - before))
    scheduler.changes.unload()
    assert held[-1] < 50_000
    scheduler.close()


def test_a_prompt_longer_than_the_tokenizer_expects_prints_no_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = write_model(tmp_path / "model")
    file = folder / "tokenizer_config.json"
    settings = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps({**settings, "model_max_length": 8}))
    tokenizer = loading.load(folder).tokenizer
    with caplog.at_level("WARNING", "transformers"):
        assert len(tokenizer.encode("one two three four five six seven eight nine ten")) > 8
    assert caplog.records == []
