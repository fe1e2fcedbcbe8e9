"""Answers as JSON: chosen in the chat's settings, checked at once, named below the message box, sent to the engine."""

from __future__ import annotations

import json

import pytest

from app.composer.answer_format import AnswerFormatField
from app.widgets.application import Application
from engine.grammars.grammar import Grammar
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script("{}")])


@pytest.fixture
def window(open_window: OpenWindow, engine: ScriptedEngine) -> WindowDriver:
    window = open_window(engine)
    window.settle()
    window.trigger("chat-settings")
    return window


@pytest.fixture
def field(window: WindowDriver) -> AnswerFormatField:
    return window.chat_settings.format


def choose(field: AnswerFormatField, kind: str) -> None:
    field.kind.setCurrentIndex(field.kind.findData(kind))
    field.kind.activated.emit(field.kind.currentIndex())


def test_the_fields_of_the_card_keep_their_number_of_lines_at_every_text_size(
    window: WindowDriver, field: AnswerFormatField, qapp: Application
) -> None:
    choose(field, "schema")
    fields = (window.chat_settings.prompt.edit, field.schema)
    before = [edit.height() for edit in fields]
    qapp.theme.set_text_size(150)
    window.wait(lambda: all(edit.height() > height for edit, height in zip(fields, before, strict=True)))
    qapp.theme.set_text_size(100)
    window.wait(lambda: [edit.height() for edit in fields] == before)


def test_json_is_asked_for_from_the_next_question_on(
    field: AnswerFormatField, window: WindowDriver, engine: ScriptedEngine
) -> None:
    choose(field, "json")
    assert window.preset_button.toolTip() == "Chat settings: Custom · JSON"
    window.ask_and_wait("Who?")
    assert engine.requests[-1].grammar == Grammar("json_object")
    choose(field, "text")
    assert window.preset_button.toolTip() == "Chat settings: Defaults"
    window.ask_and_wait("And now?")
    assert engine.requests[-1].grammar is None


def test_a_schema_begins_with_an_example_and_is_checked_while_it_is_written(
    field: AnswerFormatField, window: WindowDriver, engine: ScriptedEngine
) -> None:
    assert not field.schema.isVisibleTo(window.chat_settings)
    choose(field, "schema")
    assert field.schema.isVisibleTo(window.chat_settings)
    assert json.loads(field.schema.toPlainText())["type"] == "object"
    window.wait(lambda: "matches this schema" in field.verdict.text())
    field.schema.setPlainText('{"type": "array", "uniqueItems": true}')
    assert field.verdict.text() == "Checking the schema…"
    window.wait(lambda: "differ from them: #/uniqueItems" in field.verdict.text())
    field.schema.setPlainText("{")
    window.wait(lambda: "isn't valid JSON" in field.verdict.text())
    field.schema.setPlainText('{"type": "null"}')
    window.wait(lambda: "matches this schema" in field.verdict.text())
    window.ask_and_wait("Nothing?")
    assert engine.requests[-1].grammar == Grammar("json_schema", '{"type": "null"}')


def test_a_format_is_of_its_chat_alone_and_a_schema_that_is_none_is_an_error(
    field: AnswerFormatField, window: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.composer.answer_format._check", lambda _schema: None)
    choose(field, "schema")
    field.schema.setPlainText("{")
    window.ask_and_wait("Who?")
    error = window.session.chat.turns[-1].answer.error
    assert error is not None
    assert error.code == "grammar-not-usable"
    window.trigger("new-chat")
    assert "JSON" not in window.preset_button.text()
    window.trigger("chat-settings")
    assert field.kind.currentData() == "text"
