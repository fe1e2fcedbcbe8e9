"""MTP heads: a fusion of embedding and state, and decoder layers of mlx-lm.

They read the main model's last state and use its embedding and, as a rule, its output matrix.

A family's layer is the layer of its main model, so mlx-lm maintains attention, rotary positions and experts. Attribute
names are those of Qwen's published tensors, in a part for each depth.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Container
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.heads.chain_head import ChainHead
from engine.heads.context import LayerRows
from engine.heads.mtp_config import MtpConfig, pattern_of
from engine.heads.mtp_weights import as_in_network
from engine.heads.weights import Weights


class MtpNetwork(nn.Module):  # type: ignore[misc]
    """All weights of an MTP head. A depth has its own output matrix if it is in `weights`."""

    def __init__(self, config: MtpConfig, weights: Container[str] = ()) -> None:
        super().__init__()
        self.depths = [
            MtpDepth(config, index, own_output=f"depths.{index}.output.weight" in weights)
            for index in range(config.depths)
        ]

    @property
    def layers(self) -> list[MtpDepth]:
        """The parts that can be taught."""
        return self.depths


class MtpDepth(nn.Module):  # type: ignore[misc]
    """A fusion, the decoder layers behind it, a norm, and perhaps an output matrix."""

    def __init__(self, config: MtpConfig, index: int, *, own_output: bool) -> None:
        super().__init__()
        width = config.width
        text = config.text
        names = ("layernorm_epsilon",) if config.family.keeps == "swa" else ("rms_norm_eps", "layer_norm_epsilon")
        eps = float(next((text[name] for name in names if name in text), 1e-6))
        self._reversed = config.family.reversed
        self._chains_raw = config.family.chains_raw
        self._latent = config.family.keeps in ("mla", "dsa")
        self._counts = config.caches[index : index + config.layers]
        self.fc = nn.Linear(2 * width, width, bias=False)
        self.pre_fc_norm_embedding = nn.RMSNorm(width, eps=eps)
        self.pre_fc_norm_hidden = nn.RMSNorm(width, eps=eps)
        self.layers = [_layer(config, index + layer) for layer in range(config.layers)]
        self.norm = nn.RMSNorm(width, eps=eps)
        if own_output:
            self.output = nn.Linear(width, config.vocabulary, bias=False)

    def __call__(self, embedded: mx.array, states: mx.array, caches: list[LayerRows]) -> mx.array:
        """Return states (1, n, width) from embeddings and the states of the previous positions; append to `caches`.

        `caches` belong to all layers together; each takes the number that it needs.
        """
        parts = [self.pre_fc_norm_embedding(embedded), self.pre_fc_norm_hidden(states)]
        rows: mx.array = self.fc(mx.concatenate(parts[::-1] if self._reversed else parts, axis=-1))
        mask = caches[0].make_mask(rows.shape[1], self._latent)
        start = 0
        for layer, count in zip(self.layers, self._counts, strict=True):
            layer_caches = caches[start : start + count]
            start += count
            rows = layer(rows, mask=mask, cache=layer_caches[0] if count == 1 else layer_caches or None)
        return rows if self._chains_raw else self.norm(rows)


def _layer(config: MtpConfig, index: int) -> nn.Module:
    """Return decoder layer `index` of the head: with full attention in hybrid families, else as its settings say."""
    family = config.family
    module: Any = importlib.import_module(f"mlx_lm.models.{family.name}")
    settings = copy.deepcopy(dict(config.text)) | _WITH_FULL_ATTENTION.get(family.name, {})
    arguments = (module.TextModelArgs if family.name == "qwen3_5" else module.ModelArgs).from_dict(settings)
    if family.keeps == "pattern":
        return module.NemotronHBlock(arguments, pattern_of(config.text)[index])
    if family.keeps == "swa":
        return module.DecoderLayer(arguments, is_moe=False, is_sliding_window=True)
    if hasattr(module, "TransformerBlock"):
        return module.TransformerBlock(arguments)
    # The others are built as layers after the main model's last one, with experts if that has some.
    at = 0 if family.name in _WITH_FULL_ATTENTION else config.main_layers + index
    # One family takes its class from another.
    source = importlib.import_module("mlx_lm.models.deepseek_v32") if hasattr(module, "DSV32Model") else module
    layer_class = next(value for name, value in vars(source).items() if name.endswith("DecoderLayer"))
    return layer_class(arguments, at)


# Settings that make layer 0 of a hybrid family like the layers of its heads.
_WITH_FULL_ATTENTION: dict[str, dict[str, Any]] = {
    "qwen3_5": {"full_attention_interval": 1},
    "qwen3_next": {"full_attention_interval": 1, "decoder_sparse_step": 1, "mlp_only_layers": []},
}


class MtpHead(ChainHead):
    """An MTP head. Its only depth makes one draft token after the other, or it has a depth for each (Step, MiMo-V2).

    In the latter case row s of depth d fuses the token at s + 1 + d with a state: depth 0 with the main model's state,
    the others with the state that depth d - 1 made of row s (Step) or with the main model's, too (MiMo-V2). A pair has
    rows in all depths once the token for the last depth is known.
    """

    config: MtpConfig
    network: MtpNetwork

    def __init__(self, path: Path, config: MtpConfig, network: MtpNetwork, identity: str) -> None:
        super().__init__(path, config, network, identity)
        self._raw = config.family.reads_raw

    @staticmethod
    def build(config: MtpConfig, weights: Weights) -> tuple[nn.Module, Weights]:
        weights = as_in_network(config, weights)
        return MtpNetwork(config, weights), weights

    @property
    def uses_main_output(self) -> bool:
        return super().uses_main_output and not any("output" in part for part in self.network.depths)

    @property
    def readings(self) -> tuple[tuple[int, ...], ...]:
        """(0,) reads the state after the main model's last norm, (1,) the one before."""
        return ((0,), (1,)) if self.config.family.either_state else ()

    def use(self, reading: tuple[int, ...]) -> None:
        super().use(reading)
        self._raw = reading == (1,)

    @property
    def depths(self) -> int:
        return self.config.depths

    def states_of(self, taps: mx.array) -> mx.array:
        """Return the main model's last hidden states (1, S, width), after its final norm or as they are."""
        return taps if self._raw else self.ports.final_norm(taps)

    def step(self, embedded: mx.array, states: mx.array, caches: list[LayerRows], depth: int) -> mx.array:
        """Return the states (1, n, width) of this depth; with a part for each depth, append to its cache only."""
        if self.config.family.by_depth:
            caches = [caches[depth]]
        return self._depth(depth)(embedded, states, caches)

    def next_states(self, read: mx.array, made: mx.array) -> mx.array:
        """Return the last row (1, 1, width), or all rows (1, n, width) if each depth has a part of its own.

        Those are the rows that were `read` if all depths read the main model's states, else those that were `made`.
        """
        if not self.config.family.by_depth:
            return super().next_states(read, made)
        return read if self.config.family.all_read_main else made

    def scores(self, states: mx.array, depth: int) -> mx.array:
        """Return logits (1, n, m) of states (1, n, width), by the matrix of this depth, the head or the main model."""
        part = self._depth(depth)
        normed = part.norm(states) if self.config.family.chains_raw else states
        return part.output(normed) if "output" in part else self.logits(normed)

    def _depth(self, depth: int) -> MtpDepth:
        """Return the part that makes the draft token after `depth` others."""
        return self.network.depths[min(depth, self.depths - 1)]
