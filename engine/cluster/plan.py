"""How a model would lie on several machines: by heads or by layers, which part where, and whether it fits.

Arithmetic over config.json and file sizes. Imports no MLX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.advice.cache_shape import caches_latents
from engine.advice.fit import ModelSize, check_fit
from engine.cluster.errors import ClusterError
from engine.errors import ModelNotUsable
from engine.model_files.architecture import mlx_lm_module, splits_of
from engine.model_files.config import text_config
from engine.model_files.inspection import read_checked_config, weight_files

SPLITS = ("auto", "tensor", "pipeline")
# A head's worth of one of these has to be whole on every rank; a count of 0 or none asks for nothing.
_DIVIDED = (
    "num_attention_heads",
    "num_key_value_heads",
    "linear_num_key_heads",
    "linear_num_value_heads",
)
# Families that repeat heads of keys and values where there are fewer than ranks.
_REPEAT_KEYS = frozenset({"qwen3_5", "qwen3_next"})
_INNER = ("intermediate_size", "moe_intermediate_size")


@dataclass(frozen=True, slots=True)
class RankPart:
    """What rank `rank`, on machine `host`, holds: heads and layers by number (the end excluded), and bytes.

    `needed_bytes` are the weights, caches for the context, and what a prompt takes; `free_bytes` what may be used there
    (None: not known).
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
        """None where the machine's memory is not known."""
        return None if self.free_bytes is None else self.needed_bytes <= self.free_bytes


@dataclass(frozen=True, slots=True)
class Plan:
    """How one model lies on the machines; `split` is "tensor" or "pipeline"."""

    model: str
    split: str
    parts: tuple[RankPart, ...]

    @property
    def fits(self) -> bool:
        """Whether every machine whose memory is known can hold its part."""
        return all(part.fits is not False for part in self.parts)


def choose_split(config: Mapping[str, Any], ranks: int, wanted: str = "auto") -> str:
    """ "tensor" where the heads can be divided, else "pipeline". Raises `ClusterError` ("cannot-split").

    By heads every machine works on every token; by layers the machines work one after the other, which only adds up
    their memory.
    """
    module = mlx_lm_module(config)
    ways = splits_of(module) if module is not None else ()
    if not ways:
        raise ClusterError("cannot-split", detail=f"mlx-lm has no way to split {config.get('model_type')}")
    problem = _heads_problem(config, str(module), ranks) if "tensor" in ways else "not by heads"
    if wanted != "pipeline" and problem is None:
        return "tensor"
    layers = _number(text_config(config), "num_hidden_layers")
    if wanted != "tensor" and "pipeline" in ways and layers >= ranks:
        return "pipeline"
    if wanted == "pipeline" and "pipeline" not in ways:
        problem = "not by layers"
    raise ClusterError("cannot-split", detail=problem or f"{layers} layers over {ranks} machines")


def model_size(folder: Path) -> ModelSize:
    """The size of a model on the disk, as the GPU of each machine would hold it. Raises `ModelNotUsable`."""
    config = read_checked_config(folder)
    try:
        weights = sum(file.stat().st_size for file in weight_files(folder))
    except OSError as error:
        raise ModelNotUsable(folder, "incomplete", Path(error.filename or "").name) from error
    return ModelSize(str(folder), weights, config)


def make_plan(
    size: ModelSize, name: str, hosts: Sequence[str], free: Sequence[int | None], context: int, wanted: str = "auto"
) -> Plan:
    """The parts of a model of this size on `hosts`, of which `free[i]` bytes may be used. Raises `ClusterError`."""
    ranks = len(hosts)
    split = choose_split(size.config, ranks, wanted)
    text = text_config(size.config)
    heads, layers = _number(text, "num_attention_heads"), _number(text, "num_hidden_layers")
    whole = check_fit(size, None, context, 0)
    cached = next((term.bytes for term in whole.terms if term.code == "cache"), 0)
    rest = whole.needed - size.weight_bytes - cached
    parts = []
    for rank, (host, limit) in enumerate(zip(hosts, free, strict=True)):
        if split == "tensor":
            own_heads, own_layers = (rank * heads // ranks, (rank + 1) * heads // ranks), (0, layers)
            weights = size.weight_bytes // ranks
            caches = cached if caches_latents(size.config) else cached // ranks
        else:
            own_heads, own_layers = (0, heads), _layers_of(rank, ranks, layers)
            share = (own_layers[1] - own_layers[0]) / max(1, layers)
            weights, caches = int(size.weight_bytes * share), int(cached * share)
        parts.append(RankPart(rank, host, own_heads, own_layers, weights, weights + caches + rest, limit))
    return Plan(name, split, tuple(parts))


def _layers_of(rank: int, ranks: int, layers: int) -> tuple[int, int]:
    """mlx-lm's own division: rank 0 has the last layers, and the first ranks the ones that are left over."""
    base, extra = divmod(layers, ranks)
    counts = [base + (one < extra) for one in range(ranks)]
    start = sum(counts[rank + 1 :])
    return start, start + counts[rank]


def _heads_problem(config: Mapping[str, Any], module: str, ranks: int) -> str | None:
    """What the ranks do not divide, or None."""
    text = text_config(config)
    for name in _DIVIDED:
        count = _number(text, name)
        if name == "num_key_value_heads" and (module in _REPEAT_KEYS or caches_latents(config)):
            continue
        if count % ranks:
            return f"{count} {name} over {ranks} machines"
    quantised = config.get("quantization") or config.get("quantization_config")
    group = quantised.get("group_size", 64) if isinstance(quantised, Mapping) else 1
    for name in _INNER:
        if (width := _number(text, name)) % (ranks * (group if isinstance(group, int) else 64)):
            return f"{width} {name} over {ranks} machines"
    return None


def _number(text: Mapping[str, Any], name: str) -> int:
    value = text.get(name)
    return value if isinstance(value, int) else 0
