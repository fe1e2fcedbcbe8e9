"""The fields by which other servers hold an answer to a format: vLLM's, llama.cpp's, SGLang's, TGI's and others'.

A caller relies on them, so that each is mapped to a grammar or refused, and never ignored. The names of programs that
hold to it there (`guided_decoding_backend`) say nothing of the answer, and have no effect.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct, field

from app.api.requests.errors import ApiError, bad_field, of_engine, unsupported
from app.api.requests.request_settings import (
    LONGEST_STOP,
    MOST_STOPS,
    RequestSettings,
    ResponseFormat,
    grammar_of_response,
    readable_response_format,
    refuse_unsupported,
)
from engine.errors import EngineError
from engine.grammars.grammar import Grammar, choice_of, text_without, tokens_of, written_grammar

_SchemaOrText = Annotated[dict[str, Any] | str, Meta(description="A JSON schema, or the text of one.")]
_RegexText = Annotated[str, Meta(description="A regular expression for the whole answer.")]
_ChoiceTexts = Annotated[list[str], Meta(min_length=1, max_length=4096, description="The answers that are possible.")]
_BadText = Annotated[str, Meta(min_length=1, max_length=LONGEST_STOP)]
_BadTexts = Annotated[list[_BadText], Meta(max_length=MOST_STOPS, description="Texts that do not occur in the answer.")]
_TokenIds = Annotated[
    list[Annotated[int, Meta(ge=0, lt=2**31)]],
    Meta(max_length=2**15, description="The tokens that the answer consists of."),
]
_GrammarText = Annotated[str, Meta(description="A grammar in GBNF, from `root`, or in Lark's notation, from `start`.")]
_SpacePattern = Annotated[str, Meta(description="A regular expression for the white space in JSON.")]
_UNSUPPORTED_CONSTRAINTS = {
    "structural_tag": "Structural tags are not supported: use `tools`, or `json_schema` for the whole answer.",
    "grammar_lazy": "Grammars that begin within an answer are not supported: use `tools`.",
}


class _StructuredOutputs(Struct, kw_only=True, forbid_unknown_fields=True):
    """A format as vLLM has it. `disable_any_whitespace` is for JSON without spaces between its parts."""

    json: _SchemaOrText | None = None
    json_object: bool | None = None
    regex: _RegexText | None = None
    choice: _ChoiceTexts | None = None
    grammar: _GrammarText | None = None
    whitespace_pattern: _SpacePattern | None = None
    disable_any_whitespace: bool | None = None
    structural_tag: Any = None
    # They say how vLLM holds to it.
    disable_fallback: Any = None
    disable_additional_properties: Any = None
    backend: Any = field(name="_backend", default=None)
    chose_backend: Any = field(name="_backend_was_auto", default=None)


class _Guided(Struct, kw_only=True):
    """A format as older versions of vLLM, and NVIDIA NIM in `nvext`, have it."""

    guided_json: _SchemaOrText | None = None
    guided_regex: _RegexText | None = None
    guided_choice: _ChoiceTexts | None = None
    guided_grammar: _GrammarText | None = None
    guided_whitespace_pattern: _SpacePattern | None = None


class _TypedGrammar(Struct):
    """A format as TGI has it: `value` is a schema, an object that has one as its `schema`, or an expression."""

    type: Literal["json", "json_object", "json_schema", "regex"]
    value: dict[str, Any] | str


class _AskedFormat(NamedTuple):
    """A grammar and the path of the field that asks for it."""

    grammar: Grammar
    path: str


class ConstrainedSettings(RequestSettings, kw_only=True):
    """The fields of every endpoint that answers, with those of other servers for the format of the answer."""

    # Of completions, and what programs send to other endpoints as well.
    response_format: ResponseFormat | None = None
    guided_json: _SchemaOrText | None = None
    guided_json_object: bool | None = None
    guided_regex: _RegexText | None = None
    guided_choice: _ChoiceTexts | None = None
    guided_grammar: _GrammarText | None = None
    guided_whitespace_pattern: _SpacePattern | None = None
    structured_outputs: _StructuredOutputs | None = None
    nvext: _Guided | None = None
    # llama.cpp's, SGLang's and TGI's.
    json_schema: _SchemaOrText | None = None
    grammar: _GrammarText | _TypedGrammar | None = None
    regex: _RegexText | None = None
    ebnf: _GrammarText | None = None
    # vLLM's, and TabbyAPI's `banned_strings`.
    bad_words: _BadTexts | None = None
    banned_strings: _BadTexts | None = None
    allowed_token_ids: _TokenIds | None = None
    # TabbyAPI's and that of text-generation-webui.
    regex_pattern: _RegexText | None = None
    grammar_string: _GrammarText | None = None
    structural_tag: Any = None
    grammar_lazy: Any = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        fields = super().normalised(body, skipped)
        # Clients that have the parameter of OpenAI's one for more fields, and send it as it is.
        inner = fields.get("extra_body")
        if isinstance(inner, dict):
            names = ConstrainedSettings.__annotations__.keys() - {name for name in fields if fields[name] is not None}
            fields |= {name: inner[name] for name in names & inner.keys()}
        return {**fields, "response_format": readable_response_format(fields.get("response_format"))}

    def constrained(self, of_endpoint: Grammar | None = None, param: str = "") -> tuple[Grammar | None, str]:
        """Return the grammar of the answer, None for a free one, and the field that asks for it.

        `of_endpoint` is the grammar that the endpoint's own field `param` asks for; None if it has none. Raises
        `ApiError` for fields that ask for different formats, and for what no grammar here can hold.
        """
        refuse_unsupported(self, _UNSUPPORTED_CONSTRAINTS)
        formats = [(of_endpoint, param), grammar_of_response(self.response_format)]
        asked = [_AskedFormat(grammar, path) for grammar, path in formats if grammar is not None]
        asked += _constraints("", self)
        if self.structured_outputs is not None:
            if self.structured_outputs.structural_tag:
                raise unsupported("structured_outputs.structural_tag", _UNSUPPORTED_CONSTRAINTS["structural_tag"])
            asked += _constraints("structured_outputs.", self.structured_outputs)
        if self.nvext is not None:
            asked += _constraints("nvext.", self.nvext)
        for other in asked[1:]:
            if other.grammar != asked[0].grammar:
                sentence = f"{asked[0].path!r} and {other.path!r} ask for different formats of the answer: send one."
                raise ApiError(400, sentence, param=other.path, code="invalid_value")
        return asked[0] if asked else (None, param)


def _constraints(prefix: str, fields: Struct) -> Iterator[_AskedFormat]:
    """Yield what the `fields` of an object ask for, whose names in the body begin with `prefix`. Raises `ApiError`."""
    layout = _layout(fields)
    has_json = False
    for name, make in _MAKERS.items():
        value = getattr(fields, name, None)
        if value in (None, False, "", []):
            continue
        try:
            grammar = make(value)
        except EngineError as error:
            raise of_engine(error, prefix + name) from error
        if grammar.kind in ("json_schema", "json_object"):
            grammar = _laid_out(grammar, layout)
            has_json = True
        yield _AskedFormat(grammar, prefix + name)
    if layout and not has_json:
        name = next(name for name in _LAYOUTS if getattr(fields, name, None))
        raise bad_field(prefix + name, "beside a format of JSON")


def _layout(fields: Struct) -> dict[str, Any]:
    """Return llguidance's options for the white space of JSON."""
    layout: dict[str, Any] = {}
    for name, options in _LAYOUTS.items():
        if value := getattr(fields, name, None):
            layout |= options(value)
    return layout


def _laid_out(grammar: Grammar, layout: Mapping[str, Any]) -> Grammar:
    if not layout:
        return grammar
    schema: dict[str, Any] = json.loads(grammar.source) if grammar.source else {"type": "object"}
    own_layout = schema.get("x-guidance", {})
    return Grammar("json_schema", json.dumps({**schema, "x-guidance": {**layout, **own_layout}}))


def _by_schema(schema: dict[str, Any] | str) -> Grammar:
    return Grammar("json_schema", schema if isinstance(schema, str) else json.dumps(schema))


def _by_pattern(pattern: str) -> Grammar:
    return Grammar("regex", pattern)


def _any_object(_: bool) -> Grammar:
    return Grammar("json_object")


def _of_grammar(given: str | _TypedGrammar) -> Grammar:
    if isinstance(given, str):
        return written_grammar(given)
    value = given.value
    if given.type == "regex":
        if not isinstance(value, str):
            raise bad_field("grammar.value", "a text")
        return _by_pattern(value)
    if given.type == "json_schema" and isinstance(value, dict) and isinstance(value.get("schema"), dict):
        return _by_schema(value["schema"])
    return _by_schema(value)


# What makes the grammars of the fields above, also of those in objects.
_MAKERS: dict[str, Callable[[Any], Grammar]] = {
    **dict.fromkeys(("guided_json", "json", "json_schema"), _by_schema),
    **dict.fromkeys(("guided_json_object", "json_object"), _any_object),
    **dict.fromkeys(("guided_regex", "regex", "regex_pattern"), _by_pattern),
    **dict.fromkeys(("guided_choice", "choice"), choice_of),
    **dict.fromkeys(("guided_grammar", "ebnf", "grammar_string"), written_grammar),
    **dict.fromkeys(("bad_words", "banned_strings"), text_without),
    "allowed_token_ids": tokens_of,
    "grammar": _of_grammar,
}
_LAYOUTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    **dict.fromkeys(
        ("guided_whitespace_pattern", "whitespace_pattern"),
        lambda pattern: {"whitespace_flexible": True, "whitespace_pattern": pattern},
    ),
    "disable_any_whitespace": lambda _: {"item_separator": ",", "key_separator": ":"},
}
