"""Tells whether an answer that was cut ends within calls, or with a text that only mentions their marks."""

from __future__ import annotations

import re
from collections.abc import Collection

_BEFORE_JSON = re.compile(r"(?:[\s,;\[]|```(?:json)?)*+(?=\{|\Z)")
# The keys with which models begin a call in JSON, and the value of the one that is the function's name.
_FIRST_KEYS = (
    *("name", "tool_name", "tool", "function", "function_name", "type", "id", "tool_call_id"),
    *("arguments", "parameters"),
)
_FIRST_KEY = re.compile(r'\{\s*+"(?P<word>[^"]*+)(?P<end>"?)')
_NAME = re.compile(r'"(?:name|tool_name|tool|function|function_name)"\s*+:\s*+"(?P<word>[^"]*+)(?P<end>"?)')
# Texts in quotes, in which signs have no meaning; the last one may have no end.
_QUOTED = re.compile(
    r"\"(?:\\.|[^\"\\])*+(?:(?P<end>\")|\\?\Z)|(?<=[=(\[,:{ ])'(?:\\.|[^'\\])*+(?:(?P<other_end>')|\\?\Z)", re.DOTALL
)
_FIRST_OF_LIST = re.compile(r"\[\s*+(?P<word>[\w.-]*+)\s*+(?P<end>.?)", re.DOTALL)
_BEFORE_VALUES = re.compile(r"[^{(]*+")
_FIRST_WORD = re.compile(r"\s*+(?P<word>[^\W\d][\w.-]*+)(?P<end>.?)", re.DOTALL)
# Words before the name of a function that are no part of it.
_BEGINNINGS = ("call", "function", "functions.")
# A word of a sentence; in calls, words stand next to signs.
_PROSE = re.compile(r"(?<!\S)[^\W\d_]++(?=\s)|[^\W\d_\x00-\x7f]")
# The signs before a function's name are not longer.
_LONGEST_HEAD = 120


def begins_calls(text: str, names: Collection[str], *, marked: bool = True) -> bool:
    """Return whether an answer that ends with `text` after a mark of calls was cut within calls.

    They are calls of functions with these `names`, or may become such: text that calls another function, begins with
    words of a sentence or has some after its last value only mentions the mark. A text that ends with the mark itself
    is "" here, and may become a call. Without marks (`marked`), calls are JSON or a list as Python writes it.
    """
    if (before := _BEFORE_JSON.match(text)) is not None:
        named = _names_function_in_json(text[before.end() :], names)
    elif not marked:
        named = _lists_function(text, names)
    else:
        named = _names_function(text, names)
    return named and _goes_on(text)


def _names_function_in_json(text: str, names: Collection[str]) -> bool:
    """Return whether the JSON object that begins so is a call of one of the functions, or may become one."""
    matches = [(_FIRST_KEY.match(text), (*_FIRST_KEYS, *names)), (_NAME.search(text), names)]
    return all(_is_among(match["word"], bool(match["end"]), words) for match, words in matches if match is not None)


def _lists_function(text: str, names: Collection[str]) -> bool:
    """Return whether a list begins with a call of one of the functions, or may do so."""
    first = _FIRST_OF_LIST.match(text)
    return first is not None and first["end"] in ("", "(") and _is_among(first["word"], bool(first["end"]), names)


def _names_function(text: str, names: Collection[str]) -> bool:
    """Return whether the name of one of the functions comes before the first values, or may come yet."""
    head = _BEFORE_VALUES.match(text)[0]  # type: ignore[index]
    first = _FIRST_WORD.match(head)
    if first is not None and not _is_word_before_values(first["word"], bool(first["end"]), names):
        return False
    called = re.search(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])", head)
    if called is not None:
        return not _PROSE.search(head[: called.start()]) and not _PROSE.search(head[called.end() :])
    return head == text and len(text) <= _LONGEST_HEAD and not _PROSE.search(text)


def _is_word_before_values(word: str, ended: bool, names: Collection[str]) -> bool:
    """Return whether calls may begin with a word, which has `ended` or may go on."""
    return word.startswith(_BEGINNINGS) or _is_among(word, ended, (*names, *_BEGINNINGS))


def _goes_on(text: str) -> bool:
    """Return whether a text ends within values, or with nothing but signs after them."""
    quoted = list(_QUOTED.finditer(text))
    if quoted and not (quoted[-1]["end"] or quoted[-1]["other_end"]):
        return True
    outside = _QUOTED.sub('""', text)
    opened, closed = (sum(map(outside.count, signs)) for signs in ("{[(", "}])"))
    if opened > closed:
        return True
    after = max(map(outside.rfind, "}])")) + 1
    return not after or not _PROSE.search(outside, after)


def _is_among(word: str, ended: bool, words: Collection[str]) -> bool:
    """Return whether a word is one of the words or, if it has not `ended`, the beginning of one."""
    return word in words if ended else any(candidate.startswith(word) for candidate in words)
