"""Compiles grammars with llguidance for single bytes: to try a grammar, and to find the text that it forces."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor

from llguidance import LLMatcher, LLParserLimits, LLTokenizer

from engine.errors import GrammarNotUsable
from engine.sandbox.tasks import task

# Fuel and items bound the time of a mask to milliseconds.
LIMITS = LLParserLimits(
    max_grammar_size=100_000,
    step_lexer_fuel=200_000,
    step_max_items=50_000,
    max_lexer_states=50_000,
    verbose_errors=False,
)
_BYTES = LLTokenizer("byte")
# A grammar that nests too deep overflows the stack and crashes the process, so it is tried on a small stack first.
_TRIAL_STACK = 2**20
_LONGEST_DETAIL = 300
_PLACE_IN_SCHEMA = re.compile(r"^at \d+\(\d+\): failed to compile JSON schema: ")


def compile_by_byte(source: str) -> LLMatcher:
    """Return a matcher of single bytes at the start of a text. Raises `GrammarNotUsable`."""
    matcher = LLMatcher(_BYTES, source, log_level=0, limits=LIMITS)
    if matcher.is_error():
        raise GrammarNotUsable("invalid", sentence(matcher.get_error()))
    return matcher


@task
def trial(lark: str) -> str:
    """Compile a grammar for single bytes and return its error, or "". Call it in a process with limits."""
    before = threading.stack_size(_TRIAL_STACK)
    try:
        with ThreadPoolExecutor(1, "grammar") as pool:
            matcher = pool.submit(compile_by_byte, lark).result()
        matcher.compute_bitmask()
    except GrammarNotUsable as error:
        return str(error.arguments["detail"])
    finally:
        threading.stack_size(before)
    return sentence(matcher.get_error()) if matcher.is_error() else ""


def sentence(words: str) -> str:
    """Return the first line of an error of llguidance, without the place in the source that Tandem generated."""
    first = words.strip().splitlines()[0] if words.strip() else ""
    return _PLACE_IN_SCHEMA.sub("", first)[:_LONGEST_DETAIL]
