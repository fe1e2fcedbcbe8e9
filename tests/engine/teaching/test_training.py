"""Lessons and steps of training: what is taught where, and when a draft model counts as better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine import requests
from engine.files.steps import run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import OwnAnswer
from engine.teaching import lessons
from engine.teaching.lessons import Lesson, is_held_out, read_answer
from engine.teaching.training import DraftStudent, batches_of, is_better, right_places
from tests.tiny_models import FLOAT32, write_model

QUESTION = [{"role": "user", "content": "the quick brown fox"}]


@pytest.fixture(scope="module")
def main(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """A model in float32: windows that are read apart decide near ties alike."""
    return load(write_model(tmp_path_factory.mktemp("main"), seed=1, stored=FLOAT32))


def read(main: LoadedModel, *ids: int) -> list[Lesson]:
    return run_to_completion(read_answer(main, OwnAnswer("chat", QUESTION, ids), main.vocabulary))


@pytest.mark.first
def test_every_place_of_an_answer_is_taught_once(main: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "TAUGHT_TOKENS", 8)
    monkeypatch.setattr(lessons, "LESSON_TOKENS", 20)
    monkeypatch.setattr(lessons, "PASS", 7)
    answer = tuple(range(30, 60))
    found = read(main, *answer)
    # The last row is what follows the whole answer.
    assert sum(lesson.places for lesson in found) == len(answer) + 1
    assert all(len(lesson.ids) <= 20 for lesson in found)
    taught = [lesson.ids[lesson.start + place] for lesson in found for place in range(lesson.places)]
    assert tuple(taught[1:]) == answer
    # The main model is always right about itself as long as it reads the same text.
    monkeypatch.undo()
    assert right_places(DraftStudent(main.model, main.vocabulary), read(main, *answer)).all()


def test_a_question_is_answered_greedily_to_its_end(main: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "DRAWN_TOKENS", 12)
    [lesson] = read(main)
    answer = lesson.ids[lesson.start + 1 :]
    assert len(answer) == 12
    assert answer == tuple(lesson.likeliest[:-1, 0])
    # The main model reads its answer as it has written it.
    [again] = read(main, *answer)
    assert again.ids == lesson.ids
    assert (again.likeliest[:, 0] == lesson.likeliest[:, 0]).all()
    [ended] = read(replace(main, end_tokens=frozenset(answer[3:4])))
    assert ended.ids[ended.start + 1 :] == answer[: answer.index(answer[3])]


def test_padding_and_company_change_nothing(main: LoadedModel) -> None:
    several = [*read(main, *range(30, 40)), *read(main, *range(40, 90)), *read(main, 33, 44)]
    alone = [right_places(DraftStudent(main.model, main.vocabulary), [lesson]) for lesson in several]
    together = right_places(DraftStudent(main.model, main.vocabulary), several)
    assert (together == np.concatenate(alone)).all()
    assert sum(map(len, batches_of(several))) == len(several)


def test_better_means_more_than_chance() -> None:
    wrong, right = np.zeros(200, bool), np.arange(200) < 20
    assert is_better(wrong, right)
    assert not is_better(right, wrong)
    assert not is_better(right, right)
    assert not is_better(wrong, np.arange(200) < 3)
    # As many were lost as gained.
    assert not is_better(right, right[::-1])


def test_a_chat_is_held_out_for_good() -> None:
    held_out = [is_held_out(f"chat {number}") for number in range(2000)]
    assert held_out == [is_held_out(f"chat {number}") for number in range(2000)]
    assert 0.15 < np.mean(held_out) < 0.25
