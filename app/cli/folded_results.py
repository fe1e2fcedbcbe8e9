"""Results of tools that a model repeats in its answer: one dim line in a terminal, as they are a fold in the window.

The stored, saved or piped text is not changed.
"""

from __future__ import annotations

from typing import Any

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement
from rich.text import Text

from app.text.echoed_results import END, parts_of_result


def end_of_result(result: Token, source: str) -> int:
    """Return where a result ends in the source that it was parsed from, which may differ from that within lines."""
    assert result.map is not None
    is_closed = result.meta["closed"]
    lines = source.split("\n")[: result.map[1] - is_closed]
    below = sum(map(len, lines)) + len(lines)
    return source.index(END, below) + len(END) if is_closed else below


class FoldedResult(MarkdownElement):
    """The line that stands for a result."""

    def __init__(self, lines: int) -> None:
        self._lines = lines

    @classmethod
    def create(cls, markdown: Markdown, token: Any) -> FoldedResult:  # noqa: ARG003
        """Make the line of a RESULT."""
        parts = parts_of_result(token.content)
        assert parts is not None
        words = parts.words.strip()
        return cls(len(words.split("\n")) if words else 0)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = {0: "", 1: ", 1 line"}.get(self._lines, f", {self._lines} lines")
        yield Text(f"[result of a tool{lines}]", style="dim")
