"""The ways in which families of models write function calls: signs in a template, marks, reader and grammar.

`ModelInfo.tool_format` names the entry of a loaded model. A form that is in none of the entries, but that mlx-lm knows
or the model's files describe, is read, but not forced.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from engine.call_forms.form import CallForm, Marks
from engine.call_forms.named_values import BraceReader, as_python, as_python_list
from engine.call_forms.reading import NESTED, HeaderThenJson, JsonOr, as_json, by_mlx_lm, element
from engine.call_forms.response_template import PREFIX, form_of_field
from engine.call_forms.tagged import Tagged
from engine.call_forms.tagged_writing import NestedCalls, TaggedCalls
from engine.call_forms.writing import BracedCall, json_call, python_call


@lru_cache
def call_form(name: str) -> CallForm:
    """Return the form of this name: an entry of the table, or one that only the model's files describe or mlx-lm knows.

    The last imports MLX.
    """
    if name in FORMS:
        return FORMS[name]
    if name.startswith(PREFIX):
        return form_of_field(name)
    module = importlib.import_module(f"mlx_lm.tool_parsers.{name}")
    return CallForm((Marks(module.tool_call_start, module.tool_call_end),), by_mlx_lm(name))


def form_of(template: str, by_mlx_lm: str) -> str:
    """Return the name of a chat template's form, "" if none is known; `by_mlx_lm` is the one that mlx-lm infers."""
    for name, form in FORMS.items():
        if any(all(text in template for text in texts) for texts in form.signs):
            return name
    # Several templates mention the commonest marks in ways that mlx-lm does not look for.
    return by_mlx_lm or ("json_tools" if "<tool_call>" in template else "")


def _between(start: str, end: str = "", *, first: bool = False) -> tuple[Marks, ...]:
    return (Marks(start, end, first=first),)


def _tagged(
    calls: TaggedCalls, name: str, opening: str, *marks: str, end: str, json: bool = False, **more: Any
) -> CallForm:
    """Return a form with tags: how the grammar writes `calls`, and the signs by which the reader finds them again.

    `marks` stand around calls; a form may have none. `name`, `opening`, `end` and `more` are fields of `Tagged`.
    """
    start, stop = marks or ("", "")
    signs = more.pop("signs", ())
    tags = Tagged(start, name, opening, calls.closing, end, stop, shared=bool(calls.start), **more)
    all_marks = [Marks(start, stop)] if start else []
    all_marks += [Marks(*marks) for marks in tags.similar]
    if tags.bare or not start:
        begin = calls.begin.removeprefix(f"{start}\n").partition("NAME")[0]
        all_marks.append(Marks(begin.rstrip('"'), end, whole=True))
    return CallForm(tuple(all_marks), JsonOr(tags) if json else tags, calls, signs=signs, tags=tags)


def _functions(mark: str, line: str = "", **more: Any) -> CallForm:
    """Return a form with tags that have the names of functions and arguments in them."""
    start = f"<{mark}>"
    stop = f"</{mark}>"
    begin = f"{start}\n<function=NAME>\n"
    key = f"<parameter=NAME>{line}"
    calls = TaggedCalls(begin, key, "</parameter>", "\n", f"</function>\n{stop}", line)
    name = r"<function=(?P<name>[^<>\s]+)>"
    opening = r"<parameter=(?P<key>[^<>\n]+)>"
    return _tagged(calls, name, opening, start, stop, end="</function>", **more)


def _pairs(call: str, argument: str) -> CallForm:
    """Return GLM's form, by its tags: one for the name and one for the value of each argument."""
    start = f"<{call}>"
    stop = f"</{call}>"
    key = f"{argument}_key"
    value = f"{argument}_value"
    calls = TaggedCalls(f"{start}NAME\n", f"<{key}>NAME</{key}>\n<{value}>", f"</{value}>", "\n", stop)
    opening = rf"<{key}>(?P<key>[^<]*)</{key}>\s*<{value}>"
    return _tagged(calls, r"(?P<name>[^\s<]+)", opening, start, stop, end="", json=True)


def _invokes(tag: str, mark: str, parameter: str, before: str = "", **more: Any) -> CallForm:
    """Return a form of calls that are invocations, several of which share a `mark`; `tag` begins the names of tags."""
    start = f"<{mark}>"
    stop = f"</{mark}>"
    begin = f'<{tag}invoke name="NAME">\n'
    key = f'<{tag}parameter name="NAME"{before}>'
    closing = f"</{tag}parameter>"
    end = f"</{tag}invoke>"
    calls = TaggedCalls(begin, key, closing, "\n", f"{end}\n", start=f"{start}\n", between="", stop=stop)
    name = rf'<{tag}invoke\b[^<>]*?\bname="(?P<name>[^"]+)">'
    opening = rf'<{tag}parameter\b[^<>]*?\bname="(?P<key>[^"]+)"{parameter}>'
    return _tagged(calls, name, opening, start, stop, end=end, **more)


def _braced(start: str, end: str, quote: str) -> CallForm:
    """Return Gemma's form, with these marks and this quote."""
    return CallForm(_between(start, end), BraceReader(quote), BracedCall(start, end, quote), between="")


def _deepseek(call: str, between: str, *signs: str) -> CallForm:
    """Return a form of DeepSeek's calls before its language of tags; `call` is one without its marks."""
    start = "<｜tool▁calls▁begin｜>"
    end = "<｜tool▁calls▁end｜>"
    write = json_call(f"<｜tool▁call▁begin｜>{call}<｜tool▁call▁end｜>")
    return CallForm(_between(start, end), _DEEPSEEK, write, start, end, between, (signs,))


_NAMED = '{"name": "NAME", "arguments": ARGUMENTS}'


def _json_list(start: str, end: str = "", call: str = _NAMED) -> CallForm:
    """Return the form of a JSON list of calls between marks by which templates are recognised."""
    return CallForm(_between(start, end), as_json, json_call(call), f"{start}[", f"]{end}", ", ", ((start,),))


def _one_json(call: str, *signs: str, start: str, others: tuple[Marks, ...] = ()) -> CallForm:
    """Return the form of a single call in JSON behind a mark."""
    return CallForm((Marks(start), *others), as_json, json_call(call), between=None, signs=(signs or (start,),))


def _dsml(marks: str, *signs: tuple[str, ...]) -> CallForm:
    """Return a form of the language of DeepSeek's calls, whose `marks` stand around them; models also write others."""
    tag = "｜DSML｜"
    string = r'(?: string="(?P<string>true|false)")?'
    others = (
        *("tool_calls", "function_calls", "toolcalls", "functioncalls", "tool_call", "function_call"),
        *("tools", "tool"),
    )
    similar = tuple((f"<{tag}{word}>", f"</{tag}{word}>") for word in others if word != marks)
    signs = ((tag, f"{marks}>"), *signs)
    form = _invokes(tag, f"{tag}{marks}", string, ' string="STRING"', signs=signs, bare=True, similar=similar)
    return replace(form, opening=f"<{tag}")


_DEEPSEEK = HeaderThenJson(re.compile(r"(?:function<｜tool▁sep｜>)?(?P<name>[\w.-]+)(?:\n```json\n|<｜tool▁sep｜>)\s*"))
_GIGACHAT = "<|message_sep|>\n\nfunction call<|role_sep|>\n"
_BRACKET = Marks("[", whole=True, first=True)
_BEGINNINGS = ('{"name": "', '{"name":"', '{"type": "function", "name": "')
# Small 3.2 writes the call's id after its name.
_MISTRAL_CALL = HeaderThenJson(
    re.compile(r"(?<![\w.-])(?P<name>[\w.-]++)\s*+(?:\[CALL_ID\]\s*+[\w-]*+\s*+)?\[ARGS\]\s*+")
)


FORMS: dict[str, CallForm] = {
    # Forms that mlx-lm does not know come first: mlx-lm takes some of them for others.
    "minimax_m3": _tagged(
        NestedCalls(
            f'{NESTED}<invoke name="NAME">',
            f"{NESTED}<NAME>",
            f"{NESTED}</NAME>",
            "",
            f"{NESTED}</invoke>",
            start=f"{NESTED}<tool_call>\n",
            stop=f"\n{NESTED}</tool_call>",
            mark=NESTED,
        ),
        rf'{re.escape(NESTED)}<invoke name="(?P<name>[^"]+)">',
        rf"{re.escape(NESTED)}<(?P<key>[^/<>]+)>",
        f"{NESTED}<tool_call>",
        f"{NESTED}</tool_call>",
        end=f"{NESTED}</invoke>",
        typed=element,
        signs=((NESTED,),),
    ),
    "harmony": CallForm(
        # `harmony.parts_of` finds the messages to functions; each is read as its recipient and its text.
        (),
        HeaderThenJson(re.compile(r"\A(?:functions\.)?(?P<name>[\w.-]+)\n\s*")),
        json_call("<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>ARGUMENTS"),
        between=None,
        signs=(("<|channel|>", "<|message|>", "functions"),),
        thought=("<|channel|>analysis<|message|>", "<|end|>", "<|start|>assistant"),
        opening="<|channel|>commentary to=functions.",
    ),
    "deepseek_v4": _dsml("tool_calls"),
    "deepseek_v32": _dsml("function_calls", ("mlx_lm.chat_templates.deepseek_v32",)),
    "deepseek_v3": _deepseek("function<｜tool▁sep｜>NAME\n```json\nARGUMENTS\n```", "\n", "<｜tool▁sep｜>", "```json"),
    "deepseek_v31": _deepseek("NAME<｜tool▁sep｜>ARGUMENTS", "", "<｜tool▁sep｜>"),
    "seed_oss": _functions("seed:tool_call", signs=(("<seed:tool_call>",),)),
    "command_r7b": CallForm(
        _between("<|START_ACTION|>", "<|END_ACTION|>"),
        as_json,
        json_call('    {"tool_call_id": "NUMBER", "tool_name": "NAME", "parameters": ARGUMENTS}'),
        "<|START_ACTION|>[\n",
        "\n]<|END_ACTION|>",
        ",\n",
        (("<|START_ACTION|>",),),
    ),
    "command_r": CallForm(
        _between("Action:\n```json", "\n```"),
        as_json,
        json_call('    {"tool_name": "NAME", "parameters": ARGUMENTS}'),
        "Action:\n```json\n[\n",
        "\n]\n```",
        ",\n",
        (("Action:", "```json", "tool_name"),),
    ),
    "granite": _json_list("<|tool_call|>"),
    "granite_20b": _one_json(f"<function_call> {_NAMED}", start="<function_call>"),
    "functools": CallForm(
        _between("functools["), as_json, json_call(_NAMED), "functools[", "]", ", ", (("functools",),)
    ),
    "nemotron": _json_list("<TOOLCALL>", "</TOOLCALL>"),
    "minimax_m1": CallForm(
        _between("<tool_calls>", "</tool_calls>"),
        as_json,
        json_call(_NAMED),
        "<tool_calls>\n",
        "\n</tool_calls>",
        signs=(("<tool_calls>\\n{",), ("<tool_calls>\n{",)),
    ),
    "tool_calls": _json_list("<tool_calls>", "</tool_calls>"),
    "apertus": _json_list("<|tools_prefix|>", "<|tools_suffix|>", '{"NAME": ARGUMENTS}'),
    "solar": CallForm(
        (Marks("<|tool_calls|>"), Marks("<|tool_call:begin|>", whole=True)),
        HeaderThenJson(re.compile(r"<\|tool_call:name\|>(?P<name>[\w.-]+)<\|tool_call:args\|>\s*")),
        json_call("<|tool_call:begin|>NUMBER<|tool_call:name|>NAME<|tool_call:args|>ARGUMENTS<|tool_call:end|>"),
        "<|tool_calls|>",
        between="",
        signs=(("<|tool_call:begin|>",),),
    ),
    "gigachat": _one_json(
        f"<|function_call|>{_NAMED}", start="<|function_call|>", others=_between("function call<|role_sep|>\n")
    ),
    "gigachat_3": _one_json(f"{_GIGACHAT}{_NAMED}", "'function call'", "<|role_sep|>", start=_GIGACHAT),
    "internlm2": CallForm(
        _between("<|action_start|><|plugin|>", "<|action_end|>"),
        as_json,
        json_call('<|action_start|><|plugin|>\n{"name": "NAME", "parameters": ARGUMENTS}<|action_end|>'),
        signs=(("<|action_start|><|plugin|>",),),
    ),
    "functionary": CallForm(
        (Marks("<function=", "</function>", whole=True),),
        HeaderThenJson(re.compile(r"<function=(?P<name>[^>]+)>\s*")),
        json_call("<function=NAME>ARGUMENTS</function>"),
        between="",
        signs=(("<function=example_function_name>{",),),
    ),
    "llama_json": CallForm(
        (
            Marks("<|python_tag|>"),
            Marks("{", whole=True, first=True),
            # At times words come before.
            *(Marks(f"\n{begin}", whole=True, named=True) for begin in _BEGINNINGS),
        ),
        as_json,
        json_call('{"name": "NAME", "parameters": ARGUMENTS}'),
        between="; ",
        signs=(('"parameters": dict',), ("<|python_tag|>", "parameters")),
    ),
    "json_list": CallForm((_BRACKET,), as_json, json_call(_NAMED), "[", "]", ", ", (('[{"name": "tool_call_name"',),)),
    "python_list": CallForm(
        (_BRACKET, Marks("<|python_start|>", "<|python_end|>")),
        as_python_list,
        python_call,
        "[",
        "]",
        ", ",
        (("[func_name1(",),),
        identifiers=True,
    ),
    "olmo3": CallForm(
        _between("<function_calls>", "</function_calls>"),
        as_python,
        python_call,
        "<function_calls>",
        "</function_calls>",
        signs=(("<function_calls>", "tool_calls"),),
        identifiers=True,
    ),
    "json_tools": CallForm(
        _between("<tool_call>", "</tool_call>"),
        as_json,
        json_call('<tool_call>\n{"name": "NAME", "arguments": ARGUMENTS}\n</tool_call>'),
    ),
    "mistral": CallForm(_between("[TOOL_CALLS]"), JsonOr(_MISTRAL_CALL), json_call(_NAMED), "[TOOL_CALLS][", "]", ", "),
    "mistral_args": CallForm(
        _between("[TOOL_CALLS]"), JsonOr(_MISTRAL_CALL), json_call("[TOOL_CALLS]NAME[ARGS]ARGUMENTS"), between=""
    ),
    "kimi_k2": CallForm(
        (
            Marks("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
            # The newer ones leave the section out at times.
            Marks("<|tool_call_begin|>", whole=True),
        ),
        HeaderThenJson(re.compile(r"(?:functions\.)?(?P<name>[\w.-]+):\d+\s*<\|tool_call_argument_begin\|>\s*")),
        json_call("<|tool_call_begin|>functions.NAME:NUMBER<|tool_call_argument_begin|>ARGUMENTS<|tool_call_end|>"),
        "<|tool_calls_section_begin|>",
        "<|tool_calls_section_end|>",
        "",
    ),
    "kimi_k3": CallForm(
        _between("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
        by_mlx_lm("kimi_k3"),
        json_call(
            '<|open|>call tool="NAME" index="NUMBER"<|sep|><|open|>json type="object"<|sep|>ARGUMENTS'
            "<|close|>json<|sep|><|close|>call<|sep|>"
        ),
        "<|open|>tools<|sep|>",
        "<|close|>tools<|sep|>",
        "",
        (("open_tag('tools')",),),
    ),
    "pythonic": CallForm(
        _between("<|tool_call_start|>", "<|tool_call_end|>"),
        as_python,
        python_call,
        "<|tool_call_start|>[",
        "]<|tool_call_end|>",
        ", ",
        identifiers=True,
    ),
    # Qwen3-Coder leaves the first tag out at times.
    "qwen3_coder": _functions("tool_call", "\n", lines=True, bare=True),
    "glm47": _pairs("tool_call", "arg"),
    "laguna": _pairs("tool_call", "arg"),
    "longcat": _pairs("longcat_tool_call", "longcat_arg"),
    "minicpm5": _tagged(
        TaggedCalls('<function name="NAME">', '<param name="NAME">', "</param>", "", "</function>"),
        r'<function name="(?P<name>[^"]+)">',
        r'<param name="(?P<key>[^"]+)">(?P<cdata><!\[CDATA\[)?',
        end="</function>",
    ),
    "minimax_m2": _invokes("", "minimax:tool_call", ""),
    "muse_spark": _invokes("atem:", "atem:function_calls", "[^<>]*"),
    "gemma4": _braced("<|tool_call>", "<tool_call|>", '<|"|>'),
    "function_gemma": _braced("<start_function_call>", "<end_function_call>", "<escape>"),
}
