"""The draft's training targets: the token that the final main model would write at every position of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from resources.starter.recipe.training import make_batch, narrow_numbers

if TYPE_CHECKING:
    from resources.starter.recipe.model import LanguageModel
    from resources.starter.recipe.packing import Rows

_ROWS = 16


@torch.no_grad()
def with_choices(main: LanguageModel, rows: Rows) -> Rows:
    """`rows` with main's most likely next token at every place where an answer goes on.

    Greedy acceptance asks for nothing else, and asked once, main costs the draft's training no time.
    """
    choices = np.zeros_like(rows.tokens)
    for start in range(0, len(rows), _ROWS):
        chosen = list(range(start, min(start + _ROWS, len(rows))))
        batch = make_batch(rows, chosen)
        with narrow_numbers():
            hidden = main.forward(batch.tokens, batch.mask).flatten(0, 1)
            scores = main.logits(hidden[batch.predicting])
        found = choices[chosen].reshape(-1)
        found[batch.predicting.cpu().numpy()] = scores.argmax(-1).cpu().numpy()
        choices[chosen] = found.reshape(len(chosen), -1)
    return replace(rows, choices=choices)
