"""MTP heads: they read the main model's last state, and use its embedding and, as a rule, its output matrix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine.heads.chain_head import MAX_WAITING, ChainHead
from engine.heads.context import CacheRows, CacheShape, ChainContext
from engine.heads.head import Draw, HeadContext, HeadProposal
from engine.heads.mtp_config import MtpConfig
from engine.heads.mtp_network import MtpNetwork
from engine.heads.mtp_weights import as_in_network
from engine.heads.network_head import NetworkHead, own_context
from engine.heads.weights import Weights


class MtpHead(ChainHead):
    """An MTP head, whose only depth makes one draft token after the other."""

    config: MtpConfig
    network: MtpNetwork

    def __init__(self, path: Path, config: MtpConfig, network: MtpNetwork, identity: str) -> None:
        super().__init__(path, config, network, identity)
        self._raw = config.family.reads_raw

    @classmethod
    def kind_for(cls, config: MtpConfig) -> type[NetworkHead]:
        return DepthHead if config.family.by_depth else MtpHead

    @staticmethod
    def build(config: MtpConfig, weights: Weights) -> tuple[nn.Module, Weights]:
        weights = as_in_network(config, weights)
        return MtpNetwork(config, weights), weights

    @property
    def readings(self) -> tuple[tuple[int, ...], ...]:
        """(0,) reads the state after the main model's last norm, (1,) the one before."""
        return ((0,), (1,)) if self.config.family.either_state else ()

    def use(self, reading: tuple[int, ...]) -> None:
        self._raw = reading == (1,)
        self.identity = f"{self._identity}-raw" if self._raw else self._identity

    @property
    def cache_shapes(self) -> list[CacheShape]:
        return list(self.config.cache_shapes) * len(self.config.windows)

    def states_of(self, taps: mx.array) -> mx.array:
        return taps if self._raw else self.ports.final_norm(taps)

    def step(self, embedded: mx.array, states: mx.array, caches: list[CacheRows], depth: int) -> mx.array:
        del depth
        made: mx.array = self.network.depths[0](embedded, states, caches)
        return made

    def scores(self, states: mx.array, depth: int) -> mx.array:
        part = self.network.depths[min(depth, len(self.network.depths) - 1)]
        normed = part.norm(states) if self.config.family.chains_raw else states
        logits: mx.array = part.output(normed) if "output" in part else self.logits(normed)
        return logits


class DepthHead(MtpHead):
    """An MTP head with a depth for each draft token, as Step's and MiMo-V2's: one more reads a token further on.

    Row s of depth d fuses the token at s + 1 + d with a state: depth 0 that of the main model, the others what depth
    d - 1 made of row s (Step) or the main model's, too (MiMo-V2). Rows of the caches are added for all depths at once,
    when the token at s + 1 + d of the last one is known, so that the last states wait for as many tokens as there are
    depths.
    """

    def step(self, embedded: mx.array, states: mx.array, caches: list[CacheRows], depth: int) -> mx.array:
        made: mx.array = self.network.depths[depth](embedded, states, [caches[depth]])
        return made

    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        context = own_context(context, ChainContext)
        context.append(self.states_of(taps).astype(self.dtype), tokens)
        count = len(self.network.depths)
        if context.waiting > MAX_WAITING:
            known, states = context.take_waiting(count)
            rows = states.shape[1] - count
            states = states[:, :rows]
            for depth in range(count):
                made = self.step(
                    self.embed(mx.array([known[depth : depth + rows]], mx.int32)), states, context.caches, depth
                )
                states = self._next(states, made)

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        context = own_context(context, ChainContext)
        layers = len(self.network.depths)
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
                scores.append(self.scores(made[:, -1:], depth)[0])
                tokens.append(draw(depth, scores[-1], None))
                ids = mx.concatenate([ids, tokens[-1]])
            states = self._next(states, made)
        context.cut(pairs + kept)
        return HeadProposal(mx.concatenate(tokens), mx.concatenate(scores), None)

    def _next(self, read: mx.array, made: mx.array) -> mx.array:
        """The states that the next depth reads, of those that a depth `read` and those that it `made`."""
        return read if self.config.family.all_read_main else made
