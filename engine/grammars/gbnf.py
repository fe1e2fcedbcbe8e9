"""Grammars in GBNF, the notation of llama.cpp and XGrammar, as llguidance reads them.

llguidance converts the rules. Here the escapes and classes of characters are first written as it knows them, because it
refuses some and takes others for something else. Control tokens (`<think>`) are not supported.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from engine.errors import GrammarNotUsable

# The most bytes: the conversion takes seconds for rules that lead to one another in an unfortunate order.
LARGEST_GBNF = 2**16
# Texts and classes with their ends, which may be missing.
_QUOTED = r'"((?:\\.|[^"\\])*+)("?)|\[((?:\\.|[^\]\\])*+)(\]?)'
_COMMENTS = re.compile(rf"{_QUOTED}|#[^\n]*", re.DOTALL)
# Also a point for any character, the space before an alternative, which may be on the next line, and the end of a group
# that is repeated.
_PARTS = re.compile(rf"{_QUOTED}|\.|(?<!\s)\s++(?=\|)|\)(?=\s*+[*+?{{])", re.DOTALL)
_CHARACTER = re.compile(r"\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\.|.", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}
_MARKS = '"\\'
_ANY = f"[\\x00-{chr(0x10FFFF)}]"
# In what llguidance writes: comments, texts and regular expressions; and the name of a rule, small for one that is no
# regular expression.
_NOT_NAMES = re.compile(r'^//[^\n]*|"(?:\\.|[^"\\])*"|/(?:\\.|[^/\\])*/', re.MULTILINE)
_RULE = re.compile(r"^([a-z]\w*):", re.MULTILINE)
_START = re.compile(r"^start:", re.MULTILINE)


def is_gbnf(source: str) -> bool:
    """Whether a grammar is in GBNF, which defines rules with "::=", rather than in Lark's notation."""
    return "::=" in _COMMENTS.sub("", source)


@lru_cache(maxsize=8)
def lark_of_gbnf(source: str) -> str:
    """Return a grammar in GBNF in llguidance's dialect of Lark. Raises `GrammarNotUsable`.

    llguidance's regular expressions take as many characters as they can: after one for `[a-z]+`, no text can begin with
    a letter. A grammar without recursion therefore becomes one expression, and in others, which takes more time, each
    expression is one character.
    """
    if len(source.encode(errors="surrogatepass")) > LARGEST_GBNF:
        raise GrammarNotUsable("too-large", str(LARGEST_GBNF // 1024))
    source = _COMMENTS.sub(_without_comment, source)
    lark = _converted(source, _text_of)
    names = _NOT_NAMES.sub("", lark)
    if _RULE.findall(names) == ["start"] and len(re.findall(r"\bstart\b", names)) == 1:
        return _START.sub("start: WHOLE_ANSWER\nWHOLE_ANSWER:", lark, count=1)
    return _with_rules_alone(_converted(source, _characters_of))


def _converted(source: str, text_of: Callable[[str], str]) -> str:
    """Convert GBNF without comments to Lark; `text_of` writes each quoted text. Raises `GrammarNotUsable`."""
    # Imported here because the window imports this package, and should start without the library.
    from llguidance.gbnf_to_lark import gbnf_to_lark

    try:
        return gbnf_to_lark(_PARTS.sub(partial(_written, text_of=text_of), source))
    except GrammarNotUsable:
        raise
    except RecursionError as error:
        raise GrammarNotUsable("invalid", "it nests too deep") from error
    # The library has no class of its own for what is wrong with names.
    except Exception as error:
        raise GrammarNotUsable("invalid", " ".join(str(error).split())[:200]) from error


def _with_rules_alone(lark: str) -> str:
    """Return a grammar in Lark whose regular expressions, named in capital letters, have become rules.

    Raises `GrammarNotUsable` if a rule has the new name already.
    """
    names = _NOT_NAMES.sub("", lark)
    expressions = {name: f"t_{name.lower()}" for name in re.findall(r"^([A-Z]\w*):", names, re.MULTILINE)}
    if taken := set(expressions.values()).intersection(_RULE.findall(names)):
        raise GrammarNotUsable("invalid", f"Rule '{min(taken)}' already exists")
    parts = re.compile(rf"{_NOT_NAMES.pattern}|\b[A-Z]\w*\b", re.MULTILINE)
    return parts.sub(lambda match: expressions.get(match[0], match[0]), lark)


def _without_comment(match: re.Match[str]) -> str:
    return "" if match[0].startswith("#") else match[0]


def _written(match: re.Match[str], text_of: Callable[[str], str]) -> str:
    """Return a part of a grammar in GBNF as llguidance reads it. Raises `GrammarNotUsable`."""
    text, text_end, characters, class_end = match.groups()
    if "" in (text_end, class_end):
        raise GrammarNotUsable("invalid", "a text or a class of characters does not end")
    if text is not None:
        return text_of(text)
    if characters is not None:
        return _class_of(characters)
    # The library drops the parentheses of (a*)* otherwise.
    return {".": _ANY, ")": ' "")'}.get(match[0], " ")


def _text_of(written: str) -> str:
    """Return a quoted text in Lark. Raises `GrammarNotUsable`."""
    characters = map(_character, _CHARACTER.findall(written))
    escaped = [_code(character) if character in _MARKS or character < " " else character for character in characters]
    return f'"{"".join(escaped)}"'


def _characters_of(written: str) -> str:
    """Return a quoted text in Lark as a class for each character. Raises `GrammarNotUsable`."""
    classes = [f"[{_in_class(character)}]" for character in _CHARACTER.findall(written)]
    return f'({" ".join(classes)} "")' if classes else '""'


def _character(written: str) -> str:
    """Return the character that a character or an escape stands for. Raises `GrammarNotUsable`."""
    if written[0] != "\\":
        return written
    kind = written[1]
    digits = written[2:]
    try:
        character = chr(int(digits, 16)) if digits else _NAMED.get(kind, kind)
        character.encode()
    except (ValueError, OverflowError) as error:
        raise GrammarNotUsable("invalid", f"{written} is no character") from error
    if not digits and kind.isalnum() and kind not in _NAMED:
        raise GrammarNotUsable("invalid", f"the escape {written} is not known")
    return character


def _class_of(written: str) -> str:
    """Return a class of characters for its text without brackets. Raises `GrammarNotUsable`.

    Characters that could mean something else are written as code points.
    """
    negated = written.startswith("^")
    pieces = _CHARACTER.findall(written[negated:])
    if not pieces:
        raise GrammarNotUsable("invalid", "a class of characters is empty")
    members = []
    while pieces:
        members.append(_in_class(pieces.pop(0)))
        # A minus between two characters makes a range of characters.
        if len(pieces) > 1 and pieces[0] == "-":
            members.append(f"-{_in_class(pieces[1])}")
            del pieces[:2]
    return f"[{'^' if negated else ''}{''.join(members)}]"


def _in_class(written: str) -> str:
    """Return a character as a member of a class. Raises `GrammarNotUsable`."""
    character = _character(written)
    return character if character.isalnum() or character > "\x7f" else _code(character)


def _code(character: str) -> str:
    return f"\\x{ord(character):02x}"
