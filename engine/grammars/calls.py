"""Grammars of function calls in the form of a model's family; an answer then consists of such calls only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.call_forms.form import CallForm, Marks
from engine.call_forms.table import call_form
from engine.call_forms.tagged_writing import TaggedCalls
from engine.call_forms.writing import CallsNotExpressible, Function, Writer
from engine.grammars.schemas import Usable, plain_schema, reduced_schema

# The most calls in one answer.
MOST_CALLS = 32
_NAME = re.compile(r"[\w.-]{1,128}", re.ASCII)


def calls_grammar(source: str, marks: Mapping[str, int] | None = None) -> str:
    """Return the grammar of calls in llguidance's dialect; `source` is a result of `calls_source`.

    `marks` maps the texts of the model's control tokens to ids; without them the grammar describes the text alone.
    Raises `CallsNotExpressible`.
    """
    asked = json.loads(source)
    writer = Writer(marks or {})
    form = _form(asked["format"], marks or {})
    functions = [Function(name, schema) for name, schema in asked["functions"]]
    calls = f"{_thought(writer, form)} /\\n{{0,2}}/ {_calls(writer, form, functions, asked)}"
    start = f"start: calls | @answer\ncalls: {calls}" if asked["answer"] else f"start: {calls}"
    return "\n".join([start, *writer.rules])


def _calls(writer: Writer, form: CallForm, functions: Sequence[Function], asked: Mapping[str, Any]) -> str:
    """Return the expression of the calls of an answer, with what encloses them."""
    if isinstance(form.write, TaggedCalls):
        return form.write.calls(writer, functions, several=asked["parallel"], in_text=asked["in_text"])
    call = writer.rule(" | ".join(form.write(writer, function) for function in functions))
    several = asked["parallel"] and form.between is not None and not (asked["in_text"] and form.separate)
    more = f"({writer.text(form.between or '')} {call}){{0,{MOST_CALLS - 1}}}" if several else ""
    begin, end = (writer.text(text) if text else "" for text in (form.begin, form.end))
    return f"{begin} {call} {more} {end}"


def _thought(writer: Writer, form: CallForm) -> str:
    """Return the expression of thoughts that are a message of their own."""
    if form.thought is None:
        return ""
    begin, end, after = form.thought
    return f"({writer.text(begin)} {writer.any_text(end)} {writer.text(after)})?"


def calls_source(
    form: str, tools: Sequence[Mapping[str, Any]], *, parallel: bool, answer: Sequence[str] = (), in_text: bool = False
) -> str:
    """Return the source of a grammar of calls of `tools` (as in the OpenAI API) for a `ModelInfo.tool_format`.

    With `parallel` an answer may have several calls. `answer` are kind and source of the grammar of an answer without
    calls, none if it must have one. With `in_text` the grammar is for one call, or for several that share their
    marks, within free text. What it cannot check of a schema, it leaves to who calls the function. Raises
    `CallsNotExpressible`.
    """
    names = call_form(form).names([tool["function"]["name"] for tool in tools])
    left_out = list[str]()
    functions = []
    for function in (tool["function"] for tool in tools):
        name = names[function["name"]]
        parameters = function.get("parameters")
        if not _NAME.fullmatch(name):
            raise CallsNotExpressible(f"The name {name[:64]!r} of a function has other signs than letters and digits.")
        schema, without = plain_schema(parameters if isinstance(parameters, Mapping) else {})
        functions.append((name, schema))
        left_out += _places(name, without)
    asked = {"format": form, "functions": functions, "parallel": parallel, "answer": answer, "in_text": in_text}
    source = json.dumps({**asked, "left_out": left_out})
    calls_grammar(source)
    return source


def _places(function: str, left_out: Sequence[str]) -> list[str]:
    return [f"{function}{place}" for place in left_out]


def with_reduced_arguments(source: str, usable: Callable[[str], bool], usable_schema: Usable) -> str:
    """Return a result of `calls_source` with wider schemas for those functions whose own are not `usable`.

    `usable` says so of the source of a grammar of the function alone, `usable_schema` of a schema.
    """
    asked = json.loads(source)
    for index, function in enumerate(asked["functions"]):
        alone = {**asked, "functions": [function], "answer": ()}
        if usable(json.dumps(alone)):
            continue
        name, schema = function
        reduced, without = reduced_schema({**schema, "type": "object"}, usable_schema)
        if not usable(json.dumps({**alone, "functions": [(name, reduced)]})):
            reduced = Function(name, schema).untyped
            without = ("#",)
        asked["functions"][index] = name, reduced
        asked["left_out"] += _places(name, without)
    return json.dumps(asked)


@dataclass(frozen=True)
class Opening:
    """How calls begin in free text: with `mark`, or if `bare` as the beginning of a reply that has one of the `names`.

    `closes` says whether a call with the mark has an end of its own. The grammar of bare calls has no marks.
    """

    mark: str
    closes: bool
    bare: bool
    names: tuple[str, ...]


def opening_of(source: str) -> Opening:
    """Return how the calls of a result of `calls_source` begin."""
    asked = json.loads(source)
    form = call_form(asked["format"])
    names = tuple(name for name, _ in asked["functions"])
    mark = next((candidate for candidate in form.marks if not candidate.first), Marks(""))
    return Opening(form.opening or mark.start, bool(mark.end), any(candidate.first for candidate in form.marks), names)


def _form(name: str, marks: Mapping[str, int]) -> CallForm:
    # Older Mistral models write a list; newer ones have a token between name and arguments.
    return call_form("mistral_args" if name == "mistral" and "[ARGS]" in marks else name)
