"""Needs torch, which only the recipe's extra brings."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch (recipe)")

from resources.starter.recipe.distillation import with_choices  # noqa: E402
from resources.starter.recipe.model import LanguageModel, Shape  # noqa: E402
from resources.starter.recipe.packing import Rows  # noqa: E402
from resources.starter.recipe.training import make_batch  # noqa: E402

SHAPE = Shape(32, 1, 1, 1, 16, 32, vocab_size=50)


def test_the_draft_learns_what_main_would_write_there() -> None:
    torch.manual_seed(1)
    main = LanguageModel(SHAPE)
    generator = np.random.default_rng(1)
    tokens = generator.integers(3, 50, (20, 12)).astype(np.uint16)
    answers = np.tile(np.arange(12) >= 5, (20, 1))
    owners = np.ones((20, 12), np.uint16)
    owners[:, 9:] = 0

    batch = make_batch(with_choices(main, Rows(tokens, answers, owners)), [17, 3])

    ids = torch.from_numpy(tokens[[17, 3]].astype(np.int64))
    with torch.no_grad():
        wanted = main.logits(main(ids, batch.mask)).argmax(-1)
    assert batch.predicting.tolist() == [4, 5, 6, 7, 16, 17, 18, 19]
    agreed = batch.targets == wanted.flatten()[batch.predicting]
    assert agreed.float().mean() > 0.8  # bfloat16 may decide a near tie otherwise
