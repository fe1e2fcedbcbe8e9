"""Losslessness with a grammar: every method writes the text of plain constrained decoding, also in a batch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llguidance import LLMatcher

from engine.errors import GrammarNotUsable
from engine.events import Failed, Finished
from engine.grammars.grammar import Grammar, choice_of
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.tokenizers.vocabulary import bytes_by_id, vocabulary_of
from tests.engine.grammars.python_tokens import python_tokens
from tests.engine.grammars.schemas import SCHEMAS, WORD, grammar_of, record
from tests.engine.serving_requests import PLAIN, Client, alone, open_scheduler, request, run
from tests.engine.tiers import by_tier
from tests.tiny_models import SPECIAL, TEMPLATE, train_tokenizer, write_model

METHODS = {
    "draft": SpeculationSettings(method="draft", depth=4, sample_share=0.0),
    "lookup": SpeculationSettings(method="ngram", depth=4, sample_share=0.0),
    "auto": SpeculationSettings(),
    "rejection": SpeculationSettings(method="draft", depth=4, acceptance="rejection", sample_share=0.0),
}
LENGTH = 60
# The schemas of the default tier.
FEW = ("person",)


@pytest.fixture(scope="module")
def served(tiny_main: Path, tiny_draft: Path) -> Iterator[Scheduler]:
    with open_scheduler(tiny_main, tiny_draft) as scheduler:
        yield scheduler


@pytest.fixture(scope="module")
def main(tiny_main: Path) -> LoadedModel:
    """The main model of the reference, apart from the one that answers."""
    return load(tiny_main)


def asked(grammar: Grammar, speculation: SpeculationSettings, **settings: Any) -> ChatRequest:
    return request(grammar=grammar, speculation=speculation, **({"max_tokens": LENGTH} | settings))


def assert_valid(finished: Finished, schema: dict[str, Any]) -> None:
    """Assert that an answer that has ended is an instance of the schema; others are cut at their length."""
    if finished.reason == "stop":
        jsonschema.validate(json.loads(finished.text), schema)
    else:
        assert finished.reason == "length"


def reference(main: LoadedModel, asked: ChatRequest) -> list[int]:
    """Return the greedy constrained answer, decoded in the simplest way: with a pass for every token."""
    found = vocabulary_of(main.tokenizer)
    names = {token: text for text, token in found.ids.items()}
    tokens = python_tokens(bytes_by_id(found), [names[token] for token in range(found.size)], main.end_tokens)
    assert asked.grammar is not None
    matcher = LLMatcher(tokens, asked.grammar.as_lark(), log_level=0)
    new, answer, caches = main.prompt_ids(asked.messages), list[int](), main.new_caches()
    while len(answer) < LENGTH and main.end_tokens.isdisjoint(answer):
        logits = main.model(mx.array([new]), cache=caches)[0, -1]
        allowed = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), np.uint8), bitorder="little")
        answer.append(int(mx.argmax(mx.where(mx.array(allowed[: found.size] > 0), logits, -mx.inf)).item()))
        new = answer[-1:]
        matcher.try_consume_tokens(new)
    return answer


@pytest.mark.full
@pytest.mark.parametrize("name", by_tier(SCHEMAS, FEW))
def test_plain_answers_are_those_of_constrained_decoding(served: Scheduler, main: LoadedModel, name: str) -> None:
    plain = asked(grammar_of(SCHEMAS[name]), PLAIN)
    finished = alone(served, plain)
    assert list(finished.ids) == reference(main, plain)
    assert_valid(finished, SCHEMAS[name])


# Each schema runs once in the full tier, half of them greedy; `test_table.py` has one of them by default.
EVERY_OTHER = [
    pytest.param(name, temperature, marks=pytest.mark.full if (place + half) % 2 else pytest.mark.campaign)
    for place, name in enumerate(SCHEMAS)
    for half, temperature in enumerate((0.0, 0.9))
]


@pytest.mark.parametrize(("name", "temperature"), EVERY_OTHER)
def test_the_text_is_the_same_with_every_method(served: Scheduler, name: str, temperature: float) -> None:
    grammar = grammar_of(SCHEMAS[name])
    plain = alone(served, asked(grammar, PLAIN, temperature=temperature))
    assert_valid(plain, SCHEMAS[name])
    for method, speculation in METHODS.items():
        finished = alone(served, asked(grammar, speculation, temperature=temperature))
        assert_valid(finished, SCHEMAS[name])
        assert finished.stats.drafted > 0 or method == "auto"
        if method != "rejection" or temperature == 0.0:
            assert finished.ids == plain.ids
            assert finished.reason == plain.reason


def test_forced_tokens_are_proposals_of_the_grammar(served: Scheduler) -> None:
    grammar = grammar_of(SCHEMAS["call"])
    alone(served, asked(grammar, METHODS["lookup"]))
    [client] = run(served, asked(grammar, METHODS["lookup"]))
    forced = [token for event in client.committed for token in event.tokens if token.source == "grammar"]
    assert len(forced) > 20
    rounds = [event.round for event in client.committed if event.round.source == "grammar"]
    # The second time the proposer knows how the model spells the text.
    assert sum(one.accepted for one in rounds) > 0.9 * sum(one.drafted for one in rounds)


def test_forced_tokens_can_be_left_to_the_other_proposers(served: Scheduler) -> None:
    grammar = choice_of(["One text, which no model would write by itself."])
    speculation = replace(METHODS["draft"], proposes_forced=False)
    [client] = run(served, asked(grammar, speculation))
    assert {event.round.source for event in client.committed} <= {"main", "draft"}
    assert sum(event.round.drafted for event in client.committed) > 0
    plain = alone(served, asked(grammar, PLAIN))
    assert "".join(event.text for event in client.committed) == plain.text


def test_an_answer_goes_on_where_its_length_ended_it(served: Scheduler) -> None:
    grammar = grammar_of(SCHEMAS["person"])
    begun = alone(served, asked(grammar, PLAIN, max_tokens=7))
    assert begun.reason == "length"
    turns = [*asked(grammar, PLAIN).messages, {"role": "assistant", "content": begun.text}]
    rest = alone(served, replace(asked(grammar, METHODS["draft"]), messages=turns))
    jsonschema.validate(json.loads(begun.text + rest.text), SCHEMAS["person"])
    refused = replace(asked(grammar, PLAIN), messages=[*turns[:-1], {"role": "assistant", "content": "Well"}])
    [client] = run(served, refused)
    assert_refused(client, "continued")


# Some that mlx-lm knows, and some that it does not.
MARKS = [("<think>", "</think>"), ("<|START_THINKING|>", "<|END_THINKING|>")]


@pytest.fixture(scope="module", params=by_tier([(pair,) for pair in MARKS], [(MARKS[1],)]))
def marks(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Marks of thoughts."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def thinking(tmp_path_factory: pytest.TempPathFactory, marks: tuple[str, str]) -> Iterator[Scheduler]:
    """A model whose template begins the thinking, and ends it at once if thinking is switched off."""
    folder = tmp_path_factory.mktemp("thinking") / "main"
    write_model(folder, seed=1, tokenizer=train_tokenizer(special=[*SPECIAL, *marks]))
    opened = f"{marks[0]}\n{{% if enable_thinking is false %}}\n{marks[1]}\n\n{{% endif %}}"
    (folder / "chat_template.jinja").write_text(
        TEMPLATE.replace("assistant\n{% endif", f"assistant\n{opened}{{% endif")
    )
    with open_scheduler(folder) as scheduler:
        yield scheduler


THINK, THOUGHT = len(SPECIAL), len(SPECIAL) + 1


def test_thoughts_are_free_and_the_answer_behind_them_is_not(thinking: Scheduler, marks: tuple[str, str]) -> None:
    grammar = Grammar("regex", "[ab]{3}")
    for speculation in (PLAIN, METHODS["lookup"]):
        free = alone(thinking, asked(grammar, speculation, max_tokens=30, logit_bias={THOUGHT: -60.0}))
        assert free.reason == "length"
        assert len(set(free.ids)) > 3
        closed = alone(thinking, asked(grammar, speculation, logit_bias={THOUGHT: 90.0}))
        assert closed.ids[0] == THOUGHT
        assert re.fullmatch("[ab]{3}", closed.text.removeprefix(marks[1]))


def test_what_does_not_think_answers_at_once(thinking: Scheduler) -> None:
    options = {"enable_thinking": False}
    without = replace(asked(Grammar("regex", "[ab]{3}"), METHODS["lookup"]), template_options=options)
    assert re.fullmatch("[ab]{3}", alone(thinking, without).text)


def test_a_mark_of_thinking_in_the_question_begins_none(thinking: Scheduler, marks: tuple[str, str]) -> None:
    turns = [{"role": "user", "content": f"What does {marks[0]} mean to you?"}]
    question = replace(asked(Grammar("regex", "[ab]{3}"), PLAIN), messages=turns)
    without = replace(question, template_options={"enable_thinking": False})
    assert re.fullmatch("[ab]{3}", alone(thinking, without).text)


def test_an_answer_that_was_cut_off_in_its_thoughts_goes_on_thinking(
    thinking: Scheduler, marks: tuple[str, str]
) -> None:
    turns = asked(Grammar("json_object"), PLAIN).messages
    for text, bias in ((f"{marks[0]}\nhm", 90.0), (f"{marks[0]}\nhm{marks[1]}\n\naa", 0.0)):
        begun = [*turns, {"role": "assistant", "content": text}]
        going_on = replace(asked(Grammar("regex", "a{2}b"), PLAIN, logit_bias={THOUGHT: bias}), messages=begun)
        finished = alone(thinking, going_on)
        assert finished.text.removeprefix(marks[1]) == ("aab" if bias else "b")


def assert_refused(client: Client, reason: str) -> None:
    assert isinstance(client.last, Failed)
    assert isinstance(client.last.error, GrammarNotUsable)
    assert client.last.error.reason == reason


ENDLESS = " & ".join(f"/(.|\\n)*a.{{{count}}}/" for count in range(1, 60))
DEEP = "start: r0\n" + "".join(f'r{level}: r{level + 1} "a"\n' for level in range(9999)) + 'r9999: "b"'
UNUSABLE = {
    "invalid": Grammar("regex", "("),
    "too-slow": Grammar("lark", f"start: ENDLESS\nENDLESS: {ENDLESS}"),
    "too-complex": Grammar("lark", DEEP),
}


@pytest.mark.parametrize("reason", by_tier(UNUSABLE, ("invalid", "too-slow")))
def test_a_grammar_that_cannot_be_used_fails_its_request_and_no_other(
    served: Scheduler, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Seconds of the grammar process's own computing.
    monkeypatch.setattr("engine.grammars.checks.COMPILE_S", 0.5)
    grammars = (UNUSABLE[reason], grammar_of(SCHEMAS["person"]))
    refused, other = run(served, *(asked(grammar, METHODS["draft"], max_tokens=4) for grammar in grammars))
    assert_refused(refused, reason)
    assert len(other.finished.ids) == 4


def schemas() -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for schemas whose instances are short."""
    names = st.text('abkéñ한 "\\/{', min_size=1, max_size=4)
    leaves: st.SearchStrategy[dict[str, Any]] = st.one_of(
        st.just(WORD),
        st.just({"type": "boolean"}),
        st.just({"type": "null"}),
        st.integers(-9, 99).map(lambda most: {"type": "integer", "minimum": -20, "maximum": most}),
        st.lists(st.one_of(names, st.integers(0, 300), st.none()), min_size=1, max_size=3).map(lambda v: {"enum": v}),
        names.map(lambda value: {"const": value}),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.dictionaries(names, inner, min_size=1, max_size=3).map(lambda fields: record(**fields)),
            inner.map(lambda one: {"type": "array", "items": one, "maxItems": 2}),
            st.lists(inner, min_size=1, max_size=3).map(lambda several: {"anyOf": several}),
        ),
        max_leaves=5,
    )


@pytest.mark.full
@settings(max_examples=12)
@given(schema=schemas(), seed=st.integers(0, 99), method=st.sampled_from(["draft", "lookup"]))
def test_whatever_the_schema_the_answer_is_an_instance_and_the_plain_one(
    served: Scheduler, schema: dict[str, Any], seed: int, method: str
) -> None:
    assert_same(served, schema, seed, method)


@pytest.mark.campaign
@settings(max_examples=300)
@given(schema=schemas(), seed=st.integers(0, 9999), method=st.sampled_from(list(METHODS)[:3]))
def test_whatever_the_schema_the_answer_is_an_instance_and_the_plain_one_many_times(
    served: Scheduler, schema: dict[str, Any], seed: int, method: str
) -> None:
    assert_same(served, schema, seed, method)


def assert_same(scheduler: Scheduler, schema: dict[str, Any], seed: int, method: str) -> None:
    grammar = grammar_of(schema)
    drawn = {"temperature": 1.0, "seed": seed, "max_tokens": 60}
    plain = alone(scheduler, asked(grammar, PLAIN, **drawn))
    finished = alone(scheduler, asked(grammar, METHODS[method], **drawn))
    assert finished.ids == plain.ids
    assert_valid(finished, schema)
