"""The family's parser reads any text that the grammar of calls allows as calls of the given functions."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from app.text.answer_parts import AnswerParts
from engine.call_forms.form import CallForm, Marks
from engine.call_forms.reading import as_json
from engine.call_forms.table import FORMS, call_form
from engine.call_forms.writing import CallsNotExpressible
from engine.grammars.calls import calls_source
from engine.grammars.checks import check_grammar
from engine.grammars.grammar import Grammar, calls_of
from tests.engine.grammars.written_calls import allows, function, written

TOOLS = [
    function(
        "weather",
        city={"type": "string"},
        days={"type": "integer", "minimum": 1, "maximum": 9},
        unit_maybe={"enum": ["celsius", "도"]},
        exact_maybe={"type": "boolean"},
    ),
    function("now"),
    function("hint", text_maybe={"type": "string"}),
]


@pytest.mark.parametrize("form", FORMS)
def test_whatever_a_model_writes_is_calls_of_the_functions(form: str) -> None:
    grammar = calls_of(form, TOOLS, parallel=False)
    check_grammar(grammar)
    draw, seen = random.Random(7), set()
    for number in range(40):
        if number >= 10 and len(seen) == len(TOOLS):
            break
        text = written(grammar, draw)
        parts = AnswerParts(call_form(form), TOOLS)
        parts.add(text, ended=True)
        assert (len(parts.calls), parts.content.strip()) == (1, ""), text
        [call] = parts.calls
        arguments = json.loads(call.arguments)
        [declared] = [tool["function"]["parameters"] for tool in TOOLS if tool["function"]["name"] == call.name]
        assert set(declared["required"]) <= arguments.keys() <= declared["properties"].keys(), text
        if call.name == "weather":
            assert arguments["days"] in range(1, 10), text
            assert arguments.get("unit_maybe", "도") in ("celsius", "도"), text
            assert arguments.get("exact_maybe", True) in (True, False), text
        seen.add(call.name)
    assert seen == {"weather", "now", "hint"}


TEXT, NOTE, COUNT = {"type": "string"}, {"enum": ["a note", "7 <b>"]}, {"type": "integer", "minimum": 1, "maximum": 9}
# What the function declares is among these.
WIDER = {"a": COUNT, "before": NOTE, "path": TEXT, "between": NOTE, "count": COUNT, "after": NOTE}


@pytest.mark.full
@pytest.mark.parametrize("others", [{}, {"additionalProperties": True}, {"additionalProperties": False}], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_arguments_that_a_function_does_not_declare_lose_no_call(form: str, others: dict[str, bool]) -> None:
    """A model writes them as if they were declared, and the grammar of calls lets many of them pass as text."""
    declared = {"type": "object", "properties": {"path": TEXT, "count": COUNT}, "required": ["path"], **others}
    tool = {"type": "function", "function": {"name": "f", "parameters": declared}}
    narrow = calls_of(form, [tool], parallel=False)
    draw, passed = random.Random(11), set[bool]()
    for keys in (WIDER, ("path", "after"), ("path", "between", "count"), ("before", "path")):
        wider = calls_of(form, [function("f", **{key: WIDER[key] for key in keys})], parallel=False)
        text = written(wider, draw, plain=True)
        parts = AnswerParts(call_form(form), [tool])
        parts.add(text, ended=True)
        assert (len(parts.calls), parts.content.strip()) == (1, ""), text
        left_out = call_form(form).tags is not None and others.get("additionalProperties") is False
        assert json.loads(parts.calls[0].arguments).keys() == {"path", "count"} & {*keys} if left_out else {*keys}, text
        passed.add(allows(narrow, text))
    # The closing tags of MiniMax-M3 have names, so that its texts end with their own.
    assert True in passed or call_form(form).tags is None or form == "minimax_m3"


ONE = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'


@pytest.mark.first
def test_several_calls_only_where_they_may_be_parallel() -> None:
    assert allows(calls_of("json_tools", TOOLS, parallel=True), f"{ONE}\n{ONE}\n{ONE}")
    assert not allows(calls_of("json_tools", TOOLS, parallel=False), f"{ONE}\n{ONE}")
    assert allows(calls_of("json_tools", TOOLS, parallel=False), f"\n\n{ONE}")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Grammar("json_schema", '{"type": "object", "properties": {"a": {"type": "integer"}}}'), '{"a": 1}'),
        (Grammar("json_object"), '{"b": [true]}'),
        (Grammar("regex", "[0-9]{3}"), "123"),
        (Grammar("lark", 'start: calls\ncalls: "yes" | "no"'), "yes"),
    ],
    ids=lambda one: one.kind if isinstance(one, Grammar) else "",
)
def test_calls_or_an_answer_in_the_format(answer: Grammar, text: str) -> None:
    grammar = calls_of("json_tools", TOOLS, parallel=True, answer=answer)
    check_grammar(grammar)
    assert allows(grammar, text)
    assert allows(grammar, ONE)
    assert not allows(grammar, "something else")
    assert not allows(grammar, f"{text}{ONE}")


def test_text_between_tags_may_have_signs_of_tags_in_it() -> None:
    text = "<tool_call>\n<function=weather>\n<parameter=city>\n{}\n</parameter>\n<parameter=days>\n3\n</parameter>\n"
    grammar = calls_of("qwen3_coder", TOOLS, parallel=True)
    assert allows(grammar, text.format("Rio <3 & </b>\n서울") + "</function>\n</tool_call>")
    assert not allows(grammar, text.format("Rio").replace("\n3\n", "\n30\n") + "</function>\n</tool_call>")


def test_marks_that_are_control_tokens_are_not_spelled() -> None:
    lark = calls_of("mistral", TOOLS, parallel=True).as_lark({"[TOOL_CALLS]": 5, "[ARGS]": 9})
    assert '<[5]> "weather" <[9]> %json' in lark


@pytest.mark.parametrize(
    ("form", "tool"), [("one that is only read", function("now")), ("json_tools", function('a"b'))]
)
def test_what_no_grammar_can_say_is_refused(form: str, tool: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMS, "one that is only read", CallForm((Marks("<call>"),), as_json))
    with pytest.raises(CallsNotExpressible, match=r"\.$"):
        calls_source(form, [tool], parallel=True, answer="")
