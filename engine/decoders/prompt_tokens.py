"""The log-probabilities of a prompt's own tokens, from the logits of the passes that read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

import mlx.core as mx

from engine.events import Alternative, PromptToken
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.sampling import LikeliestTokens, fit, likeliest_ids
from engine.tokenizers.answer_text import AnswerText

# The most memory for the logits of a pass, at two bytes each.
_PASS_BYTES = 2**28
# The most memory for the logits that are normalised at once, at four bytes each.
_PIECE_BYTES = 2**25
# What stands for a space in the strings of tokens.
_SPACES = str.maketrans({"\u0120": " ", "\u2581": " "})


def _leading(text: str) -> int:
    """Return the number of spaces that begin a text."""
    return len(text) - len(text.lstrip(" "))


class PromptTokens:
    """Takes the logits of a prompt's passes, and reports its `ids` with their log-probabilities, in order.

    With each come the `alternatives` likeliest tokens in its place. `text_of` returns the text of ids. The texts of all
    tokens are the `prompt`, if that is a text.
    """

    def __init__(
        self,
        ids: Sequence[int],
        main: LoadedModel,
        alternatives: int,
        text_of: Callable[[Sequence[int]], str],
        prompt: str | Sequence[int] | None = None,
    ) -> None:
        self._ids = ids
        self._vocabulary = main.vocabulary
        self._alternatives = alternatives
        self._begun = False
        self._text = AnswerText(main.tokenizer.detokenizer)
        self._text_of = cache(lambda token: text_of([token]))
        # A mark that begins every text is no part of it, and nothing comes before the first token.
        marked = len(ids) > 1 and ids[0] == getattr(main.tokenizer, "bos_token_id", None)
        self._first = int(marked)
        self._tokenizer = main.tokenizer
        # Some tokenizers put a space before every text, and detokenisers drop the first one.
        read = _leading(self._strings(ids[self._first :]))
        added = _leading(self._strings(main.tokenizer.encode("a", add_special_tokens=False)[:1]))
        self._missing = (_leading(prompt) if isinstance(prompt, str) else read - added) - read
        self._new = [PromptToken(ids[0], "" if marked else self._added(0), None)]

    def _strings(self, ids: Sequence[int]) -> str:
        return "".join(self._tokenizer.convert_ids_to_tokens([*ids])).translate(_SPACES)

    @property
    def most_rows(self) -> int:
        """The most tokens that a pass may read."""
        return max(1, _PASS_BYTES // (2 * self._vocabulary))

    def read(self, start: int, logits: mx.array) -> None:
        """Take the logits (rows, V) of the tokens from `start` on, and evaluate them in pieces.

        Row i holds the scores of the token `start` + i + 1. A pass that is repeated is taken twice, so call this when
        it is over.
        """
        rows = max(1, _PIECE_BYTES // (4 * self._vocabulary))
        for first in range(0, logits.shape[0], rows):
            self._read(start + first + 1, logits[first : first + rows])

    def take(self) -> tuple[PromptToken, ...]:
        """Return the tokens that were read since the last call."""
        taken = tuple(self._new)
        self._new = []
        return taken

    def _read(self, first: int, logits: mx.array) -> None:
        """Report the tokens from `first` on, by the logits (rows, V) that predict them; all are evaluated."""
        scores = fit(logits, self._vocabulary).astype(mx.float32)
        total = mx.logsumexp(scores, axis=-1, keepdims=True)
        ids = mx.array(list(self._ids[first : first + logits.shape[0]]), mx.uint32)
        of_prompt = mx.take_along_axis(scores, ids[:, None], axis=-1) - total
        likeliest_tokens = None
        if self._alternatives:
            likeliest = likeliest_ids(scores, self._alternatives)
            likeliest_tokens = LikeliestTokens(likeliest, mx.take_along_axis(scores, likeliest, axis=-1) - total)
        arrays = () if likeliest_tokens is None else likeliest_tokens.arrays
        mx.eval(of_prompt, *arrays)
        others = likeliest_tokens.read() if likeliest_tokens is not None else [[]] * logits.shape[0]
        logprobs = cast("list[list[float]]", of_prompt.tolist())
        for index, ([logprob], likely) in enumerate(zip(logprobs, others, strict=True), first):
            alternatives = tuple(Alternative(token, self._text_of(token), value) for token, value in likely)
            self._new.append(PromptToken(self._ids[index], self._added(index), logprob, alternatives))

    def _added(self, index: int) -> str:
        """Return the text that the token at `index` adds to the prompt."""
        last = index == len(self._ids) - 1
        added = self._text.add(self._ids[index]) + (self._text.finish() if last else "")
        if (added or last) and not self._begun:
            self._begun = True
            dropped = _leading(self._strings(self._ids[self._first : index + 1])) - _leading(added)
            added = " " * (self._missing + dropped) + added
        return added
