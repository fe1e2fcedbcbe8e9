"""A model's tokens for the Python classes of llguidance, with which tests compare its C interface."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

from llguidance import LLTokenizer


class _Wrapper:
    is_tokenizer_wrapper = True
    bos_token_id = None

    def __init__(self, table: Sequence[bytes | None], names: Sequence[str], ends: Collection[int]) -> None:
        self.special_token_ids = sorted({token for token, value in enumerate(table) if value is None} | set(ends))
        self.tokens = [names[token].encode() if value is None else value for token, value in enumerate(table)]
        self.eos_token_id = min(ends)

    def __call__(self, text: str | bytes) -> list[int]:
        raise NotImplementedError


def python_tokens(table: Sequence[bytes | None], names: Sequence[str], ends: Collection[int]) -> LLTokenizer:
    """Make a tokenizer of the tokens that `engine.grammars.native.ModelTokens` takes."""
    return LLTokenizer(cast("Any", _Wrapper(table, names, ends)), eos_token=sorted(ends))
