"""Quantised heads that draft token by token propose as the numbers say that their weights stand for."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.heads.head import HeadProposal
from tests.engine.heads import eagle_on_disk, mtp_on_disk
from tests.engine.heads.golden.eagle_cases import CASES as EAGLE
from tests.engine.heads.golden.mtp_cases import CASES as MTP
from tests.engine.heads.golden.mtp_cases import MtpCase
from tests.engine.heads.heads_on_disk import quantised, write_head

each_mode = pytest.mark.parametrize(
    ("bits", "group", "mode"), [(4, 32, "affine"), (4, 32, "mxfp4"), (4, 16, "nvfp4"), (8, 32, "mxfp8")]
)


def assert_alike(ours: list[HeadProposal], theirs: list[HeadProposal]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        assert mx.allclose(one.scores, other.scores, atol=1e-4)


@each_mode
@pytest.mark.parametrize("name", ["eagle_llama", "eagle_two_layers"])
def test_an_eagle_head(tmp_path: Path, name: str, bits: int, group: int, mode: str) -> None:
    case = EAGLE[name]
    packed, written_out = quantised(eagle_on_disk.tensors_of(case), bits, group, mode)
    config = {**case.config, "quantization": {"bits": bits, "group_size": group, "mode": mode}}
    head = eagle_on_disk.load_bound(write_head(tmp_path / "packed", config, packed))
    other = eagle_on_disk.bound(tmp_path / "written out", case, written_out)
    made = (eagle_on_disk.proposals(one, one.new_context()) for one in (head, other))
    assert_alike(*made)


@each_mode
@pytest.mark.parametrize(
    "name",
    [
        *("mtp_qwen3_5", "mtp_qwen3_5_moe", "mtp_mimo", "mtp_step3p5", "mtp_deepseek_v3", "mtp_glm4_moe_lite"),
        "mtp_nemotron_h",
    ],
)
def test_an_mtp_head(tmp_path: Path, name: str, bits: int, group: int, mode: str) -> None:
    """Bits, groups and mode follow from shapes and types: conversions name them for the main model, if at all."""
    case = MTP[name]
    packed, written_out = quantised(mtp_on_disk.published(case), bits, group, mode)
    assert_mtp_heads_alike(tmp_path, case, packed, written_out)


@pytest.mark.parametrize("leaf", ["weight", "scales"])
def test_an_mtp_head_with_an_expert_in_part(tmp_path: Path, leaf: str) -> None:
    case = MTP["mtp_nemotron_h"]
    packed, _ = quantised(mtp_on_disk.published(case), 4, 32, "affine")
    del packed[f"{case.prefix}layers.1.mixer.experts.1.up_proj.{leaf}"]
    with pytest.raises(ModelNotUsable):
        mtp_on_disk.bound(tmp_path, case, packed)


@each_mode
@pytest.mark.parametrize("name", ["mtp_deepseek_v3", "mtp_glm4_moe_lite"])
def test_an_mtp_head_that_was_converted_with_its_projections_of_latents_divided(
    tmp_path: Path, name: str, bits: int, group: int, mode: str
) -> None:
    """As mlx-lm converts models of these families: each part (heads, outputs, inputs) is quantised by itself."""
    case = MTP[name]
    published = mtp_on_disk.published(case)
    [key] = [key for key in published if key.endswith("kv_b_proj.weight")]
    heads, latent = case.text["num_attention_heads"], case.text["qk_nope_head_dim"]
    both = published.pop(key)
    by_head = both.reshape(heads, -1, both.shape[-1])
    layer = key.removesuffix("kv_b_proj.weight")
    divided = {"embed_q": by_head[:, :latent].swapaxes(-1, -2), "unembed_out": by_head[:, latent:]}
    packed, written_out = dict(published), dict(published)
    for part, array in divided.items():
        names = [f"{layer}{part}.{leaf}" for leaf in ("weight", "scales", "biases")]
        if array.shape[-1] % group:
            packed[names[0]] = written_out[names[0]] = array
            continue
        parts = mx.quantize(mx.contiguous(array), group, bits, mode)
        packed |= dict(zip(names, parts, strict=False))
        written_out[names[0]] = mx.dequantize(parts[0], parts[1], *parts[2:], group_size=group, bits=bits, mode=mode)
    assert_mtp_heads_alike(tmp_path, case, packed, written_out)


def assert_mtp_heads_alike(
    tmp_path: Path, case: MtpCase, packed: dict[str, mx.array], written_out: dict[str, mx.array]
) -> None:
    assert packed.keys() != written_out.keys()
    head, other = (mtp_on_disk.bound(tmp_path / str(len(one)), case, one) for one in (packed, written_out))
    made = (mtp_on_disk.proposals(one, one.new_context()) for one in (head, other))
    assert_alike(*made)
