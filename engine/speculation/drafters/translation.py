"""Translation of a main model's ids into those of a draft model with another tokenizer, token by token."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from engine.tokenizers.vocabulary import Tokenizer, bytes_by_id, tokens_by_bytes, vocabulary_of

NO_ID = -1


class Translation:
    """Translates between a main and a draft tokenizer, both as mlx-lm loads them.

    `to_draft` (V,) int32 has the draft's id for each main id, or `NO_ID` if the draft has no token for the same bytes.
    """

    def __init__(self, main: Tokenizer, draft: Tokenizer) -> None:
        main_vocabulary = vocabulary_of(main)
        self._draft_ids = tokens_by_bytes(vocabulary_of(draft))
        self._main_bytes = bytes_by_id(main_vocabulary)
        self.to_draft: NDArray[np.int32] = np.full(main_vocabulary.size, NO_ID, dtype=np.int32)
        for key, token in tokens_by_bytes(main_vocabulary).items():
            self.to_draft[token] = self._draft_ids.get(key, NO_ID)
        self._translated: dict[int, list[int]] = {}

    def translate(self, tokens: Iterable[int]) -> list[int]:
        """Return draft ids for main ids, each by itself: its counterpart, or else ids that spell the same bytes."""
        ids: list[int] = []
        for token in tokens:
            if token not in self._translated:
                self._translated[token] = self._spell(token)
            ids += self._translated[token]
        return ids

    def _spell(self, token: int) -> list[int]:
        """Return the draft's ids for one main id: its counterpart, or the longest tokens that spell its bytes."""
        if token >= len(self.to_draft):
            return []
        if (counterpart := int(self.to_draft[token])) != NO_ID:
            return [counterpart]
        piece = self._main_bytes[token] or b""
        ids = list[int]()
        while piece:
            # Tokenizers mostly choose the longest token, too. A byte without a token is left out.
            end = next((end for end in range(len(piece), 0, -1) if piece[:end] in self._draft_ids), 0)
            if end:
                ids.append(self._draft_ids[piece[:end]])
            piece = piece[end or 1 :]
        return ids
