"""Trains an adapter on lessons, one batch a step, and judges what was taught: the student."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
import numpy.typing as npt

from engine.main_model.low_rank import adapter_of, train_only_adapter
from engine.teaching.lessons import LESSON_TOKENS, Lesson

# How often each lesson is taught. With more, a drafter becomes worse at topics that the chats do not have.
EPOCHS = 3
# The learning rate of the first step, for a model of WIDTH_OF_FIRST_RATE; it falls to zero over all steps.
FIRST_RATE = 2.5e-4
WIDTH_OF_FIRST_RATE = 2000
# Wider models take smaller steps: the best rates that were published for low-rank layers fall with a power of the width
# between 0.1 and 0.8.
RATE_EXPONENT = 0.5
# Tokens of a batch, padding included, which bound the memory and the time of a step.
BATCH = LESSON_TOKENS
# The weight of a token relative to the one before it in its proposal: it is looked at only if the one before it was
# right (DFlash).
FALL = 0.87
# Gradients of one unusual text do not undo what others taught.
_MOST_GRADIENT = 1.0


@dataclass(frozen=True, slots=True)
class Batch:
    """What a student reads, and the places that it is asked for, in one line with their targets.

    `likeliest` and `chances` are (places, CANDIDATES). `depths` (places,) counts the draft tokens before each place.
    """

    inputs: Any
    likeliest: mx.array
    chances: mx.array
    depths: npt.NDArray[np.int64]


class Student(Protocol):
    """What is taught.

    `network` has its weights; `rows` are the ids that it knows. For each token of a batch its layers compute at most
    `passes` rows; `attended` are the numbers of keys and values that a batch keeps for its gradients besides those of
    these rows.
    """

    network: nn.Module
    rows: int
    passes: int
    attended: int

    def batch_of(self, lessons: Sequence[Lesson]) -> Batch:
        """Put lessons into one batch."""

    def logits(self, inputs: Any) -> mx.array:
        """Return the logits at the places of a batch, (places, V) float32; -inf for tokens that are never drafted."""


class DraftStudent:
    """A draft model, which is asked for the token after each place."""

    def __init__(self, network: nn.Module, rows: int) -> None:
        self.network = network
        self.rows = rows
        self.passes = 1
        self.attended = 0

    def batch_of(self, lessons: Sequence[Lesson]) -> Batch:
        """Put lessons into rows. Padding on the right changes nothing before it, because attention is causal."""
        width = max(len(lesson.ids) for lesson in lessons)
        ids = [[*lesson.ids, *[0] * (width - len(lesson.ids))] for lesson in lessons]
        starts = [row * width + lesson.start for row, lesson in enumerate(lessons)]
        places = [
            start + place for start, lesson in zip(starts, lessons, strict=True) for place in range(lesson.places)
        ]
        rows = [(lesson, place, 0) for lesson in lessons for place in range(lesson.places)]
        return with_targets((mx.array(ids, mx.uint32), mx.array(places)), rows)

    def logits(self, inputs: Any) -> mx.array:
        """Return the logits, float32 (places, V), of the rows that `inputs` names.

        These are ids (lessons, width) and the places (places,) in the flattened rows.
        """
        ids, places = inputs
        logits: mx.array = self.network(ids)
        return logits.reshape(-1, logits.shape[-1])[places].astype(mx.float32)


def with_targets(inputs: Any, places: Sequence[tuple[Lesson, int, int]]) -> Batch:
    """Return the batch of `places`, each a lesson, its row there, and the number of draft tokens before it."""
    chances = np.stack([lesson.chances[row] for lesson, row, _ in places])
    likeliest = np.stack([lesson.likeliest[row] for lesson, row, _ in places])
    depths = np.array([depth for _, _, depth in places])
    return Batch(inputs, mx.array(likeliest), mx.array(chances / chances.sum(axis=-1, keepdims=True)), depths)


def batches_of(lessons: Sequence[Lesson]) -> list[list[Lesson]]:
    """Divide lessons into batches of similar length, each of at most BATCH tokens with its padding."""
    batches: list[list[Lesson]] = []
    for lesson in sorted(lessons, key=lambda lesson: len(lesson.ids)):
        if batches and (len(batches[-1]) + 1) * len(lesson.ids) <= BATCH:
            batches[-1].append(lesson)
        else:
            batches.append([lesson])
    return batches


class Training:
    """Trains the adapter of `student` in `steps` steps. The order of batches depends only on the step."""

    def __init__(self, student: Student, lessons: Sequence[Lesson]) -> None:
        self.step = 0
        self._student = student
        self._model = student.network
        model = student.network
        train_only_adapter(model)
        self._batches = batches_of(lessons)
        width = min(max(array.shape[-2:]) for array in adapter_of(model).values())
        self._rate = FIRST_RATE * (WIDTH_OF_FIRST_RATE / width) ** RATE_EXPONENT
        self._optimiser = optim.Adam(learning_rate=self._rate)
        self._optimiser.init(model.trainable_parameters())
        self._loss_and_gradients = nn.value_and_grad(model, partial(_loss, student))

    @property
    def steps(self) -> int:
        return EPOCHS * len(self._batches)

    def advance(self) -> float:
        """Do one step and return its loss: the cross-entropy with the main model's likeliest tokens."""
        epoch, index = divmod(self.step, len(self._batches))
        order = np.random.default_rng([0, epoch]).permutation(len(self._batches))
        self._optimiser.learning_rate = self._rate * (1.0 - self.step / self.steps)
        loss, gradients = self._loss_and_gradients(self._student.batch_of(self._batches[order[index]]))
        gradients, _ = optim.clip_grad_norm(gradients, _MOST_GRADIENT)
        self._optimiser.update(self._model, gradients)
        mx.eval(self._model.trainable_parameters(), self._optimiser.state, loss)
        self.step += 1
        return float(loss.item())


def right_places(student: Student, lessons: Sequence[Lesson]) -> npt.NDArray[np.bool_]:
    """Return for each place of a batch, as (places,), whether the student's likeliest token would be accepted.

    It is if it is the main model's, and if all tokens before it in its proposal are accepted.
    """
    batch = student.batch_of(lessons)
    right = np.array(mx.argmax(student.logits(batch.inputs), axis=-1) == batch.likeliest[:, 0])
    for place in np.flatnonzero(batch.depths):
        right[place] &= right[place - 1]
    return right


def is_better(before: npt.NDArray[np.bool_], after: npt.NDArray[np.bool_]) -> bool:
    """Whether more places (places,) became right than wrong, by two standard errors of their difference.

    That is more than chance would explain.
    """
    gained = int((after & ~before).sum())
    lost = int((before & ~after).sum())
    return bool(gained - lost > 2.0 * (gained + lost) ** 0.5)


def _loss(student: Student, batch: Batch) -> mx.array:
    logits = student.logits(batch.inputs)
    drafted_logits = mx.take_along_axis(logits, batch.likeliest, axis=-1)
    drafted = mx.isfinite(drafted_logits)
    chances = mx.where(drafted, batch.chances, 0.0)
    drafted_logits = mx.where(drafted, drafted_logits, 0.0)
    losses = chances.sum(axis=-1) * mx.logsumexp(logits, axis=-1) - (chances * drafted_logits).sum(axis=-1)
    weights = mx.array(FALL**batch.depths, mx.float32)
    return (weights * losses).sum() / weights.sum()
