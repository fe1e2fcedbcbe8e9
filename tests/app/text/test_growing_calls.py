"""Calls are told while they are written: the name first, then the JSON of the arguments as its text grows."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable

import pytest
from hypothesis import given

from app.text.answer_parts import AnswerParts
from app.text.answer_pieces import Delta
from app.text.growing_calls import CallPiece
from engine.call_forms.form import ToolCall
from engine.call_forms.table import call_form
from engine.grammars.grammar import calls_of
from tests.app.answers_with_calls import READ_HERE, TOOLS, grammar_of
from tests.app.text.drawn_rounds import FEW, MANY, CallsInRounds, answers_with_calls, rounds_of_sizes
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


def assert_pieces_make_up_the_calls(answer: CallsInRounds) -> None:
    whole = AnswerParts(call_form(answer.form), TOOLS)
    whole.add("".join(answer.rounds), ended=True, cut=answer.cut)
    calls, incomplete = told(deltas_of(answer.form, answer.rounds, cut=answer.cut))
    assert calls == whole.calls
    assert not any(is_json(call.arguments) for call in incomplete)


@FEW
@given(answer=answers_with_calls)
def test_pieces_make_up_the_calls_of_the_whole_answer(answer: CallsInRounds) -> None:
    assert_pieces_make_up_the_calls(answer)


@pytest.mark.full
@MANY
@given(answer=answers_with_calls)
def test_pieces_make_up_the_calls_of_many_answers(answer: CallsInRounds) -> None:
    assert_pieces_make_up_the_calls(answer)


@pytest.mark.parametrize("form", LINES)
def test_line_breaks_next_to_tags_are_told_as_the_whole_call_has_them(form: str) -> None:
    draw = random.Random(26)
    for _ in range(30):
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


@pytest.mark.full
@pytest.mark.parametrize("form", READ_HERE)
def test_calls_that_follow_their_grammar_become_whole(form: str) -> None:
    for seed in range(3):
        text = written(grammar_of(form), random.Random(seed), plain=True)
        _, incomplete = told(deltas_of(form, rounds_of_sizes(text, [3, 1, 4, 2])))
        assert incomplete == [], text


@pytest.mark.parametrize("form", STREAMING)
def test_a_long_text_is_told_while_it_is_written(form: str) -> None:
    text = _long_call(form)
    deltas = deltas_of(form, rounds_of_sizes(text, [5, 1, 8, 2]), tools=FILE_TOOLS)
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
