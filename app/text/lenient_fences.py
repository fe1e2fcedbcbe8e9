"""Fences that models write almost as Markdown has them: within a document, left of their item, glued to words.

What is not among these is read as CommonMark says, also where a person would see what is meant: a fence without the
name of a language that is glued to words or stands in a document, code of an item of which only later lines stand left
of it, and code in a quotation whose closing fence is not quoted.
"""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from app.text.fences import BegunCode, Fence, OpenFences, after_line, glued_end, glued_fence, opening_fence

# The key of the environment under which `BegunCode` is.
BEGUN = "begun_code"


@dataclass
class _CodeReader:
    """Reads the lines of a block of code up to its end, from `line` on."""

    state: StateBlock
    line: int
    columns: int | None
    fences: OpenFences
    # Whether the closing fence is glued to the last line of code.
    is_glued: bool = False

    def read_to(self, last: int) -> BegunCode:
        """Read the lines before `last`, or up to the end. Return what those that are complete say about the others."""
        first = self.line
        begun = BegunCode(first, self.columns, self.fences)
        self.line += 1
        while self.line < last and self.fences and self._read_line():
            self.line += 1
            if self.fences and self.state.eMarks[self.line - 1] < len(self.state.src):
                begun = BegunCode(first, self.columns, self.fences)
        return begun

    def _read_line(self) -> bool:
        """Read the next line. Return False if the block has ended above it, with the item that it is in."""
        start = self.state.bMarks[self.line] + self.state.tShift[self.line]
        text = self.state.src[start : self.state.eMarks[self.line]]
        if not text.strip():
            # The library does not read a line that the end of the text cuts off before its first sign.
            return start < len(self.state.src)
        columns = self.state.sCount[self.line]
        fences = after_line(self.fences, text, columns)
        is_fence = len(fences) < len(self.fences) or self._may_be_fence(text)
        if columns < 0 or (self._is_left_of_item(columns) and not is_fence):
            return False
        self.is_glued = glued_end(self.fences, text) is not None
        self.fences = () if self.is_glued else fences
        if self.fences and self.columns is None:
            opened_at = self.state.sCount[self.state.line]
            self.columns = columns if columns < self.state.blkIndent else opened_at
        return True

    def _is_left_of_item(self, columns: int) -> bool:
        """Return whether a line ends the item that the code is in.

        If the first line of the code stands left of its item, only a fence ends the code: nobody means an empty block.
        """
        return columns < self.state.blkIndent and self.columns is not None and self.columns >= self.state.blkIndent

    def _may_be_fence(self, text: str) -> bool:
        """Return whether a line may still become the closing fence."""
        is_last = "goes_on" in self.state.env and self.state.eMarks[self.line] == len(self.state.src)
        return is_last and not text.strip(self.fences[-1].sign)


def fence_of_answer(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a block of code between fences.

    In an item of a list, the closing fence may stand left of the item, and so may all lines from the first one on.
    """
    start = state.bMarks[first] + state.tShift[first]
    fence = opening_fence(state.src[start : state.eMarks[first]], state.blkIndent)
    if fence is None or state.is_code_block(first):
        return False
    if not silent:
        state.line = first
        _push_code(state, fence, start + fence.length, last)
    return True


def fence_below_words(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a paragraph of one line, at the end of which a fence opens a block of code, with the block.

    Both are in a token of their own, because they share a line.
    """
    start = state.bMarks[first] + state.tShift[first]
    end = state.eMarks[first]
    glued = glued_fence(state.src[start:end]) if end < len(state.src) and not state.is_code_block(first) else None
    if glued is None:
        return False
    if not silent:
        state.line = first
        both = state.push("glued_open", "", 1)
        both.hidden = True
        state.push("paragraph_open", "p", 1).map = [first, first + 1]
        inline = state.push("inline", "", 0)
        inline.content = glued.string[: glued.start("signs")].strip()
        inline.children = list[Token]()
        state.push("paragraph_close", "p", -1)
        fence = opening_fence(glued["signs"] + glued["info"], state.blkIndent)
        assert fence is not None
        _push_code(state, fence, start + glued.start("info"), last)
        both.map = [first, state.line]
        state.push("glued_close", "", -1).hidden = True
    return True


def _push_code(state: StateBlock, fence: Fence, info_start: int, last: int) -> None:
    """Add the block of code whose fence is in the present line, and go on below the block.

    The token's `meta` has what its complete lines say about more of them, `begun`, and whether it is `closed` by a
    fence, which `has_own_line` or not.
    """
    first = state.line
    begun: BegunCode | None = state.env.get(BEGUN)
    if begun is None or begun.line != first:
        begun = BegunCode(first, None, (fence,))
    reader = _CodeReader(state, first, begun.columns, begun.fences)
    begun = reader.read_to(last)
    closed = not reader.fences
    columns = state.sCount[first] if reader.columns is None else reader.columns
    content = state.getLines(first + 1, reader.line - 1 if closed else reader.line, columns, True)
    if reader.is_glued:
        last_line = state.getLines(reader.line - 1, reader.line, columns, True)
        content += last_line.rstrip(" \t\n").removesuffix("`" * fence.length) + ("\n" if last_line[-1] == "\n" else "")
    token = state.push("fence", "code", 0)
    token.info = state.src[info_start : state.eMarks[first]]
    token.content = content
    token.markup = fence.sign * fence.length
    token.map = [first, reader.line]
    token.meta = {"begun": begun, "closed": closed, "has_own_line": closed and not reader.is_glued}
    state.line = reader.line
