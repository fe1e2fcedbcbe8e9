"""The end of an answer after a mark of calls: the beginning of calls, or a text that mentions the mark."""

from __future__ import annotations

import pytest

from engine.call_forms.table import call_form

NAMES = ["weather", "get-time"]
BEGUN = {
    "json_tools": [
        "",
        "\n{",
        '\n{"na',
        '{"name": "wea',
        '[{"name": "weather", "arguments": {"city": "It\'s {',
        '{"name": "weather", "arguments": {"sure": tr',
        '{"name": "weather", "arguments": {"n": -',
        '{"name": "weather", "arguments": {"city": "a \\',
        '{"type": "function", "function": {"name": "get-',
        '{"name": "weather", "arguments": {}}\n</tool_',
        '{"weather": {"ci',
        '```json\n{"name": "weather"',
    ],
    "pythonic": [
        "[",
        "[wea",
        '[weather(city="Rio", days=',
        "[weather(city='it''s', note=\"(\"), get_time(",
        "weather(",
    ],
    "gemma4": ["ca", "call:", "call:weather", "call:weather{city:<|\"|>It's } he", "call:weather{days:1},call:get-"],
    "mistral_args": ["wea", "weather[AR", 'weather[ARGS]{"city": "'],
    "deepseek_v31": [
        "<｜tool▁call▁be",
        "<｜tool▁call▁begin｜>weather<｜tool▁sep｜>",
        "<｜tool▁call▁begin｜>weather<｜tool▁sep｜>{",
    ],
    "kimi_k2": ["<|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{"],
    "qwen3_coder": ["\n<func", "\n<function=wea", "\n<function=weather>\n<parameter=city>\nwords of a text } and more"],
    "glm47": ["wea", "weather\n<arg_key>ci", "weather\n<arg_key>city</arg_key>\n<arg_value>words of a text"],
    "minimax_m2": ["\n<invoke na", '\n<invoke name="weather">\n<parameter name="city">words of a text'],
}
MENTIONED = {
    "json_tools": [
        " and",
        " and so on",
        " weather is nice",
        '{"name": "other", "arg',
        '{"city": "Rio"',
        '{"name": "weather"} is how it begins',
        "を使って",
        " {json} in it",
    ],
    "pythonic": [" with [", "[other(a=1", "weather forecasts are"],
    "mistral_args": ["other[ARGS]{", "weathering"],
    "deepseek_v31": ["<｜tool▁call▁begin｜>other<｜tool▁sep｜>{"],
    "qwen3_coder": ["\n<function=other>\n<parameter=a>", " and words"],
    "glm47": ["other\n<arg_key>", "weather and"],
    "minimax_m2": ['\n<invoke name="other">\n<parameter'],
}


@pytest.mark.parametrize(("form", "text"), [(form, text) for form, texts in BEGUN.items() for text in texts])
def test_the_beginning_of_calls_is_known(form: str, text: str) -> None:
    found = call_form(form)
    assert found.begins_calls(found.marks[0].start + text, found.marks[0], NAMES)


@pytest.mark.parametrize(("form", "text"), [(form, text) for form, texts in MENTIONED.items() for text in texts])
def test_a_mention_of_the_mark_begins_no_call(form: str, text: str) -> None:
    found = call_form(form)
    assert not found.begins_calls(found.marks[0].start + text, found.marks[0], NAMES)


def test_without_functions_nothing_begins_a_call() -> None:
    found = call_form("json_tools")
    assert not found.begins_calls('<tool_call>{"name": "', found.marks[0], [])


def test_a_long_text_is_read_at_once() -> None:
    found = call_form("json_tools")
    start = '<tool_call>{"name": "weather", "arguments": {"city": "'
    assert found.begins_calls(start + '\\"{ ' * 2**18, found.marks[0], NAMES)
    assert not found.begins_calls("<tool_call>" + " x" * 2**18, found.marks[0], NAMES)
