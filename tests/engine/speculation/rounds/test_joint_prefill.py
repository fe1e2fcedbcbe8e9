"""Prompts read in one pass leave every sequence as if it had read its own alone."""

from __future__ import annotations

import random
from collections.abc import Sequence

import mlx.core as mx
import numpy as np
import pytest

from engine.speculation.caches import row_layout
from engine.speculation.rounds import joint_prefill
from engine.speculation.rounds.joint_prefill import choose_together, prefill_together
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.taps import Taps
from tests.engine.speculation.cache_state import largest_difference
from tests.engine.speculation.families import KINDS_WITH_ROWS, SERVED, build, fresh_caches, skip_without_rows
from tests.engine.speculation.family_configs import VOCABULARY
from tests.engine.speculation.forced_rounds import QUANTISED_TOLERANCE
from tests.engine.speculation.plain_decoding import TOLERANCE, assert_same_logits, decode_plainly
from tests.engine.tiers import by_tier


def sequence_of(name: str, length: int, *, read: int = 0, seed: int = 0) -> CachedSequence:
    """Return a prompt of `length` tokens; its caches hold the first `read` of them."""
    draw = random.Random(f"{name} {length} {seed}")
    sequence = CachedSequence(build(name), fresh_caches(name))
    sequence.append([draw.randrange(VOCABULARY) for _ in range(length)])
    while sequence.position < read:
        sequence.prefill(read - sequence.position)
    return sequence


def tolerance(name: str) -> float:
    return QUANTISED_TOLERANCE if name.endswith(":quantised") else TOLERANCE


def assert_read(name: str, sequence: CachedSequence) -> None:
    """Assert that its caches and the next token's logits are those of plain decoding."""
    tokens = list(sequence.tokens)
    assert sequence.position == len(tokens) - 1
    _, plain = decode_plainly(name, tokens, len(tokens))
    for cache, expected in zip(sequence.caches, plain, strict=True):
        assert largest_difference(cache, expected) <= tolerance(name)
    [expected_logits], _ = decode_plainly(name, [*tokens, 0], len(tokens))
    assert_same_logits(np.array(sequence.verify())[-1], expected_logits, name, tolerance(name))
    sequence.commit(0, [1])


def check_family(name: str, most: int) -> None:
    """Prefill texts of different lengths after prefixes of different lengths, in chunks."""
    sequences = [sequence_of(name, length, read=read) for length, read in ((2, 0), (23, 9), (14, 0), (40, 31), (9, 0))]
    while waiting := [sequence for sequence in sequences if sequence.rows_to_prefill(most)]:
        prefill_together(waiting, most)
    for sequence in sequences:
        assert_read(name, sequence)


@pytest.mark.parametrize("name", by_tier([*KINDS_WITH_ROWS, "qwen3_5", "gemma3_text", "gpt_oss"], KINDS_WITH_ROWS))
def test_prompts_read_together_are_what_each_is_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers grow by 8 slots, so that windows of 8 move their rows many times."""
    monkeypatch.setattr(row_layout, "GROWTH_SLOTS", 8)
    check_family(name, most=6)


@pytest.mark.campaign
@pytest.mark.parametrize("most", [3, 64])
@pytest.mark.parametrize("name", SERVED)
def test_prompts_of_every_family_read_together_are_what_each_is_alone(name: str, most: int) -> None:
    skip_without_rows(name)
    check_family(name, most)


@pytest.mark.parametrize("name", ["llama:window", "qwen3_next"])
def test_a_boundary_is_remembered_as_alone(name: str) -> None:
    sequences = [sequence_of(name, length, seed=length) for length in (30, 22)]
    sequences[0].boundaries, sequences[1].boundaries = (12, 20), (7,)
    while waiting := [sequence for sequence in sequences if sequence.rows_to_prefill(64)]:
        prefill_together(waiting, 64)
    assert [[kept.position for kept in sequence.checkpoints] for sequence in sequences] == [[12, 20], [7]]
    for sequence, back in zip(sequences, (20, 7), strict=True):
        assert sequence.rewind(back + 1)
        assert sequence.position == back
        while sequence.prefill(64):
            pass
        assert_read(name, sequence)


class Recorder:
    """A listener that keeps the rows it is given."""

    def __init__(self, sequence: CachedSequence) -> None:
        self.taps = Taps(sequence.model, (0, 1))
        self.pieces: list[tuple[int, Sequence[mx.array], Sequence[int]]] = []

    def read(self, start: int, outputs: Sequence[mx.array], tokens: Sequence[int]) -> None:
        self.pieces.append((start, outputs, tokens))


def test_followers_get_the_rows_of_their_own_text() -> None:
    sequences = [sequence_of("llama", length, seed=length) for length in (20, 5, 13)]
    alone = [sequence_of("llama", length, seed=length) for length in (20, 5)]
    recorders = [Recorder(sequence) for sequence in (*sequences[:2], *alone)]
    for sequence, recorder in zip((*sequences[:2], *alone), recorders, strict=True):
        sequence.listener = recorder
    assert prefill_together(sequences, 64) == [19, 4, 12]
    for sequence in alone:
        sequence.prefill(64)
    for found, expected in zip(recorders[:2], recorders[2:], strict=True):
        [(start, outputs, tokens)], [(_, expected_outputs, expected_tokens)] = found.pieces, expected.pieces
        assert (start, tokens) == (0, expected_tokens)
        for output, wanted in zip(outputs, expected_outputs, strict=True):
            assert output.shape == wanted.shape
            assert np.abs(np.array(output) - np.array(wanted)).max() <= 1e-4 * np.abs(np.array(wanted)).max()


def test_long_texts_are_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_prefill, "LONGEST_TEXT", 30)
    waiting = [sequence_of("llama", length, read=read) for length, read in ((12, 0), (40, 31), (11, 0))]
    assert choose_together(waiting, 512) == [waiting[0], waiting[2]]
    assert choose_together(waiting[1:], 512) == [waiting[1]]
