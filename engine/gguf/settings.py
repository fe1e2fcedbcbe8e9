"""The settings that a GGUF file gives, checked, and those that all architectures share as config.json has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.gguf.header import GgufFile

# The factors of Llama 3.1 to 3.3: the file has only what they make of each frequency.
_LLAMA_3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}


class SettingError(ValueError):
    """A setting is missing or has no sense; the message is its name."""


class GgufSettings:
    """The settings of one architecture by their names without its prefix, and the file's tensors.

    `factors` are the tensors that scale the frequencies of positions, by name.
    """

    def __init__(self, file: GgufFile, factors: Mapping[str, tuple[float, ...]]) -> None:
        self.tensors = file.tensors
        self.factors = factors
        self._metadata = file.metadata
        self._prefix = file.architecture

    def get(self, name: str) -> Any:
        """Return a setting as it is in the file, or None; a float with the fewest decimals that give its float32."""
        value = self._metadata.get(f"{self._prefix}.{name}")
        return float(str(np.float32(value))) if isinstance(value, float) else value

    def whole(self, name: str, default: int | None = None) -> int:
        """Return a whole number, or `default` if the file does not have the setting.

        Raises `SettingError` if it is another value, or missing without a `default`.
        """
        value = self.get(name)
        if value is None and default is not None:
            return default
        if type(value) is not int:
            raise SettingError(name)
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Return a finite number, or `default` if the file does not have the setting.

        Raises `SettingError` if it is another value, or missing without a `default`.
        """
        value = self.get(name)
        if value is None and default is not None:
            return default
        if type(value) not in (int, float) or not math.isfinite(value):
            raise SettingError(name)
        return float(value)

    def each(self, name: str, default: int | None = None) -> list[int]:
        """Return the whole numbers of a setting that has one for each layer, or one for all.

        Raises `SettingError` for fewer numbers than layers, and for other values.
        """
        value = self.get(name)
        if isinstance(value, list):
            if len(value) < self.layers or not all(type(entry) in (int, bool) for entry in value):
                raise SettingError(name)
            return [int(entry) for entry in value[: self.layers]]
        return [self.whole(name, default)] * self.layers

    @property
    def layers(self) -> int:
        """The number of the model's layers, without the layers of an MTP head after them.

        Raises `SettingError` unless there are 1 to 1,000.
        """
        count = self.whole("block_count") - self.whole("nextn_predict_layers", 0)
        if not 0 < count <= 1_000:
            raise SettingError("block_count")
        return count

    @property
    def heads(self) -> int:
        """The query heads of the layer that has most."""
        return max(self.each("attention.head_count"))

    @property
    def head_dim(self) -> int:
        """The numbers of a query or key of one head."""
        return self.whole("attention.key_length", self.whole("embedding_length") // max(1, self.heads))

    @property
    def rotary_dims(self) -> int:
        """How many dimensions of a head rotary positions apply to: an even number, or all of them.

        Raises `SettingError` for any other number.
        """
        count = self.whole("rope.dimension_count", self.head_dim)
        if count != self.head_dim and (not 0 < count < self.head_dim or count % 2):
            raise SettingError("rope.dimension_count")
        return count

    @property
    def tied(self) -> bool:
        """Whether the table of the tokens is the output matrix, too."""
        return "output.weight" not in self.tensors

    def has(self, tensor: str) -> bool:
        """Return whether some layer has a tensor of this name."""
        return any(name.endswith(tensor) for name in self.tensors)

    def period(self, default: int) -> int:
        """Return after how many layers one attends without a window, by the pattern that the file gives.

        Raises `SettingError` for layers that do not alternate regularly.
        """
        name = "attention.sliding_window_pattern"
        if not isinstance(self.get(name), list):
            return self.whole(name, default)
        slides = self.each(name)
        period = [*slides, 0].index(0) + 1
        if slides != [int((layer + 1) % period > 0) for layer in range(self.layers)]:
            raise SettingError(name)
        return period

    def rows(self, tensor: str) -> int:
        """Return the first side of a tensor. Raises `SettingError` if the file has no such tensor."""
        if tensor not in self.tensors:
            raise SettingError(tensor)
        return self.tensors[tensor].shape[0]

    def named(self, **names: str) -> dict[str, int]:
        """Return whole numbers by the names that config.json has for them."""
        return {ours: self.whole(theirs) for ours, theirs in names.items()}

    def shared(self, model_type: str, *, partial_rotary: bool = False, scaled: bool = True) -> dict[str, Any]:
        """Return the settings that config.json has for every architecture.

        Without `partial_rotary`, mlx-lm's module applies rotary positions to whole heads; without `scaled`, it does
        not scale positions. Raises `SettingError` if the file says otherwise, or if a setting is missing.
        """
        if not partial_rotary and self.rotary_dims != self.head_dim:
            raise SettingError("rope.dimension_count")
        scaling = self.rope_scaling()
        if not scaled and scaling is not None:
            raise SettingError("rope.scaling.type")
        layer_norm = "attention.layer_norm_epsilon"
        return {
            "model_type": model_type,
            "vocab_size": self.rows("token_embd.weight"),
            "hidden_size": self.whole("embedding_length"),
            "num_hidden_layers": self.layers,
            "intermediate_size": self.each("feed_forward_length", 0)[0],
            "num_attention_heads": self.heads,
            "num_key_value_heads": max(self.each("attention.head_count_kv", self.heads)),
            "head_dim": self.head_dim,
            "rms_norm_eps": self.number(layer_norm if self.get(layer_norm) else "attention.layer_norm_rms_epsilon"),
            "max_position_embeddings": self.whole("context_length"),
            "rope_theta": self.number("rope.freq_base", 10_000.0),
            "rope_scaling": scaling,
            "attention_bias": self.has(".attn_q.bias"),
            "tie_word_embeddings": self.tied,
        }

    def rope_scaling(self) -> dict[str, Any] | None:
        """Return how positions beyond the trained context are scaled. Raises `SettingError` if that is unknown."""
        kind = self.get("rope.scaling.type")
        if (factors := self.factors.get("rope_freqs.weight")) is not None:
            return self._llama3(factors)
        if (long := self.factors.get("rope_factors_long.weight")) is not None:
            original = self.whole("rope.scaling.original_context_length")
            short = self.factors.get("rope_factors_short.weight", long)
            return {
                "type": "longrope",
                "long_factor": list(long),
                "short_factor": list(short),
                "original_max_position_embeddings": original,
            }
        if kind == "linear":
            return {"type": "linear", "factor": self.number("rope.scaling.factor")}
        if kind == "yarn":
            return {
                "type": "yarn",
                "factor": self.number("rope.scaling.factor"),
                "original_max_position_embeddings": self.whole("rope.scaling.original_context_length"),
                "beta_fast": self.number("rope.scaling.yarn_beta_fast", 32.0),
                "beta_slow": self.number("rope.scaling.yarn_beta_slow", 1.0),
                "mscale_all_dim": self.number("rope.scaling.yarn_log_multiplier", 0.0),
            }
        if kind in (None, "none", "longrope"):
            return None
        raise SettingError("rope.scaling.type")

    def _llama3(self, factors: tuple[float, ...]) -> dict[str, Any]:
        """Return the published scaling that makes these factors, or one that names each of them."""
        context = self.whole("context_length")
        published = {"type": "llama3", "factor": float(max(factors)), **_LLAMA_3}
        base = self.number("rope.freq_base", 10_000.0)
        if np.allclose(_factors_of(published, base, len(factors)), factors, rtol=1e-4):
            return published
        # With an original context that is the whole one, no other scale is added.
        named = {"long_factor": list(factors), "short_factor": list(factors)}
        return {"type": "longrope", **named, "original_max_position_embeddings": context}


def _factors_of(scaling: Mapping[str, Any], base: float, count: int) -> Any:
    """Return the factors (count,) of Llama 3's `scaling`.

    The frequencies of rotary positions to the `base` are divided by them.
    """
    waves = 2 * math.pi * base ** (np.arange(count) / count)
    original = scaling["original_max_position_embeddings"]
    low, high, factor = (scaling[name] for name in ("low_freq_factor", "high_freq_factor", "factor"))
    smooth = (original / waves - low) / (high - low)
    between = 1 / ((1 - smooth) / factor + smooth)
    return np.where(waves < original / high, 1.0, np.where(waves > original / low, factor, between))
