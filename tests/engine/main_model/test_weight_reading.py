"""Reads weights without MLX: the same numbers, and a read that fails is an error with the file's name."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.cpu_backend import backend
from engine.errors import ModelNotUsable
from engine.main_model.loading import load
from tests.tiny_models import BFLOAT16, FOUR_BITS, write_model


@pytest.fixture(autouse=True)
def as_on_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(backend.VARIABLE, backend.GPU.name)


@pytest.mark.parametrize("stored", [BFLOAT16, FOUR_BITS], ids=["bfloat16", "four bits"])
def test_a_model_has_the_numbers_of_its_file(tmp_path: Path, stored: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_model(tmp_path / "main", seed=1, stored=stored)
    # A read may give fewer bytes than it is asked for.
    monkeypatch.setattr("engine.main_model.weight_reading._PIECE_BYTES", 1_000)
    written: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    parameters: dict[str, mx.array] = dict(tree_flatten(load(folder).model.parameters()))
    assert parameters.keys() == written.keys()
    for name, array in parameters.items():
        assert array.dtype == written[name].dtype
        assert mx.array_equal(array, written[name])


@pytest.mark.parametrize("fault", [OSError(errno.ENXIO, "Device not configured"), 0], ids=["error", "end"])
def test_a_read_that_fails_is_told_with_its_file(
    tmp_path: Path, fault: OSError | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_model(tmp_path / "main", seed=1)

    def preadv(*_: object) -> int:
        if isinstance(fault, OSError):
            raise fault
        return fault

    monkeypatch.setattr(os, "preadv", preadv)
    with pytest.raises(ModelNotUsable) as refused:
        load(folder)
    assert refused.value.reason == "damaged"
    assert refused.value.detail.startswith("model.safetensors (")
