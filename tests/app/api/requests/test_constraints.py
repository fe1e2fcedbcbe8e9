"""Formats of answers in the fields of other servers: each is held to, or refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from app.api.dialects.anthropic_messages import MessageBody
from app.api.dialects.chat import ChatBody
from app.api.dialects.responses import ResponseBody
from app.api.requests.bodies import body_of
from app.api.requests.constraints import ConstrainedSettings
from app.api.requests.errors import ApiError
from app.api.requests.request_settings import grammar_of
from engine.grammars.grammar import LARGEST_SOURCE, Grammar, choice_of, text_without, tokens_of
from tests.app.api.serving import Served

SCHEMA: dict[str, Any] = {
    "type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["a"],
}  # fmt: skip
TEXT = json.dumps(SCHEMA)
JSON, ANY = Grammar("json_schema", TEXT), Grammar("json_object")
REGEX, CHOICE = Grammar("regex", "[0-9]{3}"), choice_of(["yes", "no"])
GBNF, LARK = Grammar("gbnf", 'root ::= "yes" | "no"'), Grammar("lark", 'start: "yes" | "no"')
PATTERN = {"whitespace_flexible": True, "whitespace_pattern": " ?"}
COMPACT = {"item_separator": ",", "key_separator": ":"}

MAPPED: list[tuple[dict[str, Any], Grammar, str]] = [
    ({"guided_json": SCHEMA}, JSON, "guided_json"),
    ({"guided_json": TEXT, "guided_decoding_backend": "xgrammar"}, JSON, "guided_json"),
    ({"guided_json_object": True}, ANY, "guided_json_object"),
    ({"guided_regex": "[0-9]{3}"}, REGEX, "guided_regex"),
    ({"guided_choice": ["yes", "no"]}, CHOICE, "guided_choice"),
    ({"guided_grammar": GBNF.source}, GBNF, "guided_grammar"),
    ({"guided_grammar": LARK.source}, LARK, "guided_grammar"),
    ({"structured_outputs": {"json": SCHEMA}}, JSON, "structured_outputs.json"),
    ({"structured_outputs": {"json": TEXT, "_backend": "x", "regex": None}}, JSON, "structured_outputs.json"),
    ({"structured_outputs": {"json_object": True}}, ANY, "structured_outputs.json_object"),
    ({"structured_outputs": {"regex": "[0-9]{3}"}}, REGEX, "structured_outputs.regex"),
    ({"structured_outputs": {"choice": ["yes", "no"]}}, CHOICE, "structured_outputs.choice"),
    ({"structured_outputs": {"grammar": GBNF.source}}, GBNF, "structured_outputs.grammar"),
    ({"json_schema": SCHEMA}, JSON, "json_schema"),
    ({"json_schema": TEXT}, JSON, "json_schema"),
    ({"grammar": GBNF.source}, GBNF, "grammar"),
    ({"grammar": LARK.source}, LARK, "grammar"),
    ({"grammar": {"type": "json", "value": SCHEMA}}, JSON, "grammar"),
    ({"grammar": {"type": "json_schema", "value": {"name": "x", "schema": SCHEMA}}}, JSON, "grammar"),
    ({"grammar": {"type": "regex", "value": "[0-9]{3}"}}, REGEX, "grammar"),
    ({"regex": "[0-9]{3}"}, REGEX, "regex"),
    ({"regex_pattern": "[0-9]{3}"}, REGEX, "regex_pattern"),
    ({"ebnf": GBNF.source}, GBNF, "ebnf"),
    ({"grammar_string": GBNF.source}, GBNF, "grammar_string"),
    ({"nvext": {"guided_json": SCHEMA, "other": 1}}, JSON, "nvext.guided_json"),
    ({"extra_body": {"guided_choice": ["yes", "no"]}}, CHOICE, "guided_choice"),
    ({"extra_body": {"regex": "x"}, "regex": "[0-9]{3}"}, REGEX, "regex"),
    ({"bad_words": ["dog", "a/b"]}, text_without(["dog", "a/b"]), "bad_words"),
    ({"banned_strings": ["dog"]}, text_without(["dog"]), "banned_strings"),
    ({"allowed_token_ids": [9, 5, 9]}, tokens_of([5, 9]), "allowed_token_ids"),
    # Twice the same is no contradiction.
    ({"guided_json": SCHEMA, "json_schema": SCHEMA}, JSON, "guided_json"),
    (
        {"guided_json": SCHEMA, "guided_whitespace_pattern": " ?"},
        Grammar("json_schema", json.dumps({**SCHEMA, "x-guidance": PATTERN})),
        "guided_json",
    ),
    (
        {"structured_outputs": {"json_object": True, "disable_any_whitespace": True}},
        Grammar("json_schema", json.dumps({"type": "object", "x-guidance": COMPACT})),
        "structured_outputs.json_object",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "grammar", "path"), MAPPED, ids=[json.dumps(one[0])[:60] for one in MAPPED])
def test_each_field_asks_for_a_grammar(fields: dict[str, Any], grammar: Grammar, path: str) -> None:
    assert body_of(fields, ConstrainedSettings).constrained(None, "") == (grammar, path)
    # Beside the endpoint's own format, it has to be the same.
    assert body_of(fields, ConstrainedSettings).constrained(grammar, "own") == (grammar, "own")
    with pytest.raises(ApiError) as refused:
        body_of(fields, ConstrainedSettings).constrained(Grammar("regex", "other"), "own")
    assert refused.value.sentence == f"'own' and {path!r} ask for different formats of the answer: send one."


@pytest.mark.parametrize("value", [None, ""])
def test_what_is_empty_asks_for_nothing(value: Any) -> None:
    names = ("guided_regex", "guided_grammar", "grammar", "regex", "ebnf", "json_schema", "grammar_string")
    fields: dict[str, Any] = dict.fromkeys(names, value)
    fields |= {"structured_outputs": {}, "nvext": {}, "guided_json_object": False, "structural_tag": value}
    fields |= {"bad_words": [], "allowed_token_ids": []}
    assert body_of(fields, ConstrainedSettings).constrained(None, "own") == (None, "own")


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"guided_json": "{"}, "guided_json"),
        ({"guided_json": 5}, "guided_json"),
        ({"guided_json": []}, "guided_json"),
        ({"json_schema": "[]"}, "json_schema"),
        ({"guided_choice": []}, "guided_choice"),
        ({"guided_choice": "yes"}, "guided_choice"),
        ({"guided_choice": [1]}, "guided_choice[0]"),
        ({"structured_outputs": {"choice": []}}, "structured_outputs.choice"),
        ({"structured_outputs": {"structural_tag": "{}"}}, "structured_outputs.structural_tag"),
        ({"structured_outputs": {"other": "x"}}, "structured_outputs"),
        ({"structured_outputs": {"regex": "a", "choice": ["a"]}}, "structured_outputs.choice"),
        ({"structural_tag": {"structures": []}}, "structural_tag"),
        ({"grammar": 'root ::= "a"', "grammar_lazy": True}, "grammar_lazy"),
        ({"grammar": {"type": "xml", "value": ""}}, "grammar.type"),
        ({"grammar": {"type": "regex", "value": {}}}, "grammar.value"),
        ({"guided_whitespace_pattern": " "}, "guided_whitespace_pattern"),
        ({"regex": "a", "guided_whitespace_pattern": " "}, "guided_whitespace_pattern"),
        ({"guided_json": SCHEMA, "guided_regex": "a"}, "guided_regex"),
        ({"grammar": 'root ::= "a"', "json_schema": SCHEMA}, "grammar"),
        ({"guided_json": SCHEMA, "nvext": {"guided_json": {}}}, "nvext.guided_json"),
        ({"guided_json": SCHEMA, "response_format": {"type": "json_object"}}, "guided_json"),
        ({"grammar": "x" * (LARGEST_SOURCE + 1)}, "grammar"),
        ({"response_format": {"type": "grammar", "grammar": "x" * (LARGEST_SOURCE + 1)}}, "response_format.grammar"),
        ({"guided_choice": ["x" * LARGEST_SOURCE]}, "guided_choice"),
        ({"bad_words": [""]}, "bad_words[0]"),
        ({"bad_words": ["a"], "regex": "b"}, "bad_words"),
        ({"allowed_token_ids": [-1]}, "allowed_token_ids[0]"),
    ],
)
def test_what_no_grammar_holds_is_refused_by_name(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(ApiError) as refused:
        body_of(fields, ConstrainedSettings).constrained(None, "")
    assert (refused.value.status, refused.value.param) == (400, param)
    assert refused.value.sentence.endswith(".")


FORMS: list[tuple[dict[str, Any] | str, Grammar | None]] = [
    ({"type": "json_object", "schema": SCHEMA}, JSON),
    ({"type": "json_schema", "schema": SCHEMA}, JSON),
    ({"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}, JSON),
    ({"type": "json_schema", "json_schema": SCHEMA}, JSON),
    ({"schema": SCHEMA}, JSON),
    ({"type": "json", "value": SCHEMA}, JSON),
    ({"type": "json_object", "value": SCHEMA}, JSON),
    ({"type": "json_schema", "value": {"name": "x", "schema": SCHEMA}}, JSON),
    ({"type": "regex", "value": "[0-9]{3}"}, REGEX),
    ({"type": "regex", "pattern": "[0-9]{3}"}, REGEX),
    ({"type": "grammar", "grammar": GBNF.source}, GBNF),
    ({"type": "lark", "grammar": LARK.source}, LARK),
    ({"type": "json_schema", "json_schema": {"name": "x"}}, ANY),
    ("json_object", ANY),
    ({"type": "text"}, None),
]


@pytest.mark.parametrize(("form", "grammar"), FORMS, ids=[json.dumps(one[0])[:60] for one in FORMS])
def test_a_format_is_read_as_other_servers_have_it(form: Any, grammar: Grammar | None) -> None:
    turns = [{"role": "user", "content": "Hi"}]
    # As the field of completions, of messages, and of responses, and as programs send it to all.
    found = [
        body_of({"response_format": form}, ConstrainedSettings).constrained()[0],
        body_of({"extra_body": {"response_format": form}}, ConstrainedSettings).constrained()[0],
        grammar_of(body_of({"messages": turns, "output_format": form}, MessageBody).output_format, "")[0],
    ]
    text = body_of({"input": "Hi", "text": {"format": form}}, ResponseBody).text
    assert text is not None
    assert [*found, grammar_of(text.format, "")[0]] == [grammar] * 4


@pytest.mark.parametrize(
    "form", [{"type": "json_object", "schema": []}, {"type": "json", "value": 5}, {"type": "regex"}]
)
def test_a_format_whose_schema_is_none_is_refused(form: dict[str, Any]) -> None:
    with pytest.raises(ApiError) as refused:
        body_of({"messages": [{"role": "user", "content": "Hi"}], "response_format": form}, ChatBody)
    assert (refused.value.param or "").startswith("response_format")


ENDPOINTS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {},
    "/v1/completions": {"prompt": "Hello"},
    "/v1/responses": {"input": "Hello", "max_output_tokens": 24},
    "/v1/messages": {},
    "/api/chat": {"stream": False, "options": {"num_predict": 24}},
    "/api/generate": {"prompt": "Hello", "stream": False, "options": {"num_predict": 24}},
}


def text_in(path: str, reply: dict[str, Any]) -> str:
    """The text of an answer of the endpoint."""
    if path == "/v1/chat/completions":
        return str(reply["choices"][0]["message"]["content"])
    if path == "/v1/completions":
        return str(reply["choices"][0]["text"])
    if path == "/v1/responses":
        return str(reply["output"][0]["content"][0]["text"])
    if path == "/v1/messages":
        return str(reply["content"][0]["text"])
    return str(reply["message"]["content"] if path == "/api/chat" else reply["response"])


@pytest.mark.parametrize(
    "path", [pytest.param(one, marks=() if one.endswith("completions") else pytest.mark.full) for one in ENDPOINTS]
)
def test_every_endpoint_holds_an_answer_to_the_fields(starter: Served, question: dict[str, Any], path: str) -> None:
    asked = question | ENDPOINTS[path] if "input" not in ENDPOINTS[path] else ENDPOINTS[path]
    for fields, pattern in (
        ({"guided_choice": ["perhaps", "certainly not"]}, "perhaps|certainly not"),
        ({"structured_outputs": {"json": SCHEMA}}, r'\{"a": [0-9]\}'),
        ({"grammar": GBNF.source}, "yes|no"),
    ):
        response = starter.post(path, asked | fields)
        assert response.status_code == 200, response.text
        assert re.fullmatch(pattern, text_in(path, response.json())), fields
    response = starter.post(path, asked | {"guided_regex": "("})
    assert response.status_code == 400
    assert "'guided_regex': the answer cannot follow the grammar" in response.text


def test_words_and_tokens_that_an_answer_may_not_have(starter: Served, question: dict[str, Any]) -> None:
    free = text_in("/v1/chat/completions", starter.chat(question))
    word = free.split()[0]
    held = text_in("/v1/chat/completions", starter.chat(question | {"bad_words": [word]}))
    assert held
    assert word not in held
    one_token = question | {"allowed_token_ids": [300], "max_tokens": 3}
    pieces = text_in("/v1/chat/completions", starter.chat(one_token)).split()
    assert pieces
    assert set(pieces) == {pieces[0]}
    refused = starter.post("/v1/chat/completions", question | {"allowed_token_ids": [2**31 - 1]})
    assert refused.status_code == 400
    assert "'allowed_token_ids'" in refused.text


def test_the_description_names_the_fields(starter: Served) -> None:
    schemas = starter.get("/openapi.json").json()["components"]["schemas"]
    for name in ("ChatBody", "CompletionBody", "ResponseBody", "MessageBody", "OllamaChatBody"):
        described = schemas[name]["properties"]
        assert "guided_json" in described
        assert described["grammar_string"]["description"].startswith("A grammar in GBNF")
        assert "structural_tag" not in described
