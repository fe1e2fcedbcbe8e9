"""The delimiters of bold, italic and struck text. No Qt in here.

Beside Chinese, Japanese and Korean, they follow the CommonMark CJK-friendly amendments:
https://github.com/tats-u/markdown-cjk-friendly/blob/main/specification.md
"""

from __future__ import annotations

import re
from typing import NamedTuple
from unicodedata import category, east_asian_width

from markdown_it.common.utils import isPunctChar, isWhiteSpace
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

_FULL_WIDTH_QUOTES = ("\u2018\ufe01", "\u2019\ufe01", "\u201c\ufe01", "\u201d\ufe01")
# Names of Python with their underscores, and signs of arithmetic.
_NO_DELIMITERS = re.compile(
    r"(?<=\d)\*{1,2}(?=\d)"
    r"|__(?:[a-z_]+[a-z]__(?=\(|\.[a-z])|(?:init|main|name|file|doc|all|version|dict|class|module|slots|new|del|call|str"
    r"|repr|len|iter|next|enter|exit|eq|hash|lt|add|getitem|setitem|getattr|contains|future|post_init|pycache)__(?!\w))",
    re.ASCII,
)


def delimiters(state: StateInline, silent: bool) -> bool:
    """Put a run of delimiters into the list from which the parser makes bold, italic and struck text."""
    sign = state.src[state.pos]
    if silent or sign not in "*_~":
        return False
    if name := _NO_DELIMITERS.match(state.src, state.pos, state.posMax):
        state.push("text", "", 0).content = name[0]
        state.pos = name.end()
        return True
    can_open, can_close, length = _run_of_delimiters(state, within_words=sign != "_")
    if sign == "~":
        # Struck text has pairs of signs. The lengths of two runs need not match.
        size = 2
        length_to_match = 0
    else:
        size = 1
        length_to_match = length
    if length < size:
        return False
    if length % size:
        state.push("text", "", 0).content = sign
    for _ in range(length // size):
        state.push("text", "", 0).content = sign * size
        at = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(sign), length_to_match, at, -1, can_open, can_close))
    state.pos += length
    return True


class _Neighbour(NamedTuple):
    """The kind of the character next to a run of delimiters; all are False for ordinary letters."""

    is_space: bool
    is_sign: bool
    is_cjk: bool


class _DelimiterRun(NamedTuple):
    """Whether a run of delimiters can open and close styled text, and its length in characters."""

    can_open: bool
    can_close: bool
    length: int


def _run_of_delimiters(state: StateInline, *, within_words: bool) -> _DelimiterRun:
    """Return the run of delimiters at the position.

    As CommonMark says, a run can open if no space follows it, and close if none precedes it; next to a sign, only if a
    space or a sign is on its other side. Chinese, Japanese and Korean count like such a space. `within_words`: the run
    may also open and close inside a word, as "*" may and "_" may not.
    """
    source = state.src
    start = state.pos
    end = start + 1
    while end < state.posMax and source[end] == source[start]:
        end += 1
    before = _neighbour_before(source, start)
    after = _neighbour(source[end] if end < state.posMax else " ")
    # CommonMark calls such runs left-flanking and right-flanking.
    is_left = not after.is_space and (after.is_cjk or not after.is_sign or any(before))
    is_right = not before.is_space and (before.is_cjk or not before.is_sign or any(after))
    # Words of these scripts have no spaces around them; a single underscore may be part of a name.
    is_doubled = end - start == 2
    may_open = within_words or not is_right or before.is_sign or (is_doubled and before.is_cjk)
    may_close = within_words or not is_left or after.is_sign or (is_doubled and after.is_cjk)
    return _DelimiterRun(is_left and may_open, is_right and may_close, end - start)


def _neighbour(sign: str) -> _Neighbour:
    return _Neighbour(isWhiteSpace(ord(sign)), isPunctChar(sign), is_cjk(sign))


def _neighbour_before(source: str, start: int) -> _Neighbour:
    """Return what stands before a position. A variation selector belongs to the sign before it."""
    sign = source[start - 1] if start else " "
    if "\U000e0100" <= sign <= "\U000e01ef":
        # These select a form of a Chinese character.
        return _neighbour(sign)._replace(is_cjk=True)
    if "\ufe00" <= sign <= "\ufe0e" and start > 1:
        # A variation selector belongs to the sign before it.
        pair = source[start - 2 : start]
        sign = "\uff02" if pair in _FULL_WIDTH_QUOTES else pair[0]
    return _neighbour(sign)


def is_cjk(sign: str) -> bool:
    """Return whether a character is Chinese, Japanese or Korean, by the specification.

    Wide signs outside the blocks of these scripts are emoji.
    """
    if "\u1100" <= sign <= "\u11ff" or "\ud7b0" <= sign <= "\ud7ff":
        return True
    is_emoji = category(sign) in ("So", "Sk") and not "\u2e80" <= sign <= "\uffff"
    return east_asian_width(sign) in ("W", "F", "H") and not is_emoji
