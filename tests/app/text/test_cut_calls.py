"""Answers that the limit of tokens, a stop or a person ends within a call: no part of the call is text, nor a call."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import FORMS, call_form
from engine.grammars.grammar import calls_of
from tests.engine.grammars.written_calls import function, written

TOOLS = [
    function("weather", city={"type": "string"}, days={"type": "integer", "minimum": 1, "maximum": 9}),
    function("hint", text_maybe={"type": "string"}),
]
# Where each of these is before the call, and what of it is text.
BEFORE = {
    "": "",
    "I look it up.\n\n": "I look it up.",
    "<think>\nHm.\n</think>\n\n": "",
    "<think>\nHm.\n</think>\n\nI look.\n": "I look.",
}
# After words, these calls are found without marks, so that what there is of one may be text.
ONLY_FIRST = ("python_list", "json_list")
# A thought in the form of messages.
HARMONY = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"


@cache
def call_in(form: str, seed: int) -> str:
    """Return a call in this form, with any texts, without a thought before it, as messages may have one."""
    draw = random.Random(seed)
    grammar = calls_of(form, TOOLS, parallel=False)
    while True:
        # No text of a message has its control tokens in it.
        text = written(grammar, draw, plain=seed % 2 == 0 or form == "harmony")
        parts = AnswerParts(call_form(form), TOOLS)
        parts.add(text, ended=True)
        if parts.calls and not parts.content.strip() and not parts.reasoning:
            return text


def beginnings(form: str) -> Iterator[tuple[str, str]]:
    """Yield texts before a call in this form, and what of them is no thought."""
    if form == "harmony":
        yield HARMONY, ""
        return
    for before, text in BEFORE.items():
        if form not in ONLY_FIRST or not text:
            yield before, text


def cut(form: str, text: str, places: tuple[int, ...] = ()) -> AnswerParts:
    """Return the parts of an answer that was cut, whose text came in pieces."""
    parts = AnswerParts(call_form(form), TOOLS)
    deltas, start = [], 0
    for place in (*places, len(text)):
        deltas.append(parts.add(text[start:place]))
        start = place
    deltas.append(parts.add("", ended=True, cut=True))
    assert "".join(delta.content for delta in deltas) == parts.content
    return parts


def is_no_sign(text: str) -> bool:
    """Return whether a text may be a word, although it is also the beginning of a mark, such as `Action:`."""
    return not text or text.isalnum()


def assert_nothing_of_a_cut_call_is_text(form: str, data: st.DataObject, seeds: st.SearchStrategy[int]) -> None:
    call = call_in(form, data.draw(seeds, label="seed"))
    before, text = data.draw(st.sampled_from(list(beginnings(form))), label="before the call")
    whole = before + call[: data.draw(st.integers(1, len(call) - 1), label="characters of the call")]
    places = data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=3, unique=True).map(sorted), label="cuts")
    parts = cut(form, whole, tuple(places))
    shown = parts.content.strip()
    assert shown.startswith(text)
    assert is_no_sign(shown.removeprefix(text).strip()), whole
    assert parts.reasoning == ("Hm." if "Hm." in before else "")


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=10)
@given(data=st.data())
def test_nothing_of_a_call_that_was_cut_is_text(form: str, data: st.DataObject) -> None:
    assert_nothing_of_a_cut_call_is_text(form, data, st.just(0))


@pytest.mark.full
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=150)
@given(data=st.data())
def test_nothing_of_many_calls_that_were_cut_is_text(form: str, data: st.DataObject) -> None:
    assert_nothing_of_a_cut_call_is_text(form, data, st.integers(0, 6))


def test_a_call_that_was_cut_in_its_end_mark_is_whole() -> None:
    call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rio", "days": 2}}\n</tool_call>'
    for end in range(call.index("</"), len(call) + 1):
        assert len(cut("json_tools", call[:end]).calls) == 1


@pytest.mark.parametrize("form", [name for name, form in FORMS.items() if form.separate and form.tags is None])
def test_a_whole_call_before_one_that_was_cut_counts(form: str) -> None:
    first, second = call_in(form, 0), call_in(form, 2)
    for end in range(1, len(second), 7):
        parts = cut(form, f"I look.\n{first}\n{second[:end]}")
        assert (len(parts.calls) >= 1, parts.content.strip()) == (True, "I look.")


@pytest.mark.parametrize("form", ["qwen3_coder", "deepseek_v4", "minimax_m3"])
def test_of_calls_with_tags_none_counts_if_the_last_one_was_cut(form: str) -> None:
    text = f"I look.\n{call_in(form, 0)}\n{call_in(form, 2)}"
    parts = cut(form, text[:-20])
    assert (parts.calls, parts.content.strip()) == ([], "I look.")


# Answers with calls in them that are none; the tools are called `weather` and `hint`.
MENTIONS = [
    "A call begins with <tool_call> and a brace, such as { or [, and ends with </tool_call>. That is all.",
    'Use it so:\n\n```xml\n<tool_call>\n{"name": "weather", "arguments": {"city": "Ri',
    'Use it so:\n~~~\n<tool_call>\n{"name": "weather", "arguments": {"city": "Ri',
    'Write `<tool_call>{"name": "weather", "arguments": {"city": "Ri',
    '<tool_call>\n{"name": "other", "arguments": {"city": "Ri',
    '<tool_call>{"name": "weather"} is how a call begins, and the mark',
    "<tool_call> weather is what I would call",
    '<tool_call>\n{"city": "Rio", "name": "w',
    "a < b <tool",
    "A tag such as <div",
    "5 < 6",
]


@pytest.mark.parametrize("text", MENTIONS)
def test_a_text_that_only_mentions_a_call_stays_where_it_is_cut(text: str) -> None:
    draw = random.Random(3)
    for _ in range(10):
        assert cut("json_tools", text, tuple(sorted(draw.sample(range(len(text)), 3)))).content == text


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("json_tools", '{"name": "weather", "arguments": {"city": "R'),
        ("json_tools", '```json\n{"name": "weather", "arguments": {"city": "R'),
        ("json_tools", 'weather(city="R'),
        ("llama_json", '{"city": "Rio", "da'),
        ("llama_json", '{"name": "Ann", "parameters": {"city": "R'),
        ("python_list", "[1, 2"),
        ("python_list", "[weather](https://exam"),
        ("functools", "functools and more"),
        ("command_r", "Action: I go"),
        ("qwen3_coder", "<function=f>\n<parameter=a>\n1"),
        ("glm47", "<tool_call>other\n<arg_key>city</arg_key>\n<arg_value>R"),
        ("mistral", "[TOOL_CALLS]other[ARGS]{"),
    ],
)
def test_a_text_without_the_marks_of_its_form_or_for_another_function_stays(form: str, text: str) -> None:
    parts = cut(form, text, (3, 7))
    assert (parts.calls, parts.content) == ([], text)


def test_without_tools_the_marks_are_text() -> None:
    text = '<tool_call>\n{"name": "weather", "arguments": {"city": "R'
    parts = AnswerParts()
    parts.add(text, ended=True, cut=True)
    assert parts.content == text


@pytest.mark.parametrize("form", ["json_tools", "qwen3_coder", "glm47", "gemma4", "pythonic", "kimi_k2"])
def test_nothing_of_a_call_that_was_cut_is_a_thought(form: str) -> None:
    call = call_in(form, 0)
    for end in range(len(call_form(form).marks[0].start), len(call), 5):
        parts = cut(form, f"<think>\nHm.\n{call[:end]}")
        assert (parts.reasoning, parts.content.strip()) == ("Hm.", "")


def test_a_call_in_another_form_that_was_cut_is_no_text() -> None:
    parts = cut("json_tools", 'I look.\n<function=weather>{"city": "Ri')
    assert (parts.calls, parts.content, parts.broken) == ([], "I look.", True)


@pytest.mark.parametrize("text", ["<|channel|>comm", "<|channel|>commentary to=functions.weather <|constrain|>js"])
def test_a_header_that_was_cut_is_no_text(text: str) -> None:
    assert cut("harmony", text).content == ""
