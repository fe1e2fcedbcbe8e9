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

# The most calls in one answer.
MOST_CALLS = 32
_NAME = re.compile(r"[\w.-]{1,128}", re.ASCII)


def calls_grammar(source: str, marks: Mapping[str, int] | None = None) -> str:
    """Return the grammar of calls in llguidance's dialect; `source` is a result of `calls_source`.

    `marks` maps the texts of the model's control tokens to ids; without them the grammar describes the text alone.
    Raises `CallsNotExpressible`.
    """
    asked = json.loads(source)
    writer, form = Writer(marks or {}), _form(asked["format"], marks or {})
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
    form: str, tools: Sequence[Mapping[str, Any]], *, parallel: bool, answer: str = "", in_text: bool = False
) -> str:
    """Return the source of a grammar of calls of `tools` (as in the OpenAI API) for a `ModelInfo.tool_format`.

    With `parallel` an answer may have several calls. `answer` is the grammar of an answer without calls, "" if it must
    have one. With `in_text` the grammar is that of one call, or of several that share their marks, within free text.
    What it cannot check of a schema, it leaves to who calls the function. Raises `CallsNotExpressible`.
    """
    names = call_form(form).names([tool["function"]["name"] for tool in tools])
    functions = [(names[tool["function"]["name"]], _lenient(tool["function"].get("parameters"))) for tool in tools]
    for name, _ in functions:
        if not _NAME.fullmatch(name):
            raise CallsNotExpressible(f"The name {name[:64]!r} of a function has other signs than letters and digits.")
    asked = {"format": form, "functions": functions, "parallel": parallel, "answer": answer, "in_text": in_text}
    source = json.dumps(asked)
    calls_grammar(source)
    return source


def _lenient(parameters: Any) -> dict[str, Any]:
    """Return the schema of a function's arguments, of which the grammar ignores what llguidance does not know."""
    schema = parameters if isinstance(parameters, Mapping) else {}
    own = schema.get("x-guidance")
    return {**schema, "x-guidance": {**(own if isinstance(own, Mapping) else {}), "lenient": True}}


def with_freed_arguments(source: str, usable: Callable[[str], bool]) -> str:
    """Return a result of `calls_source` with any values for the arguments of functions whose schemas are not `usable`.

    `usable` says so of the source of a grammar of the function alone.
    """
    asked = json.loads(source)
    alone = [{**asked, "functions": [function], "answer": ""} for function in asked["functions"]]
    asked["functions"] = [
        one["functions"][0] if usable(json.dumps(one)) else (name, Function(name, schema).freed)
        for one, (name, schema) in zip(alone, asked["functions"], strict=True)
    ]
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
    form, names = call_form(asked["format"]), tuple(name for name, _ in asked["functions"])
    mark = next((one for one in form.marks if not one.first), Marks(form.opening))
    return Opening(mark.start, bool(mark.end), any(one.first for one in form.marks), names)


def _form(name: str, marks: Mapping[str, int]) -> CallForm:
    # Older Mistral models write a list; newer ones have a token between name and arguments.
    return call_form("mistral_args" if name == "mistral" and "[ARGS]" in marks else name)
