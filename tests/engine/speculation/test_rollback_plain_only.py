"""A model whose caches no rule serves: it answers all the same, plainly, and the figures say why."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import ChatRequest, Engine, Event, Finished, SpeculationSettings
from tests.engine.speculation.families import change_kinds
from tests.patience import PATIENCE_S

QUESTION = [{"role": "user", "content": "the quick brown fox"}]


def ask(engine: Engine, messages: list[dict[str, str]], method: str) -> Finished:
    request = ChatRequest(messages=messages, speculation=SpeculationSettings(method=method), max_tokens=24)
    events: list[Event] = list(engine.submit(request))
    assert isinstance(events[-1], Finished), events[-1]
    return events[-1]


def test_a_model_without_a_rule_answers_plainly_and_says_why(
    tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine() as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        usual = ask(engine, QUESTION, "auto")
        longer = [*QUESTION, {"role": "assistant", "content": usual.text}, *QUESTION]
        usual_next = ask(engine, longer, "auto")

    change_kinds(monkeypatch, width_dependent=frozenset({"qwen3"}))
    with Engine() as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        plain = ask(engine, QUESTION, "auto")
        plain_next = ask(engine, longer, "draft")

    assert (plain.ids, plain_next.ids) == (usual.ids, usual_next.ids)
    assert plain.stats.drafted == plain_next.stats.drafted == 0
    reasons = {(span.reason, span.arguments) for span in plain.stats.plain_spans}
    assert ("cache-kind", (("kind", "KVCache of qwen3"),)) in reasons
