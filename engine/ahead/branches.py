"""Passes of a draft model over one text, and over several continuations of it side by side.

One pass reads the rows of all continuations. Each row has the position that it would have alone, and a mask lets it see
only the text up to its fork and its own branch. See Miao et al., SpecInfer, arXiv:2305.09781.

Rotary positions are changed in the model itself, which only a process of its own may do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx_lm.models.cache import KVCache, make_prompt_cache

# The largest difference of a row's scores between a tree and a chain, relative to the largest score.
_TOLERANCE = 0.02
# The length of the text that a new model is tried with.
_TRIED = 12


class NoBranches(Exception):
    """The model's passes cannot hold several continuations, because of its caches or its positions."""


@dataclass(slots=True)
class _PassRows:
    """The positions (rows,) and the mask of the rows in the current pass; None if they are the text's next tokens."""

    positions: mx.array | None = None
    mask: mx.array | None = None


class BranchCache(KVCache):  # type: ignore[misc]
    """A cache of full attention that takes mask and positions from the current pass."""

    def __init__(self, rows: _PassRows) -> None:
        super().__init__()
        self._rows = rows

    @property
    def positions(self) -> mx.array | None:
        """The position of each row in the current pass, int32 (rows,), if they do not simply follow `offset`."""
        return self._rows.positions

    def make_mask(self, *arguments: Any, **options: Any) -> Any:
        return self._rows.mask if self._rows.mask is not None else super().make_mask(*arguments, **options)


class _BranchRope:
    """Rotary positions for each row if the rows of a pass are branches."""

    def __init__(self, inner: Any, rows: _PassRows) -> None:
        self._inner = inner
        self._rows = rows

    def __call__(self, x: mx.array, offset: Any = 0) -> mx.array:
        if self._rows.positions is None:
            return self._inner(x, offset=offset)  # type: ignore[no-any-return]
        by_row = self._inner(x.transpose(2, 1, 0, 3), offset=self._rows.positions)
        return by_row.transpose(2, 1, 0, 3)  # type: ignore[no-any-return]


@dataclass(slots=True)
class Tree:
    """Continuations ("branches") of a text of `trunk` tokens, each from its own fork on.

    Branch b shares the first `forks[b]` tokens with the text. `owners` has the branch of each row that was fed so far.
    """

    trunk: int
    forks: Sequence[int]
    owners: list[int] = field(default_factory=list)

    def mask(self, branches: Sequence[int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return what the next row of each of `branches` sees, (rows, trunk + rows fed so far + rows)."""
        owners = np.array([*self.owners, *branches])
        seen = np.zeros((len(branches), self.trunk + len(owners)), dtype=bool)
        for row, branch in enumerate(branches):
            seen[row, : self.forks[branch]] = True
            seen[row, self.trunk :] = owners == branch
        return seen


class BranchPasses:
    """One draft model and its caches, which hold the tokens of a text, and possibly a tree after them.

    It changes how `model` finds positions, so nothing else may use the model. Raises `NoBranches` if the passes of that
    model cannot hold a tree.
    """

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._rows = _PassRows()
        caches = make_prompt_cache(model)
        kinds = {type(cache) for cache in caches}
        if kinds != {KVCache}:
            raise NoBranches(", ".join(sorted(kind.__name__ for kind in kinds)))
        self._layers = len(caches)
        self._caches: list[BranchCache] = []
        self.clear()
        for _, module in model.named_modules():
            if "rope" in vars(module) or "rope" in module:
                module.rope = _BranchRope(module.rope, self._rows)
        self._try()

    def clear(self) -> None:
        """Forget the text."""
        self._caches = [BranchCache(self._rows) for _ in range(self._layers)]

    def cut(self, length: int) -> None:
        """Keep the first `length` tokens, without any tree."""
        for cache in self._caches:
            cache.trim(cache.offset - length)

    def feed(self, tokens: Sequence[int]) -> mx.array:
        """Feed the next tokens of the text; returns lazy logits (tokens, V)."""
        logits: mx.array = self._model(mx.array([list(tokens)], mx.uint32), cache=self._caches)
        return logits[0]

    def feed_tree(self, tree: Tree, branches: Sequence[int], tokens: Sequence[int]) -> mx.array:
        """Feed `tokens`, the next one of each of `branches`, in one pass; returns lazy logits (branches, V)."""
        grown = {branch: tree.owners.count(branch) for branch in branches}
        self._rows.positions = mx.array([tree.forks[branch] + grown[branch] for branch in branches])
        self._rows.mask = mx.array(tree.mask(branches))
        try:
            logits = self.feed(tokens)
        finally:
            self._rows.positions = self._rows.mask = None
        tree.owners += branches
        return logits

    def arrays(self) -> list[mx.array]:
        """Return the arrays that a pass has written, to be evaluated with its logits.

        They are the keys and values of each layer, (1, heads, slots, size).
        """
        return [array for cache in self._caches for array in (cache.keys, cache.values)]

    def _try(self) -> None:
        """Compare a tree of two branches with each of them as a text alone. Raises `NoBranches` if they differ."""
        tokens = list(range(1, _TRIED + 1))
        try:
            self.feed(tokens)
            tree = Tree(_TRIED, (_TRIED - 4, _TRIED))
            self.feed_tree(tree, (0, 1), (3, 5))
            side_by_side = self.feed_tree(tree, (0, 1), (7, 9))
            chains = []
            for fork, tail in zip(tree.forks, ([3, 7], [5, 9]), strict=True):
                self.clear()
                chains.append(self.feed([*tokens[:fork], *tail])[-1:])
            alone = mx.concatenate(chains)
            apart = mx.abs(side_by_side - alone).max() / mx.abs(alone).max()
            difference: float = apart.item()  # type: ignore[assignment]
            # The difference may be NaN, so it is not compared by `>`.
            differs = not difference <= _TOLERANCE
        # A model whose code uses positions or masks otherwise can raise any exception.
        except Exception as error:
            raise NoBranches(str(error)) from error
        if differs:
            raise NoBranches("a tree differs from its chains")
        self.clear()
