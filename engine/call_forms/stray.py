"""Reads calls that are not quite in a model's form.

They have a brace too many or too few, are fenced JSON, or are written as `Calling tool: f({...})`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from engine.call_forms.named_values import as_python_call

# The names under which models write a function's name and its arguments outside of their form.
_NAMES = ("name", "tool_name", "tool", "function", "function_name", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "params", "input", "tool_input", "action_input")
# What models write before the name of a function.
_WORDS = (
    r"(?:calling|call|using|use|invoking|invoke|action|tool|function)\b"
    r"(?:[ _](?:the|a|tool|function|call)s?\b)*\s*:?\s*"
)
_BESIDE = (
    r"```(?:json|tool\w*|function\w*)?(?!\w)|</?(?:tool_?call|function_?call|tools?|function)s?>|\[/?TOOL_CALLS?\]"
    rf"|[\s,;\[\]}})`*]|{_WORDS}"
)
# The fences that may have calls in them.
FENCE = r"```(?:json|tool\w*|function\w*)?[ \t]*(?=\n|\Z)"
# How the line begins on which such a call may begin, before the name of a function.
BEGINNING = rf"(?:[*\[]*{_WORDS}|{FENCE}|[{{\[]|<(?:tool|function)|(?:functions?\.))"
_BEFORE_VALUES = re.compile(
    r"[\"'>]?\s*(?:(?:with|and)\s+)?(?:the\s+)?(?:(?:action[ _]input|arguments?|args|input|parameters?)\s*)?"
    r"[:=(]?\s*(?=\{)",
    re.IGNORECASE,
)
_DECODER = json.JSONDecoder(strict=False)


def stray_calls(text: str, names: Collection[str]) -> list[dict[str, Any]]:
    """Return the calls of the functions in a text that is nothing but such calls. Raises any exception for others."""
    called = rf"(?:<function=|functions?\.|[\"'])?({'|'.join(map(re.escape, names))})(?![\w.-])"
    name = re.compile(called)
    between = re.compile(rf"(?:(?!{called}\s*[({{])(?:{_BESIDE}))*+", re.IGNORECASE)
    calls = list[dict[str, Any]]()
    at = 0
    while (at := between.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        if (begin := name.match(text, at)) is None:
            value, at = _decoded(text, at)
            calls += _calls_in(value, names)
        elif (values := _BEFORE_VALUES.match(text, begin.end())) is not None:
            arguments, at = _decoded(text, values.end())
            calls.append({"name": begin[1], "arguments": arguments})
        else:
            arguments, at = as_python_call(text, begin.end())
            calls.append({"name": begin[1], "arguments": arguments})
    return calls


def is_cut(text: str) -> bool:
    """Return whether a text ends within the JSON that begins in it."""
    begin = re.search(r"[{\[]", text)
    if begin is None:
        return False
    try:
        _DECODER.raw_decode(text, begin.start())
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
    return False


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value at a place, and its end; a missing brace at the end of the text is added."""
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError:
        end = text.rindex("}", at) + 1
        return json.loads(text[at:end] + "}", strict=False), end


def _calls_in(value: Any, names: Collection[str]) -> list[dict[str, Any]]:
    """Return the calls of functions with these `names` in a JSON value.

    Raises ValueError, or LookupError and the like, for anything else.
    """
    if isinstance(value, list):
        return [call for entry in value for call in _calls_in(entry, names)]
    if isinstance(value.get("tool_calls"), list):
        return _calls_in(value["tool_calls"], names)
    function = value.get("function")
    if isinstance(function, Mapping):
        return _calls_in(function, names)
    if len(value) == 1 and next(iter(value)) in names:
        [(name, arguments)] = value.items()
    else:
        name = next(value[key] for key in _NAMES if key in value)
        arguments = next((value[key] for key in _ARGUMENTS if key in value), None)
        if name not in names or (arguments is None and len(value) > 1):
            raise ValueError("not a call of one of the functions")
    return [{"name": name, "arguments": {} if arguments is None else arguments}]
