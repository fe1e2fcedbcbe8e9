"""The table of cache kinds: how rollback and batches treat the caches of each class.

A new kind is one entry in `KINDS`. A cache is looked up by its exact class, because a subclass may behave differently.
Models with a cache of any other kind decode plainly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine.speculation.caches.cache_rules import (
    ChunkedRule,
    DeepSeekLayerRule,
    IndexedRule,
    PooledRule,
    RecurrentRule,
    Rule,
    TrimRule,
    UnknownCacheKind,
    WindowRule,
    flatten,
)
from engine.speculation.caches.row_kinds import KeyValueRows, QuantisedRows, StateRows, WindowRows


@dataclass(frozen=True)
class CacheKind:
    """How the caches of one class are treated.

    `rule` removes rejected rows. `rows` holds the caches of several texts as rows of a batch; None if they cannot be
    rows. Families are modules of `mlx_lm.models` or `mlx_vlm.models`: those in `width_dependent` compute other logits
    in a pass over several tokens than in passes over one, and those in `reads_padding` read the padding after a
    shorter row.

    The prompt cache on disk stores all attributes of a cache, so it needs nothing here.
    """

    rule: type[Rule]
    rows: type[KeyValueRows | StateRows] | None
    width_dependent: frozenset[str] = frozenset()
    reads_padding: frozenset[str] = frozenset()


# By name, so that a model's own cache class is not imported.
KINDS = {
    # phi3small adds its boolean mask to the scores, so that rows attend to later ones.
    "mlx_lm.models.cache.KVCache": CacheKind(TrimRule, KeyValueRows, width_dependent=frozenset({"phi3small"})),
    "mlx_lm.models.cache.QuantizedKVCache": CacheKind(TrimRule, QuantisedRows),
    "mlx_lm.models.cache.ChunkedKVCache": CacheKind(ChunkedRule, None),
    # plamo3 masks its window one token wider than its cache.
    "mlx_lm.models.cache.RotatingKVCache": CacheKind(
        WindowRule, WindowRows, width_dependent=frozenset({"plamo3"})
    ),
    "mlx_lm.models.cache.ArraysCache": CacheKind(
        RecurrentRule,
        StateRows,
        reads_padding=frozenset(
            {
                "mamba", "rwkv7", "recurrent_gemma", "olmo_hybrid", "bailing_moe_linear", "nemotron_h", "jamba",
                "baichuan_m1", "longcat_flash_ngram",
            }
        ),
    ),
    "mlx_lm.models.deepseek_v41.LayerCache": CacheKind(DeepSeekLayerRule, None),
    "mlx_vlm.models.cache.ArraysCache": CacheKind(RecurrentRule, None),
    "engine.model_files.vlm_language.Unprojected": CacheKind(RecurrentRule, None),
    "mlx_vlm.models.qwen4_exp.language.QSAKVCache": CacheKind(IndexedRule, None),
    # deepseek_v4 compresses the first tokens of a pass without those before it, so its logits depend on the passes.
    "mlx_vlm.models.cache.PoolingCache": CacheKind(PooledRule, None, width_dependent=frozenset({"deepseek_v4"})),
}  # fmt: skip
# Families that cannot be batched: gemma2 and gpt_bigcode raise; afm7 and minimax_m3_vl use the batch's positions for
# every row.
NEVER_BATCHED = frozenset({"gemma2", "gpt_bigcode", "afm7", "minimax_m3_vl"})


def kind_name(cache: Any) -> str:
    """Return the key of a cache's class in `KINDS`."""
    kind = type(cache)
    return f"{kind.__module__}.{kind.__qualname__}"


def kind_of(cache: Any) -> CacheKind:
    """Return the entry of a single cache. Raises `UnknownCacheKind`."""
    kind = KINDS.get(kind_name(cache))
    if kind is None:
        raise UnknownCacheKind(type(cache).__name__)
    return kind


def rules_for(caches: Iterable[Any]) -> list[Rule]:
    """Return one rule for each single cache in `caches`, nested lists opened. Raises `UnknownCacheKind`."""
    return [kind_of(cache).rule(cache) for cache in flatten(caches)]


def check_widths(model: Any, caches: Iterable[Any]) -> None:
    """Raise `UnknownCacheKind` if verifying with this model would differ from plain decoding."""
    family = _family(model)
    for cache in flatten(caches):
        if family in kind_of(cache).width_dependent:
            raise UnknownCacheKind(f"{type(cache).__name__} of {family}")


def rows_obstacle(model: Any, caches: Iterable[Any]) -> str | None:
    """Return what prevents `caches` of `model`, which can be rolled back, from being rows of a batch, or None."""
    family = _family(model)
    if family in NEVER_BATCHED:
        return f"the batches of {family}"
    for cache in flatten(caches):
        kind = kind_of(cache)
        name = type(cache).__name__
        if family in kind.reads_padding:
            return f"{name} of {family}"
        if kind.rows is None:
            return name
    return None


def _family(model: Any) -> str:
    return getattr(model, "family", type(model).__module__.removeprefix("mlx_lm.models."))
