"""A prompt that is read for itself: for the log-probabilities of its tokens, or for the embedding of its text."""

from __future__ import annotations

from engine.decoders.mean_state import MeanState
from engine.decoders.prepared import PreparedRequest
from engine.decoders.prompt_tokens import PromptTokens
from engine.events import PromptToken
from engine.speculation.conversation import CachedConversation, continue_on
from engine.tokenizers.prompts import local_decoder


class PromptReading:
    """The passes over a prompt whose tokens are scored, or whose text is embedded.

    It has a `conversation` of its own, which begins with no tokens read: what a cache holds was not scored. Its passes
    are shared with no other request, and its caches are of no use afterwards. Exactly one of the two parts is there.
    The constructor raises `BadRequest` for an embedding of a model whose hidden states cannot be read.
    """

    def __init__(self, prepared: PreparedRequest) -> None:
        request = prepared.request
        main = prepared.main
        ids = prepared.prompt.ids
        self._scores: PromptTokens | None = None
        self._mean: MeanState | None = None
        if request.prompt_logprobs:
            self.conversation = CachedConversation(continue_on(None, main, ids))
            text_of = local_decoder(main.tokenizer)
            self._scores = PromptTokens(ids, main, request.alternatives, text_of, request.prompt)
            self.conversation.main.on_logits = self._scores.read
        else:
            # The last token of a sequence is read with the first one of an answer only.
            self.conversation = CachedConversation(continue_on(None, main, [*ids, ids[-1]]))
            self._mean = self.conversation.main.listener = MeanState(main)

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
        return () if self._mean is None else self._mean.embedding
