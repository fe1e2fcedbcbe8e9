"""Results of tools that a model repeats in its answer: one dim line in a terminal, as they are a fold in the window.

The text stays what it is where it is stored, saved or piped.
"""

from __future__ import annotations

from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement
from rich.text import Text

from app.text.echoed_results import END, START
from app.text.thinking import half_a_mark

# The type of the token of such a result, whose content is the result.
RESULT = "echoed_result"


def fold_results(parser: MarkdownIt) -> MarkdownIt:
    """Let a parser of Markdown make a RESULT of each result that begins a line, also in lists and quotations."""
    kinds = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("fence", RESULT, _parse_result, {"alt": kinds})
    return parser


def _parse_result(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a result up to its end mark, or as far as what it stands in goes on.

    In a list it may go on in lines that are not indented. What follows the end mark in its line is a paragraph.
    """
    begin = state.bMarks[first] + state.tShift[first]
    if state.is_code_block(first) or not state.src.startswith(START, begin):
        return False
    if silent:
        return True
    begin += len(START)
    words: list[str] = []
    line = first
    while (end := state.src.find(END, begin, state.eMarks[line])) < 0 and line + 1 < last:
        words.append(state.src[begin : state.eMarks[line]])
        line += 1
        begin = state.bMarks[line] + state.tShift[line]
    words.append(state.src[begin : state.eMarks[line] if end < 0 else end])
    state.line = line + 1
    result = state.push(RESULT, "", 0)
    result.content = "\n".join(words)
    result.map = [first, state.line]
    result.meta = {"closed": end >= 0}
    after = state.src[end + len(END) : state.eMarks[line]].strip() if end >= 0 else ""
    if after:
        # Without a place of its own: it cannot be parsed apart from the result.
        state.push("paragraph_open", "p", 1)
        inline = state.push("inline", "", 0)
        inline.content = after
        inline.children = list[Token]()
        state.push("paragraph_close", "p", -1)
    return True


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
        """Make the line of a RESULT. The beginning of an end mark is not counted."""
        result = token.content
        result = result[: len(result) - half_a_mark(result, END)].strip()
        return cls(len(result.split("\n")) if result else 0)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = {0: "", 1: ", 1 line"}.get(self._lines, f", {self._lines} lines")
        yield Text(f"[result of a tool{lines}]", style="dim")
