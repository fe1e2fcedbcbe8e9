"""What a caller asks an answer to follow: JSON, a regular expression, a Lark grammar, or calls of functions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import BadRequest, GrammarNotUsable
from engine.grammars.calls import calls_grammar, calls_source, json_of

KINDS = ("json_object", "json_schema", "regex", "lark", "calls")
# Bytes of a source. Published schemas of whole interfaces have a tenth.
LARGEST_SOURCE = 2**18
# Without this the library offers only the token that the tokenizer would write, so that what the main model may say
# would depend on how that splits text.
# At the end, where it keeps the line numbers of errors right, and no line before it can say otherwise.
_NO_FORCING = '\n%llguidance {"no_forcing": true}\n'
# Answers to a schema are written on one line (`LAYOUT`); other JSON may be indented.
_INDENTED = {"whitespace_flexible": True, "whitespace_pattern": r"( |\n {0,40})", "coerce_one_of": True}


@dataclass(frozen=True)
class Grammar:
    """What the whole answer has to match; the thinking before it is free.

    `kind` says what `source` is: "json_schema" (a schema as JSON text), "regex" (of the Rust crate of that name, for
    the whole answer), "lark" (in llguidance's dialect, from `start`), "json_object" (any object; no source), or "calls"
    (of functions; `calls_of` makes these).
    Keywords that cannot be checked token by token are refused, but "oneOf", which is taken for "anyOf". A schema's
    "x-guidance" are options of llguidance.

    Raises `BadRequest` for another kind and `GrammarNotUsable` for a source that is no schema, or too large.
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
        """The grammar as llguidance takes it: in its dialect of Lark, or a list of such grammars.

        `marks` are the ids of a model's control tokens by their text; without them these are text as any.
        """
        if self.kind == "calls":
            return self._calls(marks)
        if self.kind == "lark":
            return self.source + _NO_FORCING
        if self.kind == "regex":
            # Not at the top: the window, too, knows what a grammar is, and need not load the library to start.
            from llguidance import LLMatcher

            written = json.loads(LLMatcher.grammar_from_regex(self.source))
            return str(written["grammars"][0]["lark_grammar"]) + _NO_FORCING
        if self.kind == "json_schema":
            return f"start: {json_of(self._schema())}{_NO_FORCING}"
        return f"start: %json {json.dumps({'type': 'object', 'x-guidance': _INDENTED})}{_NO_FORCING}"

    def _calls(self, marks: Mapping[str, int] | None) -> str:
        lark = calls_grammar(self.source, marks) + _NO_FORCING
        answer = json.loads(self.source)["answer"]
        named = [{"name": "answer", "lark_grammar": answer}] if answer else []
        return json.dumps({"grammars": [{"lark_grammar": lark}, *named]}) if named else lark

    def _schema(self) -> dict[str, Any]:
        try:
            schema = json.loads(self.source)
        except (ValueError, RecursionError) as error:
            raise GrammarNotUsable("not-json", str(error)[:200]) from error
        if not isinstance(schema, dict) or not isinstance(schema.get("x-guidance", {}), dict):
            raise GrammarNotUsable("not-a-schema")
        return schema


def calls_of(
    form: str, tools: Sequence[Mapping[str, Any]], *, parallel: bool, answer: Grammar | None = None
) -> Grammar:
    """Calls of `tools` in the form of a model (`ModelInfo.tool_format`), several where `parallel` allows them.

    With `answer` the whole may be one in that format instead. Raises `CallsNotExpressible` and `GrammarNotUsable`.
    """
    alternative = answer.as_lark() if answer is not None else ""
    return Grammar("calls", calls_source(form, tools, parallel=parallel, answer=alternative))
