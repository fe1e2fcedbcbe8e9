"""A draft with another tokenizer gives the same text as none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, Event, Finished, starter_pair
from tests.engine import serving_requests
from tests.engine.serving_requests import finished
from tests.engine.speculation.tokenizers_in_test import byte_level, metaspace
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S
from tests.tiny_models import write_model, write_with_other_ids

KOREAN = [{"role": "user", "content": "안녕하세요 the quick 日本語 brown fox"}]
DRAFTS = {"byte-level": lambda: byte_level(420, True), "metaspace": metaspace}


@pytest.fixture(scope="module", params=by_tier(DRAFTS, ["byte-level"]))
def engine_with_other_tokenizer(
    request: pytest.FixtureRequest, tiny_main: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    draft = write_model(tmp_path_factory.mktemp("other") / "draft", seed=8, tokenizer=DRAFTS[request.param]())
    with Engine() as engine:
        pair = engine.load(tiny_main, draft).result(timeout=PATIENCE_S)
        assert pair.draft_problem is None
        assert pair.draft is not None
        yield engine


@pytest.fixture(scope="module")
def plain_starter_answer(starter_with_other_ids: Engine) -> Callable[[str, float], Finished]:
    """Return a function that decodes the starter's own answer to a question at a temperature, once for each."""

    @cache
    def decoded(question: str, temperature: float) -> Finished:
        messages = [{"role": "user", "content": question}]
        return finished(ask(starter_with_other_ids, messages=messages, method="off", temperature=temperature))

    return decoded


@pytest.fixture(scope="module")
def starter_with_other_ids(tmp_path_factory: pytest.TempPathFactory, module_as_on_linux: None) -> Iterator[Engine]:  # noqa: ARG001
    """An engine in which the starter's main model drafts for itself, in other ids."""
    main, _ = starter_pair()
    with Engine() as engine:
        engine.load(main, write_with_other_ids(main, tmp_path_factory.mktemp("ids") / "draft")).result(
            timeout=PATIENCE_S
        )
        yield engine


def ask(engine: Engine, **how: Any) -> list[Event]:
    return serving_requests.ask(engine, **({"messages": KOREAN} | how))


@pytest.mark.parametrize(
    ("question", "temperature"),
    by_tier(product(("Who are you?", "안녕하세요!", "Count from 1 to 20."), (0.0, 0.8)), [("안녕하세요!", 0.0)]),
)
def test_a_draft_is_as_right_as_with_the_main_models_own_ids(
    starter_with_other_ids: Engine,
    plain_starter_answer: Callable[[str, float], Finished],
    question: str,
    temperature: float,
) -> None:
    plain, messages = plain_starter_answer(question, temperature), [{"role": "user", "content": question}]
    how = {"method": "draft", "depth": 4, "sample_share": 0.0}
    guessed = finished(ask(starter_with_other_ids, messages=messages, temperature=temperature, **how))
    assert guessed.text == plain.text
    assert guessed.stats.accept_rate is not None
    assert guessed.stats.accept_rate > (0.9 if temperature == 0.0 else 0.5)
    assert guessed.stats.tokens_per_round is not None
    assert guessed.stats.tokens_per_round > (3.0 if temperature == 0.0 else 2.0)


def test_the_next_turn_prefills_only_what_the_draft_lacks(engine_with_other_tokenizer: Engine) -> None:
    engine = engine_with_other_tokenizer
    long = [{"role": "user", "content": "the quick brown fox jumps over the lazy dog " * 4}]
    first = finished(ask(engine, messages=long, max_tokens=20, method="draft", depth=3)).stats
    turn = [*long, {"role": "assistant", "content": "fox"}, {"role": "user", "content": "and then"}]
    second = finished(ask(engine, messages=turn, max_tokens=8, method="draft", depth=3)).stats
    assert 0 < second.draft_prefill_tokens < first.draft_prefill_tokens
