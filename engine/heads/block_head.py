"""Heads of the DFlash family: one pass makes a whole block of draft tokens, which is refined left to right.

The refining part chooses each draft token with regard to the previous one, because the rows of a block are independent.
Attributes have the names of the published tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

import mlx.core as mx
import mlx.nn as nn

from engine.heads.block_config import BlockConfig, GruConfig, MarkovConfig, SelectorConfig
from engine.heads.block_network import BlockNetwork
from engine.heads.context import HeadContext
from engine.heads.head import Draw, Head, HeadProposal
from engine.heads.tensors import HeadTensorError
from engine.heads.weights import Weights

Embed = Callable[[mx.array], mx.array]


class DFlashNetwork(BlockNetwork):
    """DFlash: all rows are drawn independently."""

    def propose(self, hidden: mx.array, logits: mx.array, anchor: mx.array, draw: Draw, embed: Embed) -> HeadProposal:
        """Return the draft tokens of hidden states (1, n, width) with logits (1, n, m), whose columns are draft ids.

        `draw` maps columns to main-model ids, `embed` maps ids (1, n) to embeddings.
        """
        del hidden, anchor, embed
        return HeadProposal(draw(0, logits[0], None), logits[0])


class CandidateSelector(nn.Module):  # type: ignore[misc]
    """Scores how well each candidate follows the previous token."""

    def __init__(self, config: BlockConfig, rank: int) -> None:
        super().__init__()
        self.predecessor_codebook = nn.Embedding(config.vocabulary, rank)
        self.successor_codebook = nn.Embedding(config.vocabulary, rank)
        self.hidden_projection = nn.Linear(config.width, rank, bias=False)


class DFlash2Network(DFlashNetwork):
    """DFlash2: scores the likeliest tokens of each row by how well they follow the previous one (dflash, model.py)."""

    def __init__(self, config: BlockConfig, tensors: Container[str]) -> None:
        super().__init__(config, tensors)
        assert isinstance(config.refiner, SelectorConfig)
        self._top_k = config.refiner.top_k
        self.candidate_selector = CandidateSelector(config, config.refiner.rank)

    def propose(self, hidden: mx.array, logits: mx.array, anchor: mx.array, draw: Draw, embed: Embed) -> HeadProposal:
        """Draw each token from the `top_k` likeliest of its row, by logits and by how well it follows the previous.

        `hidden` is (1, n, width), `logits` (1, n, m), `anchor` int32 (1,). The proposal's scores and ids are (n,
        top_k).
        """
        del embed
        selector = self.candidate_selector
        ids = mx.argpartition(logits[0], -self._top_k, axis=-1)[:, -self._top_k :].astype(mx.int32)
        base = mx.take_along_axis(logits[0], ids, axis=-1)
        states = selector.hidden_projection(hidden[0])
        successors = selector.successor_codebook(ids)
        token = anchor
        tokens = []
        scores = []
        for row in range(ids.shape[0]):
            context = selector.predecessor_codebook(token) * states[row : row + 1]
            scores.append(base[row : row + 1] + (successors[row] @ context[0])[None])
            token = draw(row, scores[-1], ids[row : row + 1])
            tokens.append(token)
        return HeadProposal(mx.concatenate(tokens), mx.concatenate(scores), ids)


class MarkovHead(nn.Module):  # type: ignore[misc]
    """DSpark: a bias from the previous token (specforge, dspark.py).

    It is taken as it is (style "vanilla"), gated by the row ("gated"), or has a recurrent state ("rnn").
    """

    def __init__(self, config: BlockConfig, markov: MarkovConfig) -> None:
        super().__init__()
        self._style = markov.style
        rank = markov.rank
        self.markov_w1 = nn.Embedding(config.vocabulary, rank)
        self.markov_w2 = nn.Linear(rank, config.draft_vocabulary, bias=False)
        if markov.style == "gated":
            self.gate_proj = nn.Linear(config.width + rank, rank)
        elif markov.style == "rnn":
            self.joint_proj = nn.Linear(2 * rank + config.width, 3 * rank)

    def step(self, state: mx.array | None, before: mx.array, hidden: mx.array) -> tuple[mx.array | None, mx.array]:
        """Return the next state and the bias (1, m) of a row.

        `state` is None for the first row, `before` (1, rank) embeds the previous token, `hidden` is (1, width).
        """
        if self._style == "gated":
            before = mx.sigmoid(self.gate_proj(mx.concatenate([hidden, before], axis=-1))) * before
        elif self._style == "rnn":
            state = mx.zeros_like(before) if state is None else state
            joint = self.joint_proj(mx.concatenate([state, before, hidden], axis=-1))
            gate, candidate, output = mx.split(joint, 3, axis=-1)
            gate = mx.sigmoid(gate)
            state = gate * state + (1 - gate) * mx.tanh(candidate)
            before = mx.tanh(output)
        return state, self.markov_w2(before)


class DSparkNetwork(DFlashNetwork):
    """DSpark: a bias by the previous token. The confidence that the head can report is not read."""

    def __init__(self, config: BlockConfig, tensors: Container[str]) -> None:
        super().__init__(config, tensors)
        markov = config.refiner
        assert isinstance(markov, MarkovConfig)
        self.markov_head = MarkovHead(config, markov)

    def propose(self, hidden: mx.array, logits: mx.array, anchor: mx.array, draw: Draw, embed: Embed) -> HeadProposal:
        """Add the bias (1, m) of the previous token to the logits of each row, then draw from it, left to right.

        `hidden` is (1, n, width), `logits` (1, n, m), `anchor` int32 (1,). The proposal's scores are (n, m).
        """
        del embed
        token = anchor
        state = None
        tokens = []
        scores = []
        for row in range(logits.shape[1]):
            before = self.markov_head.markov_w1(token).astype(hidden.dtype)
            state, bias = self.markov_head.step(state, before, hidden[:, row])
            scores.append(logits[:, row] + bias)
            token = draw(row, scores[-1], None)
            tokens.append(token)
        return HeadProposal(mx.concatenate(tokens), mx.concatenate(scores))


class GruLayer(nn.Module):  # type: ignore[misc]
    """A GRU without biases in torch's layout: the rows of the reset, the update and the new gate, in this order."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.weight_ih_l0 = mx.zeros((3 * width, inputs))
        self.weight_hh_l0 = mx.zeros((3 * width, width))

    def __call__(self, state: mx.array, x: mx.array) -> mx.array:
        """Return the next state (1, width) from `state` and x (1, inputs)."""
        ours = mx.split(x @ self.weight_ih_l0.T, 3, axis=-1)
        theirs = mx.split(state @ self.weight_hh_l0.T, 3, axis=-1)
        reset = mx.sigmoid(ours[0] + theirs[0])
        update = mx.sigmoid(ours[1] + theirs[1])
        new = mx.tanh(ours[2] + reset * theirs[2])
        return (1 - update) * new + update * state


class DominoNetwork(DFlashNetwork):
    """Domino (arXiv:2605.29707): a bias from a GRU over the block's tokens so far (specforge, domino.py)."""

    def __init__(self, config: BlockConfig, tensors: Container[str]) -> None:
        super().__init__(config, tensors)
        gru = config.refiner
        assert isinstance(gru, GruConfig)
        self._prefix = gru.prefix
        self._width = gru.width
        self.prefix_gru = GruLayer(config.width, gru.width)
        self.embed_proj = [
            nn.Linear(config.width + gru.width, gru.inner, bias=False),
            nn.SiLU(),
            nn.Linear(gru.inner, config.vocabulary, bias=False),
        ]

    def propose(self, hidden: mx.array, logits: mx.array, anchor: mx.array, draw: Draw, embed: Embed) -> HeadProposal:
        """Add a bias by the block's tokens so far to the logits of rows from the prefix on; draw left to right.

        `hidden` is (1, n, width), `logits` (1, n, m), `anchor` int32 (1,). `embed` maps ids (1, 1) to embeddings (1, 1,
        width). The proposal's scores are (n, m).
        """
        token = anchor
        tokens = []
        scores = []
        state = mx.zeros((1, self._width), hidden.dtype)
        for row in range(logits.shape[1]):
            state = self.prefix_gru(state, embed(token[None])[0].astype(hidden.dtype))
            score = logits[:, row]
            if row >= self._prefix:
                bias = mx.concatenate([hidden[:, row], state], axis=-1)
                for layer in self.embed_proj:
                    bias = layer(bias)
                score = score + bias
            scores.append(score)
            token = draw(row, score, None)
            tokens.append(token)
        return HeadProposal(mx.concatenate(tokens), mx.concatenate(scores))


_NETWORKS = {"dflash": DFlashNetwork, "dflash2": DFlash2Network, "dspark": DSparkNetwork, "domino": DominoNetwork}


class BlockHead(Head):
    """A head of the DFlash family, for the main model that it is bound to."""

    config: BlockConfig
    network: DFlashNetwork

    @staticmethod
    def build(config: BlockConfig, weights: Weights) -> tuple[nn.Module, Weights]:
        """Divide joint projections of queries, keys and values into three, and leave out the confidence head.

        Raises `HeadTensorError` for a joint projection of another shape.
        """
        queries = config.heads * config.head_dim
        keys = config.kv_heads * config.head_dim
        made: Weights = {}
        for name, array in weights.items():
            if name.startswith("confidence_head."):
                continue
            parts = mx.split(array, [queries, queries + keys], axis=0) if ".qkv_proj." in name else [array]
            for projection, part in zip(("q_proj", "k_proj", "v_proj"), parts, strict=False):
                part_name = name.replace("qkv_proj", projection)
                if part_name in made:
                    raise HeadTensorError(name)
                made[part_name] = part
        return _NETWORKS[config.kind](config, made), made

    def new_context(self, start: int = 0) -> HeadContext:
        return HeadContext(self.config.row_windows, start)

    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        """Append keys and values of the tapped rows `taps` (1, S, taps * width); the tokens themselves are not read."""
        del tokens
        self.network.extend(context, taps.astype(self.dtype))

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        """Run one pass over a block of the anchor and masks, and draw `count` tokens from its rows.

        `anchor` is int32 (1,), perhaps lazy. The scores are (count, m), with the main-model ids (count, m) of their
        columns for a head with a vocabulary of its own or with few candidates.
        """
        config = self.config
        rows = self._block(anchor, count - int(config.anchor_predicts) + config.spare_rows)
        if config.embedding_scale != 1.0:
            rows = rows * config.embedding_scale
        # The anchor's row is skipped unless it predicts the first draft token.
        first = 0 if config.anchor_predicts else 1
        hidden = self.network(rows, context)[:, first : first + count]
        logits = self.logits(hidden)
        if config.output_multiplier != 1.0:
            logits = logits * config.output_multiplier
        if config.soft_cap:
            logits = mx.tanh(logits / config.soft_cap) * config.soft_cap
        made = self.network.propose(hidden, logits, anchor, self.on_main_ids(draw), self.embed)
        return HeadProposal(made.tokens, made.scores, self.columns(made.scores, made.ids))

    def _block(self, anchor: mx.array, masks: int) -> mx.array:
        """Return the embeddings (1, 1 + masks, width) of the anchor (1,) and the masks."""
        if "mask_embedding" not in self.network:
            mask = mx.full((masks,), self.config.mask_token, mx.int32)
            return self.embed(mx.concatenate([anchor.astype(mx.int32), mask])[None])
        first = self.embed(anchor[None])
        mask = mx.broadcast_to(self.network.mask_embedding.astype(first.dtype), (1, masks, first.shape[-1]))
        return mx.concatenate([first, mask], axis=1)
