"""Counts what a model's caches hold, by the library's own model and caches for its config.json.

The model is built and tokens are passed through it, but MLX computes nothing of that: it knows shapes in advance.
"""

from __future__ import annotations

import copy
import importlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.model_files.architecture import mlx_lm_module, mlx_vlm_module
from engine.sandbox.bare_packages import import_bare_package
from engine.sandbox.tasks import task

# The lengths of two texts in tokens. Both are beyond windows and strides inside a cache, so it grows evenly between
# them.
_SHORTER_TEXT = 1024
_LONGER_TEXT = 2048


@dataclass(frozen=True, slots=True)
class CacheShape:
    """The numbers in a model's caches; layers that share another layer's cache count for nothing.

    `elements_a_token` counts the elements of all full layers together. `windows` has (window in tokens, elements a
    token) for all sliding layers of that window together. `state_bytes` do not grow with the text. `undivided` means
    that all heads of a layer share its keys, as in latent attention.
    """

    elements_a_token: int = 0
    windows: tuple[tuple[int, int], ...] = ()
    state_bytes: int = 0
    undivided: bool = False


@task
def count_bare(config: dict[str, Any]) -> CacheShape:
    """Run `count_caches` without the packages' own imports of all models, and these of transformers."""
    import_bare_package("mlx_lm")
    import_bare_package("mlx_vlm")
    from engine.cpu_backend.backend import use_cpu

    # Nothing is computed, so the GPU need not be woken.
    use_cpu()
    return count_caches(config)


@dataclass(frozen=True, slots=True)
class _CacheSize:
    """One cache: elements a token, for at most `window` tokens (0: for all), and bytes at any length."""

    elements: int = 0
    window: int = 0
    state_bytes: int = 0
    heads: int = 0


def count_caches(config: Mapping[str, Any], number_bytes: int = 2) -> CacheShape:
    """Return the shape of the caches that a configuration's library makes with weights of 16 bits or of 32.

    Imports MLX. Raises what they raise for a configuration that they cannot build.
    """
    import mlx.core as mx

    if (family := mlx_vlm_module(config)) is not None:
        from engine.model_files.vlm_language import vlm_classes

        model_class, arguments = vlm_classes(family)
    else:
        module = importlib.import_module(f"mlx_lm.models.{mlx_lm_module(config)}")
        model_class = module.Model
        arguments = module.ModelArgs
    # Some families change the configuration that they are given.
    model = model_class(arguments.from_dict(copy.deepcopy(dict(config))))
    model.set_dtype(mx.bfloat16 if number_bytes == 2 else mx.float32)
    # Passes over a single token compute at once in qwen4_exp.
    caches = _filled(model, 2)
    shorter = longer = caches
    if any(map(_has_own_kind, caches)):
        shorter = _filled(model, _SHORTER_TEXT)
        longer = _filled(model, _LONGER_TEXT)
    return _shape([_part(*grown, number_bytes) for grown in zip(caches, shorter, longer, strict=True)])


def _filled(model: Any, tokens: int) -> list[Any]:
    """Return the caches of all layers after a text of `tokens` tokens."""
    import mlx.core as mx
    from mlx_lm.models.cache import make_prompt_cache

    def single(cache: Any) -> Iterator[Any]:
        if type(cache).__name__ == "CacheList":
            for inner in cache.caches:
                yield from single(inner)
        else:
            yield cache

    caches = make_prompt_cache(model)
    model(mx.zeros((1, tokens), mx.int32), cache=caches)
    return [inner for cache in caches for inner in single(cache)]


def _has_own_kind(cache: Any) -> bool:
    from mlx_lm.models.cache import ArraysCache

    # qwen4_exp keeps other arrays in addition to its keys.
    return not isinstance(cache, ArraysCache) and (not hasattr(cache, "keys") or hasattr(cache, "index_keys"))


def _part(cache: Any, shorter: Any, longer: Any, number_bytes: int) -> _CacheSize:
    """Measure one cache after two tokens and, if it has neither only keys nor a plain state, after two longer texts."""
    if not hasattr(cache, "keys") or _has_own_kind(cache):
        grown = (longer.nbytes - shorter.nbytes) // (_LONGER_TEXT - _SHORTER_TEXT)
        return _CacheSize(grown // number_bytes, state_bytes=shorter.nbytes - grown * _SHORTER_TEXT)
    if cache.keys is None:
        return _CacheSize()
    _, heads, rows, _ = cache.keys.shape
    if (window := getattr(cache, "chunk_size", 0)) > 0:
        # Rows beyond the chunk are dropped only when the next ones need room.
        window += cache.step
    window = getattr(cache, "max_size", window)
    return _CacheSize(cache.nbytes // rows // number_bytes, window, heads=heads)


def _shape(parts: list[_CacheSize]) -> CacheShape:
    heads = {part.heads for part in parts if part.elements}
    windows: Counter[int] = Counter()
    for part in parts:
        if part.window:
            windows[part.window] += part.elements
    return CacheShape(
        elements_a_token=sum(part.elements for part in parts if not part.window),
        windows=tuple(windows.items()),
        state_bytes=sum(part.state_bytes for part in parts),
        undivided=heads == {1},
    )
