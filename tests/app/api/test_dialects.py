"""What holds in all four dialects: thoughts, text and calls are apart, whole and streamed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.api.conftest import CALLER, Serve
from tests.app.api.dialects import DIALECTS, Reply
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "서울"}}\n</tool_call>'
NO_CALL = CALL.replace("weather", "whether")
CALLED = ("weather", {"city": "서울"})
TOOLS: list[Any] = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]


@pytest.mark.parametrize(
    ("said", "thoughts", "text"),
    [
        (f"Let me see.\n{CALL}", "", "Let me see.\n"),
        (f"<think>\nWhere?\n</think>\n\nLet me see. {CALL}", "Where?", "Let me see. "),
        # White space beside a call is no part of an answer.
        (f"\n\n{CALL}\n", "", ""),
        (f"<think>\nHm.\n</think>\n\n{CALL}\n", "Hm.", ""),
        # A call of no tool stays text.
        (
            f"First {CALL.replace('weather', 'whether')} then {CALL}",
            "",
            f"First {CALL.replace('weather', 'whether')} then ",
        ),
    ],
    ids=["text", "thoughts", "white space", "white space after thoughts", "no tool"],
)
@pytest.mark.parametrize("name", DIALECTS)
def test_a_call_is_taken_out_of_the_text(serve: Serve, name: str, said: str, thoughts: str, text: str) -> None:
    served, dialect = serve(ScriptedEngine([Script(said)]), CALLER), DIALECTS[name]
    expected = Reply(text, [CALLED], dialect.ends[0], thoughts)
    assert list(dialect.replies(served, "Weather?", TOOLS)) == [expected] * 2


@pytest.mark.parametrize("name", DIALECTS)
def test_thoughts_are_apart_from_the_answer(serve: Serve, name: str) -> None:
    served, dialect = serve(ScriptedEngine([Script("<think>\nHm, four.\n</think>\n\nIt is 4.")])), DIALECTS[name]
    assert list(dialect.replies(served, "2 + 2?", [])) == [Reply("It is 4.", [], dialect.ends[1], "Hm, four.")] * 2
