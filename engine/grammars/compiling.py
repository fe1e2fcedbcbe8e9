"""Compiles grammars with llguidance, for the vocabulary of a model or, to try one, for single bytes.

The library never calls a tokenizer: it gets the bytes of each token, and grammars say that it may not force tokens.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, cast

from llguidance import LLMatcher, LLParserLimits, LLTokenizer

from engine.errors import GrammarNotUsable

if TYPE_CHECKING:
    from llguidance import TokenizerWrapper

# Lexer fuel is some 14,000 units a millisecond, items some 20,000: a mask takes 20 ms at the very most.
LIMITS = LLParserLimits(
    max_grammar_size=100_000,
    step_lexer_fuel=200_000,
    step_max_items=50_000,
    max_lexer_states=50_000,
    verbose_errors=False,
)
# A grammar that nests too deep overflows the stack, which no exception can tell: it is tried on a small one.
_TRIAL_STACK = 2**20
_LONGEST_DETAIL = 300
_PLACE_IN_SCHEMA = re.compile(r"^at \d+\(\d+\): failed to compile JSON schema: ")


class TokenBytes:
    """The tokens of a model as llguidance reads them: the bytes of each id, and which are control tokens.

    `table` has None for control tokens and ids without text; `names` are the strings of ids. `ends` end a turn.
    """

    is_tokenizer_wrapper = True
    bos_token_id = None

    def __init__(self, table: Sequence[bytes | None], names: Sequence[str], ends: Collection[int]) -> None:
        controls = {token for token, value in enumerate(table) if value is None}
        # A token that ends the turn is never a part of the text, whatever it is spelled like.
        self.special_token_ids = sorted(controls | set(ends))
        self.tokens = [names[token].encode() if value is None else value for token, value in enumerate(table)]
        self._ends = sorted(ends) or [0]
        self.eos_token_id = self._ends[0]

    def __call__(self, text: str | bytes) -> list[int]:
        """Never asked: grammars do not force tokens."""
        raise NotImplementedError(text)

    def build(self) -> LLTokenizer:
        """The library's prefix tree over the tokens. It holds the interpreter: half a second for 200,000 tokens.

        Of what the library would prepare, the tokens of strings take least time and do most good.
        """
        prepared = LLTokenizer.general_slices()[-1:]
        return LLTokenizer(cast("TokenizerWrapper", self), eos_token=self._ends, slices=prepared)


def compile_grammar(tokens: LLTokenizer, lark: str) -> LLMatcher:
    """A matcher at the start of a text. Raises `GrammarNotUsable`."""
    matcher = LLMatcher(tokens, LLMatcher.grammar_from_lark(lark), log_level=0, limits=LIMITS)
    if matcher.is_error():
        raise GrammarNotUsable("invalid", _sentence(matcher.get_error()))
    return matcher


def trial(lark: str) -> str:
    """Compile a grammar for single bytes; returns what is wrong with it, or "". For a process with limits."""
    try:
        matcher: LLMatcher = _with_stack(_TRIAL_STACK, lambda: compile_grammar(LLTokenizer("byte"), lark))
        matcher.compute_bitmask()
    except GrammarNotUsable as error:
        return str(error.arguments["detail"])
    return _sentence(matcher.get_error()) if matcher.is_error() else ""


def _with_stack(size: int, work: Callable[[], Any]) -> Any:
    """Do `work` on a thread with a stack of `size` bytes, and wait for it."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.extend((work(), None))
        except BaseException as error:
            outcome.extend((None, error))

    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=run, name="grammar", daemon=True)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    result, error = outcome
    if error is not None:
        raise error
    return result


def _sentence(words: str) -> str:
    """The library's first line without where in our own text it is: that line says what is wrong."""
    first = words.strip().splitlines()[0] if words.strip() else ""
    return _PLACE_IN_SCHEMA.sub("", first)[:_LONGEST_DETAIL]
