"""What fits: the arithmetic of `engine.hub.fit` against the memory of this machine as it is now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import psutil

from engine.errors import NotEnoughMemory
from engine.hub.cache_shape import cache_shape
from engine.hub.fit import FitReport, ModelSize, check_fit, context_length, largest_context
from engine.hub.inspection import read_config, weight_files

# Scales and offsets of a quantised cache: two 16-bit numbers for every 64 values.
_SCALE_BITS = 0.5


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes: what MLX holds now and has held at most, and what of the `limit` may still be used."""

    active: int
    peak: int
    limit: int
    free: int


def on_gpu() -> bool:
    """Whether MLX computes on Metal here."""
    return bool(mx.metal.is_available()) and mx.default_device() != mx.Device(mx.cpu)


def recommended_limit() -> int:
    """Metal's recommended working set, or the system's memory where MLX computes on the CPU."""
    if on_gpu():
        return int(mx.device_info()["max_recommended_working_set_size"])
    return int(psutil.virtual_memory().total)


def memory_use(limit: int | None = None) -> MemoryUse:
    """As it is now; `limit` stands in for what the device recommends."""
    limit = recommended_limit() if limit is None else limit
    active, kept = mx.get_active_memory(), mx.get_cache_memory()
    free = min(limit - active, psutil.virtual_memory().available + kept)
    return MemoryUse(active, mx.get_peak_memory(), limit, max(0, free))


def size_on_disk(path: Path, kv_bits: int | None) -> ModelSize:
    """The size that a model folder will have in memory."""
    config = read_config(path)
    weights = sum(file.stat().st_size for file in weight_files(path))
    if not on_gpu():
        weights = int(weights * 32 / _stored_bits(config))
    return ModelSize(str(path), weights, config, element_bytes(kv_bits))


def element_bytes(kv_bits: int | None) -> float:
    """Bytes of one number in a cache."""
    if kv_bits is not None:
        return (kv_bits + _SCALE_BITS) / 8
    return 2.0 if on_gpu() else 4.0


def check_load(main: ModelSize, draft: ModelSize | None, context: int, free: int) -> None:
    """Raise `NotEnoughMemory` unless both models with caches for `context` tokens fit into `free` bytes."""
    report = check_fit(main, draft, _reached(main, context), free)
    if not report.fits:
        raise _too_much(draft or main, report, largest_context(main, draft, free))


def weights_fit(model: ModelSize, context: int, free: int) -> bool:
    """Whether one more model with caches for `context` tokens fits into `free` bytes."""
    return check_fit(model, None, _reached(model, context), free).fits


def _reached(main: ModelSize, context: int) -> int:
    return min(context, context_length(main.config) or context)


def cache_bytes(config: Mapping[str, Any], tokens: int, kv_bits: int | None) -> int:
    """What the caches of one text of `tokens` tokens take."""
    shape = cache_shape(config)
    return int(shape.growing_bytes(tokens, 1) * element_bytes(kv_bits)) + shape.state_bytes()


def check_text(name: str, tokens: int, cost: Callable[[int], int], free: int) -> None:
    """Raise `NotEnoughMemory` unless a text of `tokens` tokens, which takes `cost(tokens)` bytes, fits into `free`."""
    needed = cost(tokens)
    if needed <= free:
        return
    low, high = 0, tokens
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(middle) <= free else (low, middle - 1)
    raise NotEnoughMemory(name, needed, free, tokens, low, (("cache", "main and draft", needed),))


class WiredLimit:
    """Keeps weights and caches resident on Metal, as mlx-lm does while it generates; nothing elsewhere."""

    def __init__(self) -> None:
        self._before: int | None = None

    def raise_it(self) -> None:
        if on_gpu() and self._before is None:
            self._before = mx.set_wired_limit(recommended_limit())

    def put_back(self) -> None:
        if self._before is not None:
            # It must not change while something is being computed.
            mx.synchronize()
            mx.set_wired_limit(self._before)
            self._before = None


def _too_much(model: ModelSize, report: FitReport, largest: int) -> NotEnoughMemory:
    terms = tuple((term.code, term.model, term.bytes) for term in report.terms)
    return NotEnoughMemory(Path(model.id).name, report.needed, report.limit, report.context, largest, terms)


def _stored_bits(config: Mapping[str, Any]) -> float:
    """Bits of a weight in the files, about."""
    quantised = config.get("quantization") or config.get("quantization_config")
    if isinstance(quantised, dict) and isinstance(quantised.get("bits"), int):
        return float(quantised["bits"]) + _SCALE_BITS
    return 32.0 if (config.get("torch_dtype") or config.get("dtype")) == "float32" else 16.0
