"""Needs torch, which only the recipe's extra brings."""

import copy
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch (recipe)")

from resources.starter.recipe.distillation import with_choices  # noqa: E402
from resources.starter.recipe.mistakes import harder, mistaken  # noqa: E402
from resources.starter.recipe.model import LanguageModel, Shape  # noqa: E402
from resources.starter.recipe.packing import Rows, pack  # noqa: E402

SHAPE = Shape(32, 1, 1, 1, 16, 32, vocab_size=50)


@pytest.fixture
def main() -> LanguageModel:
    torch.manual_seed(1)
    return LanguageModel(SHAPE).eval()


def answered_right(main: LanguageModel, seed: int) -> Rows:
    """Rows of two conversations each, whose last token, the answer, is what `main` would write."""
    generator = np.random.default_rng(seed)
    asked = [(generator.integers(3, 50, 8).tolist(), [False] * 7 + [True]) for _ in range(6)]
    rows = pack(asked, 16, 0)
    choices = with_choices(main, rows).choices
    assert choices is not None
    tokens = rows.tokens.copy()
    tokens[:, (7, 15)] = choices[:, (6, 14)]
    return replace(rows, tokens=tokens)


def with_a_wrong_answer(rows: Rows, row: int, place: int) -> Rows:
    tokens = rows.tokens.copy()
    tokens[row, place] = 1 + tokens[row, place] % 40
    return replace(rows, tokens=tokens)


def test_a_conversation_is_mistaken_whose_answer_main_would_not_write(main: LanguageModel) -> None:
    rows = answered_right(main, 1)

    # A question is not main's to write.
    assert mistaken(main, rows) == [set()] * 3
    assert mistaken(main, with_a_wrong_answer(rows, 1, 15)) == [set(), {2}, set()]


def test_harder_rows_repeat_what_is_wrong_and_was_known(main: LanguageModel) -> None:
    new, kept = (with_a_wrong_answer(answered_right(main, seed), 0, 7) for seed in (1, 2))
    forgot = copy.deepcopy(main)
    with torch.no_grad():
        forgot.model.norm.weight.neg_()

    wrong, known = harder(main, main, new, kept, 0, 5)
    # One of six is wrong, and its former self was wrong about what is kept, too.
    assert wrong.tokens.flatten().tolist() == new.tokens[0, :8].tolist() + [0] * 8
    assert sorted(known.tokens.flatten().tolist()) == sorted(kept.tokens.flatten().tolist())

    _, known = harder(forgot, main, new, kept, 0, 5)
    times = known.tokens.size - known.tokens.flatten().tolist().count(0)
    assert times > kept.tokens.size
