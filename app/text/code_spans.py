"""The spans of code that have colours, found by Pygments. No Qt in here."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

# Longer code stays plain: colouring it would take too long.
LONGEST_COLOURED = 20_000

# The beginnings of a diff without a language.
_DIFF_BEGINNINGS = ("diff --git ", "--- ", "@@ -")

# The keys name nodes in Pygments' tree of token types.
_ROLES = (
    ("Comment", "faint"),
    ("Keyword", "main_text"),
    ("Name.Tag", "main_text"),
    ("Literal.String", "draft_text"),
    ("Literal.Number", "lookup_text"),
    ("Name.Builtin", "main_text"),
    ("Name.Decorator", "lookup_text"),
    ("Name.Function", "text"),
    ("Name.Class", "text"),
    ("Generic.Deleted", "problem"),
    ("Generic.Inserted", "draft_text"),
    ("Generic.Subheading", "main_text"),
)
# The names of all colours that spans have, as in app/widgets/colours.py.
ROLES = tuple(dict.fromkeys(role for _, role in _ROLES))
_BOLD = ("Name.Function", "Name.Class")


class ColouredSpan(NamedTuple):
    """A span to colour, in characters. `role` is a colour of `ROLES`."""

    start: int
    length: int
    role: str
    bold: bool


CodeSpans = tuple[ColouredSpan, ...]


def language_of(text: str, named: str) -> str:
    """Return the language of code: the one that is `named`, or else "diff", or "xml" for a drawing; "" if unknown."""
    if named.lower() == "svg" or (not named and text.startswith("<svg")):
        return "xml"
    return named or ("diff" if text.startswith(_DIFF_BEGINNINGS) else "")


def spans(text: str, language: str) -> CodeSpans:
    """Return the spans of a text to colour; () for unknown languages. May be called on any thread."""
    if len(text) > LONGEST_COLOURED or language.lower() not in _languages():
        return ()
    # Imported with the first coloured code block, off the Qt thread.
    from pygments import lex
    from pygments.lexers import get_lexer_by_name
    from pygments.token import string_to_tokentype

    roles = [(string_to_tokentype(name), role, name in _BOLD) for name, role in _ROLES]
    coloured = []
    start = 0
    for kind, value in lex(text, get_lexer_by_name(language, stripnl=False, ensurenl=False)):
        matching = [(role, bold) for token, role, bold in roles if kind in token]
        if matching and value.strip():
            role, bold = matching[0]
            coloured.append(ColouredSpan(start, len(value), role, bold))
        start += len(value)
    return tuple(coloured)


@cache
def _languages() -> frozenset[str]:
    """Return every name of a language. For an unknown one, Pygments would search all installed packages."""
    from pygments.lexers import get_all_lexers

    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)
