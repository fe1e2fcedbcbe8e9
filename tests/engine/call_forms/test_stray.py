"""Calls that a model writes almost right are read; what only looks like one is not."""

from __future__ import annotations

from typing import Any

import pytest

from engine.call_forms.form import ToolCall
from engine.call_forms.table import call_form

WEATHER: dict[str, Any] = {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": name, "parameters": WEATHER}} for name in ("weather", "get-time", "call")
]
RIO = '{"city": "Rio"}'
RIGHT = f'{{"name": "weather", "arguments": {RIO}}}'
NAMED = '{"function": {"name": "weather", "arguments": "{\\"city\\": \\"Rio\\"}"}}'
# Each is the call of `weather` for Rio.
ALMOST = [
    RIGHT,
    f"{RIGHT}}}",
    f"{RIGHT}}}}}",
    f"{RIGHT}]",
    RIGHT[:-1],
    f"```json\n{RIGHT}\n```",
    f"```json\n{RIGHT}}}\n```",
    f"```\n{RIGHT}\n```",
    f"```json\n[{RIGHT}]\n```",
    f"```json\n{RIGHT}",
    f"```tool_call\n{RIGHT}\n```",
    f"```tool_code\nweather({RIO})\n```",
    f"Calling tool: weather({RIO})",
    f"Calling tool weather({RIO})",
    f"[Calling tool: weather({RIO})]",
    f"Call: weather({RIO})",
    f"call function weather with arguments {RIO}",
    f"**Tool call:** `weather({RIO})`",
    f'Using the tool "weather" with input: {RIO}',
    f"Action: weather\nAction Input: {RIO}",
    f"weather({RIO})",
    "weather(city='Rio')",
    'Calling tool: weather(city="Rio")',
    f"functions.weather({RIO})",
    f"weather: {RIO}",
    f"<function=weather>{RIO}</function>",
    f"<tool_call>\n{RIGHT}}}\n</tool_call>",
    f"<tool_call>{RIGHT}",
    f"<function_call> {RIGHT} </function_call>",
    f"[TOOL_CALLS] [{RIGHT}]",
    f'{{"tool": "weather", "args": {RIO}}}',
    f'{{"tool_name": "weather", "parameters": {RIO}}}',
    f'{{"function": "weather", "input": {RIO}}}',
    f'{{"action": "weather", "action_input": {RIO}}}',
    f'{{"arguments": {RIO}, "name": "weather"}}',
    f'{{"weather": {RIO}}}',
    f'{{"type": "function", {NAMED[1:]}',
    f'{{"tool_calls": [{NAMED}]}}',
]
# Text, other functions, and calls that do not end.
NONE = [
    "",
    "The weather is nice.",
    "weather",
    RIO,
    f'{{"name": "news", "arguments": {RIO}}}',
    f'{{"name": "weather", "city": "Rio", "arguments_of": {RIO}}}',
    f"{RIGHT} is how one asks.",
    f"One asks so: {RIGHT}",
    f"```python\nweather({RIO})\n```",
    f"```json\n{RIGHT}\n```\nThis is an example.",
    f"weatherman({RIO})",
    f"the weather({RIO})",
    RIGHT[:-2],
    '{"name": "weather", "arguments": {"city": "Ri',
    '{"name": "weather", "arguments": "Rio"}',
    '{"name": "weather", "arguments": [1]}',
    "weather(Rio)",
    "[1, 2, 3]",
    "{{{{",
    "```json\n```",
]


@pytest.mark.parametrize("text", ALMOST)
@pytest.mark.parametrize("form", ["json_tools", "qwen3_coder", "pythonic"])
def test_what_is_almost_a_call_is_one(text: str, form: str) -> None:
    assert call_form(form).stray_calls(text, TOOLS) == [ToolCall("weather", RIO)]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_call_stays_text(text: str) -> None:
    assert call_form("json_tools").stray_calls(text, TOOLS) == []


def test_functions_with_odd_names_and_several_calls() -> None:
    read = call_form("pythonic").stray_calls
    assert read(f"call({RIO})", TOOLS) == [ToolCall("call", RIO)]
    assert read(f"Calling tool: call({RIO})", TOOLS) == [ToolCall("call", RIO)]
    assert read(f"get-time({RIO})\nget_time({RIO})", TOOLS) == [ToolCall("get-time", RIO)] * 2
    assert read(f"{RIGHT}\n{RIGHT}}};", TOOLS) == [ToolCall("weather", RIO)] * 2


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("json_tools", '<tool_call>{{"name": "weather", "arguments": {{"days": {}}}}}</tool_call>'),
        ("qwen3_coder", "<tool_call><function=weather><parameter=days>{}</parameter></function></tool_call>"),
        ("glm47", "<tool_call>weather\n<arg_key>days</arg_key><arg_value>{}</arg_value></tool_call>"),
        ("pythonic", "<|tool_call_start|>[weather(days={})]<|tool_call_end|>"),
    ],
)
def test_a_whole_number_is_an_integer_where_only_integers_are_allowed(form: str, text: str) -> None:
    known = call_form(form)
    for written, days in (("5.0", "5"), ("-3.0", "-3"), ("5", "5"), ("5.5", "5.5")):
        content = text.format(written)
        if known.tags is not None:
            calls, _ = known.last_calls(content, TOOLS) if days != "5.5" else ([ToolCall("weather", "5.5")], 0)
        else:
            mark = known.marks[0]
            calls, _ = known.calls(content.removeprefix(mark.start).removesuffix(mark.end), TOOLS)
        assert days in calls[0].arguments
        assert "5.0" not in calls[0].arguments
    number: list[Any] = [{"function": {"name": "weather", "parameters": {"properties": {"days": {"type": "number"}}}}}]
    assert known.stray_calls('weather({"days": 5.0})', number) == [ToolCall("weather", '{"days": 5.0}')]
