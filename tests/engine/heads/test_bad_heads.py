"""Heads that lie are refused with a reason, whatever is wrong with them, and before anything large is allocated."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.heads.loading import load_head
from tests.engine.heads import bad_heads, eagle_on_disk
from tests.engine.heads.golden import cases, eagle_cases
from tests.engine.heads.golden.cases import CASES
from tests.engine.heads.heads_on_disk import head_of, main_ports, tensors_of, write_head
from tests.engine.model_files.torch_files import four_numbers, written

# Reasons that say what is wrong with a head's folder.
REASONS = {"not-a-model", "incomplete", "damaged", "wrong-tensors", "unsafe", "not-finite", "unknown-head"}


def refusal(folder: Path) -> str:
    with pytest.raises(ModelNotUsable) as refused:
        load_head(folder)
    return refused.value.reason


def check(folder: Path, number: int) -> None:
    what = bad_heads.make(folder, number)
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    assert refusal(folder) in REASONS, what
    assert mx.get_peak_memory() - before < 50 * 2**20, what


# Each kind of mutation and each kind of damage to files once.
@pytest.mark.parametrize("number", [*range(10), *range(19, 90, 10)])
def test_a_head_that_lies_is_refused(tmp_path: Path, number: int) -> None:
    check(tmp_path, number)


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(bad_heads.COUNT))
def test_every_head_that_lies_is_refused(tmp_path: Path, number: int) -> None:
    check(tmp_path, number)


@pytest.mark.parametrize(
    ("changed", "detail"),
    [
        ({"layer_count": 8}, "layers: 7, 8"),
        ({"width": 128}, "width: 64, 128"),
        ({"vocabulary": 300}, "vocabulary: 256, 300"),
    ],
)
def test_a_head_for_another_main_model_is_refused(tmp_path: Path, changed: dict[str, int], detail: str) -> None:
    head = head_of(tmp_path, CASES["full"])
    ports = main_ports()
    sizes = {"layer_count": ports.layer_count, "width": ports.width, "vocabulary": ports.vocabulary} | changed
    with pytest.raises(ModelNotUsable) as refused:
        head.bind(type(ports)(ports.embed, ports.logits, ports.final_norm, **sizes))
    assert (refused.value.reason, refused.value.detail) == ("wrong-main", detail)


def test_heads_of_a_kind_that_is_not_known_say_which(tmp_path: Path) -> None:
    tensors = {"fc.weight": mx.zeros((64, 192)), "layers.0.hidden_norm.weight": mx.ones((64,))}
    write_head(tmp_path, {"hidden_size": 64}, {**tensors, "mask_hidden": mx.zeros((1, 1, 192))})
    with pytest.raises(ModelNotUsable) as refused:
        load_head(tmp_path)
    assert (refused.value.reason, refused.value.detail) == ("unknown-head", "peagle")


def test_missing_shards_are_named(tmp_path: Path) -> None:
    case = CASES["full"]
    write_head(tmp_path, case.config, tensors_of(case))
    (tmp_path / "model.safetensors").rename(tmp_path / "model-00001-of-00002.safetensors")
    with pytest.raises(ModelNotUsable) as refused:
        load_head(tmp_path)
    assert (refused.value.reason, refused.value.detail) == ("incomplete", "model-00002-of-00002.safetensors")


CALL = b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R."
BAD_MASKS: dict[str, tuple[dict[str, bytes | None], str]] = {
    "it calls something": ({"data.pkl": CALL}, "unsafe"),
    "it is cut off": ({"data/0": b"\0" * 100}, "damaged"),
    "it is not finite": ({"data/0": b"\xc0\x7f" * cases.WIDTH}, "not-finite"),
    "it is no tensor": ({"data.pkl": b"\x80\x02}X\x01\x00\x00\x00aK\x01s."}, "wrong-tensors"),
}


@pytest.mark.parametrize("what", BAD_MASKS)
def test_a_bad_embedding_of_the_mask_is_refused(tmp_path: Path, what: str) -> None:
    changes, reason = BAD_MASKS[what]
    case = CASES["mimo"]
    write_head(tmp_path, case.config, tensors_of(case))
    written(tmp_path / cases.MASK_FILE, changes)
    assert refusal(tmp_path) == reason


def test_an_embedding_of_a_mask_that_the_head_does_not_have_is_refused(tmp_path: Path) -> None:
    case, eagle = CASES["mimo"], eagle_cases.CASES["eagle_llama"]
    other = {**case.config, "dflash_config": {**case.config["dflash_config"], "mask_token_id": 7}}
    four_numbers(write_head(tmp_path / "narrow", case.config, tensors_of(case)) / cases.MASK_FILE)
    written(write_head(tmp_path / "token", other, tensors_of(case)) / cases.MASK_FILE)
    twice = {**tensors_of(case), "mask_embedding": mx.zeros((cases.WIDTH,))}
    written(write_head(tmp_path / "twice", case.config, twice) / cases.MASK_FILE)
    written(write_head(tmp_path / "eagle", eagle.config, eagle_on_disk.tensors_of(eagle)) / cases.MASK_FILE)
    for name in ("narrow", "token", "twice", "eagle"):
        assert refusal(tmp_path / name) == "wrong-tensors", name
