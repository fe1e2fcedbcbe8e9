"""Writers of grammars of function calls, one for each way in which models write them.

In most forms the arguments follow their JSON schema. In a form that writes texts without quotes, a text may be any text
unless its schema lists the values; besides, only its name, its place in the order and whether it is required count.
What a form cannot say of a schema allows any value; a parameter whose name it cannot write is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from engine.call_forms.schema import Schema, arguments_of

# The layout of Python's json, which models have seen most and chat templates use: small models that may choose their
# white space never stop writing it. "oneOf" is coerced because no grammar can express that exactly one schema holds.
LAYOUT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": ", "coerce_one_of": True}
# The names of parameters that readers find again between any form's signs.
_WRITABLE = re.compile(r"[^\s<>\"'=(),:{}\[\]/|\\]+")
_SCALARS = ("integer", "number", "boolean", "null")
ANY = "/(?s:.)*/"


class CallsNotExpressible(Exception):
    """No grammar can express these calls; the argument is a sentence for developers."""


@dataclass
class Writer:
    """Writes Lark expressions. `marks` maps the texts of the model's control tokens to ids; no text spells those."""

    marks: Mapping[str, int] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)
    # The rules of values by their schemas, which may contain themselves.
    names_of_values: dict[tuple[int, str], str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """Return an expression for exactly this text."""
        return " ".join(self._expression(part) for part in self._parts(text) if part) or '""'

    def any_text(self, end: str) -> str:
        """Return an expression for any text up to and including `end`."""
        if end in self.marks:
            return f"/(?s:.)*/ {self.text(end)}"
        return self.rule("/(?s:.)*/", f"[suffix={json.dumps(end)}]")

    def text_up_to(self, end: str, tags: str, without: str = "", *, more: str = "") -> str:
        """Return an expression for any text up to `end`, with the control tokens that are in `tags` as a part of it.

        It ends at the first `end`; with `more`, which is "end" or "anything", it may go on to a later one, or without
        one. A text that has `without` in it does not end so.
        """
        control = " | ".join(self._expression(mark) for mark in self.marks if mark in tags)
        first, *others = self._parts(end)
        text = ANY
        if without:
            # The complement alone would have the bytes of control tokens in it.
            text = self._terminal(f"{ANY} & ~{self._terminal(f'{ANY} {json.dumps(without)} {ANY}')}")
        parts = [f"({ANY} ({control}))*"] if control and not without else []
        last = f"{text} {json.dumps(first)}"
        if others:
            parts += [self._terminal(last), *map(self._expression, others[:-1])]
            last = json.dumps(others[-1]) if others[-1] else ""
        if last and not more:
            parts.append(self.rule(self._terminal(last), "[lazy]"))
        elif more == "anything":
            parts.append(self._terminal(f"{last} {ANY}") if last else f"{ANY}?")
            parts.append(f"(({control}) {ANY}?)*" if control else "")
        elif last:
            parts.append(self._terminal(last))
        return " ".join(parts)

    def _parts(self, text: str) -> list[str]:
        """Split a text at the control tokens in it, which stand at the odd places."""
        marks = "|".join(re.escape(mark) for mark in sorted(self.marks, key=len, reverse=True))
        return re.split(f"({marks})", text) if self.marks else [text]

    def _expression(self, part: str) -> str:
        return f"<[{self.marks[part]}]>" if part in self.marks else json.dumps(part)

    def _terminal(self, body: str) -> str:
        """Add a terminal and return its name."""
        name = f"TEXT_{len(self.rules)}"
        self.rules.append(f"{name}: {body}")
        return name

    def rule(self, body: str, attributes: str = "") -> str:
        """Add a rule and return its name."""
        name = f"part_{len(self.rules)}"
        self.rules.append(f"{name}{attributes}: {body}")
        return name

    def value(self, schema: Schema, write: Callable[[Schema], str]) -> str:
        """Return a rule for values of a schema: for each of its simple alternatives what `write` returns."""
        asked = (id(schema.root), json.dumps(schema.content))
        if asked not in self.names_of_values:
            self.names_of_values[asked] = f"value_{len(self.names_of_values)}"
            self.rules.append(f"{self.names_of_values[asked]}: {' | '.join(map(write, schema.alternatives))}")
        return self.names_of_values[asked]

    def list_of(self, entries: Sequence[tuple[str, bool]], separator: str) -> str:
        """Return an expression for all needed entries and any of the others, in this order; "" without entries."""
        later = first = ""
        for expression, needed in reversed(entries):
            alone = first
            whole = f"{expression} {later}"
            behind = f"{json.dumps(separator)} {whole}"
            # Rules for the list from this entry on: `later` continues a list, `first` begins it.
            later = self.rule(behind if needed else _perhaps(behind, later))
            first = self.rule(whole if needed else _perhaps(whole, alone))
        return first


def _perhaps(expression: str, without: str) -> str:
    """Return an expression for a list with an entry or `without` it; "" stands for an empty list."""
    return f"{expression} | {without}" if without else f"({expression})?"


# The name of a parameter, its schema, and whether it is needed.
Parameter = tuple[str, Schema, bool]


@dataclass(frozen=True)
class Function:
    """A function that may be called, with the JSON schema of its arguments."""

    name: str
    schema: Mapping[str, Any]

    @property
    def parameters(self) -> list[Parameter]:
        """The name and schema of each parameter, and whether it is needed, in the order of the declaration."""
        return entries_of(arguments_of(self.schema))

    @property
    def untyped(self) -> dict[str, Any]:
        """A schema of arguments of the same names with any values."""
        parameters = self.parameters
        required = [name for name, _, needed in parameters if needed]
        return {"type": "object", "properties": {name: {} for name, _, _ in parameters}, "required": required}


def entries_of(schema: Schema) -> list[Parameter]:
    properties = schema.properties
    required = schema.required
    return [(name, entry, name in required) for name, entry in properties.items() if _WRITABLE.fullmatch(name)]


Write = Callable[[Writer, Function], str]


def cannot_write(_: Writer, __: Function) -> str:
    """Refuse to write calls of a form that only a parser is known for: raises `CallsNotExpressible`."""
    raise CallsNotExpressible("The loaded model writes calls in a form that no grammar is known for.")


def json_of(schema: Mapping[str, Any]) -> str:
    """Return a Lark expression for JSON that follows the schema, in LAYOUT unless its "x-guidance" says otherwise."""
    guidance = schema.get("x-guidance", {})
    layout = LAYOUT | (guidance if isinstance(guidance, dict) else {})
    return f"%json {json.dumps({**schema, 'x-guidance': layout})}"


def json_call(call: str) -> Write:
    """Write calls as `call`, in which NAME is the function, NUMBER numbers the call, and ARGUMENTS is a JSON object."""

    def write(writer: Writer, function: Function) -> str:
        values = {"NUMBER": "/[0-9]{1,2}/", "ARGUMENTS": json_of({**function.schema, "type": "object"})}
        parts = re.split("(NUMBER|ARGUMENTS)", call)
        return " ".join(values.get(part) or writer.text(part.replace("NAME", function.name)) for part in parts)

    return write


def unquoted(schema: Schema) -> str:
    """Return an expression of the values of a simple schema, in which a text that is known has no quotes."""
    if not schema.is_value:
        return json_of(schema.whole)
    value = schema.content["const"]
    return json.dumps(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def python_call(writer: Writer, function: Function) -> str:
    """Return an expression for a call of the function in Python, with named arguments."""
    entries = [
        (f"{writer.text(f'{name}=')} {json_of(schema.whole)}", needed) for name, schema, needed in function.parameters
    ]
    return f"{writer.text(f'{function.name}(')} {writer.list_of(entries, ', ')} {writer.text(')')}"


@dataclass(frozen=True)
class BracedCall:
    """Gemma's form: `call:NAME{key:value,…}`, with `quote` around texts."""

    begin: str
    end: str
    quote: str

    def __call__(self, writer: Writer, function: Function) -> str:
        begin = writer.text(f"{self.begin}call:{function.name}{{")
        return f"{begin} {self._listed(writer, function.parameters)} {writer.text(f'}}{self.end}')}"

    def _listed(self, writer: Writer, entries: Sequence[tuple[str, Schema, bool]]) -> str:
        values = [
            (f"{writer.text(f'{name}:')} {self._value(writer, schema)}", needed) for name, schema, needed in entries
        ]
        return writer.list_of(values, ",")

    def _value(self, writer: Writer, schema: Schema) -> str:
        return writer.value(schema, partial(self._simple, writer))

    def _simple(self, writer: Writer, schema: Schema) -> str:
        """Return an expression for the values of a simple schema; without a type, of any type."""
        if schema.is_value:
            return self._literal(writer, schema.content["const"])
        if schema.kind == "string":
            return f"{writer.text(self.quote)} {writer.any_text(self.quote)}"
        if schema.kind in _SCALARS:
            return json_of(schema.whole)
        if schema.kind == "array":
            item = self._value(writer, schema.items)
            return f'"[" ({item} ("," {item})*)? "]"'
        if schema.kind == "object":
            if entries := entries_of(schema):
                return f'"{{" {self._listed(writer, entries)} "}}"'
            entry = f'/[\\w.$-]+/ ":" {self._value(writer, schema.others)}'
            return f'"{{" ({entry} ("," {entry})*)? "}}"'
        kinds = ("string", "number", "boolean", "null", "array", "object")
        return " | ".join(self._simple(writer, schema.part({"type": kind})) for kind in kinds)

    def _literal(self, writer: Writer, value: Any) -> str:
        """Return an expression for exactly this value."""
        if isinstance(value, str):
            return f"{writer.text(self.quote)} {json.dumps(value)} {writer.text(self.quote)}"
        if isinstance(value, list):
            return f'"[" {writer.list_of([(self._literal(writer, entry), True) for entry in value], ",")} "]"'
        if isinstance(value, dict):
            entries = [
                (f"{json.dumps(f'{key}:')} {self._literal(writer, entry)}", True) for key, entry in value.items()
            ]
            return f'"{{" {writer.list_of(entries, ",")} "}}"'
        return json.dumps(json.dumps(value))
