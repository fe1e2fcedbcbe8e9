"""The parser of Markdown: every text that is shown, printed, copied or exported is read by it. No Qt in here.

It reads CommonMark with tables, strikethrough, tasks, formulas and bare addresses. HTML is text, and so are definitions
of links, because sources of an answer look like them. Delimiters of emphasis beside Chinese, Japanese and Korean follow
the CommonMark CJK-friendly amendments: https://github.com/tats-u/markdown-cjk-friendly/blob/main/specification.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from unicodedata import category, east_asian_width

from markdown_it import MarkdownIt
from markdown_it.common.utils import isPunctChar, isWhiteSpace
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, newline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from app.text.formulas import display_end, formula_at

# Quotes, lists and their items inside each other: the parser leaves out what is deeper than `maxNesting`.
_DEEPEST = 18
_FULL_WIDTH_QUOTES = ("\u2018\ufe01", "\u2019\ufe01", "\u201c\ufe01", "\u201d\ufe01")
_DEFINITION = re.compile(r"\[(?:\\.|[^\\\[\]\n])+\]:")
_TASK = re.compile(r"\[([ xX])\] ")
# An address ends before full stops and the like, and before a bracket that was opened outside of it.
_IN_ADDRESS = r"[!#-'*-;=?@A-Z\[\]_a-z~]|\([!#-'*-;=?@\w\[\]~]*\)"
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:(?P<scheme>https?|ftp)://|www\.)[A-Za-z0-9]"
    rf"(?:(?:{_IN_ADDRESS})*(?:[#-&+/0-9=@A-Z\[\]a-z-]|\([!#-'*-;=?@\w\[\]~]*\)))?"
    r"|(?<![.+_-])(?P<mail>[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+))",
    re.ASCII,
)
# Code, and what may be a formula, in a row of a table: a bar in them divides no cells.
_WHOLE = re.compile(
    r"(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|(?<![\\$\w])\$(?![\s$])[^$\n]+?(?<!\s)\$(?![$\w])|\\\(.*?\\\)", re.ASCII
)
_BAR_OF_CODE = re.compile(r"(?<!\\)\|")
_BAR = "\ufdd2"


def parse_blocks(markdown: str) -> list[Token]:
    """Return the tokens of the blocks of a text that may go on: an open display formula extends to its end."""
    tokens: list[Token] = []
    PARSER.block.parse(markdown, PARSER, {"goes_on": True}, tokens)
    return tokens


def _formula_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a display formula as one block, whatever its lines look like."""
    if state.is_code_block(first):
        return False
    end = display_end(lambda line: state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]], first, last)
    if end is None or (end > last and "goes_on" not in state.env):
        return False
    end = min(end, last)
    if not silent:
        _push_lines(state, "formula", first, end)
    return True


def _too_deep(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse what the parser would leave out as one paragraph."""
    if silent or state.level < _DEEPEST:
        return False
    end = first + 1
    while end < last and (state.isEmpty(end) or state.sCount[end] >= state.blkIndent):
        end += 1
    _push_lines(state, "paragraph", first, end)
    return True


def _push_lines(state: StateBlock, kind: str, first: int, end: int) -> None:
    """Add a block whose lines are read like those of a paragraph."""
    state.push(f"{kind}_open", "p", 1).map = [first, end]
    inline = state.push("inline", "", 0)
    inline.content, inline.children = state.getLines(first, end, state.blkIndent, False).strip(), []
    state.push(f"{kind}_close", "p", -1)
    state.line = end


def _table(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a table. Bars in code and formulas are replaced meanwhile, by a sign of the same length."""
    before, source, start = len(state.tokens), state.src, state.bMarks[first]
    if first + 1 < last and "|" in source[start : state.eMarks[first]]:
        end = state.eMarks[first] if silent else source.find("\n\n", start)
        rows = _WHOLE.sub(_without_bars, source[start : end if end >= 0 else len(source)])
        state.src = source[:start] + rows + source[start + len(rows) :]
    found = table(state, first, last, silent)
    state.src = source
    for token in state.tokens[before:]:
        token.content = token.content.replace(_BAR, "|")
    return found


def _without_bars(found: re.Match[str]) -> str:
    if found[1]:
        return _BAR_OF_CODE.sub(_BAR, found[0])
    return found[0].replace("|", _BAR) if formula_at(found.string, *found.span()) else found[0]


def _formula(state: StateInline, silent: bool) -> bool:
    found = formula_at(state.src, state.pos, state.posMax)
    if found is None:
        return False
    formula, state.pos = found
    if not silent:
        token = state.push("formula", "", 0)
        token.content, token.meta = formula.source, {"formula": formula}
    return True


def _newline(state: StateInline, silent: bool) -> bool:
    """Parse the end of a line. Each definition of a link stays on a line of its own."""
    source, pos = state.src, state.pos
    if not newline(state, silent):
        return False
    start = source.rfind("\n", 0, pos) + 1
    if not silent and (_DEFINITION.match(source, start, pos) or _DEFINITION.match(source, pos + 1)):
        state.tokens[-1].type = "hardbreak"
    return True


def _delimiters(state: StateInline, silent: bool) -> bool:
    """Put a run of delimiters into the list from which the parser makes bold, italic and struck text."""
    sign = state.src[state.pos]
    if silent or sign not in "*_~":
        return False
    can_open, can_close, length = _flanking(state, sign != "_")
    # Struck text has pairs of signs, whose lengths need not match.
    size = 2 if sign == "~" else 1
    if length < size:
        return False
    if length % size:
        state.push("text", "", 0).content = sign
    for _ in range(length // size):
        state.push("text", "", 0).content = sign * size
        at = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(sign), length * (size == 1), at, -1, can_open, can_close))
    state.pos += length
    return True


def _flanking(state: StateInline, within_words: bool) -> tuple[bool, bool, int]:
    """Return whether the run of delimiters at the position can open and close, and its length."""
    source, start = state.src, state.pos
    end = start + 1
    while end < state.posMax and source[end] == source[start]:
        end += 1
    before = source[start - 1] if start else " "
    if "\ufe00" <= before <= "\ufe0e" and start > 1:
        # A variation selector belongs to the sign before it.
        pair = source[start - 2 : start]
        before = "\uff02" if pair in _FULL_WIDTH_QUOTES else pair[0]
    after = source[end] if end < state.posMax else " "
    space_before, space_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
    sign_before, sign_after = isPunctChar(before), isPunctChar(after)
    cjk_before, cjk_after = is_cjk(before) or "\U000e0100" <= before <= "\U000e01ef", is_cjk(after)
    left = not space_after and (cjk_after or not sign_after or space_before or sign_before or cjk_before)
    right = not space_before and (cjk_before or not sign_before or space_after or sign_after or cjk_after)
    can_open = left and (within_words or not right or sign_before)
    can_close = right and (within_words or not left or sign_after)
    return can_open, can_close, end - start


def is_cjk(sign: str) -> bool:
    """Return whether a character is Chinese, Japanese or Korean, by the specification.

    Wide signs outside the blocks of these scripts are emoji.
    """
    if "\u1100" <= sign <= "\u11ff" or "\ud7b0" <= sign <= "\ud7ff":
        return True
    is_emoji = category(sign) in ("So", "Sk") and not "\u2e80" <= sign <= "\uffff"
    return east_asian_width(sign) in ("W", "F", "H") and not is_emoji


def _mark_tasks(state: StateCore) -> None:
    """Replace the brackets at the beginning of a task by a box."""
    for item, _, inline in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if item.type == "list_item_open" and inline.children and (found := _TASK.match(inline.content)):
            box = Token("task", "", 0, content="☐" if found[1] == " " else "☑")
            inline.children[0].content = inline.children[0].content[found.end() :]
            inline.children.insert(0, box)


def _link_addresses(state: StateCore) -> None:
    """Make links of bare addresses."""
    for block in state.tokens:
        if not block.children or not ("://" in block.content or "www." in block.content or "@" in block.content):
            continue
        children: list[Token] = []
        in_link = 0
        for token in block.children:
            in_link += token.nesting * (token.tag == "a")
            children += _with_links(token, state.md) if token.type == "text" and not in_link else [token]
        block.children = children


def _with_links(text: Token, parser: MarkdownIt) -> Iterator[Token]:
    at = 0
    for found in _ADDRESS.finditer(text.content):
        full = ("mailto:" if found["mail"] else "" if found["scheme"] else "http://") + found[0]
        yield replace(text, content=text.content[at : found.start()])
        yield Token("link_open", "a", 1, {"href": parser.normalizeLink(full)})
        yield replace(text, content=found[0])
        yield Token("link_close", "a", -1)
        at = found.end()
    yield replace(text, content=text.content[at:])


def _configured() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    block, inline, core = parser.block.ruler, parser.inline.ruler, parser.core.ruler
    block.disable(["reference", "html_block"])
    block.at("table", _table, {"alt": ["paragraph"]})
    block.before("table", "too_deep", _too_deep)
    block.before("fence", "formula", _formula_block, {"alt": ["paragraph", "blockquote", "list"]})
    inline.before("escape", "formula", _formula)
    inline.at("newline", _newline)
    inline.at("emphasis", _delimiters)
    # The rule for emphasis reads these, too.
    inline.disable("strikethrough")
    core.push("tasks", _mark_tasks)
    core.push("addresses", _link_addresses)
    # The first text makes the lists of rules. Made here, threads can share the parser.
    parser.parse("*a*")
    return parser


PARSER = _configured()
