"""Heads that draft token by token, each step from the state that the step before made (EAGLE-3, MTP).

A step takes the embedding of a token and a state of the position before it, and makes the state that the next token is
read from. Committed tokens are paired with the main model's states; draft tokens with the head's own, in rows that are
dropped after each proposal.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from engine.errors import ModelNotUsable
from engine.heads.chain_context import CacheRows, ChainContext
from engine.heads.config import HeadShape
from engine.heads.fit import context_bytes, mismatch
from engine.heads.head import Draw, Head, HeadContext, HeadProposal, MainPorts

# Pairs of a round wait for the next proposal, whose first step reads them with it; more, as of a prompt, do not.
MAX_WAITING = 32


class ChainHead(Head):
    """A chain head with the weights of `network`, for the main model that it is bound to.

    A subclass says what its states are (`states_of`), what a step computes (`step`), how tokens are read from it
    (`logits`), and what its layers keep of a pair (`cache_shapes`). `targets`, int32 (m,), are the main model's ids of
    the head's own vocabulary where that is a reduced one. `main_dtype` is the type of the main model's states.
    """

    targets: mx.array | None = None

    def __init__(self, path: Path, config: HeadShape, network: nn.Module, identity: str) -> None:
        self.kind, self.taps, self.identity = config.kind, config.taps, identity
        self.network = network
        self._shape, self._path = config, path
        self._ports: MainPorts | None = None
        self.main_dtype = mx.float32

    @property
    def max_proposals(self) -> int:
        return self._shape.proposals

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for _, array in tree_flatten(self.network.parameters()))

    def log_chance(self, taps: mx.array, tokens: Sequence[int], answers: mx.array) -> mx.array:
        caches = self.new_context().caches
        states = self.states_of(taps[:, :-1]).astype(self.dtype)
        states = self.step(self.embed(mx.array([tokens[1:]], mx.int32)), states, caches, 0)
        logits = self.logits(states)[0].astype(mx.float32)
        known = mx.arange(logits.shape[-1]) if self.targets is None else self.targets
        columns = mx.full((self._shape.vocabulary,), -1, mx.int32)
        columns[known] = mx.arange(known.size, dtype=mx.int32)
        column = columns[answers]
        chances = logits - mx.logsumexp(logits, axis=-1, keepdims=True)
        chosen = mx.take_along_axis(chances, mx.maximum(column, 0)[:, None], axis=-1)[:, 0]
        counted = column >= 0
        return mx.where(counted, chosen, 0.0).sum() / mx.maximum(counted.sum(), 1)

    @property
    @abstractmethod
    def dtype(self) -> mx.Dtype:
        """The type that the network computes in."""

    @property
    @abstractmethod
    def cache_shapes(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Heads and size of the keys, and of the values, of each layer."""

    @property
    @abstractmethod
    def state_width(self) -> int:
        """The width of a state of `states_of`."""

    @abstractmethod
    def states_of(self, taps: mx.array) -> mx.array:
        """The states (1, S, state_width) of tapped rows (1, S, taps * width), in the main model's type."""

    @abstractmethod
    def step(self, embedded: mx.array, states: mx.array, caches: list[CacheRows], depth: int) -> mx.array:
        """The next states (1, n, width) from embeddings (1, n, width) and states; appends n rows to `caches`.

        `depth` counts the draft tokens before: 0 reads committed pairs, and the anchor.
        """

    @abstractmethod
    def logits(self, states: mx.array) -> mx.array:
        """Logits (1, n, m) from states that `step` made."""

    def embed(self, ids: mx.array) -> mx.array:
        """The embeddings (1, n, width) of main-model ids (1, n)."""
        return self.ports.embed(ids).astype(self.dtype)

    @property
    def ports(self) -> MainPorts:
        if self._ports is None:
            raise RuntimeError("the head is not bound to a main model")
        return self._ports

    def context_bytes(self, length: int) -> int:
        waiting = (MAX_WAITING + 1) * self.state_width * self.dtype.size
        return context_bytes(self._shape, length, self.dtype.size) + waiting

    def bind(self, ports: MainPorts) -> None:
        if (wrong := mismatch(self._shape, ports.layer_count, ports.width, ports.vocabulary)) is not None:
            raise ModelNotUsable(self._path, "wrong-main", str(wrong))
        self._ports = ports
        self.main_dtype = ports.embed(mx.zeros((1, 1), mx.int32)).dtype

    def new_context(self, start: int = 0) -> ChainContext:
        return ChainContext([CacheRows() for _ in self.cache_shapes], start)

    def restore(self, state: dict[str, mx.array]) -> ChainContext:
        return ChainContext.restored(state, self.cache_shapes, self.state_width)

    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        own = _own(context)
        own.append(self.states_of(taps).astype(self.dtype), tokens)
        if own.waiting > MAX_WAITING:
            known, states = own.take_waiting()
            # Only what the caches keep of it is ever computed.
            self.step(self.embed(mx.array([known], mx.int32)), states[:, :-1], own.caches, 0)

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        own, draw = _own(context), self._on_main_ids(draw)
        known, states = own.take_waiting()
        pairs = own.pairs + len(known)
        ids = mx.concatenate([mx.array(known, mx.int32), anchor.astype(mx.int32)]) if known else anchor
        tokens: list[mx.array] = []
        scores: list[mx.array] = []
        for index in range(count):
            states = self.step(self.embed(ids[None]), states, own.caches, index)[:, -1:]
            scores.append(self.logits(states)[0])
            ids = draw(index, scores[-1], None)
            tokens.append(ids)
        own.cut(pairs)
        made = mx.concatenate(scores)
        columns = None if self.targets is None else mx.broadcast_to(self.targets, made.shape)
        return HeadProposal(mx.concatenate(tokens), made, columns)

    def _on_main_ids(self, draw: Draw) -> Draw:
        targets = self.targets
        if targets is None:
            return draw

        def draw_target(first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
            del ids
            return draw(first, scores, mx.broadcast_to(targets, scores.shape))

        return draw_target


def _own(context: HeadContext) -> ChainContext:
    if not isinstance(context, ChainContext):
        raise TypeError(f"a context of another head: {type(context).__name__}")
    return context
