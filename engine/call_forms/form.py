"""A form of function calls, and the calls that it reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.call_forms.growing import GrowingCall, growing_call
from engine.call_forms.reading import CallReader, whole
from engine.call_forms.schema import arguments_of
from engine.call_forms.stray import stray_calls
from engine.call_forms.tagged import AmbiguousCall, Tagged
from engine.call_forms.unfinished import begins_calls
from engine.call_forms.writing import Write, cannot_write

# A longer call is treated as text, because parsers copy it several times.
LONGEST_CALL = 2**20
# What the tags of arguments begin with.
_BEFORE_TAGS = ("<", "]")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the model wants to be called; `arguments` is the text of a JSON object."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Marks:
    """The texts before and after calls; without `end` they extend to the end of the answer.

    With `whole` the reader gets the marks, too. With `first`, only the beginning of a reply is such a mark, and with
    `named`, only a text before the name of a function.
    """

    start: str
    end: str = ""
    whole: bool = False
    first: bool = False
    named: bool = False


@dataclass(frozen=True)
class CallForm:
    """A form of calls.

    `marks` stand around calls that `read` reads. A template with all texts of one of the `signs` belongs to a model of
    this form; without signs, mlx-lm tells. In a grammar, `write` returns the expression of one call, and `begin` and
    `end` enclose all calls of an answer, which is a single one if `between` is None. `thought` are the texts before,
    directly after and further after thoughts of models without marks for thoughts. Calls begin with `opening` if that
    is not the first of the marks. With `identifiers` models can write only such names of functions as Python has.
    `tags` read calls of which only the rest of the answer tells where they end.
    """

    marks: tuple[Marks, ...]
    read: CallReader
    write: Write = cannot_write
    begin: str = ""
    end: str = ""
    between: str | None = "\n"
    signs: tuple[tuple[str, ...], ...] = ()
    thought: tuple[str, str, str] | None = None
    opening: str = ""
    identifiers: bool = False
    tags: Tagged | None = None

    @property
    def separate(self) -> bool:
        """Whether each of several calls has marks of its own."""
        return not self.begin and any(mark.end for mark in self.marks)

    def names(self, names: Iterable[str]) -> dict[str, str]:
        """Return by what name models of this form call each of the functions; no two have the same."""
        wanted = list(dict.fromkeys(names))
        if not self.identifiers:
            return {name: name for name in wanted}
        written = {name: name for name in wanted if _IDENTIFIER.fullmatch(name)}
        for name in wanted:
            allowed = identifier = re.sub(r"^(?=\d)|\W", "_", name, flags=re.ASCII)
            number = 1
            while name not in written and identifier in written.values():
                number += 1
                identifier = f"{allowed}_{number}"
            written.setdefault(name, identifier)
        return written

    def calls(self, text: str, tools: Sequence[Mapping[str, Any]]) -> tuple[list[ToolCall], bool]:
        """Return the calls of `tools` in `text`, which stood between the marks, and whether it holds nothing else.

        Unreadable text and calls of other functions count as something else.
        """
        if len(text) > LONGEST_CALL:
            return [], False
        names = self.names([tool["function"]["name"] for tool in tools])
        real = {written: name for name, written in names.items()}
        try:
            entries = self.read(text, [renamed(tool, names) for tool in tools])
            calls = [_call(entry, real, tools) for entry in (entries if isinstance(entries, list) else [entries])]
        # The model may write anything, and parsers can raise any exception.
        except Exception:
            return [], False
        known = [call for call in calls if call.name in names]
        return known, bool(known) and len(known) == len(calls)

    def stray_calls(self, text: str, tools: Sequence[Mapping[str, Any]]) -> list[ToolCall]:
        """Return the calls of `tools` in a text that holds only calls, not quite in this form; [] for other texts."""
        names = self.names([tool["function"]["name"] for tool in tools])
        try:
            entries = stray_calls(text if len(text) <= LONGEST_CALL else "", {*names, *names.values()})
            return [_call(entry, {name: real for real, name in names.items()}, tools) for entry in entries]
        # The model may write anything.
        except Exception:
            return []

    def is_in_quotes(self, text: str) -> bool:
        """Whether `text`, from behind a start mark up to an end mark, ends inside a JSON string.

        Then that end mark is a part of the string.
        """
        try:
            self.read(text if len(text) <= LONGEST_CALL else "", ())
        except json.JSONDecodeError as error:
            return error.msg.startswith("Unterminated string")
        except Exception:
            return False
        return False

    def has_end_of_tags(self, text: str) -> bool:
        """Return whether `text` contains the end mark of a call with tags."""
        return self.tags is not None and (self.tags.end or self.tags.stop) in text

    def begins_calls(self, text: str, mark: Marks, names: Iterable[str]) -> bool:
        """Return whether a `text`, the end of an answer, was cut within calls of functions with these `names`.

        The text begins with `mark`. One that only mentions the mark was not cut within calls.
        """
        written = list(self.names(names).values())
        begin = self.tags.beginning(text) if self.tags is not None else None
        if begin is not None and begin.end() < len(text):
            values = text[begin.end() :].lstrip()
            return begin["name"] in written and (not values or values.startswith(_BEFORE_TAGS))
        return bool(written) and begins_calls(
            text if mark.whole else text[len(mark.start) :], written, marked=not mark.first
        )

    def growing_call(self, mark: Marks | None, tools: Sequence[Mapping[str, Any]]) -> GrowingCall | None:
        """Return what reads a call of `tools` while it is written; None if calls in this form only come whole.

        Its text begins with `mark`, if there is one. It has the name that the model writes for the function.
        """
        functions = [tool["function"] for tool in tools]
        names = self.names([function["name"] for function in functions])
        schemas = {names[function["name"]]: arguments_of(function.get("parameters")) for function in functions}
        start = mark.start if mark is not None and not mark.whole else ""
        return growing_call(self.read, self.tags, schemas, start)

    def real_name(self, written: str, tools: Sequence[Mapping[str, Any]]) -> str:
        """Return the name of the function that the model calls `written`. There has to be one in `tools`."""
        names = self.names([tool["function"]["name"] for tool in tools])
        return next(name for name, known in names.items() if known == written)

    def last_calls(self, text: str, tools: Sequence[Mapping[str, Any]]) -> tuple[list[ToolCall], int]:
        """Return the calls with tags at the start of the rest of an answer, and the offset behind them.

        Raises `AmbiguousCall` if the end of a value cannot be told, and `ValueError` if no call begins here.
        """
        assert self.tags is not None
        entries, end = self.tags.read(text, tools)
        try:
            return [_call(entry, {}, tools) for entry in entries], end
        except Exception as error:
            raise AmbiguousCall(entries[0]["name"]) from error


def renamed(holder: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a tool, or a call in a message, with the name that models write for its function."""
    function = holder["function"]
    return {**holder, "function": {**function, "name": names.get(function["name"], function["name"])}}


def _call(entry: Mapping[str, Any], real: Mapping[str, str], tools: Sequence[Mapping[str, Any]]) -> ToolCall:
    """Return a call with the function's real name and arguments as JSON, whole numbers where the schema wants them.

    Raises ValueError, LookupError or TypeError if the entry is no call.
    """
    name = entry["name"]
    arguments = entry.get("arguments", {})
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise ValueError("not a call")
    name = real.get(name, name)
    parameters = next((tool["function"].get("parameters") for tool in tools if tool["function"]["name"] == name), None)
    for key, schema in arguments_of(parameters).properties.items():
        if key in arguments:
            arguments[key] = whole(arguments[key], schema)
    return ToolCall(name, json.dumps(arguments, ensure_ascii=False))
