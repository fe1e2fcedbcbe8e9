"""Reads calls with a tag for each argument, whose values are texts without quotes: they may contain any tags.

A value ends at the first closing tag that is followed by an argument that the call does not have yet, or by the end of
the call. Before an argument that the function does not declare, each one that begins in the value has
to be closed. The end of a call after a free text counts as such only if the answer ends after it, another call of a
known function follows, or text in which no call ends. A whole call in a free text belongs to it. So a call is only
known at the end of the answer. An answer with two calls, one after the other, is read as such, although it could be
one call whose text has the end of a call and the beginning of another in it.

`AmbiguousCall` is raised where the end of a value cannot be told:
- An argument begins in it that does not end: the model may have forgotten a closing tag.
- Another call begins in it, and an argument follows that may belong to either.
- It has the end of a call in it, and several calls follow each other.
- It is no text, comes after one, and is of another type than the function declares.
- It is that of an argument that the function does not need, comes after a text with no argument between them that the
  function needs, and has a closing tag in it without an opening one: the text before may go on up to there.
- No end fits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

from engine.call_forms.reading import Tools, joined, typed
from engine.call_forms.schema import Schema, arguments_of

_SPACE = re.compile(r"\s*+")
# The names of arguments that hold all others.
_WRAPPERS = ("arguments", "input")


class AmbiguousCall(ValueError):
    """It cannot be told where a value of a call ends; the argument is the name of the function."""


@dataclass(frozen=True)
class Tagged:
    """A reader of calls with a tag for each argument, and nothing but white space between them.

    `name` begins a call and has the group `name`; `end` ends it. `opening` begins an argument and has the group `key`;
    `closing`, which may contain NAME, ends it. If `opening` has the group `string`, that says whether the value is a
    text, otherwise the function's schema does. In the group `cdata` begins a text with an end of its own. `start` and
    `stop` stand around calls: around each, or around all of them if `shared`; with `bare`, models leave them out at
    times, and `similar` are other marks that they write instead. With `lines` a line break next to each tag, LF
    or CR LF, is not a part of the value. `typed` returns the value of a text.
    """

    start: str
    name: str
    opening: str
    closing: str
    end: str
    stop: str
    typed: Callable[[str, Schema], Any] = typed
    shared: bool = False
    bare: bool = False
    similar: tuple[tuple[str, str], ...] = ()
    lines: bool = False

    def __call__(self, text: str, tools: Tools) -> list[dict[str, Any]]:
        """Read a text that is nothing but calls, with or without the marks around them. Raises `ValueError`."""
        start = text.find(self.start) if self.start else -1
        marked = start >= 0 and "<" not in text[:start]
        whole = text[start:] if marked else self.start + text + self.stop
        calls, end = self.read(whole, tools)
        if whole[end:].strip():
            _fail("a text beside calls")
        return calls

    def begins(self, text: str, at: int, names: Container[str]) -> bool:
        """Return whether a call of one of the functions begins here."""
        begin = self.beginning(text, at)
        return begin is not None and begin["name"] in names

    def beginning(self, text: str, at: int = 0) -> re.Match[str] | None:
        """Return how a call of any function begins here, with the group `name`; None if none does."""
        return self._begin.match(text, at)

    def read(self, text: str, tools: Tools) -> tuple[list[dict[str, Any]], int]:
        """Return the calls with which the end of an answer begins, and the offset behind them.

        Raises `AmbiguousCall` if the end of a value cannot be told, and `ValueError` if no call begins here.
        """
        schemas = {tool["function"]["name"]: arguments_of(tool["function"].get("parameters")) for tool in tools}
        begin = self._begin.match(text)
        if begin is None or begin["name"] not in schemas:
            raise ValueError("no call begins here")
        answer = _CallsText(self, text, schemas, marked=bool(begin["start"]))
        calls = list[dict[str, Any]]()
        end = _CallEnd(0, begin)
        while end.following is not None:
            name = end.following["name"]
            arguments, end = answer.arguments(end.following)
            calls.append({"name": name, "arguments": _given(arguments, schemas[name])})
        whole = all(schemas[call["name"]].required <= call["arguments"].keys() for call in calls)
        if len(calls) > 1 and (answer.passed_an_end or not whole):
            raise AmbiguousCall(begin["name"])
        return calls, end.at

    @cached_property
    def _begin(self) -> re.Pattern[str]:
        starts = "|".join(re.escape(start) for start in (self.start, *(start for start, _ in self.similar)))
        return re.compile(rf"\s*+(?:(?P<start>{starts})\s*+){'?' if self.bare else ''}{self.name}")

    @cached_property
    def _stop(self) -> re.Pattern[str]:
        stops = "|".join(re.escape(stop) for stop in (self.stop, *(stop for _, stop in self.similar)))
        return re.compile(rf"\s*+(?:{stops})")


@dataclass(frozen=True)
class _CallEnd:
    """Where a call ends in a text, with its marks, and how the next one begins there, if one does."""

    at: int
    following: re.Match[str] | None = None


class _Argument(NamedTuple):
    """An argument's value, where its closing tag ends, and the end of the call if that follows."""

    value: Any
    at: int
    call_end: _CallEnd | None


class _ClosingTag(NamedTuple):
    """Where the closing tag of an argument may begin and end, and the end of the call if that follows."""

    begin: int
    end: int
    call_end: _CallEnd | None


class _CallsText:
    """The rest of an answer from its first call on. With `marked`, the first call has the marks around it."""

    def __init__(self, tags: Tagged, text: str, schemas: Mapping[str, Schema], marked: bool) -> None:
        self._tags = tags
        self._text = text
        self._schemas = schemas
        self._marked = marked
        self._opening = re.compile(tags.opening, re.DOTALL)
        closing = re.escape(tags.closing).replace("NAME", "[^/<>]+")
        self._tag = re.compile(f"(?P<opened>{tags.opening})|{closing}", re.DOTALL)
        begins = tags.name if tags.end else re.escape(tags.start) + tags.name
        self._call_tag = re.compile(f"(?P<opened>{begins})|{re.escape(tags.end or tags.stop)}")
        # Models that write wrong marks leave this one out at times, before the one after all calls.
        left_out = f"|(?={tags._stop.pattern})" if tags.similar and marked else ""
        self._call_end = re.compile(rf"(?:\s*+{re.escape(tags.end)}{left_out})")
        self._name = re.compile(rf"\s*+{tags.name}")
        stop = tags._stop.pattern if marked else ""
        whole = re.compile(f"(?:{closing}|{begins}){self._call_end.pattern}{stop}")
        # Where the last end of a call is, behind the closing tag of an argument or the beginning of the call.
        self._last_end = max((tag.end() for tag in whole.finditer(text)), default=0)
        # Whether several elements of a name are a list.
        self._repeats = "NAME" in tags.closing
        # Whether a free text was read, and whether it has the end of a call in it.
        self._has_text = self.passed_an_end = False
        # Whether the newest free text of the call may be all of the call so far.
        self._may_go_on = False

    def arguments(self, begin: re.Match[str]) -> tuple[dict[str, Any], _CallEnd]:
        """Return the arguments of the call that begins so, and its end. Raises `AmbiguousCall`."""
        schema = self._schemas[begin["name"]]
        self._may_go_on = False
        # The model may write anything, and parsers of values can raise any exception.
        with suppress(Exception):
            return self._closed(begin.end(), schema)
        try:
            return self._unclosed(begin.end(), schema)
        except Exception as error:
            raise AmbiguousCall(begin["name"]) from error

    def _closed(self, at: int, schema: Schema) -> tuple[dict[str, Any], _CallEnd]:
        """Read arguments that all have a closing tag. Raises `ValueError` where another reading is possible."""
        values_by_key = dict[str, list[Any]]()
        end = None
        while end is None:
            at = self._after_space(at)
            opening = self._opening.match(self._text, at)
            if opening is None:
                end = self._end(at)
                if end is None:
                    _fail("a text before arguments")
            else:
                argument = self._argument(opening, schema, values_by_key)
                at = argument.at
                end = argument.call_end
                values_by_key.setdefault(opening["key"], []).append(argument.value)
        if not self._repeats:
            return {key: values[-1] for key, values in values_by_key.items()}, end
        schemas = schema.properties
        return {key: joined(values, schemas.get(key, schema.others)) for key, values in values_by_key.items()}, end

    def _argument(self, opening: re.Match[str], schema: Schema, given: Container[str]) -> _Argument:
        """Read the argument that begins with the tag `opening`. Raises `ValueError` where another reading is possible.

        `schema` is the schema of the function, `given` are the names of the arguments that were read before.
        """
        value_schema = schema.properties.get(opening["key"], schema.others)
        if opening["key"] in (schema.required or schema.properties):
            self._may_go_on = False
        string = opening.groupdict().get("string")
        is_no_text = string is None and not any(option.is_any_text for option in value_schema.alternatives)
        if is_no_text or string == "false":
            argument = self._first_allowed(opening, schema, value_schema, given)
            if argument is not None:
                return argument
        return self._text_argument(opening, schema, value_schema, given)

    def _first_allowed(
        self, opening: re.Match[str], schema: Schema, value_schema: Schema, given: Container[str]
    ) -> _Argument | None:
        """Read an argument up to the first closing tag at which its schema allows the value; None if none does.

        A value that is no text cannot have a closing tag in it, so the first one is right.
        """
        for tag in self._closing_tags(opening, schema.properties, given):
            with suppress(Exception):
                value = self._typed(opening, self._text[opening.end() : tag.begin], value_schema)
                ends_in_text = self._has_text and tag.call_end is not None and not self._is_last(tag.call_end)
                if value_schema.allows(value) and not ends_in_text:
                    return _Argument(value, tag.end, tag.call_end)
        return None

    def _text_argument(
        self, opening: re.Match[str], schema: Schema, value_schema: Schema, given: Container[str]
    ) -> _Argument:
        """Read an argument that may be any text, also one with tags in it.

        Raises ValueError wherever another reading is possible.
        """
        depth = 0
        scanned = opening.end()
        for tag in self._closing_tags(opening, schema.properties, given):
            end = tag.call_end
            depth = _depth(self._call_tag.finditer(self._text, scanned, tag.begin), depth)
            scanned = tag.begin
            if end is None and depth > 0:
                _fail("the next argument may be that of a call in the text")
            if end is not None and depth > 0 and self._after_space(end.at) < len(self._text):
                continue
            if end is not None and not self._is_last(end):
                self.passed_an_end = True
                continue
            text = self._text[opening.end() : tag.begin]
            if _depth(self._tag.finditer(text)) > 0 and not opening.groupdict().get("cdata"):
                _fail("a closing tag may have been forgotten")
            value = self._typed(opening, text, value_schema)
            if self._has_text and not value_schema.allows(value):
                _fail("a value of another type after a text")
            if self._may_go_on and _closes_more(self._tag.finditer(text)):
                _fail("the text before may go on")
            self._has_text = self._may_go_on = True
            return _Argument(value, tag.end, end)
        return _fail("an argument without an end")

    def _closing_tags(
        self, opening: re.Match[str], properties: Mapping[str, Schema], given: Container[str]
    ) -> Iterator[_ClosingTag]:
        """Yield the tags that may close an argument."""
        key = opening["key"]
        cdata = opening.groupdict().get("cdata")
        closing = f"{']]>' if cdata else ''}{self._tags.closing.replace('NAME', key)}"
        at = opening.end()
        depth = 0
        scanned = at
        while (close := self._text.find(closing, at)) >= 0:
            at = close + len(closing)
            following = self._opening.match(self._text, self._after_space(at))
            after = following["key"] if following is not None else key
            goes_on = after != key and after not in given
            if following is not None and after not in properties:
                depth = _depth(self._tag.finditer(self._text, scanned, close), depth)
                scanned = close
                goes_on = depth == 0
            elif following is not None and self._repeats:
                goes_on = goes_on or properties[after].kinds == {"array"}
            end = None if goes_on else self._end(at)
            if goes_on or end is not None:
                yield _ClosingTag(close, at, end)

    def _end(self, at: int) -> _CallEnd | None:
        """Return the end of a call at `at`; None if there is none."""
        tags = self._tags
        text = self._text
        if (end := self._call_end.match(text, at)) is None:
            return None
        if tags.shared and (following := self._known(self._name.match(text, end.end()))):
            return _CallEnd(end.end(), following)
        stop = tags._stop.match(text, end.end()) if tags.stop else end
        if stop is None and self._marked and self._after_space(end.end()) < len(text):
            return None
        after = (stop or end).end()
        return _CallEnd(after, self._known(tags._begin.match(text, after)))

    def _known(self, begin: re.Match[str] | None) -> re.Match[str] | None:
        return begin if begin is not None and begin["name"] in self._schemas else None

    def _is_last(self, end: _CallEnd) -> bool:
        """Return whether a call ends there for certain, as far as the text after it tells."""
        alone = self._after_space(end.at) == len(self._text)
        return alone or end.following is not None or end.at >= self._last_end

    def _unclosed(self, at: int, schema: Schema) -> tuple[dict[str, Any], _CallEnd]:
        """Read arguments of which some have no closing tag: they end before the next argument, or with the call.

        The next argument has to be one that the function needs, if the call's last argument has a closing tag. Raises
        `ValueError` where another reading is possible.
        """
        stops = self._tags.end or self._tags.stop
        body_end = self._text.find(stops, at)
        end = self._end(body_end) if body_end >= 0 else None
        if end is None or not (end.following or self._after_space(end.at) == len(self._text)):
            _fail("a text after the call")
        # The arguments that may begin inside of another one's text, because that has no closing tag.
        may_follow = schema.required if self._last_end > at else schema.properties
        arguments = dict[str, Any]()
        remaining = self._text[at:body_end].lstrip()
        while remaining:
            opening = self._opening.match(remaining)
            if opening is None or opening["key"] in arguments or opening.groupdict().get("cdata"):
                _fail("a text between arguments, or an argument twice")
            key = opening["key"]
            if schema.properties and key not in schema.properties:
                _fail("an argument that the function does not have")
            text, after = self._unclosed_text(opening, remaining, may_follow)
            value_schema = schema.properties.get(key, schema.others)
            arguments[key] = self._typed(opening, text, value_schema)
            remaining = after.lstrip()
            if not value_schema.allows(arguments[key]):
                _fail("a value of another type")
        return arguments, end

    def _unclosed_text(self, opening: re.Match[str], remaining: str, may_follow: Container[str]) -> tuple[str, str]:
        """Return the text of the argument that begins with `opening`, closed or not, and what remains after it.

        An argument without a closing tag ends where one of `may_follow` begins on a line of its own. Raises
        `ValueError` if another argument begins in the value.
        """
        closing_tag = self._tags.closing.replace("NAME", opening["key"])
        text, closing, after = remaining[opening.end() :].partition(closing_tag)
        if (following := self._opening.search(text)) is not None:
            if following["key"] not in may_follow or not text[: following.start()].endswith("\n"):
                _fail("an argument in the value of another one")
            after = text[following.start() :] + closing + after
            closing = ""
            text = text[: following.start()]
        # Where values stand between lines, `_typed` takes their line breaks away.
        if not closing and not self._tags.lines:
            text = between_lines(text)
        return text, after

    def _typed(self, opening: re.Match[str], text: str, schema: Schema) -> Any:
        """Return the value that `text` writes. Raises what the parsers of values raise."""
        if self._tags.lines:
            text = between_lines(text)
        if (string := opening.groupdict().get("string")) is not None:
            return text if string == "true" else json.loads(text)
        return self._tags.typed(text, schema)

    def _after_space(self, at: int) -> int:
        return _SPACE.match(self._text, at).end()  # type: ignore[union-attr]


def between_lines(text: str) -> str:
    """Return the text of a value without the line break next to each of its tags.

    The last one is CR LF only if the first is: templates write LF, and a text may end with CR.
    """
    if text.startswith("\r\n"):
        inner = text.removeprefix("\r\n")
        return inner.removesuffix("\r\n" if inner.endswith("\r\n") else "\n")
    return text.removeprefix("\n").removesuffix("\n")


def _given(arguments: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """Return the arguments that the function can have; models at times write all as one that it does not declare."""
    properties = schema.properties
    key, value = next(iter(arguments.items()), ("", None))
    if len(arguments) == 1 and properties and key in _WRAPPERS and key not in properties:
        with suppress(ValueError):
            value = json.loads(value) if isinstance(value, str) else value
        if isinstance(value, dict) and value.keys() <= properties.keys():
            return value
    closed = schema.others.content is False
    return {key: value for key, value in arguments.items() if key in properties or not closed}


def _depth(tags: Iterator[re.Match[str]], depth: int = 0) -> int:
    """Return how many tags are open after `tags`; `depth` were open before them."""
    for tag in tags:
        depth = depth + 1 if tag["opened"] is not None else max(0, depth - 1)
    return depth


def _closes_more(tags: Iterator[re.Match[str]]) -> bool:
    """Return whether a tag closes what none of the tags has opened."""
    depth = 0
    for tag in tags:
        depth += 1 if tag["opened"] is not None else -1
        if depth < 0:
            return True
    return False


def _fail(problem: str) -> NoReturn:
    """Raise ValueError: the text cannot be read as calls, or not in one way only."""
    raise ValueError(problem)
