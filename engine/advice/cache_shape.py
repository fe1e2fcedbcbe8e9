"""The size of a model's caches at a context length, from its configuration alone.

mlx-lm itself says what the caches hold (`engine.model_files.cache_counting`). Configurations may be a stranger's, so it
is asked in a sandbox: a process with limits.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from engine.model_files.architecture import can_load
from engine.model_files.cache_counting import CacheShape, count_bare
from engine.sandbox.process import Sandbox
from engine.speculation.caches.buffer_sizes import GROWTH_TOKENS, compiled_buffer_tokens

log = logging.getLogger(__name__)

# Seconds for building a model without its weights, and for importing MLX. The largest models take a tenth.
COUNT_S = 8
COUNTING = Sandbox("engine.model_files.cache_counting")

# The settings that make no difference to caches; some are large, and loading changes them.
_WITHOUT_EFFECT = frozenset({"eos_token_id", "quantization", "quantization_config"})
_counted: dict[tuple[object, str], CacheShape] = {}


def count_apart(config: Mapping[str, Any]) -> CacheShape:
    """Count the caches of a model in a sandbox. Waits for tenths of a second.

    Raises `SandboxError` if the process ends or takes too long.
    """
    return COUNTING.run(partial(count_bare, dict(config)), COUNT_S)


def cache_shape(
    config: Mapping[str, Any], count: Callable[[Mapping[str, Any]], CacheShape] = count_apart
) -> CacheShape:
    """Return the shape of the caches that mlx-lm makes for this configuration; an empty one if it cannot build it.

    Only the first call for a configuration calls `count`. The configurations of heads and of the catalog contain their
    shape.
    """
    if isinstance(known := config.get("cache_shape"), CacheShape):
        return known
    if not can_load(config):
        return CacheShape()
    counted = {name: value for name, value in config.items() if name not in _WITHOUT_EFFECT}
    key = count, json.dumps(counted, sort_keys=True, default=str)
    if key not in _counted:
        try:
            _counted[key] = count(counted)
        # Of a configuration that mlx-lm cannot build it raises all kinds of exceptions.
        except Exception as error:
            log.info("the caches of a model of type %s cannot be counted: %s", config.get("model_type"), error)
            _counted[key] = CacheShape()
    return _counted[key]


def cached_elements(shape: CacheShape, tokens: int, *, drafts: bool = False) -> int:
    """Return the elements of full and sliding layers after `tokens` tokens.

    The compiled passes of a draft model that has only full layers use larger buffers.
    """
    if drafts and not shape.windows and not shape.state_bytes:
        tokens = compiled_buffer_tokens(tokens)
    rounded = -(-tokens // GROWTH_TOKENS) * GROWTH_TOKENS
    windowed = sum(min(rounded, window) * elements for window, elements in shape.windows)
    return rounded * shape.elements_a_token + windowed
