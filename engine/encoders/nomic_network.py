"""nomic-bert, which neither mlx-lm nor mlx-vlm has: BERT with rotary positions and gated layers.

The names of the parameters are those of the published files.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.errors import ModelNotUsable

# The only options this network supports. A config that lacks an option has the value given here.
_SUPPORTED_OPTIONS: dict[str, Any] = {
    "activation_function": "swiglu",
    "prenorm": False,
    "use_rms_norm": False,
    "rotary_emb_fraction": 1.0,
    "rotary_emb_interleaved": False,
    "rotary_emb_scale_base": None,
    "num_experts": 0,
    "causal": False,
}


class _RotaryAttention(nn.Module):  # type: ignore[misc]
    """Attention in both directions, with rotary positions."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        width = config["n_embd"]
        self._heads = config["n_head"]
        has_bias = bool(config.get("qkv_proj_bias", True))
        self.Wqkv = nn.Linear(width, 3 * width, bias=has_bias)
        self.out_proj = nn.Linear(width, width, bias=has_bias)
        self._rope = nn.RoPE(width // self._heads, traditional=False, base=config.get("rotary_emb_base", 10_000.0))

    def __call__(self, states: mx.array, mask: mx.array | None) -> mx.array:
        """Return the output of attention, of the shape of `states` (texts, tokens, width).

        `mask` (texts, 1, 1, tokens) is false for tokens that no other token sees; None if all are seen.
        """
        texts, tokens, width = states.shape
        parts = self.Wqkv(states).reshape(texts, tokens, 3, self._heads, width // self._heads)
        queries, keys, values = (parts[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
        scale = (width // self._heads) ** -0.5
        queries = self._rope(queries)
        keys = self._rope(keys)
        mixed = mx.fast.scaled_dot_product_attention(queries, keys, values, scale=scale, mask=mask)
        output: mx.array = self.out_proj(mixed.transpose(0, 2, 1, 3).reshape(texts, tokens, width))
        return output


class _GatedLayers(nn.Module):  # type: ignore[misc]
    """The feed-forward part of a layer (SwiGLU)."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        width = config["n_embd"]
        inner = config.get("n_inner") or 4 * width
        has_bias = bool(config.get("mlp_fc1_bias", True))
        self.fc11 = nn.Linear(width, inner, bias=has_bias)
        self.fc12 = nn.Linear(width, inner, bias=has_bias)
        self.fc2 = nn.Linear(inner, width, bias=bool(config.get("mlp_fc2_bias", True)))

    def __call__(self, states: mx.array) -> mx.array:
        output: mx.array = self.fc2(self.fc11(states) * nn.silu(self.fc12(states)))
        return output


class _NomicLayer(nn.Module):  # type: ignore[misc]
    """One layer: attention and feed-forward, each with its norm after it."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        width = config["n_embd"]
        epsilon = config.get("layer_norm_epsilon", 1e-12)
        self.attn = _RotaryAttention(config)
        self.mlp = _GatedLayers(config)
        self.norm1 = nn.LayerNorm(width, eps=epsilon)
        self.norm2 = nn.LayerNorm(width, eps=epsilon)

    def __call__(self, states: mx.array, mask: mx.array | None) -> mx.array:
        states = self.norm1(self.attn(states, mask) + states)
        output: mx.array = self.norm2(self.mlp(states) + states)
        return output


class _NomicTables(nn.Module):  # type: ignore[misc]
    """The embeddings of tokens and, if the configuration has types of texts, of the first type."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(config["vocab_size"], config["n_embd"])
        if config.get("type_vocab_size"):
            self.token_type_embeddings = nn.Embedding(config["type_vocab_size"], config["n_embd"])

    def __call__(self, ids: mx.array) -> mx.array:
        rows: mx.array = self.word_embeddings(ids)
        # Every text is of the first type.
        return rows + self.token_type_embeddings(mx.zeros_like(ids)) if "token_type_embeddings" in self else rows


class _NomicStack(nn.Module):  # type: ignore[misc]
    """The layers, under the name that their tensors have in published files."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        self.layers = [_NomicLayer(config) for _ in range(config["n_layer"])]


class NomicNetwork(nn.Module):  # type: ignore[misc]
    """The network of a nomic-bert's configuration.

    Raises `ModelNotUsable`: "unknown-architecture" for a configuration with an unsupported option, such as experts, and
    "damaged" if the attention heads do not divide the width.
    """

    def __init__(self, config: Mapping[str, Any], folder: Path) -> None:
        super().__init__()
        for name, value in _SUPPORTED_OPTIONS.items():
            # False, 0 and null all mean off.
            if (config.get(name, value) or None) != (value or None):
                raise ModelNotUsable(folder, "unknown-architecture", f"config.json: {name}")
        if config["n_embd"] % config["n_head"]:
            raise ModelNotUsable(folder, "damaged", "config.json (n_head)")
        self.embeddings = _NomicTables(config)
        self.emb_ln = nn.LayerNorm(config["n_embd"], eps=config.get("layer_norm_epsilon", 1e-12))
        self.encoder = _NomicStack(config)

    def __call__(self, ids: mx.array, seen: mx.array | None = None) -> mx.array:
        """Return the states (texts, tokens, width) of the last layer for `ids` (texts, tokens).

        `seen` (texts, tokens) is false where a text is padded; None if no text is.
        """
        states: mx.array = self.emb_ln(self.embeddings(ids))
        mask = None if seen is None else seen[:, None, None]
        for layer in self.encoder.layers:
            states = layer(states, mask)
        return states

    def sanitize(self, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Return `weights`, of any shapes (...), without the weights of heads for other tasks."""
        return {name: array for name, array in weights.items() if not name.startswith(("pooler.", "cls."))}
