"""Thoughts, text and calls are the same whether an answer arrives whole or in the rounds of speculative decoding.

The answers have calls in each form and beside it, with arguments that hold quotes, braces, fences, line breaks, tags,
East Asian text and emoji, between blocks of Markdown that name the functions or begin as calls do.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form
from tests.app.answers_with_calls import READ_HERE, TOOLS, AnswerWithCalls, grammar_of
from tests.app.text.drawn_rounds import (
    FEW,
    MANY,
    CallsInRounds,
    answers_with_calls,
    calls_in,
    thoughts_with_calls,
)
from tests.engine.grammars.written_calls import written


def assert_is_the_same_as_whole(answer: CallsInRounds) -> None:
    whole = AnswerParts(call_form(answer.form), TOOLS)
    shown = whole.add("".join(answer.rounds), ended=True, cut=answer.cut).shown
    parts = AnswerParts(call_form(answer.form), TOOLS)
    deltas = [parts.add(text) for text in answer.rounds]
    deltas.append(parts.add("", ended=True, cut=answer.cut))
    for field in ("reasoning", "content", "calls", "broken", "unclear", "thinking"):
        assert getattr(parts, field) == getattr(whole, field), field
    assert "".join(delta.content for delta in deltas) == whole.content
    assert "".join(delta.shown for delta in deltas) == shown


def assert_is_the_same_in_rounds(form: str, text: str, *, cut: bool = False) -> None:
    """Check an answer in single tokens, in rounds of a few, and in rounds of many."""
    for sizes in ([1], [3, 1, 4, 2], [2, 16, 7, 11]):
        assert_is_the_same_as_whole(calls_in(AnswerWithCalls(form, text, cut=cut), sizes))


@FEW
@given(answer=answers_with_calls)
def test_answers_are_the_same_in_rounds_and_whole(answer: CallsInRounds) -> None:
    assert_is_the_same_as_whole(answer)


@FEW
@given(answer=thoughts_with_calls)
def test_thoughts_that_never_end_are_the_same_in_rounds_and_whole(answer: CallsInRounds) -> None:
    assert_is_the_same_as_whole(answer)


@pytest.mark.full
@MANY
@given(answer=st.one_of(answers_with_calls, thoughts_with_calls))
def test_many_answers_are_the_same_in_rounds_and_whole(answer: CallsInRounds) -> None:
    assert_is_the_same_as_whole(answer)


@pytest.mark.parametrize(
    "text",
    [
        # Each was text in rounds, or lost a line break.
        '**Tool call:** `weather({"city": "Rio", "days": 5})`',
        'Look.\n\nfunctions.weather({"city": "Rio", "days": 7})',
        'I call it now: \n\n<tool_call>\n{"name": "weather", "arguments": {"city": "Rio", "days": 4}}}\n</tool_call>',
        'Look:\nweather\n{"city": "Rio", "days": 7}',
        'Code: ```\nx\n```\n~~~\ny\n~~~\n{"name": "weather", "arguments": {"city": "Rio", "days": 4}}}',
    ],
)
def test_a_call_beside_the_form_is_one_in_any_rounds(text: str) -> None:
    whole = AnswerParts(call_form("json_tools"), TOOLS)
    whole.add(text, ended=True)
    assert len(whole.calls) == 1
    assert_is_the_same_in_rounds("json_tools", text)


def test_a_bracket_after_text_that_is_held_back_begins_no_call() -> None:
    text = "Use\n[now(), now()] and so on"
    assert_is_the_same_in_rounds("python_list", text)


CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rio", "days": 4}}\n</tool_call>'


@pytest.mark.parametrize(
    ("thought", "calls", "reasoning"),
    [
        # A mark that is only mentioned was not held back, so it ends nowhere.
        (f"weather({{\n<tool_call>, as I said:\n{CALL}", 1, "weather({\n<tool_call>, as I said:"),
        (f"`<tool_call>` comes first:\n{CALL}", 1, "`<tool_call>` comes first:"),
        # One that may begin a call goes on to its end.
        (f"<tool_call>{{\n{CALL}", 0, f"<tool_call>{{\n{CALL}"),
        (f"<tool_call>\n```json\n{CALL[12:-13]}\n```\n</tool_call>", 1, ""),
    ],
)
def test_a_call_in_thoughts_that_never_end_is_one_in_any_rounds(thought: str, calls: int, reasoning: str) -> None:
    text = f"<think>\n{thought}"
    whole = AnswerParts(call_form("json_tools"), TOOLS)
    whole.add(text, ended=True)
    assert (len(whole.calls), whole.reasoning) == (calls, reasoning)
    assert_is_the_same_in_rounds("json_tools", text)


@pytest.mark.full
@pytest.mark.parametrize("form", READ_HERE)
def test_a_call_in_each_form_counts_in_thoughts_that_never_end(form: str) -> None:
    draw = random.Random(5)
    texts = [f"<think>\nHm.\n{written(grammar_of(form), draw, plain=True)}" for _ in range(3)]
    answers = [AnswerParts(call_form(form), TOOLS) for _ in texts]
    for answer, text in zip(answers, texts, strict=True):
        answer.add(text, ended=True)
        assert_is_the_same_as_whole(calls_in(AnswerWithCalls(form, text, cut=False), [3, 1, 4, 2]))
    # Some forms have marks only at the beginning of a reply.
    marks = [mark.start for mark in call_form(form).marks if not mark.first]
    assert any(answer.calls for answer in answers) is any(mark in texts[0] for mark in marks)


DSML_CALL = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'


@pytest.mark.parametrize(
    ("form", "text", "cut"),
    [
        # What begins a mark behind a call was text unless the call had come in a piece before.
        ("json_tools", f"{CALL} and <tool_", True),
        # The end mark of what is no call looks like the beginning of a mark.
        ("command_r", "<think>\nAction:\n```json now(\n Action:\n```json\n[]\n```", True),
        # A header without the end of the message before it was a part of the thoughts.
        ("harmony", "<|channel|>analysis<|message|>Hm.\n<|channel|>analysis<|message|>So.<|end|>", False),
        # White space below thoughts was shown twice.
        ("json_tools", f"<think>\nHm.\n</think>\n\n \n\n{CALL}", False),
        # The last paragraph of thoughts was found again in what may begin the closing mark.
        ("json_tools", f"<think>\nHm.\n\n{CALL} so\n\n<\n\n{CALL}", False),
        ("deepseek_v4", f"<|channel>thought\nHm. \n\n\n{DSML_CALL}```json\n```\n\n<\n\n{DSML_CALL}", False),
        # A call in thoughts that had ended was one if others followed, unless the first had come in a piece before.
        ("json_tools", f"<think>\nHm.\n{CALL}\n</think>\n<think>\nSo.", False),
        ("json_tools", f"<think>\nHm.\n</think>\n<think>\n{CALL}", False),
        # The closing mark was shown, unless all came in one piece.
        ("json_tools", "<think>\nHm.\n</think>\n<think>\n", False),
        ("json_tools", "<think>\n</think>\n<think>\n", False),
        # The mark of a reply was not shown if the reply began with what may be a mark.
        ("json_tools", f"<think>\n<|START_RESPONSE|>{CALL} so", False),
        # Thoughts were lost if a reply began in those after them.
        ("json_tools", "<think>\nHm.\n</think>\n<think>\n<response>So.</response>", False),
        # A reply was a thought if thoughts came after it.
        ("json_tools", "<think>\n<response>So.</think><think>Hm.", False),
    ],
)
def test_it_does_not_matter_in_which_pieces_an_answer_ends(form: str, text: str, cut: bool) -> None:
    assert_is_the_same_in_rounds(form, text, cut=cut)


CLOSINGS = ("</think>", "[/THINK]", "<channel|>")


@pytest.mark.full
@pytest.mark.parametrize(
    ("form", "closing"),
    [
        pytest.param(form, closing, marks=() if (number - other) % len(CLOSINGS) == 0 else pytest.mark.full)
        for number, form in enumerate(READ_HERE)
        for other, closing in enumerate(CLOSINGS)
    ],
)
def test_a_mark_that_closes_no_thoughts_is_text_in_any_rounds(form: str, closing: str) -> None:
    call = written(grammar_of(form), random.Random(5), plain=True)
    for text in (f"Hm.\n{closing}\n\nSo.", f"Hm.\n{closing}\n\nSo.\n{call}", f"\n{closing}\n\n{call}"):
        whole = AnswerParts(call_form(form), TOOLS)
        whole.add(text, ended=True)
        assert not whole.reasoning
        assert_is_the_same_as_whole(calls_in(AnswerWithCalls(form, text, cut=False), [3, 1, 4, 2]))
