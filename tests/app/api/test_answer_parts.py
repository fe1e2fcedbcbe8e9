"""Thoughts, reply and calls of an answer, however its text is cut into pieces."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.answer_parts import AnswerParts
from engine.tokenizers.tool_calls import ToolFormat, tool_format

MARKED = ToolFormat("<tool_call>", "</tool_call>", lambda text, _tools: json.loads(text))
CALL = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
WRONG = '<tool_call>{"name": "g", "arguments": {"a": 1}}</tool_call>'
TOOLS = [{"type": "function", "function": {"name": "f"}}]
BROKEN = "<tool_call>not a call</tool_call>"


def fed(text: str, cuts: list[int], *, form: ToolFormat | None = MARKED, opening: str = "") -> AnswerParts:
    """The parts of a text that came in pieces; what the pieces gave adds up to them."""
    parts = AnswerParts(form, TOOLS)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    deltas = [parts.add(text[start:end], opening) for start, end in itertools.pairwise(places)]
    deltas.append(parts.add("", opening, ended=True))
    assert "".join(delta.content for delta in deltas) == parts.content
    assert "".join(delta.reasoning for delta in deltas) == parts.reasoning
    assert [call for delta in deltas for call in delta.calls] == parts.calls
    return parts


@pytest.mark.parametrize(
    ("text", "opening", "reasoning", "content", "calls"),
    [
        ("It is 4.", "", "", "It is 4.", 0),
        ("<think>\nHm.\n</think>\n\nIt is 4.", "", "Hm.", "It is 4.", 0),
        ("Hm.\n</think>\n\nIt is 4.", "<think>\n", "Hm.", "It is 4.", 0),
        (f"Look: {CALL} and {CALL}", "", "", "Look:  and ", 2),
        (f"<think>\nHm.\n</think>\n\n{CALL}", "", "Hm.", "", 1),
        (f"So: {BROKEN}{CALL}", "", "", f"So: {BROKEN}", 1),
        (f"So: {WRONG} or {CALL}.", "", "", f"So: {WRONG} or .", 1),
        (f"{CALL}{WRONG}{WRONG}", "", "", f"{WRONG}{WRONG}", 1),
        (WRONG[:-4], "", "", WRONG[:-4], 0),
        ("a < b <tool", "", "", "a < b <tool", 0),
        ("<tool_call>never ends", "", "", "<tool_call>never ends", 0),
    ],
)
@settings(max_examples=30)
@given(cuts=st.lists(st.integers(0, 200), max_size=8))
def test_the_parts_do_not_depend_on_the_pieces(
    text: str, opening: str, reasoning: str, content: str, calls: int, cuts: list[int]
) -> None:
    parts = fed(text, cuts, opening=opening)
    assert (parts.reasoning, parts.content, len(parts.calls)) == (reasoning, content, calls)


def test_a_call_without_an_end_runs_to_the_end_of_the_answer() -> None:
    parts = fed('[TOOL_CALLS][{"name": "f", "arguments": {}}]', [5, 20], form=tool_format("mistral"))
    assert [(call.name, call.arguments) for call in parts.calls] == [("f", "{}")]
    assert parts.content == ""


@pytest.mark.parametrize(
    ("written", "calls", "content"),
    [
        ('f[CALL_ID]123456789[ARGS]{"a": 1}', [("f", '{"a": 1}')], ""),
        (
            'f[CALL_ID]123456789[ARGS]{"a": 1}[TOOL_CALLS]f[CALL_ID]123456789[ARGS]{"a": 2}\nf[ARGS]{}',
            [("f", '{"a": 1}'), ("f", '{"a": 2}'), ("f", "{}")],
            "",
        ),
        (
            'f[CALL_ID]123456789[ARGS]{"a": "f[CALL_ID]1[ARGS]{}"}',
            [("f", '{"a": "f[CALL_ID]1[ARGS]{}"}')],
            "",
        ),
        (
            '[{"name": "f", "arguments": {"a": "f[CALL_ID]1[ARGS]{}"}}]',
            [("f", '{"a": "f[CALL_ID]1[ARGS]{}"}')],
            "",
        ),
        ("g[CALL_ID]123456789[ARGS]{}", [], "[TOOL_CALLS]g[CALL_ID]123456789[ARGS]{}"),
        ("f[CALL_ID]123456789[ARGS]{", [], "[TOOL_CALLS]f[CALL_ID]123456789[ARGS]{"),
        # Which part of the text is the wrong one, the parsers do not say.
        ("f[ARGS]{}[TOOL_CALLS]g[ARGS]{}", [("f", "{}")], "[TOOL_CALLS]f[ARGS]{}[TOOL_CALLS]g[ARGS]{}"),
    ],
)
@settings(max_examples=10)
@given(cuts=st.lists(st.integers(0, 200), max_size=8))
def test_a_call_of_mistral_has_the_name_before_its_id(
    written: str, calls: list[tuple[str, str]], content: str, cuts: list[int]
) -> None:
    parts = fed(f"So: [TOOL_CALLS]{written}", cuts, form=tool_format("mistral"))
    assert [(call.name, call.arguments) for call in parts.calls] == calls
    assert parts.content == f"So: {content}"


def test_a_long_text_that_is_no_call_is_read_at_once() -> None:
    assert tool_format("mistral").calls("a" * 2**20, TOOLS) == ([], False)


def test_without_tools_nothing_is_a_call() -> None:
    parts = AnswerParts(MARKED)
    assert parts.add(CALL, ended=True).content == CALL
    assert parts.calls == []


@given(text=st.text(alphabet="<>/think_tolcal[]{}\n ab", max_size=60), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_no_text_of_a_reply_is_lost_or_said_twice(text: str, cuts: list[int]) -> None:
    parts = fed(text, cuts, form=None)
    if "think" not in text:
        assert parts.content == text
