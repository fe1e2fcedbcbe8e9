"""What a request says of sampling, speculation and its limits, in the spellings of the APIs that clients speak."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.api.bodies import Fields
from app.api.errors import bad_field, of_engine, unsupported
from engine.errors import EngineError
from engine.grammars.grammar import Grammar
from engine.requests import MAX_DEPTH, MAX_TEMPERATURE, SamplingSettings, SpeculationSettings
from engine.speculation.proposers.registry import methods

# Choices of one call; all of them run at once.
MOST_CHOICES = 8
MOST_STOPS, LONGEST_STOP = 16, 500
MOST_BIASES = 4096
# Where a grammar of the type is in the format.
_SOURCES = {"regex": "pattern", "lark": "grammar"}
_MAX_TOKENS = ("max_completion_tokens", "max_tokens", "max_output_tokens")


@dataclass(frozen=True)
class Choices:
    """How to answer: `count` answers, each with these settings."""

    sampling: SamplingSettings
    speculation: SpeculationSettings
    max_tokens: int | None
    stop: tuple[str, ...]
    count: int = 1

    def sampling_of(self, index: int) -> SamplingSettings:
        """The settings of one of the answers: with a seed, each has its own."""
        seed = self.sampling.seed
        return self.sampling if seed is None or not index else replace(self.sampling, seed=(seed + index) % 2**64)


def choices_of(
    fields: Fields,
    recommended: Mapping[str, float],
    speculation: SpeculationSettings,
    stop_key: str = "stop",
    *,
    several: bool = True,
) -> Choices:
    """The settings of a request; `recommended` by the model's authors where it says nothing. Raises `ApiError`.

    Only with `several` does the endpoint give more than one answer.
    """
    return Choices(
        _sampling(fields, recommended),
        speculation_of(fields, speculation),
        max_tokens_of(fields),
        _stop(fields, stop_key),
        int(fields.integer("n", 1, 1, MOST_CHOICES) or 1) if several else 1,
    )


def max_tokens_of(fields: Fields) -> int | None:
    """The most tokens of an answer, in any of the three spellings; None for all that the context holds."""
    for key in _MAX_TOKENS:
        if fields.has(key):
            return fields.integer(key, None, 1, 2**31)
    return None


def speculation_of(fields: Fields, default: SpeculationSettings) -> SpeculationSettings:
    """`speculation` (a method, or an object), `num_draft_tokens`, and `draft_model` "none". Raises `ApiError`."""
    value = fields.raw("speculation")
    chosen: dict[str, Any] = {}
    if isinstance(value, str):
        chosen["method"] = value
    elif value is not None:
        inner = fields.fields("speculation")
        if inner.has("method"):
            chosen["method"] = inner.text("method")
        if "depth" in inner.values:
            auto = inner.raw("depth") == "auto"
            chosen["depth"] = None if auto else inner.integer("depth", None, 0, MAX_DEPTH)
        if inner.has("acceptance"):
            chosen["acceptance"] = inner.text("acceptance")
    if fields.has("num_draft_tokens"):
        chosen["depth"] = fields.integer("num_draft_tokens", None, 0, MAX_DEPTH)
    if fields.raw("draft_model") == "none":
        chosen["method"] = "off"
    if chosen.get("method", "auto") not in methods():
        raise bad_field("speculation.method", f"one of {', '.join(methods())}")
    try:
        return replace(default, **chosen)
    except EngineError as error:
        raise of_engine(error) from error


def _sampling(fields: Fields, recommended: Mapping[str, float]) -> SamplingSettings:
    chosen: dict[str, Any] = dict(recommended)
    for key, least, most in (
        ("temperature", 0.0, MAX_TEMPERATURE),
        ("top_p", 0.0, 1.0),
        ("min_p", 0.0, 1.0),
        ("presence_penalty", -2.0, 2.0),
        ("frequency_penalty", -2.0, 2.0),
        ("repetition_penalty", 0.01, 10.0),
    ):
        if fields.has(key):
            chosen[key] = fields.number(key, None, least, most)
    if fields.has("top_k"):
        chosen["top_k"] = fields.integer("top_k", None, 0, 2**31)
    if fields.has("repetition_context_size"):
        chosen["penalty_window"] = fields.integer("repetition_context_size", None, 0, 2**20)
    if fields.has("seed"):
        # The OpenAI API allows negative ones.
        chosen["seed"] = int(fields.integer("seed", 0, -(2**63), 2**64 - 1) or 0) % 2**64
    try:
        return SamplingSettings(**chosen, logit_bias=_biases(fields))
    except EngineError as error:
        raise of_engine(error) from error


def _biases(fields: Fields) -> dict[int, float]:
    biases: dict[int, float] = {}
    inner = fields.fields("logit_bias")
    if len(inner.values) > MOST_BIASES:
        raise bad_field("logit_bias", f"at most {MOST_BIASES} tokens")
    for key in inner.values:
        if not key.isascii() or not key.isdecimal() or len(key) > 9:
            raise bad_field("logit_bias", "an object from token ids to numbers")
        biases[int(key)] = float(inner.number(key, 0.0, -100.0, 100.0) or 0.0)
    return biases


def _stop(fields: Fields, key: str) -> tuple[str, ...]:
    value = fields.raw(key)
    strings = [value] if isinstance(value, str) else fields.items(key)
    if len(strings) > MOST_STOPS or not all(
        isinstance(string, str) and 0 < len(string) <= LONGEST_STOP for string in strings
    ):
        raise bad_field(fields.name(key), f"at most {MOST_STOPS} texts of 1 to {LONGEST_STOP} characters")
    return tuple(strings)


def grammar_of(form: Fields, schema: Fields) -> tuple[Grammar | None, str]:
    """What the answer has to match, and the name of the field that says it. Raises `ApiError`.

    `form` says the type, `schema` holds a JSON schema.
    Besides the types of the OpenAI API there are "regex" (with a `pattern`) and "lark" (with a `grammar`).
    """
    kind = form.text("type", "text")
    field, source = form.name("type"), ""
    if kind == "text":
        return None, field
    if kind == "json_schema":
        field = schema.name("schema")
        if not schema.has("schema"):
            raise bad_field(field, "given")
        source = json.dumps(dict(schema.fields("schema").values))
    elif kind in _SOURCES:
        field = form.name(_SOURCES[str(kind)])
        source = form.required_text(_SOURCES[str(kind)])
    elif kind != "json_object":
        raise bad_field(field, f"one of text, json_object, json_schema, {', '.join(_SOURCES)}")
    try:
        return Grammar(str(kind), source), field
    except EngineError as error:
        raise of_engine(error, field) from error


def refuse_unsupported(fields: Fields, keys: Mapping[str, str]) -> None:
    """Raise `ApiError` for fields whose silence would give another answer than the one asked for."""
    for key, sentence in keys.items():
        if fields.raw(key) not in (None, False, [], {}):
            raise unsupported(key, sentence)
