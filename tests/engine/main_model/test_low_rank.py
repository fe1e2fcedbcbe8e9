"""The adapter of a draft model: it changes nothing until it is taught, and is fused only where that loses nothing."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx_lm.utils import load_model

from engine.errors import CannotTeach
from engine.main_model.low_rank import adapter_of, add_adapter, as_bytes, from_bytes, fuse, set_adapter
from tests.tiny_models import FLOAT32, write_model

IDS = mx.arange(12)[None]


@pytest.fixture
def model(tmp_path: Path) -> nn.Module:
    """A model in float32: the tests compare its numbers."""
    found: nn.Module = load_model(write_model(tmp_path / "main", stored=FLOAT32))[0]
    return found


@pytest.mark.parametrize("quantised", [False, True])
def test_a_taught_model_computes_the_same_once_it_is_fused(model: nn.Module, quantised: bool) -> None:
    if quantised:
        nn.quantize(model, 32, 4)
    plain = model(IDS)
    add_adapter(model)
    assert mx.allclose(model(IDS), plain, atol=1e-5)
    set_adapter(model, {name: array + 0.05 for name, array in adapter_of(model).items()})
    taught = model(IDS)
    assert not mx.allclose(taught, plain, atol=1e-2)
    fuse(model)
    assert mx.allclose(model(IDS), taught, atol=1e-3)
    # Rounding to four bits would undo what was learned.
    assert bool(adapter_of(model)) == quantised


def test_an_adapter_survives_its_file_and_fits_no_other_model(model: nn.Module, tiny_draft: Path) -> None:
    add_adapter(model, seed=3)
    content = as_bytes(adapter_of(model), {"step": "4"})
    arrays, metadata = from_bytes(content)
    assert metadata["step"] == "4"
    same: nn.Module = load_model(tiny_draft)[0]
    add_adapter(same)
    set_adapter(same, arrays)
    for wrong in (
        dict(list(arrays.items())[1:]),
        {name: array[:1] for name, array in arrays.items()},
        {name: array * float("nan") for name, array in arrays.items()},
    ):
        with pytest.raises(ValueError, match="the adapter has"):
            set_adapter(same, wrong)
    with pytest.raises(ValueError, match="ends inside"):
        from_bytes(content[: len(content) // 2])


def test_a_model_without_blocks_is_refused() -> None:
    with pytest.raises(CannotTeach, match="architecture"):
        add_adapter(nn.Linear(4, 4))
