"""The network of MTP heads: a fusion of embedding and state, and decoder layers that are mlx-lm's own.

A family's layer is the main model's, so that its attention, rotary positions and experts are those that mlx-lm keeps
right. Attribute names are those of Qwen's published tensors.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import create_attention_mask

from engine.heads.chain_context import CacheRows
from engine.heads.chain_head import ChainHead
from engine.heads.mtp_config import MtpConfig, pattern_of


class MtpNetwork(nn.Module):  # type: ignore[misc]
    """All weights of an MTP head."""

    def __init__(self, config: MtpConfig) -> None:
        super().__init__()
        width = config.width
        eps = float(config.text.get("rms_norm_eps", config.text.get("layer_norm_epsilon", 1e-6)))
        self._reversed, self._chains_raw = config.family.reversed, config.family.chains_raw
        self._latent, self._counts = config.family.keeps in ("mla", "dsa"), config.caches
        self.fc = nn.Linear(2 * width, width, bias=False)
        self.pre_fc_norm_embedding = nn.RMSNorm(width, eps=eps)
        self.pre_fc_norm_hidden = nn.RMSNorm(width, eps=eps)
        self.layers = [_layer(config, index) for index in range(config.layer_count)]
        self.norm = nn.RMSNorm(width, eps=eps)

    def __call__(self, embedded: mx.array, states: mx.array, caches: list[CacheRows]) -> mx.array:
        """States (1, n, width) from embeddings and states of the positions before; appends to `caches`.

        All layers together have `caches`, each as many of them as it needs.
        """
        parts = [self.pre_fc_norm_embedding(embedded), self.pre_fc_norm_hidden(states)]
        rows: mx.array = self.fc(mx.concatenate(parts[::-1] if self._reversed else parts, axis=-1))
        mask = create_attention_mask(rows, caches[0], return_array=self._latent)
        start = 0
        for layer, count in zip(self.layers, self._counts, strict=True):
            own = caches[start : start + count]
            start += count
            rows = layer(rows, mask=mask, cache=own[0] if count == 1 else own or None)
        return rows if self._chains_raw else self.norm(rows)


class MtpHead(ChainHead):
    """An MTP head: reads the main model's last state, and uses its embedding and its output matrix."""

    network: MtpNetwork

    def __init__(self, path: Any, config: MtpConfig, network: MtpNetwork, identity: str) -> None:
        super().__init__(path, config, network, identity)
        self.config, self._identity, self._raw = config, identity, False

    @property
    def readings(self) -> tuple[tuple[int, ...], ...]:
        """(0,) reads the state after the main model's last norm, (1,) the one before."""
        return ((0,), (1,)) if self.config.family.either_state else ()

    def use(self, reading: tuple[int, ...]) -> None:
        self._raw = reading == (1,)
        self.identity = f"{self._identity}-raw" if self._raw else self._identity

    @property
    def dtype(self) -> mx.Dtype:
        found: mx.Dtype = self.network.norm.weight.dtype
        return found

    @property
    def cache_shapes(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        return list(self.config.cache_shapes) * len(self.config.windows)

    @property
    def state_width(self) -> int:
        return self.config.width

    def states_of(self, taps: mx.array) -> mx.array:
        return taps if self._raw else self.ports.final_norm(taps)

    def step(self, embedded: mx.array, states: mx.array, caches: list[CacheRows], depth: int) -> mx.array:
        del depth
        return self.network(embedded, states, caches)

    def logits(self, states: mx.array) -> mx.array:
        normed = self.network.norm(states) if self.config.family.chains_raw else states
        return self.ports.logits(normed.astype(self.main_dtype))


def _layer(config: MtpConfig, index: int) -> nn.Module:
    """A decoder layer of the family with full attention, or what its pattern has at `index`."""
    module: Any = importlib.import_module(f"mlx_lm.models.{config.family.module}")
    settings = copy.deepcopy(dict(config.text))
    if config.family.keeps == "pattern":
        return module.NemotronHBlock(module.ModelArgs.from_dict(settings), pattern_of(config.text)[index])
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
