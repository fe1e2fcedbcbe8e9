"""A tokenizer by the tokenizers library alone, without transformers and mlx-lm's classes.

These take longer to be imported than a small model to be loaded. Whatever is not here is asked of theirs, which is made
then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from tokenizers import Tokenizer

from engine.streaming_text import StreamingText, Written


class PlainTokenizer:
    """What the engine asks of a tokenizer, under mlx-lm's names; `make_whole` makes mlx-lm's own.

    `backend` is byte-level, if no subclass says otherwise. `special` are the ids of the special tokens, `end` that of
    the end of a text; `ends` are the ids that end a turn as well.
    """

    has_thinking = has_tool_calling = False

    def __init__(
        self,
        backend: Tokenizer,
        special: Mapping[str, int],
        end: int | None,
        ends: Iterable[int],
        make_whole: Callable[[], Any],
    ) -> None:
        self._make_whole = make_whole
        self.backend_tokenizer = backend
        self.all_special_tokens = list(special)
        self.all_special_ids = list(special.values())
        self.eos_token_id = end
        self.eos_token_ids = {*ends, *(() if end is None else (end,))}

    @cached_property
    def whole(self) -> Any:
        """The same tokenizer as mlx-lm makes it, for what is asked of that class alone."""
        return self._make_whole()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.whole, name)

    def __len__(self) -> int:
        return int(self.backend_tokenizer.get_vocab_size(with_added_tokens=True))

    def get_vocab(self) -> dict[str, int]:
        """Every token's string and id."""
        vocabulary: dict[str, int] = self.backend_tokenizer.get_vocab(with_added_tokens=True)
        return vocabulary

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        ids: list[int] = self.backend_tokenizer.encode(text, add_special_tokens=add_special_tokens).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        return str(self.backend_tokenizer.decode(list(ids), skip_special_tokens=False))

    @property
    def detokenizer(self) -> StreamingText:
        """A fresh one; requests are detokenized concurrently."""
        return StreamingText(self._written)

    @cached_property
    def _written(self) -> Written:
        return Written(self.backend_tokenizer)
