"""Questions that a server of tools asks the person during a call: a form to fill in, or a page to open. No Qt.

The words and the form are a stranger's: they are bounded and checked here, before anybody sees them. The forms are
those of the Model Context Protocol, whose fields are flat: a text, a number, yes or no, a choice, or several choices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

# More than a person fills in; a server that asks for more has no form but an attack on patience.
MOST_FIELDS = 30
MOST_CHOICES = 200
LONGEST_QUESTION = 4000
LONGEST_ADDRESS = 4000
_LONGEST_WORDS = 500
_LONGEST_QUESTION_TEXT = 10_000
FieldKind = Literal["text", "number", "integer", "yes-no", "choice", "choices"]
_KINDS: dict[object, FieldKind] = {"string": "text", "number": "number", "integer": "integer", "boolean": "yes-no"}
FieldValue = str | int | float | bool | list[str] | None


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form.

    name: its name for the server
    title, about: the server's words for the person
    least, most: the bounds of a number, of the length of a text, or of how many choices are taken
    form: how a text has to look: "email", "uri", "date" or "date-time"; "" for any
    choices: each value with its words
    preset: the value that the field has at first, None for no value
    """

    name: str
    kind: FieldKind
    title: str = ""
    about: str = ""
    is_required: bool = False
    least: float = -math.inf
    most: float = math.inf
    form: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    preset: FieldValue = None

    def value_of(self, entered: str | bool | list[str]) -> FieldValue:
        """Return the entered text as a value of this field; None if nothing was entered.

        Raises `ValueError` with a code: "missing", "number", "whole", "bounds", "length", "count" or "form".
        """
        if isinstance(entered, bool):
            return entered
        if not entered:
            if self.is_required:
                raise ValueError("missing")
            return None
        if isinstance(entered, list):
            return self._checked(entered, len(entered), "count")
        if self.kind in ("number", "integer"):
            return self._parsed_number(entered)
        if self.kind == "choice":
            return entered
        if self.form and not _has_form(entered, self.form):
            raise ValueError("form")
        return self._checked(entered, len(entered), "length")

    def _parsed_number(self, entered: str) -> int | float:
        """Return the number that a text writes. Raises `ValueError` with a code: "whole", "number" or "bounds"."""
        try:
            number = int(entered) if self.kind == "integer" else float(entered)
        except ValueError as error:
            raise ValueError("whole" if self.kind == "integer" else "number") from error
        # No float is as large as a whole number of 400 digits.
        try:
            is_finite = math.isfinite(number)
        except OverflowError as error:
            raise ValueError("number") from error
        if not is_finite:
            raise ValueError("number")
        self._checked(entered, number, "bounds")
        return number

    def _checked(self, value: FieldValue, measure: float, code: str) -> FieldValue:
        """Return the value if its measure is within the bounds. Raises `ValueError` with the code."""
        if not self.least <= measure <= self.most:
            raise ValueError(code)
        return value


@dataclass(frozen=True, slots=True)
class ServerQuestion:
    """A server's question: its `message`, and the fields of a form, or the `url` of a page to open.

    `waits_for_page` asks whether the person has finished on the page that they have opened.
    """

    server: str
    message: str
    fields: tuple[FormField, ...] = ()
    url: str = ""
    waits_for_page: bool = False


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """A person's reply to a question. With "accept", `content` has the entered values by the names of the fields."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, FieldValue] | None = None


# Shows a question to the person, on the thread of the servers, and passes the person's reply on from any thread.
# Returns a function that takes the question away again; None if that is not possible.
AskPerson = Callable[[ServerQuestion, Callable[[QuestionReply], object]], Callable[[], object] | None]


def nobody_to_ask(_question: ServerQuestion, reply: Callable[[QuestionReply], object]) -> None:
    """Cancel a question, where there is no person who could answer it."""
    reply(QuestionReply("cancel"))


def form_question(server: str, message: str, schema: Mapping[str, Any]) -> ServerQuestion:
    """Return the question with the form that `schema` describes. Raises `ValueError` if it describes no form."""
    properties = schema.get("properties")
    if not isinstance(properties, dict) or len(properties) > MOST_FIELDS:
        raise ValueError("not a form with a few fields")
    listed = schema.get("required")
    required = listed if isinstance(listed, list) else []
    fields = tuple(_field(name, about, name in required) for name, about in properties.items())
    return ServerQuestion(server, message[:LONGEST_QUESTION], fields)


def page_question(server: str, message: str, url: str) -> ServerQuestion:
    """Return the question with a page to open. Raises `ValueError` for an address that no browser shall open."""
    if not url.startswith(("https://", "http://")) or len(url) > LONGEST_ADDRESS or not url.isprintable():
        raise ValueError("not the address of a page")
    return ServerQuestion(server, message[:LONGEST_QUESTION], url=url)


def _field(name: str, about: Any, is_required: bool) -> FormField:
    """Return a field by its schema. Raises `ValueError` if forms have no field of its kind, choices or bounds."""
    if not isinstance(about, dict):
        raise ValueError("a field without a schema")
    title = _words(about.get("title")) or name[:_LONGEST_WORDS]
    description = _words(about.get("description"))
    kind = _KINDS.get(about.get("type"))
    choices = _choices(about)
    if kind == "text" and choices:
        kind = "choice"
    if about.get("type") == "array":
        items = about.get("items")
        kind = "choices"
        choices = _choices(items) if isinstance(items, dict) else ()
    if kind is None or (kind == "choices" and not choices):
        raise ValueError("a field of another kind")
    bounds = {"text": ("minLength", "maxLength"), "choices": ("minItems", "maxItems")}
    least, most = bounds.get(kind, ("minimum", "maximum"))
    longest = _LONGEST_QUESTION_TEXT if kind == "text" else math.inf
    return FormField(
        name,
        kind,
        title,
        description,
        is_required,
        _number_or(-math.inf, about.get(least)),
        min(_number_or(math.inf, about.get(most)), longest),
        str(about.get("format") or "") if kind == "text" else "",
        choices,
        _preset(kind, about.get("default"), choices),
    )


def _choices(about: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the choices of a schema: "enum", with the "enumNames" of older servers, or titled ones.

    Raises `ValueError` if the choices are no short list of texts.
    """
    pairs: list[tuple[Any, Any]]
    titled = about.get("oneOf") or about.get("anyOf")
    if isinstance(titled, list):
        pairs = [(entry.get("const"), entry.get("title")) for entry in titled if isinstance(entry, dict)]
    else:
        values = about.get("enum")
        names = about.get("enumNames")
        values = values if isinstance(values, list) else []
        names = names if isinstance(names, list) and len(names) == len(values) else values
        pairs = list(zip(values, names, strict=True))
    if len(pairs) > MOST_CHOICES or not all(isinstance(value, str) for value, _ in pairs):
        raise ValueError("choices that are no short list of texts")
    return tuple((value, _words(words) or value) for value, words in pairs)


def _preset(kind: FieldKind, value: Any, choices: tuple[tuple[str, str], ...]) -> FieldValue:
    """Return `value` if a field of this kind can have it at first, else None."""
    values = [choice for choice, _ in choices]
    match kind, value:
        case "yes-no", bool():
            return value
        case "text", str():
            return value[:_LONGEST_QUESTION_TEXT]
        case "choice", str() if value in values:
            return value
        case "choices", list():
            return [choice for choice in values if choice in value]
        case "number" | "integer", int() | float() if not isinstance(value, bool):
            return value
    return None


def _number_or(otherwise: float, value: Any) -> float:
    """Return `value` if it is a number. Raises `ValueError` for a whole number that is larger than any float."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return otherwise
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError("a bound that no number can have") from error


def _words(value: Any) -> str:
    """Return words of a server in one line."""
    return " ".join(value.split())[:_LONGEST_WORDS] if isinstance(value, str) else ""


def _has_form(text: str, form: str) -> bool:
    """Whether a text looks as a form of JSON schema wants it; the server checks the rest."""
    if form == "email":
        name, _, host = text.rpartition("@")
        return bool(name and host) and " " not in text
    if form == "uri":
        return bool(text.partition(":")[2]) and " " not in text
    try:
        if form == "date":
            date.fromisoformat(text)
        if form == "date-time":
            datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
