"""A form of function calls, and the calls that it reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.call_forms.reading import Read
from engine.call_forms.writing import Write, cannot_write

# A longer call is treated as text, because parsers copy it several times.
LONGEST_CALL = 2**20


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the model wants to be called; `arguments` is the text of a JSON object."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Marks:
    """The texts before and after calls; without `end` they extend to the end of the answer.

    With `whole` the reader gets the marks, too. With `first`, only the beginning of a reply is such a mark.
    """

    start: str
    end: str = ""
    whole: bool = False
    first: bool = False


@dataclass(frozen=True)
class CallForm:
    """A form of calls.

    `marks` stand around calls that `read` reads. A template with all texts of one of the `signs` belongs to a model of
    this form; without signs, mlx-lm tells. In a grammar, `write` returns the expression of one call, and `begin` and
    `end` enclose all calls of an answer, which is a single one if `between` is None. `thought` are the texts before,
    directly after and further after thoughts of models without marks for thoughts. Without marks, calls begin with
    `opening`.
    """

    marks: tuple[Marks, ...]
    read: Read
    write: Write = cannot_write
    begin: str = ""
    end: str = ""
    between: str | None = "\n"
    signs: tuple[tuple[str, ...], ...] = ()
    thought: tuple[str, str, str] | None = None
    opening: str = ""

    @property
    def separate(self) -> bool:
        """Whether each of several calls has marks of its own."""
        return not self.begin and any(mark.end for mark in self.marks)

    def calls(self, text: str, tools: Sequence[Mapping[str, Any]]) -> tuple[list[ToolCall], bool]:
        """Return the calls of `tools` in `text`, which stood between the marks, and whether it holds nothing else.

        Unreadable text and calls of other functions count as something else.
        """
        if len(text) > LONGEST_CALL:
            return [], False
        try:
            found = self.read(text, tools)
            calls = [_call(entry) for entry in (found if isinstance(found, list) else [found])]
        # The model may write anything, and parsers can raise any exception.
        except Exception:
            return [], False
        names = {tool["function"]["name"] for tool in tools}
        known = [call for call in calls if call.name in names]
        return known, bool(known) and len(known) == len(calls)


def _call(entry: Mapping[str, Any]) -> ToolCall:
    name, arguments = entry["name"], entry.get("arguments", {})
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise ValueError("not a call")
    return ToolCall(name, json.dumps(arguments, ensure_ascii=False))
