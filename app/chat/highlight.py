"""Syntax colours for a complete code block: Pygments finds the spans, the theme has the colours.

Lexing a long block and loading a lexer take longer than a frame. Both happen off the Qt thread, and the block stays
plain until they are done.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from functools import cache

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument

from app.system.background import Background
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


class SpansCache(QObject):
    """The spans of the latest blocks. `found` is emitted when those of another block are known."""

    found = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._known: OrderedDict[tuple[str, str], Spans] = OrderedDict()
        self._pending: set[tuple[str, str]] = set()
        self._loaded_lexers: set[str] = set()
        self._background = Background("highlight", parent=self)

    def get(self, text: str, language: str) -> Spans | None:
        """Return the spans of a block; None if they are not known yet, and `found` will be emitted."""
        key = (text, language)
        if key not in self._known and len(text) <= _SHORT and language in self._loaded_lexers:
            self._keep(key, spans(*key))
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._pending:
            self._pending.add(key)
            self._background.run(lambda: spans(*key), lambda found: self._add(key, found))
        return None

    def _add(self, key: tuple[str, str], found: Spans) -> None:
        self._pending.discard(key)
        self._loaded_lexers.add(key[1])
        self._keep(key, found)
        self.found.emit()

    def _keep(self, key: tuple[str, str], found: Spans) -> None:
        self._known[key] = found
        if len(self._known) > _CACHED:
            self._known.popitem(last=False)


@cache
def spans_cache() -> SpansCache:
    """Return the cache of the program."""
    return SpansCache()


def highlight(document: QTextDocument, text: str, language: str) -> bool:
    """Colour `document`, which shows `text`, in the theme in use. Returns False if its spans are not known yet."""
    found = spans_cache().get(text, language) if language else ()
    if found is None:
        return False
    colours = theme.colours()
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    # Qt counts UTF-16 units, Pygments characters; beyond the BMP a character is two units.
    wide = [index for index, letter in enumerate(text) if ord(letter) > 0xFFFF]
    for start, length, role, bold in found:
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
