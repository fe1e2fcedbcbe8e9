"""The teaching of the draft model or head in use, as steps that the engine runs while it is idle.

The main model reads its own answers, a copy of the drafter is trained on what it held likely, and both are judged on
answers of held-out chats. Only what is better is kept, in place of what was taught before. Runs on the engine's thread.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.decoders.generation import release_unused_memory
from engine.errors import CannotTeach, EngineError, NoModel
from engine.files.folder_paths import states_of
from engine.files.steps import SteppedTask, Steps
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load_in_steps
from engine.main_model.low_rank import RANK, adapter_of, add_adapter, set_adapter
from engine.model_files.config import text_config
from engine.requests import OwnAnswer
from engine.speculation.drafters.sources import Drafter, DraftSource, HeadSource
from engine.status import TaughtDraft, TeachingProgress, TeachingResult
from engine.teaching.head_student import HeadStudent
from engine.teaching.kept import TaughtFile, TaughtNotUsable
from engine.teaching.lessons import Lesson, read_lessons
from engine.teaching.training import BATCH, DraftStudent, Student, Training, batches_of, is_better, right_places
from engine.upkeep import memory
from engine.upkeep.drafters import load_head_for
from engine.upkeep.models import Models

log = logging.getLogger(__name__)

# Copies of the adapter in memory: itself, its gradients, the two moments of the optimiser, and one to be written.
_ADAPTER_COPIES = 5
# A token's pass and its gradients keep this many numbers of 4 bytes for each number of the residual stream and of the
# widest layer: the values themselves, their gradients, and the values that a layer computes again.
_KEPT_NUMBERS = 12
# The same for each number of a row of logits.
_KEPT_LOGITS = 3


class Teaching:
    """The teaching under way, if any. It waits by not being stepped; `on_progress` is called with its progress."""

    def __init__(self, models: Models, on_progress: Callable[[TeachingProgress], object]) -> None:
        self._models = models
        self._on_progress = on_progress
        self._work: SteppedTask[TeachingResult] | None = None
        self._on_done: Callable[[TeachingResult | EngineError | None], None] = lambda _outcome: None

    @property
    def running(self) -> bool:
        return self._work is not None

    def begin(self, answers: Sequence[OwnAnswer], done: Callable[[TeachingResult | EngineError | None], None]) -> None:
        """Teach the drafter in use from now on; `done` gets the result or the error, None if it was stopped."""
        self.stop()
        self._on_done = done
        self._work = SteppedTask(self._teach(answers), self._end)
        self._on_progress(TeachingProgress("reading", 0, sum(answer.tokens for answer in answers)))

    def step(self) -> None:
        """Run a step, or wait a moment for its file or prompt. Raises a failure of the device."""
        if self._work is not None:
            self._work.step()

    def stop(self) -> None:
        """End the teaching, if there is one; nothing of it is kept."""
        if self._work is not None:
            self._end(None)

    def fail(self, error: EngineError) -> None:
        """End the teaching, if there is one, with an error."""
        if self._work is not None:
            self._end(error)

    def known(self) -> TaughtDraft:
        """Return what the drafter in use was taught for the main model. Raises `NoModel`."""
        try:
            file, _ = self._file()
            return TaughtDraft(file.read().judged)
        except CannotTeach as refusal:
            return TaughtDraft(refusal=refusal)
        except TaughtNotUsable as error:
            return TaughtDraft(problem=error.problem)

    def forget(self) -> None:
        """Delete what the drafter in use was taught, and end its teaching. Raises `NoModel` and `CannotTeach`."""
        self.stop()
        self._file()[0].delete()

    def _end(self, outcome: TeachingResult | EngineError | None) -> None:
        self._work = None
        release_unused_memory()
        self._on_progress(TeachingProgress())
        self._on_done(outcome)

    def _file(self) -> tuple[TaughtFile, Drafter]:
        """Return the file of the pair in use and its drafter. Raises `NoModel` and `CannotTeach`."""
        own_model = self._models.own_resident
        folder = self._models.settings.taught_folder
        if own_model is None:
            raise NoModel
        main = own_model.main
        drafter = own_model.drafting.drafter
        if drafter is None:
            raise CannotTeach("no-draft")
        if isinstance(drafter, DraftSource) and drafter.translation is not None:
            raise CannotTeach("other-tokenizer")
        if folder is None:
            raise CannotTeach("no-folder")
        return TaughtFile(folder, main, drafter.info.path, drafter.info.name), drafter

    def _teach(self, answers: Sequence[OwnAnswer]) -> Steps[TeachingResult]:
        """Teach, a short pass a step."""
        file, drafter = self._file()
        main = self._models.main
        _check_unchanged(main, drafter)
        student = student_of(drafter, main)
        self._check_memory(student, drafter.info.path)
        copy = yield from self._copy(drafter, file)
        file.check_space(2 * sum(array.nbytes for array in adapter_of(copy.network).values()))
        yield None

        def read(done: int, total: int) -> None:
            self._on_progress(TeachingProgress("reading", done, total))

        lessons, held_out = yield from read_lessons(main, answers, student.rows, read)
        yield from self._train(Training(copy, lessons))
        before = yield from self._judge(student, held_out)
        after = yield from self._judge(copy, held_out)
        result = TeachingResult(float(before.mean()), float(after.mean()), is_better(before, after))
        if result.better:
            file.write(adapter_of(copy.network), result)
        log.info("taught %s: %s", drafter.info.name, result)
        return result

    def _copy(self, drafter: Drafter, file: TaughtFile) -> Steps[Student]:
        """Load a copy of the drafter with an adapter to train, which begins as what the drafter was taught before."""
        main = self._models.main
        path = drafter.info.path
        head = isinstance(drafter, HeadSource)
        loading = load_head_for(main, path, add_adapter) if head else load_in_steps(path, adapt=add_adapter)
        loaded = yield from loading
        _check_unchanged(main, drafter)
        if isinstance(loaded, HeadSource) and not _is_copy(loaded, drafter):
            raise CannotTeach("changed")
        copy = student_of(loaded, main)
        with suppress(TaughtNotUsable):
            former = file.read()
            if former.digest and former.digest == drafter.info.taught:
                set_adapter(copy.network, former.weights)
        return copy

    def _train(self, training: Training) -> Steps[None]:
        """Run all steps."""
        spent = 0.0
        while training.step < training.steps:
            started = time.monotonic()
            training.advance()
            spent += time.monotonic() - started
            left = spent / training.step * (training.steps - training.step)
            self._on_progress(TeachingProgress("teaching", training.step, training.steps, left))
            yield None

    def _judge(self, student: Student, lessons: Sequence[Lesson]) -> Steps[npt.NDArray[np.bool_]]:
        """Return which places of the lessons a student gets right, a batch a step."""
        right = []
        for batch in batches_of(lessons):
            self._on_progress(TeachingProgress("judging"))
            right.append(right_places(student, batch))
            yield None
        return np.concatenate(right)

    def _check_memory(self, student: Student, path: Path) -> None:
        """Raise `CannotTeach` unless there is memory to train a copy of the drafter while the pair answers."""
        models = self._models
        reserve = models.memory.cache_bytes(models.settings.context)
        missing = training_bytes(student, path) + reserve - models.memory.use().free
        if missing > 0:
            raise CannotTeach("no-memory", f"{missing / 1e9:.1f}")


def _check_unchanged(main: LoadedModel, drafter: Drafter) -> None:
    """Raise `CannotTeach` if the files of the models on the disk, which stand for what is taught, are not those in use.

    A head does not know the states of its files: its copy is compared with it.
    """
    in_use = [main, drafter.model] if isinstance(drafter, DraftSource) else [main]
    if any(states_of(model.states) != model.states for model in in_use):
        raise CannotTeach("changed")


def _is_copy(head: HeadSource, other: Drafter) -> bool:
    return isinstance(other, HeadSource) and head.head.has_weights_of(other.head)


def student_of(drafter: HeadSource | DraftSource | LoadedModel, main: LoadedModel) -> Student:
    """Return a drafter of `main` as a student."""
    if isinstance(drafter, HeadSource):
        return HeadStudent(drafter, main)
    draft = drafter if isinstance(drafter, LoadedModel) else drafter.model
    return DraftStudent(draft.model, draft.rows or draft.vocabulary)


def training_bytes(student: Student, path: Path) -> int:
    """Return the bytes that teaching takes: a copy of the drafter at `path`, the adapter and its optimiser, a batch.

    The adapter is reckoned with seven matrices a layer, each with two low-rank ones in float32.
    """
    size = memory.size_on_disk(path, None)
    text = text_config(size.config)
    numbers = [text.get(name) for name in ("hidden_size", "intermediate_size")]
    hidden, wide = (number if type(number) is int else 0 for number in numbers)
    wide = wide or 4 * hidden
    layers = len(getattr(student.network, "layers", ()))
    adapter = RANK * layers * (4 * 2 * hidden + 3 * (hidden + wide))
    token = student.passes * (_KEPT_NUMBERS * layers * (hidden + wide) + _KEPT_LOGITS * student.rows)
    return size.weight_bytes + 4 * (_ADAPTER_COPIES * adapter + BATCH * token + student.attended)
