"""What refines a block's independent rows, left to right: each draft token with regard to the one before it.

Attribute names are those of the published tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import mlx.core as mx
import mlx.nn as nn

from engine.heads.config import GruConfig, HeadConfig, MarkovConfig, SelectorConfig
from engine.heads.head import Draw, HeadProposal

Embed = Callable[[mx.array], mx.array]


class Refiner(Protocol):
    """Turns the rows of a block into draft tokens."""

    def propose(self, hidden: mx.array, logits: mx.array, anchor: mx.array, draw: Draw, embed: Embed) -> HeadProposal:
        """The draft tokens of hidden states (1, n, width) with their logits (1, n, m); columns are draft ids.

        `draw` takes columns to main-model ids, `embed` ids (1, n) to the main model's embeddings.
        """
        ...


class Independent:
    """DFlash: every row is drawn by itself."""

    def propose(self, hidden: mx.array, logits: mx.array, anchor: mx.array, draw: Draw, embed: Embed) -> HeadProposal:
        del hidden, anchor, embed
        return HeadProposal(draw(0, logits[0], None), logits[0])


class CandidateSelector(nn.Module):  # type: ignore[misc]
    """DFlash2: among the likeliest of each row, how well each follows the token before it (dflash, model.py)."""

    def __init__(self, config: HeadConfig, selector: SelectorConfig) -> None:
        super().__init__()
        self._top_k = selector.top_k
        self.predecessor_codebook = nn.Embedding(config.vocabulary, selector.rank)
        self.successor_codebook = nn.Embedding(config.vocabulary, selector.rank)
        self.hidden_projection = nn.Linear(config.width, selector.rank, bias=False)

    def propose(self, hidden: mx.array, logits: mx.array, anchor: mx.array, draw: Draw, embed: Embed) -> HeadProposal:
        del embed
        ids = mx.argpartition(logits[0], -self._top_k, axis=-1)[:, -self._top_k :].astype(mx.int32)
        base = mx.take_along_axis(logits[0], ids, axis=-1)
        states, successors = self.hidden_projection(hidden[0]), self.successor_codebook(ids)
        token, tokens, scores = anchor, [], []
        for row in range(ids.shape[0]):
            context = self.predecessor_codebook(token) * states[row : row + 1]
            scores.append(base[row : row + 1] + (successors[row] @ context[0])[None])
            token = draw(row, scores[-1], ids[row : row + 1])
            tokens.append(token)
        return HeadProposal(mx.concatenate(tokens), mx.concatenate(scores), ids)


class MarkovHead(nn.Module):  # type: ignore[misc]
    """DSpark: a bias from the token before, gated by the row or carried on by a recurrent state (specforge, dspark.py).

    With a recurrent state, the first row starts from zeros.
    """

    def __init__(self, config: HeadConfig, markov: MarkovConfig) -> None:
        super().__init__()
        self._style, rank = markov.style, markov.rank
        self.markov_w1 = nn.Embedding(config.vocabulary, rank)
        self.markov_w2 = nn.Linear(rank, config.draft_vocabulary, bias=False)
        if markov.style == "gated":
            self.gate_proj = nn.Linear(config.width + rank, rank)
        elif markov.style == "rnn":
            self.joint_proj = nn.Linear(2 * rank + config.width, 3 * rank)

    def step(self, state: mx.array | None, before: mx.array, hidden: mx.array) -> tuple[mx.array | None, mx.array]:
        """The next state, and the bias (1, m) of a row: its hidden state (1, width), `before` (1, rank) its token's."""
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


class ConfidenceHead(nn.Module):  # type: ignore[misc]
    """DSpark: the chance that a row's token is accepted."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.proj = nn.Linear(inputs, 1)


class Markov(nn.Module):  # type: ignore[misc]
    """DSpark: the bias, and the confidence where the head has one."""

    def __init__(self, config: HeadConfig, markov: MarkovConfig) -> None:
        super().__init__()
        self.markov_head = MarkovHead(config, markov)
        if markov.confidence:
            self.confidence_head = ConfidenceHead(markov.confidence)
        self._with_token = markov.confidence != config.width

    def propose(self, hidden: mx.array, logits: mx.array, anchor: mx.array, draw: Draw, embed: Embed) -> HeadProposal:
        del embed
        token, state, tokens, scores, before = anchor, None, [], [], []
        for row in range(logits.shape[1]):
            before.append(self.markov_head.markov_w1(token).astype(hidden.dtype))
            state, bias = self.markov_head.step(state, before[-1], hidden[:, row])
            scores.append(logits[:, row] + bias)
            token = draw(row, scores[-1], None)
            tokens.append(token)
        return HeadProposal(
            mx.concatenate(tokens), mx.concatenate(scores), confidence=self._confidence(hidden, mx.concatenate(before))
        )

    def _confidence(self, hidden: mx.array, before: mx.array) -> mx.array | None:
        if "confidence_head" not in self:
            return None
        features = mx.concatenate([hidden[0], before], axis=-1) if self._with_token else hidden[0]
        return mx.sigmoid(self.confidence_head.proj(features)[:, 0].astype(mx.float32))


class GruLayer(nn.Module):  # type: ignore[misc]
    """A GRU without biases, in the layout of torch: reset, update and new gate one below the other."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.weight_ih_l0 = mx.zeros((3 * width, inputs))
        self.weight_hh_l0 = mx.zeros((3 * width, width))

    def __call__(self, state: mx.array, x: mx.array) -> mx.array:
        """The next state (1, width) from `state` and x (1, inputs)."""
        ours, theirs = mx.split(x @ self.weight_ih_l0.T, 3, axis=-1), mx.split(state @ self.weight_hh_l0.T, 3, axis=-1)
        reset, update = mx.sigmoid(ours[0] + theirs[0]), mx.sigmoid(ours[1] + theirs[1])
        new = mx.tanh(ours[2] + reset * theirs[2])
        return (1 - update) * new + update * state


class Gru(nn.Module):  # type: ignore[misc]
    """Domino (arXiv:2605.29707): a bias from a GRU over the block's tokens so far (specforge, domino.py)."""

    def __init__(self, config: HeadConfig, gru: GruConfig) -> None:
        super().__init__()
        self._prefix, self._width = gru.prefix, gru.width
        self.prefix_gru = GruLayer(config.width, gru.width)
        self.embed_proj = [
            nn.Linear(config.width + gru.width, gru.inner, bias=False),
            nn.SiLU(),
            nn.Linear(gru.inner, config.vocabulary, bias=False),
        ]

    def propose(self, hidden: mx.array, logits: mx.array, anchor: mx.array, draw: Draw, embed: Embed) -> HeadProposal:
        token, tokens, scores = anchor, [], []
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


def refiner_of(config: HeadConfig) -> Refiner:
    """What refines the proposals of this head."""
    refiner = config.refiner
    if isinstance(refiner, SelectorConfig):
        return CandidateSelector(config, refiner)
    if isinstance(refiner, MarkovConfig):
        return Markov(config, refiner)
    if isinstance(refiner, GruConfig):
        return Gru(config, refiner)
    return Independent()
