"""Colours for code, once a block is whole: Pygments finds the words, the theme has the colours.

Finding the words of a long block takes longer than a frame, and so does reading a language's rules for the first time:
that is done beside the window's work, and the block stays plain until it is known.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from functools import cache
from typing import TYPE_CHECKING

from pygments import lex
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import Token
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor

from app.system.serial_worker import SerialWorker
from app.widgets import theme

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

# Above this many characters colouring would be felt; the code stays plain.
LONGEST = 20_000
# Up to this many, in a language that was met before, the words are found in less than a millisecond.
_AT_ONCE = 400
_KEPT = 256

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

# (start, length, colour role, bold) of each word to colour, positions in characters.
Spans = tuple[tuple[int, int, str, bool], ...]


def spans(text: str, language: str) -> Spans:
    """The words of a text to colour; () for unknown languages. Safe on any thread."""
    if len(text) > LONGEST or language.lower() not in _languages():
        return ()
    found, start = [], 0
    for kind, value in lex(text, get_lexer_by_name(language, stripnl=False, ensurenl=False)):
        role = next((role for token, role in _ROLES if kind in token), None)
        if role and value.strip():
            found.append((start, len(value), role, any(kind in bold for bold in _BOLD)))
        start += len(value)
    return tuple(found)


@cache
def _languages() -> frozenset[str]:
    """Every name of a language. Asked for one that is none, Pygments would look through all installed packages."""
    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


class Words(QObject):
    """The words to colour of the blocks that were seen last. `found` follows when those of one are known."""

    found = Signal()
    _made = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._known: OrderedDict[tuple[str, str], Spans] = OrderedDict()
        self._asked: set[tuple[str, str]] = set()
        self._met: set[str] = set()
        self._work = SerialWorker("highlight")
        self._made.connect(self._take)

    def of(self, text: str, language: str) -> Spans | None:
        """The words of a block; None where they are not known yet, and `found` follows."""
        key = (text, language)
        if key not in self._known and len(text) <= _AT_ONCE and language in self._met:
            self._keep(key, spans(*key))
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._asked:
            self._asked.add(key)
            self._work.do(lambda: self._made.emit(key, spans(*key)))
        return None

    def _take(self, key: tuple[str, str], words: Spans) -> None:
        self._asked.discard(key)
        self._met.add(key[1])
        self._keep(key, words)
        self.found.emit()

    def _keep(self, key: tuple[str, str], words: Spans) -> None:
        self._known[key] = words
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)


@cache
def words() -> Words:
    """The program's one set of them."""
    return Words()


def highlight(document: QTextDocument, text: str, language: str) -> bool:
    """Colour `document`, which shows `text`, in the theme in use; False where its words are not known yet."""
    found = words().of(text, language) if language else ()
    if found is None:
        return False
    colours = theme.colours()
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    # Qt counts UTF-16 units, Pygments characters; beyond the BMP a character is two units.
    wide = [index for index, sign in enumerate(text) if ord(sign) > 0xFFFF]
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
