"""One more course for a main model that is finished: it learns something new and forgets nothing.

Each step holds rows of the new course and more of what the model knows. On the new rows it learns the
written answers; on the others it is held to its own former self, token for token (distillation: Li and Hoiem,
"Learning without forgetting", 2016). AdamW at a low rate, since Muon takes steps of one length however little there is
left to learn, and that alone makes a small model forget.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from resources.starter.recipe.packing import Rows
from resources.starter.recipe.training import Batch, compile_if_possible, make_batch, train

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from torch import nn

    from resources.starter.recipe.model import LanguageModel

NEW_ROWS, KEPT_ROWS, LONG_EVERY = 3, 6, 40
FULL_RATE, FORMER_WEIGHT, WRITTEN_WEIGHT = 3e-4, 8.0, 0.5


@dataclass(frozen=True)
class Lesson:
    """A step's batch, which of its predicted tokens belong to what the model knows already, and its former self's mask.

    The former self does not see the tokens `unseen` that open a conversation, and answers it as without them.
    """

    batch: Batch
    is_kept: Tensor
    former_mask: Tensor


def former_self(main: LanguageModel) -> LanguageModel:
    """A copy of `main` that stays what it is."""
    return copy.deepcopy(main).requires_grad_(False).eval()


def refresh(
    main: LanguageModel,
    former: LanguageModel,
    lessons: Sequence[Rows],
    steps: int,
    seed: int,
    checkpoint: Path,
    first_rate: float = 1.0,
    unseen: Sequence[int] = (),
) -> None:
    """Train `main` in place on `lessons`: new rows, kept rows, and long rows, which are kept ones too.

    On what is kept it is held to its `former` self, which does not see the tokens `unseen` that open conversations.
    The rate falls from `first_rate`, a share of the full one.
    """
    compile_if_possible(former)
    fall = [first_rate * (1 - step / steps) for step in range(steps)]
    data = partial(lessons_from, *lessons, seed, steps, unseen=unseen)
    train(main, data, fall, checkpoint, loss_of=partial(refresh_loss, former), optimisers_of=_adamw)


def _adamw(model: nn.Module) -> list[torch.optim.Optimizer]:
    return [torch.optim.AdamW(model.parameters(), lr=FULL_RATE, betas=(0.9, 0.99), weight_decay=0.0)]


def lessons_from(
    new: Rows, kept: Rows, long: Rows, seed: int, steps: int, start: int, unseen: Sequence[int] = ()
) -> Iterator[Lesson]:
    """The lessons of steps `start` to `steps`: the same for the same seed, wherever a run begins."""
    return islice(_endless(new, kept, long, seed, torch.tensor(unseen)), start, steps)


def _endless(new: Rows, kept: Rows, long: Rows, seed: int, unseen: Tensor) -> Iterator[Lesson]:
    generator = np.random.default_rng(seed)
    orders = [_order(len(rows), generator) for rows in (new, kept, long)]
    step = 0
    while True:
        step += 1
        if step % LONG_EVERY == 0:
            batch = make_batch(long, [next(orders[2])])
            yield Lesson(batch, torch.ones_like(batch.predicting, dtype=torch.bool), batch.mask)
        else:
            chosen = [list(islice(order, count)) for order, count in zip(orders, (NEW_ROWS, KEPT_ROWS), strict=False)]
            batch = make_batch(_joined(new, kept, chosen), list(range(NEW_ROWS + KEPT_ROWS)))
            is_kept = batch.predicting >= NEW_ROWS * new.tokens.shape[1]
            yield Lesson(batch, is_kept, _without(unseen, batch))


def _without(unseen: Tensor, batch: Batch) -> Tensor:
    """The batch's mask in which nothing but themselves sees the tokens `unseen`; positions are relative."""
    length = batch.tokens.shape[1]
    if not len(unseen):
        return batch.mask
    begins = (batch.tokens.unfold(1, len(unseen), 1) == unseen).all(-1)
    hidden = torch.zeros_like(batch.tokens, dtype=torch.bool)
    for offset in range(len(unseen)):
        hidden[:, offset : offset + begins.shape[1]] |= begins
    return batch.mask & (~hidden[:, None, None] | torch.eye(length, dtype=torch.bool))


def _order(count: int, generator: np.random.Generator) -> Iterator[int]:
    while True:
        yield from generator.permutation(count).tolist()


def _joined(new: Rows, kept: Rows, chosen: Sequence[list[int]]) -> Rows:
    parts = [
        (rows.tokens[places], rows.answers[places], rows.owners[places])
        for rows, places in zip((new, kept), chosen, strict=True)
    ]
    return replace(
        new,
        **{
            name: np.concatenate(columns)
            for name, columns in zip(("tokens", "answers", "owners"), zip(*parts, strict=True), strict=True)
        },
    )


def refresh_loss(former: LanguageModel, main: LanguageModel, lesson: Lesson) -> Tensor:
    """Cross-entropy with the written answers; on what is kept also the divergence from the former self."""
    batch, is_kept = lesson.batch, lesson.is_kept
    hidden = main(batch.tokens, batch.mask).flatten(0, 1)[batch.predicting]
    scores = main.logits(hidden).float()
    with torch.no_grad():
        known = former(batch.tokens, lesson.former_mask).flatten(0, 1)[batch.predicting[is_kept]]
        former_scores = former.logits(known).float()
    losses = functional.cross_entropy(scores, batch.targets, reduction="none")
    divergence = functional.kl_div(
        functional.log_softmax(scores[is_kept], -1),
        functional.log_softmax(former_scores, -1),
        reduction="batchmean",
        log_target=True,
    )
    written = WRITTEN_WEIGHT * losses[is_kept].mean() + FORMER_WEIGHT * divergence
    return written if is_kept.all() else written + losses[~is_kept].mean()
