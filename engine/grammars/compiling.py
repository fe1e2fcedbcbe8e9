"""Compiles grammars with llguidance for single bytes: to try one, and to know what text it forces, for any model."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from llguidance import LLMatcher, LLParserLimits, LLTokenizer

from engine.errors import GrammarNotUsable

Result = TypeVar("Result")
# Lexer fuel is some 14,000 units a millisecond, items some 20,000: a mask takes 20 ms at the very most.
LIMITS = LLParserLimits(
    max_grammar_size=100_000,
    step_lexer_fuel=200_000,
    step_max_items=50_000,
    max_lexer_states=50_000,
    verbose_errors=False,
)
_BYTES = LLTokenizer("byte")
# A grammar that nests too deep overflows the stack, which no exception can tell: it is tried on a small one.
_TRIAL_STACK = 2**20
_LONGEST_DETAIL = 300
_PLACE_IN_SCHEMA = re.compile(r"^at \d+\(\d+\): failed to compile JSON schema: ")


def compile_by_byte(source: str) -> LLMatcher:
    """A matcher of single bytes at the start of a text. Raises `GrammarNotUsable`."""
    matcher = LLMatcher(_BYTES, source, log_level=0, limits=LIMITS)
    if matcher.is_error():
        raise GrammarNotUsable("invalid", sentence(matcher.get_error()))
    return matcher


def trial(lark: str) -> str:
    """Compile a grammar for single bytes; returns what is wrong with it, or "". For a process with limits."""
    try:
        matcher = _with_stack(_TRIAL_STACK, lambda: compile_by_byte(lark))
        matcher.compute_bitmask()
    except GrammarNotUsable as error:
        return str(error.arguments["detail"])
    return sentence(matcher.get_error()) if matcher.is_error() else ""


def _with_stack(size: int, work: Callable[[], Result]) -> Result:
    """Do `work` on a thread with a stack of `size` bytes, and wait for it."""
    before = threading.stack_size(size)
    try:
        with ThreadPoolExecutor(1, "grammar") as pool:
            return pool.submit(work).result()
    finally:
        threading.stack_size(before)


def sentence(words: str) -> str:
    """The library's first line without where in our own text it is: that line says what is wrong."""
    first = words.strip().splitlines()[0] if words.strip() else ""
    return _PLACE_IN_SCHEMA.sub("", first)[:_LONGEST_DETAIL]
