"""Calls are told while they are written: the name first, then the JSON of the arguments as its text grows."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable

import pytest

from app.text.answer_parts import AnswerParts
from app.text.answer_pieces import Delta
from app.text.growing_calls import CallPiece
from engine.call_forms.form import ToolCall
from engine.call_forms.table import call_form
from engine.grammars.grammar import calls_of
from tests.app.answers_with_calls import READ_HERE, TOOLS, AnswerWithCalls, case_of, grammar_of
from tests.app.random_rounds import in_rounds, starter_tokenizer, token_texts
from tests.engine.call_forms.tagged_texts import LINES, TAGGED, answer, call, file_of
from tests.engine.call_forms.tagged_texts import TOOLS as FILE_TOOLS
from tests.engine.grammars.written_calls import written

# The forms of which texts stream. MiniMax-M3 has nested values, Python's are literals.
STREAMING = [name for name in READ_HERE if name not in ("minimax_m3", "pythonic", "python_list", "olmo3")]
LONG = "\n".join(f"print({line}, 'a \"quoted\" word', '서울 🙂')" for line in range(40))


def deltas_of(
    form: str, pieces: Iterable[str], *, cut: bool = False, tools: list[dict[str, object]] = TOOLS
) -> list[Delta]:
    parts = AnswerParts(call_form(form), tools)
    deltas = [parts.add(piece) for piece in pieces]
    return [*deltas, parts.add("", ended=True, cut=cut)]


def told(deltas: Iterable[Delta]) -> tuple[list[ToolCall], list[ToolCall]]:
    """Return the calls as a program that reads the pieces has them, and those that stayed incomplete."""
    whole, incomplete = list[ToolCall](), list[ToolCall]()
    open_call: list[CallPiece] = []
    for delta in deltas:
        if delta.resumed is not None:
            assert open_call, "a call goes on that has not begun"
            open_call.append(delta.resumed)
            if delta.resumed.end:
                call = ToolCall(open_call[0].name, "".join(piece.arguments for piece in open_call))
                (whole if delta.resumed.end == "whole" else incomplete).append(call)
                open_call = []
        whole += delta.untold_calls
        if delta.begun is not None:
            assert not open_call, "a call begins within another one"
            open_call = [delta.begun]
    assert not open_call, "a call has no end"
    return whole, incomplete


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_the_function_is_known_while_its_call_is_written() -> None:
    parts = AnswerParts(call_form("json_tools"), TOOLS)
    name = TOOLS[0]["function"]["name"]
    called = []
    for piece in ("Let me see. ", "<tool_call>", f'\n{{"name": "{name}", ', '"arguments": {', "}}\n</tool_call>"):
        parts.add(piece)
        called.append(parts.called)
    assert called == ["", "", "", name, ""]


def problem_of(case: AnswerWithCalls, seed: int) -> str:
    """Return what is wrong with the pieces of an answer's calls in rounds; "" for nothing."""
    texts = token_texts(case.text, starter_tokenizer())
    whole = AnswerParts(call_form(case.form), TOOLS)
    whole.add("".join(texts), ended=True, cut=case.cut)
    for most in (1, 4, 16):
        deltas = deltas_of(case.form, in_rounds(texts, seed, most=most), cut=case.cut)
        calls, incomplete = told(deltas)
        if calls != whole.calls:
            return f"calls in rounds of up to {most}: {calls}"
        if any(is_json(call.arguments) for call in incomplete):
            return f"a call that is none in rounds of up to {most}: {incomplete}"
    return ""


@pytest.mark.parametrize(
    ("first", "count"), [(0, 12), *(pytest.param(at, 250, marks=pytest.mark.full) for at in range(12, 3012, 250))]
)
def test_pieces_make_up_the_calls_of_the_whole_answer(first: int, count: int) -> None:
    cases = [(seed, case_of(seed)) for seed in range(first, first + count)]
    assert [(seed, case, problem) for seed, case in cases if (problem := problem_of(case, seed))] == []


@pytest.mark.parametrize("form", LINES)
def test_line_breaks_next_to_tags_are_told_as_the_whole_call_has_them(form: str) -> None:
    draw = random.Random(26)
    for _ in range(100):
        content = "".join(draw.choices(["\r", "\n", "\r\n", "a", "</", "</parameter>"], k=draw.randrange(6)))
        text = answer(form, call(form, content=content, path="a.md", mode="7"))
        text = draw.choice([text, text.replace("\n", "\r\n")])
        cuts = sorted(draw.sample(range(len(text)), 40))
        pieces = [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        whole = AnswerParts(call_form(form), FILE_TOOLS)
        whole.add(text, ended=True)
        for parts in (pieces, list(text)):
            deltas = deltas_of(form, parts, tools=FILE_TOOLS)
            assert told(deltas) == (whole.calls, [])
        assert len(whole.calls) == 1


@pytest.mark.parametrize("form", READ_HERE)
def test_calls_that_follow_their_grammar_become_whole(form: str) -> None:
    for seed in range(6):
        text = written(grammar_of(form), random.Random(seed), plain=True)
        _, incomplete = told(deltas_of(form, in_rounds(token_texts(text, starter_tokenizer()), seed, most=4)))
        assert incomplete == [], text


@pytest.mark.parametrize("form", STREAMING)
def test_a_long_text_is_told_while_it_is_written(form: str) -> None:
    text = _long_call(form)
    deltas = deltas_of(form, in_rounds(token_texts(text, starter_tokenizer()), 3, most=8), tools=FILE_TOOLS)
    begun = next(index for index, delta in enumerate(deltas) if delta.begun is not None)
    silent = max(sum(1 for _ in run) for run in _runs_of_silence(deltas[begun:]))
    assert told(deltas) == (
        [ToolCall("write_file", json.dumps({"path": "a.md", "content": LONG}, ensure_ascii=False))],
        [],
    )
    assert begun < len(deltas) / 3
    assert silent < 20


def _long_call(form: str) -> str:
    """Return the call that writes LONG, as the form's models write it."""
    if form in TAGGED:
        return file_of(form, LONG)
    quote = {"gemma4": '<|"|>', "function_gemma": "<escape>"}.get(form)
    short = written(calls_of(form, [_fixed()], parallel=False), random.Random(1), plain=True)
    if quote:
        return short.replace(f"{quote}VALUE{quote}", f"{quote}{LONG}{quote}").replace("PATH", "a.md")
    assert '"VALUE"' in short
    return short.replace('"VALUE"', json.dumps(LONG, ensure_ascii=False)).replace("PATH", "a.md")


def _fixed() -> dict[str, object]:
    """Return the function that writes a file, with a single value for each argument."""
    properties = {"path": {"const": "PATH"}, "content": {"const": "VALUE"}}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": ["path", "content"],
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": "write_file", "parameters": parameters}}


def _runs_of_silence(deltas: list[Delta]) -> Iterable[list[Delta]]:
    """Return the runs of deltas that add nothing."""
    run = list[Delta]()
    for delta in deltas:
        if delta.resumed is not None or delta.begun is not None:
            yield run
            run = []
        else:
            run.append(delta)
    yield run
