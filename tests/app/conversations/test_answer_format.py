"""The format of answers is stored with a chat's own settings, and becomes the engine's grammar."""

from __future__ import annotations

import pytest

from app.conversations.chat_settings import (
    ANSWER_FORMAT,
    JSON,
    TEXT,
    GenerationSettings,
    by_schema,
    grammar_of,
    schema_of,
    usable,
)
from engine.errors import GrammarNotUsable
from engine.grammars.grammar import Grammar


@pytest.mark.parametrize(
    ("answer_format", "grammar"),
    [(TEXT, None), (JSON, Grammar("json_object")), (by_schema("{}"), Grammar("json_schema", "{}"))],
)
def test_a_format_is_the_engines_grammar(answer_format: str, grammar: Grammar | None) -> None:
    kept = usable({ANSWER_FORMAT: answer_format})
    assert grammar_of(GenerationSettings().with_overrides(kept).answer_format) == grammar


@pytest.mark.parametrize("stored", [3, None, "xml", "{}", ""])
def test_a_stored_value_that_is_no_format_is_left_out(stored: object) -> None:
    assert usable({ANSWER_FORMAT: stored}) == {}


@pytest.mark.parametrize("source", ["", "{", "schema\n", " {}\n"])
def test_a_schema_is_kept_as_it_was_written(source: str) -> None:
    assert schema_of(usable({ANSWER_FORMAT: by_schema(source)})[ANSWER_FORMAT]) == source


def test_a_schema_that_is_none_is_refused() -> None:
    with pytest.raises(GrammarNotUsable):
        grammar_of(by_schema("{"))
