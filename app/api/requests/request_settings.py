"""Sampling, speculation and limits of a request, in the spellings of the APIs that clients speak.

The structs here and in the modules of the endpoints read and check requests, and OpenAPI describes them. `null` counts
as absent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, field

from app.api.requests.errors import bad_field, of_engine, unsupported
from app.settings.declarations import declared_in
from engine.errors import EngineError
from engine.grammars.gbnf import is_gbnf
from engine.grammars.grammar import Grammar
from engine.methods import methods
from engine.requests import MAX_DEPTH, SamplingSettings, SpeculationSettings

# Choices of one call; all of them run at once.
MOST_CHOICES = 8
MOST_STOPS = 256
# In characters.
LONGEST_STOP = 500
MOST_BIASES = 4096
# The smallest top_p: only the likeliest token remains.
_LEAST_TOP_P = 1e-9
_Depth = Annotated[int, Meta(ge=0, le=MAX_DEPTH)]
_Penalty = Annotated[float, Meta(ge=-2, le=2)]
# 0 reads the prompt and writes nothing; a number below it is no limit.
MaxTokens = Annotated[int, Meta(ge=-(2**53), le=2**53)]
_Method = Annotated[str, Meta(extra_json_schema={"enum": list(methods())})]
_StopText = Annotated[str, Meta(max_length=LONGEST_STOP)]
# "" is none.
Stop = _StopText | Annotated[list[_StopText | None], Meta(max_length=MOST_STOPS)]
_Biases = Annotated[
    dict[Annotated[int, Meta(ge=0, lt=10**9)], Annotated[float, Meta(ge=-100, le=100)]],
    Meta(max_length=MOST_BIASES, extra_json_schema={"propertyNames": {"pattern": "^[0-9]{1,9}$"}}),
]


# The efforts of clients that templates have another name for, and switches.
_EFFORTS = {"none": "off", "minimal": "low", "xhigh": "max", "True": "on", "False": "off", "disabled": "off"}
# The names of a limit of thoughts in tokens: Qwen's, llama.cpp's, vLLM's, SGLang's, OpenRouter's and Anthropic's.
_BUDGETS = (
    *("thinking_budget", "thinking_budget_tokens", "reasoning_budget", "reasoning_budget_tokens"),
    *("thinking_token_budget", "max_thinking_tokens", "reasoning_max_tokens", "budget_tokens"),
)
_PLACES = ("reasoning", "thinking", "output_config", "chat_template_kwargs", "options", "extra_body")


# Fields of other servers that would change an answer and have no effect here, with the values that change nothing.
_WITHOUT_EFFECT: dict[str, tuple[object, ...]] = {
    # When an answer ends.
    **dict.fromkeys(("min_tokens", "ignore_eos", "stop_token_ids", "include_stop_str_in_output"), (0, False)),
    # What is read: the prompt in the request is read whole, with the model's own template.
    **dict.fromkeys(("truncate_prompt_tokens", "chat_template", "documents", "logits_processors"), (-1, "")),
    # How tokens are drawn.
    **dict.fromkeys(("typical_p", "typical", "tfs", "tfs_z", "smoothing_curve"), (1,)),
    **dict.fromkeys(("mirostat", "mirostat_mode", "xtc_probability", "dry_multiplier", "dynatemp_range"), (0,)),
    **dict.fromkeys(("top_a", "epsilon_cutoff", "eta_cutoff", "smoothing_factor", "top_n_sigma"), (0, -1)),
    "use_beam_search": (False,),
    # How long it is, in words; servers of tools that the API would call itself; and what it would sum up or leave out.
    "verbosity": ("medium",),
    "mcp_servers": (),
    "context_management": ({"edits": []},),
    # The models that answer where one declines.
    "fallbacks": ("default",),
}


# Such fields that are in others.
_INNER_WITHOUT_EFFECT: dict[tuple[str, str], tuple[object, ...]] = {
    ("text", "verbosity"): _WITHOUT_EFFECT["verbosity"],
    ("container", "skills"): (),
    ("output_config", "task_budget"): (),
    # How a model thinks, and which earlier thoughts it sees: the template decides. What the answer has of the thoughts.
    ("reasoning", "mode"): ("standard",),
    ("reasoning", "context"): ("auto",),
    ("thinking", "display"): ("summarized",),
}

# What a caller relies on who asks for it, by the field of chat completions and responses.
REFUSED_CHECKS = {"moderation": "Nothing is moderated here: leave `moderation` out, and check the texts yourself."}


def _without_effect(body: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields in a body, or in its `options`, that ask for what has no effect here."""
    options = body.get("options")
    given = {**(options if isinstance(options, dict) else {}), **body}
    names = [name for name, neutral in _WITHOUT_EFFECT.items() if given.get(name) not in (None, [], {}, *neutral)]
    for (place, name), neutral in _INNER_WITHOUT_EFFECT.items():
        inner = body.get(place)
        if isinstance(inner, dict) and inner.get(name) not in (None, [], *neutral):
            names.append(f"{place}.{name}")
    return names


def _thinking_in(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return `thinking_budget` and `reasoning_effort`, a level of thinking, in any of their spellings."""
    places = [body.get(name) for name in _PLACES]
    inner: list[dict[str, Any]] = [place if isinstance(place, dict) else {} for place in places]
    reasoning, thinking, config, template_options, *_ = inner
    budgets = [value[name] for value in (body, *inner) for name in _BUDGETS if value.get(name) is not None]
    budget = [*budgets, reasoning.get("max_tokens")][0]
    asked = (
        # In Anthropic's API, the last one is that of the whole answer, which thinks if `thinking` says so.
        *(body.get("reasoning_effort"), reasoning.get("effort"), thinking.get("type") and config.get("effort")),
        *(thinking.get("type"), reasoning.get("enabled"), template_options.get("enable_thinking")),
        *(body.get("think"), body.get("enable_thinking")),
    )
    levels = [_EFFORTS.get(str(value), value) for value in asked if value is not None]
    return {
        "thinking_budget": None if isinstance(budget, int) and budget < 0 else budget,
        "reasoning_effort": "off" if "off" in levels else next(iter(levels), None),
    }


def _struct_of(record: type[Any], names: Iterable[str]) -> type[Struct]:
    """Return a struct with these fields of a record of the engine, each of which may be absent."""
    kinds = get_type_hints(record, include_extras=True)
    for name, setting in declared_in(record).items():
        if setting.choices:
            kinds[name] = Annotated[kinds[name], Meta(extra_json_schema={"enum": setting.values})]
    return defstruct(record.__name__, [(name, kinds[name] | None, None) for name in names])


if TYPE_CHECKING:
    # Mypy takes no class that is made by a function as a base.
    _SpeculationFields = Struct
    _SamplingFields = Struct
else:
    _SpeculationFields = _struct_of(SpeculationSettings, declared_in(SpeculationSettings))
    _SamplingFields = _struct_of(SamplingSettings, [setting.name for setting in fields(SamplingSettings)])


class Speculation(_SpeculationFields, kw_only=True):
    """How to draft. An absent field keeps its value. A depth of null is "auto"."""

    method: _Method | None = None
    depth: _Depth | Literal["auto"] | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        for name, setting in declared_in(SpeculationSettings).items():
            if setting.choices and getattr(self, name) not in (None, *setting.values):
                raise bad_field(name, f"one of {', '.join(map(str, setting.values))}")

    def changed(self, settings: SpeculationSettings) -> SpeculationSettings:
        """Return `settings` with the given fields replaced."""
        fields_here = {name: getattr(self, name) for name in declared_in(SpeculationSettings)}
        given = {name: value for name, value in fields_here.items() if value not in (None, UNSET)}
        if self.depth in (None, "auto"):
            given["depth"] = None
        return replace(settings, **given)


class RequestSettings(_SamplingFields, kw_only=True):
    """The fields of every endpoint that answers: those of the engine's sampling, some in a wider form, and others."""

    model: str | None = None
    stream: bool | None = None
    # 0 is the likeliest token alone.
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    # -1 is off, too.
    top_k: Annotated[int, Meta(ge=-1, le=2**31)] | None = None
    repetition_penalty: Annotated[float, Meta(ge=0.01, le=10)] | None = None
    presence_penalty: _Penalty | None = None
    frequency_penalty: _Penalty | None = None
    penalty_window: Annotated[int, Meta(ge=0, le=2**20)] | None = field(name="repetition_context_size", default=None)
    logit_bias: _Biases | None = None
    # 0 is no thoughts.
    thinking_budget: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    reasoning_effort: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    # The OpenAI API allows negative ones.
    seed: Annotated[int, Meta(ge=-(2**63), extra_json_schema={"maximum": 2**64 - 1})] | None = None
    max_completion_tokens: MaxTokens | None = None
    max_tokens: MaxTokens | None = None
    max_output_tokens: MaxTokens | None = None
    stop: Stop | None = None
    draft_model: str | None = None
    num_draft_tokens: _Depth | None = None
    speculation: _Method | Speculation | None = None

    @classmethod
    def normalised(cls, body: dict[str, Any], skipped: list[str]) -> dict[str, Any]:
        """Return the body with what programs really send as the fields here; `skipped` gets what is left out."""
        skipped += _without_effect(body)
        return {**body, **_thinking_in(body)}

    def most_tokens(self, otherwise: int | None = None) -> int | None:
        """Return the limit of tokens in any of the spellings, or `otherwise`; None allows what the context holds."""
        given = (self.max_completion_tokens, self.max_tokens, self.max_output_tokens, otherwise)
        limit = next((limit_given for limit_given in given if limit_given is not None), -1)
        return limit if limit >= 0 else None

    @property
    def stops(self) -> tuple[str, ...]:
        """The texts that end an answer."""
        return tuple(filter(None, [self.stop] if isinstance(self.stop, str) else self.stop or ()))

    def sampling(self, recommended: Mapping[str, float], index: int = 0) -> SamplingSettings:
        """Return the sampling of the answer `index`: with a seed, each answer has its own. Raises `errors.ApiError`.

        `recommended`, by the model's authors, fills in what the request leaves out.
        """
        asked = {setting.name: getattr(self, setting.name) for setting in fields(SamplingSettings)}
        if self.seed is not None and self.seed < 0:
            asked["seed"] = self.seed % 2**64
        if self.top_k is not None:
            asked["top_k"] = max(0, self.top_k)
        if self.top_p == 0:
            asked["top_p"] = _LEAST_TOP_P
        chosen: dict[str, Any] = {**recommended, **{key: value for key, value in asked.items() if value is not None}}
        try:
            sampling = SamplingSettings(**chosen)
        except EngineError as error:
            raise of_engine(error) from error
        return sampling if sampling.seed is None else replace(sampling, seed=(sampling.seed + index) % 2**64)

    def speculating(self, default: SpeculationSettings) -> SpeculationSettings:
        """Return `default` with what the request says of speculation. Raises `errors.ApiError`."""
        asked = self.speculation
        if isinstance(asked, str):
            if asked not in methods():
                raise bad_field("speculation.method", f"one of {', '.join(methods())}")
            asked = Speculation(method=asked)
        chosen = default if asked is None else asked.changed(default)
        if self.num_draft_tokens is not None:
            chosen = replace(chosen, depth=self.num_draft_tokens)
        return replace(chosen, method="off") if self.draft_model == "none" else chosen


class _PlainText(Struct, tag_field="type", tag="text"):
    pass


class _JsonObject(Struct, tag_field="type", tag="json_object"):
    pass


class JsonSchema(Struct, tag_field="type", tag="json_schema"):
    """A JSON schema that the answer matches; without one, any JSON object."""

    schema: dict[str, Any] | None = None


class _Regex(Struct, tag_field="type", tag="regex"):
    pattern: str


class _Lark(Struct, tag_field="type", tag="lark"):
    grammar: str


class _Written(Struct, tag_field="type", tag="grammar"):
    """A grammar in GBNF, whose first rule is "root", or in Lark's notation, whose first rule is "start"."""

    grammar: str


# In addition to the types of the OpenAI API there are "regex", "lark" and "grammar".
OtherFormat = _PlainText | _JsonObject | _Regex | _Lark | _Written
Format = JsonSchema | OtherFormat


class _SchemaField(Struct):
    schema: dict[str, Any] | None = None


class _NamedSchema(Struct, tag_field="type", tag="json_schema"):
    json_schema: _SchemaField | None = None


# As chat completions of the OpenAI API have it.
ResponseFormat = _NamedSchema | OtherFormat


def grammar_of(form: Format | None, path: str) -> tuple[Grammar | None, str]:
    """Return the grammar of the format at `path`, and the name of the field that holds it. Raises `errors.ApiError`."""
    match form:
        case JsonSchema(schema=dict(schema)):
            kind = "json_schema"
            name = "schema"
            source = json.dumps(schema)
        case _Regex(pattern=source):
            kind = "regex"
            name = "pattern"
        case _Lark(grammar=source):
            kind = "lark"
            name = "grammar"
        case _Written(grammar=source):
            kind = "gbnf" if is_gbnf(source) else "lark"
            name = "grammar"
        case _JsonObject() | JsonSchema():
            kind = "json_object"
            name = "type"
            source = ""
        case _:
            return None, ""
    param = f"{path}.{name}"
    try:
        return Grammar(kind, source), param
    except EngineError as error:
        raise of_engine(error, param) from error


def grammar_of_response(form: ResponseFormat | None) -> tuple[Grammar | None, str]:
    """Return the grammar of a `response_format`, and the name of the field that holds it. Raises `errors.ApiError`."""
    if isinstance(form, _NamedSchema):
        schema = form.json_schema.schema if form.json_schema is not None else None
        return grammar_of(JsonSchema(schema), "response_format.json_schema")
    return grammar_of(form, "response_format")


# The members of a schema that an object has which should have had the schema as a member.
_OF_SCHEMAS = {"type", "properties", "items", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"}


def readable_format(form: Any) -> Any:
    """Rewrite a format that is only a type, has none, or has its schema or pattern as other servers have it."""
    form = {"type": form} if isinstance(form, str) else form
    if not isinstance(form, dict):
        return form
    schema = next((form[name] for name in ("schema", "json_schema", "value") if form.get(name) is not None), None)
    kind = form.get("type") or ("text" if schema is None else "json_schema")
    if kind == "regex" and form.get("pattern") is None:
        return {**form, "pattern": form.get("value", form.get("regex"))}
    if kind in ("json", "json_object") and schema is None:
        return {"type": "json_object"}
    if kind not in ("json", "json_object", "json_schema"):
        return {**form, "type": kind}
    named: dict[str, Any] = {}
    is_schema = isinstance(schema, dict) and bool(_OF_SCHEMAS & schema.keys()) and "schema" not in schema
    if form.get("schema") is None and isinstance(schema, dict) and not is_schema:
        # An object with a name and the schema.
        named = schema
        schema = schema.get("schema")
    return {**form, **named, "type": "json_schema", "schema": schema}


def readable_response_format(form: Any) -> Any:
    """Rewrite a `response_format` as `readable_format` does, in the form of chat completions."""
    form = readable_format(form)
    if not isinstance(form, dict) or form.get("type") != "json_schema":
        return form
    return {"type": "json_schema", "json_schema": {"schema": form["schema"]}}


def refuse_unsupported(body: Struct, sentences: Mapping[str, str]) -> None:
    """Raise `errors.ApiError` for fields that cannot be ignored without changing the answer."""
    for key, sentence in sentences.items():
        if getattr(body, key) not in (None, False, "", [], {}):
            raise unsupported(key, sentence)
