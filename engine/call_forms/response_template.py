"""Forms of calls that a model's own files describe, for families that the table does not know.

What is read is the field `tool_calls` of the `response_template` that transformers keeps in tokenizer_config.json
(https://huggingface.co/docs/transformers/main/chat_response_parsing): the marks around a call, what is between them,
and which parts of that are the name and the arguments. The patterns in it come from a file of somebody else and might
take for ever. So they are not run: only patterns are understood that consist of plain text, white space, names and one
value, and a form with another one is not known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.call_forms.form import CallForm, Marks
from engine.call_forms.named_values import as_python
from engine.call_forms.reading import CallReader, HeaderThenJson, Tools, as_json, objects_in, typed
from engine.call_forms.schema import Schema, arguments_of

# The names of these forms begin with this, before the field as JSON.
PREFIX = "response_template:"
# What a placeholder of a transform leads to, such as "{content.name}".
_PLACEHOLDER = re.compile(r"\{(?:content\.)?(?P<key>\w+)\}")
# The parts of patterns that are understood.
_PART = re.compile(
    r"""
    (?P<space>\\s[*+]?)
    | (?P<some>\.\*\?)
    | \(\?P<(?P<group>name|key|value)>(?:[^()\\]|\\.)*\)
    | (?:\\(?P<escaped>[^A-Za-z0-9]) | (?P<line>\\n) | (?P<plain>[^\\()\[\]{}.*+?|^$]))(?![*+?{])
    """,
    re.VERBOSE,
)
# What stands for these parts: none of it can take more than a few steps at each place of a text.
_SPACE = r"\s{0,50}"
_SOME = r"[^\n]{0,200}?"
_NAME = r"[\w.:/-]{1,200}"


class _NotUnderstood(Exception):
    """A template does not describe calls, or not in a way that is understood."""


class _Pattern(NamedTuple):
    """A pattern: as an expression that is quick, its plain `texts`, and the names of its groups in order."""

    expression: str
    texts: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True)
class _Keys:
    """Reads JSON objects, alone or in lists, that have the name and the arguments of a call under these keys."""

    name: str
    arguments: str

    def __call__(self, text: str, _: Tools) -> list[dict[str, Any]]:
        entries = objects_in(text)
        return [{"name": entry[self.name], "arguments": entry[self.arguments]} for entry in entries]


@dataclass(frozen=True)
class _Tags:
    """Reads a call whose name is in its header, and whose arguments are in tags that do not hold each other."""

    header: re.Pattern[str]
    opening: re.Pattern[str]
    closing: str

    def __call__(self, text: str, tools: Tools) -> dict[str, Any]:
        header = self.header.match(text)
        if header is None:
            raise ValueError("no call begins here")
        functions = [tool["function"] for tool in tools if tool["function"]["name"] == header["name"]]
        schemas = arguments_of(functions[0].get("parameters")).properties if functions else {}
        arguments = dict[str, Any]()
        opening = self.opening.search(text, header.end())
        while opening is not None:
            end = text.index(self.closing, opening.end())
            value = text[opening.end() : end].strip()
            arguments[opening["key"]] = typed(value, schemas.get(opening["key"], Schema({})))
            opening = self.opening.search(text, end + len(self.closing))
        return {"name": header["name"], "arguments": arguments}


def described_form(template: object) -> str:
    """Return the name of the form that a response template describes, "" if it describes none that is understood."""
    fields = template.get("fields") if isinstance(template, Mapping) else None
    field = fields.get("tool_calls") if isinstance(fields, Mapping) else None
    try:
        name = f"{PREFIX}{json.dumps(field, sort_keys=True)}"
        form_of_field(name)
    # The file may have anything in it.
    except (_NotUnderstood, AttributeError, KeyError, TypeError, ValueError):
        return ""
    return name


def form_of_field(name: str) -> CallForm:
    """Return the form of a name that `described_form` returned. Raises `_NotUnderstood` for another field."""
    field = json.loads(name.removeprefix(PREFIX))
    if not isinstance(field, dict):
        raise _NotUnderstood
    header = _pattern(field["open_pattern"]) if "open_pattern" in field else None
    starts = [header.texts[0]] if header is not None else _texts(field["open"])
    end = _end(field)
    if header is not None and not header.expression.startswith(re.escape(starts[0])):
        raise _NotUnderstood
    return CallForm(tuple(Marks(start, end, whole=header is not None) for start in starts), _reader(field, header))


def _reader(field: Mapping[str, Any], header: _Pattern | None) -> CallReader:
    content = field.get("content", "text")
    options = field.get("content_args", {})
    name, arguments = _places(field)
    is_named = header is not None and header.groups == ("name",) and name == "name" and arguments == "content"
    if content == "json" and not options.keys() - {"allow_non_json"}:
        if is_named and header is not None:
            return HeaderThenJson(re.compile(rf"{header.expression}\s*"))
        if header is None:
            return _Keys(name, arguments) if name else as_json
    if content == "python-call-list" and header is None and (name, arguments) in (("", ""), ("name", "arguments")):
        return as_python
    if content == "xml-inline" and is_named and header is not None:
        tag = options["tag_pattern"]
        opening, _, closing = tag.partition("(?P<value>")
        closing = _pattern(closing.partition(")")[2]).texts
        before = _pattern(opening)
        if before.groups == ("key",) and len(closing) == 1:
            return _Tags(re.compile(header.expression), re.compile(before.expression), closing[0])
    raise _NotUnderstood


def _places(field: Mapping[str, Any]) -> tuple[str, str]:
    """Return where the transform takes the name and the arguments from; ("", "") if what is read is a call already."""
    transform = field.get("transform")
    call = transform["function"] if isinstance(transform, Mapping) else transform
    if call is None or call == "{content}":
        return "", ""
    name, arguments = (_PLACEHOLDER.fullmatch(call[key]) for key in ("name", "arguments"))
    if name is None or arguments is None:
        raise _NotUnderstood
    return name["key"], arguments["key"]


def _end(field: Mapping[str, Any]) -> str:
    """Return the mark that ends a call: of several the first, as the others end the answer."""
    if "close_pattern" in field:
        (end,) = _pattern(field["close_pattern"]).texts
        return end
    return _texts(field["close"])[0] if "close" in field else ""


def _texts(marks: object) -> list[str]:
    """Return the marks that a field gives as one text or a list of texts."""
    given = marks if isinstance(marks, list) else [marks]
    texts = [text for text in given if isinstance(text, str) and text.strip()]
    if not texts or len(texts) < len(given):
        raise _NotUnderstood
    return texts


def _pattern(pattern: str) -> _Pattern:
    """Return what a regular expression says. Raises `_NotUnderstood` if it has parts that are not understood."""
    expression = ""
    texts = [""]
    groups = list[str]()
    at = 0
    while at < len(pattern):
        part = _PART.match(pattern, at)
        if part is None:
            raise _NotUnderstood
        at = part.end()
        text = "\n" if part["line"] else part["escaped"] or part["plain"] or ""
        if text:
            texts[-1] += text
            expression += re.escape(text)
            continue
        texts.append("")
        if part["group"]:
            groups.append(part["group"])
            expression += f"(?P<{part['group']}>{_NAME})"
        else:
            expression += _SPACE if part["space"] else _SOME
    return _Pattern(expression, tuple(filter(None, texts)), tuple(groups))
