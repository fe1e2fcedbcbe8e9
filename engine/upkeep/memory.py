"""Applies the arithmetic of `engine.advice.fit` to the memory of this machine as it is now."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mlx.core as mx

from engine.advice import fit
from engine.advice.cache_shape import cached_elements
from engine.advice.fit import ModelSize, check_fit, stored_bits
from engine.cpu_backend.backend import GPU, backend
from engine.errors import NotEnoughMemory
from engine.files.system_memory import system_memory
from engine.model_files.adapters import base_of, read_adapter
from engine.model_files.cache_counting import CacheShape, count_caches
from engine.model_files.config import context_length
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import resolve_model
from engine.row_kernels.attention import key_blocks
from engine.settings import EngineSettings
from engine.status import MemoryUse
from engine.upkeep.main_loader import MainLoader

if TYPE_CHECKING:
    from engine.speculation.drafters.sources import DraftSource
    from engine.upkeep.resident_models import ResidentModel


# What Metal says of a GPU. MLX for macOS always has Metal, but its default device can be the CPU (TANDEM_DEVICE=cpu).
_RECOMMENDED = "max_recommended_working_set_size"


def recommended_limit() -> int:
    """Return the bytes that models may use on MLX's default device, by what Metal recommends for it.

    Where that is no GPU of Metal's, it is an equal share of the system's memory.
    """
    recommended = mx.device_info().get(_RECOMMENDED)
    return fit.memory_for_models(system_memory().total, None if recommended is None else int(recommended))


def return_freed_memory() -> None:
    """Give the memory that this process has freed back to the system. Only glibc would keep it."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)


def memory_use(limit: int | None = None) -> MemoryUse:
    """Return the memory as it is now; `limit` replaces the device's recommended limit."""
    limit = recommended_limit() if limit is None else limit
    active = mx.get_active_memory()
    reusable = mx.get_cache_memory()
    free = min(limit - active, system_memory().usable + reusable)
    return MemoryUse(active, limit, max(0, free))


def size_on_disk(path: Path, kv_bits: int | None) -> ModelSize:
    """Return the size that a model folder will have in memory. Raises `ModelNotUsable`, also for wrong sizes."""
    if (base := base_of(path)) != path:
        size = size_on_disk(base, kv_bits)
        return replace(size, id=str(path), weight_bytes=size.weight_bytes + read_adapter(path).bytes)
    # The CPU has float32, the only precision in which it is fast.
    folder = ModelFolder(path)
    keeps = backend().keeps_weights
    config = folder.config
    if folder.head is None:
        weights = folder.weight_bytes if keeps else int(folder.weight_bytes * 32 / stored_bits(config))
        return ModelSize(str(path), weights, config, element_bytes(kv_bits), count_here, key_blocks_here)
    # Heads are imported with the first one.
    from engine.heads.fit import memory_config
    from engine.heads.folder import inspect_head

    head = inspect_head(path)
    weights = head.weight_bytes if keeps else int(head.weight_bytes * 32 / stored_bits(config))
    return ModelSize(str(path), weights, memory_config(head.config), element_bytes(kv_bits))


def element_bytes(kv_bits: int | None) -> float:
    """Return the bytes of one number in a cache of `kv_bits` bits."""
    return fit.number_bytes(kv_bits or 0) if kv_bits or backend().keeps_weights else 4.0


def count_here(config: Mapping[str, Any]) -> CacheShape:
    """Count the caches of a model in this process, which is about to load it. Raises as `count_caches` does."""
    return count_caches(config, 2 if backend().keeps_weights else 4)


def key_blocks_here(keys: int, share: int) -> int:
    """Return in how many blocks this machine's GPU sums `keys` keys, as `ModelSize.key_blocks`; 0 without one."""
    architecture = str(mx.device_info().get("architecture", ""))
    return key_blocks(keys, share, architecture[-1])[0] if architecture.startswith("applegpu_") else 0


def check_request(main: ModelSize, draft: ModelSize | None, tokens: int, free: int, name: str = "") -> None:
    """Raise `NotEnoughMemory`, for `name` or the main model, unless `tokens` prompt tokens fit into `free` bytes.

    The weights in the sizes of models that are loaded already are 0.
    """
    report = check_fit(main, draft, tokens, free)
    if report.fits:
        return
    fitting = (bits for bits in (8, 4) if check_fit(*_quantised(main, draft, bits), tokens, free).fits)
    without = check_fit(main, None, tokens, free)
    raise NotEnoughMemory(
        name or main.id,
        report.needed,
        free,
        tokens,
        fit.largest_context(main, draft, free),
        tuple((term.code, term.model, term.bytes) for term in report.terms if term.bytes),
        kv_bits=next(fitting, 0),
        draft_bytes=max(0, without.free_after) if draft is not None else 0,
    )


def cache_bytes(model: ModelSize, tokens: int, *, drafts: bool = False) -> int:
    """Return the bytes of `tokens` tokens in the caches of a draft model, if it `drafts`, or of a main model."""
    shape = model.shape
    return int(cached_elements(shape, tokens, drafts=drafts) * model.element_bytes) + shape.state_bytes


class MetalLimits:
    """Keeps weights and caches resident on Metal, and bounds the freed memory that MLX keeps.

    It does nothing on other systems, nor where the CPU computes. With more resident than they need, macOS lacks memory.
    MLX's own bound is nearly all that Metal recommends.
    """

    def __init__(self) -> None:
        self._before: tuple[int, int] | None = None

    def set(self, needed: int, reusable: int) -> None:
        """Keep `needed` bytes resident, at most those that Metal recommends, and `reusable` freed ones."""
        if not (mx.metal.is_available() and backend() is GPU):
            return
        # MLX raises where more is asked for than Metal recommends for the GPU, whatever the default device is.
        of_gpu = int(mx.device_info(mx.gpu).get(_RECOMMENDED, needed))
        before = self._change(min(needed, of_gpu), reusable)
        self._before = self._before or before

    def restore(self) -> None:
        if self._before is not None:
            self._change(*self._before)
            self._before = None

    @staticmethod
    def _change(resident: int, reusable: int) -> tuple[int, int]:
        # They must not change while anything is being computed.
        mx.synchronize()
        return mx.set_wired_limit(resident), mx.set_cache_limit(reusable)


class ModelMemory:
    """What the resident models, which `follow` tells it, take, and what else fits. Belongs to the engine's thread."""

    def __init__(self, settings: EngineSettings, main_loader: MainLoader) -> None:
        self.settings = settings
        self._main_loader = main_loader
        self._limits = MetalLimits()
        self._resident: Sequence[ResidentModel] = ()
        # The main model in use and its drafter without their weights, as far as their configurations are known: making
        # sizes takes longer than using them.
        self._sizes: list[ModelSize] = []

    def follow(self, resident: Sequence[ResidentModel], used: ResidentModel | None) -> None:
        """Keep what the `resident` models and the caches of the one that is `used` need resident on Metal."""
        self._resident = resident
        models = () if used is None else (used.main, used.drafting.drafter)
        self._sizes = [
            ModelSize(model.info.name, 0, model.config, element_bytes(model.info.kv_bits), count_here, key_blocks_here)
            for model in models
            if model is not None and model.config
        ]
        if used is not None:
            # The next pass, or layer, uses again what one has freed; nothing needs more than that.
            blocks = [fit.block_bytes(size, self._context_of(size)) for size in self._sizes]
            self._limits.set(self._resident_bytes(used), max([fit.workspace_bytes(*self._sizes), *blocks]))
        elif not resident:
            self._limits.restore()

    def use(self) -> MemoryUse:
        return memory_use(self.settings.memory_limit)

    @property
    def available(self) -> int:
        """The bytes that can be used before other programs get slower."""
        return min(self.use().free, system_memory().available + mx.get_cache_memory())

    def main_size(self, main: str | Path) -> ModelSize:
        """Return the size that a main model will have in this process. Raises `ModelNotUsable`."""
        return self._main_loader.size_here(size_on_disk(resolve_model(main), self.settings.kv_bits))

    def check_load(self, main: ModelSize, draft: ModelSize | None) -> None:
        """Raise `NotEnoughMemory` unless these fit in the place of all that is resident, or the settings allow it."""
        if not self.settings.allow_oversize:
            use = self.use()
            room = min(use.limit, use.free + use.active)
            check_request(main, draft, self._context_of(main), room, Path((draft or main).id).name)

    def crowds(self, size: ModelSize) -> bool:
        """Whether loading one more model may make other programs slower."""
        return not check_fit(size, None, self._context_of(size), self.available).fits

    def copy_fits(self, draft: DraftSource) -> bool:
        """Whether there is memory for a copy of a draft model in float32, with caches for the usual context."""
        path = draft.info.path
        config = draft.config
        if not (path / "config.json").exists():
            return draft.info.bytes <= self.available
        # The copy drafts on the CPU, where only float32 is fast.
        weights = int(ModelFolder(path).weight_bytes * 32 / stored_bits(config))
        size = ModelSize(draft.info.name, 0, config, 4.0, count_here)
        return weights + cache_bytes(size, self.settings.context, drafts=True) <= self.available

    def cache_bytes(self, tokens: int) -> int:
        """Return the bytes of `tokens` tokens in the caches of main model and drafter, as far as these are known."""
        # The main model comes first.
        return sum(cache_bytes(size, tokens, drafts=i > 0) for i, size in enumerate(self._sizes))

    def check_request(self, tokens: int, free: int) -> None:
        """Raise `NotEnoughMemory` unless `tokens` tokens can be prefilled and cached in `free` bytes."""
        if self._sizes:
            check_request(*self._pair, tokens, free)

    @property
    def _pair(self) -> tuple[ModelSize, ModelSize | None]:
        """Return the sizes of the main model in use and of its drafter, None without one."""
        drafter = self._sizes[1] if len(self._sizes) > 1 else None
        return self._sizes[0], drafter

    def _resident_bytes(self, used: ResidentModel) -> int:
        """Return the bytes of weights, of the caches of all answers that may be active, and of a pass."""
        if not self._sizes:
            return recommended_limit()
        weights = sum(model.bytes for model in self._resident)
        others = self.settings.most_active - 1
        # The caches of one answer, and a pass over its prompt.
        first = check_fit(*self._pair, self._context_of(self._sizes[0]), 0).needed
        # The tower is loaded later.
        first += 0 if used.main.vision is None else used.main.vision.bytes_to_load
        return weights + first + others * self.cache_bytes(self.settings.context)

    def _context_of(self, main: ModelSize) -> int:
        return min(self.settings.context, context_length(main.config) or self.settings.context)


def _quantised(main: ModelSize, draft: ModelSize | None, bits: int) -> tuple[ModelSize, ModelSize | None]:
    """Return the models with caches of at most `bits` bits."""
    least = min(main.element_bytes, element_bytes(bits))
    smaller_draft = None if draft is None else replace(draft, element_bytes=least)
    return replace(main, element_bytes=least), smaller_draft
