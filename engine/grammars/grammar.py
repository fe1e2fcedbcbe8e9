"""The grammars that a caller can request: JSON, one of some texts, an expression, tokens, or calls of functions."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.call_forms.writing import CallsNotExpressible, json_of
from engine.errors import BadRequest, GrammarNotUsable
from engine.grammars.calls import calls_grammar, calls_source, with_reduced_arguments
from engine.grammars.gbnf import is_gbnf, lark_of_gbnf
from engine.grammars.schemas import plain_schema, reduced_schema

log = logging.getLogger(__name__)

KINDS = ("json_object", "json_schema", "choice", "tokens", "regex", "gbnf", "lark", "calls", "calls_in_text")
# The most bytes of a source. Published schemas of whole interfaces are far smaller.
LARGEST_SOURCE = 2**18
# Without this the library allows only the tokens that the tokenizer would choose for a forced text.
# It is appended, which keeps the line numbers of errors right, and lets no line of the source override it.
_NO_FORCING = '\n%llguidance {"no_forcing": true}\n'
# Answers to a schema are written on one line (`engine.call_forms.writing.LAYOUT`); other JSON may be indented.
_INDENTED = {"whitespace_flexible": True, "whitespace_pattern": r"( |\n {0,40})", "coerce_one_of": True}


@dataclass(frozen=True)
class Grammar:
    """A grammar for the whole answer; the thinking before it is free.

    `kind` says what `source` is: "json_schema" (a schema as JSON text), "choice" (a list of texts as JSON, of which the
    answer is one), "tokens" (a list of ids as JSON, of which each token of the answer is one), "regex" (of the Rust
    crate of that name, for the whole answer), "gbnf" (llama.cpp's notation, from its rule "root"), "lark" (in
    llguidance's dialect, from its rule "start"), "json_object" (any object; no source), "calls" (of functions, made by
    `calls_of`), or "calls_in_text" (made by `calls_in_text`, for the calls in a free answer).
    Parts of schemas that cannot be checked token by token are left out; "oneOf" is treated as "anyOf". Objects that
    declare properties have no others, unless a schema speaks of others. A schema's "x-guidance" holds options of
    llguidance.

    Raises `BadRequest` for another kind, and `GrammarNotUsable` for a source that is no schema or too large.
    """

    kind: str
    source: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadRequest("grammar", f"one of {', '.join(KINDS)}", self.kind)
        if len(self.source.encode(errors="surrogatepass")) > LARGEST_SOURCE:
            raise GrammarNotUsable("too-large", str(LARGEST_SOURCE // 1024))
        if self.kind == "json_schema":
            self._schema()

    def as_lark(self, marks: Mapping[str, int] | None = None) -> str:
        """Return the grammar in llguidance's dialect of Lark, or a list of such grammars as JSON.

        `marks` maps the texts of a model's control tokens to ids. Without it the grammar is for single bytes: control
        tokens are ordinary text, and "tokens" are any text. Raises `GrammarNotUsable`.
        """
        if self.of_calls:
            return self._calls(marks)
        if self.kind == "lark":
            return self.source + _NO_FORCING
        if self.kind == "gbnf":
            return lark_of_gbnf(self.source) + _NO_FORCING
        if self.kind == "choice":
            # Lark writes texts as JSON does. All texts are one regular expression, so that no text hides a longer one.
            texts = " | ".join(json.dumps(text, ensure_ascii=False) for text in json.loads(self.source))
            return f"start: CHOICE\nCHOICE: {texts}{_NO_FORCING}"
        if self.kind == "tokens":
            ids = ",".join(map(str, json.loads(self.source)))
            return f"start: ANY\nANY: /(?s:.+)/{_NO_FORCING}" if marks is None else f"start: (<[{ids}]>)+{_NO_FORCING}"
        if self.kind == "regex":
            # Imported here because the window imports this module, and should start without the library.
            from llguidance import LLMatcher

            written = json.loads(LLMatcher.grammar_from_regex(self.source))
            return str(written["grammars"][0]["lark_grammar"]) + _NO_FORCING
        if self.kind == "json_schema":
            return f"start: {json_of(plain_schema(self._schema())[0])}{_NO_FORCING}"
        return f"start: %json {json.dumps({'type': 'object', 'x-guidance': _INDENTED})}{_NO_FORCING}"

    @property
    def of_calls(self) -> bool:
        """Whether it is a grammar of calls of functions."""
        return self.kind in ("calls", "calls_in_text")

    @property
    def in_text(self) -> bool:
        """Whether only the calls in the answer have to match; if they cannot be held to the grammar, they are free."""
        return self.kind == "calls_in_text"

    @property
    def left_out(self) -> tuple[str, ...]:
        """The places in schemas that the grammar does not check; a function's schema has its name before them."""
        if self.of_calls:
            asked = json.loads(self.source)
            answer = Grammar(*asked["answer"]).left_out if asked["answer"] else ()
            return (*asked["left_out"], *answer)
        return plain_schema(self._schema())[1] if self.kind == "json_schema" else ()

    def reduced(self, usable: Callable[[Grammar], bool]) -> tuple[Grammar, tuple[str, ...]]:
        """Return a grammar without what keeps its schemas from being `usable`, and all that is left out."""

        def usable_schema(schema: Mapping[str, Any]) -> bool:
            return usable(_of_schema(schema))

        if self.kind == "json_schema":
            schema, without = plain_schema(self._schema())
            schema, more = reduced_schema(schema, usable_schema)
            return _of_schema(schema), (*without, *more)
        if not self.of_calls:
            return self, ()
        asked = json.loads(self.source)
        without = ()
        if asked["answer"] and not usable(answer := Grammar(*asked["answer"])):
            answer, without = answer.reduced(usable)
            asked["answer"] = answer.kind, answer.source
        source = with_reduced_arguments(
            json.dumps(asked), lambda source: usable(Grammar(self.kind, source)), usable_schema
        )
        return Grammar(self.kind, source), (*json.loads(source)["left_out"], *without)

    def _calls(self, marks: Mapping[str, int] | None) -> str:
        lark = calls_grammar(self.source, marks) + _NO_FORCING
        answer = json.loads(self.source)["answer"]
        named = [{"name": "answer", "lark_grammar": Grammar(*answer).as_lark(marks)}] if answer else []
        return json.dumps({"grammars": [{"lark_grammar": lark}, *named]}) if named else lark

    def _schema(self) -> dict[str, Any]:
        """Return the schema. Raises `GrammarNotUsable` ("not-json", "not-a-schema")."""
        try:
            schema = json.loads(self.source)
        except (ValueError, RecursionError) as error:
            raise GrammarNotUsable("not-json", str(error)[:200]) from error
        if not isinstance(schema, dict) or not isinstance(schema.get("x-guidance", {}), dict):
            raise GrammarNotUsable("not-a-schema")
        return schema


def choice_of(texts: Sequence[str]) -> Grammar:
    """Return a grammar of answers that are one of `texts`, which are at least one."""
    return Grammar("choice", json.dumps(list(texts)))


def tokens_of(ids: Collection[int]) -> Grammar:
    """Return a grammar of answers of these tokens, which are at least one. It has an end after each of them."""
    return Grammar("tokens", json.dumps(sorted(set(ids))))


def text_without(texts: Sequence[str]) -> Grammar:
    """Return a grammar of answers in which none of `texts`, which are at least one, occurs."""
    written = " | ".join(json.dumps(text, ensure_ascii=False) for text in texts)
    lines = ("start: ANSWER", "ANSWER: ANY & ~HAS_ONE", "ANY: /(?s:.*)/", f"HAS_ONE: ANY ({written}) ANY")
    return Grammar("lark", "\n".join(lines))


def written_grammar(source: str) -> Grammar:
    """Return the grammar that a person wrote in GBNF or in Lark, whichever it is. Raises `GrammarNotUsable`."""
    grammar = Grammar("lark", source)
    return Grammar("gbnf", source) if is_gbnf(source) else grammar


def _of_schema(schema: Mapping[str, Any]) -> Grammar:
    return Grammar("json_schema", json.dumps(schema))


def calls_of(
    form: str, tools: Sequence[Mapping[str, Any]], *, parallel: bool, answer: Grammar | None = None
) -> Grammar:
    """Return a grammar of calls of `tools` in a model's form (`ModelInfo.tool_format`), of several with `parallel`.

    With `answer`, an answer may follow that grammar instead. Raises `CallsNotExpressible` and `GrammarNotUsable`.
    """
    alternative = (answer.kind, answer.source) if answer is not None else ()
    return Grammar("calls", calls_source(form, tools, parallel=parallel, answer=alternative))


def calls_in_text(form: str, tools: Sequence[Mapping[str, Any]], *, parallel: bool) -> Grammar | None:
    """Return a grammar of the calls of `tools` in a free answer; None, with a log record, if there is none."""
    try:
        return Grammar("calls_in_text", calls_source(form, tools, parallel=parallel, in_text=True))
    except (CallsNotExpressible, GrammarNotUsable) as error:
        log.info("The calls of functions in an answer are free: %s", type(error).__name__)
        return None
