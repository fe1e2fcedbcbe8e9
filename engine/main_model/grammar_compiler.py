"""Compiles the grammars of requests for one main model, on separate threads, so that the engine's can continue."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Collection
from concurrent.futures import Future
from functools import cached_property
from typing import TYPE_CHECKING, Any

from engine.errors import GrammarNotUsable, without_frames
from engine.grammars.grammar import Grammar
from engine.tokenizers.vocabulary import bytes_by_id, vocabulary_of

# Imported with the first grammar, because few requests have one.
if TYPE_CHECKING:
    from engine.grammars.constraint import CompiledGrammar
    from engine.grammars.native import ModelTokens

log = logging.getLogger(__name__)
# The number of compiled grammars that are kept; each takes some megabytes at most.
MOST_KEPT = 16


class GrammarCompiler:
    """Compiles grammars for a model with this `tokenizer`, `vocabulary` ids and `ends` of turns. Thread-safe."""

    def __init__(self, tokenizer: Any, vocabulary: int, ends: Collection[int]) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = vocabulary
        self._ends = frozenset(ends)
        self._lock = threading.Lock()
        self._building = threading.Lock()
        self._tokens: ModelTokens | None = None
        # Control tokens by their text.
        self._marks: dict[str, int] = {}
        self._kept: OrderedDict[Grammar, Future[CompiledGrammar]] = OrderedDict()

    def start(self, grammar: Grammar) -> Future[CompiledGrammar]:
        """Check and compile a grammar. The future raises `GrammarNotUsable`."""
        with self._lock:
            future = self._kept.get(grammar)
            if future is None or (future.done() and future.exception() is not None):
                future = self._kept[grammar] = Future()
                threading.Thread(target=self._compile, args=(grammar, future), name="grammar", daemon=True).start()
            self._kept.move_to_end(grammar)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return future

    def bytes_of(self, token: int) -> bytes:
        """Return the bytes that a token adds to a text, or the name of a control token."""
        table, names = self._by_id
        value = table[token]
        return names[token].encode() if value is None else value

    @cached_property
    def _by_id(self) -> tuple[list[bytes | None], list[str]]:
        """The bytes of each token, None for control tokens, and the names of these."""
        known = vocabulary_of(self._tokenizer)
        names = [""] * known.size
        for text in known.special & known.ids.keys():
            names[known.ids[text]] = text
        return bytes_by_id(known), names

    def _compile(self, grammar: Grammar, future: Future[CompiledGrammar]) -> None:
        from engine.grammars.compiling import compile_by_byte
        from engine.grammars.constraint import CompiledGrammar, Spelling
        from engine.grammars.native import ModelTokens

        try:
            grammar, left_out = usable_grammar(grammar)
            with self._building:
                if self._tokens is None:
                    table, names = self._by_id
                    self._marks = {text: token for token, text in enumerate(names) if text}
                    self._tokens = ModelTokens(table, names, self._ends)
                matcher = self._tokens.compile(grammar.as_lark(self._marks))
            named = getattr(self._tokenizer, "eos_token_id", None)
            end = named if named in self._ends else min(self._ends, default=0)
            spelling = Spelling(self._tokens)
            bytewise = compile_by_byte(grammar.as_lark())
            future.set_result(
                CompiledGrammar(matcher, bytewise, self._tokens, self._vocabulary, self._ends, end, spelling, left_out)
            )
        except Exception as error:
            without_frames(error)
            future.set_exception(error)


def usable_grammar(grammar: Grammar) -> tuple[Grammar, tuple[str, ...]]:
    """Return the grammar without those parts of its schemas that keep it from compiling within limits, and these parts.

    Raises `GrammarNotUsable`. Waits; thread-safe.
    """
    from engine.grammars.checks import COMPILE_S, check_grammar

    def usable(candidate: Grammar) -> bool:
        # Many parts that take long must not add up.
        if time.monotonic() > deadline:
            return False
        try:
            check_grammar(candidate)
        except GrammarNotUsable:
            return False
        return True

    left_out = grammar.left_out
    try:
        check_grammar(grammar)
    except GrammarNotUsable:
        deadline = time.monotonic() + COMPILE_S
        grammar, left_out = grammar.reduced(usable)
        check_grammar(grammar)
    if left_out:
        log.info("the grammar does not check %d parts of a schema", len(left_out))
    return grammar, left_out
