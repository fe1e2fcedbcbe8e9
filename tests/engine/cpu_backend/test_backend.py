"""The backend of a process, and answers as Linux computes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.cpu_backend.backend import CPU, DEVICE_VARIABLE, GPU, VARIABLE, backend, choose_device
from engine.events import TokensCommitted
from tests.engine.serving_requests import ask, ids, open_scheduler
from tests.engine.tiers import by_tier
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


@pytest.mark.full
@pytest.mark.usefixtures("as_on_linux")
@pytest.mark.parametrize("kind", by_tier(["draft", "head"], ["draft"]))
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


_ANSWER = """
import queue
from engine import ChatRequest, Engine, starter_pair
from engine.events import Failed, Finished
ended = queue.Queue()
with Engine() as engine:
    engine.load(*starter_pair()).result()
    engine.submit(
        ChatRequest([{"role": "user", "content": "What is Tandem?"}], max_tokens=8),
        lambda event: ended.put(event) if isinstance(event, Finished | Failed) else None,
    )
    print(type(ended.get()).__name__)
"""


@pytest.mark.parametrize("chosen", by_tier(["cpu", ""], ["cpu"]))
def test_the_cpu_compiles_nothing_for_an_answer(
    chosen: str, users_temporary_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hardened app or system loads no library from the temporary folder, and all users of a computer may share it."""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv(DEVICE_VARIABLE, chosen)
    said = subprocess.run([sys.executable, "-c", _ANSWER], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "Finished"
    assert not [*users_temporary_folder.iterdir()]


@pytest.mark.parametrize(
    ("device", "chosen", "name", "compiles"),
    [
        (mx.gpu, "", "", True),
        (mx.gpu, "cpu", "", False),
        (mx.cpu, "", "", False),
        (mx.cpu, "", CPU.name, False),
        (mx.cpu, "", GPU.name, True),
    ],
)
def test_only_the_backend_of_a_gpu_compiles(
    device: mx.DeviceType, chosen: str, name: str, compiles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = [mx.Device(device)]
    monkeypatch.setattr(mx, "default_device", lambda: devices[-1])
    monkeypatch.setattr(mx, "set_default_device", lambda kind: devices.append(mx.Device(kind)))
    disabled: list[bool] = []
    monkeypatch.setattr(mx, "disable_compile", lambda: disabled.append(True))
    monkeypatch.setenv(VARIABLE, name)
    monkeypatch.setenv(DEVICE_VARIABLE, chosen)
    choose_device()
    assert disabled == ([] if compiles else [True])
    assert devices[-1] == mx.Device(mx.cpu if chosen else device)
