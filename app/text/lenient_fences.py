"""Fences that models write almost as Markdown has them: within a document.

What is not among these is read as CommonMark says, also where a person would see what is meant: a fence without the
name of a language in a document.
"""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it.rules_block import StateBlock

from app.text.fences import BegunCode, Fence, OpenFences, after_line, opening_fence

# The key of the environment under which `BegunCode` is.
BEGUN = "begun_code"


@dataclass
class _CodeReader:
    """Reads the lines of a block of code up to its end, from `line` on."""

    state: StateBlock
    line: int
    fences: OpenFences

    def read_to(self, last: int) -> BegunCode:
        """Read the lines before `last`, or up to the end. Return what those that are complete say about the others."""
        first = self.line
        begun = BegunCode(first, self.fences)
        self.line += 1
        while self.line < last and self.fences and self._read_line():
            self.line += 1
            if self.fences and self.state.eMarks[self.line - 1] < len(self.state.src):
                begun = BegunCode(first, self.fences)
        return begun

    def _read_line(self) -> bool:
        """Read the next line. Return False if the block has ended above it, with the item that it is in."""
        start = self.state.bMarks[self.line] + self.state.tShift[self.line]
        text = self.state.src[start : self.state.eMarks[self.line]]
        if not text.strip():
            # The library does not read a line that the end of the text cuts off before its first sign.
            return start < len(self.state.src)
        columns = self.state.sCount[self.line]
        if columns < self.state.blkIndent:
            return False
        self.fences = after_line(self.fences, text, columns)
        return True


def fence_of_answer(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a block of code between fences."""
    start = state.bMarks[first] + state.tShift[first]
    fence = opening_fence(state.src[start : state.eMarks[first]], state.blkIndent)
    if fence is None or state.is_code_block(first):
        return False
    if not silent:
        state.line = first
        _push_code(state, fence, start + fence.length, last)
    return True


def _push_code(state: StateBlock, fence: Fence, info_start: int, last: int) -> None:
    """Add the block of code whose fence is in the present line, and go on below the block.

    The token's `meta` has what its complete lines say about more of them, `begun`, and whether it is `closed` by a
    fence.
    """
    first = state.line
    begun: BegunCode | None = state.env.get(BEGUN)
    if begun is None or begun.line != first:
        begun = BegunCode(first, (fence,))
    reader = _CodeReader(state, first, begun.fences)
    begun = reader.read_to(last)
    closed = not reader.fences
    content = state.getLines(first + 1, reader.line - 1 if closed else reader.line, state.sCount[first], True)
    token = state.push("fence", "code", 0)
    token.info = state.src[info_start : state.eMarks[first]]
    token.content = content
    token.markup = fence.sign * fence.length
    token.map = [first, reader.line]
    token.meta = {"begun": begun, "closed": closed}
    state.line = reader.line
