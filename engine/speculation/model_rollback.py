"""Whether passes of a model can be rolled back: that takes its kinds of caches, and logits that no width changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.speculation.rollback import Rollback, UnknownCacheKind
from engine.speculation.shared_caches import open_rollback

# Models whose logits of a row differ between a wide and a one-row pass, so that verifying is not plain decoding.
# plamo3 masks its window one token wider than its cache; phi3small adds its boolean mask to the scores, so that rows
# attend to later ones.
WIDTH_DEPENDENT = {
    "mlx_lm.models.plamo3": "RotatingKVCache of plamo3",
    "mlx_lm.models.phi3small": "KVCache of phi3small",
}


def rollback_for(model: Any, caches: Sequence[Any]) -> Rollback:
    """Transactions over `caches` of `model`.

    Raises `UnknownCacheKind` if a verify pass of this model could not be rolled back, or would differ from plain
    decoding.
    """
    if (refused := WIDTH_DEPENDENT.get(type(model).__module__)) is not None:
        raise UnknownCacheKind(refused)
    return open_rollback(caches)
