"""This process's part of a main model, and the passes in which all ranks compute it together."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.cluster.plan import files_of_others
from engine.cluster.splitting import Tail, cache_kinds, split_model
from engine.steps import Steps


class SplitPart:
    """What this rank holds of a model (see `engine.loading.Part`); `meet` waits for the others.

    Once the model is split, `tail` says how far a pass concerns the others, and `kinds` what its caches are.
    """

    def __init__(self, group: mx.distributed.Group, split: str, meet: Callable[[], Steps[None]]) -> None:
        self._group, self._split, self._meet = group, split, meet
        self.tail: Tail | None = None
        self.kinds: list[str] = []

    def may_lack(self, path: Path) -> Set[str]:
        return files_of_others(path, self._split, self._group.rank(), self._group.size())

    def split(self, model: nn.Module) -> None:
        self.tail = Tail(model, by_layers=self._split == "pipeline")
        split_model(model, self._group, self._split)
        self.tail.watch()
        self.kinds = cache_kinds(model)

    def meet(self) -> Steps[None]:
        return self._meet()


def shared_ids(ids: mx.array | None, shape: Sequence[int], group: mx.distributed.Group) -> mx.array:
    """The token ids (rows, width) of rank 0, which gives them, on every rank, which give None.

    An exchange like those of the layers: ids that rank 0 has not read yet need not be waited for. Gathering them waits
    for the link half as often as a sum.
    """
    own = mx.zeros(tuple(shape), mx.uint32) if ids is None else ids.astype(mx.uint32)
    return mx.distributed.all_gather(own, group=group)[: shape[0]]


def run_pass(call: Callable[..., mx.array], ids: mx.array, caches: Sequence[Any], tail: Tail) -> mx.array:
    """The model's pass over `ids`, sent to the device as far as ranks exchange anything in it.

    That happens in the order of the calls on every rank, however the logits are used later.
    """
    if tail.by_layers:
        # Nothing in a pass over later layers follows from the ids, so that their exchange could come last, or never.
        mx.async_eval(ids)  # type: ignore[no-untyped-call]
    logits = call(ids, cache=caches)
    mx.async_eval(tail.of(logits))  # type: ignore[no-untyped-call]
    return logits
