"""Passes over several known texts at once, in which each row's acceptance is forced and its logits are checked."""

from __future__ import annotations

import random

import mlx.core as mx
import numpy as np

from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import SequenceBatch
from tests.engine.speculation.families import build, fresh_caches
from tests.engine.speculation.family_configs import VOCABULARY
from tests.engine.speculation.forced_rounds import QUANTISED_TOLERANCE
from tests.engine.speculation.plain_decoding import TOLERANCE, assert_same_logits, decode_plainly

DEPTH = 4
PROMPTS = (2, 21, 9)


class ForcedTexts:
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

    def _prefilled(self, tokens: list[int]) -> CachedSequence:
        sequence = CachedSequence(build(self.name), fresh_caches(self.name))
        sequence.append(tokens)
        while sequence.prefill(64):
            pass
        return sequence

    def round(self, patterns: list[tuple[int, int]]) -> None:
        """Run one pass in which member b drafts and accepts the numbers of tokens in patterns[b]."""
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
        """Run a round of a sequence that is not in the batch; all draft tokens are accepted."""
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
    texts = ForcedTexts(name, seed, max(PROMPTS) + (DEPTH + 1) * (rounds + 4))
    waiting, draw = list(texts.sequences), texts.draw
    for number in range(rounds):
        if waiting and number % 2 == 0:
            texts.batch.join(waiting.pop(0))
        depths = [draw.randrange(DEPTH + 1) for _ in texts.batch.members]
        texts.round([(k, draw.randint(0, k)) for k in depths])
        if not waiting and number % 3 == 1:
            # One leaves, decodes alone, and comes back.
            left = draw.choice(texts.batch.members)
            texts.batch.leave(left)
            for k in (0, 2, 0):
                texts.alone(texts.sequences.index(left), k)
            waiting.append(left)
