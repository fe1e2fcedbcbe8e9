"""What each form reads: the calls of the functions that there are, with arguments of the types that they declare."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.call_forms.reading import NESTED, typed
from engine.call_forms.schema import Schema
from engine.call_forms.table import FORMS, call_form, form_of

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "near": {"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"city": {"type": "string"}}}]},
        "ways": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]},
        "free": {"type": "object"},
    },
}
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": SCHEMA}}]
# Texts between the marks of a form, as families of models write them, and the arguments of their calls.
WRITTEN: list[tuple[str, str, list[dict[str, Any]]]] = [
    ("json_tools", '{"name": "find", "arguments": "{\\"days\\": 2}"}', [{"days": 2}]),
    ("granite", '[{"name": "find", "arguments": {"days": 2}}, {"name": "find"}]', [{"days": 2}, {}]),
    ("command_r7b", '[{"tool_call_id": "0", "tool_name": "find", "parameters": {"days": 2}}]', [{"days": 2}]),
    ("command_r", '\n[{"tool_name": "find", "parameters": {"city": "Rio\\n[0]"}}]', [{"city": "Rio\n[0]"}]),
    ("llama_json", '{"type": "function", "function": {"name": "find", "parameters": {"days": 2}}}', [{"days": 2}]),
    ("apertus", '[{"find": {"days": 2}}]', [{"days": 2}]),
    ("functools", '{"name": "find", "arguments": {}}, {"name": "find", "arguments": {"days": 2}}]', [{}, {"days": 2}]),
    ("deepseek_v3", '<｜tool▁call▁begin｜>function<｜tool▁sep｜>find\n```json\n{"days": 2}\n```', [{"days": 2}]),
    ("deepseek_v31", 'find<｜tool▁sep｜>{"days": 2}<｜tool▁call▁end｜>', [{"days": 2}]),
    (
        "deepseek_v4",
        '<｜DSML｜invoke name="find">\n<｜DSML｜parameter name="city" string="true">2</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>',
        [{"city": "2", "days": 2}],
    ),
    (
        "seed_oss",
        "\n<function=find>\n<parameter=city>\n</Rio>\n</parameter>\n<parameter=days>2</parameter>\n</function>\n",
        [{"city": "\n</Rio>\n", "days": 2}],
    ),
    (
        "minimax_m3",
        '\n|<invoke name="find">|<city>|<b>2|</b>|</city>|<tags>|<item>1|</item>|<item>b|</item>|</tags>'
        "|<near>|<city>3|</city>|</near>|</invoke>".replace("|", NESTED),
        [{"city": f"{NESTED}<b>2{NESTED}</b>", "tags": ["1", "b"], "near": {"city": "3"}}],
    ),
    (
        "minimax_m3",
        '|<invoke name="find">|<ways>|<item>1|</item>|<item>02|</item>|</ways>|<days>018956|</days>'
        "|<free>a|<t>x|</t>b|<t>y|</t>|<t>|<t>z|</t>|</t>|</free>|<tags>|<tag>b|</tag>|</tags>|</invoke>".replace(
            "|", NESTED
        ),
        [{"ways": [1, 2], "days": 18956, "free": {"t": ["x", "y", {"t": "z"}], "$text": "ab"}, "tags": ["b"]}],
    ),
    (
        "minimax_m3",
        '|<invoke name="find">|<ways>a <b>|</ways>|<free>|<item>1|</item>|</free>'
        "|<more>|<item>1|</item>|</more>|</invoke>".replace("|", NESTED),
        [{"ways": "a <b>", "free": {"item": 1}, "more": [1]}],
    ),
    (
        "minimax_m3",
        '|<invoke name="find">|<tags>1|</tags>|<tags>b|</tags>|<city>c|</city>|<more>x|</more>'
        "|<tags>|<item>d|</item>|</tags>|<more>|<t>y|</t>|</more>|<days>2|</days>|</invoke>".replace("|", NESTED),
        [{"tags": ["1", "b", "d"], "city": "c", "more": ["x", {"t": "y"}], "days": 2}],
    ),
    # All arguments as one.
    (
        "minimax_m2",
        "".join(
            f'<invoke name="find">\n<parameter name="{key}">{value}</parameter>\n</invoke>'
            for key, value in (("arguments", '{"city": "NYC"}'), ("input", '{"days": 2}'), ("arguments", '{"x": 2}'))
        ),
        [{"city": "NYC"}, {"days": 2}, {"arguments": {"x": 2}}],
    ),
    (
        "minicpm5",
        '<function name="find"><param name="city"><![CDATA[a </param>]]></param></function>',
        [{"city": "a </param>"}],
    ),
    ("kimi_k2", '<|tool_call_begin|>functions.find:0<|tool_call_argument_begin|>{"days": 2}', [{"days": 2}]),
    ("harmony", 'functions.find\n{"city": "<|call|>"}<|call|>', [{"city": "<|call|>"}]),
    # Models leave closing tags out.
    (
        "qwen3_coder",
        "<function=find>\n<parameter=city>\n Rio\n<parameter=days>\n2\n</parameter>\n<parameter=tags>\n[]\n</function>",
        [{"city": " Rio", "days": 2, "tags": []}],
    ),
    (
        "qwen3_coder",
        "<function=find><parameter=city>a</parameter>b</parameter></function>",
        [{"city": "a</parameter>b"}],
    ),
    ("qwen3_coder", "<function=find>\n<parameter=city>\nnull\n</parameter>\n</function>", [{"city": "null"}]),
    ("glm47", "find\n<arg_key>city</arg_key>\n<arg_value>  a\n</arg_value>\n", [{"city": "  a\n"}]),
    ("glm47", '{"name": "find", "arguments": {"days": 2}}', [{"days": 2}]),
    ("minimax_m2", '<invoke name="find">\n<parameter name="city">2</parameter>\n</invoke>', [{"city": "2"}]),
    ("gemma4", 'call:find{city:<|"|>a{b:c}<|"|>,near:{city:<|"|>3<|"|>}}', [{"city": "a{b:c}", "near": {"city": "3"}}]),
    ("gemma4", 'find{tags:[<|"|>1<|"|>,<|"|><|"|>],days:2}', [{"tags": ["1", ""], "days": 2}]),
    ("function_gemma", "call:find{city:<escape>a}, b<escape>,days:2}", [{"city": "a}, b", "days": 2}]),
    ("function_gemma", "call:find{city:New York,near:null}", [{"city": "New York", "near": None}]),
    (
        "pythonic",
        """[find(city='it\\'s', near={"city": 'a, "b"', "x": [true, None]}), find(tags=["a)]"], days=-2,)]""",
        [{"city": "it's", "near": {"city": 'a, "b"', "x": [True, None]}}, {"tags": ["a)]"], "days": -2}],
    ),
    ("pythonic", 'find(city="\\ud83d\\ude00\n", from=1.5)', [{"city": "😀\n", "from": 1.5}]),
    ("functionary", '<function=find>{"days": 2}</function>', [{"days": 2}]),
    ("olmo3", '\nfind(city="a)\\n", days=2)\nfind(near=null)\n', [{"city": "a)\n", "days": 2}, {"near": None}]),
]


@pytest.mark.parametrize(("form", "text", "arguments"), WRITTEN, ids=[form for form, _, _ in WRITTEN])
def test_a_form_reads_what_its_families_write(form: str, text: str, arguments: list[dict[str, Any]]) -> None:
    calls, alone = call_form(form).calls(text, TOOLS)
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [("find", one) for one in arguments]
    assert alone
    unknown = [{"type": "function", "function": {"name": "other"}}]
    assert call_form(form).calls(text, unknown) == ([], False)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("qwen3_coder", "<function=find><parameter=city>Rio<parameter=days>2</parameter></function>"),
        ("qwen3_coder", "<function=find><parameter=city>\na\n<parameter=b>\n2\n</parameter></function>"),
        ("qwen3_coder", "<function=find><parameter=city>a</parameter><parameter=city>b</parameter></function>"),
        ("minimax_m2", '<invoke name="find"><parameter name="city">a<parameter name="b">2</parameter></invoke>'),
        ("glm47", "find Rio"),
        ("gemma4", 'call:find{city:<|"|>a<|"|>b<|"|>}'),
        ("function_gemma", "call:find{city:New York, NY}"),
        ("pythonic", 'find(city="a" + "b")'),
        ("pythonic", "find(city=Rio)"),
        ("pythonic", 'find("Rio")'),
        ("pythonic", 'find(city="a", city="b")'),
        ("pythonic", 'find(city="a"'),
    ],
)
def test_a_call_in_which_a_value_is_not_certain_is_none(form: str, text: str) -> None:
    assert call_form(form).calls(text, TOOLS) == ([], False)


def test_models_that_write_python_call_functions_by_identifiers_of_their_own() -> None:
    names = call_form("pythonic").names(["get-sum", "get_sum", "2nd", "math.sum", "get.sum-2", "도구"])
    assert names == {
        "get-sum": "get_sum_2",
        "get_sum": "get_sum",
        "2nd": "_2nd",
        "math.sum": "math.sum",
        "get.sum-2": "get_sum_2_2",
        "도구": "__",
    }
    assert call_form("json_tools").names(["get-sum"]) == {"get-sum": "get-sum"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "text", ["", "\x00", "{", "[" * 200, '{"name": 3}', '{"name": "find", "arguments": 4}', "<" * 99]
)
def test_unreadable_text_is_no_call(form: str, text: str) -> None:
    assert call_form(form).calls(text, TOOLS) == ([], False)


@pytest.mark.parametrize(
    ("template", "inferred", "form"),
    [
        ("{{ ']<]minimax[>[' }}<tool_call>{{ tool_call.name }}", "json_tools", "minimax_m3"),
        ("{{ '<|channel|>' }}<|message|> to=functions.", "", "harmony"),
        ("<tool_call>{{ call.name }}", "", "json_tools"),
        ("<tool_call>\n<function=", "qwen3_coder", "qwen3_coder"),
        ("mlx_lm.chat_templates.deepseek_v32", "", "deepseek_v32"),
        ("{{ '<function_calls>' }}{% for call in message.tool_calls %}", "", "olmo3"),
        ("{% for message in messages %}{{ message.content }}{% endfor %}", "", ""),
    ],
)
def test_a_template_tells_the_form(template: str, inferred: str, form: str) -> None:
    assert form_of(template, inferred) == form


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("2", {"type": "string"}, "2"),
        ("2", {"type": ["string", "integer"]}, 2),
        ("2", {"anyOf": [{"type": "string"}, {"type": "number"}]}, 2),
        ("true", {"type": ["string", "integer"]}, "true"),
        ("null", {"type": ["string", "null"]}, None),
        ("2 days", {"type": "integer"}, "2 days"),
        ("018956", {"type": "integer"}, 18956),
        ("018956", {"type": ["string", "integer"]}, "018956"),
        ("[True, 'a']", {"type": "array"}, [True, "a"]),
        ("[True]", {"type": ["string", "array"]}, "[True]"),
        ('{"a": 1}', {}, {"a": 1}),
        ("Rio", {"enum": ["Rio", "Seoul"]}, "Rio"),
        ('"Rio"', {"enum": ["Rio", "Seoul"]}, "Rio"),
        ('"Rio"', {"enum": ["Rio", '"Rio"']}, '"Rio"'),
        ('"Rome"', {"enum": ["Rio", "Seoul"]}, "Rome"),
        ('"Rio"', {"type": "string"}, '"Rio"'),
    ],
)
def test_a_text_without_quotes_has_the_type_that_is_declared(text: str, schema: Any, value: Any) -> None:
    assert typed(text, Schema(schema)) == value
