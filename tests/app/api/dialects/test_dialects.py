"""What holds in all four dialects: thoughts, text and calls are apart, whole and streamed."""

from __future__ import annotations

from typing import Any

import pytest

from engine.grammars.grammar import calls_in_text
from tests.app.api.conftest import CALLER, Serve
from tests.app.api.every_dialect import DIALECTS, DialectReply
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.engine.tiers import in_turn

CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "서울"}}\n</tool_call>'
NO_CALL = CALL.replace("weather", "whether")
CALLED = ("weather", {"city": "서울"})
TOOLS: list[Any] = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]


@pytest.mark.parametrize(
    ("name", "said", "thoughts", "text"),
    in_turn(
        DIALECTS,
        [
            (f"Let me see.\n{CALL}", "", "Let me see.\n"),
            (f"<think>\nWhere?\n</think>\n\nLet me see. {CALL}", "Where?", "Let me see. "),
            # White space beside a call is no part of an answer.
            (f"\n\n{CALL}\n", "", ""),
            (f"<think>\nHm.\n</think>\n\n{CALL}\n", "Hm.", ""),
            # A call of no tool stays text.
            (f"First {NO_CALL} then {CALL}", "", f"First {NO_CALL} then "),
        ],
    ),
)
def test_a_call_is_taken_out_of_the_text(serve: Serve, name: str, said: str, thoughts: str, text: str) -> None:
    served, dialect = serve(ScriptedEngine([Script(said)]), CALLER), DIALECTS[name]
    expected = DialectReply(text, [CALLED], dialect.ends[0], thoughts)
    assert list(dialect.replies(served, "Weather?", TOOLS)) == [expected] * 2


@pytest.mark.parametrize("name", DIALECTS)
def test_thoughts_are_apart_from_the_answer(serve: Serve, name: str) -> None:
    served, dialect = serve(ScriptedEngine([Script("<think>\nHm, four.\n</think>\n\nIt is 4.")])), DIALECTS[name]
    assert (
        list(dialect.replies(served, "2 + 2?", [])) == [DialectReply("It is 4.", [], dialect.ends[1], "Hm, four.")] * 2
    )


@pytest.mark.parametrize(
    ("name", "said"),
    in_turn(
        DIALECTS,
        [
            'Calling tool: weather({"city": "서울"})',
            '{"name": "weather", "arguments": {"city": "서울"}}}',
            '```json\n{"name": "weather", "arguments": {"city": "서울"}}\n```',
            CALL.replace("}}", "}}}"),
        ],
    ),
)
def test_what_is_almost_a_call_is_one_where_a_tool_was_offered(serve: Serve, name: str, said: str) -> None:
    served, dialect = serve(ScriptedEngine([Script(said)]), CALLER), DIALECTS[name]
    assert list(dialect.replies(served, "Weather?", TOOLS)) == [DialectReply("", [CALLED], dialect.ends[0])] * 2
    assert list(dialect.replies(served, "Weather?", [])) == [DialectReply(said, [], dialect.ends[1])] * 2


@pytest.mark.parametrize(
    ("name", "said"), in_turn(DIALECTS, [CALL[:40], '{"name": "weather", "arguments": {"city": "서', CALL[:-15]])
)
def test_a_call_that_does_not_end_was_cut(serve: Serve, name: str, said: str) -> None:
    served, dialect = serve(ScriptedEngine([Script(said)]), CALLER), DIALECTS[name]
    for reply in dialect.replies(served, "Weather?", TOOLS):
        assert (reply.calls, reply.reason) == ([], dialect.ends[2])


@pytest.mark.parametrize(
    ("script", "kinds"),
    [
        (Script("<think>\nHm, fo", reason="length"), [("reasoning", "incomplete")]),
        (Script("<think>\nHm, four."), [("reasoning", "incomplete")]),
        (
            Script("<think>\nHm.\n</think>\n\nIt", reason="length"),
            [("reasoning", "completed"), ("message", "incomplete")],
        ),
        (Script("<think>\nHm.\n</think>\n\nIt is."), [("reasoning", "completed"), ("message", "completed")]),
    ],
)
def test_an_item_that_was_cut_is_incomplete(serve: Serve, script: Script, kinds: list[tuple[str, str]]) -> None:
    served = serve(ScriptedEngine([script]))
    *_, last = served.events("/v1/responses", {"input": "2 + 2?"})
    for answer in (served.post("/v1/responses", {"input": "2 + 2?"}).json(), last["response"]):
        assert [(item["type"], item["status"]) for item in answer["output"]] == kinds


@pytest.mark.parametrize(("name", "said"), in_turn(DIALECTS, [CALL, 'Calling tool: weather({"city": "서울"})']))
def test_a_model_whose_template_knows_no_tools_can_call_them(serve: Serve, name: str, said: str) -> None:
    engine = ScriptedEngine([Script(said)])
    served, dialect = serve(engine), DIALECTS[name]
    assert list(dialect.replies(served, "Weather?", TOOLS)) == [DialectReply("", [CALLED], dialect.ends[0])] * 2
    assert [tool["function"]["name"] for tool in engine.requests[-1].tools] == ["weather"]
    assert engine.requests[-1].grammar == calls_in_text("json_tools", engine.requests[-1].tools, parallel=True)


@pytest.mark.parametrize(
    ("name", "said", "thoughts"),
    in_turn(
        DIALECTS,
        [
            ("<think></think>\n<think>again</think>\n\nIt is 4.", "again"),
            ("<think>\nHm.\n</think>\n\n<think>\nSo.\n</think>\n\nIt is 4.", "Hm.\n\nSo."),
        ],
    ),
)
def test_a_second_thought_is_none_of_the_answer(serve: Serve, name: str, said: str, thoughts: str) -> None:
    served, dialect = serve(ScriptedEngine([Script(said)])), DIALECTS[name]
    assert list(dialect.replies(served, "2 + 2?", [])) == [DialectReply("It is 4.", [], dialect.ends[1], thoughts)] * 2


@pytest.mark.parametrize(
    ("name", "said", "thoughts", "text"),
    in_turn(
        DIALECTS,
        [
            ("\n\n<tool_call>\n", "", ""),
            (CALL[:30], "", ""),
            (f"Let me see.\n\n{CALL[:50]}", "", "Let me see.\n\n"),
            (f"<think>\nWhere?\n</think>\n\n{CALL[:55]}", "Where?", ""),
            (f"<think>\nWhere?\n{CALL[:55]}", "Where?", ""),
        ],
    ),
)
def test_a_call_that_the_limit_of_tokens_cuts_is_no_text(
    serve: Serve, name: str, said: str, thoughts: str, text: str
) -> None:
    served, dialect = serve(ScriptedEngine([Script(said, reason="length")]), CALLER), DIALECTS[name]
    assert list(dialect.replies(served, "Weather?", TOOLS)) == [DialectReply(text, [], dialect.ends[2], thoughts)] * 2


@pytest.mark.parametrize("name", DIALECTS)
def test_a_whole_call_before_one_that_the_limit_cuts_counts(serve: Serve, name: str) -> None:
    script = Script(f"Let me see.\n{CALL}\n{CALL[:50]}", reason="length")
    served, dialect = serve(ScriptedEngine([script]), CALLER), DIALECTS[name]
    assert (
        list(dialect.replies(served, "Weather?", TOOLS))
        == [DialectReply("Let me see.\n", [CALLED], dialect.ends[2])] * 2
    )


@pytest.mark.full
@pytest.mark.parametrize("name", DIALECTS)
def test_a_text_that_mentions_a_call_stays_where_the_limit_cuts_it(serve: Serve, name: str) -> None:
    said = f"Calls begin with <tool_call> and a brace:\n\n```\n{CALL[:50]}"
    served, dialect = serve(ScriptedEngine([Script(said, reason="length")]), CALLER), DIALECTS[name]
    assert list(dialect.replies(served, "Calls?", TOOLS)) == [DialectReply(said, [], dialect.ends[2])] * 2


@pytest.mark.parametrize("name", DIALECTS)
def test_without_tools_the_marks_of_a_call_that_the_limit_cuts_are_text(serve: Serve, name: str) -> None:
    said = CALL[:50]
    served, dialect = serve(ScriptedEngine([Script(said, reason="length")]), CALLER), DIALECTS[name]
    assert list(dialect.replies(served, "Calls?", [])) == [DialectReply(said, [], dialect.ends[2])] * 2
