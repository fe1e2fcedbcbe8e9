"""Heads load as they were saved: in their own precision, quantised, in several files, each with its identity."""

from __future__ import annotations

import os
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.errors import ModelNotUsable
from engine.files.steps import run_to_completion
from engine.heads import loading
from engine.heads.folder import inspect_head
from engine.upkeep.memory import cache_bytes, size_on_disk
from tests.engine.heads.golden.cases import CASES
from tests.engine.heads.golden.mtp_cases import CASES as MTP_CASES
from tests.engine.heads.heads_on_disk import HEADS, OnDisk, Tensors, load_head, quantised, tensors_of, write_head

Mode = tuple[int, int, str]
AFFINE, *_ = MODES = [(4, 32, "affine"), (4, 32, "mxfp4"), (4, 16, "nvfp4"), (8, 32, "mxfp8")]


def assert_alike(folder: Path, case: OnDisk, packed: Tensors, written_out: Tensors) -> None:
    """Assert that a quantised head proposes the same as one with the dequantised numbers."""
    assert packed.keys() != written_out.keys()
    ours, theirs = (
        replace(one, rounds=case.rounds[:4]).proposals(one.bound(folder / str(len(one.tensors))))
        for one in (replace(case, tensors=packed), replace(case, tensors=written_out))
    )
    for one, other in zip(ours, theirs, strict=True):
        assert mx.allclose(one.scores, other.scores, atol=1e-4)


QUANTISED = [
    *(("full", mode) for mode in MODES),
    *((name, AFFINE) for name in ("eagle_llama", "mtp_qwen3_5_moe", "mtp_nemotron_h", "mtp_deepseek_v3")),
]
NAMES = (
    *("full", "dflash2", "dspark_gated", "laguna", "speculators", "eagle_llama", "eagle_two_layers", "mtp_qwen3_5"),
    *("mtp_qwen3_5_moe", "mtp_mimo", "mtp_step3p5", "mtp_deepseek_v3", "mtp_glm4_moe_lite", "mtp_nemotron_h"),
)
FURTHER = [(name, mode) for name in NAMES for mode in MODES if (name, mode) not in QUANTISED]


@pytest.mark.parametrize(
    ("name", "mode"), [*QUANTISED, *(pytest.param(*one, marks=pytest.mark.full) for one in FURTHER)]
)
def test_a_quantised_head_proposes_as_its_numbers_say(tmp_path: Path, name: str, mode: Mode) -> None:
    """Conversions of MTP heads name bits, groups and modes for the main model, if at all."""
    case, settings = HEADS[name], dict(zip(("bits", "group_size", "mode"), mode, strict=True))
    config = {} if name.startswith("mtp") else {"quantization": settings}
    assert_alike(tmp_path, replace(case, config=case.config | config), *quantised(case.tensors, *mode))


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_where_weights_stay_quantised_only_a_head_of_zeros_is_refused(tmp_path: Path, mode: Mode) -> None:
    case = HEADS["full"]
    config = case.config | {"quantization": dict(zip(("bits", "group_size", "mode"), mode, strict=True))}
    loaded = load_head(write_head(tmp_path / "head", config, quantised(case.tensors, *mode)[0]))
    assert any(array.dtype == mx.uint32 for _, array in tree_flatten(loaded.network.parameters()))
    zeros = {name: mx.zeros_like(array) if array.ndim > 1 else array for name, array in case.tensors.items()}
    with pytest.raises(ModelNotUsable, match="all-zero"):
        load_head(write_head(tmp_path / "zeros", config, quantised(zeros, *mode)[0]))


@pytest.mark.parametrize("leaf", ["weight", "scales"])
def test_an_mtp_head_with_an_expert_in_part_is_refused(tmp_path: Path, leaf: str) -> None:
    case = HEADS["mtp_nemotron_h"]
    packed, _ = quantised(case.tensors, 4, 32, "affine")
    [name] = [name for name in packed if name.endswith(f"layers.1.mixer.experts.1.up_proj.{leaf}")]
    del packed[name]
    with pytest.raises(ModelNotUsable):
        replace(case, tensors=packed).bound(tmp_path)


def test_a_head_with_more_scales_than_numbers_is_refused(tmp_path: Path) -> None:
    """MLX would divide by the size of a group, 0, which ended the process."""
    case, mode = CASES["full"], {"bits": 4, "group_size": 32, "mode": "affine"}
    packed, _ = quantised(tensors_of(case), 4, 32, "affine")
    columns = packed["fc.weight"].shape[-1] * 8 + 1
    packed |= {f"fc.{part}": mx.ones((packed["fc.weight"].shape[0], columns)) for part in ("scales", "biases")}
    with pytest.raises(ModelNotUsable, match="scales"):
        load_head(write_head(tmp_path, {**case.config, "quantization": mode}, packed))


LATENT = [(name, mode) for name in ("mtp_deepseek_v3", "mtp_glm4_moe_lite") for mode in MODES]


@pytest.mark.parametrize(
    ("name", "mode"), [LATENT[0], *(pytest.param(*one, marks=pytest.mark.full) for one in LATENT[1:])]
)
def test_an_mtp_head_that_was_converted_with_its_projections_of_latents_divided(
    tmp_path: Path, name: str, mode: Mode
) -> None:
    """mlx-lm converts models of these families so: each part (heads, outputs, inputs) is quantised separately."""
    text, published = MTP_CASES[name].text, dict(HEADS[name].tensors)
    [key] = [key for key in published if key.endswith("kv_b_proj.weight")]
    heads, latent = text["num_attention_heads"], text["qk_nope_head_dim"]
    both = published.pop(key)
    by_head = both.reshape(heads, -1, both.shape[-1])
    layer = key.removesuffix("kv_b_proj.weight")
    divided = {"embed_q": by_head[:, :latent].swapaxes(-1, -2), "unembed_out": by_head[:, latent:]}
    packed, written_out = quantised(
        {f"{layer}{part}.weight": mx.contiguous(array) for part, array in divided.items()}, *mode
    )
    assert_alike(tmp_path, HEADS[name], published | packed, published | written_out)


def test_one_layer_may_be_quantised_otherwise(tmp_path: Path) -> None:
    case, tensors = HEADS["full"], dict(HEADS["full"].tensors)
    name = "layers.1.mlp.up_proj.weight"
    tensors |= quantised({name: tensors[name]}, 8, 32, "affine")[0]
    settings = {"bits": 4, "group_size": 64, "layers.1.mlp.up_proj": {"bits": 8, "group_size": 32}}
    case = replace(case, config={**case.config, "quantization": settings}, tensors=tensors)
    assert len(case.proposals(case.bound(tmp_path))) == len(case.rounds)


def test_weights_may_be_in_several_files_of_any_name(tmp_path: Path) -> None:
    case, tensors = CASES["full"], tensors_of(CASES["full"])
    write_head(tmp_path, case.config, {})
    (tmp_path / "model.safetensors").unlink()
    names = sorted(tensors)
    for index in range(2):
        part = {name: tensors[name] for name in names[index::2]}
        mx.save_safetensors(str(tmp_path / f"dflash_{index}.safetensors"), part)
    assert load_head(tmp_path).kind == "dflash"


def test_other_weights_and_other_settings_are_another_head(tmp_path: Path) -> None:
    case, tensors = CASES["full"], tensors_of(CASES["full"])
    other = {**tensors, "norm.weight": tensors["norm.weight"] + 1e-3}
    settings = {**case.config, "rope_theta": 5e4}
    heads = [(case.config, tensors), (case.config, tensors), (case.config, other), (settings, tensors)]
    folders = [write_head(tmp_path / str(index), *head) for index, head in enumerate(heads)]
    first, again, *others = (load_head(folder).identity for folder in folders)
    assert first == again
    assert len({first, *others}) == 3


@pytest.mark.parametrize("name", ["full", "speculators_sliding"])
def test_the_memory_of_a_head_is_known_before_it_is_loaded(tmp_path: Path, name: str) -> None:
    """speculators' configurations nest the settings that decide it."""
    published = {tensor: array.astype(mx.bfloat16) for tensor, array in tensors_of(CASES[name]).items()}
    folder = write_head(tmp_path, CASES[name].config, published)
    size = size_on_disk(folder, None)
    head = load_head(folder)
    assert size.weight_bytes >= head.nbytes
    context = head.new_context()
    head.extend(context, mx.zeros((1, 1000, len(head.taps) * head.config.tap_width)), [1] * 1000)
    assert cache_bytes(size, 1000, drafts=True) >= 0.5 * context.nbytes > 0


@pytest.mark.parametrize(
    "settings",
    [
        {"bits": 8, "group_size": 32, "mode": "mxfp4"},
        {"bits": 4, "group_size": 32, "mode": "fp4"},
        {"bits": 4, "group_size": 32},
        {"bits": 4, "group_size": 32, "mode": ["mxfp4"]},
    ],
)
def test_scales_that_are_not_those_of_the_declared_mode_are_refused(
    tmp_path: Path, settings: dict[str, object]
) -> None:
    case, tensors = CASES["full"], tensors_of(CASES["full"])
    tensors |= quantised({"fc.weight": tensors["fc.weight"]}, 4, 32, "mxfp4")[0]
    with pytest.raises(ModelNotUsable):
        load_head(write_head(tmp_path, {**case.config, "quantization": settings}, tensors))


@pytest.mark.parametrize("size", [0, 100, None], ids=["empty", "cut", "written again"])
def test_a_head_whose_file_changes_while_it_is_read_is_refused_before_mlx_reads_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int | None
) -> None:
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 1_000)
    folder = write_head(tmp_path, CASES["full"].config, tensors_of(CASES["full"]))
    steps = loading.load_head(inspect_head(folder))
    file = folder / "model.safetensors"
    # The first step that waits for no file has read the first weights.
    while (pending := next(steps)) is not None:
        wait([pending])
    if size is None:
        os.utime(file, (0, 0))
    else:
        os.truncate(file, size)
    with pytest.raises(ModelNotUsable, match="changed meanwhile"):
        run_to_completion(steps)
