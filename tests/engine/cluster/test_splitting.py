"""The weights that one rank reads: by layers only its own, by heads few whole tensors beside its part."""

from __future__ import annotations

import gc
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import psutil
import pytest
from mlx.utils import tree_flatten

from engine.cluster.plan import files_of_others, model_size
from engine.cluster.splitting import SplitPart
from engine.errors import ModelNotUsable
from engine.files import steps
from engine.files.steps import Steps
from engine.main_model.loading import load_part
from tests.engine.cluster.families import write_family, write_layers_apart
from tests.tiny_models import FLOAT32, QWEN3, write_model


class _Met(Exception):
    """The weights have been read."""


class _Alone:
    """A group of one rank of two, which suffices to load, but not for a pass."""

    def __init__(self, rank: int) -> None:
        self._rank = rank

    def rank(self) -> int:
        return self._rank

    def size(self) -> int:
        return 2


class _LonePart(SplitPart):
    def __init__(self, rank: int, split: str) -> None:
        group: Any = _Alone(rank)
        super().__init__(group, split, self._stop)

    def split(self, model: nn.Module) -> None:
        super().split(model)
        self.model = model

    def _stop(self) -> Steps[None]:
        raise _Met
        yield


def loaded(folder: Path, rank: int, split: str = "pipeline") -> dict[str, mx.array]:
    part = _LonePart(rank, split)
    with pytest.raises(_Met):
        load_part(folder, None, part)
    return dict(tree_flatten(part.model.parameters()))


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, str]]:
    """A model of four layers, one in each file, and the files by layer."""
    folder = write_family("qwen3_moe", tmp_path_factory.mktemp("apart") / "model", 2)
    return folder, write_layers_apart(folder)


@pytest.fixture(params=[0, 1])
def partial(
    request: pytest.FixtureRequest, apart: tuple[Path, dict[int, str]], tmp_path: Path
) -> Iterator[tuple[Path, int, set[str]]]:
    """A copy of `apart` without the files of the other rank's layers, the rank, and those files."""
    folder, rank = tmp_path / "model", request.param
    shutil.copytree(apart[0], folder)
    others = {apart[1][layer] for layer in ((0, 1), (2, 3))[rank]}
    for name in others:
        (folder / name).unlink()
    return folder, rank, others


def test_by_layers_a_rank_needs_only_the_files_of_its_own(
    apart: tuple[Path, dict[int, str]], partial: tuple[Path, int, set[str]]
) -> None:
    folder, rank, others = partial
    assert files_of_others(apart[0], "pipeline", rank, 2) == others
    assert files_of_others(apart[0], "tensor", rank, 2) == frozenset()
    whole, found = loaded(apart[0], rank), loaded(folder, rank)
    assert found.keys() == whole.keys()
    assert all(mx.array_equal(found[name], whole[name]) for name in whole)
    assert model_size(folder).weight_bytes == pytest.approx(model_size(apart[0]).weight_bytes, rel=0.05)


def test_a_file_that_the_rank_needs_is_missed(partial: tuple[Path, int, set[str]]) -> None:
    folder, rank, others = partial
    with pytest.raises(ModelNotUsable, match=min(others)):
        load_part(folder, None, _LonePart(1 - rank, "pipeline"))


def test_a_tensor_that_is_in_no_file_is_missed(apart: tuple[Path, dict[int, str]], tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(apart[0], folder)
    (folder / apart[1][0]).unlink()
    own = folder / apart[1][3]
    weights: Any = mx.load(str(own))
    dropped = min(weights)
    mx.save_safetensors(str(own), {n: a for n, a in weights.items() if n != dropped}, metadata={"format": "mlx"})
    with pytest.raises(ModelNotUsable, match=f"{dropped} is missing"):
        load_part(folder, None, _LonePart(0, "pipeline"))


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not count what a process reads")
def test_by_layers_the_weights_of_others_are_not_read(tmp_path: Path) -> None:
    folder = write_family("qwen2", tmp_path / "model", 12)
    size = (folder / "model.safetensors").stat().st_size
    loaded(folder, 0)
    before = psutil.Process().io_counters().read_chars
    loaded(folder, 0)
    # The limit leaves room for tokenizer and configuration, which are read more than once.
    assert psutil.Process().io_counters().read_chars - before < 0.75 * size


def test_by_heads_no_more_than_a_few_whole_tensors_are_in_memory_beside_the_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "CHUNK_BYTES", 2**18)
    sizes = {"hidden_size": 256, "intermediate_size": 1024, "num_hidden_layers": 8}
    # A chunk would be much of a quantised model.
    folder = write_model(tmp_path / "model", config={**QWEN3, **sizes}, stored=FLOAT32)
    gc.collect()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    held = sum(array.nbytes for array in loaded(folder, 0, "tensor").values())
    whole = (folder / "model.safetensors").stat().st_size
    assert mx.get_peak_memory() - before < held + 0.25 * (whole - held)
