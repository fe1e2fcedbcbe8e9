"""Sets one value in the text of a JSON file that people edit; comments and everything else stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.files.bounded_json import CONFIG, UntrustedJsonError, parse

_STRING = r'"(?:[^"\\]|\\.)*+"'
_COMMENTS = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMAS = re.compile(rf"{_STRING}|,(?=\s*[\]}}])")
_INDENT = re.compile(r'\n([ \t]+)"')
_SPACE = re.compile(r"\s*")
_DECODER = json.JSONDecoder()


class NotEditable(ValueError):
    """The text is not JSON with comments, or another kind of value is in the way; the message says where."""


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """Return `text` with `value` at the keys of `path`, in place of any value there. Raises `NotEditable`."""
    plain = _without_comments(text)
    if not plain.strip():
        text, plain = f"{text}{{}}\n", f"{plain}{{}}\n"
    try:
        root = parse(plain.encode(), CONFIG)
    except UntrustedJsonError as error:
        line = getattr(error.__cause__, "lineno", None)
        raise NotEditable(f"{error} in line {line}" if line else str(error)) from error
    start = _skip(plain, 0)
    for depth, key in enumerate(path):
        if not isinstance(root, dict):
            raise NotEditable(f"{'.'.join(path[:depth]) or 'it'} is not an object")
        members = list(_members(plain, start))
        # Of two with the same name, every parser takes the last.
        if (found := next((one for one in reversed(members) if one[0] == key), None)) is None:
            return _inserted(text, start, depth, path[depth:], value, bool(members))
        root, start, end = root[key], *found[1:]
    return text[:start] + _rendered(text, value, len(path)) + text[end:]


def _without_comments(text: str) -> str:
    """Replace what plain JSON does not allow by spaces, so that every character keeps its place."""

    def blank(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith('"') else re.sub(r"[^\n]", " ", found[0])

    text = re.sub("^\ufeff", " ", text)
    return _LAST_COMMAS.sub(blank, _COMMENTS.sub(blank, text))


def _skip(plain: str, start: int) -> int:
    found = _SPACE.match(plain, start)
    assert found is not None
    return found.end()


def _members(plain: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Yield the key, start and end of every value of the object at `start`."""
    position = _skip(plain, start + 1)
    while plain[position] != "}":
        key, position = _DECODER.raw_decode(plain, position)
        begins = _skip(plain, _skip(plain, position) + 1)
        position = _DECODER.raw_decode(plain, begins)[1]
        yield key, begins, position
        position = _skip(plain, position)
        if plain[position] == ",":
            position = _skip(plain, position + 1)


def _inserted(text: str, start: int, depth: int, path: Sequence[str], value: Any, before_others: bool) -> str:
    """Return `text` with the value as the first member of the object at `start`, which is `depth` levels deep."""
    for key in reversed(path[1:]):
        value = {key: value}
    indent, line = _indent(text), _line(text)
    member = f"{line}{indent * (depth + 1)}{json.dumps(path[0])}: {_rendered(text, value, depth + 1)}"
    after = "," if before_others else f"{line}{indent * depth}"
    return text[: start + 1] + member + after + text[start + 1 :]


def _rendered(text: str, value: Any, depth: int) -> str:
    indent = _indent(text)
    lines = json.dumps(value, indent=indent, ensure_ascii=False).split("\n")
    return f"{_line(text)}{indent * depth}".join(lines)


def _indent(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _line(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
