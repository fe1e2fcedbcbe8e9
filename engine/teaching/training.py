"""Trains a draft model's adapter on lessons, one batch a step, and judges draft models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
import numpy.typing as npt
from mlx.utils import tree_flatten, tree_map_with_path

from engine.teaching.adapter import adapter_of, set_adapter, train_only_adapter
from engine.teaching.lessons import WINDOW, Lesson

# How often each lesson is taught. With more, a draft model becomes worse at other topics than those of the chats.
EPOCHS = 3
# The first rate of learning of a model of this width; it falls to zero over all steps. Wider models take smaller steps:
# the best rates that were published for low-rank layers fall with a power of the width between 0.1 and 0.8.
RATE, RATE_WIDTH, RATE_POWER = 2.5e-4, 2000, 0.5
# Tokens of a batch, padding included, which bound the memory and the time of a step.
BATCH = WINDOW
# Gradients of one unusual text do not undo what others taught.
_MOST_GRADIENT = 1.0
_ADAPTER, _OPTIMISER = "adapter.", "optimiser."


@dataclass(frozen=True, slots=True)
class Batch:
    """Lessons as rows: `ids` (lessons, longest), and the taught places of all rows in one line with their targets."""

    ids: mx.array
    places: mx.array
    likeliest: mx.array
    chances: mx.array


def batch_of(lessons: Sequence[Lesson]) -> Batch:
    """Put lessons into one batch. Padding on the right changes nothing before it, because attention is causal."""
    width = max(len(lesson.ids) for lesson in lessons)
    ids = [[*lesson.ids, *[0] * (width - len(lesson.ids))] for lesson in lessons]
    places = [
        row * width + lesson.start + place for row, lesson in enumerate(lessons) for place in range(lesson.places)
    ]
    chances = np.concatenate([lesson.chances for lesson in lessons])
    return Batch(
        mx.array(ids, mx.uint32),
        mx.array(places),
        mx.array(np.concatenate([lesson.likeliest for lesson in lessons])),
        mx.array(chances / chances.sum(axis=-1, keepdims=True)),
    )


def batches_of(lessons: Sequence[Lesson]) -> list[list[Lesson]]:
    """Divide lessons into batches of similar length, each of at most BATCH tokens with its padding."""
    found: list[list[Lesson]] = []
    for lesson in sorted(lessons, key=lambda lesson: len(lesson.ids)):
        if found and (len(found[-1]) + 1) * len(lesson.ids) <= BATCH:
            found[-1].append(lesson)
        else:
            found.append([lesson])
    return found


class Training:
    """Trains the adapter of `model` in `steps` steps. The order of batches depends only on `seed` and the step."""

    def __init__(self, model: nn.Module, lessons: Sequence[Lesson], seed: int = 0) -> None:
        self.step, self.seed = 0, seed
        self._model = model
        train_only_adapter(model)
        self._batches = batches_of(lessons)
        width = min(max(array.shape[-2:]) for array in adapter_of(model).values())
        self._rate = RATE * (RATE_WIDTH / width) ** RATE_POWER
        self._optimiser = optim.Adam(learning_rate=self._rate)
        self._optimiser.init(model.trainable_parameters())
        self._loss_and_gradients = nn.value_and_grad(model, _loss)

    @property
    def steps(self) -> int:
        return EPOCHS * len(self._batches)

    def advance(self) -> float:
        """Do one step and return its loss: the cross-entropy with the main model's likeliest tokens."""
        epoch, index = divmod(self.step, len(self._batches))
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self._batches))
        self._optimiser.learning_rate = self._rate * (1.0 - self.step / self.steps)
        loss, gradients = self._loss_and_gradients(self._model, batch_of(self._batches[order[index]]))
        gradients, _ = optim.clip_grad_norm(gradients, _MOST_GRADIENT)
        self._optimiser.update(self._model, gradients)
        mx.eval(self._model.trainable_parameters(), self._optimiser.state, loss)
        self.step += 1
        return float(loss.item())

    def state(self) -> dict[str, mx.array]:
        """Return all that the steps have changed."""
        found = {f"{_ADAPTER}{name}": array for name, array in adapter_of(self._model).items()}
        return found | {f"{_OPTIMISER}{name}": array for name, array in tree_flatten(self._optimiser.state)}

    def restore(self, state: dict[str, mx.array], step: int) -> None:
        """Continue after `step` steps from their `state`. Raises `ValueError` if it is of another model."""
        now = {name: array.shape for name, array in tree_flatten(self._optimiser.state)}
        held = {name.removeprefix(_OPTIMISER): one for name, one in state.items() if name.startswith(_OPTIMISER)}
        if {name: array.shape for name, array in held.items()} != now or step < 0:
            raise ValueError("the optimiser is of another model")
        set_adapter(self._model, {n.removeprefix(_ADAPTER): one for n, one in state.items() if n.startswith(_ADAPTER)})
        self._optimiser.state = tree_map_with_path(lambda name, _: held[name], self._optimiser.state)
        self.step = min(step, self.steps)


def right_places(model: nn.Module, lessons: Sequence[Lesson]) -> npt.NDArray[np.bool_]:
    """Return for each place of a batch of lessons whether the model's likeliest token is the main model's."""
    batch = batch_of(lessons)
    return np.array(mx.argmax(_logits(model, batch), axis=-1) == batch.likeliest[:, 0])


def is_better(before: npt.NDArray[np.bool_], after: npt.NDArray[np.bool_]) -> bool:
    """Whether more places became right than wrong, by more than chance: by two standard errors of their difference."""
    gained, lost = int((after & ~before).sum()), int((before & ~after).sum())
    return bool(gained - lost > 2.0 * (gained + lost) ** 0.5)


def _logits(model: nn.Module, batch: Batch) -> mx.array:
    """Return the logits at the taught places, (places, V)."""
    logits: mx.array = model(batch.ids)
    return logits.reshape(-1, logits.shape[-1])[batch.places].astype(mx.float32)


def _loss(model: nn.Module, batch: Batch) -> mx.array:
    logits = _logits(model, batch)
    found = mx.take_along_axis(logits, batch.likeliest, axis=-1)
    loss: mx.array = (mx.logsumexp(logits, axis=-1) - (batch.chances * found).sum(axis=-1)).mean()
    return loss
