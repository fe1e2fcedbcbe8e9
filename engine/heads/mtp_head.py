"""MTP heads, which read the main model's last state and use its embedding and, as a rule, its output matrix."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine.heads.chain_head import ChainHead
from engine.heads.context import LayerRows
from engine.heads.mtp_config import MtpConfig
from engine.heads.mtp_network import MtpDepth, MtpNetwork
from engine.heads.mtp_weights import as_in_network
from engine.heads.weights import Weights


class MtpHead(ChainHead):
    """An MTP head. Its only depth makes one draft token after the other, or it has a depth for each (Step, MiMo-V2).

    In the latter case row s of depth d fuses the token at s + 1 + d with a state: depth 0 with that of the main model,
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
        return taps if self._raw else self.ports.final_norm(taps)

    def step(self, embedded: mx.array, states: mx.array, caches: list[LayerRows], depth: int) -> mx.array:
        if self.config.family.by_depth:
            caches = [caches[depth]]
        made: mx.array = self._depth(depth)(embedded, states, caches)
        return made

    def next_states(self, read: mx.array, made: mx.array) -> mx.array:
        if not self.config.family.by_depth:
            return super().next_states(read, made)
        return read if self.config.family.all_read_main else made

    def scores(self, states: mx.array, depth: int) -> mx.array:
        part = self._depth(depth)
        normed = part.norm(states) if self.config.family.chains_raw else states
        logits: mx.array = part.output(normed) if "output" in part else self.logits(normed)
        return logits

    def _depth(self, depth: int) -> MtpDepth:
        """Return the part that makes the draft token after `depth` others."""
        return self.network.depths[min(depth, self.depths - 1)]
