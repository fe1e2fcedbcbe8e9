"""Reads a JSON object while it is written, and returns its text in the layout of Python's json."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from engine.call_forms.reading import whole
from engine.call_forms.schema import Schema

_SPACE = re.compile(r"[ \t\n\r]*+")
_PART_OF_TEXT = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))+')
_HALF_AN_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
# The first half of a character that is written as two escapes.
_FIRST_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_HALF_OF_CHARACTER = re.compile("[\ud800-\udfff]")
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
# A number or a word, which another sign has ended.
_SCALAR = re.compile(r'[^\s{}\[\]:,"]+(?=[\s{}\[\]:,"])')
_CLOSING = {"{": "}", "[": "]"}


@dataclass
class _Container:
    """An object or a list that is open; `keys` are the keys of an object so far, `count` its entries."""

    sign: str
    keys: list[str] = field(default_factory=list)
    count: int = 0


class _Stopped(Exception):
    """Nothing more can be read for certain."""


class GrowingObject:
    """A JSON object that grows; whole numbers are integers where the `schema` of its entries wants them.

    Reading stops at what is no JSON, at a key that comes twice, at half a character, and before the last brace.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._open_containers: list[_Container] = []
        self._text = ""
        self._at = 0
        # What comes next: a "value", a "key", a "colon", or what stands "after" a value.
        self._next = "value"
        self._in_text = self._stopped = False

    def add(self, text: str) -> str:
        """Read more of the object's text, and return the text that this adds in Python's layout."""
        if self._stopped:
            return ""
        self._text = self._text[self._at :] + text
        self._at = 0
        written: list[str] = []
        try:
            while (piece := self._text_piece() if self._in_text else self._sign()) is not None:
                written.append(piece)
        # Besides `_Stopped`, what is no JSON raises ValueError.
        except (_Stopped, ValueError, RecursionError):
            self._stopped = True
        return "".join(written)

    def _text_piece(self) -> str | None:
        """Read the next part of a text, or its end; None if it is not there yet."""
        if self._text.startswith('"', self._at):
            self._at += 1
            self._in_text = False
            self._next = "after"
            return '"'
        part = _PART_OF_TEXT.match(self._text, self._at)
        end = part.end() if part is not None else self._at
        if (half := _FIRST_HALF.search(self._text, self._at, end)) is not None:
            later = self._text[end:]
            if later and not _HALF_AN_ESCAPE.match(later):
                raise _Stopped
            end = half.start()
        if end == self._at:
            later = self._text[self._at :]
            if later and half is None and not _HALF_AN_ESCAPE.match(later):
                raise _Stopped
            return None
        content = json.loads(f'"{self._text[self._at : end]}"', strict=False)
        self._at = end
        if _HALF_OF_CHARACTER.search(content):
            raise _Stopped
        return json.dumps(content, ensure_ascii=False)[1:-1]

    def _sign(self) -> str | None:
        """Read the next sign, key, number or word; None if it is not there yet."""
        self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
        sign = self._text[self._at : self._at + 1]
        if not sign:
            return None
        if self._next == "colon":
            self._take(sign == ":")
            self._next = "value"
            return ""
        if self._next == "after":
            return self._after_value(sign)
        container = self._open_containers[-1] if self._open_containers else None
        if container is not None and not container.count and sign == _CLOSING[container.sign]:
            return self._close()
        if self._next == "key":
            return self._key()
        return self._value(sign)

    def _take(self, is_right: bool) -> None:
        if not is_right:
            raise _Stopped
        self._at += 1

    def _after_value(self, sign: str) -> str:
        container = self._open_containers[-1]
        if sign == _CLOSING[container.sign]:
            return self._close()
        self._take(sign == ",")
        self._next = "key" if container.sign == "{" else "value"
        return ", "

    def _close(self) -> str:
        container = self._open_containers.pop()
        if not self._open_containers:
            raise _Stopped
        self._at += 1
        self._next = "after"
        return _CLOSING[container.sign]

    def _key(self) -> str | None:
        container = self._open_containers[-1]
        key_text = _KEY.match(self._text, self._at)
        if key_text is None:
            return None
        key = json.loads(key_text[0], strict=False)
        if key in container.keys or _HALF_OF_CHARACTER.search(key):
            raise _Stopped
        container.keys.append(key)
        container.count += 1
        self._at = key_text.end()
        self._next = "colon"
        return f"{json.dumps(key, ensure_ascii=False)}: "

    def _value(self, sign: str) -> str | None:
        container = self._open_containers[-1] if self._open_containers else None
        if sign in _CLOSING:
            self._count(container)
            self._open_containers.append(_Container(sign))
            self._at += 1
            self._next = "key" if sign == "{" else "value"
            return sign
        if sign == '"':
            self._count(container)
            self._at += 1
            self._in_text = True
            return sign
        scalar = _SCALAR.match(self._text, self._at)
        if scalar is None:
            return None
        value = json.loads(scalar[0])
        if len(self._open_containers) == 1:
            value = whole(value, self._schema.properties.get(self._open_containers[0].keys[-1], self._schema.part({})))
        self._count(container)
        self._at = scalar.end()
        self._next = "after"
        return json.dumps(value, ensure_ascii=False)

    def _count(self, container: _Container | None) -> None:
        """Count an entry of a list. Entries of objects were counted with their keys."""
        if container is not None and container.sign == "[":
            container.count += 1
