"""A prompt that is read for itself: for the log-probabilities of its tokens, or for the embedding of its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.decoders.prepared import PreparedRequest
from engine.decoders.prompt_tokens import PromptTokens
from engine.decoders.text_state import TextState
from engine.errors import BadRequest
from engine.events import PromptToken
from engine.speculation.conversation import CachedConversation, continue_on
from engine.tokenizers.prompts import local_decoder

# The part of token ids that a tokenizer has to write again for their text. Those of another one are next to never half.
_LEAST_ALIKE = 0.6


class PromptReading:
    """The passes over a prompt whose tokens are scored, or whose text is embedded.

    It has a `conversation` of its own, which begins with no tokens read: what a cache holds was not scored. Its passes
    are shared with no other request, and its caches are of no use afterwards. Exactly one of the two parts is there.
    The constructor raises `BadRequest` for an embedding of a model whose hidden states cannot be read, and of token ids
    that another tokenizer has written.
    """

    def __init__(self, prepared: PreparedRequest) -> None:
        request = prepared.request
        main = prepared.main
        ids = prepared.prompt.ids
        self._scores: PromptTokens | None = None
        self._state: TextState | None = None
        if request.prompt_logprobs:
            self.conversation = CachedConversation(continue_on(None, main, ids))
            text_of = local_decoder(main.tokenizer)
            self._scores = PromptTokens(ids, main, request.alternatives, text_of, request.prompt)
            self.conversation.main.on_logits = self._scores.read
        else:
            if request.prompt is not None and not isinstance(request.prompt, str):
                _check_writer(main.tokenizer, ids)
            # The last token of a sequence is read with the first one of an answer only.
            self.conversation = CachedConversation(continue_on(None, main, [*ids, ids[-1]]))
            self._state = self.conversation.main.listener = TextState(main)

    @property
    def most_rows(self) -> int | None:
        """The most tokens that a pass may read; None for any number."""
        return None if self._scores is None else self._scores.most_rows

    def take_scored(self) -> tuple[PromptToken, ...]:
        """Return the tokens that were scored since the last call; () for an embedding."""
        return () if self._scores is None else self._scores.take()

    @property
    def embedding(self) -> tuple[float, ...]:
        """The embedding of the text, of length 1; () if the prompt is scored instead."""
        return () if self._state is None else self._state.embedding


def _check_writer(tokenizer: Any, ids: Sequence[int]) -> None:
    """Raise `BadRequest` for token ids that are not this tokenizer's: their text would be another one.

    Its own are those that it writes for their text, but for control tokens and the ends, where a part of a longer
    text may begin and end within a word.
    """
    control = set(getattr(tokenizer, "all_special_ids", ()))
    given = [token for token in ids if token not in control]
    written = tokenizer.encode(local_decoder(tokenizer)(given), add_special_tokens=False)
    alike = _common_length(given, written) + _common_length(given[::-1], written[::-1])
    if alike < len(given) * _LEAST_ALIKE:
        raise BadRequest("prompt", "texts, or token ids of this model's tokenizer", f"{len(ids)} other token ids")


def _common_length(ids: Sequence[int], others: Sequence[int]) -> int:
    """Return the length of the longest common beginning."""
    pairs = zip(ids, others, strict=False)
    return next((place for place, (token, other) in enumerate(pairs) if token != other), min(len(ids), len(others)))
