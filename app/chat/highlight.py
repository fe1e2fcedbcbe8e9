"""Syntax colours for a complete code block: Pygments finds the spans, the theme has the colours.

Lexing a long block and loading a lexer take longer than a frame. Both happen off the Qt thread, and the block stays
plain until they are done.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument

from app.chat.background_cache import BackgroundCache
from app.widgets import theme

# Longer code stays plain: colouring it would take too long.
LONGEST = 20_000
# Code up to this length is lexed on the Qt thread, once the lexer is loaded.
_SHORT = 400
_CACHED = 256

# The keys name nodes in Pygments' tree of token types.
_ROLES = (
    ("Comment", "faint"),
    ("Keyword", "main_text"),
    ("Literal.String", "draft_text"),
    ("Literal.Number", "lookup_text"),
    ("Name.Builtin", "main_text"),
    ("Name.Decorator", "lookup_text"),
    ("Name.Function", "text"),
    ("Name.Class", "text"),
)
_BOLD = ("Name.Function", "Name.Class")

# (start, length, colour role, bold) of each span to colour, positions in characters.
Spans = tuple[tuple[int, int, str, bool], ...]


def spans(text: str, language: str) -> Spans:
    """Return the spans of a text to colour; () for unknown languages. May be called on any thread."""
    if len(text) > LONGEST or language.lower() not in _languages():
        return ()
    # Imported with the first coloured code block, off the Qt thread.
    from pygments import lex
    from pygments.lexers import get_lexer_by_name
    from pygments.token import string_to_tokentype

    roles = [(string_to_tokentype(name), role, name in _BOLD) for name, role in _ROLES]
    found, start = [], 0
    for kind, value in lex(text, get_lexer_by_name(language, stripnl=False, ensurenl=False)):
        role, bold = next(((role, bold) for token, role, bold in roles if kind in token), ("", False))
        if role and value.strip():
            found.append((start, len(value), role, bold))
        start += len(value)
    return tuple(found)


@cache
def _languages() -> frozenset[str]:
    """Return every name of a language. For an unknown one, Pygments would search all installed packages."""
    from pygments.lexers import get_all_lexers

    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


@cache
def spans_cache() -> BackgroundCache[tuple[str, str], Spans]:
    """Return the spans of the latest blocks, by (text, language)."""
    return BackgroundCache("highlight", lambda key: spans(*key), _CACHED)


def highlight(document: QTextDocument, text: str, language: str) -> bool:
    """Colour `document`, which shows `text`, in the theme in use.

    Returns False if its spans are not known yet. The cache emits `ready` when they are.
    """
    if not language:
        return True
    key, cached = (text, language), spans_cache()
    if len(text) <= _SHORT and key not in cached.known and any(known == language for _, known in cached.known):
        cached.keep(key, spans(*key))
    if not cached.has(key):
        return False
    colours = theme.colours()
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    # Qt counts UTF-16 units, Pygments characters; beyond the BMP a character is two units.
    wide = [index for index, letter in enumerate(text) if ord(letter) > 0xFFFF]
    for start, length, role, bold in cached.known[key]:
        style = QTextCharFormat()
        style.setForeground(QColor(getattr(colours, role)))
        if bold:
            style.setFontWeight(600)
        cursor.setPosition(start + bisect_left(wide, start))
        end = start + length
        cursor.setPosition(end + bisect_left(wide, end), QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(style)
    cursor.endEditBlock()
    return True
