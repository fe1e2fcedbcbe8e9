"""The backend of a process, and answers as Linux computes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.cpu_backend.backend import CPU, GPU, VARIABLE, backend
from engine.events import TokensCommitted
from tests.engine.serving_requests import ask, ids, open_scheduler
from tests.tiny_heads import write_head
from tests.tiny_models import MXFP4, write_disturbed_copy, write_model


@pytest.mark.first
def test_without_a_name_the_device_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", "npu"):
        monkeypatch.setenv(VARIABLE, name)
        assert backend() is (CPU if mx.default_device() == mx.Device(mx.cpu) else GPU)


def test_child_processes_have_the_backend_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, GPU.name)
    ask_child = "import engine; from engine.cpu_backend.backend import backend; print(backend().name)"
    said = subprocess.run([sys.executable, "-c", ask_child], capture_output=True, text=True, check=True).stdout
    assert [backend().name, said.strip()] == ["gpu", "gpu"]


@pytest.mark.usefixtures("as_on_linux")
@pytest.mark.parametrize("kind", ["draft", "head"])
def test_on_linux_the_text_does_not_depend_on_drafts(tmp_path: Path, kind: str) -> None:
    """Weights are float32 in blocks, and the host reads the scores of greedy rounds."""
    main = write_model(tmp_path / "main", seed=1, stored=MXFP4)
    drafter = write_head(tmp_path / "head", main) if kind == "head" else tmp_path / "draft"
    if kind == "draft":
        write_disturbed_copy(main, drafter, amount=0.02)
    with open_scheduler(main, drafter) as scheduler:
        assert {array.dtype for _, array in tree_flatten(scheduler.models.main.model.parameters())} == {mx.float32}
        for temperature in (0.0, 0.8):
            plain = ask(scheduler, max_tokens=24, method="off", temperature=temperature)
            drafted = ask(scheduler, max_tokens=24, method="draft", depth=4, temperature=temperature)
            assert ids(drafted) == ids(plain)
            found, expected = (
                [token.logprob for event in events if isinstance(event, TokensCommitted) for token in event.tokens]
                for events in (drafted, plain)
            )
            assert found == pytest.approx(expected, abs=1e-3)
