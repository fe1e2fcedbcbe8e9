"""The language models of mlx-vlm, for families that mlx-lm does not have, called as mlx-lm's models are.

Only mlx-vlm's layers and the conversion of its weights are used: sampling, prompts and generation are Tandem's own.
Imports MLX; mlx-vlm is imported when such a model is built.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import ArraysCache, KVCache, RotatingKVCache

# The parts of a configuration that mlx-vlm reads by classes of their own, and these.
_PARTS = {"text_config": "TextConfig", "vision_config": "VisionConfig", "audio_config": "AudioConfig"}
_PREFIX = "language_model."


class Unprojected(ArraysCache):  # type: ignore[misc]
    """The place of the keys that glm5_next may keep projected in addition to its latent ones.

    It is never as long as the latent ones. The projected keys would take a gigabyte a layer, and lag behind after short
    passes.
    """

    def __init__(self) -> None:
        super().__init__(0)

    def size(self) -> int:
        """Return a length that no text has."""
        return -1


class VlmLanguageModel(nn.Module):  # type: ignore[misc]
    """The language model of mlx-vlm's model `whole` of a `family`, its module in `mlx_vlm.models`."""

    def __init__(self, family: str, whole: Any) -> None:
        super().__init__()
        self.family = family
        self.language_model = whole.language_model
        # Qwen's families otherwise keep the positions of the text that they read last.
        self._takes_positions = hasattr(whole.language_model, "get_rope_index")

    def __call__(
        self, inputs: mx.array, cache: list[Any] | None = None, input_embeddings: mx.array | None = None
    ) -> mx.array:
        options: dict[str, Any] = {}
        if self._takes_positions:
            offset = next((layer_cache.offset for layer_cache in cache or () if hasattr(layer_cache, "offset")), 0)
            options["position_ids"] = offset + mx.arange(inputs.shape[1])[None]
        output = self.language_model(inputs, inputs_embeds=input_embeddings, cache=cache, **options)
        logits: mx.array = output.logits
        return logits

    @property
    def layers(self) -> Any:
        """The decoder layers."""
        return self.language_model.layers

    def make_cache(self) -> list[Any]:
        """Return empty caches, one for each layer, of mlx-lm's kinds where these are the same."""
        from mlx_vlm.models.cache import make_prompt_cache

        caches = [_as_mlx_lm(cache) for cache in make_prompt_cache(self.language_model)]
        if self.family == "glm5_next":
            for cache in caches:
                if hasattr(cache, "caches"):
                    cache.caches = (*cache.caches[:-1], Unprojected())
        return caches


def vlm_classes(family: str) -> tuple[Any, Any]:
    """Return what builds the language model of a family, and what reads its configuration, as mlx-lm's loader asks."""
    module = importlib.import_module(f"mlx_vlm.models.{family}")

    def built(config: Mapping[str, Any]) -> VlmLanguageModel:
        settings = _settings(module, config)
        whole = module.Model(settings)
        model = VlmLanguageModel(family, whole)

        def sanitize(weights: dict[str, mx.array]) -> dict[str, mx.array]:
            converting = [whole]
            if hasattr(module, "LanguageModel") and hasattr(settings, "text_config"):
                converting.append(whole.language_model)
            for part in converting:
                weights = getattr(part, "sanitize", dict)(weights)
            # The towers for pictures and sounds are left out.
            return {name: array for name, array in weights.items() if name.startswith(_PREFIX)}

        model.sanitize = sanitize
        return model

    return built, SimpleNamespace(from_dict=dict)


def _settings(module: Any, config: Mapping[str, Any]) -> Any:
    """Return mlx-vlm's settings for a configuration, with the settings of each part, as its own loader makes them."""
    # Some families write what they find into the parts.
    values = dict(config) | {part: dict(config.get(part) or {}) for part in _PARTS}
    settings = module.ModelConfig.from_dict(values)
    for part, name in _PARTS.items():
        if hasattr(settings, part):
            setattr(settings, part, getattr(module, name).from_dict(values[part]))
    return settings


def _as_mlx_lm(cache: Any) -> Any:
    """Return mlx-lm's empty cache for one of mlx-vlm that differs in nothing but its module, else the cache itself."""
    kind = type(cache).__name__
    if kind == "CacheList":
        cache.caches = tuple(_as_mlx_lm(inner) for inner in cache.caches)
    elif kind in ("KVCache", "HyV4KVCache"):
        return KVCache()
    elif kind == "RotatingKVCache":
        return RotatingKVCache(cache.max_size, cache.keep)
    return cache
