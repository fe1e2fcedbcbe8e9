"""A tiny random pair, written once, and an engine that has it loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Engine
from tests.tiny_models import write_disturbed_copy, write_model


@pytest.fixture(scope="session")
def tiny_main(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("tiny") / "main", seed=1)


@pytest.fixture(scope="session")
def tiny_draft(tiny_main: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_disturbed_copy(tiny_main, tmp_path_factory.mktemp("tiny") / "draft", amount=0.02)


@pytest.fixture(scope="module")
def engine_with_pair(tiny_main: Path, tiny_draft: Path) -> Iterator[Engine]:
    with Engine() as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=60)
        yield engine
