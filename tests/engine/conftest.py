"""Fixtures: tiny random pairs of models, and engines and schedulers that serve them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine import Engine, starter_pair
from engine.cpu_backend import backend
from engine.files.disk_pool import DiskPool
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.serving.scheduler import Scheduler
from engine.tokenizers.prompt_process import PromptCall, PromptProcess
from engine.tokenizers.prompts import PromptJob
from engine.tokenizers.tasks import TokenizerSource
from engine.upkeep import drafters
from tests.engine.serving_requests import Expected, load_models
from tests.engine.speculation.oracle_head import OracleHead
from tests.patience import PATIENCE_S
from tests.tiny_heads import OracleKind
from tests.tiny_models import write_disturbed_copy, write_model


@pytest.fixture(scope="package", autouse=True)
def as_on_a_mac() -> Iterator[None]:
    """Run the branches of a GPU on weights as they are stored, in this process and in those that tests start.

    With TANDEM_BACKEND=cpu in the environment, all tests run as on Linux.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(backend.VARIABLE, os.environ.get(backend.VARIABLE, backend.GPU.name))
        yield


@pytest.fixture
def as_on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the branches of a CPU, with models that are loaded from now on."""
    monkeypatch.setenv(backend.VARIABLE, backend.CPU.name)


@pytest.fixture(scope="module")
def module_as_on_linux() -> Iterator[None]:
    """Run a module as on Linux: passes in bfloat16 take a CPU five times as long, which long texts cannot afford."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(backend.VARIABLE, backend.CPU.name)
        yield


@pytest.fixture(scope="package")
def tiny_main(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("tiny") / "main", seed=1)


@pytest.fixture(scope="package")
def tiny_draft(tiny_main: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_disturbed_copy(tiny_main, tmp_path_factory.mktemp("tiny") / "draft", amount=0.02)


@pytest.fixture(scope="package")
def pair(tiny_main: Path, tiny_draft: Path) -> tuple[LoadedModel, LoadedModel]:
    """The tiny pair, loaded once, to install in schedulers. Tests replace its parts and do not change them."""
    return load(tiny_main), load(tiny_draft)


@pytest.fixture(scope="package")
def expected(pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Expected]:
    """The answers of the pair's main model, served alone without speculation."""
    answers = Expected(pair[0])
    yield answers
    answers.close()


@pytest.fixture(scope="package")
def starter() -> tuple[LoadedModel, LoadedModel]:
    """The starter pair, loaded once, to install in schedulers."""
    main, draft = starter_pair()
    return load(main), load(draft)


@pytest.fixture(scope="module")
def engine_with_pair(tiny_main: Path, tiny_draft: Path) -> Iterator[Engine]:
    with Engine() as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        yield engine


@pytest.fixture(scope="module")
def with_compilation() -> Iterator[None]:
    """Fuse operations as users have it; on CPU a C++ compiler builds each fused kernel."""
    mx.enable_compile()
    yield
    mx.disable_compile()


@pytest.fixture
def users_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of the processes that a test starts, whose MLX may compile as a user's may."""
    monkeypatch.delenv("MLX_DISABLE_COMPILE")
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    """A scheduler without models; the test calls `step`."""
    scheduler = Scheduler()
    yield scheduler
    scheduler.close()


@pytest.fixture
def oracle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OracleKind:
    """An additional kind of drafter, which one entry makes known to the engine."""
    kind = OracleKind(tmp_path / "oracle")
    kind.folder.mkdir()
    (kind.folder / "config.json").write_text('{"model_type": "qwen3"}')
    monkeypatch.setattr(drafters, "KINDS", (kind.entry, *drafters.KINDS))
    return kind


@pytest.fixture
def oracle_served(scheduler: Scheduler, oracle: OracleKind, tiny_main: Path) -> tuple[Scheduler, OracleHead]:
    load_models(scheduler, tiny_main, oracle.folder)
    assert oracle.head is not None
    return scheduler, oracle.head


@pytest.fixture(autouse=True)
def prompts_without_waiting(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Wait for the prompt process, so that a request always takes the same number of steps."""
    if request.path.stem == "test_prompt_process":
        return
    start = PromptProcess.start_prompt

    def start_and_wait(process: PromptProcess, source: TokenizerSource, job: PromptJob) -> PromptCall:
        call = start(process, source, job)
        wait([call])
        return call

    monkeypatch.setattr(PromptProcess, "start_prompt", start_and_wait)


@pytest.fixture
def disk_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work of the disk pool runs at once, so that the number of steps of a load does not depend on its speed."""

    def start(_: DiskPool, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(work(*arguments))
        except Exception as error:
            done.set_exception(error)
        return done

    monkeypatch.setattr(DiskPool, "start", start)
