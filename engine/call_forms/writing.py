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
_ANY = "/(?s:.)*/"


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
        return " ".join(self._expression(part) for part in self._parts(text) if part) or '""'

    def any_text(self, end: str) -> str:
        """Return an expression for any text up to and including `end`."""
        if end in self.marks:
            return f"/(?s:.)*/ {self.text(end)}"
        return self.rule("/(?s:.)*/", f"[suffix={json.dumps(end)}]")

    def text_up_to(self, end: str, without: str = "", *, more: str = "") -> str:
        """Return an expression for any text up to `end`.

        It ends at the first `end`; with `more`, which is "end" or "anything", it may go on to a later one, or without
        one. A text that has `without` in it does not end so.
        """
        first, *others = self._parts(end)
        text = f"~{self._terminal(f'{_ANY} {json.dumps(without)} {_ANY}')}" if without else _ANY
        if not others:
            if not more:
                return self.rule(f"{self._terminal(text)} {json.dumps(first)}", "[lazy]")
            return self._terminal(f"{_ANY} {json.dumps(first)} {_ANY if more == 'anything' else ''}")
        control = " | ".join(sorted({self._expression(mark) for mark in others[::2]}))
        pieces = f"({_ANY} ({control}))*"
        parts = [*map(self._expression, others[:-1]), self.rule(json.dumps(others[-1]), "[lazy]") if others[-1] else ""]
        if more == "anything":
            parts[-1] = f"{self._terminal(f'{json.dumps(others[-1])} {_ANY}')} (({control}) {_ANY})*"
        elif more:
            parts[-1] = self._expression(others[-1]) if others[-1] else ""
        return f"{'' if without else pieces} {self._terminal(f'{text} {json.dumps(first)}')} {' '.join(parts)}"

    def _parts(self, text: str) -> list[str]:
        """Split a text at the control tokens in it, which stand at the odd places."""
        found = "|".join(re.escape(mark) for mark in sorted(self.marks, key=len, reverse=True))
        return re.split(f"({found})", text) if self.marks else [text]

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


# The name of a parameter, its schema, and whether it is needed.
_Parameter = tuple[str, Schema, bool]


@dataclass(frozen=True)
class Function:
    """A function that may be called, with the JSON schema of its arguments."""

    name: str
    schema: Mapping[str, Any]

    @property
    def parameters(self) -> list[_Parameter]:
        """The name and schema of each parameter, and whether it is needed, in the order of the declaration."""
        return _entries(arguments_of(self.schema))

    @property
    def freed(self) -> dict[str, Any]:
        """A schema of arguments of the same names with any values."""
        parameters = self.parameters
        required = [name for name, _, needed in parameters if needed]
        return {"type": "object", "properties": {name: {} for name, _, _ in parameters}, "required": required}


def _entries(schema: Schema) -> list[_Parameter]:
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
class TaggedCalls:
    """Calls with a tag for each argument.

    `begin` and `key` contain NAME, for the function and the parameter, and `key` may contain STRING, which says whether
    the value is a text; `closing` may contain NAME, too. `line` comes between a value that is not a free text and
    `closing`. `start` and `stop` enclose all calls, and `between` stands between two.

    A free text ends where the form goes on: with the next argument, the call's end, or that and the next call. After
    what may be the call's end the text may go on, too, or anything follows within free text: readers decide which of
    it is the end (`engine.call_forms.tagged`).
    """

    begin: str
    key: str
    closing: str
    after: str
    end: str
    line: str = ""
    start: str = ""
    between: str = "\n"
    stop: str = ""

    def __call__(self, writer: Writer, function: Function) -> str:
        return self.calls(writer, [function], several=False, in_text=False)

    def calls(self, writer: Writer, functions: Sequence[Function], *, several: bool, in_text: bool) -> str:
        """Return the expression of a call of one of the functions, or of `several`."""
        return _TaggedWriter(self, writer, functions, several, in_text).calls()

    def value(self, writer: Writer, schema: Schema) -> str:
        """Return an expression of the values of a simple schema that is no free text."""
        del writer
        return _unquoted(schema)


@dataclass
class _TaggedWriter:
    """Writes the rules of calls with tags.

    For the function i there are the rules `call_i` of what follows the beginning of its call, `call_i_n` of what
    follows its first n parameters, and `call_i_value_n` of what follows the tag that begins the next one.
    """

    form: TaggedCalls
    writer: Writer
    functions: Sequence[Function]
    several: bool
    in_text: bool
    # The expressions of texts up to an end, by the end.
    known: dict[str, str] = field(default_factory=dict)

    def calls(self) -> str:
        for index, function in enumerate(self.functions):
            self._write(f"call_{index}", function.parameters)
        # Within free text, what has marks of its own is another call there.
        more = self.several and not (self.in_text and not self.form.start)
        ends = [self.writer.text(self.form.end + self.form.stop)]
        ends += [f"{self.writer.text(begin)} {call}" for begin, call in self._next_calls()] if more else []
        self.writer.rules.append(f"end_of_call: {' | '.join(ends)}")
        starts = [f"{self.writer.text(self.form.start + begin)} {call}" for begin, call in self._begins()]
        return self.writer.rule(" | ".join(starts))

    def _begins(self) -> list[tuple[str, str]]:
        names = enumerate(function.name for function in self.functions)
        return [(self.form.begin.replace("NAME", name), f"call_{index}") for index, name in names]

    def _next_calls(self) -> list[tuple[str, str]]:
        """Return the end of a call with the beginning of the next one, and the rules that follow that."""
        return [(self.form.end + self.form.between + begin, call) for begin, call in self._begins()]

    def _write(self, call: str, parameters: Sequence[_Parameter]) -> None:
        """Write the rules of a call."""
        add, texts = self.writer.rules.append, dict[str, list[str]]()
        add(f"{call}: {call}_0")
        add(f"{call}_{len(parameters)}: end_of_call")
        for index, (name, schema, needed) in enumerate(parameters):
            keys = [f"{self.writer.text(key)} {body}" for key, body in self._keys(call, parameters, index)]
            add(f"{call}_{index}: {' | '.join([*keys, *([] if needed else [f'{call}_{index + 1}'])])}")
            closing = self.form.closing.replace("NAME", name) + self.form.after
            for kind, values in self._variants(schema).items():
                if kind != "false" and any(one.free_text for one in values):
                    if closing not in texts:
                        texts[closing] = self._after_texts(closing, call, parameters)
                    body = texts[closing][index + 1]
                else:
                    content = " | ".join(self.form.value(self.writer, one) for one in values)
                    body = f"({content}) {self.writer.text(self.form.line + closing)} {call}_{index + 1}"
                add(f"{call}_value_{index}{kind}: {body}")

    def _variants(self, schema: Schema) -> dict[str, list[Schema]]:
        """Return the values for each of the words that STRING stands for."""
        found = schema.alternatives
        if "STRING" not in self.form.key:
            return {"": found}
        texts = [one for one in found if one.kind in ("string", "")]
        others = [one for one in found if one.kind != "string"]
        return {kind: values for kind, values in (("true", texts), ("false", others)) if values}

    def _keys(self, call: str, parameters: Sequence[_Parameter], index: int) -> list[tuple[str, str]]:
        """Return the tags that begin a parameter, and the rules that follow them."""
        name, schema, _ = parameters[index]
        key = self.form.key.replace("NAME", name)
        return [(key.replace("STRING", kind), f"{call}_value_{index}{kind}") for kind in self._variants(schema)]

    def _after_texts(self, closing: str, call: str, parameters: Sequence[_Parameter]) -> list[str]:
        """Return for each number of parameters the rule of a free text in the last of them, and all that follows it."""
        found = [self._last_text(closing)]
        for index in range(len(parameters) - 1, -1, -1):
            keys = [f"{self._up_to(closing + key)} {body}" for key, body in self._keys(call, parameters, index)]
            needed = parameters[index][2]
            found.append(self.writer.rule(" | ".join([*keys, *([] if needed else [found[-1]])])))
        return found[::-1]

    def _last_text(self, closing: str) -> str:
        """Return the rule of a free text with the end of its call, and all that follows that."""
        if closing not in self.known:
            end = closing + self.form.end + self.form.stop
            found = [self.writer.text_up_to(end, more="anything" if self.in_text else "end")]
            # A text with a call in it may have several: which of them are calls of the answer, nobody can tell yet.
            mention = self.form.begin.partition("NAME")[0].rpartition("\n")[2]
            for begin, call in self._next_calls() if self.several else ():
                found.append(f"{self.writer.text_up_to(closing + begin, mention)} {call}")
            self.known[closing] = self.writer.rule(" | ".join(found))
        return self.known[closing]

    def _up_to(self, end: str) -> str:
        if end not in self.known:
            self.known[end] = self.writer.rule(self.writer.text_up_to(end))
        return self.known[end]


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
class NestedCalls(TaggedCalls):
    """MiniMax-M3's form: an element for each argument, and for each entry of objects and lists in it.

    `mark` stands before every tag.
    """

    mark: str = ""

    def value(self, writer: Writer, schema: Schema) -> str:
        return writer.value(schema, partial(self._content, writer))

    def _content(self, writer: Writer, schema: Schema) -> str:
        if schema.kind == "array" and not schema.is_value:
            return f"{self._element(writer, 'item', schema.items)}*"
        entries = _entries(schema) if schema.kind == "object" and not schema.is_value else []
        elements = [self._element(writer, name, entry) + ("" if needed else "?") for name, entry, needed in entries]
        return " ".join(elements) or _unquoted(schema)

    def _element(self, writer: Writer, name: str, schema: Schema) -> str:
        opening, closing = (writer.text(tag.replace("NAME", name)) for tag in (self.key, self.closing))
        if any(one.free_text for one in schema.alternatives):
            # The mark begins the closing tag.
            return writer.rule(f"{opening} {writer.any_text(self.mark)} {writer.text(f'</{name}>')}")
        return writer.rule(f"{opening} {writer.value(schema, partial(self._content, writer))} {closing}")
