"""The function calls in an answer's text, in the form that the model's family writes them in.

mlx-lm has a parser for each form; `ModelInfo.tool_format` says which one a model uses.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

# A call that is longer is text: parsers hold it several times over.
LONGEST_CALL = 2**20


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

    def calls(self, text: str, tools: Sequence[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
        """The calls in `text`, which stood between the marks; () where it holds none that can be read."""
        if len(text) > LONGEST_CALL:
            return ()
        try:
            found = self.read(text, [dict(tool) for tool in tools])
            entries = found if isinstance(found, list) else [found]
            return tuple(_call(entry) for entry in entries)
        # The text is the model's: parsers meet anything in it, and raise all kinds of exceptions.
        except Exception:
            return ()


@lru_cache
def tool_format(name: str) -> ToolFormat:
    """The form of a model's calls by its name (`ModelInfo.tool_format`). Imports MLX."""
    module = importlib.import_module(f"mlx_lm.tool_parsers.{name}")
    return ToolFormat(module.tool_call_start, module.tool_call_end, module.parse_tool_call)


def _call(entry: Mapping[str, Any]) -> ToolCall:
    name, arguments = entry["name"], entry.get("arguments", {})
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise ValueError("not a call")
    return ToolCall(name, json.dumps(arguments, ensure_ascii=False))
