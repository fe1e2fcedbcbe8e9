"""LoRA adapters: applied as mlx-lm applies them, lossless with drafts, and refused with a reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm import utils as mlx_lm_utils

from engine.answer_index.index import tokenizer_name
from engine.errors import ModelNotUsable
from engine.finding.discovery import installed_models
from engine.main_model.loading import load
from engine.model_files.adapters import base_of, read_adapter
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.serving_requests import PLAIN, load_models, request, run
from tests.tiny_adapters import RANK, as_peft, write_adapter
from tests.tiny_models import QWEN3, write_disturbed_copy, write_model


@pytest.fixture
def base(tiny_main: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_main, tmp_path / "models" / "main"))


@pytest.mark.full
@pytest.mark.parametrize("kind", ["lora", "dora"])
def test_logits_are_those_of_mlx_lm(base: Path, kind: str) -> None:
    adapter = write_adapter(base, base / "adapters" / "style", kind)
    ids = mx.arange(40).reshape(1, -1)
    theirs = mlx_lm_utils.load_adapters(mlx_lm_utils.load_model(base)[0], str(adapter))(ids)
    ours = load(adapter)
    assert mx.allclose(ours.model(ids), theirs, rtol=1e-2, atol=1e-2)
    assert not mx.allclose(load(base).model(ids), theirs, rtol=0.1, atol=0.1)
    assert (ours.info.name, ours.info.path) == ("main:style", adapter)


def test_an_adapter_of_peft_is_the_same_adapter(base: Path) -> None:
    adapter = write_adapter(base, base.parent / "style")
    peft, ids = as_peft(adapter, base / "peft"), mx.arange(40).reshape(1, -1)
    assert mx.array_equal(load(peft).model(ids), load(adapter).model(ids))


def test_text_with_drafts_is_text_without_and_nothing_is_shared_between_adapters(
    base: Path, tiny_draft: Path, tmp_path: Path
) -> None:
    adapters = [write_adapter(base, base / name, seed=seed) for seed, name in enumerate("ab")]
    settings = EngineSettings(prefix_cache_folder=tmp_path / "prefixes", learned_file=tmp_path / "learned.json")
    scheduler = Scheduler(settings)
    asked = replace(request(max_tokens=16, speculation=PLAIN), conversation="chat")
    drafted = SpeculationSettings(method="draft", depth=3)
    mains = (base, *adapters)
    texts, pairs = [], []
    for main in mains:
        load_models(scheduler, main, tiny_draft)
        [client] = run(scheduler, asked)
        assert client.finished.stats.cached_tokens == 0
        assert client.finished.stats.main == scheduler.models.main.info.name
        texts.append(client.finished.ids)
        pairs.append(scheduler.models.drafting.controllers.pair)
    for main, text in zip(mains, texts, strict=True):
        load_models(scheduler, main, tiny_draft)
        [client] = run(scheduler, replace(asked, speculation=drafted))
        assert client.finished.ids == text
        assert client.finished.stats.drafted > 0
        assert client.finished.stats.cached_tokens > 0
    assert len(set(texts)) == len(set(pairs)) == 3
    assert len({tokenizer_name(main) for main in mains}) == 3
    scheduler.close()


def test_adapters_beside_and_inside_their_main_model_are_found_with_its_name(base: Path) -> None:
    for folder in (base / "inside", base / "adapters" / "deeper", base.parent / "beside"):
        write_adapter(base, folder)
    found = {model.id: model for model in installed_models(base.parent / "none", [base.parent])}
    assert sorted(found) == ["main", "main:beside", "main:deeper", "main:inside"]
    one = found["main:inside"]
    assert (one.kinds, one.base, one.tokenizer) == (("main",), str(base), found["main"].tokenizer)
    assert one.weight_bytes == found["main"].weight_bytes + read_adapter(base / "inside").bytes


def edit(**values: Any) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        config = json.loads((folder / "adapter_config.json").read_text())
        (folder / "adapter_config.json").write_text(json.dumps(config | values))

    return change


def peft(**values: Any) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        lora = folder.rename(folder.with_name("lora"))
        edit(**values)(as_peft(lora, folder))

    return change


def cut_off(folder: Path) -> None:
    data = (folder / "adapters.safetensors").read_bytes()
    (folder / "adapters.safetensors").write_bytes(data[:-100])


def rename(folder: Path) -> None:
    weights = mx.load(str(folder / "adapters.safetensors"))
    assert isinstance(weights, Mapping)
    mx.save_safetensors(str(folder / "adapters.safetensors"), {f"other.{name}": one for name, one in weights.items()})


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (edit(lora_parameters={"rank": 8, "scale": 1.0}), "wrong-tensors"),
        (edit(lora_parameters={"rank": 10**9, "scale": 1.0}), "damaged"),
        (edit(lora_parameters={"rank": RANK, "scale": float("nan")}), "damaged"),
        (edit(lora_parameters={"rank": RANK, "scale": 10**400}), "damaged"),
        (peft(lora_alpha=10**400), "damaged"),
        (peft(r=10**400, use_rslora=True), "damaged"),
        (edit(lora_parameters=[]), "damaged"),
        (edit(fine_tune_type="full"), "unknown-adapter"),
        (edit(peft_type="IA3"), "incomplete"),
        (cut_off, "incomplete"),
        (rename, "wrong-base"),
        (lambda folder: (folder / "adapter_config.json").write_text("[" * 99), "damaged"),
        (lambda folder: (folder / "adapters.safetensors").write_bytes(b"no weights"), "damaged"),
        (lambda folder: (folder / "adapters.safetensors").unlink(), "incomplete"),
        (lambda folder: (folder / "more").symlink_to("/etc"), "unsafe"),
    ],
)
def test_what_cannot_be_applied_is_refused_with_the_reason(
    base: Path, spoil: Callable[[Path], object], reason: str
) -> None:
    adapter = write_adapter(base, base / "style")
    spoil(adapter)
    with pytest.raises(ModelNotUsable) as refused:
        load(adapter)
    assert refused.value.reason == reason
    assert "main" in [model.id for model in installed_models(base.parent / "none", [base.parent])]


def test_an_adapter_of_another_main_model_is_refused(base: Path, tmp_path: Path) -> None:
    other = write_model(tmp_path / "other", config={**QWEN3, "hidden_size": 32})
    adapter = write_adapter(other, base / "style")
    with pytest.raises(ModelNotUsable) as refused:
        load(adapter)
    assert refused.value.reason == "wrong-base"
    alone_here = Path(shutil.move(adapter, tmp_path / "elsewhere" / "style"))
    with pytest.raises(ModelNotUsable) as missing:
        base_of(alone_here)
    assert (missing.value.reason, missing.value.detail) == ("no-base", "other")


def test_a_config_cannot_name_any_folder_of_this_machine(base: Path, tmp_path: Path) -> None:
    write_disturbed_copy(base, tmp_path / "private", amount=0.1)
    adapter = write_adapter(base, tmp_path / "downloads" / "style")
    edit(model=str(tmp_path / "private"))(adapter)
    with pytest.raises(ModelNotUsable) as refused:
        base_of(adapter)
    assert refused.value.reason == "no-base"
