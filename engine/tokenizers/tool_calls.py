"""The function calls in an answer's text, in the form that the model's family writes them in.

mlx-lm has a parser for each form; `ModelInfo.tool_format` says which one a model uses.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

# A call that is longer is text: parsers hold it several times over.
LONGEST_CALL = 2**20
# What precedes the arguments of a call of Mistral's. Small 3.2 writes the call's id behind its name.
_HEADER = re.compile(r"(?<![\w-])([\w-]++)\s*+(?:\[CALL_ID\]\s*+[\w-]*+\s*+)?\[ARGS\]\s*+")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the model wants to be called; `arguments` is the text of a JSON object."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolFormat:
    """How calls are marked in the text. With `end` "" they run to the end of the answer."""

    start: str
    end: str
    read: Callable[[str, Any], Any]

    def calls(self, text: str, tools: Sequence[Mapping[str, Any]]) -> tuple[list[ToolCall], bool]:
        """The calls of `tools` in `text`, which stood between the marks, and whether it holds nothing else.

        What cannot be read and a call of anything else are something else.
        """
        if len(text) > LONGEST_CALL:
            return [], False
        try:
            found = self.read(text, [dict(tool) for tool in tools])
            calls = [_call(entry) for entry in (found if isinstance(found, list) else [found])]
        # The text is the model's: parsers meet anything in it, and raise all kinds of exceptions.
        except Exception:
            return [], False
        names = {tool["function"]["name"] for tool in tools}
        known = [call for call in calls if call.name in names]
        return known, bool(known) and len(known) == len(calls)


@lru_cache
def tool_format(name: str) -> ToolFormat:
    """The form of a model's calls by its name (`ModelInfo.tool_format`). Imports MLX."""
    module = importlib.import_module(f"mlx_lm.tool_parsers.{name}")
    read = partial(_read_mistral, module.parse_tool_call) if name == "mistral" else module.parse_tool_call
    return ToolFormat(module.tool_call_start, module.tool_call_end, read)


def _read_mistral(theirs: Callable[[str, Any], Any], text: str, tools: Any) -> Any:
    """The calls of a list, which is JSON, by mlx-lm's parser; others here, as that takes the id of one for its name."""
    if text.lstrip().startswith("["):
        return theirs(text, tools)
    calls, end, decoder = [], 0, json.JSONDecoder()
    while (header := _HEADER.search(text, end)) is not None:
        arguments, end = decoder.raw_decode(text, header.end())
        calls.append({"name": header[1], "arguments": arguments})
    return calls


def _call(entry: Mapping[str, Any]) -> ToolCall:
    name, arguments = entry["name"], entry.get("arguments", {})
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise ValueError("not a call")
    return ToolCall(name, json.dumps(arguments, ensure_ascii=False))
