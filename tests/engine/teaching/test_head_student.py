"""Heads as students: every kind learns a text by drafting along it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.files.steps import run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.main_model.low_rank import add_adapter
from engine.requests import OwnAnswer
from engine.teaching import training
from engine.teaching.head_student import HeadStudent
from engine.teaching.lessons import Lesson, read_answer
from engine.teaching.training import Training
from engine.upkeep.drafters import load_head_for
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.tiers import by_tier
from tests.tiny_assistant import write_assistant
from tests.tiny_eagle import write_eagle_head
from tests.tiny_heads import write_head
from tests.tiny_models import QWEN3, write_model
from tests.tiny_mtp import write_mtp_head

QUESTION = [{"role": "user", "content": "the quick brown fox"}]
WRITERS: dict[str, Callable[[Path, Path], Path]] = {
    "dflash": write_head,
    # Its own vocabulary lacks most of the main model's tokens.
    "eagle3": lambda folder, main: write_eagle_head(folder, main, drafted=170),
    "mtp": write_mtp_head,
    "assistant": write_assistant,
}


@pytest.fixture(scope="module", params=by_tier(WRITERS, ("eagle3",)))
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def main(kind: str, tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    config = {**FAMILIES["gemma4"], "model_type": "gemma4"} if kind == "assistant" else QWEN3
    return load(write_model(tmp_path_factory.mktemp(kind) / "main", config=config))


@pytest.fixture(scope="module")
def lessons(main: LoadedModel) -> list[Lesson]:
    """An answer that the main model gives itself, so that proposals go as far as they can."""
    ids = run_to_completion(main.prompt_in_steps(QUESTION))
    first = len(ids)
    while len(ids) < first + 40:
        logits = main.model(mx.array([ids], mx.uint32))[0, -1]
        ids.append(int(mx.argmax(logits).item()))
    return run_to_completion(read_answer(main, OwnAnswer("chat", QUESTION, tuple(ids[first:])), main.vocabulary))


@pytest.fixture
def opened(kind: str, main: LoadedModel, tmp_path: Path) -> Callable[[], HeadStudent]:
    """Opens students with the same head, which has learned nothing."""
    folder = WRITERS[kind](tmp_path / "head", main.info.path)
    return lambda: HeadStudent(run_to_completion(load_head_for(main, folder, add_adapter)), main)


def test_a_head_learns_a_text_by_drafting_it(
    opened: Callable[[], HeadStudent], lessons: list[Lesson], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "EPOCHS", 8)
    monkeypatch.setattr(training, "FIRST_RATE", 3 * training.FIRST_RATE)
    steps = Training(opened(), lessons)
    losses = [steps.advance() for _ in range(steps.steps)]
    assert losses[-1] < 0.95 * losses[0]


def test_proposals_are_as_long_as_in_rounds(opened: Callable[[], HeadStudent], lessons: list[Lesson]) -> None:
    student = opened()
    batch = student.batch_of(lessons)
    # The text is the main model's own, so that only the head's length ends the first proposals.
    drafted = np.flatnonzero(batch.depths[1:] == 0)[0] + 1
    assert batch.depths[: 2 * drafted].tolist() == 2 * list(range(drafted))
    # Where the text leaves what the main model holds likeliest, a round ends, and so does a proposal.
    [lesson] = lessons
    other = replace(lesson, likeliest=lesson.likeliest[:, 1:])
    assert student.batch_of([other]).depths.tolist() == [0] * lesson.places
