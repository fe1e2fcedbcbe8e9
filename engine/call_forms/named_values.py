"""Readers of calls that are a name and named values: as Python writes them, and in Gemma's braces."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Any

from engine.call_forms.reading import Tools

_END = re.compile(r"\s*\Z")
_NAME = re.compile(r"\s*([\w.-]+)\s*")
_LITERAL = re.compile(r"""("{3}|'{3}|["'])(?:\\.|(?!\1).)*\1""", re.DOTALL)
_WORD = re.compile(r"""[^\s,"'()\[\]{}][^,"'()\[\]{}]*""")
_KEYS = {"=": re.compile(r"""\s*([^\s=,"'()\[\]{}]+)\s*="""), ":": re.compile(r"""\s*([^\s:,"'()\[\]{}]+)\s*:""")}
# Templates and grammars write JSON, many models Python.
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}


def as_python(text: str, _: Tools) -> list[dict[str, Any]]:
    """Read a list of calls as Python writes them, with or without its brackets."""
    reader = _ValueReader(text.strip())
    calls = list[dict[str, Any]]()
    listed = reader.sees("[")
    while not (reader.sees("]") if listed else reader.at_end):
        calls.append({"name": reader.take(_NAME), "arguments": reader.block("(", "=", ")")})
        reader.sees(",")
    return calls if reader.at_end else reader.fail()


def as_python_list(text: str, tools: Tools) -> list[dict[str, Any]]:
    """Read a text that is nothing but a list of calls as Python writes them."""
    return as_python(text, tools) if text.lstrip().startswith("[") else []


def as_python_call(text: str, at: int) -> tuple[dict[str, Any], int]:
    """Return the arguments in parentheses at a place, as Python writes them, and their end."""
    reader = _ValueReader(text[at:])
    arguments = reader.block("(", "=", ")")
    return arguments, at + reader.at


def value_in_braces(text: str, at: int, quote: str, longest: int) -> tuple[Any, int | None]:
    """Return the value at a place within Gemma's braces, and its end, behind which the form has to go on.

    The end is None, and so is the value, where that is not so, or not within `longest` characters.
    """
    reader = _ValueReader(text[at : at + longest], quote)
    try:
        value = reader.value()
    except (ValueError, SyntaxError, RecursionError):
        return None, None
    end = reader.at
    return (value, at + end) if reader.sees(",") or reader.sees("}") else (None, None)


@dataclass(frozen=True)
class BraceReader:
    """Reads Gemma's calls, `call:NAME{key:value,…}` with `quote` around texts. Models leave out `call:` at times."""

    quote: str

    def __call__(self, text: str, _: Tools) -> list[dict[str, Any]]:
        reader = _ValueReader(text.strip(), self.quote)
        calls = list[dict[str, Any]]()
        while not reader.at_end:
            reader.sees("call:")
            calls.append({"name": reader.take(_NAME), "arguments": reader.block("{", ":", "}")})
        return calls


class _ValueReader:
    """Reads a text from its beginning on; `quote` encloses texts besides the quotes of Python and JSON."""

    def __init__(self, text: str, quote: str = "") -> None:
        self._text = text
        self._at = 0
        self._quote = quote

    @property
    def at(self) -> int:
        return self._at

    @property
    def at_end(self) -> bool:
        return _END.match(self._text, self._at) is not None

    def fail(self) -> Any:
        raise ValueError(f"not a call at {self._at}")

    def sees(self, sign: str) -> bool:
        """Read a sign, and the white space before it, if they come next."""
        match = re.compile(r"\s*" + re.escape(sign)).match(self._text, self._at)
        self._at = match.end() if match else self._at
        return match is not None

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at) or self.fail()
        self._at = match.end()
        return str(match[1])

    def block(self, begin: str, sign: str, end: str) -> dict[str, Any]:
        """Read named values, with a sign between name and value, from `begin` to `end`."""
        arguments = dict[str, Any]()
        more = self.sees(begin) or self.fail()
        while not self.sees(end):
            name = more and self._key(sign)
            arguments[name] = self.fail() if not more or name in arguments else self.value()
            more = self.sees(",")
        return arguments

    def _key(self, sign: str) -> str:
        if (text := self._quoted()) is None:
            return self.take(_KEYS[sign])
        return text if self.sees(sign) else self.fail()

    def value(self) -> Any:
        """Read a value: a text, an object, a list, or a word. Raises ValueError."""
        if (text := self._quoted()) is not None:
            return text
        if self._text.startswith("{", self._at):
            return self.block("{", ":", "}")
        if self.sees("["):
            entries = []
            more = True
            while not self.sees("]"):
                entries.append(self.value() if more else self.fail())
                more = self.sees(",")
            return entries
        return self._word()

    def _quoted(self) -> str | None:
        """Read a text in the form's own quotes or as a literal of JSON or Python; None if none begins here."""
        self.sees("")
        if self._quote and self.sees(self._quote):
            end = self._text.index(self._quote, self._at)
            text = self._text[self._at : end]
            self._at = end + len(self._quote)
            return text
        if (literal := _LITERAL.match(self._text, self._at)) is None:
            return None
        self._at = literal.end()
        try:
            return str(json.loads(literal[0], strict=False))
        except ValueError:
            may_span_lines = literal[1] in ('"""', "'''")
            return str(ast.literal_eval(literal[0] if may_span_lines else literal[0].replace("\n", "\\n")))

    def _word(self) -> Any:
        """Read true, null, a number and the like.

        With quotes of its own, the form may also leave them out of a text.
        """
        match = _WORD.match(self._text, self._at) or self.fail()
        self._at = match.end()
        word = match[0].strip()
        if word in _WORDS:
            return _WORDS[word]
        try:
            value = ast.literal_eval(word)
        except (ValueError, SyntaxError):
            return word if self._quote else self.fail()
        return value if isinstance(value, int | float) else self.fail()
