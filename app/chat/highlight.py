"""Colours for code, once a block is whole: Pygments finds the words, the theme has the colours."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from pygments import lex
from pygments.lexers import get_lexer_by_name
from pygments.token import Token
from pygments.util import ClassNotFound
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor

from app import theme

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

# Above this many characters colouring would be felt; the code stays plain.
LONGEST = 20_000

_ROLES = (
    (Token.Comment, "faint"),
    (Token.Keyword, "main_text"),
    (Token.Literal.String, "draft_text"),
    (Token.Literal.Number, "lookup_text"),
    (Token.Name.Builtin, "main_text"),
    (Token.Name.Decorator, "lookup_text"),
    (Token.Name.Function, "text"),
    (Token.Name.Class, "text"),
)
_BOLD = (Token.Name.Function, Token.Name.Class)


@lru_cache(maxsize=256)
def spans(text: str, language: str) -> tuple[tuple[int, int, str, bool], ...]:
    """(start, length, colour role, bold) of each word to colour, positions in characters; () for unknown
    languages.
    """
    if not language or len(text) > LONGEST:
        return ()
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return ()
    found, start = [], 0
    for kind, value in lex(text, lexer):
        role = next((role for token, role in _ROLES if kind in token), None)
        if role and value.strip():
            found.append((start, len(value), role, any(kind in bold for bold in _BOLD)))
        start += len(value)
    return tuple(found)


def highlight(document: QTextDocument, text: str, language: str) -> None:
    """Colour `document`, which shows `text`, in the theme in use."""
    colours = theme.colours()
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    # Qt counts UTF-16 units, Pygments characters; beyond the BMP a character is two units.
    wide = [index for index, sign in enumerate(text) if ord(sign) > 0xFFFF]
    for start, length, role, bold in spans(text, language):
        style = QTextCharFormat()
        style.setForeground(QColor(getattr(colours, role)))
        if bold:
            style.setFontWeight(600)
        cursor.setPosition(start + bisect_left(wide, start))
        end = start + length
        cursor.setPosition(end + bisect_left(wide, end), QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(style)
    cursor.endEditBlock()
