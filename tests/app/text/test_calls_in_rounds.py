"""Thoughts, text and calls are the same whether an answer arrives whole or in the rounds of speculative decoding.

The answers have calls in each form and beside it, with arguments that hold quotes, braces, fences, line breaks, tags,
East Asian text and emoji, between blocks of Markdown that name the functions or begin as calls do.
"""

from __future__ import annotations

import random

import pytest

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form
from tests.app.answers_with_calls import READ_HERE, TOOLS, AnswerWithCalls, case_of, grammar_of, unended_case_of
from tests.app.random_rounds import in_rounds, starter_tokenizer, token_texts
from tests.engine.grammars.written_calls import written


def differs(case: AnswerWithCalls, seed: int) -> str:
    """Return what the rounds of an answer make different; "" for nothing."""
    pieces = token_texts(case.text, starter_tokenizer())
    whole = AnswerParts(call_form(case.form), TOOLS)
    shown = whole.add("".join(pieces), ended=True, cut=case.cut).shown
    for most in (1, 4, 16):
        parts = AnswerParts(call_form(case.form), TOOLS)
        deltas = [parts.add(text) for text in in_rounds(pieces, seed, most=most)]
        deltas.append(parts.add("", ended=True, cut=case.cut))
        for field in ("reasoning", "content", "calls", "broken", "unclear", "thinking"):
            if getattr(parts, field) != getattr(whole, field):
                return f"{field} in rounds of up to {most}"
        if "".join(delta.content for delta in deltas) != whole.content:
            return f"content of the pieces in rounds of up to {most}"
        if "".join(delta.shown for delta in deltas) != shown:
            return f"shown text in rounds of up to {most}"
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
    assert [differs(AnswerWithCalls("json_tools", text, cut=False), seed) for seed in range(4)] == [""] * 4


@pytest.mark.parametrize("form", READ_HERE)
def test_a_call_in_each_form_counts_in_thoughts_that_never_end(form: str) -> None:
    draw = random.Random(5)
    texts = [f"<think>\nHm.\n{written(grammar_of(form), draw, plain=True)}" for _ in range(3)]
    answers = [AnswerParts(call_form(form), TOOLS) for _ in texts]
    for answer, text in zip(answers, texts, strict=True):
        answer.add(text, ended=True)
        assert differs(AnswerWithCalls(form, text, cut=False), seed=5) == ""
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
    assert [differs(AnswerWithCalls(form, text, cut=cut), seed) for seed in range(4)] == [""] * 4


@pytest.mark.parametrize("form", READ_HERE)
@pytest.mark.parametrize("closing", ["</think>", "[/THINK]", "<channel|>"])
def test_a_mark_that_closes_no_thoughts_is_text_in_any_rounds(form: str, closing: str) -> None:
    call = written(grammar_of(form), random.Random(5), plain=True)
    for text in (f"Hm.\n{closing}\n\nSo.", f"Hm.\n{closing}\n\nSo.\n{call}", f"\n{closing}\n\n{call}"):
        whole = AnswerParts(call_form(form), TOOLS)
        whole.add(text, ended=True)
        assert not whole.reasoning
        assert differs(AnswerWithCalls(form, text, cut=False), seed=5) == ""


@pytest.mark.parametrize(
    ("first", "count"), [(0, 12), *(pytest.param(at, 250, marks=pytest.mark.full) for at in range(12, 2012, 250))]
)
def test_thoughts_that_never_end_are_the_same_in_rounds_and_whole(first: int, count: int) -> None:
    cases = [(seed, unended_case_of(seed)) for seed in range(first, first + count)]
    assert [(seed, case, found) for seed, case in cases if (found := differs(case, seed))] == []
