"""What check_folder lets through, and the reason that it gives for each thing that it refuses."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.model_files.inspection import check_folder
from tests.engine.model_files.model_folders import (
    llama_config,
    llama_tensors,
    model_files,
    safetensors,
    with_header,
    write_folder,
    write_snapshot,
)
from tests.engine.speculation.family_configs import FAMILIES
from tests.patience import PATIENCE_S
from tests.tiny_models import write_model


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "model", model_files())


def refusal(folder: Path) -> tuple[str, str]:
    with pytest.raises(ModelNotUsable) as caught:
        check_folder(folder)
    return caught.value.reason, caught.value.detail


def change_json(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_complete_folder_passes(good: Path) -> None:
    check_folder(good)


def test_a_sharded_folder_passes(tmp_path: Path) -> None:
    check_folder(write_folder(tmp_path / "m", model_files(shards=3)))


def test_links_of_the_hub_cache_into_its_own_blobs_pass(tmp_path: Path) -> None:
    check_folder(write_snapshot(tmp_path, "org/model", model_files()))


def test_links_into_another_repositorys_blobs_are_unsafe(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path, "org/model", model_files())
    other = write_snapshot(tmp_path, "org/other", model_files())
    (snapshot / "config.json").unlink()
    (snapshot / "config.json").symlink_to(os.path.realpath(other / "config.json"))
    assert refusal(snapshot) == ("unsafe", "config.json leads outside the folder")


def test_a_folder_reached_through_a_link_of_the_user_passes(good: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(good)
    check_folder(tmp_path / "link")


def test_python_that_nothing_asks_for_is_left_alone(good: Path) -> None:
    (good / "modeling_evil.py").write_text("raise SystemExit(1)")
    change_json(good / "config.json", auto_map={"AutoModelForCausalLM": "modeling_evil.Model"})
    check_folder(good)


def test_a_tokenizer_class_that_transformers_has_needs_no_code(good: Path) -> None:
    settings = {"tokenizer_class": "LlamaTokenizerFast", "auto_map": {"AutoTokenizer": ["evil.T", None]}}
    change_json(good / "tokenizer_config.json", **settings)
    check_folder(good)


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("config.json", {"model_file": "evil.py"}, "unsafe"),
        ("config.json", {"model_type": "../evil"}, "unknown-architecture"),
        ("config.json", {"model_type": "cache"}, "unknown-architecture"),
        ("config.json", {"model_type": ["llama"]}, "unknown-architecture"),
        ("config.json", {"model_type": "no-such-model"}, "unknown-architecture"),
        ("config.json", {"num_hidden_layers": 10**9}, "damaged"),
        ("config.json", {"num_hidden_layers": -1}, "damaged"),
        ("config.json", {"hidden_size": True}, "damaged"),
        ("config.json", {"vocab_size": "32"}, "damaged"),
        ("config.json", {"text_config": []}, "damaged"),
        ("config.json", {"rope_scaling": {"factor": 10**300}}, "damaged"),
        ("config.json", {"quantization": {"bits": 0, "group_size": 64}}, "damaged"),
        ("config.json", {"quantization": 4}, "damaged"),
        ("config.json", {"num_hidden_layers": 3}, "wrong-tensors"),
        (
            "tokenizer_config.json",
            {"auto_map": {"AutoTokenizer": ["evil.T", None]}, "tokenizer_class": "T"},
            "unsafe",
        ),
        ("tokenizer_config.json", {"init_inputs": ["/etc/hostname"]}, "unsafe"),
        ("tokenizer_config.json", {"tokenizer_file": "/etc/hostname"}, "unsafe"),
        ("tokenizer_config.json", {"fast_tokenizer_files": ["../../../../../../etc/hostname"]}, "unsafe"),
        ("tokenizer_config.json", {"tool_parser_type": "...os"}, "unsafe"),
        ("tokenizer_config.json", {"chat_template_type": "evil"}, "unsafe"),
    ],
)
def test_a_setting_out_of_bounds_is_refused(good: Path, name: str, changes: dict[str, object], reason: str) -> None:
    change_json(good / name, **changes)
    assert refusal(good)[0] == reason


@pytest.mark.parametrize(
    ("family", "lacking", "usable"), [("gemma4", 0, True), ("gemma4", 9, False), ("gemma3n", 9, True)]
)
def test_a_table_of_each_layer_has_a_row_for_each_token(
    tmp_path: Path, family: str, lacking: int, usable: bool
) -> None:
    """Of a token without one, mlx-lm's Gemma 4 would read memory behind the table; its Gemma 3n takes another row."""
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


def test_a_missing_folder_is_missing(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere")[0] == "missing"


def test_a_folder_without_a_configuration_is_not_a_model(tmp_path: Path) -> None:
    assert refusal(write_folder(tmp_path / "photos", {"a.jpg": b""}))[0] == "not-a-model"


def test_a_folder_without_weights_names_the_missing_file(good: Path) -> None:
    (good / "model.safetensors").unlink()
    assert refusal(good) == ("incomplete", "model.safetensors")


def test_a_shard_that_the_index_names_and_that_is_absent_is_named(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "m", model_files(shards=3))
    (folder / "model-00002-of-00003.safetensors").unlink()
    assert refusal(folder) == ("incomplete", "model-00002-of-00003.safetensors")


def test_a_shard_is_missed_without_an_index_too(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "m", model_files(shards=3))
    (folder / "model.safetensors.index.json").unlink()
    (folder / "model-00003-of-00003.safetensors").unlink()
    assert refusal(folder) == ("incomplete", "model-00003-of-00003.safetensors")


def test_a_link_whose_blob_has_not_arrived_is_incomplete(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path, "org/model", model_files())
    Path(os.path.realpath(snapshot / "model.safetensors")).unlink()
    assert refusal(snapshot) == ("incomplete", "model.safetensors")


@pytest.mark.parametrize("keep", [0, 7, 8, 20, -1])
def test_weights_that_end_early_are_incomplete(good: Path, keep: int) -> None:
    weights = good / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    assert refusal(good) == ("incomplete", "a part of model.safetensors")


def entry(**changes: object) -> bytes:
    tensor = {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]} | changes
    return with_header(json.dumps({"t": tensor}).encode(), bytes(8))


@pytest.mark.parametrize(
    "content",
    [
        struct.pack("<Q", 2**63) + b"{}",
        with_header(b"[]", b""),
        with_header(b"not json", b""),
        with_header(b"[" * 5000 + b"]" * 5000, b""),
        entry(dtype="F12"),
        entry(dtype=["F16"]),
        entry(shape=[2, 3]),
        entry(shape=[-2, -2]),
        entry(shape=[2**62, 2**62]),
        entry(shape="22"),
        entry(shape=[True, 4]),
        entry(data_offsets=[8, 0]),
        entry(data_offsets=[-8, 0]),
        entry(data_offsets=[0]),
        with_header(b'{"t": 1}', b""),
    ],
)
def test_a_header_that_does_not_add_up_is_damaged(good: Path, content: bytes) -> None:
    (good / "model.safetensors").write_bytes(content)
    assert refusal(good)[0] == "damaged"


@pytest.mark.parametrize("shard", ["../outside.safetensors", "/etc/hostname", "a/../../b.safetensors", "x\0y"])
def test_an_index_that_leads_outside_is_unsafe(good: Path, shard: str) -> None:
    (good / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": shard}}))
    assert refusal(good)[0] == "unsafe"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{" + b'"a":{' * 5000 + b"}" * 5001, b"\xff\xfe", b"{}" * 3])
def test_json_that_nobody_should_parse_is_damaged(good: Path, content: bytes) -> None:
    (good / "config.json").write_bytes(content)
    assert refusal(good)[0] == "damaged"


def test_a_pipe_in_place_of_a_file_does_not_block(good: Path) -> None:
    (good / "config.json").unlink()
    os.mkfifo(good / "config.json")
    assert refusal(good)[0] == "damaged"


@pytest.mark.parametrize("content", [None, b"", b'{"model": {', b"{}", b"[" * 10**6])
def test_a_tokenizer_that_cannot_be_read_is_an_error_of_its_own(good: Path, content: bytes | None) -> None:
    (good / "tokenizer.json").unlink()
    if content is not None:
        (good / "tokenizer.json").write_bytes(content)
    assert refusal(good)[0] == "no-tokenizer"


def test_a_model_in_other_weight_formats_is_incomplete(tmp_path: Path) -> None:
    files = model_files()
    files["pytorch_model.bin"] = files.pop("model.safetensors")
    assert refusal(write_folder(tmp_path / "m", files)) == ("incomplete", "model.safetensors")


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


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        ({"weight_map": []}, "damaged"),
        ({"weight_map": {"a": 7}}, "damaged"),
        ({"weight_map": {"a": "../other.safetensors"}}, "unsafe"),
        ({"weight_map": {str(n): f"{n}.safetensors" for n in range(2001)}}, "damaged"),
        ({"weight_map": {"a": "model-00009.safetensors"}}, "incomplete"),
    ],
)
def test_an_index_that_cannot_be_trusted_is_refused(good: Path, index: dict[str, object], reason: str) -> None:
    (good / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelNotUsable) as caught:
        check_folder(good)
    assert caught.value.reason == reason


def test_a_shard_of_thousands_is_refused(good: Path) -> None:
    (good / "model.safetensors").rename(good / "model-00001-of-99999.safetensors")
    with pytest.raises(ModelNotUsable) as caught:
        check_folder(good)
    assert caught.value.reason == "damaged"


def test_a_template_of_megabytes_is_refused(good: Path) -> None:
    (good / "chat_template.jinja").write_text("x" * (2**20 + 1))
    with pytest.raises(ModelNotUsable) as caught:
        check_folder(good)
    assert caught.value.reason == "damaged"


def test_a_folder_of_thousands_of_files_is_no_model(good: Path) -> None:
    for number in range(2001):
        (good / f"{number}.txt").touch()
    with pytest.raises(ModelNotUsable) as caught:
        check_folder(good)
    assert caught.value.reason == "unsafe"


def test_a_missing_folder_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelNotUsable) as caught:
        check_folder(tmp_path / "nowhere")
    assert caught.value.reason == "missing"


def test_an_old_export_may_name_paths_of_the_machine_it_was_made_on(good: Path) -> None:
    change_json(good / "tokenizer_config.json", vocab_file="/nowhere/at/all/vocab.txt")
    check_folder(good)
