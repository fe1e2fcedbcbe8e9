"""Quantised heads that draft token by token propose as the numbers say that their weights stand for."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.heads.head import HeadProposal
from tests.engine.heads import eagle_on_disk, mtp_on_disk
from tests.engine.heads.golden.eagle_cases import CASES as EAGLE
from tests.engine.heads.golden.mtp_cases import CASES as MTP
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
    "name", ["mtp_qwen3_5", "mtp_qwen3_5_moe", "mtp_mimo", "mtp_step3p5", "mtp_deepseek_v3", "mtp_glm4_moe_lite"]
)
def test_an_mtp_head(tmp_path: Path, name: str, bits: int, group: int, mode: str) -> None:
    """Bits, groups and mode follow from shapes and types: conversions name them for the main model, if at all."""
    case = MTP[name]
    published = mtp_on_disk.published(case)
    # In some families routers are no layers that could be quantised.
    routers = {key: published.pop(key) for key in list(published) if key.endswith("mlp.gate.weight")}
    packed, written_out = (one | routers for one in quantised(published, bits, group, mode))
    assert packed.keys() != written_out.keys()
    head, other = (mtp_on_disk.bound(tmp_path / str(len(one)), case, one) for one in (packed, written_out))
    made = (mtp_on_disk.proposals(one, one.new_context()) for one in (head, other))
    assert_alike(*made)
