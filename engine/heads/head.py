"""The interface of heads: the main model's ports, the context of a conversation, the proposals.

A head reads the outputs of some layers of the main model (its taps) for every committed token, keeps what it needs in a
`HeadContext`, and proposes the tokens after the newest one. It does not know rounds, chats or samplers; wrong taps make
its proposals worse, never the text wrong.

Row i of a context belongs to the token at position i of the conversation. The anchor is the newest committed token; the
main model has not read it yet, so it has no row. After a round that accepted `a` draft tokens the main model has read
the old anchor and those `a`: their rows extend the context, and the bonus token is the new anchor.

All arrays are lazy, and everything runs on the engine's thread.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from engine.errors import ModelNotUsable
from engine.heads.config import HeadConfig
from engine.heads.context import HeadContext
from engine.heads.fit import mismatch
from engine.heads.weights import Weights


@dataclass(frozen=True, slots=True)
class AttendedLayer:
    """A layer of the main model whose keys and values a head may attend to.

    `kind` is its kind of attention, `layer` counts from 0, `window` is in tokens, None for full attention. It has
    `heads` heads of keys, of `size` numbers each. `read` maps the layer's input (1, n, width) and its first position to
    keys and values (1, heads, n, size), as in the cache.
    """

    kind: str
    layer: int
    window: int | None
    heads: int
    size: int
    read: Callable[[mx.array, int], tuple[mx.array, mx.array]]


@dataclass(frozen=True, slots=True)
class MainPorts:
    """The parts of the main model that heads use besides its taps.

    `embed` maps int ids (1, n) to the embeddings (1, n, width) that the first layer gets, scaled in families that scale
    them. `logits` applies the output matrix alone, without the main model's soft cap: (1, n, width) to
    (1, n, vocabulary). `final_norm` is the norm before the output matrix. `vocabulary` counts the rows of the output
    matrix, padding included. `attended` holds the last layer of each kind of attention, in families whose heads attend
    to keys and values.
    """

    embed: Callable[[mx.array], mx.array]
    logits: Callable[[mx.array], mx.array]
    final_norm: Callable[[mx.array], mx.array]
    layer_count: int
    width: int
    vocabulary: int
    attended: Mapping[str, AttendedLayer] = field(default_factory=dict)


class Draw(Protocol):
    """Draws tokens for some rows of a proposal with the sampler of the request."""

    def __call__(self, first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
        """Return the draft tokens (n,) int32 from number `first` on, counted from 0.

        `scores` (n, m) are logits. Column c stands for the id `ids[row, c]`; without `ids`, for c itself. Heads whose
        rows are independent call it once for all rows, the others once for each row, left to right.
        """


@dataclass(frozen=True, slots=True)
class HeadProposal:
    """Draft tokens as main-model ids (count,) int32, and the logits from which they were drawn.

    `scores` (count, m) and `ids` (count, m) or None are as in `Draw`.
    """

    tokens: mx.array
    scores: mx.array
    ids: mx.array | None = None


class Head(ABC):
    """A loaded head. One network serves all conversations; each has its own context.

    `kind` names its kind ("dflash", "dspark", ...); `taps` are the layers of the main model, counted from 0 and
    ascending, whose outputs it reads; `identity` is equal exactly for equal weights and settings, and contexts belong
    to it.

    `blind_rounds` is how many rounds of an answer it loses if it has no row of the prompt. The starter's DFlash head
    lost 2.0 rounds of 24 after long questions and 4.6 of 13 after short ones.

    `network` holds the weights and computes in `dtype`; the main model's states are of `main_dtype`. `targets`, int32
    (m,), are the main-model ids of the head's own vocabulary, or None if that is the main model's.
    """

    kind: str
    taps: tuple[int, ...]
    identity: str
    config: Any
    network: Any
    blind_rounds: float = 2.0

    def __init__(self, path: Path, config: HeadConfig, network: nn.Module, identity: str) -> None:
        self.kind = config.kind
        self.taps = config.taps
        self.identity = identity
        self.config = config
        self.network = network
        norms = (module for name, module in network.named_modules() if f".{name}".endswith(".norm"))
        self.dtype: mx.Dtype = next(norms).weight.dtype
        self.main_dtype = mx.float32
        self.targets: mx.array | None = None
        if "d2t" in network:
            self.targets = mx.arange(network.d2t.size, dtype=mx.int32) + network.d2t.astype(mx.int32)
        self._path = path
        self._identity = identity
        self._ports: MainPorts | None = None

    @staticmethod
    @abstractmethod
    def build(config: Any, weights: Weights) -> tuple[nn.Module, Weights]:
        """Return the network of a head, and its weights by the network's names, from the `weights` of its files.

        Only values that decide the conversion are read. Raises ValueError for tensors that do not fit.
        """

    @property
    def max_proposals(self) -> int:
        """The largest number of draft tokens in one proposal."""
        proposals: int = self.config.proposals
        return proposals

    def has_weights_of(self, other: Head) -> bool:
        """Whether both were loaded from the same weights and settings, whatever they were taught, and however read."""
        return self._identity.partition("-")[0] == other._identity.partition("-")[0]

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        return sum(array.nbytes for _, array in tree_flatten(self.network.parameters()))

    def bind(self, ports: MainPorts) -> None:
        """Set the main model to draft for; to be called before all other methods.

        Raises `ModelNotUsable` (wrong-main) if the head was not made for a model of this shape.
        """
        head = self.config.least_layers, self.config.tap_width, self.config.vocabulary
        main = ports.layer_count, ports.width, ports.vocabulary
        if (wrong := mismatch(head, main, exact=self.config.main_layers is not None)) is not None:
            raise ModelNotUsable(self._path, "wrong-main", str(wrong))
        self._ports = ports
        self.main_dtype = ports.embed(mx.zeros((1, 1), mx.int32)).dtype

    @property
    def ports(self) -> MainPorts:
        if self._ports is None:
            raise RuntimeError("the head is not bound to a main model")
        return self._ports

    @property
    def uses_main_output(self) -> bool:
        """Whether its logits are made by the main model's output matrix."""
        return "lm_head" not in self.network

    def with_logits(self, logits: Callable[[mx.array], mx.array]) -> Head:
        """Return this head with another output matrix of the main model. Contexts belong to both.

        `logits` maps (1, n, width) to (1, n, vocabulary), as `MainPorts.logits`.
        """
        twin = copy(self)
        twin._ports = replace(self.ports, logits=logits)
        return twin

    @property
    def tokens_ahead(self) -> int:
        """How many of the tokens after its position a row of a context depends on: those with which it is paired."""
        return 0

    @property
    def readings(self) -> tuple[tuple[int, ...], ...]:
        """The ways in which the head may have to be fed, if its files do not decide between them; else empty."""
        return ()

    def use(self, reading: tuple[int, ...]) -> None:
        """Use one of the `readings` from now on. Contexts of another reading do not belong to this head."""
        other = reading != self.readings[0]
        self.identity = "-".join([self._identity, *map(str, reading)]) if other else self._identity

    def log_chance(self, taps: mx.array, tokens: Sequence[int], answers: mx.array) -> mx.array:
        """Return the mean log-probability, a scalar, of `answers` to a text of n tokens; for heads with `readings`.

        `taps` (1, n, taps * tap width) are the text's rows, `answers` (n - 1,) the ids that follow each token but the
        first. Ids outside the head's vocabulary are left out.
        """
        raise NotImplementedError

    @abstractmethod
    def new_context(self, start: int = 0) -> HeadContext:
        """Return a context without rows, whose first row will be at position `start`."""

    def restore(self, state: dict[str, mx.array]) -> HeadContext:
        """Return the context from which `state` was taken. Raises ValueError for arrays that do not fit this head.

        `HeadContext.state` names the arrays; keys and values have the head's shapes (1, heads, n, size).
        """
        return self.new_context().restored(state, self.config.shapes, self.config.width)

    @abstractmethod
    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        """Append the rows of the committed `tokens` at the positions from `context.length` on.

        `taps` (1, S, len(self.taps) * width) holds the outputs of the tapped layers side by side, in the order of
        `self.taps`, for the S tokens. Nothing is evaluated: the caller evaluates `context.kept_arrays()` soon, or the
        taps stay in memory.
        """

    @abstractmethod
    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        """Return `count` draft tokens to follow the anchor, 1 <= count <= max_proposals; nothing is evaluated.

        `anchor` is the newest token, int32 (1,), perhaps lazy, at position `context.length`. The context's content does
        not change.
        """

    def embed(self, ids: mx.array) -> mx.array:
        """Return the embeddings (1, n, width) of main-model ids (1, n), the head's own or the main model's."""
        has_table = "embed_tokens" in self.network
        embedded: mx.array = self.network.embed_tokens(ids) if has_table else self.ports.embed(ids)
        return embedded.astype(self.dtype)

    def logits(self, rows: mx.array) -> mx.array:
        """Return logits (1, n, m) of rows (1, n, width), by the head's output matrix or the main model's."""
        if "lm_head" in self.network:
            logits: mx.array = self.network.lm_head(rows)
            return logits
        return self.ports.logits(rows.astype(self.main_dtype))

    def columns(self, scores: mx.array, ids: mx.array | None = None) -> mx.array | None:
        """Return the main-model ids (n, m) of the columns of `scores`, None if column c stands for id c.

        `ids` (n, m) are ids of the head's vocabulary; without them the columns stand for all of it.
        """
        if self.targets is None:
            return ids
        return mx.broadcast_to(self.targets, scores.shape) if ids is None else self.targets[ids]

    def on_main_ids(self, draw: Draw) -> Draw:
        """Return `draw` for scores of the head's own vocabulary."""
        if self.targets is None:
            return draw
        return lambda first, scores, ids: draw(first, scores, self.columns(scores, ids))
