"""Reads the function calls in an answer's text, in the form of the model's family.

mlx-lm has a parser for each form; `ModelInfo.tool_format` names the one of a model.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

# A longer call is treated as text, because parsers copy it several times.
LONGEST_CALL = 2**20
# The text before the arguments of a Mistral model's call. Small 3.2 writes the call's id after its name.
_HEADER = re.compile(r"(?<![\w-])([\w-]++)\s*+(?:\[CALL_ID\]\s*+[\w-]*+\s*+)?\[ARGS\]\s*+")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the model wants to be called; `arguments` is the text of a JSON object."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolFormat:
    """The marks around calls in a text, and their parser. With `end` "" calls extend to the end of the answer."""

    start: str
    end: str
    read: Callable[[str, Any], Any]

    def calls(self, text: str, tools: Sequence[Mapping[str, Any]]) -> tuple[list[ToolCall], bool]:
        """Return the calls of `tools` in `text`, which stood between the marks, and whether it holds nothing else.

        Unreadable text and calls of other functions count as something else.
        """
        if len(text) > LONGEST_CALL:
            return [], False
        try:
            found = self.read(text, [dict(tool) for tool in tools])
            calls = [_call(entry) for entry in (found if isinstance(found, list) else [found])]
        # The model may write anything, and parsers can raise any exception.
        except Exception:
            return [], False
        names = {tool["function"]["name"] for tool in tools}
        known = [call for call in calls if call.name in names]
        return known, bool(known) and len(known) == len(calls)


@lru_cache
def tool_format(name: str) -> ToolFormat:
    """Return the form of this name (`ModelInfo.tool_format`). Imports MLX."""
    module = importlib.import_module(f"mlx_lm.tool_parsers.{name}")
    read = partial(_read_mistral, module.parse_tool_call) if name == "mistral" else module.parse_tool_call
    return ToolFormat(module.tool_call_start, module.tool_call_end, read)


def _read_mistral(theirs: Callable[[str, Any], Any], text: str, tools: Any) -> Any:
    """Read a JSON list of calls with mlx-lm's parser, and other calls here: it mistakes a call's id for a name."""
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
