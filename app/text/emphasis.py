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
    can_open, can_close, length = _flanking(state, sign != "_")
    # Struck text has pairs of signs, whose lengths need not match.
    size, matched = (2, 0) if sign == "~" else (1, length)
    if length < size:
        return False
    if length % size:
        state.push("text", "", 0).content = sign
    for _ in range(length // size):
        state.push("text", "", 0).content = sign * size
        at = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(sign), matched, at, -1, can_open, can_close))
    state.pos += length
    return True


class _Neighbour(NamedTuple):
    """What stands next to a run of delimiters."""

    is_space: bool
    is_sign: bool
    is_cjk: bool


def _flanking(state: StateInline, within_words: bool) -> tuple[bool, bool, int]:
    """Return whether the run of delimiters at the position can open and close, and its length.

    As CommonMark says, a run can open if no space follows it, and close if none precedes it; next to a sign, only if a
    space or a sign is on its other side. Chinese, Japanese and Korean count like such a space. `within_words`: the run
    may also open and close inside a word, as "*" may and "_" may not.
    """
    source, start = state.src, state.pos
    end = start + 1
    while end < state.posMax and source[end] == source[start]:
        end += 1
    before = _neighbour_before(source, start)
    after = _neighbour(source[end] if end < state.posMax else " ")
    left = not after.is_space and (after.is_cjk or not after.is_sign or any(before))
    right = not before.is_space and (before.is_cjk or not before.is_sign or any(after))
    # Words of these scripts have no spaces around them; a single underscore may be part of a name.
    doubled = end - start == 2
    can_open = left and (within_words or not right or before.is_sign or (doubled and before.is_cjk))
    can_close = right and (within_words or not left or after.is_sign or (doubled and after.is_cjk))
    return can_open, can_close, end - start


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
