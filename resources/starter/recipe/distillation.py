"""The draft learns what the final main model would say: its distribution at every token of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from resources.starter.recipe.training import Batch, predicted_logits

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources.starter.recipe.model import LanguageModel

_HARD_SHARE = 0.3


def distillation_loss(main: LanguageModel) -> Callable[[LanguageModel, Batch], Tensor]:
    """The divergence from main's distribution, with a share of cross-entropy on main's most likely token.

    Greedy acceptance asks only for main's first choice, which is what that share sharpens.
    """
    main.eval()

    def loss(draft: LanguageModel, batch: Batch) -> Tensor:
        with torch.no_grad():
            wanted = predicted_logits(main, batch)
        scores = predicted_logits(draft, batch)
        soft = functional.kl_div(scores.log_softmax(-1), wanted.log_softmax(-1), log_target=True, reduction="batchmean")
        hard = functional.cross_entropy(scores, wanted.argmax(-1))
        return (1 - _HARD_SHARE) * soft + _HARD_SHARE * hard

    return loss
