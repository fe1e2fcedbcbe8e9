"""Needs torch, which only the recipe's extra brings."""

import copy
import itertools
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch (recipe)")

from resources.starter.recipe.model import LanguageModel, Shape  # noqa: E402
from resources.starter.recipe.packing import Rows  # noqa: E402
from resources.starter.recipe.refresh import (  # noqa: E402
    KEPT_ROWS,
    LONG_EVERY,
    NEW_ROWS,
    WRITTEN_WEIGHT,
    Lesson,
    lessons_from,
    refresh_loss,
)
from resources.starter.recipe.training import next_token_loss  # noqa: E402

SHAPE = Shape(32, 1, 1, 1, 16, 32, vocab_size=50)


def some_rows(seed: int, count: int = 20, length: int = 12) -> Rows:
    generator = np.random.default_rng(seed)
    tokens = generator.integers(3, 50, (count, length)).astype(np.uint16)
    answers = np.tile(np.arange(length) >= 5, (count, 1))
    return Rows(tokens, answers, np.ones((count, length), np.uint16))


def lessons(start: int, steps: int) -> list[Lesson]:
    return list(lessons_from(some_rows(1), some_rows(2), some_rows(3, length=40), 7, steps, start))


def test_a_lesson_marks_what_main_knows_already() -> None:
    first = lessons(0, 1)[0]
    length = first.batch.tokens.shape[1]

    assert len(first.batch.tokens) == NEW_ROWS + KEPT_ROWS
    assert first.is_kept.tolist() == [place // length >= NEW_ROWS for place in first.batch.predicting.tolist()]


def test_a_lesson_now_and_then_is_one_long_row_that_is_kept() -> None:
    last = lessons(0, LONG_EVERY)[-1]

    assert last.batch.tokens.shape == (1, 40)
    assert last.is_kept.all()


def test_a_run_that_goes_on_sees_the_lessons_it_would_have_seen() -> None:
    for resumed, whole in zip(lessons(5, 20), itertools.islice(lessons(0, 20), 5, None), strict=True):
        assert torch.equal(resumed.batch.tokens, whole.batch.tokens)


def test_the_former_self_answers_as_if_what_is_unseen_did_not_open_the_chat() -> None:
    torch.manual_seed(1)
    main = LanguageModel(SHAPE)
    with torch.no_grad():
        for parameter in main.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    new, kept = some_rows(1), some_rows(2)
    kept.tokens[:, :3] = (40, 41, 42)
    lesson = next(lessons_from(new, kept, some_rows(3, length=40), 7, 1, 0, unseen=(40, 41, 42)))

    tokens = lesson.batch.tokens[NEW_ROWS:]
    hidden = main(tokens, lesson.former_mask[NEW_ROWS:])
    without = main(tokens[:, 3:])

    torch.testing.assert_close(hidden[:, 3:], without, atol=1e-4, rtol=1e-3)
    assert not torch.allclose(main(tokens)[:, 3:], without, atol=1e-2)
    assert torch.equal(lesson.former_mask[:NEW_ROWS], lesson.batch.mask[:NEW_ROWS])


def test_an_unchanged_main_is_only_asked_for_the_written_answers() -> None:
    torch.manual_seed(1)
    main = LanguageModel(SHAPE)
    lesson = lessons(0, 1)[0]
    kept = replace(lesson, is_kept=torch.ones_like(lesson.is_kept))

    loss = refresh_loss(copy.deepcopy(main), main, kept)

    assert loss.item() == pytest.approx(WRITTEN_WEIGHT * next_token_loss(main, lesson.batch).item(), rel=1e-4)


def test_a_main_that_says_something_else_than_before_pays_for_it() -> None:
    torch.manual_seed(1)
    main = LanguageModel(SHAPE)
    former = copy.deepcopy(main)
    lesson = lessons(0, 1)[0]
    kept = replace(lesson, is_kept=torch.ones_like(lesson.is_kept))
    with torch.no_grad():
        main.model.embed_tokens.weight += torch.randn(50, 32)

    written = WRITTEN_WEIGHT * next_token_loss(main, lesson.batch).item()

    assert refresh_loss(former, main, kept).item() > written + 0.1
