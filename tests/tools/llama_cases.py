"""Reads the model outputs of llama.cpp's tests/test-chat.cpp, and how its authors split them.

Its tests are chains of calls on a builder, with texts, lists and named messages and tools as arguments. `read_cases`
evaluates just those expressions, in the order of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|\s+|(?P<raw>R"(?P<mark>[^(\s"]*)\((?P<body>.*?)\)(?P=mark)")|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<char>'(?:[^'\\]|\\.)+')|(?P<name>[A-Za-z_]\w*(?:::\w+)*)|(?P<number>-?\d+)|(?P<sign>->|.)",
    re.DOTALL,
)
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]+|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0"}
_STATEMENT = re.compile(
    r"(?:static |const )*(?:common_chat_tool|common_chat_msg|auto|char \*|std::string|std::vector<common_chat_tool>)"
    r"\s*(?P<name>\w+)\s*(?:=|(?=\{))"
    r"|(?P<case>\btst2?\.test(?=\())"
    r"|for \([^:()]*?(?P<loop>\w+)\s*:(?=\s*\{)"
)


@dataclass
class LlamaCase:
    """An output of a model with a chat template, and its parts: `calls` have names and arguments as JSON texts.

    `set` are the options of the test by the names of its builder.
    """

    template: str
    output: str
    content: str = ""
    reasoning: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    set: dict[str, Any] = field(default_factory=dict)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools in the form of the OpenAI API."""
        return [
            {"type": "function", "function": {"name": name, "description": about, "parameters": json.loads(schema)}}
            for name, about, schema in self.set.get("tools", ())
        ]

    @property
    def skipped(self) -> str:
        """Why the case does not count, "" if it does."""
        if self.set.get("is_partial"):
            return "cut off"
        if "continue_final_message" in self.set:
            return "continued"
        if "json_schema" in self.set and self.output.count("```"):
            return "a grammar would not let it be written"
        unparsed = "reasoning_format" not in self.set and _marked(self.content)
        if unparsed or self.set.get("reasoning_format") == "COMMON_REASONING_FORMAT_NONE":
            return "thoughts left in the text"
        return ""


def _marked(content: str) -> bool:
    return re.search(r"<think>|\[THINK\]|<\|START_THINKING\|>|<\|channel\|?>", content) is not None


def read_cases(source: str) -> list[LlamaCase]:
    """Return all cases of the file."""
    reader = _Reader(source)
    for match in _STATEMENT.finditer(source):
        reader.statement(match)
    return reader.cases


class _Reader:
    """Evaluates the expressions of the file; `names` are the values of its variables."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.cases: list[LlamaCase] = []
        # A function whose cases are run for several templates.
        shared = re.search(r"for \(const char \* \w+ : (\{[^}]*\}) ?\) \{\s*test_lfm2_parser", source)
        self.names: dict[str, Any] = {}
        self.names["template_path"] = self._value(shared.start(1)) if shared else []

    def statement(self, match: re.Match[str]) -> None:
        try:
            if match["case"]:
                self._chain(match.end())
            else:
                self.names[match["loop"] or match["name"]] = self._value(match.end())
        # Most of the file are other statements.
        except (SyntaxError, KeyError, TypeError, StopIteration):
            return

    def _value(self, start: int) -> Any:
        return _Expression(_tokens(self._source, start), self.names).sum()

    def _chain(self, start: int) -> None:
        expression = _Expression(_tokens(self._source, start), self.names)
        output, found = expression.arguments()[0], {}
        while (name := expression.method()) != "run":
            found[name] = (expression.arguments() or [True])[0]
        message = found.pop("expect", None) or _message("")
        tester = self.names["tst2" if self._source[start - 6 : start].startswith("2") else "tst"]
        for path in tester if isinstance(tester, list) else [tester]:
            self.cases.append(
                LlamaCase(
                    str(path).rpartition("/")[2].removesuffix(".jinja"),
                    output,
                    found.get("expect_content", message["content"]),
                    found.get("expect_reasoning", message["reasoning"]),
                    [(call[0], call[1]) for call in found.get("expect_tool_calls", message["calls"])],
                    found,
                )
            )


def _tokens(source: str, start: int) -> Iterator[tuple[str, Any]]:
    for match in _TOKEN.finditer(source, start):
        if match["raw"]:
            yield "text", match["body"]
        elif match["text"]:
            yield "text", _unescaped(match["text"][1:-1])
        elif match["name"]:
            yield "name", match["name"]
        elif match["number"]:
            yield "value", int(match["number"])
        elif match["sign"]:
            yield "sign", match["sign"]


def _unescaped(text: str) -> str:
    def value(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code[1:], 16)]) if code[:1] == b"x" and len(code) > 1 else _ESCAPED.get(code, code)

    return _ESCAPE.sub(value, text.encode()).decode(errors="replace")


def _message(content: str, reasoning: str = "", name: str = "", arguments: str = "", _: str = "") -> dict[str, Any]:
    return {"content": content, "reasoning": reasoning, "calls": [(name, arguments)] if name else []}


# The functions of the file that make messages.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "simple_assist_msg": _message,
    "message_with_tool_calls": lambda name, arguments: _message("", "", name, arguments),
    "message_with_tool_calls_and_reasoning": lambda name, arguments, thought: _message("", thought, name, arguments),
    "message_with_reasoning_content_and_multiple_tool_calls": lambda thought, content, calls: (
        _message(content, thought) | {"calls": [tuple(call) for call in calls]}
    ),
    "message_with_content_and_tool_call": lambda content, name, arguments: _message(content, "", name, arguments),
    "message_with_reasoning_and_tool_call": lambda thought, name, arguments: _message("", thought, name, arguments),
    "peg_tester": lambda path, *_: path,
}


class _Expression:
    """An expression of texts, names, lists in braces and calls."""

    def __init__(self, tokens: Iterator[tuple[str, Any]], names: dict[str, Any]) -> None:
        self._tokens, self._names = tokens, names
        self._next = next(tokens)

    def sum(self) -> Any:
        value = self._operand()
        while self._next == ("sign", "+"):
            self._take()
            value += self._operand()
        return value

    def arguments(self) -> list[Any]:
        """Read arguments in parentheses."""
        return self._list("(", ")")

    def method(self) -> str:
        """Read the name of the next call on the builder."""
        if self._take() != ("sign", "."):
            raise SyntaxError
        return str(self._take()[1])

    def _operand(self) -> Any:
        kind, value = self._next
        if value == "{" and kind == "sign":
            return self._list("{", "}")
        self._take()
        if kind == "text":
            while self._next[0] == "text":
                value += self._take()[1]
            return value
        if kind == "name":
            return self._named(value)
        if kind == "value":
            return value
        raise SyntaxError

    def _named(self, name: str) -> Any:
        if self._next == ("sign", "("):
            return _FUNCTIONS[name](*self.arguments())
        if name in ("true", "false"):
            return name == "true"
        return name if name.startswith("COMMON_") else self._names.get(name)

    def _list(self, opening: str, closing: str) -> list[Any]:
        if self._take() != ("sign", opening):
            raise SyntaxError
        found = []
        while self._next != ("sign", closing):
            found.append(self.sum())
            if self._next == ("sign", ","):
                self._take()
        self._take()
        return found

    def _take(self) -> tuple[str, Any]:
        taken = self._next
        self._next = next(self._tokens, ("sign", ""))
        return taken
