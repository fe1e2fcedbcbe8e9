"""Heads load as they were saved: in their own precision, quantised, in several files, with an identity of their own."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.heads.loading import load_head
from engine.memory import cache_bytes, size_on_disk
from tests.engine.heads.golden import cases
from tests.engine.heads.golden.cases import CASES
from tests.engine.heads.heads_on_disk import head_of, main_ports, proposals, quantised, tensors_of, write_head


@pytest.mark.parametrize("name", ["full", "dflash2", "dspark_gated", "laguna", "speculators"])
@pytest.mark.parametrize(
    ("bits", "group", "mode"),
    [(8, 32, "affine"), (4, 32, "affine"), (4, 32, "mxfp4"), (4, 16, "nvfp4"), (8, 32, "mxfp8")],
)
def test_a_quantised_head_proposes_as_its_numbers_say(
    tmp_path: Path, name: str, bits: int, group: int, mode: str
) -> None:
    case = CASES[name]
    packed, written_out = quantised(tensors_of(case), bits, group, mode)
    made = []
    config = {**case.config, "quantization": {"bits": bits, "group_size": group, "mode": mode}}
    for folder, settings, tensors in (("a", config, packed), ("b", case.config, written_out)):
        head = load_head(write_head(tmp_path / folder, settings, tensors))
        head.bind(main_ports())
        made.append(proposals(head, head.new_context(), cases.FEW_ROUNDS))
    for ours, theirs in zip(*made, strict=True):
        assert mx.allclose(ours.scores, theirs.scores, atol=1e-4)


def test_one_layer_may_be_quantised_otherwise(tmp_path: Path) -> None:
    case, tensors = CASES["full"], tensors_of(CASES["full"])
    weight = tensors.pop("layers.1.mlp.up_proj.weight")
    parts = zip(("weight", "scales", "biases"), mx.quantize(weight, 32, 8), strict=True)
    tensors |= {f"layers.1.mlp.up_proj.{part}": value for part, value in parts}
    settings = {"bits": 4, "group_size": 64, "layers.1.mlp.up_proj": {"bits": 8, "group_size": 32}}
    head = load_head(write_head(tmp_path, {**case.config, "quantization": settings}, tensors))
    head.bind(main_ports())
    assert len(proposals(head, head.new_context(), (4,))) == 1


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
    folders = [
        ("a", case.config, tensors),
        ("b", case.config, tensors),
        ("c", case.config, other),
        ("d", settings, tensors),
    ]
    first, again, *others = (load_head(write_head(tmp_path / name, *what)).identity for name, *what in folders)
    assert first == again
    assert len({first, *others}) == 3


def test_a_head_says_what_it_reads_and_how_much_it_proposes(tmp_path: Path) -> None:
    plain, dspark = head_of(tmp_path / "a", CASES["full"]), head_of(tmp_path / "b", CASES["dspark_rnn"])
    assert (plain.kind, plain.taps, plain.max_proposals) == ("dflash", cases.TAPS, cases.BLOCK - 1)
    assert (dspark.kind, dspark.max_proposals) == ("dspark", cases.BLOCK)
    assert plain.nbytes == sum(array.nbytes for array in tensors_of(CASES["full"]).values())


@pytest.mark.parametrize("name", ["full", "speculators_sliding"])
def test_the_memory_of_a_head_is_known_before_it_is_loaded(tmp_path: Path, name: str) -> None:
    """speculators' configurations nest what decides it."""
    folder = write_head(tmp_path, CASES[name].config, tensors_of(CASES[name]))
    size = size_on_disk(folder, None)
    head = load_head(folder)
    assert size.weight_bytes >= head.nbytes
    assert cache_bytes(size, 1000, drafts=True) >= 0.5 * head.context_bytes(1000)


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
    weight = tensors.pop("fc.weight")
    tensors |= dict(zip(("fc.weight", "fc.scales"), mx.quantize(weight, 32, 4, "mxfp4"), strict=True))
    with pytest.raises(ModelNotUsable):
        load_head(write_head(tmp_path, {**case.config, "quantization": settings}, tensors))
