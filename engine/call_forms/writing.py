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


class CallsNotExpressible(Exception):
    """No grammar can express these calls; the argument is a sentence for developers."""


@dataclass
class Writer:
    """Writes Lark expressions. `marks` maps the texts of the model's control tokens to ids; no text spells those."""

    marks: Mapping[str, int] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)
    # The rules of values by their schemas, which may contain themselves.
    kept: dict[tuple[int, str], str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """Return an expression for exactly this text."""
        if not self.marks:
            return json.dumps(text)
        found = "|".join(re.escape(mark) for mark in sorted(self.marks, key=len, reverse=True))
        parts = [part for part in re.split(f"({found})", text) if part]
        return " ".join(f"<[{self.marks[part]}]>" if part in self.marks else json.dumps(part) for part in parts)

    def any_text(self, end: str) -> str:
        """Return an expression for any text up to and including `end`."""
        if end in self.marks:
            return f"/(?s:.)*/ {self.text(end)}"
        return self.rule("/(?s:.)*/", f"[suffix={json.dumps(end)}]")

    def rule(self, body: str, attributes: str = "") -> str:
        """Add a rule and return its name."""
        name = f"part_{len(self.rules)}"
        self.rules.append(f"{name}{attributes}: {body}")
        return name

    def value(self, schema: Schema, write: Callable[[Schema], str]) -> str:
        """Return a rule for values of a schema: for each of its simple alternatives what `write` returns."""
        asked = (id(schema.root), json.dumps(schema.content))
        if asked not in self.kept:
            self.kept[asked] = f"value_{len(self.kept)}"
            self.rules.append(f"{self.kept[asked]}: {' | '.join(map(write, schema.alternatives))}")
        return self.kept[asked]

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
class Function:
    """A function that may be called, with the JSON schema of its arguments."""

    name: str
    schema: Mapping[str, Any]

    @property
    def parameters(self) -> list[tuple[str, Schema, bool]]:
        """The name and schema of each parameter, and whether it is needed, in the order of the declaration."""
        return _entries(arguments_of(self.schema))

    @property
    def freed(self) -> dict[str, Any]:
        """A schema of arguments of the same names with any values."""
        parameters = self.parameters
        required = [name for name, _, needed in parameters if needed]
        return {"type": "object", "properties": {name: {} for name, _, _ in parameters}, "required": required}


def _entries(schema: Schema) -> list[tuple[str, Schema, bool]]:
    properties, required = schema.properties, schema.required
    return [(name, one, name in required) for name, one in properties.items() if _WRITABLE.fullmatch(name)]


Write = Callable[[Writer, Function], str]


def cannot_write(_: Writer, __: Function) -> str:
    """Refuse to write calls of a form that only a parser is known for."""
    raise CallsNotExpressible("The loaded model writes calls in a form that no grammar is known for.")


# Arguments as one JSON object


def json_of(schema: Mapping[str, Any]) -> str:
    """Return a Lark expression for JSON that follows the schema, in LAYOUT unless its "x-guidance" says otherwise."""
    own = schema.get("x-guidance", {})
    return f"%json {json.dumps({**schema, 'x-guidance': LAYOUT | (own if isinstance(own, dict) else {})})}"


def json_call(call: str) -> Write:
    """Write calls as `call`, in which NAME is the function, NUMBER numbers the call, and ARGUMENTS is a JSON object."""

    def write(writer: Writer, function: Function) -> str:
        values = {"NUMBER": "/[0-9]{1,2}/", "ARGUMENTS": json_of({**function.schema, "type": "object"})}
        parts = re.split("(NUMBER|ARGUMENTS)", call)
        return " ".join(values.get(part) or writer.text(part.replace("NAME", function.name)) for part in parts)

    return write


# Arguments one by one


@dataclass(frozen=True)
class TaggedCall:
    """A call with a tag for each argument.

    `begin` and `key` contain NAME, for the function and the parameter, and `key` may contain STRING, which says whether
    the value is a text. `line` comes between a value that is not a free text and `closing`.
    """

    begin: str
    key: str
    closing: str
    after: str
    end: str
    line: str = ""

    def __call__(self, writer: Writer, function: Function) -> str:
        arguments = [
            self._argument(writer, name, schema) + ("" if needed else "?")
            for name, schema, needed in function.parameters
        ]
        begin, end = writer.text(self.begin.replace("NAME", function.name)), writer.text(self.end)
        return " ".join([begin, *arguments, end])

    def _argument(self, writer: Writer, name: str, schema: Schema) -> str:
        found = schema.alternatives
        if "STRING" not in self.key:
            return writer.rule(self._tagged(writer, self.key.replace("NAME", name), found))
        key, texts = self.key.replace("NAME", name), [one for one in found if one.kind in ("string", "")]
        others = [one for one in found if one.kind != "string"]
        parts = [self._tagged(writer, key.replace("STRING", "true"), texts)] if texts else []
        parts += [self._tagged(writer, key.replace("STRING", "false"), others, json_only=True)] if others else []
        return writer.rule(" | ".join(parts))

    def _tagged(self, writer: Writer, key: str, values: Sequence[Schema], *, json_only: bool = False) -> str:
        after = writer.text(self.after) if self.after else ""
        if not json_only and any(one.free_text for one in values):
            return f"{writer.text(key)} {writer.any_text(self.closing)} {after}"
        closing = writer.text(self.line + self.closing)
        return f"{writer.text(key)} ({' | '.join(map(_unquoted, values))}) {closing} {after}"


def _unquoted(schema: Schema) -> str:
    """Return an expression of the values of a simple schema, in which a text that is known has no quotes."""
    if not schema.is_value:
        return json_of(schema.whole)
    value = schema.content["const"]
    return json.dumps(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def python_call(writer: Writer, function: Function) -> str:
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
            if entries := _entries(schema):
                return f'"{{" {self._listed(writer, entries)} "}}"'
            entry = f'/[\\w.$-]+/ ":" {self._value(writer, schema.others)}'
            return f'"{{" ({entry} ("," {entry})*)? "}}"'
        kinds = ("string", "number", "boolean", "null", "array", "object")
        return " | ".join(self._simple(writer, schema.part({"type": kind})) for kind in kinds)

    def _literal(self, writer: Writer, value: Any) -> str:
        if isinstance(value, str):
            return f"{writer.text(self.quote)} {json.dumps(value)} {writer.text(self.quote)}"
        if isinstance(value, list):
            return f'"[" {writer.list_of([(self._literal(writer, one), True) for one in value], ",")} "]"'
        if isinstance(value, dict):
            entries = [(f"{json.dumps(f'{key}:')} {self._literal(writer, one)}", True) for key, one in value.items()]
            return f'"{{" {writer.list_of(entries, ",")} "}}"'
        return json.dumps(json.dumps(value))


@dataclass(frozen=True)
class NestedCall:
    """MiniMax-M3's form: an element for each argument, and for each entry of objects and lists in it.

    `mark` stands before every tag.
    """

    mark: str

    def __call__(self, writer: Writer, function: Function) -> str:
        begin, end = (self._tag(writer, tag) for tag in (f'invoke name="{function.name}"', "/invoke"))
        return f"{begin} {self._elements(writer, function.parameters)} {end}"

    def _tag(self, writer: Writer, tag: str) -> str:
        return f"{writer.text(self.mark)} {writer.text(f'<{tag}>')}"

    def _elements(self, writer: Writer, entries: Sequence[tuple[str, Schema, bool]]) -> str:
        return " ".join(
            self._element(writer, name, schema) + ("" if needed else "?") for name, schema, needed in entries
        )

    def _element(self, writer: Writer, name: str, schema: Schema) -> str:
        opening, closing = self._tag(writer, name), self._tag(writer, f"/{name}")
        if any(one.free_text for one in schema.alternatives):
            # The mark begins the closing tag.
            return writer.rule(f"{opening} {writer.any_text(self.mark)} {writer.text(f'</{name}>')}")
        return writer.rule(f"{opening} {writer.value(schema, partial(self._content, writer))} {closing}")

    def _content(self, writer: Writer, schema: Schema) -> str:
        if schema.kind == "array" and not schema.is_value:
            return f"{self._element(writer, 'item', schema.items)}*"
        entries = _entries(schema) if schema.kind == "object" and not schema.is_value else []
        return self._elements(writer, entries) if entries else _unquoted(schema)
