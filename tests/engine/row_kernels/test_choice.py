"""Which products of a model are ours, and what this does to its answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from engine.files.steps import run_to_completion
from engine.main_model.loading import load
from engine.requests import SpeculationSettings
from engine.row_kernels import choice
from engine.row_kernels.choice import choose_kernels
from engine.row_kernels.layers import PRODUCTS
from engine.serving.scheduler import Scheduler
from tests.engine.lossless.rounding_machines import shorten_probe
from tests.engine.row_kernels.emulated_machine import emulated
from tests.engine.row_kernels.emulation import Kind
from tests.engine.serving_requests import open_scheduler, request, run
from tests.patience import PATIENCE_S
from tests.tiny_models import QWEN3, write_disturbed_copy, write_model

# As `tests.tiny_models` stores weights.
KIND = Kind("affine", 4, 32)
# Seeds, questions and tokens; the longer text differs where several rows are rounded as MLX's kernel does.
ASKED = ((0, "the quick brown fox", 24), (0, "the quick brown fox", 60))
SIZES = {"hidden_size": 192, "intermediate_size": 192, "head_dim": 64}


@pytest.fixture(autouse=True)
def short_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten_probe(monkeypatch)
    # The times of this machine do not matter.
    for name, value in (("SETTLE_S", 0.0), ("FEWEST", 1), ("WORTH", inf), ("STALLED", inf)):
        monkeypatch.setattr(choice, name, value)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A main model, and one that drafts for it."""
    folder = tmp_path_factory.mktemp("models")
    main = write_model(folder / "main", seed=5, config=QWEN3 | SIZES)
    return main, write_disturbed_copy(main, folder / "draft", amount=0.01)


@contextmanager
def probed(written: tuple[Path, Path], folder: Path) -> Iterator[Scheduler]:
    with open_scheduler(*written, learned_file=folder / "learned.json") as scheduler:
        scheduler.models.probe(lambda: False, PATIENCE_S)
        yield scheduler


@pytest.mark.full
@pytest.mark.parametrize(("ours", "asked"), [(True, 2), (False, 2)])
def test_with_our_kernel_all_answers_are_identical(
    written: tuple[Path, Path], kernels: Path, tmp_path: Path, ours: bool, asked: int
) -> None:
    ways = [SpeculationSettings(method="off"), SpeculationSettings(method="draft", depth=3)]
    differ, claims = 0, set()
    with emulated(KIND, kernels, ours=ours), probed(written, tmp_path) as scheduler:
        rounding = scheduler.models.rounding
        assert rounding is not None
        for seed, text, tokens in ASKED[:asked]:
            question = request(text, max_tokens=tokens, seed=seed, temperature=float(seed > 0), logit_bias={2: -60.0})
            plain, drafted = (run(scheduler, replace(question, speculation=way))[0] for way in ways)
            differ += plain.finished.ids != drafted.finished.ids
            claims.add(drafted.finished.stats.rounding)
    if ours:
        assert {cost.rows for cost in rounding.kernels if cost.used} == {*range(2, 17)}
        assert (rounding.usual.rows > 1, differ, claims) == (True, 0, {"identical"})
    else:
        assert not any(cost.used for cost in rounding.kernels)
        assert (rounding.usual.rows, claims) == (1, {"rounded"})
        assert differ


def test_a_layer_that_our_kernel_cannot_compute_counts_too(
    kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This one has too few inputs, and is rounded as MLX's kernel for several rows does, here from two rows on."""
    monkeypatch.setattr(choice, "KERNELS", (replace(PRODUCTS, widths=(2, 3, 4)),))
    main = write_model(tmp_path / "main", seed=5, config=QWEN3 | SIZES | {"head_dim": 32})
    with emulated(KIND, kernels, ours=True):
        costs = run_to_completion(choose_kernels(load(main), 1 << 30))
    assert all(cost.used for cost in costs)
    assert not any(cost.alike for cost in costs)
