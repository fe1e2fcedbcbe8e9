"""What a caller asks an answer to follow: a JSON schema, any JSON object, a regular expression or a Lark grammar."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine.errors import BadRequest, GrammarNotUsable

KINDS = ("json_object", "json_schema", "regex", "lark")
# Bytes of a source. Published schemas of whole interfaces have a tenth.
LARGEST_SOURCE = 2**18
# Without this the library offers only the token that the tokenizer would write, so that what the main model may say
# would depend on how that splits text.
# At the end, where it keeps the line numbers of errors right, and no line before it can say otherwise.
_NO_FORCING = '\n%llguidance {"no_forcing": true}\n'
# Small models write white space without end where they may. Answers to a schema are written as Python's json does it,
# which models have seen most; other JSON may be indented.
_ON_ONE_LINE = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
_INDENTED = {"whitespace_flexible": True, "whitespace_pattern": r"( |\n {0,40})"}
# No grammar can say that exactly one of several schemas holds.
_ANY_OF = {"coerce_one_of": True}


@dataclass(frozen=True)
class Grammar:
    """What the whole answer has to match; the thinking before it is free.

    `kind` says what `source` is: "json_schema" (a schema as JSON text), "regex" (of the Rust crate of that name, for
    the whole answer), "lark" (in llguidance's dialect, from `start`), or "json_object" (any object; no source).
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

    def as_lark(self) -> str:
        """The grammar in llguidance's dialect of Lark."""
        if self.kind == "lark":
            return self.source + _NO_FORCING
        if self.kind == "regex":
            # Not at the top: the window, too, knows what a grammar is, and need not load the library to start.
            from llguidance import LLMatcher

            written = json.loads(LLMatcher.grammar_from_regex(self.source))
            return str(written["grammars"][0]["lark_grammar"]) + _NO_FORCING
        schema: dict[str, Any] = self._schema() if self.kind == "json_schema" else {"type": "object"}
        layout = _ON_ONE_LINE if self.kind == "json_schema" else _INDENTED
        options = layout | _ANY_OF | schema.get("x-guidance", {})
        return f"start: %json {json.dumps(schema | {'x-guidance': options})}{_NO_FORCING}"

    def _schema(self) -> dict[str, Any]:
        try:
            schema = json.loads(self.source)
        except (ValueError, RecursionError) as error:
            raise GrammarNotUsable("not-json", str(error)[:200]) from error
        if not isinstance(schema, dict) or not isinstance(schema.get("x-guidance", {}), dict):
            raise GrammarNotUsable("not-a-schema")
        return schema
