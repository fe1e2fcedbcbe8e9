"""Thoughts, text and calls are the same whether an answer arrives whole or in the rounds of speculative decoding.

The answers have calls in each form and beside it, with arguments that hold quotes, braces, fences, line breaks, tags,
East Asian text and emoji, between blocks of Markdown that name the functions or begin as calls do.
"""

from __future__ import annotations

import pytest

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form
from tests.app.answers_with_calls import TOOLS, AnswerWithCalls, case_of
from tests.app.random_rounds import in_rounds, starter_tokenizer, token_texts


def differs(case: AnswerWithCalls, seed: int) -> str:
    """Return what the rounds of an answer make different; "" for nothing."""
    pieces = token_texts(case.text, starter_tokenizer())
    whole = AnswerParts(call_form(case.form), TOOLS)
    whole.add("".join(pieces), ended=True, cut=case.cut)
    for most in (1, 4, 16):
        parts = AnswerParts(call_form(case.form), TOOLS)
        deltas = [parts.add(text) for text in in_rounds(pieces, seed, most=most)]
        deltas.append(parts.add("", ended=True, cut=case.cut))
        for field in ("reasoning", "content", "calls", "broken", "unclear"):
            if getattr(parts, field) != getattr(whole, field):
                return f"{field} in rounds of up to {most}"
        if "".join(delta.content for delta in deltas) != whole.content:
            return f"content of the pieces in rounds of up to {most}"
    return ""


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
    assert [differs(AnswerWithCalls("json_tools", text, cut=False), seed) for seed in range(4)] == [""] * 4


def test_a_bracket_after_text_that_is_held_back_begins_no_call() -> None:
    text = "Use\n[now(), now()] and so on"
    assert [differs(AnswerWithCalls("python_list", text, cut=False), seed) for seed in range(4)] == [""] * 4


@pytest.mark.parametrize(
    ("first", "count"), [(0, 12), *(pytest.param(at, 250, marks=pytest.mark.full) for at in range(12, 3012, 250))]
)
def test_answers_are_the_same_in_rounds_and_whole(first: int, count: int) -> None:
    cases = [(seed, case_of(seed)) for seed in range(first, first + count)]
    assert [(seed, case, found) for seed, case in cases if (found := differs(case, seed))] == []
