"""MTP heads with a layer for each draft token, as Step's and MiMo-V2's: a layer more reads a token further on.

Row s of layer d fuses the token at s + 1 + d with a state: layer 0 that of the main model, the others what layer d - 1
made of row s (Step) or the main model's, too (MiMo-V2). So the rows of all layers are known once the token at s + 1 + d
of the last one is.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Container, Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import create_attention_mask

from engine.heads.chain_context import CacheRows, ChainContext
from engine.heads.chain_head import MAX_WAITING, ChainHead
from engine.heads.head import Draw, HeadContext, HeadProposal
from engine.heads.mtp_config import MtpConfig


class DepthLayer(nn.Module):  # type: ignore[misc]
    """The layer of one depth: a fusion, a decoder layer of mlx-lm, a norm, and perhaps an output matrix."""

    def __init__(self, config: MtpConfig, index: int, *, own_output: bool) -> None:
        super().__init__()
        width = config.width
        self.block, self._window, eps = _block(config, index)
        self.fc = nn.Linear(2 * width, width, bias=False)
        self.pre_fc_norm_embedding = nn.RMSNorm(width, eps=eps)
        self.pre_fc_norm_hidden = nn.RMSNorm(width, eps=eps)
        self.norm = nn.RMSNorm(width, eps=eps)
        if own_output:
            self.output = nn.Linear(width, config.vocabulary, bias=False)

    def __call__(self, embedded: mx.array, states: mx.array, cache: CacheRows) -> mx.array:
        """States (1, n, width) from embeddings and states of n rows, which are added to `cache`."""
        parts = [self.pre_fc_norm_embedding(embedded), self.pre_fc_norm_hidden(states)]
        rows: mx.array = self.fc(mx.concatenate(parts, axis=-1))
        mask = create_attention_mask(rows, cache, window_size=self._window)
        made: mx.array = self.block(rows, mask=mask, cache=cache)
        return made


def _block(config: MtpConfig, index: int) -> tuple[nn.Module, int | None, float]:
    """The decoder layer of a depth, the tokens that its window holds if it has one, and the epsilon of the norms."""
    module: Any = importlib.import_module(f"mlx_lm.models.{config.family.module}")
    settings = module.ModelArgs.from_dict(copy.deepcopy(dict(config.text)))
    if config.family.keeps == "swa":
        # As SGLang and transformers have it, so many tokens before the own one; mlx-lm's main model counts that, too.
        block = module.DecoderLayer(settings, is_moe=False, is_sliding_window=True)
        return block, settings.sliding_window_size + 1, settings.layernorm_epsilon
    block = module.Step3p5DecoderLayer(settings, config.main_layers + index)
    return block, settings.sliding_window if block.is_sliding else None, settings.rms_norm_eps


class DepthNetwork(nn.Module):  # type: ignore[misc]
    """All weights of such a head; layers have an output matrix of their own where `weights` do."""

    def __init__(self, config: MtpConfig, weights: Container[str]) -> None:
        super().__init__()
        self.layers = [
            DepthLayer(config, index, own_output=f"layers.{index}.output.weight" in weights)
            for index in range(config.layer_count)
        ]


class DepthHead(ChainHead):
    """A head with as many layers as draft tokens.

    Rows of the caches are added for all layers at once, so that the last states wait for as many tokens as there are
    layers.
    """

    network: DepthNetwork

    def __init__(self, path: Any, config: MtpConfig, network: DepthNetwork, identity: str) -> None:
        super().__init__(path, config, network, identity)
        self.config, self.identity = config, identity

    @property
    def dtype(self) -> mx.Dtype:
        found: mx.Dtype = self.network.layers[0].norm.weight.dtype
        return found

    @property
    def cache_shapes(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        return list(self.config.cache_shapes) * self.config.layer_count

    @property
    def state_width(self) -> int:
        return self.config.width

    def states_of(self, taps: mx.array) -> mx.array:
        return taps if self.config.family.reads_raw else self.ports.final_norm(taps)

    def step(self, embedded: mx.array, states: mx.array, caches: list[CacheRows], depth: int) -> mx.array:
        made: mx.array = self.network.layers[depth](embedded, states, caches[depth])
        return made

    def logits(self, states: mx.array) -> mx.array:
        return self.logits_at(states, 0)

    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        assert isinstance(context, ChainContext)
        context.append(self.states_of(taps).astype(self.dtype), tokens)
        count = len(self.network.layers)
        if context.waiting > MAX_WAITING:
            known, states = context.take_waiting(count)
            rows = states.shape[1] - count
            states = states[:, :rows]
            for depth in range(count):
                made = self.step(self._embedded(known[depth : depth + rows]), states, context.caches, depth)
                states = self._next(states, made)

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        assert isinstance(context, ChainContext)
        layers = len(self.network.layers)
        known, states = context.take_waiting(layers)
        rows = states.shape[1]
        kept = max(0, rows - layers)
        ids = mx.concatenate([mx.array(known, mx.int32), anchor.astype(mx.int32)]) if known else anchor
        pairs = context.pairs
        tokens: list[mx.array] = []
        scores: list[mx.array] = []
        for depth in range(layers):
            if depth >= count:
                # The layers that propose nothing get the rows that stay.
                states = states[:, :kept]
                if not kept:
                    break
            made = self.step(self.embed(ids[None, depth : depth + states.shape[1]]), states, context.caches, depth)
            if depth < count:
                scores.append(self.logits_at(made[:, -1:], depth)[0])
                tokens.append(draw(depth, scores[-1], None))
                ids = mx.concatenate([ids, tokens[-1]])
            states = self._next(states, made)
        context.cut(pairs + kept)
        return HeadProposal(mx.concatenate(tokens), mx.concatenate(scores), None)

    def _next(self, read: mx.array, made: mx.array) -> mx.array:
        """The states that the next layer reads, of those that a layer `read` and those that it `made`."""
        return read if self.config.family.all_read_main else made

    def _embedded(self, known: Sequence[int]) -> mx.array:
        return self.embed(mx.array([known], mx.int32))

    def logits_at(self, states: mx.array, depth: int) -> mx.array:
        """Logits (1, n, vocabulary) of states that layer `depth` made."""
        layer = self.network.layers[depth]
        normed = layer.norm(states)
        if "output" in layer:
            own: mx.array = layer.output(normed)
            return own
        return self.ports.logits(normed.astype(self.main_dtype))
