"""Thoughts, reply and calls of an answer, however its text is cut into pieces."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.answer_parts import AnswerParts
from engine.tool_calls import ToolFormat, tool_format

MARKED = ToolFormat("<tool_call>", "</tool_call>", lambda text, _tools: json.loads(text))
CALL = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
BROKEN = "<tool_call>not a call</tool_call>"


def fed(text: str, cuts: list[int], *, form: ToolFormat | None = MARKED, opening: str = "") -> AnswerParts:
    """The parts of a text that came in pieces; what the pieces gave adds up to them."""
    parts = AnswerParts(form)
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


@given(text=st.text(alphabet="<>/think_tolcal[]{}\n ab", max_size=60), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_no_text_of_a_reply_is_lost_or_said_twice(text: str, cuts: list[int]) -> None:
    parts = fed(text, cuts, form=None)
    if "think" not in text:
        assert parts.content == text
