"""Writers of grammars of function calls, one for each way in which models write them.

In most forms the arguments follow their JSON schema. In a form that writes texts without quotes, a text may be any text
unless its schema lists the values; besides, only its name, its place in the order and whether it is required count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# The layout of Python's json, which models have seen most and chat templates use: small models that may choose their
# white space never stop writing it. "oneOf" is coerced because no grammar can express that exactly one schema holds.
LAYOUT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": ", "coerce_one_of": True}
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_WORD = re.compile(r"\w+", re.ASCII)
_SCALARS = {"integer", "number", "boolean", "null"}


class CallsNotExpressible(Exception):
    """No grammar can express these calls; the argument is a sentence for developers."""


@dataclass
class Writer:
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
class Function:
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
        """Return a part of the schema with the definitions that it may refer to, and the options of llguidance."""
        return schema | {key: self.schema[key] for key in ("$defs", "definitions", "x-guidance") if key in self.schema}


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
class TaggedCall:
    """A call with a tag for each argument.

    `begin` and `key` contain NAME, for the function and the parameter, and `key` may contain STRING, which says whether
    the value is a text. `line` comes between a value that is not a free
    text and `closing`. `empty` is a call without arguments.
    """

    begin: str
    key: str
    closing: str
    after: str
    end: str
    line: str = ""
    empty: str = ""

    def __call__(self, writer: Writer, function: Function) -> str:
        parameters = function.parameters
        rules = [self._argument(writer, name, schema) for name, schema, _ in parameters]
        begin, end = writer.text(self.begin.replace("NAME", function.name)), writer.text(self.end)
        if self.empty and not any(needed for _, _, needed in parameters):
            some = [" ".join([rule, *(f"{later}?" for later in rules[at:])]) for at, rule in enumerate(rules, 1)]
            empty = writer.text(self.empty.replace("NAME", function.name))
            return " | ".join([*(f"{begin} {one} {end}" for one in some), empty])
        optional = [rule if needed else f"{rule}?" for rule, (_, _, needed) in zip(rules, parameters, strict=True)]
        return " ".join([begin, *optional, end])

    def _argument(self, writer: Writer, name: str, schema: dict[str, Any]) -> str:
        is_text = "true" if _is_text(schema) else "false"
        key = writer.text(self.key.replace("NAME", name).replace("STRING", is_text))
        if texts := _texts(schema):
            value = f"({' | '.join(map(json.dumps, texts))}) {writer.text(self.line + self.closing)}"
        elif _is_text(schema):
            value = writer.any_text(self.closing)
        else:
            value = f"{json_of(schema)} {writer.text(self.line + self.closing)}"
        after = writer.text(self.after) if self.after else ""
        return writer.rule(f"{key} {value} {after}")


def python_call(writer: Writer, function: Function) -> str:
    if not _IDENTIFIER.fullmatch(function.name) or not all(_WORD.fullmatch(name) for name, _, _ in function.parameters):
        raise CallsNotExpressible(f"The loaded model calls functions as Python does, which {function.name!r} is not.")
    entries = [(f"{writer.text(f'{name}=')} {json_of(schema)}", needed) for name, schema, needed in function.parameters]
    return f"{writer.text(f'{function.name}(')} {writer.list_of(entries, ', ')} {writer.text(')')}"


@dataclass(frozen=True)
class BracedCall:
    """Gemma's form: `call:NAME{key:value,…}`, with `quote` around texts.

    With `flat`, values are neither lists nor objects, and texts contain no closing brace.
    """

    begin: str
    end: str
    quote: str
    flat: bool = False

    def __call__(self, writer: Writer, function: Function) -> str:
        begin = writer.text(f"{self.begin}call:{function.name}{{")
        if not re.fullmatch(r"\w+" if self.flat else r"[\w-]+", function.name):
            raise CallsNotExpressible(f"The loaded model cannot call a function of the name {function.name!r}.")
        return f"{begin} {self._entries(writer, function.parameters)} {writer.text(f'}}{self.end}')}"

    def _entries(self, writer: Writer, parameters: Sequence[tuple[str, dict[str, Any], bool]]) -> str:
        for name, _, _ in parameters:
            if not _WORD.fullmatch(name):
                raise CallsNotExpressible(f"The loaded model cannot write a parameter of the name {name[:64]!r}.")
        entries = [
            (f"{writer.text(f'{name}:')} {self._value(writer, schema)}", needed) for name, schema, needed in parameters
        ]
        return writer.list_of(entries, ",")

    def _value(self, writer: Writer, schema: dict[str, Any]) -> str:
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
            return f'"{{" {self._entries(writer, Function("", schema).parameters)} "}}"'
        raise CallsNotExpressible("The loaded model's form of calls cannot hold a parameter without a simple type.")


@dataclass(frozen=True)
class NestedCall:
    """MiniMax-M3's form: an element for each argument, and for each entry of objects and lists in it.

    `mark` stands before every tag.
    """

    mark: str

    def __call__(self, writer: Writer, function: Function) -> str:
        begin, end = (self._tag(writer, tag) for tag in (f'invoke name="{function.name}"', "/invoke"))
        return f"{begin} {self._elements(writer, function)} {end}"

    def _tag(self, writer: Writer, tag: str) -> str:
        return f"{writer.text(self.mark)} {writer.text(f'<{tag}>')}"

    def _elements(self, writer: Writer, function: Function) -> str:
        parts = [
            writer.rule(self._element(writer, name, schema)) + ("" if needed else "?")
            for name, schema, needed in function.parameters
        ]
        return " ".join(parts)

    def _element(self, writer: Writer, name: str, schema: dict[str, Any]) -> str:
        if not _WORD.fullmatch(name):
            raise CallsNotExpressible(f"The loaded model cannot write a parameter of the name {name[:64]!r}.")
        opening, closing = self._tag(writer, name), self._tag(writer, f"/{name}")
        kind = schema.get("type")
        if texts := _texts(schema):
            return f"{opening} ({' | '.join(map(json.dumps, texts))}) {closing}"
        if _is_text(schema):
            # The mark begins the closing tag.
            return f"{opening} {writer.any_text(self.mark)} {writer.text(f'</{name}>')}"
        if kind == "array" and isinstance(schema.get("items"), dict):
            item = writer.rule(self._element(writer, "item", schema["items"]))
            return f"{opening} {item}* {closing}"
        if kind == "object" and schema.get("properties"):
            return f"{opening} {self._elements(writer, Function('', schema))} {closing}"
        if kind in _SCALARS:
            return f"{opening} {json_of(schema)} {closing}"
        raise CallsNotExpressible("The loaded model's form of calls cannot hold a parameter without a simple type.")
