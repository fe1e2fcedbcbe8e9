"""Which products of a model are ours, and what this does to its answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from engine.requests import SpeculationSettings
from engine.row_kernels import choice
from engine.serving import rounding_probe
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.row_kernels.emulated_machine import emulated
from tests.engine.row_kernels.emulation import Kind
from tests.engine.serving_requests import load_models, request, run
from tests.patience import PATIENCE_S
from tests.tiny_models import QWEN3, write_disturbed_copy, write_model, write_quantised_copy

pytestmark = pytest.mark.usefixtures("without_compilation", "as_on_a_gpu")

KIND = Kind("affine", 4, 64)
SIZES = {"hidden_size": 192, "intermediate_size": 192, "head_dim": 32}


@pytest.fixture(autouse=True)
def short_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounding_probe, "LONG", 120)
    monkeypatch.setattr(rounding_probe, "MOST_ROWS", 24)
    monkeypatch.setattr(choice, "REPEATS", 1)
    # The times of this machine do not matter.
    monkeypatch.setattr(choice, "WORTH", inf)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A main model, and one that drafts for it."""
    folder = tmp_path_factory.mktemp("models")
    whole = write_model(folder / "whole", seed=5, config=QWEN3 | SIZES)
    disturbed = write_disturbed_copy(whole, folder / "disturbed", amount=0.01)
    main, draft = (
        write_quantised_copy(source, folder / name, KIND.bits, KIND.group_size, KIND.mode, KIND.dtype)
        for source, name in ((whole, "main"), (disturbed, "draft"))
    )
    return main, draft


@contextmanager
def probed(written: tuple[Path, Path], folder: Path) -> Iterator[Scheduler]:
    with closing(Scheduler(EngineSettings(learned_file=folder / "learned.json"))) as scheduler:
        load_models(scheduler, *written)
        scheduler.models.probe(lambda: False, PATIENCE_S)
        yield scheduler


@pytest.mark.parametrize("ours", [True, False])
def test_with_our_kernel_all_answers_are_identical(written: tuple[Path, Path], tmp_path: Path, *, ours: bool) -> None:
    ways = [SpeculationSettings(method="off"), SpeculationSettings(method="draft", depth=3)]
    differ, claims = 0, set()
    with emulated(KIND, tmp_path, ours=ours), probed(written, tmp_path) as scheduler:
        rounding = scheduler.models.rounding
        assert rounding is not None
        for seed, text in enumerate(("the quick brown fox", "안녕하세요", "the lazy dog jumps", "こんにちは世界")):
            asked = request(text, max_tokens=24, seed=seed, temperature=0.8 * (seed % 2))
            plain, drafted = (run(scheduler, replace(asked, speculation=way))[0] for way in ways)
            differ += plain.finished.ids != drafted.finished.ids
            claims.add(drafted.finished.stats.rounding)
    if ours:
        assert rounding.kernel_rows == {2, 3, 4, 5, 6, 7, 8}
        assert (rounding.plain_rows, differ, claims) == (1, 0, {"identical"})
    else:
        assert rounding.kernels == ()
        assert claims == {"rounded"}
        assert differ
