"""Heads that draft token by token, each step from the state that the previous step made (EAGLE-3, MTP).

A step reads the embedding of a token and the state of the previous position, and makes the state from which the next
token is predicted. Committed tokens are paired with the main model's states, draft tokens with the head's own; the rows
of draft tokens are dropped after each proposal.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import mlx.core as mx

from engine.heads.context import ChainContext, HeadContext, LayerRows
from engine.heads.head import Draw, Head, HeadProposal

# At most this many pairs wait for the first step of the next proposal to read them; the pairs of a prompt do not wait.
MAX_WAITING = 32


class ChainHead(Head):
    """A head that drafts token by token.

    A subclass defines its states (`states_of`), a step (`step`), and how tokens are predicted from its result
    (`scores`).

    It goes on from the newest state, which the first pass of an answer gives it, so rows of the prompt matter less: the
    starter's EAGLE-3 head lost 0.5 rounds of 14 without them, as the MTP head did.
    """

    blind_rounds = 0.5

    @property
    def depths(self) -> int:
        """The number of first steps that keep rows of committed pairs, and of newest states that wait for tokens."""
        return 1

    @property
    def tokens_ahead(self) -> int:
        return self.depths

    @abstractmethod
    def states_of(self, taps: mx.array) -> mx.array:
        """Return the states (1, S, width) of tapped rows (1, S, taps * width), which have the main model's dtype."""

    @abstractmethod
    def step(self, embedded: mx.array, states: mx.array, caches: list[LayerRows], depth: int) -> mx.array:
        """Return the next states (1, n, width) from embeddings (1, n, width) and states; append n rows to `caches`.

        `depth` counts the draft tokens before the step: step 0 reads committed pairs and the anchor.
        """

    def next_states(self, read: mx.array, made: mx.array) -> mx.array:  # noqa: ARG002
        """Return the states for the next step: the last row (1, 1, width).

        `read` and `made` (1, n, width) are the states that a step has read and those that it has returned. A head with
        a part for each depth returns all rows (1, n, width).
        """
        return made[:, -1:]

    @abstractmethod
    def scores(self, states: mx.array, depth: int) -> mx.array:
        """Return logits (1, n, m) from states that `step` made at this depth."""

    def new_context(self, start: int = 0) -> ChainContext:
        return ChainContext(self.config.row_windows, start)

    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        """Append the rows of committed tokens; `taps` is (1, S, taps * width).

        Pairs wait as states (1, n, width), and are put into the caches in one piece when there are more than
        MAX_WAITING.
        """
        assert isinstance(context, ChainContext)
        context.append(self.states_of(taps).astype(self.dtype), tokens)
        if context.waiting > MAX_WAITING:
            known, states = context.take_waiting(self.depths)
            rows = states.shape[1] - self.depths
            states = states[:, :rows]
            for depth in range(self.depths):
                # Lazy: only the part that the caches keep is ever computed.
                embedded = self.embed(mx.array([known[depth : depth + rows]], mx.int32))
                states = self.next_states(states, self.step(embedded, states, context.layers, depth))
            for layer in context.layers:
                layer.drop()

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        """Draft token by token: `count` tokens with scores (count, m) after `anchor`, int32 (1,) and perhaps lazy.

        The first steps also fill the caches with the pairs that waited; what only drafted is cut off the caches again.
        """
        assert isinstance(context, ChainContext)
        draft_context = context
        draw = self.on_main_ids(draw)
        known, states = draft_context.take_waiting(self.depths)
        missing = max(0, states.shape[1] - self.depths)
        end = draft_context.layers[0].offset + missing
        ids = mx.concatenate([mx.array(known, mx.int32), anchor.astype(mx.int32)]) if known else anchor
        tokens: list[mx.array] = []
        scores: list[mx.array] = []
        for depth in range(max(count, self.depths if missing else 0)):
            # A step that proposes nothing only fills the caches with committed pairs.
            states = states if depth < count else states[:, :missing]
            rows = states.shape[1]
            read = ids[-rows:] if depth < count else ids[depth : depth + rows]
            made = self.step(self.embed(read[None]), states, draft_context.layers, depth)
            if depth < count:
                scores.append(self.scores(made[:, -1:], depth)[0])
                tokens.append(draw(depth, scores[-1], None))
                ids = mx.concatenate([ids, tokens[-1]])
            states = self.next_states(states, made)
        draft_context.cut(end)
        for layer in draft_context.layers:
            layer.drop()
        drawn_from = mx.concatenate(scores)
        return HeadProposal(mx.concatenate(tokens), drawn_from, self.columns(drawn_from))

    def log_chance(self, taps: mx.array, tokens: Sequence[int], answers: mx.array) -> mx.array:
        """Return the mean log-probability, a scalar, as `Head.log_chance` describes it.

        `taps` is (1, n, taps * width), `answers` (n - 1,). Each row is drafted in one step, as the first token of a
        proposal.
        """
        states = self.states_of(taps[:, :-1]).astype(self.dtype)
        states = self.step(self.embed(mx.array([tokens[1:]], mx.int32)), states, self.new_context().layers, 0)
        logits = self.scores(states, 0)[0]
        return mean_log_chance(logits, self.columns(logits), answers)


def mean_log_chance(logits: mx.array, ids: mx.array | None, answers: mx.array) -> mx.array:
    """Return the mean log-probability of `answers` (n,) by logits (n, m), whose columns stand for `ids` (n, m) or all.

    Answers that are not among the ids are left out.
    """
    chances = logits.astype(mx.float32) - mx.logsumexp(logits.astype(mx.float32), axis=-1, keepdims=True)
    if ids is None:
        return mx.take_along_axis(chances, answers[:, None], axis=-1).mean()
    hit = ids == answers[:, None]
    return mx.where(hit, chances, 0.0).sum() / mx.maximum(hit.sum(), 1)
