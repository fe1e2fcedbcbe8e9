"""Joint prefill: one pass reads several waiting prompts. With short prompts it costs little more than one of them.

A sequence lends its caches for the pass and has its own again afterwards. Between passes each can be cancelled, fail or
continue by itself, and rows may begin at different positions, after prefixes that were read before.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.speculation.caches.shared_caches import SharedCaches
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import SequenceBatch, rows_obstacle

# The longest text that is read with others: its caches are copied to a row and back, and all rows become as long.
LONGEST_TEXT = 2048
# The share of a pass that may be padding.
PADDING_SHARE = 0.25
# The padding that any pass may have: so few tokens cost less than another pass.
PADDING_TOKENS = 64


def choose_together(waiting: Sequence[CachedSequence], most: int) -> list[CachedSequence]:
    """Return the first of `waiting`, and others whose next tokens fit into one pass of `most` tokens with padding.

    All must be of one model and have tokens to prefill.
    """
    first = waiting[0]
    if not _can_share(first):
        return [first]
    chosen = [first]
    widest = useful = first.rows_to_prefill(most)
    for sequence in waiting[1:]:
        count = sequence.rows_to_prefill(most)
        width = max(widest, count)
        area = width * (len(chosen) + 1)
        padding = area - useful - count
        if area <= most and padding <= max(PADDING_SHARE * area, PADDING_TOKENS) and _can_share(sequence):
            chosen.append(sequence)
            widest = width
            useful += count
    return chosen


def prefill_together(sequences: Sequence[CachedSequence], most: int) -> list[int]:
    """Feed each of `sequences` the tokens of `prefill(most)` in one pass; returns how many tokens each was fed.

    If the pass raises, every sequence is as before.
    """
    caches_of_each = [sequence.caches for sequence in sequences]
    starts = [sequence.position for sequence in sequences]
    counts = [sequence.rows_to_prefill(most) for sequence in sequences]
    batch = SequenceBatch(sequences[0])
    batch.reserve(len(sequences))
    try:
        for sequence in sequences:
            batch.join(sequence)
        done = batch.read([sequence.pending[:count] for sequence, count in zip(sequences, counts, strict=True)])
        # The last row first: no other row has to move into its place.
        for sequence in reversed(sequences):
            batch.leave(sequence)
        tapped = [[output[row : row + 1, :count] for output in done.outputs] for row, count in enumerate(counts)]
        mx.eval([sequence.arrays() for sequence in sequences], tapped)
        for sequence, count, outputs in zip(sequences, counts, tapped, strict=True):
            sequence.prefilled_elsewhere(count, outputs)
    except BaseException:
        for sequence, caches, start in zip(sequences, caches_of_each, starts, strict=True):
            sequence.set_caches(caches, list(sequence.tokens), start)
        raise
    mx.clear_cache()
    return counts


def _can_share(sequence: CachedSequence) -> bool:
    if isinstance(sequence.caches, SharedCaches) or len(sequence.tokens) > LONGEST_TEXT or sequence.pictures_ahead:
        return False
    return rows_obstacle(sequence) is None
