"""Plans how several machines divide a model, by heads or by layers, and whether each part fits.

It computes with config.json and file sizes only. Imports no MLX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.advice.fit import ModelSize, check_fit, stored_bits
from engine.computers.errors import ClusterError
from engine.model_files.architecture import mlx_lm_module, splits_of
from engine.model_files.config import context_length, text_config
from engine.model_files.inspection import LAYER
from engine.model_files.model_folder import ModelFolder

SPLITS = ("auto", "tensor", "pipeline")
# Counts of heads that the number of ranks has to divide, if a model has them.
_DIVIDED = ("num_attention_heads", "num_key_value_heads", "linear_num_key_heads", "linear_num_value_heads")
# Families that repeat heads of keys and values if there are fewer than ranks.
_REPEAT_KEYS = frozenset({"qwen3_5", "qwen3_next"})
# Families that divide layers in groups, and families that give the remaining layers to the last ranks, not the first.
_IN_GROUPS = frozenset({"bailing_hybrid"})
_MORE_FOR_LAST = frozenset({"kimi_k3"})
_INNER = ("intermediate_size", "moe_intermediate_size")


@dataclass(frozen=True, slots=True)
class RankPart:
    """The part of rank `rank` on machine `host`: ranges of heads and layers (the end excluded), and bytes.

    `needed_bytes` covers the weights, the caches for the context, and the reading of a prompt; `free_bytes` may be used
    there (None: unknown).
    """

    rank: int
    host: str
    heads: tuple[int, int]
    layers: tuple[int, int]
    weight_bytes: int
    needed_bytes: int
    free_bytes: int | None

    @property
    def fits(self) -> bool | None:
        """Whether the part fits; None if the machine's memory is unknown."""
        return None if self.free_bytes is None else self.needed_bytes <= self.free_bytes


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """The division of one model; `split` is "tensor" (by heads) or "pipeline" (by layers)."""

    model: str
    split: str
    parts: tuple[RankPart, ...]

    @property
    def fits(self) -> bool:
        """Whether every machine whose memory is known can hold its part."""
        return all(part.fits is not False for part in self.parts)


def choose_split(config: Mapping[str, Any], ranks: int, wanted: str = "auto") -> str:
    """Return "tensor" if the heads can be divided, else "pipeline". Raises `ClusterError` ("cannot-split").

    By heads all machines work at the same time; by layers they work in turn, which only adds up their memory.
    """
    module = mlx_lm_module(config)
    ways = splits_of(module) if module is not None else ()
    if not ways:
        raise ClusterError("cannot-split", detail=f"mlx-lm has no way to split {config.get('model_type')}")
    problem = _heads_problem(config, str(module), ranks) if "tensor" in ways else "not by heads"
    if wanted != "pipeline" and problem is None:
        return "tensor"
    layers = _number(text_config(config), "num_hidden_layers")
    if wanted != "tensor" and "pipeline" in ways and min(_layers_by_rank(config, ranks)) > 0:
        return "pipeline"
    if wanted == "pipeline" and "pipeline" not in ways:
        problem = "not by layers"
    raise ClusterError("cannot-split", detail=problem or f"{layers} layers over {ranks} computers")


def model_size(folder: Path) -> ModelSize:
    """Return the size of a model on disk, which is its size on a GPU. Raises `ModelNotUsable`."""
    model = ModelFolder(folder)
    return ModelSize(str(folder), model.weight_bytes, model.config)


def part_of(size: ModelSize, split: str, rank: int, ranks: int) -> ModelSize:
    """Return the size of one rank's part of a model.

    Every rank holds the embedding and the output matrix, and caches that all heads share are divided by layers only.
    """
    text = text_config(size.config)
    layers = _number(text, "num_hidden_layers")
    share = 1 / ranks
    cached = 1 / ranks
    if split == "pipeline":
        first, end = layers_of(size.config, rank, ranks)
        share = cached = (end - first) / max(1, layers)
    elif size.shape.undivided:
        cached = 1.0
    whole = min(size.weight_bytes, _embedding_bytes(size.config))
    weights = whole + int((size.weight_bytes - whole) * share)
    return replace(size, weight_bytes=weights, element_bytes=size.element_bytes * cached)


def files_of_others(folder: Path, split: str, rank: int, ranks: int) -> frozenset[str]:
    """Return the files of weights that hold only layers of other ranks, so that this rank does not need them.

    There are none in a split by heads, or if the index does not name every layer. Raises `ModelNotUsable`.
    """
    if split != "pipeline":
        return frozenset()
    model = ModelFolder(folder)
    config = model.config
    files = model.files_by_tensor
    first, end = layers_of(config, rank, ranks)
    numbers = {name: int(match[1]) for name in files if (match := LAYER.match(name))}
    if not set(range(_number(text_config(config), "num_hidden_layers"))) <= set(numbers.values()):
        return frozenset()
    needed = {file for name, file in files.items() if name not in numbers or first <= numbers[name] < end}
    return frozenset(files.values()) - needed


def check_room(size: ModelSize, split: str, rank: int, ranks: int, context: int, free: int) -> None:
    """Raise `ClusterError` ("no-memory") unless a rank's part of a model of this size fits into `free` bytes."""
    part = part_of(size, split, rank, ranks)
    report = check_fit(part, None, min(context, context_length(size.config) or context), free)
    if not report.fits:
        needed, there = (f"{count / 1e9:.1f} GB" for count in (report.needed, free))
        raise ClusterError("no-memory", detail=f"{needed} needed, {there} free")


def make_plan(
    size: ModelSize, name: str, hosts: Sequence[str], free: Sequence[int | None], context: int, wanted: str = "auto"
) -> ClusterPlan:
    """Plan the parts of a model on `hosts`, whose i-th may use `free[i]` bytes. Raises `ClusterError`."""
    ranks = len(hosts)
    split = choose_split(size.config, ranks, wanted)
    text = text_config(size.config)
    heads = _number(text, "num_attention_heads")
    layers = _number(text, "num_hidden_layers")
    parts = []
    for rank, (host, limit) in enumerate(zip(hosts, free, strict=True)):
        if split == "tensor":
            own_heads = (rank * heads // ranks, (rank + 1) * heads // ranks)
            own_layers = (0, layers)
        else:
            own_heads = (0, heads)
            own_layers = layers_of(size.config, rank, ranks)
        part = part_of(size, split, rank, ranks)
        needed = check_fit(part, None, context, 0).needed
        parts.append(RankPart(rank, host, own_heads, own_layers, part.weight_bytes, needed, limit))
    return ClusterPlan(name, split, tuple(parts))


def fits_together(size: ModelSize, draft_bytes: int, free: Sequence[int], context: int) -> bool:
    """Whether machines with `free[i]` usable bytes can hold the model, and the first one its draft model too."""
    if len(free) < 2:
        return False
    try:
        limits = [free[0] - draft_bytes, *free[1:]]
        return make_plan(size, size.id, [""] * len(free), limits, context).fits
    except ClusterError:
        return False


def layers_of(config: Mapping[str, Any], rank: int, ranks: int) -> tuple[int, int]:
    """Return the layers of a rank (the end excluded), as mlx-lm divides them; rank 0 has the last layers."""
    counts = _layers_by_rank(config, ranks)
    start = sum(counts[rank + 1 :])
    return start, start + counts[rank]


def _layers_by_rank(config: Mapping[str, Any], ranks: int) -> list[int]:
    """Return how many layers each rank gets, as mlx-lm divides them."""
    text = text_config(config)
    module = mlx_lm_module(config)
    layers = _number(text, "num_hidden_layers")
    # If layers are divided in groups, the first rank also gets the layers outside of whole groups.
    group = max(1, _number(text, "layer_group_size")) if module in _IN_GROUPS else 1
    base, extra = divmod(layers // group, ranks)
    more = range(ranks - extra, ranks) if module in _MORE_FOR_LAST else range(extra)
    counts = [group * (base + 1 if rank in more else base) for rank in range(ranks)]
    counts[0] += layers % group
    return counts


def _heads_problem(config: Mapping[str, Any], module: str, ranks: int) -> str | None:
    """Return the size that the number of ranks does not divide, or None."""
    text = text_config(config)
    for name in _DIVIDED:
        count = _number(text, name)
        if name == "num_key_value_heads" and (module in _REPEAT_KEYS or _number(text, "kv_lora_rank")):
            continue
        if count % ranks:
            return f"{count} {name} over {ranks} computers"
    quantised = config.get("quantization") or config.get("quantization_config")
    group = quantised.get("group_size", 64) if isinstance(quantised, Mapping) else 1
    for name in _INNER:
        if (width := _number(text, name)) % (ranks * (group if isinstance(group, int) else 64)):
            return f"{width} {name} over {ranks} computers"
    return None


def _embedding_bytes(config: Mapping[str, Any]) -> int:
    """Return the bytes that no split divides: the embedding, and the output matrix if it is another matrix."""
    text = text_config(config)
    tied = text.get("tie_word_embeddings", config.get("tie_word_embeddings", False))
    numbers = _number(text, "vocab_size") * _number(text, "hidden_size") * (1 if tied else 2)
    return int(numbers * stored_bits(config) / 8)


def _number(text: Mapping[str, Any], name: str) -> int:
    value = text.get(name)
    return value if isinstance(value, int) else 0
