"""A head in eight bits proposes nearly what it did."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from resources.starter.recipe.quantisation import write_quantised
from tests.engine.heads.heads_on_disk import HEADS


@pytest.mark.parametrize("name", ["eagle_llama", "eagle_original"])
def test_a_head_in_eight_bits_proposes_nearly_the_same(tmp_path: Path, name: str) -> None:
    case = HEADS[name]
    whole = case.bound(tmp_path / "whole")
    write_quantised(tmp_path / "whole", tmp_path / "eight")
    eight = case.load(tmp_path / "eight")
    sizes = [(tmp_path / part / "model.safetensors").stat().st_size for part in ("whole", "eight")]
    assert sizes[1] < 0.5 * sizes[0]
    made = [mx.stack([one.scores for one in case.proposals(head)]) for head in (whole, eight)]
    apart = mx.abs(made[0] - made[1]).max().item()
    assert 0 < apart < 0.2
