"""Reads a call while the model writes it: the function's name, and the beginning of the JSON of its arguments.

What is read here is only a beginning: whether the text is a call at all is known when it is whole (`CallForm.calls`,
`CallForm.last_calls`). The JSON is written like the JSON of whole calls, so that it begins the whole call's `arguments`
unless the text can be read in another way. Where it can, reading stops, and all that follows comes with the whole call.
The brace that closes the arguments is never read here: programs can tell a beginning from a whole call.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from engine.call_forms.growing_json import GrowingObject
from engine.call_forms.named_values import BraceReader, as_python, as_python_list, value_in_braces
from engine.call_forms.reading import BETWEEN_JSON, CallReader, HeaderThenJson, JsonOr, as_json, whole
from engine.call_forms.schema import Schema
from engine.call_forms.tagged import Tagged, between_lines

# What models write in an object before the name of the function.
_BEFORE_NAME = r'(?:"(?:tool_call_id|id|type)"\s*:\s*"[^"\\]*"\s*,\s*)?'
_HEAD_OF_JSON = re.compile(
    rf"{BETWEEN_JSON.pattern}\{{\s*{_BEFORE_NAME}"
    r'(?:"(?:name|tool_name|function)"\s*:\s*"(?P<name>[^"\\]+)"\s*,\s*"(?:arguments|parameters)"'
    r'|"(?P<only>[^"\\]+)")\s*:\s*(?=\{)'
)
_HEAD_OF_BRACES = re.compile(r"\s*(?:call:)?\s*(?P<name>[\w.-]+)\s*\{")
_HEAD_OF_PYTHON = re.compile(r"\s*(?:\[\s*)?(?P<name>[\w.-]+)\s*\(")
_KEY_IN_BRACES = re.compile(r"""\s*([^\s:,"'()\[\]{}]+)\s*:\s*(?=\S)""")
# A longer value that is no text is not tried again with each piece, but comes with the whole call.
_LONGEST_VALUE = 4096
# A tag of the form is not longer.
_LONGEST_TAG = 300
# What may end the tag with which an argument begins.
_CDATA = "<![CDATA["


class GrowingCall(ABC):
    """A call that is being written.

    `name` is the function's name, "" until it is known, and `arguments` the beginning of the JSON of its arguments.
    `schemas` has the schema of each function's arguments, by the names that the model writes.
    """

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self.name = ""
        self.arguments = ""
        self._schemas = schemas

    @abstractmethod
    def read(self, text: str) -> None:
        """Read the text so far, which begins with the text of the last call."""


def growing_call(read: CallReader, tags: Tagged | None, schemas: Mapping[str, Schema], mark: str) -> GrowingCall | None:
    """Return what reads a growing call in the form of a reader, or of `tags`; None if such calls only come whole.

    Its text begins with `mark`; that is a part of what the reader takes if it is "".
    """
    if isinstance(tags, Tagged):
        # Elements within elements, of which several may be a list, come whole.
        return None if "NAME" in tags.closing else _GrowingTags(tags, schemas)
    if isinstance(read, HeaderThenJson):
        return _GrowingJson(read.header, schemas, mark)
    if isinstance(read, JsonOr) and isinstance(read.other, HeaderThenJson):
        return _GrowingJson(read.other.header, schemas, mark, or_object=True)
    if read is as_json:
        return _GrowingJson(_HEAD_OF_JSON, schemas, mark)
    if isinstance(read, BraceReader):
        return _GrowingBraces(read.quote, schemas, mark)
    if read in (as_python, as_python_list):
        return _GrowingName(schemas, mark)
    return None


class _GrowingJson(GrowingCall):
    """A header with the name, and a JSON object; with `or_object` models also write an object with both."""

    def __init__(
        self, header: re.Pattern[str], schemas: Mapping[str, Schema], mark: str, *, or_object: bool = False
    ) -> None:
        super().__init__(schemas)
        self._header = header
        self._mark = mark
        self._or_object = or_object
        self._object: GrowingObject | None = None
        self._read_length = 0

    def read(self, text: str) -> None:
        if self._object is None:
            self._begin(text)
        if self._object is not None:
            self.arguments += self._object.add(text[self._read_length :])
            self._read_length = len(text)

    def _begin(self, text: str) -> None:
        inner = text[len(self._mark) :]
        is_object = self._or_object and inner.lstrip().startswith(("{", "["))
        head = _HEAD_OF_JSON.match(inner) if is_object else self._header.search(inner)
        if head is None:
            return
        fields = head.groupdict()
        name = fields["name"] or fields.get("only") or ""
        if name in self._schemas and inner.startswith("{", head.end()):
            self.name = name
            self._object = GrowingObject(self._schemas[name])
            self._read_length = len(self._mark) + head.end()


class _GrowingName(GrowingCall):
    """A call as Python writes it, whose values come with the whole call."""

    def __init__(self, schemas: Mapping[str, Schema], mark: str) -> None:
        super().__init__(schemas)
        self._mark = mark

    def read(self, text: str) -> None:
        head = _HEAD_OF_PYTHON.match(text, len(self._mark)) if not self.name else None
        if head is not None and head["name"] in self._schemas:
            self.name = head["name"]


class _GrowingBraces(GrowingCall):
    """Gemma's call: texts in `quote` stream, other values come whole."""

    def __init__(self, quote: str, schemas: Mapping[str, Schema], mark: str) -> None:
        super().__init__(schemas)
        self._quote = quote
        self._at = len(mark)
        self._keys: list[str] = []
        self._in_text = self._stopped = False

    def read(self, text: str) -> None:
        if not self.name:
            head = _HEAD_OF_BRACES.match(text, self._at)
            if head is None or head["name"] not in self._schemas:
                return
            self.name = head["name"]
            self.arguments = "{"
            self._at = head.end()
        while not self._stopped and (self._more_text(text) if self._in_text else self._next_value(text)):
            pass

    def _more_text(self, text: str) -> bool:
        """Read more of a text in quotes. Returns whether it has ended."""
        end = text.find(self._quote, self._at)
        after = end if end >= 0 else len(text) - _begun(text, self._quote)
        self.arguments += _escaped(text[self._at : after])
        self._at = after
        if end < 0:
            return False
        self.arguments += '"'
        self._at += len(self._quote)
        self._in_text = False
        return True

    def _next_value(self, text: str) -> bool:
        """Read the beginning of a text, or a whole value of another kind. Returns whether one was there."""
        at = self._at
        if self._keys:
            comma = re.compile(r"\s*,").match(text, at)
            if comma is None:
                return False
            at = comma.end()
        key = _KEY_IN_BRACES.match(text, at)
        if key is None or _begun(text, self._quote) > 0:
            return False
        if key[1] in self._keys:
            self._stopped = True
            return False
        begun = f"{', ' if self._keys else ''}{_dumped(key[1])}: "
        if text.startswith(self._quote, key.end()):
            self.arguments += f'{begun}"'
            self._at = key.end() + len(self._quote)
            self._in_text = True
        else:
            value, end = value_in_braces(text, key.end(), self._quote, _LONGEST_VALUE)
            if end is None:
                self._stopped = len(text) - key.end() > _LONGEST_VALUE
                return False
            self.arguments += begun + _dumped(whole(value, _schema_of(self._schemas[self.name], key[1])))
            self._at = end
        self._keys.append(key[1])
        return True


class _GrowingTags(GrowingCall):
    """A call with a tag for each argument: free texts stream, other values come whole.

    A text ends at a closing tag after which another argument begins that the function declares and that the call does
    not have yet. At what may be the end of the call, reading stops, because only the end of the answer tells. It also
    stops at a tag in a text with which an argument or a call begins.
    """

    def __init__(self, tags: Tagged, schemas: Mapping[str, Schema]) -> None:
        super().__init__(schemas)
        self._tags = tags
        self._opening = re.compile(tags.opening, re.DOTALL)
        self._begins = re.compile(f"{tags.opening}|{tags.name if tags.end else re.escape(tags.start) + tags.name}")
        ends = (tags.end, tags.stop, *(stop for _, stop in tags.similar))
        self._ends = tuple(end for end in ends if end)
        self._given_names: list[str] = []
        # Where the text begins that was not read yet, and the argument that it belongs to, if any.
        self._at = 0
        self._key = self._closing = ""
        # The line break after the tag with which the newest text begins.
        self._line_break = "\n"
        self._is_text = self._is_json = self._stopped = False
        # Whether a text was read before, and whether the newest one has a closing tag in it.
        self._has_text = self._has_closing = False

    def read(self, text: str) -> None:
        if not self.name and not self._find_name(text):
            return
        while not self._stopped:
            if self._key:
                goes_on = self._more_text(text) if self._is_text else self._whole_value(text)
            else:
                goes_on = self._next_key(text)
            if not goes_on:
                return

    def _find_name(self, text: str) -> bool:
        """Find the name of the function, which counts once one of its arguments begins."""
        begin = self._tags.beginning(text)
        if begin is None or begin["name"] not in self._schemas:
            return False
        opening = self._opening.match(text, _after_space(text, begin.end()))
        if opening is None or opening["key"] not in self._schemas[begin["name"]].properties:
            return False
        self.name = begin["name"]
        self.arguments = "{"
        self._at = begin.end()
        return True

    def _next_key(self, text: str) -> bool:
        """Read the tag with which an argument begins. Returns whether one was there."""
        opening = self._opening.match(text, _after_space(text, self._at))
        # What comes next tells whether there is more of the tag, or of a line break after it.
        if opening is None or any(begun.startswith(text[opening.end() :]) for begun in (_CDATA, "\r")):
            return False
        groups = opening.groupdict()
        key = opening["key"]
        properties = self._schemas[self.name].properties
        if key not in properties or key in self._given_names:
            self._stopped = True
            return False
        schema = properties[key]
        string = groups.get("string")
        is_free = schema.kinds == {"string"} and any(option.is_any_text for option in schema.alternatives)
        self._is_text = string == "true" or (string is None and is_free)
        self._is_json = string == "false"
        self._closing = f"{']]>' if groups.get('cdata') else ''}{self._tags.closing}"
        self._has_closing = False
        self._key = key
        self._at = opening.end()
        if self._is_text:
            self.arguments += f'{", " if self._given_names else ""}{_dumped(key)}: "'
            if self._tags.lines:
                self._line_break = "\r\n" if text.startswith("\r\n", self._at) else "\n"
                self._at += len(self._line_break) if text.startswith(self._line_break, self._at) else 0
        return True

    def _more_text(self, text: str) -> bool:
        """Read more of a text without quotes. Returns whether there may be more to read after it."""
        closing = self._closing
        close = text.find(closing, self._at)
        end = close if close >= 0 else _before_half_a_tag(text, self._at, closing)
        if (inner := self._begins.search(text, self._at, end)) is not None:
            self._stopped = True
            end = inner.start()
        # The last line break is no part of the text if the closing tag follows, as in `between_lines`.
        if self._tags.lines:
            end = self._before_line_break(text, end, whole=close >= 0)
        self._add_text(text[self._at : end])
        self._at = end
        if close < 0 or self._stopped:
            return False
        after = close + len(closing)
        goes_on = self._goes_on(text, after)
        if goes_on:
            self._stopped = self._has_closing and self._has_text
            self.arguments += "" if self._stopped else '"'
            self._has_text = True
            self._end_value(after)
        elif goes_on is False:
            self._has_closing = True
            self._add_text(text[self._at : after])
            self._at = after
        return goes_on is not None and not self._stopped

    def _before_line_break(self, text: str, end: int, whole: bool) -> int:
        """Return where the line break begins with which the text up to `end` ends; or half of one, unless `whole`."""
        breaks = ("\r\n", "\n") if self._line_break == "\r\n" else ("\n",)
        halves = () if whole else ("\r",)
        size = next((len(sign) for sign in (*breaks, *halves) if text.endswith(sign, self._at, end)), 0)
        return end - size

    def _whole_value(self, text: str) -> bool:
        """Take a value that is no free text, if it is whole and another argument follows; return whether it was taken.

        One that was not is tried again with the next piece, unless it is long.
        """
        closing = self._closing
        close = text.find(closing, self._at)
        if close < 0 or not self._goes_on(text, close + len(closing)):
            self._stopped = self._stopped or len(text) - self._at > _LONGEST_VALUE
            return False
        schema = self._schemas[self.name].properties[self._key]
        content = text[self._at : close]
        if self._tags.lines:
            content = between_lines(content)
        # The model may write anything, and parsers of values can raise any exception.
        with suppress(Exception):
            value = whole(json.loads(content) if self._is_json else self._tags.typed(content, schema), schema)
            if schema.allows(value):
                self.arguments += f"{', ' if self._given_names else ''}{_dumped(self._key)}: {_dumped(value)}"
                self._end_value(close + len(closing))
                return True
        self._stopped = True
        return False

    def _goes_on(self, text: str, at: int) -> bool | None:
        """Return whether another argument begins after a closing tag; None if that cannot be told yet."""
        at = _after_space(text, at)
        if (opening := self._opening.match(text, at)) is not None:
            key = opening["key"]
            self._stopped = key not in self._schemas[self.name].properties
            if self._stopped:
                return None
            return key != self._key and key not in self._given_names
        later = text[at : at + _LONGEST_TAG]
        if any(later.startswith(end) or end.startswith(later) for end in self._ends):
            return None
        return None if later.startswith("<") and len(later) < _LONGEST_TAG else False

    def _end_value(self, at: int) -> None:
        self._given_names.append(self._key)
        self._key = ""
        self._at = at

    def _add_text(self, text: str) -> None:
        self.arguments += _escaped(text)


def _before_half_a_tag(text: str, at: int, closing: str) -> int:
    """Return the end of the text without what may begin a tag at its end, from `at` on."""
    start = text.rfind(closing[0], max(at, len(text) - _LONGEST_TAG))
    is_half = start >= 0 and ">" not in text[start:]
    return start if is_half else len(text)


def _begun(text: str, mark: str) -> int:
    """Return how many characters at the end of a text begin the mark."""
    return next((size for size in range(min(len(mark) - 1, len(text)), 0, -1) if text.endswith(mark[:size])), 0)


def _after_space(text: str, at: int) -> int:
    return re.compile(r"\s*+").match(text, at).end()  # type: ignore[union-attr]


def _schema_of(schema: Schema, key: str) -> Schema:
    return schema.properties.get(key, schema.others)


def _escaped(text: str) -> str:
    """Return a text as JSON writes it, without quotes."""
    return _dumped(text)[1:-1]


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
