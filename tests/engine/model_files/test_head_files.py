"""Heads are recognised by the names of their tensors, and are never taken for models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.finding.description import describe_folder
from engine.finding.discovery import installed_models
from engine.model_files.head_kinds import kind_of_config, kind_of_tensors
from engine.model_files.inspection import check_folder
from engine.model_files.model_folder import ModelFolder
from tests.engine.heads.golden.cases import CASES
from tests.engine.heads.heads_on_disk import tensors_of, write_head
from tests.engine.model_files.model_folders import model_files, write_folder

KINDS = {
    "full": "dflash", "speculators": "dflash", "laguna": "dflash", "prefixed": "dflash", "dflash2": "dflash2",
    "dspark_rnn": "dspark", "domino": "domino", "domino_nested": "domino",
}  # fmt: skip
EAGLE = ["fc.weight", "midlayer.hidden_norm.weight", "norm.weight", "lm_head.weight", "d2t", "embed_tokens.weight"]
EAGLE_OF_SPECULATORS = ["fc.weight", "layers.0.hidden_norm.weight", "layers.0.self_attn.q_proj.weight", "norm.weight"]
QWEN_MTP = ["mtp.fc.weight", "mtp.pre_fc_norm_hidden.weight", "mtp.norm.weight", "mtp.layers.0.mlp.up_proj.weight"]
SPLIT_MTP = ["fc.weight", "pre_fc_norm_hidden.weight", "norm.weight", "layers.0.self_attn.q_proj.weight"]
NEMOTRON_MTP = ["mtp.layers.0.eh_proj.weight", "mtp.layers.0.enorm.weight", "mtp.layers.1.final_layernorm.weight"]
DEEPSEEK_MTP = ["model.layers.61.eh_proj.weight", "model.layers.61.enorm.weight", "model.layers.61.mlp.up_proj.weight"]
MAIN = ["model.embed_tokens.weight", "model.layers.0.mlp.up_proj.weight", "model.norm.weight", "lm_head.weight"]


@pytest.mark.parametrize("name", KINDS)
def test_tensors_tell_a_head(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    folder = write_head(tmp_path, case.config, tensors_of(case))
    assert kind_of_tensors(tensors_of(case)) == ModelFolder(folder).head == KINDS[name]


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (EAGLE, "eagle3"),
        (EAGLE_OF_SPECULATORS, "eagle3"),
        ([*EAGLE_OF_SPECULATORS, "mask_hidden"], "peagle"),
        (QWEN_MTP, "mtp"),
        (SPLIT_MTP, "mtp"),
        (DEEPSEEK_MTP, "mtp"),
        (MAIN, None),
        (NEMOTRON_MTP, "mtp"),
        ([name.removeprefix("mtp.") for name in NEMOTRON_MTP], "mtp"),
        ([*NEMOTRON_MTP, "backbone.embeddings.weight", "lm_head.weight"], None),
        # A model with a head of its own, and a part of one, are models.
        ([*MAIN, *QWEN_MTP], None),
        ([*MAIN, *DEEPSEEK_MTP], None),
        (["model.layers.60.mlp.up_proj.weight", *DEEPSEEK_MTP], None),
        ([], None),
    ],
)
def test_other_heads_are_told_from_models(names: list[str], kind: str | None) -> None:
    assert kind_of_tensors(names) == kind


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"architectures": ["DFlash2DraftModel"]}, "dflash2"),
        ({"speculators_model_type": "dspark"}, "dspark"),
        ({"dflash_config": {"projector_type": "domino"}}, "domino"),
        ({"dflash_config": {}}, "dflash"),
        ({"architectures": ["LlamaForCausalLMEagle3"]}, "eagle3"),
        ({"speculators_model_type": "peagle"}, "peagle"),
        ({"model_type": "qwen3_5_mtp"}, "mtp"),
        ({"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}, None),
        ({"architectures": "DFlashDraftModel", "model_type": 3}, None),
    ],
)
def test_a_configuration_tells_a_head_that_is_not_here_yet(config: dict[str, Any], kind: str | None) -> None:
    assert kind_of_config(config) == kind


def test_a_head_is_never_loaded_as_a_model(tmp_path: Path) -> None:
    case = CASES["full"]
    write_head(tmp_path, case.config, tensors_of(case))
    write_folder(tmp_path, {name: data for name, data in model_files().items() if name.startswith("tokenizer")})
    with pytest.raises(ModelNotUsable) as refused:
        check_folder(tmp_path)
    assert (refused.value.reason, refused.value.detail) == ("is-head", "dflash")


def test_scans_describe_heads_as_heads(tmp_path: Path) -> None:
    case, tensors = CASES["dspark_gated"], tensors_of(CASES["dspark_gated"])
    model = describe_folder(write_head(tmp_path, case.config, tensors), "org/head", "folder")
    assert (model.head, model.kinds, model.complete, model.problem) == ("dspark", ("head",), True, "")
    assert model.weight_bytes == sum(array.nbytes for array in tensors.values())


def test_a_head_that_cannot_run_yet_says_so(tmp_path: Path) -> None:
    names = [*EAGLE_OF_SPECULATORS, "mask_hidden"]
    write_head(tmp_path, {"speculators_model_type": "peagle"}, {name: mx.ones((4, 4)) for name in names})
    model = describe_folder(tmp_path, "org/head", "folder")
    assert (model.head, model.kinds, model.problem, model.detail) == ("peagle", (), "unknown-head", "peagle")


def test_a_head_that_is_half_downloaded_is_still_a_head(tmp_path: Path) -> None:
    write_head(tmp_path, CASES["full"].config, {})
    (tmp_path / "model.safetensors").unlink()
    model = describe_folder(tmp_path, "org/head", "cache")
    assert (model.head, model.kinds, model.problem) == ("dflash", (), "incomplete")


def test_heads_in_the_folder_of_a_main_model_are_found(tmp_path: Path) -> None:
    main, case = tmp_path / "models" / "main", CASES["full"]
    main.mkdir(parents=True)
    write_folder(main, model_files())
    write_head(main / "dflash", case.config, tensors_of(case))
    mx.save_safetensors(str(main / "mtp.safetensors"), {name: mx.ones((4, 4)) for name in QWEN_MTP})
    (main / "notes").mkdir()
    (main / "notes" / "readme.txt").write_text("nothing")
    beside = [(name, head.head) for name, head in ModelFolder(main).heads()]
    assert beside == [("dflash", "dflash"), ("mtp.safetensors", "mtp")]
    check_folder(main)
    found = installed_models(tmp_path / "none", [tmp_path / "models"])
    assert [(model.id, model.kinds) for model in found] == [
        ("main", ("main", "draft")),
        ("main/dflash", ("head",)),
        ("main/mtp.safetensors", ("head",)),
    ]
    assert found[2].weight_bytes < found[2].bytes == (main / "mtp.safetensors").stat().st_size


def test_a_layer_of_thousands_of_digits_hides_no_head(tmp_path: Path) -> None:
    write_folder(tmp_path, model_files())
    # Python reads no number of so many digits.
    names = [f"model.layers.{'9' * 5000}.mlp.up_proj.weight", *QWEN_MTP]
    mx.save_safetensors(str(tmp_path / "model.safetensors"), {name: mx.zeros((4, 4)) for name in names})
    assert [name for name, _ in ModelFolder(tmp_path).heads()] == ["mtp"]


@pytest.mark.parametrize(
    ("names", "found"), [(QWEN_MTP, ["mtp"]), (DEEPSEEK_MTP, ["mtp"]), (["model.layers.61.mlp.up_proj.weight"], [])]
)
def test_a_head_among_a_main_model_s_weights_is_told_by_its_tensors(
    tmp_path: Path, names: list[str], found: list[str]
) -> None:
    """The configuration does not decide: here it always declares a head."""
    config = {"model_type": "deepseek_v3", "num_hidden_layers": 61, "num_nextn_predict_layers": 1}
    write_head(tmp_path, config, {name: mx.ones((4, 4)) for name in (*MAIN, *names)})
    assert ModelFolder(tmp_path).head is None
    inside = ModelFolder(tmp_path).heads()
    assert [(name, head.head) for name, head in inside] == [(name, "mtp") for name in found]
    for _, head in inside:
        model = describe_folder(head.path, "main/mtp", "folder")
        assert model.bytes == model.weight_bytes == 64 * len(names)
