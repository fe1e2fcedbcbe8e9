"""Families that only mlx-vlm has: they load, write mlx-vlm's own text, and drafts do not change it."""

from __future__ import annotations

import importlib
import json
import runpy
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.main_model import loading
from engine.main_model.loading import load
from engine.model_files.inspection import check_folder
from engine.speculation.caches.cache_kinds import rows_obstacle
from tests.engine.lossless.family_serving import serving
from tests.engine.serving_requests import PLAIN, request, run
from tests.engine.speculation.families import REFUSED
from tests.engine.speculation.vlm_configs import VLM_FAMILIES
from tests.engine.tiers import by_tier
from tests.tiny_adapters import write_adapter
from tests.tiny_models import write_model

LIST = runpy.run_path(str(Path(__file__).resolve().parents[3] / "packaging" / "list_loadable.py"))
# Transformers warns of model types that it does not know.
pytestmark = pytest.mark.expects_log
# One with full attention, one with windows, one with a recurrent state.
EACH_WAY = ("k2_horizon", "cohere2_moe", "qwen4_exp")


def test_the_list_holds_the_families_that_are_tried() -> None:
    assert set(LIST["VLM_FAMILIES"]) == set(VLM_FAMILIES)


@pytest.mark.full
@pytest.mark.usefixtures("with_compilation")
@pytest.mark.parametrize("name", VLM_FAMILIES)
def test_compilation_changes_no_text(name: str, tmp_path: Path) -> None:
    check_texts(name, tmp_path)


@pytest.mark.parametrize("name", by_tier(VLM_FAMILIES, EACH_WAY))
def test_texts_are_those_of_mlx_vlm_with_and_without_drafts(name: str, tmp_path: Path) -> None:
    check_texts(name, tmp_path)


def check_texts(name: str, tmp_path: Path) -> None:
    with serving(name, tmp_path) as (scheduler, _):
        main = scheduler.models.main
        [plain] = run(scheduler, request(max_tokens=12, speculation=PLAIN))
        [drafted] = run(scheduler, request(max_tokens=12))
        assert drafted.finished.ids == plain.finished.ids
        assert (drafted.finished.stats.drafted == 0) == (name in REFUSED)
        prompt = main.prompt_ids([{"role": "user", "content": "the quick brown fox"}])
        assert [*plain.finished.ids] == generated(name, tmp_path / "main", prompt, len(plain.finished.ids))


def generated(name: str, folder: Path, prompt: list[int], count: int) -> list[int]:
    """Return the tokens that mlx-vlm's own generation writes greedily with the language model of a folder."""
    from mlx_vlm.generate import generate_step

    whole = whole_model(name, folder)
    steps = generate_step(mx.array([prompt]), whole, None, None, max_tokens=count, temperature=0.0)
    return [int(token) for token, _ in steps]


def whole_model(name: str, folder: Path) -> Any:
    """Return mlx-vlm's model with its towers, whose language model has the weights of a folder."""
    module = importlib.import_module(f"mlx_vlm.models.{name}")
    settings = load_settings(module, json.loads((folder / "config.json").read_text()))
    whole = module.Model(settings)
    whole.language_model = load(folder).model.language_model
    return whole


def load_settings(module: Any, config: dict[str, Any]) -> Any:
    from mlx_vlm.utils import update_module_configs

    for part in ("text_config", "vision_config", "audio_config"):
        config.setdefault(part, {})
    parts = ["text", "vision", "perceiver", "projector", "audio"]
    return update_module_configs(module.ModelConfig.from_dict(config), module, config, parts)


@pytest.mark.parametrize("name", by_tier(["k2_horizon", "xing4_0"], ["k2_horizon"]))
def test_answers_share_a_batch_where_the_caches_allow(name: str, tmp_path: Path) -> None:
    with serving(name, tmp_path) as (scheduler, _):
        main = scheduler.models.main
        assert rows_obstacle(main.model, main.new_caches()) is None
        asked = [request(text, max_tokens=8) for text in ("the quick brown fox", "안녕하세요 세계", "こんにちは世界")]
        alone = [run(scheduler, one)[0].finished.ids for one in asked]
        assert [one.finished.ids for one in run(scheduler, *asked)] == alone


@pytest.mark.parametrize("expert", [-1, 4, 10**9])
def test_a_table_of_experts_that_names_one_that_there_is_not_is_refused(expert: int, tmp_path: Path) -> None:
    """DeepSeek V4's code takes experts by it, and would read far behind its weights."""
    folder = write_model(tmp_path / "m", config={"model_type": "deepseek_v4", **VLM_FAMILIES["deepseek_v4"]})
    weights: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    [name] = [name for name in weights if name.endswith("tid2eid")]
    weights[name][7, 0] = expert
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    with pytest.raises(ModelNotUsable) as caught:
        load(folder)
    assert (caught.value.reason, caught.value.detail.rpartition(".")[2]) == ("wrong-tensors", "tid2eid")


def test_adapters_are_refused_with_the_family(tmp_path: Path) -> None:
    main = write_model(tmp_path / "main")
    adapter = write_adapter(main, tmp_path / "adapter")
    change_type(main, "k2_horizon")
    with pytest.raises(ModelNotUsable) as refused:
        load(adapter)
    assert (refused.value.reason, refused.value.detail) == ("vlm-adapter", "k2_horizon")


def test_a_family_of_mlx_vlm_asks_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = write_model(tmp_path / "main", config={"model_type": "k2_horizon", **VLM_FAMILIES["k2_horizon"]})
    monkeypatch.setattr(loading, "find_spec", lambda _: None)
    with pytest.raises(ModelNotUsable) as refused:
        load(main)
    assert refused.value.reason == "no-mlx-vlm"


@pytest.mark.parametrize(
    ("model_type", "reason"),
    [
        ("diffusion_gemma", "is-diffusion"),
        ("qwen3_embedding", "is-embedding"),
        ("unlimited-ocr", "is-ocr"),
        ("decider2", "is-decision"),
        ("minimax_h3", "is-media"),
        ("inkling", "unknown-architecture"),
        ("hy_v4", "unknown-architecture"),
    ],
)
def test_models_that_write_no_text_are_refused_by_what_they_are(tmp_path: Path, model_type: str, reason: str) -> None:
    folder = write_model(tmp_path / "main")
    change_type(folder, model_type)
    with pytest.raises(ModelNotUsable) as refused:
        check_folder(folder)
    assert refused.value.reason == reason


def change_type(folder: Path, model_type: str) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": model_type}))
