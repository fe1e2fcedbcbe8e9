"""A draft model with another tokenizer guesses for any main model.

Where the two share most tokens, the draft guesses among those, token by token, and its distribution survives. Where
they do not, it writes text greedily, which is encoded anew in the main model's ids. Either way the main model checks
its own ids, so the text is the one it would have written alone.

Timor et al., arXiv:2502.05202, describe both (token-level intersection and string-level exact match).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import mlx.core as mx
import numpy as np

from engine.sampling import Sampler
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.proposers.proposal import Proposal
from engine.speculation.reencoding import LOOK_BACK, Followed, incomplete
from engine.speculation.sequence import Sequence as CachedSequence
from engine.speculation.translation import Run, Translation
from engine.speculation.vocabulary import NO_ID

# How quickly the number of main tokens that a draft token makes is learned, and the fewest that are believed.
RATIO_STEP = 0.1
MIN_RATIO = 0.25


class OtherTokenizerProposer(DraftModelProposer):
    """`main` is the main model's sequence; `sequence` holds the same text in the draft's own tokens."""

    # One main token can take several of the draft's, and the end of a word may have to be read again in other tokens.
    usual_lag = LOOK_BACK
    can_probe = False

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
        super().__init__(sequence, sampler, context_length, keep_distributions=keep_distributions)
        self._main = main
        self._translation = translation


class SharedTokensProposer(OtherTokenizerProposer):
    """Guesses only tokens that both models have; the draft reads all others spelled out in its own.

    `sequence` holds the text as `translation.spelled` has it.
    """

    def max_proposals(self) -> int:
        return super().max_proposals() if self.sequence.pending else 0

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        del drafted
        kept, others = self._translation.spelled(tokens[:accepted]), self._translation.spelled(tokens[accepted:])
        if self.sequence.rollback.active:
            self.sequence.commit(accepted, [*kept, *others])
        else:
            self.sequence.append([*kept, *others])

    @property
    def _history(self) -> list[int]:
        return self._main.tokens

    @cached_property
    def _shared(self) -> mx.array:
        """Whether the draft has a token of the main model's (V,)."""
        return mx.array(self._translation.token_map.to_draft != NO_ID)

    @cached_property
    def _to_draft(self) -> mx.array:
        """The draft's ids of the main model's tokens (V,); any where it has none."""
        return mx.array(np.maximum(self._translation.token_map.to_draft, 0).astype(np.uint32))

    def _on_main_ids(self, logits: mx.array) -> mx.array:
        columns = mx.minimum(self._to_draft, logits.shape[-1] - 1)
        return mx.where(self._shared, mx.take(logits, columns, axis=-1), -mx.inf)

    def _as_draft_id(self, guess: mx.array) -> mx.array:
        return mx.take(self._to_draft, guess)


class RewrittenTextProposer(OtherTokenizerProposer):
    """Writes text greedily, which is encoded anew in main ids and checked as point masses.

    The text has to be read before it can be encoded: one host synchronisation more than other drafts need. `sequence`
    holds the text's whole characters; `pending_bytes` are the bytes behind.
    """

    def __init__(
        self,
        sequence: CachedSequence,
        sampler: Sampler,
        context_length: int,
        main: CachedSequence,
        translation: Translation,
        pending_bytes: bytes = b"",
    ) -> None:
        super().__init__(sequence, sampler, context_length, main, translation)
        self._pending_bytes = pending_bytes
        self._written: list[int] = []
        self._ratio = 1.0

    def max_proposals(self) -> int:
        # Nothing to go on from, or half a character that the draft does not see: whatever it wrote would not fit.
        return super().max_proposals() if self.sequence.pending and not self._pending_bytes else 0

    def propose(self, depth: int) -> Proposal:
        room = self._context_length - len(self.sequence.tokens)
        self._written = self._write(max(1, min(math.ceil(depth / self._ratio), room)))
        guesses = self._in_main_ids(self._written)
        if guesses:
            ratio = max(MIN_RATIO, len(guesses) / len(self._written))
            self._ratio += RATIO_STEP * (min(ratio, 1.0) - self._ratio)
        guesses = guesses[:depth]
        return Proposal(guesses, self.source, len(guesses))

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        del accepted, drafted
        sequence = self.sequence
        written, self._written = self._written, []
        runs = self._translation.runs(tokens, self._pending_bytes)
        came_true, length = self._accepted_text(written, runs)
        if sequence.rollback.active:
            sequence.commit(len(came_true), came_true)
        else:
            sequence.append(came_true)
        if length:
            runs[0] = runs[0][length:] if isinstance(runs[0], bytes) else runs[0]
        self._follow(runs)

    def abandon(self) -> None:
        super().abandon()
        self._written = []

    def _write(self, count: int) -> list[int]:
        """`count` draft ids after the committed ones; all but the last are fed."""
        sequence = self.sequence
        self._count_catching_up()
        logits = sequence.verify()
        sequence.commit(0, [])
        if count > 1:
            sequence.open_drafts(count - 1)
        written = [mx.argmax(logits, axis=-1)]
        for _ in range(count - 1):
            written.append(mx.argmax(sequence.draft(written[-1]), axis=-1))
        ids: list[int] = mx.concatenate(written).tolist()  # type: ignore[assignment]
        return ids

    def _in_main_ids(self, written: list[int]) -> list[int]:
        """The draft's text as guesses, up to where it wants to stop; its end of turn is guessed as well."""
        pieces = list(self._translation.text_of_draft(written))
        stop = pieces.index(None) if None in pieces else len(pieces)
        drafted = b"".join(piece or b"" for piece in pieces[:stop])
        guesses = self._translation.writer.guesses(self._main.tokens, drafted)
        if stop < len(written) and not incomplete(drafted) and (guesses or not drafted):
            counterpart = self._translation.token_map.to_main
            end = int(counterpart[written[stop]]) if written[stop] < len(counterpart) else NO_ID
            guesses += [end] if end != NO_ID else []
        return guesses

    def _accepted_text(self, written: list[int], runs: list[Run]) -> tuple[list[int], int]:
        """The first of the `written` ids that stand for what came, up to a whole character, and their bytes."""
        text = runs[0] if runs and isinstance(runs[0], bytes) else b""
        pieces = [piece or b"" for piece in self._translation.text_of_draft(written)]
        ends = list(accumulate(map(len, pieces)))
        best, length = 0, 0
        for index, end in enumerate(ends):
            if not pieces[index] or text[end - len(pieces[index]) : end] != pieces[index]:
                break
            if not incomplete(text[:end]):
                best, length = index + 1, end
        return written[:best], length

    def _follow(self, runs: list[Run]) -> None:
        sequence = self.sequence
        followed = self._translation.follow(sequence.tokens, runs)
        if followed.kept < len(sequence.tokens) and not sequence.rewind(followed.kept):
            # What the caches hold cannot be taken back: the new text is read on its own.
            alone = self._translation.follow((), runs)
            followed = Followed(len(sequence.tokens), alone.fresh, alone.pending)
        sequence.append(followed.fresh)
        self._pending_bytes = followed.pending
        if not sequence.pending and sequence.tokens:
            last = sequence.tokens[-1]
            if sequence.rewind(len(sequence.tokens) - 1):
                sequence.append([last])
