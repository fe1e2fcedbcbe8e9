"""The text is the same with fused kernels, as users have them; all other tests run without compilation."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import pytest

from engine import Engine, Finished
from tests.engine.serving_requests import ask, finished
from tests.engine.tiers import by_tier

pytestmark = pytest.mark.usefixtures("with_compilation")


@pytest.fixture(scope="module")
def plain_answer(engine_with_pair: Engine) -> Callable[[float], Finished]:
    """Return a function that decodes the plain answer at a temperature, once for each."""

    @cache
    def decoded(temperature: float) -> Finished:
        return finished(ask(engine_with_pair, method="off", temperature=temperature))

    return decoded


@pytest.mark.full
@pytest.mark.parametrize(
    ("depth", "method", "temperature"),
    by_tier(product((1, 3, 8, None), ("draft", "ngram", "auto"), (0.0, 0.8)), [(8, "draft", 0.8)]),
)
def test_compiled_rounds_change_no_text(
    engine_with_pair: Engine,
    plain_answer: Callable[[float], Finished],
    method: str,
    depth: int | None,
    temperature: float,
) -> None:
    plain = plain_answer(temperature)
    drafted = finished(ask(engine_with_pair, method=method, depth=depth, temperature=temperature))
    assert (drafted.ids, drafted.text) == (plain.ids, plain.text)
