"""Calls of functions, written at random under a grammar."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from typing import Any

from llguidance import LLMatcher

from engine.call_forms.reading import NESTED
from engine.call_forms.table import call_form
from engine.call_forms.tagged_writing import TaggedCalls
from engine.call_forms.writing import Function
from engine.grammars.compiling import compile_by_byte
from engine.grammars.grammar import Grammar

ENDINGS = [
    end.encode()
    for end in (
        *("</parameter>", "</arg_value>", "</longcat_arg_value>", "</param>", "</atem:parameter>", '<|"|>', "<escape>"),
        *("</｜DSML｜parameter>", NESTED, "<|end|>", '"'),
    )
]
STRINGS = ("true", "false")


def function(name: str, **properties: Any) -> dict[str, Any]:
    required = [key for key in properties if not key.endswith("_maybe")]
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


@lru_cache(maxsize=8)
def compiled(grammar: Grammar) -> LLMatcher:
    return compile_by_byte(grammar.as_lark())


def matcher_of(grammar: Grammar) -> LLMatcher:
    return compiled(grammar).deep_copy()


@lru_cache(maxsize=8)
def functions_of(source: str) -> tuple[str, list[tuple[str, list[Any]]]]:
    """Return the form of a grammar's calls, and its functions with their parameters."""
    asked = json.loads(source)
    return asked["format"], [(name, Function(name, schema).parameters) for name, schema in asked["functions"]]


def ends_of_text(grammar: Grammar, begun: str) -> list[bytes]:
    """Return what may end the text of the newest argument of a call with tags: its closing tag, and what follows."""
    name_of_form, functions = functions_of(grammar.source)
    form, opened, found = call_form(name_of_form).write, 0, list[str]()
    for name_of_function, parameters in functions:
        if not isinstance(form, TaggedCalls) or form.begin.replace("NAME", name_of_function) not in begun:
            continue
        for at, (name, _, _) in enumerate(parameters, 1):
            place = max(begun.rfind(form.key.replace("NAME", name).replace("STRING", kind)) for kind in STRINGS)
            if place < opened:
                continue
            closing = form.closing.replace("NAME", name) + form.after
            needed = [one for one in parameters[at:] if one[2]]
            later = parameters[at : parameters.index(needed[0]) + 1 if needed else None]
            keys = [
                form.key.replace("NAME", key).replace("STRING", kind)
                for key, schema, _ in later
                for kind in STRINGS
                if not schema.kinds
                or (kind == "true" and "string" in schema.kinds)
                or (kind == "false" and schema.kinds - {"string"})
            ]
            opened, found = place, [closing + one for one in (*keys, *([] if needed else [form.end + form.stop]))]
    return [one.encode() for one in found]


def written(grammar: Grammar, draw: random.Random, most: int = 4000, *, plain: bool = False) -> str:
    """Write text at random under the grammar, with a bias towards the ends of texts.

    With `plain` texts have no signs of tags and no escapes in them, and numbers are short.
    """
    matcher, text = matcher_of(grammar), bytearray()
    while not matcher.is_stopped() and len(text) < most:
        forced = matcher.compute_ff_bytes()
        own = ends_of_text(grammar, text.decode(errors="replace"))
        ending = draw.choice(own if own and draw.random() < 0.5 else ENDINGS)
        quoted = plain and text.count(b'"') % 2 and ending != b'"'
        if not forced and not quoted and draw.random() < 0.5 and matcher.validate_tokens(list(ending)) == len(ending):
            forced = ending
        if not forced:
            mask = matcher.compute_bitmask()
            usual = range(32, 127)
            if plain:
                # Numbers end soon.
                usual = (
                    [*range(48), *range(58, 256)]
                    if text[-1:].isdigit()
                    else [byte for byte in usual if byte not in b"<\\"]
                )
            allowed = [byte for byte in usual if mask[byte // 8] >> byte % 8 & 1]
            if matcher.is_accepting() and (not allowed or draw.random() < 0.5):
                break
            if not allowed:
                allowed = [byte for byte in range(256) if mask[byte // 8] >> byte % 8 & 1]
            forced = bytes([draw.choice(allowed)])
        assert matcher.try_consume_tokens(list(forced)) == len(forced)
        text += forced
    return text.decode(errors="replace")


def allows(grammar: Grammar, text: str) -> bool:
    matcher = matcher_of(grammar)
    return bool(matcher.try_consume_tokens(list(text.encode())) == len(text.encode()) and matcher.is_accepting())
