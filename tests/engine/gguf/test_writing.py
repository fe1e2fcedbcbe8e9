"""The folder of a GGUF file: its files, its configuration, its head, and what cannot become one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import mlx.core as mx
import numpy as np
import pytest
from gguf import GGMLQuantizationType

from engine.errors import ModelNotUsable
from engine.gguf import writing
from engine.gguf.provenance import Provenance
from engine.gguf.writing import prepare, write_shard
from engine.heads.folder import inspect_head
from engine.model_files.config import check_sizes
from engine.model_files.inspection import check_folder
from tests.engine.gguf.cases import CASES
from tests.engine.gguf.exporting import export, random_model
from tests.engine.gguf.random_blocks import random_rows
from tests.tiny_gguf import write_gguf
from tests.tiny_mtp import mtp_tensors

Kind = GGMLQuantizationType


def write(source: Path, folder: Path) -> tuple[list[int], Provenance]:
    folder.mkdir()
    shards, record, read = prepare(str(source), str(folder))
    for number in range(len(shards)):
        write_shard(str(source), str(folder), number, read)
    return shards, record


def arrays(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in folder.glob("model*.safetensors"):
        found |= mx.load(str(part))
    return found


def equal(some: dict[str, Any], others: dict[str, Any]) -> bool:
    return some.keys() == others.keys() and all(bool(mx.array_equal(some[name], others[name])) for name in some)


@pytest.mark.first
def test_the_folder_is_a_model_that_can_be_loaded(tmp_path: Path) -> None:
    shards, record = write(write_gguf(tmp_path / "a.gguf"), tmp_path / "folder")
    check_folder(tmp_path / "folder")
    assert (record.architecture, record.tensors, record.requantised) == ("llama", 20, ())
    assert sum(shards) < (tmp_path / "folder/model.safetensors").stat().st_size


def test_files_and_parts_change_no_weight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(write_gguf(tmp_path / "a.gguf"), tmp_path / "whole")
    monkeypatch.setattr(writing, "_SHARD_BYTES", 20_000)
    monkeypatch.setattr(writing, "_CHUNK", 192)
    shards, _ = write(write_gguf(tmp_path / "b.gguf"), tmp_path / "divided")
    assert len(list((tmp_path / "divided").glob("model-*.safetensors"))) == len(shards) > 2
    check_folder(tmp_path / "divided")
    assert equal(arrays(tmp_path / "whole"), arrays(tmp_path / "divided"))


def mixed(path: Path, kinds: dict[str, Kind], **fields: Any) -> Path:
    """Write a tiny GGUF file with random blocks of other kinds in some tensors. Rows have 256 weights."""
    writer = gguf.GGUFWriter(path, "qwen2")
    settings = {"context_length": 64, "embedding_length": 256, "block_count": 1, "feed_forward_length": 256,
                "attention.head_count": 4, "attention.head_count_kv": 4}  # fmt: skip
    for name, value in settings.items():
        writer.add_uint32(f"qwen2.{name}", value)
    writer.add_float32("qwen2.attention.layer_norm_rms_epsilon", 1e-6)
    for name, value in {"model": "llama", **fields}.items():
        writer.add_string(f"tokenizer.ggml.{name}", value)
    writer.add_token_list([f"<{index}>" for index in range(32)])
    for name in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"blk.0.{name}.weight", np.ones(256, np.float32))
    writer.add_tensor("output_norm.weight", np.ones(256, np.float32))
    for name in ("attn_q", "attn_k", "attn_v"):
        writer.add_tensor(f"blk.0.{name}.bias", np.ones(256, np.float32))
    for part in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down", "token_embd"):
        name = f"{part}.weight" if part == "token_embd" else f"blk.0.{part}.weight"
        kind = kinds.get(part, Kind.Q4_K)
        rows = random_rows(kind, 32 if part == "token_embd" else 256, 256)
        writer.add_tensor(name, rows, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_kinds_that_are_mixed_become_quantisation_per_layer(tmp_path: Path) -> None:
    source = mixed(
        tmp_path / "a.gguf",
        {"token_embd": Kind.Q6_K, "attn_v": Kind.Q5_K, "ffn_down": Kind.MXFP4, "ffn_up": Kind.NVFP4},
    )
    _, record = write(source, tmp_path / "folder")
    assert json.loads((tmp_path / "folder/config.json").read_text())["quantization"] == {
        "group_size": 32, "bits": 4, "mode": "affine",
        "model.embed_tokens": {"group_size": 32, "bits": 8, "mode": "affine"},
        "model.layers.0.self_attn.v_proj": {"group_size": 32, "bits": 5, "mode": "affine"},
        "model.layers.0.mlp.down_proj": {"group_size": 32, "bits": 4, "mode": "mxfp4"},
        "model.layers.0.mlp.up_proj": {"group_size": 16, "bits": 4, "mode": "nvfp4"},
    }  # fmt: skip
    assert record.requantised == ("token_embd.weight",)
    check_folder(tmp_path / "folder")
    assert {array.dtype for name, array in arrays(tmp_path / "folder").items() if name.endswith("norm.weight")} == {
        mx.float16
    }


def test_a_family_whose_states_leave_float16_gets_bfloat16(tmp_path: Path) -> None:
    case = CASES["gemma2"]
    export(tmp_path / "a.gguf", "gemma2", random_model(case.config), case.config, case.settings, kind=Kind.Q8_0)
    write(tmp_path / "a.gguf", tmp_path / "folder")
    assert {array.dtype for array in arrays(tmp_path / "folder").values()} == {mx.uint32, mx.bfloat16}


@pytest.mark.parametrize("kind", [Kind.F32, Kind.Q8_0], ids=lambda kind: kind.name)
def test_the_block_after_the_last_becomes_a_head(kind: Kind, tmp_path: Path) -> None:
    case = CASES["qwen35"]
    (tmp_path / "main").mkdir()
    (tmp_path / "main/config.json").write_text(json.dumps(case.config))
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.QWEN35, 3)
    parts = {
        "fc": "nextn.eh_proj", "pre_fc_norm_embedding": "nextn.enorm", "pre_fc_norm_hidden": "nextn.hnorm",
        "norm": "nextn.shared_head_norm",
    }  # fmt: skip
    published = {name: np.array(array) for name, array in mtp_tensors(tmp_path / "main").items()}
    extra = {}
    for name, numbers in published.items():
        stem, leaf = name.rsplit(".", 1)
        theirs = f"blk.2.{parts[stem]}.{leaf}" if stem in parts else names.get_name(
            f"model.{name.replace('layers.0.', 'layers.2.')}", try_suffixes=(".weight",)
        )  # fmt: skip
        assert theirs is not None
        extra[theirs] = gguf.quants.quantize(numbers, kind) if numbers.ndim > 1 else numbers
    settings = case.settings | {"block_count": 3, "nextn_predict_layers": 1}
    export(tmp_path / "a.gguf", "qwen35", random_model(case.config), case.config, settings, kind=kind, extra=extra)
    write(tmp_path / "a.gguf", tmp_path / "folder")
    check_folder(tmp_path / "folder")
    head = inspect_head(tmp_path / "folder/model.safetensors")
    assert head.kind.name == "mtp"
    written = arrays(tmp_path / "folder")
    for name, numbers in published.items():
        if numbers.ndim == 1:
            assert np.array_equal(np.array(written[f"mtp.{name}"].astype(mx.float32)), numbers)
    assert {name.rpartition(".")[0] for name in published} == {
        name.removeprefix("mtp.").rpartition(".")[0] for name in written if name.startswith("mtp.")
    }


def refusal(act: Callable[..., object], *arguments: object) -> tuple[str, str]:
    with pytest.raises(ModelNotUsable) as caught:
        act(*arguments)
    return caught.value.reason, caught.value.detail


def refused(source: Path, folder: Path) -> tuple[str, str]:
    folder.mkdir()
    return refusal(prepare, str(source), str(folder))


@pytest.mark.parametrize(
    ("fields", "detail"),
    [
        ({"general__architecture": "falcon"}, "falcon"),
        ({"llama__attention__head_count": "many"}, "llama: attention.head_count"),
        ({"llama__block_count": 0}, "llama: block_count"),
        ({"llama__block_count": 1}, "llama: blk.1.attn_norm.weight"),
        ({"llama__rope__scaling__type": "other"}, "llama: rope.scaling.type"),
        ({"llama__rope__freq_base": float("nan")}, "llama: rope.freq_base"),
        ({"llama__attention__head_count": 7}, "llama: blk.0.attn_q.weight"),
    ],
)
def test_what_has_no_entry_is_named(fields: dict[str, Any], detail: str, tmp_path: Path) -> None:
    source = write_gguf(tmp_path / "a.gguf", **fields)
    assert refused(source, tmp_path / "folder") == ("unknown-architecture", detail)


def test_a_kind_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    source = mixed(tmp_path / "a.gguf", {"ffn_up": Kind.Q8_K})
    assert refused(source, tmp_path / "folder") == ("unknown-architecture", "qwen2: blk.0.ffn_up.weight, Q8_K")


def test_sizes_that_no_model_has_are_refused(tmp_path: Path) -> None:
    source = write_gguf(tmp_path / "a.gguf", llama__attention__head_count_kv=5_000)
    assert refused(source, tmp_path / "folder")[0] in ("damaged", "unknown-architecture")


def test_numbers_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    source = write_gguf(tmp_path / "a.gguf", kind="F32")
    with source.open("r+b") as file:
        file.seek(-64, 2)
        file.write(np.float32(np.nan).tobytes() * 8)
    (tmp_path / "folder").mkdir()
    read = prepare(str(source), str(tmp_path / "folder"))[2]
    problem = refusal(write_shard, str(source), str(tmp_path / "folder"), 0, read)
    assert problem == ("damaged", "a.gguf (numbers that are not finite)")


def test_a_file_that_is_replaced_once_its_header_was_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, check = write_gguf(tmp_path / "a.gguf"), check_sizes
    (tmp_path / "folder").mkdir()

    def replace(path: Path, config: dict[str, Any]) -> None:
        write_gguf(tmp_path / "b.gguf", seed=1, llama__rope__freq_base=77.0).replace(source)
        check(path, config)

    monkeypatch.setattr(writing, "check_sizes", replace)
    read = prepare(str(source), str(tmp_path / "folder"))[2]
    problem = refusal(write_shard, str(source), str(tmp_path / "folder"), 0, read)
    assert problem == ("damaged", "a.gguf (changed meanwhile)")


def test_a_file_that_is_cut_meanwhile_is_refused(tmp_path: Path) -> None:
    source = write_gguf(tmp_path / "a.gguf")
    (tmp_path / "folder").mkdir()
    read = prepare(str(source), str(tmp_path / "folder"))[2]
    changed = source.stat()
    with source.open("r+b") as file:
        file.truncate(changed.st_size - 1_000)
    os.utime(source, ns=(changed.st_atime_ns, changed.st_mtime_ns))
    assert refusal(write_shard, str(source), str(tmp_path / "folder"), 0, read)[0] == "damaged"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="macOS has no full device")
def test_a_disk_that_takes_no_more_is_named(tmp_path: Path) -> None:
    source = write_gguf(tmp_path / "a.gguf")
    (tmp_path / "folder").mkdir()
    read = prepare(str(source), str(tmp_path / "folder"))[2]
    (tmp_path / "folder/model.safetensors").symlink_to("/dev/full")
    problem = refusal(write_shard, str(source), str(tmp_path / "folder"), 0, read)
    assert problem == ("not-written", "No space left on device")
