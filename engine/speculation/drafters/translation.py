"""Translation between the ids of a main model and those of a draft model with another tokenizer.

Either token by token, where both have a token for the same bytes, or through the text, which the other tokenizer
re-encodes (Timor et al., arXiv:2502.05202).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from engine.speculation.drafters.reencoding import LOOK_BACK, Followed, Reencoder
from engine.tokenizers.vocabulary import NO_ID, TokenMap, bytes_by_id, map_tokens, vocabulary_of

# A stretch of text, or the draft's id of a control token (NO_ID where it has none).
Run = bytes | int
Encode = Callable[[str], Sequence[int]]


class Translation:
    """Translates between a main and a draft tokenizer, both as mlx-lm loads them.

    `token_map` has the shared tokens; `main_encoder` writes text in main ids, `draft_encoder` in draft ids. Both use
    the given functions, which encode a text without control tokens; their exceptions end the drafting of a request.
    """

    def __init__(self, main: Any, draft: Any, encode_main: Encode, encode_draft: Encode) -> None:
        main_vocabulary, draft_vocabulary = vocabulary_of(main), vocabulary_of(draft)
        self.token_map: TokenMap = map_tokens(main_vocabulary, draft_vocabulary)
        self.main_encoder = Reencoder(main_vocabulary, encode_main)
        self.draft_encoder = Reencoder(draft_vocabulary, encode_draft)
        self._main_bytes = bytes_by_id(main_vocabulary)
        self._draft_bytes = bytes_by_id(draft_vocabulary)
        self._letters = {piece: token for token, piece in enumerate(self._draft_bytes) if piece and len(piece) == 1}
        self._spelled: dict[int, list[int]] = {}

    def spelled(self, tokens: Iterable[int]) -> list[int]:
        """Return draft ids for main ids, each by itself: its counterpart, or else ids that spell the same bytes."""
        ids: list[int] = []
        for token in tokens:
            if token not in self._spelled:
                self._spelled[token] = self._spell(token)
            ids += self._spelled[token]
        return ids

    def runs(self, tokens: Iterable[int], before: bytes = b"") -> list[Run]:
        """Return main ids as text and control tokens, preceded by the bytes `before`."""
        return [run for run in self._runs(tokens, before) if run != b""]

    def follow(self, held: Sequence[int], runs: Iterable[Run]) -> Followed:
        """Return the draft's ids of the text of `held`, in the same ids, continued with `runs`."""
        base = max(0, len(held) - LOOK_BACK)
        ids, pending = list(held[base:]), b""
        kept = len(ids)
        for run in runs:
            if isinstance(run, int):
                pending = b""
                if run != NO_ID:
                    ids.append(run)
            else:
                followed = self.draft_encoder.follow(ids, pending + run)
                kept = min(kept, followed.kept)
                ids[followed.kept :] = followed.fresh
                pending = followed.pending
        return Followed(base + kept, ids[kept:], pending)

    def text_of_draft(self, ids: Iterable[int]) -> Iterator[bytes | None]:
        """Generate the bytes of each draft id; None for control tokens."""
        return (self._draft_bytes[token] if token < len(self._draft_bytes) else None for token in ids)

    def _runs(self, tokens: Iterable[int], before: bytes) -> Iterator[Run]:
        parts = [before]
        for token in tokens:
            piece = self._main_bytes[token] if token < len(self._main_bytes) else None
            if piece is None:
                yield b"".join(parts)
                yield self._counterpart(token)
                parts = []
            else:
                parts.append(piece)
        yield b"".join(parts)

    def _counterpart(self, token: int) -> int:
        to_draft = self.token_map.to_draft
        return int(to_draft[token]) if token < len(to_draft) else NO_ID

    def _spell(self, token: int) -> list[int]:
        counterpart = self._counterpart(token)
        if counterpart != NO_ID:
            return [counterpart]
        piece = self._main_bytes[token] if token < len(self._main_bytes) else None
        if not piece:
            return []
        followed = self.draft_encoder.follow([], piece)
        if not followed.pending and self.draft_encoder.text(followed.fresh) in (piece, b" " + piece):
            return followed.fresh
        letters = [self._letters.get(bytes([byte]), NO_ID) for byte in piece]
        return [letter for letter in letters if letter != NO_ID]
