"""The network of MTP heads: a fusion of embedding and state, and decoder layers that are mlx-lm's own.

A family's layer is the main model's, so that its attention, rotary positions and experts are those that mlx-lm keeps
right. Attribute names are those of Qwen's published tensors, in a part for each depth.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Container, Mapping
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import create_attention_mask

from engine.heads.context import LayerRows
from engine.heads.mtp_config import MtpConfig, pattern_of


class MtpNetwork(nn.Module):  # type: ignore[misc]
    """All weights of an MTP head; depths have an output matrix of their own where `weights` do."""

    def __init__(self, config: MtpConfig, weights: Container[str] = ()) -> None:
        super().__init__()
        self.depths = [
            MtpDepth(config, index, own_output=f"depths.{index}.output.weight" in weights)
            for index in range(config.depths)
        ]


class MtpDepth(nn.Module):  # type: ignore[misc]
    """A fusion, the decoder layers behind it, a norm, and perhaps an output matrix."""

    def __init__(self, config: MtpConfig, index: int, *, own_output: bool) -> None:
        super().__init__()
        width, text = config.width, config.text
        names = ("layernorm_epsilon",) if config.family.keeps == "swa" else ("rms_norm_eps", "layer_norm_epsilon")
        eps = float(next((text[name] for name in names if name in text), 1e-6))
        self._reversed, self._chains_raw = config.family.reversed, config.family.chains_raw
        self._latent, self._counts = config.family.keeps in ("mla", "dsa"), config.caches[index : index + config.layers]
        self.fc = nn.Linear(2 * width, width, bias=False)
        self.pre_fc_norm_embedding = nn.RMSNorm(width, eps=eps)
        self.pre_fc_norm_hidden = nn.RMSNorm(width, eps=eps)
        self.layers = [_layer(config, index + layer) for layer in range(config.layers)]
        self.norm = nn.RMSNorm(width, eps=eps)
        if own_output:
            self.output = nn.Linear(width, config.vocabulary, bias=False)
        self._window: int | None = None
        if config.family.keeps == "swa":
            # As SGLang and transformers have it, so many tokens before the own one, which mlx-lm counts, too.
            self._window = int(text["sliding_window_size"]) + 1
        elif config.family.by_depth and self.layers[0].is_sliding:
            self._window = int(text["sliding_window"])

    def __call__(self, embedded: mx.array, states: mx.array, caches: list[LayerRows]) -> mx.array:
        """States (1, n, width) from embeddings and states of the positions before; appends to `caches`.

        All layers together have `caches`, each as many of them as it needs.
        """
        parts = [self.pre_fc_norm_embedding(embedded), self.pre_fc_norm_hidden(states)]
        rows: mx.array = self.fc(mx.concatenate(parts[::-1] if self._reversed else parts, axis=-1))
        mask = create_attention_mask(rows, caches[0], window_size=self._window, return_array=self._latent)
        start = 0
        for layer, count in zip(self.layers, self._counts, strict=True):
            own = caches[start : start + count]
            start += count
            rows = layer(rows, mask=mask, cache=own[0] if count == 1 else own or None)
        return rows if self._chains_raw else self.norm(rows)


def _layer(config: MtpConfig, index: int) -> nn.Module:
    """The decoder layer of the family at `index` of the head: with full attention, or what its settings have there."""
    module: Any = importlib.import_module(f"mlx_lm.models.{config.family.module}")
    settings = copy.deepcopy(dict(config.text))
    if config.family.keeps == "pattern":
        return module.NemotronHBlock(module.ModelArgs.from_dict(settings), pattern_of(config.text)[index])
    if config.family.keeps == "swa":
        return module.DecoderLayer(module.ModelArgs.from_dict(settings), is_moe=False, is_sliding_window=True)
    if config.family.by_depth:
        return module.Step3p5DecoderLayer(module.ModelArgs.from_dict(settings), config.main_layers + index)
    return _LAYERS[config.family.module](module, settings)


def _qwen3_5(module: Any, settings: dict[str, Any]) -> nn.Module:
    return module.DecoderLayer(module.TextModelArgs.from_dict(settings | {"full_attention_interval": 1}), 0)


def _qwen3_next(module: Any, settings: dict[str, Any]) -> nn.Module:
    every = {"full_attention_interval": 1, "decoder_sparse_step": 1, "mlp_only_layers": []}
    return module.Qwen3NextDecoderLayer(module.ModelArgs.from_dict(settings | every), 0)


def _qwen3(module: Any, settings: dict[str, Any]) -> nn.Module:
    return module.TransformerBlock(module.ModelArgs.from_dict(settings))


def _appended(module: Any, settings: dict[str, Any]) -> nn.Module:
    """The layer behind the main model's last one: with experts where that has some."""
    arguments = module.ModelArgs.from_dict(settings)
    return layer_class(module)(arguments, arguments.num_hidden_layers)


def layer_class(module: Any) -> type[nn.Module]:
    """The class of a family's decoder layers; one family takes its own from another."""
    source = importlib.import_module("mlx_lm.models.deepseek_v32") if hasattr(module, "DSV32Model") else module
    found: type[nn.Module] = next(value for name, value in vars(source).items() if name.endswith("DecoderLayer"))
    return found


_LAYERS: Mapping[str, Any] = {
    "qwen3_5": _qwen3_5,
    "qwen3_next": _qwen3_next,
    **dict.fromkeys(("qwen3", "mimo"), _qwen3),
    **dict.fromkeys(("deepseek_v3", "deepseek_v32", "glm_moe_dsa", "glm4_moe", "glm4_moe_lite"), _appended),
}
