"""Calls of functions within free answers follow their schemas, whatever the model would write, with every method."""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form
from engine.errors import GrammarNotUsable
from engine.events import Finished
from engine.grammars.grammar import Grammar, calls_in_text
from engine.main_model.grammar_compiler import GrammarCompiler
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.serving_requests import PLAIN, alone, open_scheduler, request, run
from tests.engine.tiers import by_tier
from tests.tiny_models import QWEN3, SPECIAL, TEMPLATE, train_tokenizer, write_disturbed_copy, write_model

# Short, because the model has few long tokens.
ONE_OF = {"type": "object", "properties": {"x": {"enum": ["a", "b"]}}, "required": ["x"]}
NUMBER = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 99}}, "required": ["n"]}
SCHEMAS: dict[str, dict[str, Any]] = {
    name: {**schema, "additionalProperties": False} for name, schema in (("f", ONE_OF), ("go", NUMBER))
}
TOOLS = [{"type": "function", "function": {"name": name, "parameters": one}} for name, one in SCHEMAS.items()]
METHODS = {
    "draft": SpeculationSettings(method="draft", depth=4, sample_share=0.0),
    "lookup": SpeculationSettings(method="ngram", depth=4, sample_share=0.0),
    "auto": SpeculationSettings(),
    "rejection": SpeculationSettings(method="draft", depth=4, acceptance="rejection", sample_share=0.0),
}
MARKS = [*SPECIAL, "<tool_call>", "</tool_call>", "<think>", "</think>"]
CALL, _, THINK, THOUGHT = range(len(SPECIAL), len(MARKS))
ENDS = {0: -60.0, 2: -60.0}
GRAMMAR = calls_in_text("json_tools", TOOLS, parallel=True)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calls") / "main"
    config = QWEN3 | {"max_position_embeddings": 2048}
    return write_model(folder, seed=1, config=config, tokenizer=train_tokenizer(special=MARKS))


@pytest.fixture(scope="module")
def served(model: Path) -> Iterator[Scheduler]:
    with open_scheduler(model, write_disturbed_copy(model, model.parent / "draft", amount=0.02)) as scheduler:
        yield scheduler


def asked(speculation: SpeculationSettings = PLAIN, bias: float = 6.0, **settings: Any) -> ChatRequest:
    """Return a request whose answer has calls in it, the more the higher the bias; it ends at its length."""
    settings = {"max_tokens": 60, "logit_bias": ENDS | {CALL: bias}, "grammar": GRAMMAR} | settings
    return request(speculation=speculation, **settings)


def calls_in(finished: Finished) -> list[str]:
    return re.findall("<tool_call>(.*?)</tool_call>", finished.text, re.DOTALL)


def assert_calls_fit(finished: Finished) -> int:
    """Assert that every call that was begun and ended is one of the functions; return their number."""
    found = calls_in(finished)
    for text in found:
        call = json.loads(text)
        jsonschema.validate(call["arguments"], SCHEMAS[call["name"]])
    parts = AnswerParts(call_form("json_tools"), TOOLS)
    parts.add(finished.text, ended=True)
    # A last call may lack nothing but the rest of its mark.
    assert len(parts.calls) - len(found) in (0, 1)
    return len(found)


@pytest.mark.full
def test_without_the_grammar_the_model_writes_calls_that_nobody_can_read(served: Scheduler) -> None:
    free = alone(served, asked(temperature=1.0, grammar=None))
    parts = AnswerParts(call_form("json_tools"), TOOLS)
    parts.add(free.text, ended=True)
    assert (free.text.count("<tool_call>") > 0, parts.calls) == (True, [])


@pytest.mark.full
@pytest.mark.parametrize("seeds", by_tier([range(2), range(2, 25), range(25, 50)], [range(2)]))
def test_every_call_of_a_free_answer_fits_its_schema(served: Scheduler, seeds: range) -> None:
    answers = [alone(served, asked(METHODS["draft"], temperature=1.0, seed=seed, max_tokens=90)) for seed in seeds]
    assert sum(map(assert_calls_fit, answers)) >= len(seeds)
    # Text stands before, between and after the calls, and none of it is a call's.
    assert any(re.search("</tool_call>(?!\n?<tool_call>).", one.text, re.DOTALL) for one in answers)


@pytest.mark.full
def test_two_calls_stand_side_by_side(served: Scheduler) -> None:
    finished = alone(served, asked(METHODS["draft"], bias=90.0, max_tokens=120))
    assert assert_calls_fit(finished) >= 2
    assert "</tool_call><tool_call>" in finished.text


@pytest.mark.full
@pytest.mark.parametrize("form", by_tier(["qwen3_coder", "glm47"], ["qwen3_coder"]))
def test_texts_between_tags_are_the_same_with_every_method(served: Scheduler, form: str) -> None:
    text = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}
    tools = [{"type": "function", "function": {"name": "f", "parameters": text}}]
    grammar = calls_in_text(form, tools, parallel=True)
    plain = alone(served, asked(bias=90.0, temperature=1.0, grammar=grammar, max_tokens=90))
    assert plain.text.startswith("<tool_call>")
    for name in ("draft", "lookup"):
        drafted = alone(served, asked(METHODS[name], 90.0, temperature=1.0, grammar=grammar, max_tokens=90))
        assert (drafted.ids, drafted.stats.drafted > 0) == (plain.ids, True)


@pytest.mark.full
@pytest.mark.parametrize("method", by_tier(["plain", "lookup", "draft", "auto"], ["draft"]))
def test_an_answer_without_a_call_is_that_without_tools(served: Scheduler, method: str) -> None:
    signs = served.models.main.tokenizer.convert_tokens_to_ids(["{", "<"])
    bias = ENDS | {CALL: -60.0} | dict.fromkeys(signs, 7.0)
    settings: dict[str, Any] = {"temperature": 1.0, "logit_bias": bias, "max_tokens": 40}
    free = alone(served, asked({"plain": PLAIN, **METHODS}[method], **settings, grammar=None))
    assert {"{", "<"} < set(free.text)
    assert alone(served, asked({"plain": PLAIN, **METHODS}[method], **settings)).ids == free.ids


@pytest.mark.full
def test_forced_text_of_calls_is_proposed_for_free(served: Scheduler) -> None:
    settings: dict[str, Any] = {"bias": 90.0, "max_tokens": 100}
    alone(served, asked(METHODS["lookup"], **settings))
    [client] = run(served, asked(METHODS["lookup"], **settings))
    rounds = [event.round for event in client.committed if event.round.source == "grammar"]
    assert sum(one.accepted for one in rounds) > 50
    assert sum(one.accepted for one in rounds) > 0.9 * sum(one.drafted for one in rounds)


def test_a_stop_string_and_the_end_of_the_answer_work_around_calls(served: Scheduler) -> None:
    stopped = alone(served, asked(METHODS["draft"], bias=90.0, stop=('"arg',)))
    assert (stopped.reason, stopped.text.endswith('", ')) == ("stop", True)
    ending = {2: 88.0, CALL: 90.0}
    ended = alone(served, asked(METHODS["draft"], temperature=3.0, logit_bias=ending, max_tokens=600))
    assert ended.reason == "stop"
    assert ended.text.count("<tool_call>") == assert_calls_fit(ended)


def test_a_mark_in_thoughts_begins_no_call(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "main"
    shutil.copytree(model, folder)
    thinks = TEMPLATE.replace("assistant\n{% endif", f"assistant\n{MARKS[THINK]}{{% endif")
    (folder / "chat_template.jinja").write_text(thinks)
    with open_scheduler(folder) as scheduler:
        for speculation in (PLAIN, METHODS["lookup"]):
            assert alone(scheduler, asked(speculation, bias=90.0, max_tokens=9)).ids == (CALL,) * 9
            # What was written once is less likely, so the thoughts end at once, and a call follows.
            bias = ENDS | {THOUGHT: 99.0, CALL: 90.0}
            answered = alone(scheduler, asked(speculation, logit_bias=bias, repetition_penalty=1.3, max_tokens=60))
            assert answered.ids[:2] == (THOUGHT, CALL)
            assert assert_calls_fit(answered) > 0


@pytest.mark.full
def test_an_answer_without_a_call_compiles_no_grammar(served: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"logit_bias": ENDS | {CALL: -60.0}, "max_tokens": 12}
    free = alone(served, asked(METHODS["draft"], **settings, grammar=None))
    monkeypatch.setattr(GrammarCompiler, "start", lambda *_: pytest.fail("A grammar is compiled."))
    assert alone(served, asked(METHODS["draft"], **settings)).ids == free.ids


def test_a_grammar_that_cannot_be_compiled_leaves_calls_free(
    served: Scheduler, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(_: Grammar) -> None:
        raise GrammarNotUsable("too-complex")

    monkeypatch.setattr("engine.grammars.checks.check_grammar", check)
    grammar = calls_in_text("json_tools", [{"function": {"name": "f"}}], parallel=True)
    with caplog.at_level(logging.INFO):
        finished = alone(served, asked(METHODS["draft"], bias=90.0, grammar=grammar, max_tokens=20))
        assert calls_in_text("json_tools", [{"function": {"name": 'a"b'}}], parallel=True) is None
    assert finished.ids == alone(served, asked(bias=90.0, grammar=None, max_tokens=20)).ids
    assert "calls in an answer are free" in caplog.text
    assert 'a"b' not in caplog.text
