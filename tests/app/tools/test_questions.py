"""Questions of servers to the person: the forms that are read, what is entered, and the way of a reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from app.tools.questions import (
    MOST_FIELDS,
    FormField,
    QuestionReply,
    ServerQuestion,
    form_question,
    page_question,
)
from app.tools.running_call import MOST_QUESTIONS
from app.tools.tool import ToolFailed
from tests.app.tools.conftest import WAIT_S, Hosts, hostile
from tests.app.tools.hostile_server import FORM, SIGN_IN


def form(**properties: Any) -> tuple[FormField, ...]:
    return form_question("shop", "?", {"type": "object", "properties": properties}).fields


def test_a_form_has_the_fields_of_the_protocol() -> None:
    name, guests, outside, at = form_question("table", "Which table?", FORM["requestedSchema"]).fields
    assert (name.title, name.kind, name.is_required, name.least, name.most) == ("Your name", "text", True, 2, 20)
    assert (guests.title, guests.kind, guests.most) == ("guests", "integer", 8)
    assert (outside.kind, outside.preset, outside.is_required) == ("yes-no", True, False)
    assert (at.kind, at.choices) == ("choice", (("18", "Six"), ("20", "Eight")))


def test_several_choices_and_the_names_of_older_servers_are_read() -> None:
    many, older = form(
        many={"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "default": ["b", "x"]},
        older={"type": "string", "enum": ["r"], "enumNames": ["Red"]},
    )
    assert (many.kind, many.least, many.preset) == ("choices", 1, ["b"])
    assert older.choices == (("r", "Red"),)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": []},
        {"properties": {"a": None}},
        {"properties": {"a": {"type": "object", "properties": {}}}},
        {"properties": {"a": {"type": "array", "items": {"type": "string"}}}},
        {"properties": {"a": {"type": "string", "enum": [1, 2]}}},
        {"properties": {"a": {"type": "integer", "maximum": 10**400}}},
        {"properties": {str(number): {"type": "string"} for number in range(MOST_FIELDS + 1)}},
    ],
)
def test_what_is_no_flat_form_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=" "):
        form_question("shop", "?", schema)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "javascript:alert(1)", "https://a/\n", "https://a/" + "b" * 5000]
)
def test_only_a_page_of_the_web_can_be_opened(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        page_question("shop", "?", url)


@pytest.mark.parametrize(
    ("about", "entered", "value"),
    [
        ({"type": "string"}, "x", "x"),
        ({"type": "string"}, "", None),
        ({"type": "integer"}, "3", 3),
        ({"type": "number"}, "0.5", 0.5),
        ({"type": "boolean"}, False, False),
        ({"type": "string", "format": "email"}, "a@b.example", "a@b.example"),
        ({"type": "string", "format": "date"}, "2026-11-28", "2026-11-28"),
    ],
)
def test_what_is_entered_becomes_a_value_of_the_field(about: Any, entered: Any, value: Any) -> None:
    assert form(a=about)[0].value_of(entered) == value


@pytest.mark.parametrize(
    ("about", "entered", "code"),
    [
        ({"type": "integer"}, "1.5", "whole"),
        ({"type": "number"}, "one", "number"),
        ({"type": "number"}, "nan", "number"),
        ({"type": "integer"}, "9" * 400, "number"),
        ({"type": "integer", "maximum": 8}, "9", "bounds"),
        ({"type": "string", "minLength": 3}, "ab", "length"),
        ({"type": "string", "format": "email"}, "nobody", "form"),
        ({"type": "string", "format": "uri"}, "nowhere", "form"),
        ({"type": "string", "format": "date"}, "today", "form"),
        ({"type": "string", "format": "date-time"}, "now", "form"),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2}, ["a"], "count"),
    ],
)
def test_what_does_not_fit_the_field_is_not_sent(about: Any, entered: Any, code: str) -> None:
    with pytest.raises(ValueError, match=f"^{code}$"):
        form(a=about)[0].value_of(entered)


def test_a_field_that_is_needed_is_not_left_empty() -> None:
    with pytest.raises(ValueError, match="missing"):
        FormField("a", "text", is_required=True).value_of("")


class Person:
    """Replies to every question at once, and keeps what was asked."""

    def __init__(self, reply: QuestionReply) -> None:
        self.reply = reply
        self.asked: list[ServerQuestion] = []

    def ask(self, question: ServerQuestion, reply: Callable[[QuestionReply], object]) -> None:
        self.asked.append(question)
        reply(self.reply)


def answered(hosts: Hosts, behaviour: str, person: Person) -> Any:
    [tool] = hosts.start(hostile(behaviour))
    return json.loads(hosts.host.call(tool, {"text": ""}, ask=person.ask).result(WAIT_S).text)


def test_a_form_is_filled_in_during_a_call(hosts: Hosts) -> None:
    person = Person(QuestionReply("accept", {"name": "Ada", "guests": 2}))
    assert answered(hosts, "asks-a-form", person) == {"action": "accept", "content": {"name": "Ada", "guests": 2}}
    assert [(question.server, question.message) for question in person.asked] == [("asks-a-form", "Which table?")]


def test_a_page_is_opened_by_the_person_only(hosts: Hosts) -> None:
    person = Person(QuestionReply("decline"))
    assert answered(hosts, "asks-a-page", person) == {"action": "decline"}
    assert [question.url for question in person.asked] == [SIGN_IN["url"]]


def test_a_call_that_needs_a_page_first_is_sent_again_once_the_person_has_been_there(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile("wants-a-page-first"))
    asked: list[ServerQuestion] = []

    def accept(question: ServerQuestion, reply: Callable[[QuestionReply], object]) -> None:
        asked.append(question)
        reply(QuestionReply("accept"))

    assert hosts.host.call(tool, {"text": "Here."}, ask=accept).result(WAIT_S).text == "Here."
    assert [(question.url, question.waits_for_page) for question in asked] == [(SIGN_IN["url"], False), ("", True)]


def test_a_server_that_sees_the_person_finish_on_its_page_ends_the_wait(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile("sees-the-page"))
    shown: list[ServerQuestion] = []

    def open_only(question: ServerQuestion, reply: Callable[[QuestionReply], object]) -> Callable[[], object]:
        """Open the page, and do not say that one has finished there."""
        shown.append(question)
        if question.url:
            reply(QuestionReply("accept"))
        return lambda: shown.remove(question)

    assert hosts.host.call(tool, {"text": "Here."}, ask=open_only).result(WAIT_S).text == "Here."
    assert [question.url for question in shown] == [SIGN_IN["url"]]


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_call_whose_page_is_not_opened_is_refused_with_the_words_of_its_server(hosts: Hosts, action: Any) -> None:
    [tool] = hosts.start(hostile("wants-a-page-first"))
    person = Person(QuestionReply(action))
    with pytest.raises(ToolFailed, match="refused") as failure:
        hosts.host.call(tool, {"text": ""}, ask=person.ask).result(WAIT_S)
    assert failure.value.arguments["detail"] == "Sign in first."
    assert len(person.asked) == 1


def test_a_call_that_wants_input_is_sent_again_with_it(hosts: Hosts) -> None:
    person = Person(QuestionReply("accept", {"name": "Ada", "guests": 2}))
    reply = {"action": "accept", "content": {"name": "Ada", "guests": 2}}
    assert answered(hosts, "wants-input", person) == [{"form": reply}, "so far"]


def test_a_server_may_let_a_call_wait_for_a_page_as_often_as_it_takes(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tools.connection.INPUT_PAUSE_S", 0.0)
    [tool] = hosts.start(hostile("waits-for-a-page", str(2 * MOST_QUESTIONS)))
    person = Person(QuestionReply("accept"))
    assert hosts.host.call(tool, {"text": "Here."}, ask=person.ask).result(WAIT_S).text == "Here."
    assert [question.url for question in person.asked] == [SIGN_IN["url"]]


def test_a_call_that_only_waits_ends_as_a_silent_one(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile("waits-for-a-page", "1000"))
    with pytest.raises(ToolFailed, match="slow-call"):
        hosts.call(tool, silence_s=1.0)


def test_a_page_that_is_asked_for_again_is_waited_for(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile("asks-for-its-page-again", "3"))
    person = Person(QuestionReply("accept"))
    assert hosts.host.call(tool, {"text": "Here."}, ask=person.ask).result(WAIT_S).text == "Here."
    asked = [(question.url, question.waits_for_page) for question in person.asked]
    assert asked == [(SIGN_IN["url"], False), ("", True), ("", True)]


def test_a_call_that_asks_without_end_is_given_up(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile("asks-for-its-page-again", "1000"))
    person = Person(QuestionReply("accept"))
    with pytest.raises(ToolFailed, match="asks without end"):
        hosts.host.call(tool, {"text": ""}, ask=person.ask).result(WAIT_S)
    assert len(person.asked) == MOST_QUESTIONS


@pytest.mark.parametrize(("behaviour", "reason"), [("wants-a-model", "models to write"), ("wants-folders", "folders")])
def test_no_server_has_a_model_write_for_it_or_learns_of_folders(hosts: Hosts, behaviour: str, reason: str) -> None:
    [tool] = hosts.start(hostile(behaviour))
    error = hosts.failure(tool)
    assert error.code == "refused"
    assert reason in error.arguments["detail"]


def test_a_person_may_think_for_longer_than_a_server_may_be_silent(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile("asks-a-form"))
    replies: list[Callable[[QuestionReply], object]] = []
    future = hosts.host.call(tool, {"text": ""}, silence_s=0.5, ask=lambda _, reply: replies.append(reply))
    with pytest.raises(TimeoutError):
        future.result(1)
    replies[0](QuestionReply("cancel"))
    assert json.loads(future.result(WAIT_S).text) == {"action": "cancel"}
