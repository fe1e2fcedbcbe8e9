"""How EAGLE-3 and MTP heads are trained: main is frozen, and from every place of an answer the head drafts on its own.

Training-time test (EAGLE-3, arXiv:2503.01840): a step reads what the step before gave, as in decoding. A draft counts
LATER ** step, as far as the text up to there is what main would have said and the head knows the token.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from resources.starter.recipe.chain_head import STEPS
from resources.starter.recipe.head_training import LONG_EVERY, SHORT_ROWS
from resources.starter.recipe.training import make_batch, train

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources.starter.recipe.chain_head import ChainHead
    from resources.starter.recipe.model import LanguageModel
    from resources.starter.recipe.packing import Rows

LATER = 0.8


@dataclass(frozen=True)
class Texts:
    """Rows of text: `tokens`, `answers` (whether an answer holds them) and `owners` (rows, length), and main's mask."""

    tokens: Tensor
    answers: Tensor
    owners: Tensor
    mask: Tensor


def train_chain_head(
    head: ChainHead, main: LanguageModel, short: Rows, long: Rows, steps: int, seed: int, work: Path
) -> None:
    """Train `head` in place for `main`, which stays as it is; `work` is the checkpoint's path.

    On one thread, for the same bits wherever torch and the processor are the same.
    """
    torch.set_num_threads(1)
    main.requires_grad_(False).eval()
    fall = [1 - step / steps for step in range(steps)]
    data = partial(texts_from, short, long, seed, steps)
    train(head, data, fall, work, loss_of=partial(chain_loss, main), compiled=False)


def texts_from(short: Rows, long: Rows, seed: int, steps: int, start: int) -> Iterator[Texts]:
    """Yield the rows of steps `start` to `steps`, which depend on the seed only, not on `start`."""
    for step in range(start, steps):
        generator = np.random.default_rng((seed, step))
        is_long = (step + 1) % LONG_EVERY == 0
        rows, count = (long, 1) if is_long else (short, SHORT_ROWS)
        chosen = generator.choice(len(rows), count, replace=False).tolist()
        batch = make_batch(rows, chosen)
        owners = torch.as_tensor(rows.owners[chosen].astype(np.int64))
        yield Texts(batch.tokens, torch.as_tensor(rows.answers[chosen]), owners, batch.mask)


def chain_loss(main: LanguageModel, head: ChainHead, texts: Texts) -> Tensor:
    """Return the cross-entropy of every step's drafts with main's choices."""
    with torch.no_grad():
        features, hidden = head.features(main, texts.tokens, texts.mask)
        choices = main.logits(hidden).argmax(-1)
        embedded = main.model.embed_tokens(texts.tokens)
    column_of = torch.full((main.shape.vocab_size,), -1)
    column_of[head.targets] = torch.arange(len(head.targets))
    weights = weights_of(texts, choices, column_of)
    drafted = head(features, tuple(shifted(embedded, step + 1) for step in range(STEPS)), texts.mask)
    losses = []
    for step, x in enumerate(drafted):
        counted = weights[step].flatten().nonzero().squeeze(1)
        wanted = column_of[shifted(choices, step + 1)].flatten()[counted]
        scores = head.scores(main, x.flatten(0, 1)[counted]).float()
        share = weights[step].flatten()[counted]
        losses.append(functional.cross_entropy(scores, wanted, reduction="none") @ share)
    return sum(losses, torch.zeros(())) / weights.sum()


def shifted(rows: Tensor, count: int) -> Tensor:
    """Rows (rows, length, ...) of which place i holds what place i + count held; the last ones are repeated."""
    return torch.cat([rows[:, count:], rows[:, -1:].expand(-1, count, *rows.shape[2:])], dim=1)


def weights_of(texts: Texts, choices: Tensor, column_of: Tensor) -> Tensor:
    """What the draft of each step counts, (steps, rows, length).

    Step s of place i predicts the token at i + 2 + s, of which the text holds the one before. It counts while all of
    them are of one answer and the tokens from i + 2 on are what main would have said.
    """
    length = texts.tokens.shape[1]
    places = torch.arange(length)
    weights = []
    open_so_far = torch.ones_like(texts.answers)
    for step in range(STEPS):
        target = step + 2
        inside = (places + target < length) & (shifted(texts.owners, target) == texts.owners)
        open_so_far = open_so_far & inside & shifted(texts.answers, target)
        known = column_of[shifted(choices, step + 1)] >= 0
        weights.append((open_so_far & known) * LATER**step)
        open_so_far = open_so_far & known & (shifted(choices, step + 1) == shifted(texts.tokens, target))
    return torch.stack(weights)
