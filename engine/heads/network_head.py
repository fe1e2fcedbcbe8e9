"""What all heads that are loaded from files have in common: weights, the main model's tables, a reduced vocabulary."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any, TypeVar

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from engine.errors import ModelNotUsable
from engine.heads.config import HeadConfig
from engine.heads.fit import context_bytes, mismatch
from engine.heads.head import Draw, Head, HeadContext, MainPorts
from engine.heads.weights import Weights

Context = TypeVar("Context", bound=HeadContext)


class NetworkHead(Head):
    """A head with the weights of `network`, for the main model that it is bound to.

    `dtype` is the type that the network computes in, `main_dtype` that of the main model's states. `targets`, int32
    (m,), are the main model's ids of the head's own vocabulary where that is a reduced one.
    """

    config: Any
    network: Any

    def __init__(self, path: Path, config: HeadConfig, network: nn.Module, identity: str) -> None:
        self.kind, self.taps, self.identity = config.kind, config.taps, identity
        self.config, self.network = config, network
        norms = (module for name, module in network.named_modules() if f".{name}".endswith(".norm"))
        self.dtype: mx.Dtype = next(norms).weight.dtype
        self.main_dtype = mx.float32
        self.targets: mx.array | None = None
        if "d2t" in network:
            self.targets = mx.arange(network.d2t.size, dtype=mx.int32) + network.d2t.astype(mx.int32)
        self._path, self._identity = path, identity
        self._ports: MainPorts | None = None

    @staticmethod
    @abstractmethod
    def build(config: Any, weights: Weights) -> tuple[nn.Module, Weights]:
        """The network of a head, and its weights by the network's names, of those that its files hold.

        Nothing is read but what says how to convert them. Raises ValueError for tensors that do not fit.
        """

    @property
    def max_proposals(self) -> int:
        proposals: int = self.config.proposals
        return proposals

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for _, array in tree_flatten(self.network.parameters()))

    @property
    def state_elements(self) -> int:
        """Numbers of the main model's states that a context keeps at most."""
        return 0

    def context_bytes(self, length: int) -> int:
        return context_bytes(self.config, length, self.dtype.size) + self.state_elements * self.dtype.size

    def bind(self, ports: MainPorts) -> None:
        if (wrong := mismatch(self.config, ports.layer_count, ports.width, ports.vocabulary)) is not None:
            raise ModelNotUsable(self._path, "wrong-main", str(wrong))
        self._ports = ports
        self.main_dtype = ports.embed(mx.zeros((1, 1), mx.int32)).dtype

    @property
    def ports(self) -> MainPorts:
        if self._ports is None:
            raise RuntimeError("the head is not bound to a main model")
        return self._ports

    def embed(self, ids: mx.array) -> mx.array:
        """The embeddings (1, n, width) of main-model ids (1, n): the head's own, or the main model's."""
        own = "embed_tokens" in self.network
        embedded: mx.array = self.network.embed_tokens(ids) if own else self.ports.embed(ids)
        return embedded.astype(self.dtype)

    def logits(self, rows: mx.array) -> mx.array:
        """Logits (1, n, m) of rows (1, n, width), by the head's output matrix or the main model's."""
        if "lm_head" in self.network:
            own: mx.array = self.network.lm_head(rows)
            return own
        return self.ports.logits(rows.astype(self.main_dtype))

    def columns(self, scores: mx.array, ids: mx.array | None = None) -> mx.array | None:
        """The main model's ids (n, m) that columns of `scores` stand for, of own `ids` (n, m) or all; None for all."""
        if self.targets is None:
            return ids
        return mx.broadcast_to(self.targets, scores.shape) if ids is None else self.targets[ids]

    def on_main_ids(self, draw: Draw) -> Draw:
        """`draw` for scores of the head's own vocabulary."""
        if self.targets is None:
            return draw
        return lambda first, scores, ids: draw(first, scores, self.columns(scores, ids))


def own_context(context: HeadContext, kind: type[Context]) -> Context:
    """`context`, which has to be of this kind."""
    if not isinstance(context, kind):
        raise TypeError(f"a context of another head: {type(context).__name__}")
    return context
