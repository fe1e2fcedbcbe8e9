"""The folders that check_folder accepts, and its reasons for refusing others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.model_files.inspection import check_folder
from engine.model_files.safetensors_header import parse_header
from tests.engine.model_files.model_folders import (
    llama_config,
    llama_tensors,
    model_files,
    safetensors,
    write_folder,
    write_snapshot,
)
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.speculation.vlm_configs import VLM_FAMILIES
from tests.patience import PATIENCE_S
from tests.tiny_models import write_model

TOKENIZER = "tokenizer_config.json"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "model", model_files())


def refusal(folder: Path) -> tuple[str, str]:
    with pytest.raises(ModelNotUsable) as caught:
        check_folder(folder)
    return caught.value.reason, caught.value.detail


@pytest.mark.parametrize("inner", ["", "mtp/"])
def test_links_into_another_repositorys_blobs_are_unsafe(tmp_path: Path, inner: str) -> None:
    files = {f"{inner}{name}": content for name, content in model_files().items()}
    folder, other = (write_snapshot(tmp_path, name, files) / inner for name in ("org/model", "org/other"))
    check_folder(folder)
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to(os.path.realpath(other / "config.json"))
    assert refusal(folder) == ("unsafe", "config.json leads outside the folder")


def test_a_folder_reached_through_a_link_of_the_user_passes(good: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(good)
    check_folder(tmp_path / "link")


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("config.json", {"auto_map": {"AutoModelForCausalLM": "evil.Model"}}),
        # transformers has this class.
        (TOKENIZER, {"tokenizer_class": "LlamaTokenizerFast", "auto_map": {"AutoTokenizer": ["evil.T", None]}}),
        # Old exports name paths of the machine they were made on.
        (TOKENIZER, {"vocab_file": "/nowhere/at/all/vocab.txt"}),
    ],
)
def test_settings_that_let_no_code_run_pass(good: Path, name: str, changes: dict[str, object]) -> None:
    (good / "evil.py").write_text("raise SystemExit(1)")
    (good / name).write_text(json.dumps(json.loads((good / name).read_text()) | changes))
    check_folder(good)


@pytest.mark.parametrize(
    ("family", "lacking", "usable"), [("gemma4", 0, True), ("gemma4", 9, False), ("gemma3n", 9, True)]
)
def test_a_table_of_each_layer_has_a_row_for_each_token(
    tmp_path: Path, family: str, lacking: int, usable: bool
) -> None:
    """For a token without a row, mlx-lm's Gemma 4 would read memory behind the table; its Gemma 3n uses another row."""
    folder = write_model(tmp_path / "m", config={"model_type": family, **FAMILIES[family]})
    weights: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    [name] = [name for name in weights if name.endswith("embed_tokens_per_layer.weight")]
    tokens = weights[name].shape[0]
    weights[name] = weights[name][: tokens - lacking]
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    config = json.loads((folder / "config.json").read_text())
    config["text_config"]["vocab_size_per_layer_input"] = tokens - lacking
    (folder / "config.json").write_text(json.dumps(config))
    if usable:
        check_folder(folder)
    else:
        assert refusal(folder) == ("wrong-tensors", f"embed_tokens_per_layer has {tokens - lacking} rows of {tokens}")


@pytest.mark.parametrize(
    ("family", "change", "reason", "detail"),
    [
        ("phi3small", {}, "wrong-tensors", "embed_tokens has 333 rows of 100352"),
        ("gpt2", {"max_position_embeddings": 100_000}, "wrong-tensors", "wpe has 512 rows of 100000"),
        ("gpt_bigcode", {"max_position_embeddings": 100_000}, "wrong-tensors", "wpe has 512 rows of 100000"),
        ("gemma3n", {"text_config": {"altup_active_idx": 10**6}}, "damaged", "config.json (altup_active_idx)"),
        ("gemma3n", {"text_config": {"altup_active_idx": -5}}, "damaged", "config.json (altup_active_idx)"),
        ("bailing_moe_v3", {"n_group": 0}, "damaged", "config.json (n_group)"),
        ("bailing_moe_linear", {"group_norm_size": 0}, "damaged", "config.json (group_norm_size)"),
        ("dots1", {"n_group": 0}, "damaged", "config.json (n_group)"),
        ("nanbeige", {"num_loops": 10**6}, "damaged", "config.json (num_loops)"),
        ("longcat_flash", {"num_layers": 10**6}, "damaged", "config.json (num_layers)"),
        ("llama", {"text": {"num_key_value_heads": 0}}, "damaged", "config.json (text.num_key_value_heads)"),
        ("qwen4_exp", {"text_config": {"ple_storage": {"manifest": "/etc/passwd"}}}, "unsafe",
         "config.json: ple_storage"),
    ],
)  # fmt: skip
def test_settings_that_end_the_process_in_a_family_s_code_are_refused(
    tmp_path: Path, family: str, change: dict[str, Any], reason: str, detail: str
) -> None:
    """Each ended the process by a signal, kept it busy for hours, or read a file outside the folder."""
    config = {"model_type": family, **FAMILIES.get(family, {}), **VLM_FAMILIES.get(family, {})}
    folder = write_model(tmp_path / "m", config=config)
    written = json.loads((folder / "config.json").read_text())
    for key, value in change.items():
        written[key] = {**written[key], **value} if isinstance(written.get(key), dict) else value
    (folder / "config.json").write_text(json.dumps(written))
    assert refusal(folder) == (reason, detail)


@pytest.mark.parametrize(
    ("family", "change"),
    [
        ("deepseek_v3", {"n_group": 0, "topk_group": 0}),
        ("kimi_linear", {"num_expert_group": 0}),
        ("llama", {"vision_config": {"num_key_value_heads": 0}}),
        ("llama", {"num_key_value_heads": None}),
    ],
)
def test_a_number_that_a_family_s_code_does_not_divide_by_may_be_zero_or_null(
    tmp_path: Path, family: str, change: dict[str, Any]
) -> None:
    folder = write_model(tmp_path / "m", config={"model_type": family, **FAMILIES.get(family, {})})
    written = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(written | change))
    check_folder(folder)


@pytest.mark.first
def test_a_missing_folder_is_missing(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere")[0] == "missing"


def test_a_shard_is_missed_without_an_index_too(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "m", model_files(shards=3))
    (folder / "model.safetensors.index.json").unlink()
    (folder / "model-00003-of-00003.safetensors").unlink()
    assert refusal(folder) == ("incomplete", "model-00003-of-00003.safetensors")


def test_gaps_that_align_tensors_are_no_damage() -> None:
    entries = {"a": [2, 10], "b": [16, 24]}
    header = {name: {"dtype": "F16", "shape": [4], "data_offsets": place} for name, place in entries.items()}
    assert parse_header(json.dumps(header).encode(), 24)["b"].begin == 16


def test_a_tensor_in_two_files_is_refused(tmp_path: Path) -> None:
    """Which of them mlx-lm takes, depends on the order in which the disk lists them."""
    folder = write_folder(tmp_path / "m", model_files(shards=2))
    (folder / "model-old.safetensors").write_bytes(safetensors({"model.norm.weight": ("F16", (16,))}))
    assert refusal(folder) == ("wrong-tensors", "model.norm.weight is in two files")


@pytest.mark.parametrize("beside", ["optiq/optiq_vision.safetensors", "vision.safetensors", "model/model.safetensors"])
def test_files_of_the_index_that_are_no_weights_of_the_model_may_lack(tmp_path: Path, beside: str) -> None:
    """They are not downloaded, either."""
    folder = write_folder(tmp_path / "m", model_files(shards=2))
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    index["weight_map"]["vision_tower.x.weight"] = beside
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    check_folder(folder)
    (folder / "model-00002-of-00002.safetensors").unlink()
    assert refusal(folder) == ("incomplete", "model-00002-of-00002.safetensors")


def test_a_link_whose_blob_has_not_arrived_is_incomplete(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path, "org/model", model_files())
    Path(os.path.realpath(snapshot / "model.safetensors")).unlink()
    assert refusal(snapshot) == ("incomplete", "model.safetensors")


def test_layers_beyond_the_configuration_are_no_error(tmp_path: Path) -> None:
    files = model_files(llama_config(num_hidden_layers=2))
    files["model.safetensors"] = safetensors(llama_tensors(layers=3))
    check_folder(write_folder(tmp_path / "m", files))


def test_inspection_imports_neither_mlx_nor_a_model_nor_qt(good: Path) -> None:
    script = (
        "import sys; from engine.model_files.inspection import check_folder; check_folder(sys.argv[1]);"
        "names = ('mlx', 'mlx_lm', 'transformers', 'PySide6', 'huggingface_hub');"
        "print([name for name in names if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, str(good)], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert result.stdout.strip() == "[]"
