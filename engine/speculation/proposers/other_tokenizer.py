"""Drafting with a model that has another tokenizer than the main model.

If the two share most tokens, the draft model proposes among those, token by token, and its distributions remain usable
(token-level intersection). Otherwise it writes text greedily, which is re-encoded in the main model's ids (string-level
exact match). Either way the main model verifies its own ids. Timor et al., arXiv:2502.05202.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import mlx.core as mx
import numpy as np

from engine.main_model.sampling import Sampler
from engine.speculation.drafters.reencoding import LOOK_BACK, Followed, incomplete
from engine.speculation.drafters.translation import Run, Translation
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.sequence import Sequence as CachedSequence
from engine.tokenizers.vocabulary import NO_ID

# The step of the running mean of main tokens for each draft token, and its lower bound.
RATIO_STEP = 0.1
MIN_RATIO = 0.25


class OtherTokenizerProposer(DraftModelProposer):
    """A draft model with ids of its own.

    `main` is the main model's sequence; `sequence` holds the same text in the draft's tokens.
    """

    # One main token can take several draft tokens, and the end of a word may have to be fed again in other tokens.
    usual_lag = LOOK_BACK
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


class SharedTokensProposer(OtherTokenizerProposer):
    """Proposes only tokens that both models have; the draft model is fed all others spelled in its own.

    `sequence` holds the text as `translation.spelled` returns it.
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

    @cached_property
    def _shared(self) -> mx.array:
        """Which of the main model's tokens the draft has (V,)."""
        return mx.array(self._translation.token_map.to_draft != NO_ID)

    @cached_property
    def _to_draft(self) -> mx.array:
        """The draft's ids of the main model's tokens (V,); arbitrary where it has none."""
        return mx.array(np.maximum(self._translation.token_map.to_draft, 0).astype(np.uint32))

    def on_main_ids(self, logits: mx.array) -> mx.array:
        columns = mx.minimum(self._to_draft, logits.shape[-1] - 1)
        return mx.where(self._shared, mx.take(logits, columns, axis=-1), -mx.inf)

    def as_draft_id(self, token: mx.array) -> mx.array:
        return mx.take(self._to_draft, token)


class RewrittenTextProposer(OtherTokenizerProposer):
    """Writes text greedily, which is re-encoded in main ids and verified as point masses.

    The host must read the text before encoding it: one synchronisation more than other proposers need. `sequence`
    holds the text's whole characters; `pending_bytes` are those behind them.
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
        # Its text would not fit without a token to start from, or within an incomplete character.
        return super().max_proposals() if self.sequence.pending and not self._pending_bytes else 0

    def propose(self, depth: int) -> Proposal:
        context_left = self._context_length - len(self.sequence.tokens)
        self._written = self._write(max(1, min(math.ceil(depth / self._ratio), context_left)))
        tokens = self._in_main_ids(self._written)
        if tokens:
            ratio = max(MIN_RATIO, len(tokens) / len(self._written))
            self._ratio += RATIO_STEP * (min(ratio, 1.0) - self._ratio)
        tokens = tokens[:depth]
        return Proposal(tokens, self.source, len(tokens))

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        del accepted, drafted
        sequence = self.sequence
        written, self._written = self._written, []
        runs = self._translation.runs(tokens, self._pending_bytes)
        agreeing, length = self._agreeing(written, runs)
        if sequence.rollback.active:
            sequence.commit(len(agreeing), agreeing)
        else:
            sequence.append(agreeing)
        if length:
            runs[0] = runs[0][length:] if isinstance(runs[0], bytes) else runs[0]
        self._follow(runs)

    def abandon(self) -> None:
        super().abandon()
        self._written = []

    def _write(self, count: int) -> list[int]:
        """Decode `count` draft ids greedily; all but the last are fed."""
        sequence = self.sequence
        self.count_catching_up()
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
        """Return the draft's text in main ids, up to its first control token; an end of turn is proposed as well."""
        pieces = list(self._translation.text_of_draft(written))
        stop = pieces.index(None) if None in pieces else len(pieces)
        drafted = b"".join(piece or b"" for piece in pieces[:stop])
        tokens = self._translation.main_encoder.continuation(self._main.tokens, drafted)
        if stop < len(written) and not incomplete(drafted) and (tokens or not drafted):
            counterpart = self._translation.token_map.to_main
            end = int(counterpart[written[stop]]) if written[stop] < len(counterpart) else NO_ID
            tokens += [end] if end != NO_ID else []
        return tokens

    def _agreeing(self, written: list[int], runs: list[Run]) -> tuple[list[int], int]:
        """Return the leading `written` ids that agree with `runs`, up to a whole character, and their bytes' number."""
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
            # The caches cannot be rewound: the new text is encoded by itself.
            alone = self._translation.follow((), runs)
            followed = Followed(len(sequence.tokens), alone.fresh, alone.pending)
        sequence.append(followed.fresh)
        self._pending_bytes = followed.pending
        if not sequence.pending and sequence.tokens:
            last = sequence.tokens[-1]
            if sequence.rewind(len(sequence.tokens) - 1):
                sequence.append([last])
