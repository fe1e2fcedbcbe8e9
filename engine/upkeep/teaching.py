"""The teaching of the draft model or head in use, as steps that the engine runs while it is idle.

The main model reads its own answers, a copy of the drafter is trained on what it held likely, and both are judged
on answers of held-out chats. Only a copy that is better becomes a version. Runs on the engine's thread.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.decoders.generation import release_unused_memory
from engine.errors import (
    CannotTeach,
    EngineError,
    NoModel,
    as_engine_error,
)
from engine.files.steps import Steps, Work
from engine.machine.process_info import on_battery, slowed
from engine.main_model.loading import LoadedModel, load_in_steps
from engine.model_files.config import text_config
from engine.requests import OwnAnswer
from engine.speculation.drafters.sources import Drafter, DraftSource, HeadSource
from engine.status import TaughtDraft, TeachingProgress, TeachingResult
from engine.teaching.adapter import RANK, adapter_of, add_adapter, from_bytes, set_adapter
from engine.teaching.head_student import HeadStudent
from engine.teaching.kept import TaughtFiles
from engine.teaching.lessons import Lesson, read_lessons
from engine.teaching.training import BATCH, DraftStudent, Student, Training, batches_of, is_better, right_places
from engine.upkeep import memory
from engine.upkeep.drafters import load_head_for
from engine.upkeep.models import Models

log = logging.getLogger(__name__)

# Seconds of work between two writes of the state: a killed process loses no more.
SAVE_EVERY_S = 30.0
# Seconds until heat and power are looked at again.
COOLING_S = 5.0
# Copies of the adapter in memory: itself, its gradients, the two moments of the optimiser, and one to be written.
_ADAPTER_COPIES = 5
# Numbers of 4 bytes that a token's pass and its gradients keep for a number of the residual stream and of the widest
# layer, and for a row of logits: the values themselves, their gradients, and those that a layer computes again.
_KEPT_NUMBERS, _KEPT_LOGITS = 12, 3


class Teaching:
    """The teaching under way, if any. Teaching waits by not being stepped; `on_progress` is called with its progress.

    `stop` interrupts it: it is continued when `begin` is called again for the same pair.
    """

    def __init__(self, models: Models, on_progress: Callable[[TeachingProgress], object]) -> None:
        self._models = models
        self._on_progress = on_progress
        self._work: Work[TeachingResult] | None = None
        self._done: Callable[[TeachingResult | EngineError], None] = lambda _outcome: None
        # Writes the state, once there is any.
        self._save: Callable[[], None] = lambda: None
        self._progress = TeachingProgress()

    @property
    def running(self) -> bool:
        return self._work is not None

    @property
    def wait_s(self) -> float:
        """The seconds until the next step may be run: teaching waits for heat and power."""
        return COOLING_S if self._progress.waits not in ("", "answers") else 0.0

    def begin(self, answers: Sequence[OwnAnswer], done: Callable[[TeachingResult | EngineError], None]) -> None:
        """Teach the draft model in use from now on, or go on with it; `done` gets the result or the error."""
        self.stop()
        self._done = done
        self._work = Work(self._teach(answers, time.time()), self._end)
        self._report(TeachingProgress("reading", 0, sum(answer.tokens for answer in answers)))

    def step(self) -> None:
        """Run a step, or wait a moment for its file or prompt. Raises a failure of the device.

        No step is run on battery, or while heat or Low Power Mode slow the machine down.
        """
        if self._work is None:
            return
        if reason := slowed() or ("battery" if on_battery() else ""):
            self.pause(reason)
            return
        self.pause("")
        self._work.step()

    def pause(self, reason: str) -> None:
        """Report why no step is run: "answers", "low-power", "hot", "battery", or "" when steps are run again."""
        if self._work is not None and self._progress.waits != reason:
            self._report(replace(self._progress, waits=reason))

    def stop(self) -> None:
        """Interrupt the teaching, if there is one, and write its state."""
        if self._work is None:
            return
        try:
            self._save()
        except Exception as error:
            self._end(as_engine_error(error))
        else:
            self._end(TeachingResult(complete=False))

    def fail(self, error: EngineError) -> None:
        """End the teaching, if there is one, with an error; its state is as it was last written."""
        if self._work is not None:
            self._end(error)

    def known(self) -> TaughtDraft:
        """Return what the draft model in use was taught for the main model. Raises `NoModel`."""
        try:
            files, _ = self._files()
        except CannotTeach as refusal:
            return TaughtDraft(refusal=refusal)
        problem = files.problem if files.used or files.problem == "damaged" else ""
        try:
            if files.used and not problem:
                files.content()
        except ValueError:
            problem = "damaged"
        return TaughtDraft(files.version, files.used > 0, problem, files.has_begun, judged_from=files.judged_from)

    def use(self, used: bool) -> None:
        """Use what was taught, or not, when the pair is loaded next. Raises `NoModel` and `CannotTeach`."""
        self._files()[0].use(used)

    def forget(self) -> None:
        """Delete all that the draft model in use was taught, and end its teaching. Raises as `use` does."""
        self.stop()
        self._files()[0].delete()

    def _report(self, progress: TeachingProgress) -> None:
        self._progress = progress
        self._on_progress(progress)

    def _end(self, outcome: TeachingResult | EngineError) -> None:
        self._work, self._save = None, lambda: None
        release_unused_memory()
        self._report(TeachingProgress())
        self._done(outcome)

    def _files(self) -> tuple[TaughtFiles, Drafter]:
        """Return the files of the pair in use and its drafter. Raises `NoModel` and `CannotTeach`."""
        own, folder = self._models.own_resident, self._models.settings.taught_folder
        if own is None:
            raise NoModel
        main, drafter = own.main, own.drafting.drafter
        if drafter is None:
            raise CannotTeach("no-draft")
        if isinstance(drafter, DraftSource) and drafter.translation is not None:
            raise CannotTeach("other-tokenizer")
        if folder is None:
            raise CannotTeach("no-folder")
        return TaughtFiles(folder, main, drafter.info.path, drafter.info.name), drafter

    # The steps

    def _teach(self, answers: Sequence[OwnAnswer], began: float) -> Steps[TeachingResult]:
        """Teach, a short pass a step."""
        files, drafter = self._files()
        main, former = self._models.main, drafter.info.taught
        student = student_of(drafter, main)
        self._check_memory(student, drafter.info.path)
        copy = yield from self._copy(drafter, files, former)
        files.check_space(2 * _ADAPTER_COPIES * sum(array.nbytes for array in adapter_of(copy.network).values()))
        yield None

        def read(done: int, total: int) -> None:
            self._report(TeachingProgress("reading", done, total))

        lessons, held_out = yield from read_lessons(main, answers, student.rows, read)
        training = Training(copy, lessons)
        try:
            if (begun := files.begun(former)) is not None:
                training.restore(*begun)
        except ValueError as error:
            log.warning("the teaching begun earlier is ignored: %s", error)
        self._save = lambda: files.save_begun(training.state(), training.step, former)
        yield from self._train(training)
        before = yield from self._judge(student, held_out)
        after = yield from self._judge(copy, held_out)
        shares, number = (float(before.mean()), float(after.mean())), 0
        if is_better(before, after):
            number = files.add(adapter_of(copy.network), *shares, len(before))
        files.end(began)
        log.info("taught %s: %.3f right before, %.3f after, version %d", drafter.info.name, *shares, number)
        return TeachingResult(True, *shares, len(before), number)

    def _copy(self, drafter: Drafter, files: TaughtFiles, former: int) -> Steps[Student]:
        """Load a copy of the drafter with an adapter to train, which begins as the version in use."""
        main, path = self._models.main, drafter.info.path
        head = isinstance(drafter, HeadSource)
        loading = load_head_for(main, path, add_adapter) if head else load_in_steps(path, adapt=add_adapter)
        copy = student_of((yield from loading), main)
        try:
            if former:
                set_adapter(copy.network, from_bytes(files.content())[0])
        except ValueError as error:
            log.warning("teaching begins with the drafter as it was downloaded: %s", error)
        return copy

    def _train(self, training: Training) -> Steps[None]:
        """Run the remaining steps, and write their state now and then."""
        saved, spent, first = time.monotonic(), 0.0, training.step
        while training.step < training.steps:
            started = time.monotonic()
            training.advance()
            spent += time.monotonic() - started
            left = spent / (training.step - first) * (training.steps - training.step)
            self._report(TeachingProgress("teaching", training.step, training.steps, left))
            if time.monotonic() - saved > SAVE_EVERY_S:
                self._save()
                saved = time.monotonic()
            yield None

    def _judge(self, student: Student, lessons: Sequence[Lesson]) -> Steps[npt.NDArray[np.bool_]]:
        """Return which places of the lessons a student gets right, a batch a step."""
        found = []
        for batch in batches_of(lessons):
            self._report(TeachingProgress("judging"))
            found.append(right_places(student, batch))
            yield None
        return np.concatenate(found)

    def _check_memory(self, student: Student, path: Path) -> None:
        """Raise `CannotTeach` unless a copy of the drafter can be trained beside the pair and an answer."""
        models = self._models
        reserve = models.cache_bytes(models.settings.context)
        missing = training_bytes(student, path) + reserve - models.memory_use().free
        if missing > 0:
            raise CannotTeach("no-memory", f"{missing / 1e9:.1f}")


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
    wide, layers = wide or 4 * hidden, len(getattr(student.network, "layers", ()))
    adapter = RANK * layers * (4 * 2 * hidden + 3 * (hidden + wide))
    token = student.passes * (_KEPT_NUMBERS * layers * (hidden + wide) + _KEPT_LOGITS * student.rows)
    return size.weight_bytes + 4 * (_ADAPTER_COPIES * adapter + BATCH * token + student.attended)
