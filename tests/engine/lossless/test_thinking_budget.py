"""A limit of thoughts: exactly that many tokens, then the mark that ends them, with every method and family."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine.events import Finished
from engine.model_files.thought_marks import MESSAGE_MARKS, THOUGHT_MARKS
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.serving_requests import PLAIN, alone, open_scheduler, request, run
from tests.engine.tiers import by_tier
from tests.tiny_heads import write_head
from tests.tiny_models import QWEN3, SPECIAL, TEMPLATE, train_tokenizer, write_disturbed_copy, write_model

METHODS = {
    "draft": SpeculationSettings(method="draft", depth=4, sample_share=0.0),
    "lookup": SpeculationSettings(method="ngram", depth=4, sample_share=0.0),
    "head": SpeculationSettings(method="draft", depth=5, sample_share=0.0),
    "rejection": SpeculationSettings(method="draft", depth=4, acceptance="rejection", sample_share=0.0),
    "auto": SpeculationSettings(),
}
# What opens thoughts, what ends them, and what ends them at the limit.
FAMILIES = {
    opening: (opening, closing, closing + reply)
    for opening, closing, reply, *_ in (*((*pair, "") for pair in THOUGHT_MARKS), *MESSAGE_MARKS)
}
OPENINGS = ["", "<think>\n", *FAMILIES]
CONTROLS = re.findall(r"<[^>]*>|\[/?THINK\]|Here.*?:", "".join(map("".join, FAMILIES.values())))
MARKS = [*SPECIAL, *dict.fromkeys(CONTROLS)]
# Answers end at their length.
ENDS = {0: -60.0, 2: -60.0}
BUDGET = 11
TOKENIZER = train_tokenizer(512, special=MARKS)
THINK, THOUGHT = MARKS.index("<think>"), MARKS.index("</think>")


def ids_of(text: str) -> list[int]:
    return list(TOKENIZER.encode(text, add_special_tokens=False).ids)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose template opens thoughts with the one of `OPENINGS` that a request names by its place."""
    folder = tmp_path_factory.mktemp("budget") / "main"
    write_model(folder, seed=1, config=QWEN3 | {"max_position_embeddings": 2048}, tokenizer=TOKENIZER)
    chosen = f"assistant\n{{{{ {json.dumps(OPENINGS)}[opened or 0] }}}}{{% endif"
    template = TEMPLATE.replace("assistant\n{% endif", chosen)
    (folder / "chat_template.jinja").write_text(template)
    return folder


@pytest.fixture(scope="module")
def served(model: Path) -> Iterator[Scheduler]:
    with open_scheduler(model, write_disturbed_copy(model, model.parent / "draft", amount=0.02)) as scheduler:
        yield scheduler


@pytest.fixture(scope="module")
def with_head(model: Path) -> Iterator[Scheduler]:
    with open_scheduler(model, write_head(model.parent / "head", model)) as scheduler:
        yield scheduler


def asked(
    speculation: SpeculationSettings = PLAIN,
    budget: int | None = BUDGET,
    opened: str = "<think>\n",
    bias: dict[int, float] | None = None,
    **settings: Any,
) -> ChatRequest:
    """Return a request whose answer does not end its thoughts itself, unless the bias lets it."""
    closing = next((closing for opening, closing, _ in FAMILIES.values() if opened.startswith(opening)), "</think>")
    # A few likelier tokens repeat themselves, which lookup needs.
    kept = {ids_of(closing)[0]: -60.0, THINK: -60.0} | dict.fromkeys(range(300, 304), 8.0)
    settings = {"max_tokens": 40, "logit_bias": {**ENDS, **kept, **(bias or {})}, "thinking_budget": budget} | settings
    return replace(request(speculation=speculation, **settings), template_options={"opened": OPENINGS.index(opened)})


def thought_tokens(finished: Finished, closing: str = "</think>") -> int:
    """Return how many tokens come before the mark that ends the thoughts."""
    mark = ids_of(closing)
    return next(at for at in range(len(finished.ids)) if list(finished.ids[at : at + len(mark)]) == mark)


EVERY = list(product(FAMILIES, ("draft", "lookup", "head", "rejection"), (0.0, 0.9)))
FEW = [("<|channel|>analysis<|message|>", "lookup", 0.0)]


@pytest.mark.parametrize(("family", "method", "temperature"), by_tier(EVERY, FEW))
def test_thoughts_end_at_the_limit_with_every_method(
    served: Scheduler, with_head: Scheduler, family: str, method: str, temperature: float
) -> None:
    opening, _, ending = FAMILIES[family]
    scheduler = with_head if method == "head" else served
    plain = alone(scheduler, asked(opened=opening, temperature=temperature))
    assert thought_tokens(plain, ending) == BUDGET
    assert plain.stats.thinking_limit == BUDGET
    finished = alone(scheduler, asked(METHODS[method], opened=opening, temperature=temperature))
    assert thought_tokens(finished, ending) == BUDGET
    assert finished.stats.drafted > 0
    assert finished.ids == plain.ids or (method == "rejection" and temperature > 0)


def test_thoughts_that_the_model_opens_are_limited_too(served: Scheduler) -> None:
    for budget, method in ((0, "draft"), (1, "lookup"), (BUDGET, "draft")):
        settings: dict[str, Any] = {"opened": "", "bias": {THINK: 60.0}, "temperature": 0.9}
        plain = alone(served, asked(budget=budget, **settings))
        assert plain.ids[0] == THINK
        assert thought_tokens(plain) == 1 + budget
        # Thoughts do not begin again after it.
        assert plain.ids[2 + budget] != THINK
        assert alone(served, asked(METHODS[method], budget, **settings)).ids == plain.ids


@pytest.mark.full
def test_thoughts_that_end_by_themselves_are_those_without_a_limit(served: Scheduler) -> None:
    ends = {THOUGHT: 9.0}
    free = alone(served, asked(budget=None, bias=ends, temperature=0.9))
    count = thought_tokens(free)
    for speculation in (PLAIN, METHODS["draft"]):
        kept = alone(served, asked(speculation, count + 1, bias=ends, temperature=0.9))
        assert kept.ids == free.ids
        assert kept.stats.thinking_limit is None
    assert 0 < count < 40


@pytest.mark.full
def test_several_answers_at_once_keep_their_own_limits(served: Scheduler) -> None:
    budgets = (0, 4, 9, None)
    wanted = [asked(METHODS["draft"], budget, temperature=0.9, seed=seed) for seed, budget in enumerate(budgets)]
    apart = [alone(served, replace(one, speculation=PLAIN)) for one in wanted]
    together = run(served, *wanted)
    assert [one.finished.ids for one in together] == [one.ids for one in apart]
    assert [thought_tokens(one) for one in apart[:-1]] == [0, 4, 9]
    assert THOUGHT not in apart[-1].ids


def test_a_continued_thought_counts_from_its_beginning(served: Scheduler) -> None:
    for text in ("the quick brown", "the quick brown fox jumps over the lazy dog " * 9):
        turns = [*asked().messages, {"role": "assistant", "content": f"<think>\n{text}"}]
        finished = alone(served, replace(asked(METHODS["draft"]), messages=turns))
        assert thought_tokens(finished) == max(0, BUDGET - len(ids_of(text.strip())))
