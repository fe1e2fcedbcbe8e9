"""A grammar is checked when it is made, and compiled under limits."""

from __future__ import annotations

import pytest
from llguidance import LLMatcher, LLTokenizer

from engine.errors import BadRequest, GrammarNotUsable
from engine.grammars.checks import check_grammar
from engine.grammars.compiling import compile_by_byte
from engine.grammars.grammar import LARGEST_SOURCE, Grammar, text_without, tokens_of
from engine.grammars.native import ModelTokens


def test_only_known_kinds_are_taken() -> None:
    kinds = "json_object, json_schema, choice, tokens, regex, gbnf, lark, calls, calls_in_text"
    with pytest.raises(BadRequest, match=f"grammar must be one of {kinds}, not 'xml'"):
        Grammar("xml")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{", "not-json"),
        ("", "not-json"),
        ("[" * 100_000, "not-json"),
        ("[]", "not-a-schema"),
        ('"object"', "not-a-schema"),
        ('{"x-guidance": 3}', "not-a-schema"),
        (" " * LARGEST_SOURCE + "{}", "too-large"),
    ],
)
def test_a_source_that_is_no_schema_is_refused_at_once(source: str, reason: str) -> None:
    with pytest.raises(GrammarNotUsable) as refused:
        Grammar("json_schema", source)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("grammar", "detail"),
    [
        (Grammar("json_schema", '{"type": "no such type"}'), "Invalid type: no such type"),
        (Grammar("regex", "(a"), "invalid regex"),
        (Grammar("lark", "start: missing"), 'at 1(8): unknown name: "missing"'),
    ],
)
def test_what_is_wrong_is_said_in_a_line(grammar: Grammar, detail: str) -> None:
    with pytest.raises(GrammarNotUsable) as refused:
        check_grammar(grammar)
    assert refused.value.reason == "invalid"
    said = str(refused.value.arguments["detail"])
    assert detail in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ('{"a":\n    [1, 2 ],\n    "b": {} }', True),
        ('{"a": "' + " " * 300 + '"}', True),
        ('{"a":  1}', False),
        ("{" + "\n" * 2 + "}", False),
        ("{\n" + " " * 41 + "}", False),
        (" {}", False),
    ],
)
def test_json_may_be_indented_but_its_white_space_ends(text: str, taken: bool) -> None:
    matcher = LLMatcher(LLTokenizer("byte"), Grammar("json_object").as_lark())
    read = matcher.try_consume_tokens(list(text.encode()))
    assert (read == len(text), matcher.is_accepting()) == (taken, taken)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("", True),
        ("a category, and a\ndot", False),
        ("a d\no g/", True),
        ('say "', True),
        ('say "no"!', False),
        ("/*", False),
    ],
)
def test_an_answer_without_texts_has_none_of_them_anywhere(text: str, taken: bool) -> None:
    matcher = compile_by_byte(text_without(["cat", '"no"', "/*", "\\d"]).as_lark())
    read = matcher.try_consume_tokens(list(text.encode()))
    assert (read == len(text.encode()) and matcher.is_accepting()) == taken


def test_each_token_of_an_answer_is_one_of_those_given() -> None:
    spellings: list[bytes | None] = [bytes([byte]) for byte in range(256)] + [b"yes", b"no", None]
    tokens = ModelTokens(spellings, [f"<{token}>" for token in range(len(spellings))], {258})
    matcher = tokens.compile(tokens_of([257, 256]).as_lark({}))
    assert not matcher.accepting
    assert matcher.consume([256, 257, *b"no"]) == 2
    assert matcher.accepting
    with pytest.raises(GrammarNotUsable):
        tokens.compile(tokens_of([5000]).as_lark({}))
    # By its bytes, any text may be one of these tokens.
    check_grammar(tokens_of([5000]))
