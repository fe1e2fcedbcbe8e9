"""The families that cannot speculate together: each row is what it is alone, on the way in, inside, on the way out."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import mlx.core as mx
import pytest

from engine.conversation import Conversation
from engine.decoders.batch_decoder import BatchDecoder, BatchStepFailed, batch_obstacle
from engine.generation import DrawnTokens, Generation
from engine.loading import LoadedModel
from engine.speculation.cache_kinds import KINDS, NEVER_BATCHED
from engine.speculation.sequence import Sequence as CachedSequence
from engine.speculation.sequence_batch import rows_obstacle
from tests.engine.speculation.families import build, fresh_caches, kinds_of
from tests.engine.speculation.family_configs import FAMILIES, VOCABULARY

pytestmark = pytest.mark.usefixtures("without_compilation")

# Relative to the largest logit: another shape sums in another order.
TOLERANCE = 1e-4
# Tokens before the batch; windows hold 8, full caches grow at 256.
PROMPTS = (5, 21, 252)
STEPS = 12


class Forced:
    """Stands for a generation whose text is known; keeps the logits that it was shown."""

    plain_argmax = plain_scores = False

    def __init__(self, sequence: CachedSequence, text: Sequence[int]) -> None:
        self.conversation = Conversation(sequence)
        self.sampler = self
        self.reason: str | None = None
        self.text = text
        self.shown: dict[int, mx.array] = {}

    def scores(self, logits: mx.array, committed: Sequence[int], guesses: mx.array | None) -> mx.array:
        self.at = len(committed) + (guesses is not None)
        self.shown[self.at] = logits[0]
        return logits

    def log_probabilities(self, scores: mx.array) -> mx.array:
        return scores

    def noise(self, position: int, count: int) -> None:
        assert (position, count) == (self.at, 1)

    def likeliest_tokens(self, logprobs: mx.array) -> None:
        """None are asked for."""

    def draw(self, logprobs: mx.array, noise: None) -> mx.array:  # noqa: ARG002
        return mx.array([self.text[self.at]], mx.uint32)

    def add_batch_token(self, drawn: DrawnTokens, rows: int, why_plain: str, now: float) -> Any:  # noqa: ARG002
        return SimpleNamespace(token=drawn.tokens[0])


def text_of(name: str, row: int, length: int) -> list[int]:
    keys = mx.random.split(mx.random.key(sum(name.encode()) + row), 1)
    return cast("list[int]", mx.random.randint(0, VOCABULARY, (length,), key=keys[0]).tolist())


def sequence_on(name: str, tokens: Sequence[int]) -> CachedSequence:
    sequence = CachedSequence(build(name), fresh_caches(name))
    sequence.append(tokens)
    while sequence.prefill(64):
        pass
    return sequence


def plain_logits(name: str, text: Sequence[int], start: int) -> dict[int, mx.array]:
    """What the model says alone after text[:start], text[:start + 1], ..."""
    sequence = sequence_on(name, text[:start])
    shown = {}
    for position in range(start, len(text)):
        shown[position] = sequence.verify()[0]
        sequence.commit(0, [text[position]])
        mx.eval(shown[position], sequence.arrays())
    return shown


def is_decoded_here(name: str) -> bool:
    sequence = CachedSequence(build(name), fresh_caches(name))
    return batch_obstacle(sequence) is None and rows_obstacle(sequence) is not None


BATCHED = [name for name in FAMILIES if is_decoded_here(name)]
# What keeps the others out is their caches (no merge in mlx-lm), their width (they decode plainly) or these four.
UNFIT = sorted(NEVER_BATCHED)


def test_every_kind_that_merges_is_held_here() -> None:
    assert kinds_of(BATCHED) == {name for name, kind in KINDS.items() if kind.merges}


@pytest.mark.parametrize("name", BATCHED)
def test_a_row_of_a_batch_is_what_it_is_alone(name: str) -> None:
    check_family(name)


@pytest.mark.parametrize("name", UNFIT)
def test_a_family_that_takes_turns_has_a_reason_to(name: str) -> None:
    """The comparison has teeth, and an mlx-lm that got better is noticed."""
    assert batch_obstacle(CachedSequence(build(name), fresh_caches(name))) == f"the batches of {name}"
    with pytest.raises((AssertionError, BatchStepFailed)):
        check_family(name)


def check_family(name: str) -> None:
    texts = [text_of(name, row, prompt + STEPS + 8) for row, prompt in enumerate(PROMPTS)]
    rows = [Forced(sequence_on(name, text[:prompt]), text) for prompt, text in zip(PROMPTS, texts, strict=True)]
    model = cast("LoadedModel", SimpleNamespace(model=build(name), vocabulary=VOCABULARY))
    decoder = BatchDecoder(model, "its caches")
    generations = cast("list[Generation]", rows)
    decoder.join(generations[0])
    decoder.step()
    decoder.join(generations[1])
    decoder.step()
    decoder.join(generations[2])
    for _ in range(STEPS):
        decoder.step()
    # The one in the middle leaves first, and is asked by itself what comes next.
    for index in (1, 0, 2):
        decoder.leave(generations[index])
        sequence = rows[index].conversation.main
        assert sequence.tokens == texts[index][: len(sequence.tokens)]
        for _ in range(3):
            position = len(sequence.tokens)
            rows[index].shown[position] = sequence.verify()[0]
            sequence.commit(0, [texts[index][position]])
        if len(decoder):
            decoder.step()
    decoder.close()
    for index, prompt in enumerate(PROMPTS):
        expected = plain_logits(name, texts[index], prompt)
        shown = rows[index].shown
        assert len(shown) >= STEPS
        for position, logits in shown.items():
            scale = mx.abs(expected[position]).max()
            difference = (mx.abs(logits - expected[position]).max() / scale).item()
            assert difference < TOLERANCE, (index, position, difference)
