"""Grammars of function calls in the forms that mlx-lm's parsers read; an answer then consists of such calls only.

In most forms the arguments follow their JSON schema. In a form that writes texts without quotes, a text may be any text
unless its schema lists the values; besides, only its name, its place in the order and whether it is required count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# The most calls in one answer.
MOST_CALLS = 32
# The layout of Python's json, which models have seen most and chat templates use: small models that may choose their
# white space never stop writing it. "oneOf" is coerced because no grammar can express that exactly one schema holds.
LAYOUT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": ", "coerce_one_of": True}
_NAME = re.compile(r"[\w.-]{1,128}", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_WORD = re.compile(r"\w+", re.ASCII)
_SCALARS = {"integer", "number", "boolean", "null"}


class CallsNotExpressible(Exception):
    """No grammar can express these calls; the argument is a sentence for developers."""


@dataclass
class _Writer:
    """Writes Lark expressions. `marks` maps the texts of the model's control tokens to ids; no text spells those."""

    marks: Mapping[str, int] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)

    def text(self, text: str) -> str:
        """Return an expression for exactly this text."""
        if not self.marks:
            return json.dumps(text)
        found = "|".join(re.escape(mark) for mark in sorted(self.marks, key=len, reverse=True))
        parts = [part for part in re.split(f"({found})", text) if part]
        return " ".join(f"<[{self.marks[part]}]>" if part in self.marks else json.dumps(part) for part in parts)

    def any_text(self, end: str, of: str = "(?s:.)") -> str:
        """Return an expression for any text of characters `of`, up to and including `end`."""
        if end in self.marks:
            return f"/{of}*/ {self.text(end)}"
        return self.rule(f"/{of}*/", f"[suffix={json.dumps(end)}]")

    def rule(self, body: str, attributes: str = "") -> str:
        """Add a rule and return its name."""
        name = f"part_{len(self.rules)}"
        self.rules.append(f"{name}{attributes}: {body}")
        return name

    def list_of(self, entries: Sequence[tuple[str, bool]], separator: str) -> str:
        """Return an expression for all needed entries and any of the others, in this order; "" without entries."""
        later = first = ""
        for expression, needed in reversed(entries):
            alone, whole = first, f"{expression} {later}"
            behind = f"{json.dumps(separator)} {whole}"
            # Rules for the list from this entry on: `later` continues a list, `first` begins it.
            later = self.rule(behind if needed else f"{behind} | {later}" if later else f"({behind})?")
            first = self.rule(whole if needed else f"{whole} | {alone}" if alone else f"({whole})?")
        return first


@dataclass(frozen=True)
class _Function:
    """A function that may be called."""

    name: str
    schema: Mapping[str, Any]

    @property
    def parameters(self) -> list[tuple[str, dict[str, Any], bool]]:
        """The name and schema of each parameter, and whether it is needed, in the order of the declaration."""
        properties = self.schema.get("properties") or {}
        required = self.schema.get("required") or []
        if not isinstance(properties, dict) or not all(isinstance(one, dict) for one in properties.values()):
            raise CallsNotExpressible(f"The parameters of {self.name!r} are no JSON schema of an object.")
        return [(name, self._whole(schema), name in required) for name, schema in properties.items()]

    def _whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a part of the schema with the definitions that it may refer to."""
        return schema | {key: self.schema[key] for key in ("$defs", "definitions") if key in self.schema}


Write = Callable[[_Writer, _Function], str]


@dataclass(frozen=True)
class _Form:
    """A form of calls. `write` returns the expression of one call; `begin` and `end` enclose all calls of an answer."""

    write: Write
    begin: str = ""
    end: str = ""
    between: str = "\n"


def calls_grammar(source: str, marks: Mapping[str, int] | None = None) -> str:
    """Return the grammar of calls in llguidance's dialect; `source` is a result of `calls_source`.

    `marks` maps the texts of the model's control tokens to ids; without them the grammar describes the text alone.
    Raises `CallsNotExpressible`.
    """
    asked = json.loads(source)
    writer, form = _Writer(marks or {}), _form(asked["format"], marks or {})
    functions = [_Function(name, schema) for name, schema in asked["functions"]]
    call = writer.rule(" | ".join(form.write(writer, function) for function in functions))
    more = f"({writer.text(form.between)} {call}){{0,{MOST_CALLS - 1}}}" if asked["parallel"] else ""
    begin, end = (writer.text(text) if text else "" for text in (form.begin, form.end))
    calls = f"/\\n{{0,2}}/ {begin} {call} {more} {end}"
    start = f"start: calls | @answer\ncalls: {calls}" if asked["answer"] else f"start: {calls}"
    return "\n".join([start, *writer.rules])


def calls_source(form: str, tools: Sequence[Mapping[str, Any]], *, parallel: bool, answer: str) -> str:
    """Return the source of a grammar of calls of `tools` (as in the OpenAI API) for a `ModelInfo.tool_format`.

    With `parallel` an answer may have several calls. `answer` is the grammar of an answer without calls, "" if it must
    have one. Raises `CallsNotExpressible`.
    """
    functions = [(tool["function"]["name"], tool["function"].get("parameters") or {}) for tool in tools]
    for name, _ in functions:
        if not _NAME.fullmatch(name):
            raise CallsNotExpressible(f"The name {name[:64]!r} of a function has other signs than letters and digits.")
    source = json.dumps({"format": form, "functions": functions, "parallel": parallel, "answer": answer})
    calls_grammar(source)
    return source


def _form(name: str, marks: Mapping[str, int]) -> _Form:
    form = _MISTRAL if name == "mistral" and "[ARGS]" in marks else _FORMS.get(name)
    if form is None:
        raise CallsNotExpressible(f"The loaded model writes calls in a form ({name!r}) that no grammar is known for.")
    return form


# Arguments as one JSON object


def json_of(schema: Mapping[str, Any]) -> str:
    """Return a Lark expression for JSON that follows the schema, in LAYOUT unless its "x-guidance" says otherwise."""
    own = schema.get("x-guidance", {})
    return f"%json {json.dumps({**schema, 'x-guidance': LAYOUT | (own if isinstance(own, dict) else {})})}"


def _json_call(call: str) -> Write:
    """Write calls as `call`, in which NAME is the function, NUMBER numbers the call, and ARGUMENTS is a JSON object."""

    def write(writer: _Writer, function: _Function) -> str:
        values = {"NUMBER": "/[0-9]{1,2}/", "ARGUMENTS": json_of({"type": "object", **function.schema})}
        parts = re.split("(NUMBER|ARGUMENTS)", call)
        return " ".join(values.get(part) or writer.text(part.replace("NAME", function.name)) for part in parts)

    return write


# Arguments one by one


def _is_text(schema: Mapping[str, Any]) -> bool:
    """Whether the parser reads a value of this schema as a text without quotes."""
    kind = schema.get("type")
    if kind is not None:
        return kind == "string" or (isinstance(kind, list) and "string" in kind)
    variants = [*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
    if variants:
        return any(_is_text(one) for one in variants if isinstance(one, dict))
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    return any(isinstance(value, str) for value in values)


def _texts(schema: Mapping[str, Any]) -> list[str]:
    """Return the texts that the schema lists for a value; none if it lists none."""
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


@dataclass(frozen=True)
class _Tagged:
    """A call with a tag for each argument.

    `begin` and `key` contain NAME, for the function and the parameter. `line` comes between a value that is not a free
    text and `closing`. `empty` is a call without arguments.
    """

    begin: str
    key: str
    closing: str
    after: str
    end: str
    line: str = ""
    empty: str = ""

    def __call__(self, writer: _Writer, function: _Function) -> str:
        parameters = function.parameters
        rules = [self._argument(writer, name, schema) for name, schema, _ in parameters]
        begin, end = writer.text(self.begin.replace("NAME", function.name)), writer.text(self.end)
        if self.empty and not any(needed for _, _, needed in parameters):
            some = [" ".join([rule, *(f"{later}?" for later in rules[at:])]) for at, rule in enumerate(rules, 1)]
            empty = writer.text(self.empty.replace("NAME", function.name))
            return " | ".join([*(f"{begin} {one} {end}" for one in some), empty])
        optional = [rule if needed else f"{rule}?" for rule, (_, _, needed) in zip(rules, parameters, strict=True)]
        return " ".join([begin, *optional, end])

    def _argument(self, writer: _Writer, name: str, schema: dict[str, Any]) -> str:
        key = writer.text(self.key.replace("NAME", name))
        if texts := _texts(schema):
            value = f"({' | '.join(map(json.dumps, texts))}) {writer.text(self.line + self.closing)}"
        elif _is_text(schema):
            value = writer.any_text(self.closing)
        else:
            value = f"{json_of(schema)} {writer.text(self.line + self.closing)}"
        after = writer.text(self.after) if self.after else ""
        return writer.rule(f"{key} {value} {after}")


def _python_call(writer: _Writer, function: _Function) -> str:
    if not _IDENTIFIER.fullmatch(function.name) or not all(_WORD.fullmatch(name) for name, _, _ in function.parameters):
        raise CallsNotExpressible(f"The loaded model calls functions as Python does, which {function.name!r} is not.")
    entries = [(f"{writer.text(f'{name}=')} {json_of(schema)}", needed) for name, schema, needed in function.parameters]
    return f"{writer.text(f'{function.name}(')} {writer.list_of(entries, ', ')} {writer.text(')')}"


@dataclass(frozen=True)
class _Braced:
    """Gemma's form: `call:NAME{key:value,…}`, with `quote` around texts.

    With `flat`, values are neither lists nor objects, and texts contain no closing brace.
    """

    begin: str
    end: str
    quote: str
    flat: bool = False

    def __call__(self, writer: _Writer, function: _Function) -> str:
        begin = writer.text(f"{self.begin}call:{function.name}{{")
        if not re.fullmatch(r"\w+" if self.flat else r"[\w-]+", function.name):
            raise CallsNotExpressible(f"The loaded model cannot call a function of the name {function.name!r}.")
        return f"{begin} {self._entries(writer, function.parameters)} {writer.text(f'}}{self.end}')}"

    def _entries(self, writer: _Writer, parameters: Sequence[tuple[str, dict[str, Any], bool]]) -> str:
        for name, _, _ in parameters:
            if not _WORD.fullmatch(name):
                raise CallsNotExpressible(f"The loaded model cannot write a parameter of the name {name[:64]!r}.")
        entries = [
            (f"{writer.text(f'{name}:')} {self._value(writer, schema)}", needed) for name, schema, needed in parameters
        ]
        return writer.list_of(entries, ",")

    def _value(self, writer: _Writer, schema: dict[str, Any]) -> str:
        quote = writer.text(self.quote)
        if texts := _texts(schema):
            return f"({' | '.join(f'{quote} {json.dumps(text)} {quote}' for text in texts)})"
        kind = schema.get("type")
        if kind == "string":
            return f"{quote} {writer.any_text(self.quote, '[^}]' if self.flat else '(?s:.)')}"
        if kind in _SCALARS:
            return json_of(schema)
        if kind == "array" and isinstance(schema.get("items"), dict) and not self.flat:
            item = writer.rule(self._value(writer, schema["items"]))
            return f'"[" ({item} ("," {item})*)? "]"'
        if kind == "object" and not self.flat and schema.get("properties"):
            return f'"{{" {self._entries(writer, _Function("", schema).parameters)} "}}"'
        raise CallsNotExpressible("The loaded model's form of calls cannot hold a parameter without a simple type.")


_QWEN = _Tagged(
    "<tool_call>\n<function=NAME>\n", "<parameter=NAME>\n", "</parameter>", "\n", "</function>\n</tool_call>", "\n"
)
_GLM = _Tagged("<tool_call>NAME\n", "<arg_key>NAME</arg_key>\n<arg_value>", "</arg_value>", "\n", "</tool_call>")
_LONGCAT = _Tagged(
    "<longcat_tool_call>NAME\n",
    "<longcat_arg_key>NAME</longcat_arg_key>\n<longcat_arg_value>",
    "</longcat_arg_value>",
    "\n",
    "</longcat_tool_call>",
    # Its parser reads no call of this form without arguments.
    empty='<longcat_tool_call>{"name": "NAME", "arguments": {}}</longcat_tool_call>',
)
_MINICPM = _Tagged('<function name="NAME">', '<param name="NAME">', "</param>", "", "</function>")
_MINIMAX = _Tagged('<invoke name="NAME">\n', '<parameter name="NAME">', "</parameter>", "\n", "</invoke>\n")
_MUSE = _Tagged(
    '<atem:invoke name="NAME">\n', '<atem:parameter name="NAME">', "</atem:parameter>", "\n", "</atem:invoke>\n"
)
_KIMI_K2 = _json_call("<|tool_call_begin|>functions.NAME:NUMBER<|tool_call_argument_begin|>ARGUMENTS<|tool_call_end|>")
_KIMI_K3 = _json_call(
    '<|open|>call tool="NAME" index="NUMBER"<|sep|><|open|>json type="object"<|sep|>ARGUMENTS'
    "<|close|>json<|sep|><|close|>call<|sep|>"
)
# Older Mistral models write a list; newer ones have a token between name and arguments.
_MISTRAL = _Form(_json_call("[TOOL_CALLS]NAME[ARGS]ARGUMENTS"), between="")
_FORMS: dict[str, _Form] = {
    "json_tools": _Form(_json_call('<tool_call>\n{"name": "NAME", "arguments": ARGUMENTS}\n</tool_call>')),
    "mistral": _Form(_json_call('{"name": "NAME", "arguments": ARGUMENTS}'), "[TOOL_CALLS][", "]", ", "),
    "kimi_k2": _Form(_KIMI_K2, "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", ""),
    "kimi_k3": _Form(_KIMI_K3, "<|open|>tools<|sep|>", "<|close|>tools<|sep|>", ""),
    "pythonic": _Form(_python_call, "<|tool_call_start|>[", "]<|tool_call_end|>", ", "),
    "qwen3_coder": _Form(_QWEN),
    "glm47": _Form(_GLM),
    "laguna": _Form(_GLM),
    "longcat": _Form(_LONGCAT),
    "minicpm5": _Form(_MINICPM),
    "minimax_m2": _Form(_MINIMAX, "<minimax:tool_call>\n", "</minimax:tool_call>", ""),
    "muse_spark": _Form(_MUSE, "<atem:function_calls>\n", "</atem:function_calls>", ""),
    "gemma4": _Form(_Braced("<|tool_call>", "<tool_call|>", '<|"|>'), between=""),
    "function_gemma": _Form(_Braced("<start_function_call>", "<end_function_call>", "<escape>", flat=True), between=""),
}
