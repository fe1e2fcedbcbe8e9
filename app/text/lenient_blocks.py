"""Blocks that models write almost as Markdown has them: items far from the left, tight headings, tables in one line.

Each function is a rule of the parser of blocks, called with the state, the first line, the line after the last one, and
whether it is only asked for. It returns whether it took the lines from the first one on.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

# An item of a list, whose mark has white space after it.
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
# From this many columns on, an indented line is code.
_CODE_COLUMNS = 4
# The head of a section without the space after its mark; one sign of this kind before a word is a tag.
_TIGHT_HEAD = re.compile(r"(#{2,6})(?=[^\W\d_])")
# A table whose rows are all in one line: its head, the line below that, and the other rows.
_TABLE_LINE = re.compile(r"(\|[^|\n]+(?:\|[^|\n]+)*\|)[ \t]+(\|(?:[ \t]*:?-{2,}:?[ \t]*\|)+)[ \t]+(\|[^\n]*\|)[ \t]*")


def item_of_answer(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Remove the indentation of a line in a list that would be code, but is an item or begins one; return False.

    Another rule then parses the line. Models indent items by six spaces, or set their texts apart from their marks.
    Code in lists is fenced.
    """
    columns = state.sCount[first] - state.blkIndent
    if silent or state.listIndent < 0 or columns < _CODE_COLUMNS:
        return False
    if state.tokens[-1].type == "list_item_open":
        state.sCount[first] = state.blkIndent
    elif _ITEM.match(state.src, state.bMarks[first] + state.tShift[first], state.eMarks[first]):
        # The lines of the item have as many columns, or more.
        line = first
        is_of_item = True
        while line < last and is_of_item:
            is_of_item = state.isEmpty(line) or _has_indentation(state, line, columns)
            if is_of_item and not state.isEmpty(line):
                _remove_indentation(state, line, columns)
            line += 1
    return False


def _has_indentation(state: StateBlock, line: int, columns: int) -> bool:
    """Return whether a line begins with so many spaces in addition to the indentation of its block."""
    start = state.bMarks[line]
    return state.sCount[line] >= state.blkIndent + columns and not state.src[start : start + columns].strip(" ")


def _remove_indentation(state: StateBlock, line: int, columns: int) -> None:
    state.bMarks[line] += columns
    state.tShift[line] -= columns
    state.sCount[line] -= columns


def tight_head(state: StateBlock, first: int, _last: int, silent: bool) -> bool:
    """Parse a heading that has no space after its mark."""
    start = state.bMarks[first] + state.tShift[first]
    mark = _TIGHT_HEAD.match(state.src, start, state.eMarks[first])
    if mark is None or state.is_code_block(first):
        return False
    if not silent:
        words = state.src[mark.end() : state.eMarks[first]].strip().rstrip("#")
        opened = state.push("heading_open", f"h{len(mark[1])}", 1)
        opened.map = [first, first + 1]
        opened.markup = mark[1]
        inline = state.push("inline", "", 0)
        inline.content = words
        inline.children = []
        state.push("heading_close", opened.tag, -1)
        state.line = first + 1
    return True


def table_line(state: StateBlock, first: int, _last: int, silent: bool) -> bool:
    """Parse a table whose rows are all in one line, with a space between the bars where a row ends."""
    start = state.bMarks[first] + state.tShift[first]
    parts = _TABLE_LINE.fullmatch(state.src, start, state.eMarks[first])
    if parts is None or silent or state.is_code_block(first):
        return False
    head, line, others = parts.groups()
    columns = line.count("|") - 1
    cells = others.strip()[1:-1].split("|")
    # Between two rows there is nothing but a space.
    rows = [cells[at : at + columns] for at in range(0, len(cells), columns + 1)]
    ends = cells[columns :: columns + 1]
    if head.count("|") - 1 != columns or len(rows[-1]) != columns or any(map(str.strip, ends)):
        return False
    lines = [head, line, *(f"|{'|'.join(row)}|" for row in rows)]
    before = len(state.tokens)
    state.md.block.parse("\n".join(lines), state.md, state.env, state.tokens)
    for token in state.tokens[before:]:
        token.level += state.level
        token.map = [first, first + 1] if token.map else None
    state.line = first + 1
    return True
