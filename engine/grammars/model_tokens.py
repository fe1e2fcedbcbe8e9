"""A model's tokens for llguidance, and grammars compiled for them.

The library never calls a tokenizer: it gets the bytes of each token, and grammars say that it may not force tokens.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.errors import GrammarNotUsable
from engine.grammars.compiling import LIMITS, sentence
from engine.grammars.native import NativeMatcher, NativeTokens, limits_of


class ModelTokens:
    """The tokens of a model as llguidance reads them.

    `table` has the bytes of each id, None for control tokens and ids without text; `names` are the strings of ids.
    `ends` end a turn.
    """

    def __init__(self, table: Sequence[bytes | None], names: Sequence[str], ends: Collection[int]) -> None:
        # A token that ends the turn is never a part of the text, whatever it is spelled like.
        special = {token for token, value in enumerate(table) if value is None} | set(ends)
        self.tokens = [names[token].encode() if value is None else value for token, value in enumerate(table)]
        self._native = NativeTokens(self.tokens, special, sorted(ends) or [0])

    def compile(self, source: str) -> NativeMatcher:
        """A matcher of the model's tokens at the start of a text. Raises `GrammarNotUsable`."""
        if "\0" in source:
            raise GrammarNotUsable("invalid", "it has a zero byte in it")
        # A list of grammars is written as JSON.
        kind = "llguidance" if source.startswith("{") else "lark"
        matcher = NativeMatcher.compile(self._native, kind, source, limits_of(LIMITS))
        if matcher.error:
            raise GrammarNotUsable("invalid", sentence(matcher.error))
        return matcher

    def tokenize(self, text: str) -> list[int]:
        """The longest tokens that `text` can be written with."""
        return self._native.tokenize(text.encode())
