"""Writers of grammars of calls with a tag for each argument, whose values are texts without quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from engine.call_forms.schema import Schema
from engine.call_forms.writing import Function, Parameter, Writer, entries_of, unquoted


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
        return unquoted(schema)


@dataclass
class _TaggedWriter:
    """Writes the rules of calls with tags.

    The function i has the rules `call_i` of what follows the beginning of its call, `call_i_n` of what follows its
    first n parameters, and `call_i_value_n` of what follows the tag that begins the next one.
    """

    form: TaggedCalls
    writer: Writer
    functions: Sequence[Function]
    several: bool
    in_text: bool
    # The expressions of texts up to an end, by the end.
    known: dict[str, str] = field(default_factory=dict)

    def calls(self) -> str:
        """Write the rules of all calls, and return the name of the rule that begins with any of them."""
        for index, function in enumerate(self.functions):
            self._write(f"call_{index}", function.parameters)
        ends = [self.writer.text(self.form.end + self.form.stop)]
        # Within free text, what has marks of its own is another call there.
        if self.several and not (self.in_text and not self.form.start):
            ends += [f"{self.writer.text(begin)} {call}" for begin, call in self._next_calls()]
        self.writer.rules.append(f"end_of_call: {' | '.join(ends)}")
        starts = [f"{self.writer.text(self.form.start + begin)} {call}" for begin, call in self._begins()]
        return self.writer.rule(" | ".join(starts))

    @property
    def _tags(self) -> str:
        form = self.form
        return "".join((form.start, form.begin, form.key, form.closing, form.end, form.stop))

    def _begins(self) -> list[tuple[str, str]]:
        names = enumerate(function.name for function in self.functions)
        return [(self.form.begin.replace("NAME", name), f"call_{index}") for index, name in names]

    def _next_calls(self) -> list[tuple[str, str]]:
        """Return the end of a call with the beginning of the next one, and the rules that follow that."""
        return [(self.form.end + self.form.between + begin, call) for begin, call in self._begins()]

    def _write(self, call: str, parameters: Sequence[Parameter]) -> None:
        """Write the rules of a call."""
        add = self.writer.rules.append
        texts = dict[str, list[str]]()
        add(f"{call}: {call}_0")
        add(f"{call}_{len(parameters)}: end_of_call")
        for index, (name, schema, needed) in enumerate(parameters):
            keys = [f"{self.writer.text(key)} {body}" for key, body in self._keys(call, parameters, index)]
            if not needed:
                keys.append(f"{call}_{index + 1}")
            add(f"{call}_{index}: {' | '.join(keys)}")
            closing = self.form.closing.replace("NAME", name) + self.form.after
            for kind, values in self._variants(schema).items():
                if kind != "false" and any(option.is_any_text for option in values):
                    if closing not in texts:
                        texts[closing] = self._after_texts(closing, call, parameters)
                    body = texts[closing][index + 1]
                else:
                    content = " | ".join(self.form.value(self.writer, option) for option in values)
                    body = f"({content}) {self.writer.text(self.form.line + closing)} {call}_{index + 1}"
                add(f"{call}_value_{index}{kind}: {body}")

    def _variants(self, schema: Schema) -> dict[str, list[Schema]]:
        """Return the values for each of the words that STRING stands for."""
        options = schema.alternatives
        if "STRING" not in self.form.key:
            return {"": options}
        texts = [option for option in options if option.kind in ("string", "")]
        others = [option for option in options if option.kind != "string"]
        return {kind: values for kind, values in (("true", texts), ("false", others)) if values}

    def _keys(self, call: str, parameters: Sequence[Parameter], index: int) -> list[tuple[str, str]]:
        """Return the tags that begin a parameter, and the rules that follow them."""
        name, schema, _ = parameters[index]
        key = self.form.key.replace("NAME", name)
        return [(key.replace("STRING", kind), f"{call}_value_{index}{kind}") for kind in self._variants(schema)]

    def _after_texts(self, closing: str, call: str, parameters: Sequence[Parameter]) -> list[str]:
        """Return for each number of parameters the rule of a free text in the last of them, and all that follows it."""
        rules = [self._last_text(closing)]
        for index in range(len(parameters) - 1, -1, -1):
            keys = [f"{self._up_to(closing + key)} {body}" for key, body in self._keys(call, parameters, index)]
            if not parameters[index][2]:
                keys.append(rules[-1])
            rules.append(self.writer.rule(" | ".join(keys)))
        return rules[::-1]

    def _last_text(self, closing: str) -> str:
        """Return the rule of a free text with the end of its call, and all that follows that."""
        if closing not in self.known:
            end = closing + self.form.end + self.form.stop
            options = [self.writer.text_up_to(end, self._tags, more="anything" if self.in_text else "end")]
            # A text with a call in it may have several: which of them are calls of the answer, nobody can tell yet.
            mention = self.form.begin.partition("NAME")[0].rpartition("\n")[2]
            for begin, call in self._next_calls() if self.several else ():
                options.append(f"{self.writer.text_up_to(closing + begin, self._tags, mention)} {call}")
            self.known[closing] = self.writer.rule(" | ".join(options))
        return self.known[closing]

    def _up_to(self, end: str) -> str:
        if end not in self.known:
            self.known[end] = self.writer.rule(self.writer.text_up_to(end, self._tags))
        return self.known[end]


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
        entries = entries_of(schema) if schema.kind == "object" and not schema.is_value else []
        elements = [self._element(writer, name, entry) + ("" if needed else "?") for name, entry, needed in entries]
        return " ".join(elements) or unquoted(schema)

    def _element(self, writer: Writer, name: str, schema: Schema) -> str:
        opening, closing = (writer.text(tag.replace("NAME", name)) for tag in (self.key, self.closing))
        if any(option.is_any_text for option in schema.alternatives):
            # The mark begins the closing tag.
            return writer.rule(f"{opening} {writer.any_text(self.mark)} {writer.text(f'</{name}>')}")
        return writer.rule(f"{opening} {writer.value(schema, partial(self._content, writer))} {closing}")
