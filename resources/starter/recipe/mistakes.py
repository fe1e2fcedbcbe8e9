"""What a model gets wrong of a course that it took: the conversations in which it would write another token.

Most of what a further step would show it is right by then, and asking tells which is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from resources.starter.recipe.distillation import with_choices
from resources.starter.recipe.packing import pack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from resources.starter.recipe.model import LanguageModel
    from resources.starter.recipe.packing import Example, Rows

# Among what is new, this share was wrong. A wrong one of what is kept comes so many times beside all that is kept.
_WRONG_SHARE, _TIMES = 0.6, 4


def mistaken(model: LanguageModel, rows: Rows) -> list[set[int]]:
    """For each row, the owners in whose answers the model would write another token."""
    choices = with_choices(model, rows).choices
    assert choices is not None
    goes_on = (rows.owners[:, 1:] == rows.owners[:, :-1]) & (rows.owners[:, 1:] > 0) & rows.answers[:, 1:]
    wrong = goes_on & (choices[:, :-1] != rows.tokens[:, 1:])
    return [set(owners[is_wrong].tolist()) for owners, is_wrong in zip(rows.owners[:, 1:], wrong, strict=True)]


def harder(
    main: LanguageModel, former: LanguageModel, new: Rows, kept: Rows, padding: int, seed: int
) -> tuple[Rows, Rows]:
    """Rows that lean on what main gets wrong: of what is new, and of what is kept and its former self knew."""
    generator = np.random.default_rng(seed)
    wrong = list(taken(new, mistaken(main, new)))
    others = list(taken(new, [set(owners.tolist()) - {0} for owners in new.owners]))
    count = min(len(others), int(len(wrong) * (1 - _WRONG_SHARE) / _WRONG_SHARE))
    others = [others[place] for place in generator.choice(len(others), count, replace=False)]
    forgotten = [now - before for now, before in zip(mistaken(main, kept), mistaken(former, kept), strict=True)]
    known = list(taken(kept, [set(owners.tolist()) - {0} for owners in kept.owners]))
    mixed = (wrong + others, list(taken(kept, forgotten)) * _TIMES + known)
    new, kept = (
        _shuffled(examples, rows.tokens.shape[1], padding, generator)
        for examples, rows in zip(mixed, (new, kept), strict=True)
    )
    return new, kept


def taken(rows: Rows, owners: Sequence[set[int]]) -> Iterator[Example]:
    """The conversations of these owners, row by row."""
    for row, chosen in enumerate(owners):
        for owner in sorted(chosen):
            here = rows.owners[row] == owner
            yield rows.tokens[row][here].tolist(), rows.answers[row][here].tolist()


def _shuffled(examples: Sequence[Example], length: int, padding: int, generator: np.random.Generator) -> Rows:
    return pack([examples[place] for place in generator.permutation(len(examples))], length, padding)
