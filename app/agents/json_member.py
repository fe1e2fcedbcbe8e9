"""Adds members to the text of a JSON file that people edit; comments and everything else stay as they are."""

from __future__ import annotations

import json
import re

from engine.files.bounded_json import CONFIG, parse

_STRING = r'"(?:[^"\\]|\\.)*+"'
_COMMENTS = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMAS = re.compile(rf"{_STRING}|,(?=\s*[\]}}])")


def with_members(text: str, added: str) -> str:
    """Return `text` with the members of the object `added` as its first ones.

    Raises `ValueError` if `text` is not a JSON object, apart from comments and last commas, or has such a member.
    """
    plain = _LAST_COMMAS.sub(_blank, _COMMENTS.sub(_blank, text))
    if not plain.strip():
        text, plain = text + "{\n}\n", plain + "{\n}\n"
    present = parse(plain.encode(), CONFIG)
    if not isinstance(present, dict) or present.keys() & json.loads(added).keys():
        raise ValueError("no place for the members")
    start = plain.index("{") + 1
    return text[:start] + members_of(added) + ("," if present else "") + text[start:]


def members_of(added: str) -> str:
    """Return the lines with the members of an indented object."""
    return added.strip().removeprefix("{").removesuffix("\n}")


def _blank(found: re.Match[str]) -> str:
    """Replace what plain JSON does not allow by spaces, so that every other character keeps its place."""
    return found[0] if found[0].startswith('"') else " " * len(found[0])
