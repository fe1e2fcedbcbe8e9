"""Heads of the DFlash family: a whole block of draft tokens from one pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from engine.errors import ModelNotUsable
from engine.heads.backbone import Backbone
from engine.heads.config import HeadConfig
from engine.heads.context import BlockContext
from engine.heads.fit import context_bytes, mismatch
from engine.heads.head import Draw, Head, HeadContext, HeadProposal, MainPorts
from engine.heads.refiners import refiner_of


class BlockNetwork(nn.Module):  # type: ignore[misc]
    """All weights of a head of the DFlash family."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.backbone = Backbone(config)
        self.refiner = refiner_of(config)
        if config.own_embedding:
            self.embed_tokens = nn.Embedding(config.vocabulary, config.width)
        if config.own_output:
            self.lm_head = nn.Linear(config.width, config.draft_vocabulary, bias=False)
        if config.own_mask:
            self.mask_embedding = mx.zeros((config.width,))
        if config.own_output and config.draft_vocabulary != config.vocabulary:
            self.d2t = mx.zeros((config.draft_vocabulary,), mx.int32)


class BlockHead(Head):
    """A head of the DFlash family, for the main model that it is bound to."""

    def __init__(self, path: Path, config: HeadConfig, network: BlockNetwork, identity: str) -> None:
        self.kind, self.taps, self.identity = config.kind, config.taps, identity
        self.config, self._path, self._network = config, path, network
        self._dtype: mx.Dtype = network.backbone.norm.weight.dtype
        self._ports: MainPorts | None = None
        self._targets: mx.array | None = None
        if "d2t" in network:
            self._targets = mx.arange(config.draft_vocabulary, dtype=mx.int32) + network.d2t.astype(mx.int32)

    @property
    def max_proposals(self) -> int:
        return self.config.proposals

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for _, array in tree_flatten(self._network.parameters()))

    def context_bytes(self, length: int) -> int:
        return context_bytes(self.config, length, self._dtype.size)

    def bind(self, ports: MainPorts) -> None:
        if (wrong := mismatch(self.config, ports.layer_count, ports.width, ports.vocabulary)) is not None:
            raise ModelNotUsable(self._path, "wrong-main", str(wrong))
        self._ports = ports

    def new_context(self, start: int = 0) -> BlockContext:
        return BlockContext([layer.window for layer in self.config.layers], start)

    def restore(self, state: dict[str, mx.array]) -> BlockContext:
        windows = [layer.window for layer in self.config.layers]
        return BlockContext.restored(state, windows, self.config.kv_heads, self.config.head_dim)

    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        del tokens
        self._network.backbone.extend(_own(context), taps.astype(self._dtype))

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        config = self.config
        masks = count - int(config.anchor_predicts) + config.spare_rows
        embedded = self._block(anchor, masks)
        rows = embedded if config.embedding_scale == 1.0 else embedded * config.embedding_scale
        # The anchor's own row predicts nothing unless it is the first of the proposal.
        skip = 0 if config.anchor_predicts else 1
        hidden = self._network.backbone(rows.astype(self._dtype), _own(context), skip)[:, :count]
        logits = self._logits(hidden, embedded.dtype)
        proposal = self._network.refiner.propose(hidden, logits, anchor, self._on_main_ids(draw), self._embed)
        if self._targets is None:
            return proposal
        ids = mx.broadcast_to(self._targets, proposal.scores.shape)
        return HeadProposal(proposal.tokens, proposal.scores, ids, proposal.confidence)

    def _block(self, anchor: mx.array, masks: int) -> mx.array:
        """The embeddings (1, 1 + masks, width) of the anchor (1,) and the masks."""
        if "mask_embedding" not in self._network:
            mask = mx.full((masks,), self.config.mask_token, mx.int32)
            return self._embed(mx.concatenate([anchor.astype(mx.int32), mask])[None])
        first = self._embed(anchor[None])
        mask = mx.broadcast_to(self._network.mask_embedding.astype(first.dtype), (1, masks, first.shape[-1]))
        return mx.concatenate([first, mask], axis=1)

    def _embed(self, ids: mx.array) -> mx.array:
        if "embed_tokens" in self._network:
            own: mx.array = self._network.embed_tokens(ids)
            return own
        return self._main.embed(ids)

    def _logits(self, hidden: mx.array, main_dtype: mx.Dtype) -> mx.array:
        config = self.config
        own = "lm_head" in self._network
        logits = self._network.lm_head(hidden) if own else self._main.logits(hidden.astype(main_dtype))
        if config.output_multiplier != 1.0:
            logits = logits * config.output_multiplier
        return mx.tanh(logits / config.soft_cap) * config.soft_cap if config.soft_cap else logits

    def _on_main_ids(self, draw: Draw) -> Draw:
        targets = self._targets
        if targets is None:
            return draw

        def draw_target(first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
            return draw(first, scores, mx.broadcast_to(targets, scores.shape) if ids is None else targets[ids])

        return draw_target

    @property
    def _main(self) -> MainPorts:
        if self._ports is None:
            raise RuntimeError("the head is not bound to a main model")
        return self._ports


def _own(context: HeadContext) -> BlockContext:
    if not isinstance(context, BlockContext):
        raise TypeError(f"a context of another head: {type(context).__name__}")
    return context
