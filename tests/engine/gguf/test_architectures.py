"""Each architecture of the table: a tiny model, exported as llama.cpp does it and opened again, has the same logits."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from gguf import GGMLQuantizationType
from mlx_lm.utils import load_model
from transformers import AutoTokenizer

from engine.errors import ModelNotUsable
from engine.finding.gguf_models import describe_file
from engine.gguf.architectures import model_of
from engine.gguf.header import read_gguf
from engine.gguf.writing import prepare, write_shard
from tests.engine.gguf.cases import CASES, OF_YARN
from tests.engine.gguf.exporting import export, parameters, random_model
from tests.engine.tiers import by_tier

Kind = GGMLQuantizationType


def opened(source: Path, folder: Path) -> Any:
    folder.mkdir()
    shards, _, read = prepare(str(source), str(folder))
    for number in range(len(shards)):
        write_shard(str(source), str(folder), number, read)
    return load_model(folder)[0]


def logits(model: Any) -> np.ndarray[Any, Any]:
    tokens = mx.array([[3, 17, 5, 90, 41, 8, 8, 62, 33, 70, 2, 11]])
    return np.array(
        model(tokens, cache=model.make_cache() if hasattr(model, "make_cache") else None).astype(mx.float32)
    )


def written(name: str, kind: Kind, folder: Path) -> tuple[Any, dict[str, Any], Any]:
    """Return a random model, its parameters as `kind` has them, and the model that is opened from the GGUF file."""
    case = CASES[name]
    model = random_model(case.config)
    rounded = export(
        folder / "model.gguf", case.architecture, model, case.config, case.settings, kind=kind, extra=case.extra
    )
    return model, rounded, opened(folder / "model.gguf", folder / "opened")


@pytest.mark.parametrize("name", by_tier(CASES, [name for name in CASES if " " not in name]))
def test_an_architecture_has_the_logits_of_its_model(name: str, tmp_path: Path) -> None:
    model, _, found = written(name, Kind.F32, tmp_path)
    config = json.loads((tmp_path / "opened" / "config.json").read_text())
    assert config["model_type"] == (CASES[name].opened_as or CASES[name].config["model_type"])
    shapes = [{key: value.shape for key, value in parameters(one).items()} for one in (found, model)]
    assert CASES[name].opened_as or shapes[0] == shapes[1]
    want = logits(model)
    assert np.abs(logits(found) - want).max() <= 2e-5 * np.abs(want).max()


@pytest.mark.parametrize("name", by_tier([name for name in CASES if not CASES[name].opened_as], [*CASES][::8]))
def test_quantised_weights_lie_where_the_floats_do(name: str, tmp_path: Path) -> None:
    """Rows and columns whose places change take their codes and scales with them."""
    _, rounded, found = written(name, Kind.Q8_0, tmp_path)
    quantised = {path: module for path, module in found.named_modules() if hasattr(module, "bits")}
    assert quantised.keys() >= {path.removesuffix(".weight") for path in rounded if path.endswith("proj.weight")}
    for path, module in quantised.items():
        scales, biases = module.scales.astype(mx.float32), module.biases.astype(mx.float32)
        numbers = np.array(mx.dequantize(module.weight, scales, biases, group_size=32, bits=8))
        want = rounded[f"{path}.weight"]
        # In bfloat16, scales are off by 2**-9.
        assert np.abs(numbers - want).max() <= np.abs(want).max() * 2**-8
    assert np.isfinite(logits(found)).all()


@pytest.mark.parametrize("name", ["exaone4 without windows", "gemma3n", "nemotron_h", "deepseek2 of GLM"])
def test_transformers_accepts_the_configuration_before_it_reads_the_tokenizer(name: str, tmp_path: Path) -> None:
    written(name, Kind.F32, tmp_path)
    assert AutoTokenizer.from_pretrained(tmp_path / "opened").eos_token == "<1>"


def flash(folder: Path, tokens: int, **changes: Any) -> dict[str, Any]:
    """Return the configuration of a file like GLM 4.7 Flash, whose matrices are none, but for its table of tokens."""
    case = CASES["deepseek2 of GLM"]
    model = random_model(case.config)
    export(folder / "model.gguf", case.architecture, model, case.config, case.settings | changes)
    file = read_gguf(folder / "model.gguf")
    table = replace(file.tensors["token_embd.weight"], shape=(tokens, 64))
    return model_of(replace(file, tensors=file.tensors | {"token_embd.weight": table}))[2]


@pytest.mark.parametrize("layers", [{"block_count": 47}, {"block_count": 48, "nextn_predict_layers": 1}])
def test_glm_flash_is_known_without_the_key_that_its_files_lack(layers: dict[str, int], tmp_path: Path) -> None:
    named = flash(tmp_path, 154_880, **layers)
    found = flash(tmp_path, 154_880, **layers, expert_gating_func=None)
    assert found == named
    assert (found["model_type"], found["num_hidden_layers"]) == ("glm4_moe_lite", 47)


@pytest.mark.parametrize(
    ("layers", "tokens"), [(27, 154_880), (46, 154_880), (49, 154_880), (60, 102_400), (47, 102_400)]
)
def test_deepseek_2_without_the_key_stays_refused(layers: int, tokens: int, tmp_path: Path) -> None:
    with pytest.raises(ModelNotUsable, match="expert_gating_func"):
        flash(tmp_path, tokens, block_count=layers, expert_gating_func=None)


@pytest.mark.parametrize(
    ("name", "settings", "detail"),
    [
        ("deepseek2", {"expert_gating_func": 1}, "deepseek2: expert_gating_func"),
        ("deepseek2", {"expert_gating_func": None}, "deepseek2: expert_gating_func"),
        ("deepseek2", {"attention.temperature_scale": 0.1}, "deepseek2: expert_gating_func"),
        ("granitehybrid", {"expert_count": 4}, "granitehybrid: expert_count"),
        ("granitehybrid", {"ssm.group_count": 2}, "granitehybrid: ssm.group_count"),
        ("glm4", {"rope.dimension_sections": [2, 1, 1, 0]}, "glm4: rope.dimension_sections"),
        ("cohere2", OF_YARN, "cohere2: rope.scaling.type"),
        ("mistral3", {"rope.scaling.type": "linear"}, "mistral3: rope.scaling.type"),
        ("gemma3", {"attention.sliding_window_pattern": [True, False] * 3 + [False]},
         "gemma3: attention.sliding_window_pattern"),
    ],
)  # fmt: skip
def test_what_mlx_lm_cannot_compute_is_refused_by_its_name(
    name: str, settings: dict[str, Any], detail: str, tmp_path: Path
) -> None:
    case = CASES[name]
    model = random_model(case.config)
    export(tmp_path / "model.gguf", case.architecture, model, case.config, case.settings | settings, extra=case.extra)
    with pytest.raises(ModelNotUsable) as caught:
        prepare(str(tmp_path / "model.gguf"), str(tmp_path))
    assert (caught.value.reason, caught.value.detail) == ("unknown-architecture", detail)


@pytest.mark.parametrize("groups", [0, 3])
def test_numbers_of_heads_that_do_not_fit_are_refused(groups: int, tmp_path: Path) -> None:
    case = CASES["qwen3next"]
    settings = case.settings | {"ssm.group_count": groups}
    export(tmp_path / "model.gguf", case.architecture, random_model(case.config), case.config, settings)
    with pytest.raises(ModelNotUsable, match=r"damaged|unknown-architecture"):
        prepare(str(tmp_path / "model.gguf"), str(tmp_path))
    assert describe_file(tmp_path / "model.gguf", "model", "folder").problem
