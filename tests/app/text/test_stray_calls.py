"""Calls beside a model's form, in answers that arrive in pieces."""

from __future__ import annotations

from typing import Any

import pytest

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form

TOOLS: list[Any] = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
RIO = '{"city": "Rio"}'
RIGHT = f'{{"name": "weather", "arguments": {RIO}}}'


def fed(text: str, size: int, form: str = "json_tools", *, cut: bool = False) -> tuple[AnswerParts, str]:
    """Return the parts of a text that arrived in pieces, and what was shown before its end."""
    parts = AnswerParts(call_form(form), TOOLS)
    for at in range(0, len(text), size):
        parts.add(text[at : at + size])
    shown = parts.content
    parts.add("", ended=True, cut=cut)
    return parts, shown


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "content"),
    [
        (f"{RIGHT}}}", ""),
        (f"\n\n{RIGHT}}}", ""),
        (f"```json\n{RIGHT}\n```", ""),
        (f"Calling tool: weather({RIO})", ""),
        (f"I look it up.\n\n```json\n{RIGHT}\n```\n", "I look it up."),
        (f"I look it up.\nweather({RIO})", "I look it up."),
        (f"<think>Hm.</think>\n\nCalling tool: weather({RIO})", ""),
        (f"<tool_call>\n{RIGHT}}}\n</tool_call>", ""),
        (f"Code:\n```python\nx = 1\n```\nCalling tool: weather({RIO})", "Code:\n```python\nx = 1\n```"),
    ],
)
def test_a_call_at_the_end_of_an_answer_is_one_and_no_part_of_it_was_shown(text: str, content: str, size: int) -> None:
    parts, shown = fed(text, size)
    assert [(call.name, call.arguments) for call in parts.calls] == [("weather", RIO)]
    assert (parts.content, shown, parts.broken) == (content, content, False)


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{RIGHT}\n```\nThis is how to call it.",
        "Call me when the weather is nice.\nUse it.\n",
        '{"sure": true}',
        "weather\n",
        "```python\nweather()\n```",
        "- a\n- b\n\n```\n1\n```\n\n> c",
        "Calling all",
    ],
)
def test_what_is_no_call_is_shown_whole(text: str, size: int) -> None:
    parts, _ = fed(text, size)
    assert (parts.calls, parts.content, parts.broken) == ([], text, False)


@pytest.mark.parametrize(
    "text", ["```python\nfor one in range(3):\n    print(one)\n", "{" + '"a": 1, ' * 20, "Hello.\nCa"]
)
def test_text_that_cannot_become_a_call_is_not_held_back(text: str) -> None:
    _, shown = fed(text + "x" * 100, 3)
    assert shown == text + "x" * 100


def test_a_call_in_the_form_counts_alone() -> None:
    text = f"weather({RIO})\n<tool_call>\n{RIGHT}\n</tool_call>"
    parts, _ = fed(text, 5)
    assert (len(parts.calls), parts.content.strip()) == (1, f"weather({RIO})")


# What ends within a call, in a form; the last ones mention calls only.
@pytest.mark.parametrize(
    ("form", "text", "broken"),
    [
        ("json_tools", '<tool_call>\n{"name": "weather", "arguments": {"city": "R', True),
        ("json_tools", '<tool_call>\n{"name": "weather", "arguments": {"city": "Rio"', True),
        ("json_tools", '{"name": "weather", "arguments": {"city": "R', True),
        ("json_tools", '```json\n{"name": "weather", "arguments": {', True),
        ("qwen3_coder", "<tool_call>\n<function=weather>\n<parameter=city>\nR", True),
        ("qwen3_coder", "<function=weather>\n<parameter=city>\nR", True),
        ("glm47", "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>R", True),
        ("pythonic", '<|tool_call_start|>[weather(city="R', True),
        ("llama_json", '{"name": "weather", "parameters": {"city": "R', True),
        ("mistral", '[TOOL_CALLS][{"name": "weather", "arguments": {"city": "R', True),
        ("minimax_m2", '<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">R', True),
        ("json_tools", "A call begins with <tool_call> and a brace.", False),
        ("json_tools", "The weather is {nice", False),
        ("json_tools", "[1, 2", False),
        ("qwen3_coder", "A call begins with <tool_call>", False),
    ],
)
def test_an_answer_that_ends_within_a_call_is_broken(form: str, text: str, broken: bool) -> None:
    parts, _ = fed(text, 4, form)
    assert (parts.calls, parts.content, parts.broken) == ([], text, broken)


def test_an_answer_that_was_cut_has_no_call_that_only_seems_whole() -> None:
    parts, _ = fed(RIGHT[:-1], 4, cut=True)
    assert (parts.calls, parts.content) == ([], RIGHT[:-1])
