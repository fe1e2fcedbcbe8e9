"""The two futures of a pair that is being loaded."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from engine.client import Loading
from engine.errors import EngineClosed, EngineError, NoModel
from engine.status import LoadedPair, ModelInfo

PAIR = LoadedPair(ModelInfo("main", Path("main"), "llama", 512, 1000), None)


def test_the_main_model_is_ready_at_the_latest_with_the_pair() -> None:
    loading = Loading()
    loading.set_result(PAIR)
    assert loading.main.result() == PAIR


def test_a_pair_that_fails_later_leaves_the_main_model_ready() -> None:
    loading = Loading()
    loading.main.set_result(PAIR)
    loading.set_exception(EngineClosed())
    assert loading.main.result() == PAIR


@pytest.mark.parametrize(
    ("end", "error"), [(lambda loading: loading.set_exception(NoModel()), NoModel), (Future.cancel, EngineClosed)]
)
def test_a_pair_that_fails_or_is_cancelled_first_fails_the_main_model_too(
    end: Callable[[Loading], object], error: type[EngineError]
) -> None:
    loading = Loading()
    end(loading)
    assert isinstance(loading.main.exception(), error)
