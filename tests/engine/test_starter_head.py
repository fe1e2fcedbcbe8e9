"""The starter's head changes no text, and its proposals are as long as they were when it was trained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine import Engine, Finished, starter_pair
from tests.engine.asking import ask, finished
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S

QUESTIONS = (
    "What is a draft model?",
    "How do I download a model?",
    "My name is Sarah.",
    "Write a poem about the sea.",
    "초안 모델은 왜 필요해요?",
    "대화를 어떻게 내보내요?",
    "モデルはどうやって消しますか？",
    "富士山の高さは？",
    "怎么下载模型？",
    "接受率是什么意思？",
)
# A little below the value in resources/starter/recipe/README.md.
TOKENS_PER_ROUND = 5.0


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    main, _ = starter_pair()
    with Engine() as engine:
        engine.load(main, main.parent / "head").result(timeout=PATIENCE_S)
        yield engine


def answer(engine: Engine, question: str, temperature: float, **speculation: Any) -> Finished:
    messages = [{"role": "user", "content": question}]
    return finished(ask(engine, messages=messages, temperature=temperature, seed=3, max_tokens=100, **speculation))


@pytest.mark.parametrize("temperature", by_tier([0.0, 0.8], [0.8]))
def test_the_text_is_the_same_with_and_without_the_head(engine: Engine, temperature: float) -> None:
    for question in QUESTIONS[4::5]:
        plain = answer(engine, question, temperature, method="off")
        for depth in (4, 15):
            assert answer(engine, question, temperature, method="draft", depth=depth).ids == plain.ids, question


@pytest.mark.full
def test_the_head_guesses_what_main_says(engine: Engine) -> None:
    stats = [answer(engine, question, 0.0, method="draft", depth=7).stats for question in QUESTIONS]

    assert sum(one.generated_tokens for one in stats) / sum(one.rounds for one in stats) >= TOKENS_PER_ROUND
