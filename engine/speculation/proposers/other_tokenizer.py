"""Drafting with a model that has another tokenizer than the main model.

The draft model proposes among the tokens that both have, so that its distributions remain usable (token-level
intersection of Timor et al., arXiv:2502.05202).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import mlx.core as mx
import numpy as np

from engine.main_model.sampling import Sampler
from engine.speculation.drafters.translation import NO_ID, Translation
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.rounds.sequence import CachedSequence


class SharedTokensProposer(DraftModelProposer):
    """Proposes only tokens that both models have; the draft model is fed all others spelled in its own.

    `main` is the main model's sequence; `sequence` holds its text as `translation.translate` returns it.
    """

    # One main token can take several draft tokens.
    usual_lag = 16
    maps_ids = True

    def __init__(
        self,
        sequence: CachedSequence,
        sampler: Sampler,
        context_length: int,
        main: CachedSequence,
        translation: Translation,
        *,
        keep_distributions: bool = False,
    ) -> None:
        super().__init__(sequence, sampler, context_length, main, keep_distributions=keep_distributions)
        self._translation = translation

    def max_proposals(self) -> int:
        # No token of the text's end may be spelled.
        return super().max_proposals() if self.sequence.pending else 0

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        super().committed(self._translation.translate(tokens), accepted, drafted)

    @cached_property
    def _shared(self) -> mx.array:
        """Which of the main model's tokens the draft has (V,)."""
        return mx.array(self._translation.to_draft != NO_ID)

    @cached_property
    def _to_draft(self) -> mx.array:
        """The draft's ids of the main model's tokens (V,); arbitrary where it has none."""
        return mx.array(np.maximum(self._translation.to_draft, 0).astype(np.uint32))

    def on_main_ids(self, logits: mx.array) -> mx.array:
        """Return the draft's logits (1, m) as logits (1, V) of main ids, -inf for a token that it lacks."""
        columns = mx.minimum(self._to_draft, logits.shape[-1] - 1)
        return mx.where(self._shared, mx.take(logits, columns, axis=-1), -mx.inf)

    def as_draft_id(self, token: mx.array) -> mx.array:
        """Return the draft's id, uint32 (1,), of a main id that it has drafted."""
        return mx.take(self._to_draft, token)
