"""Several texts in one pass: each row is what the text is alone, whatever the others accept, reject, join or leave."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.speculation import row_layout, sequence_batch
from engine.speculation.row_caches import RowCaches
from engine.speculation.row_layout import Layout
from engine.speculation.sequence import Sequence
from engine.speculation.sequence_batch import UNFIT, SequenceBatch, rows_obstacle
from tests.engine.speculation.cache_state import largest_difference
from tests.engine.speculation.families import EVERY_KIND, SERVED, build, fresh_caches
from tests.engine.speculation.family_configs import VOCABULARY
from tests.engine.speculation.plain_decoding import TOLERANCE, assert_same_logits, decode_plainly

pytestmark = pytest.mark.usefixtures("without_compilation")

# An 8-bit entry may round to its neighbour; see test_conformance.
QUANTISED_TOLERANCE = 1e-2
DEPTH = 4
PROMPTS = (2, 21, 9)
BATCHED = [name for name in SERVED if rows_obstacle(Sequence(build(name), fresh_caches(name))) is None]
SHORT = [name for name in [*EVERY_KIND, "qwen3_5", "gpt2", "gemma3_text", "gpt_oss"] if name in BATCHED]
UNFIT_NAMES = [name for name in SERVED if type(build(name)).__module__ in UNFIT]


class Texts:
    """Known texts of one family in a batch: every round's logits are compared with plain decoding of the same text."""

    def __init__(self, name: str, seed: int, length: int) -> None:
        self.name = name
        self.draw = random.Random(f"{name} {seed}")
        self.tolerance = QUANTISED_TOLERANCE if name.endswith(":quantised") else TOLERANCE
        self.texts = [[self.draw.randrange(VOCABULARY) for _ in range(length)] for _ in PROMPTS]
        plain = [decode_plainly(name, text, at) for text, at in zip(self.texts, PROMPTS, strict=True)]
        self.expected = [logits for logits, _ in plain]
        self.sequences = [self._prefilled(text[:at]) for text, at in zip(self.texts, PROMPTS, strict=True)]
        self.batch = SequenceBatch(self.sequences[0])

    def _prefilled(self, tokens: list[int]) -> Sequence:
        sequence = Sequence(build(self.name), fresh_caches(self.name))
        sequence.append(tokens)
        while sequence.prefill(64):
            pass
        return sequence

    def round(self, patterns: list[tuple[int, int]]) -> None:
        """One pass in which member b drafts and accepts as patterns[b] says."""
        order = [self.sequences.index(member) for member in self.batch.members]
        drafts = [self._drafts(index, k, accepted) for index, (k, accepted) in zip(order, patterns, strict=True)]
        done = self.batch.verify(drafts)
        logits = np.array(done.logits)
        for row, (index, (_, accepted)) in enumerate(zip(order, patterns, strict=True)):
            self._compare(index, logits[row, done.firsts[row] :][: accepted + 1])
        counts = zip(done.counts, patterns, strict=True)
        self.batch.commit([count - k + accepted for count, (k, accepted) in counts])
        for index, (_, accepted) in zip(order, patterns, strict=True):
            self._append(index, accepted + 1)
        mx.eval(self.batch.arrays())

    def alone(self, index: int, k: int) -> None:
        """A round of a sequence that is not in the batch; all is accepted."""
        sequence = self.sequences[index]
        logits = np.array(sequence.verify(self._drafts(index, k, k)))
        self._compare(index, logits)
        at = len(sequence.tokens)
        sequence.commit(k, self.texts[index][at : at + k + 1])

    def _drafts(self, index: int, k: int, accepted: int) -> list[int]:
        at = len(self.sequences[index].tokens)
        right = self.texts[index][at : at + k]
        wrong = [(token + self.draw.randrange(1, VOCABULARY)) % VOCABULARY for token in right[accepted:]]
        return right[:accepted] + wrong

    def _append(self, index: int, count: int) -> None:
        sequence = self.sequences[index]
        sequence.append(self.texts[index][len(sequence.tokens) :][:count])

    def _compare(self, index: int, logits: np.ndarray) -> None:
        first = len(self.sequences[index].tokens)
        for row, shown in enumerate(logits):
            expected = self.expected[index][first + row - PROMPTS[index]]
            assert_same_logits(shown, expected, f"{self.name}, text {index} after {first + row}", self.tolerance)


def check_family(name: str, seed: int, rounds: int) -> None:
    texts = Texts(name, seed, max(PROMPTS) + (DEPTH + 1) * (rounds + 4))
    waiting, draw = list(texts.sequences), texts.draw
    for number in range(rounds):
        if waiting and number % 2 == 0:
            texts.batch.join(waiting.pop(0))
        depths = [draw.randrange(DEPTH + 1) for _ in texts.batch.members]
        texts.round([(k, draw.randint(0, k)) for k in depths])
        if not waiting and number % 3 == 1:
            # One leaves, goes on by itself, and comes back.
            left = draw.choice(texts.batch.members)
            texts.batch.leave(left)
            for k in (0, 2, 0):
                texts.alone(texts.sequences.index(left), k)
            waiting.append(left)


@pytest.mark.parametrize("name", SHORT)
def test_every_row_is_what_it_is_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers grow by 8 slots, so that windows of 8 move their rows many times."""
    monkeypatch.setattr(row_layout, "STEP", 8)
    check_family(name, seed=1, rounds=7)


@pytest.mark.campaign
@pytest.mark.parametrize("step", [4, 256])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", BATCHED)
def test_every_row_of_every_family_is_what_it_is_alone(
    name: str, seed: int, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_layout, "STEP", step)
    check_family(name, seed, rounds=24)


@pytest.mark.parametrize("name", UNFIT_NAMES)
def test_a_family_that_cannot_has_a_reason(name: str) -> None:
    """When this fails, mlx-lm has mended the family, and it can be served."""
    assert rows_obstacle(Sequence(build(name), fresh_caches(name))) == UNFIT[type(build(name)).__module__]
    with pytest.raises((AssertionError, ValueError)):
        check_family(name, seed=1, rounds=9)


@pytest.mark.parametrize("name", ["llama", "llama:window", "llama:quantised", "qwen3_next"])
def test_caches_that_leave_a_batch_are_those_of_plain_decoding(name: str) -> None:
    texts = Texts(name, 3, max(PROMPTS) + 20)
    for sequence in texts.sequences:
        texts.batch.join(sequence)
    for patterns in ([(4, 2), (1, 0), (0, 0)], [(0, 0), (3, 3), (2, 1)], [(2, 2), (1, 1), (4, 0)]):
        texts.round(patterns)
    for index, sequence in enumerate(texts.sequences):
        texts.batch.leave(sequence)
        while sequence.prefill(64):
            pass
        _, plain = decode_plainly(name, sequence.tokens, PROMPTS[index])
        for cache, expected in zip(sequence.caches, plain, strict=True):
            assert largest_difference(cache, expected) <= texts.tolerance


@pytest.mark.parametrize(
    ("name", "kind", "method", "mutant"),
    [
        ("llama", Layout, "mask", lambda layout, window, mask: mx.ones_like(mask(layout, window))),
        ("llama:window", Layout, "mask", lambda layout, window, mask: mx.ones_like(mask(layout, window))),
        ("llama:quantised", Layout, "mask", lambda layout, window, mask: mx.ones_like(mask(layout, window))),
        ("mamba2", RowCaches, "commit", lambda rows, _, commit: commit(rows, [DEPTH + 1] * len(rows))),
    ],
)
def test_the_comparison_notices_rejected_rows_that_stay(
    name: str, kind: type, method: str, mutant: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = getattr(kind, method)
    monkeypatch.setattr(kind, method, lambda self, argument: mutant(self, argument, own))
    with pytest.raises((AssertionError, ValueError)):
        check_family(name, seed=1, rounds=9)


def test_a_pass_that_is_aborted_leaves_no_trace() -> None:
    texts = Texts("falcon_h1", 5, 60)
    for sequence in texts.sequences:
        texts.batch.join(sequence)
    texts.round([(2, 1), (0, 0), (3, 3)])
    mx.eval(texts.batch.verify([[1, 2], [3], []]).logits)
    texts.batch.abort()
    texts.round([(1, 0), (3, 2), (0, 0)])


def test_rows_that_leave_make_room_for_others_without_growing() -> None:
    texts = Texts("llama", 6, 60)
    for sequence in texts.sequences:
        texts.batch.join(sequence)
    texts.round([(0, 0)] * 3)
    before = sum(array.nbytes for array in texts.batch.arrays())
    for _ in range(4):
        sequence = texts.batch.members[0]
        texts.batch.leave(sequence)
        texts.round([(1, 1), (0, 0)])
        texts.batch.join(sequence)
        texts.round([(0, 0)] * 3)
    assert sum(array.nbytes for array in texts.batch.arrays()) == before


def test_kinds_of_caches_without_rows_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rows_obstacle(Sequence(build("llama4"), fresh_caches("llama4"))) == "ChunkedKVCache"
    assert rows_obstacle(Sequence(build("phi3small"), fresh_caches("phi3small"))) == "KVCache of phi3small"
    monkeypatch.setattr(sequence_batch, "UNFIT", {})
    assert rows_obstacle(Sequence(build("gemma2"), fresh_caches("gemma2"))) is None
