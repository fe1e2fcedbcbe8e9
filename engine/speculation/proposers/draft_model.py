"""Drafting with a small model that has the main model's vocabulary (Leviathan et al., arXiv:2211.17192).

The draft model prefills the prompt before the first speculative round, after the first token is out, and later catches
up on exactly the tokens it has not seen. Draft tokens are drawn with the Gumbel noise that the main model will use at
the same position, so both agree as often as their distributions overlap (Daliri, Musco, Suresh, arXiv:2408.07978).
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.main_model.sampling import MIN_JOINT_PROBABILITY as MIN_JOINT_PROBABILITY
from engine.main_model.sampling import Sampler, top_probabilities
from engine.requests import MAX_DRAFTED
from engine.speculation.proposers.draft_sampling import DraftSampling
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.sequence import PREFILL_CHUNK, CachedSequence


class DraftModelProposer(Proposer):
    """Proposes with a draft model, whose own `sequence` follows the committed text, pictures left out.

    `main` is the main model's sequence, if that may differ.

    Proposals end at the draft's `context_length`. With `keep_distributions` they are drawn independently of the main
    model's noise and carry their distributions, for rejection acceptance. With `stops_early` a greedy proposal ends at
    the token with which the joint probability falls below MIN_JOINT_PROBABILITY.
    """

    source = "draft"
    prefilled_tokens = 0
    # The committed tokens that every round leaves unread for the next one.
    usual_lag = 1
    # Whether the draft model has ids of its own.
    maps_ids = False

    def __init__(
        self,
        sequence: CachedSequence,
        sampler: Sampler,
        context_length: int,
        main: CachedSequence | None = None,
        *,
        keep_distributions: bool = False,
    ) -> None:
        self.sequence = sequence
        self._main = main or sequence
        self.sampler = sampler
        self._context_length = context_length
        self.keep_distributions = keep_distributions and not sampler.greedy
        self.stops_early = False

    @property
    def lag(self) -> int:
        """Committed tokens that the draft model has not seen, not counting the newest."""
        return len(self.sequence.pending) - 1

    @property
    def backlog(self) -> int:
        return max(0, self.lag - self.usual_lag)

    @property
    def reason(self) -> str:
        return "draft-context-full" if len(self.sequence.tokens) >= self._context_length else "no-guess"

    def max_proposals(self) -> int:
        return max(0, min(MAX_DRAFTED, self._context_length - len(self.sequence.tokens)))

    def prepare(self) -> bool:
        if self.lag <= PREFILL_CHUNK and not self.sequence.must_prefill:
            return False
        self.prefilled_tokens += self.sequence.prefill(PREFILL_CHUNK)
        return True

    def propose(self, depth: int) -> Proposal:
        """Draft up to `depth` tokens, after the pending ones were read.

        All stay on the device; the transaction over them stays open until `committed` or `abandon`.
        """
        sequence = self.sequence
        self.count_catching_up()
        # For more rows, logits that nobody reads cost more than another pass, in which they are not computed.
        if self.lag > 64:
            self.sequence.prefill(self.lag)
        draft = self.begin(depth)
        logits = sequence.verify()
        sequence.commit(0, [])
        early_stop = EarlyStop() if draft.stops_early else None
        fed = 0
        while True:
            scores = draft.add(self.on_main_ids(logits))
            # The device drafts this token while the host still builds the next step.
            probability = [] if early_stop is None else [early_stop.note(scores)]
            mx.async_eval(draft.tokens[-1], *probability)  # type: ignore[no-untyped-call]
            if early_stop is not None and early_stop.reached():
                draft.tokens.pop()
                break
            if len(draft.tokens) == depth:
                break
            if not fed:
                sequence.open_drafts(depth - 1)
            logits = sequence.draft(self.as_draft_id(draft.tokens[-1]))
            fed += 1
        if 0 < fed < depth - 1:
            sequence.close_drafts(fed)
        return draft.proposal()

    def begin(self, depth: int) -> Draft:
        """Begin a proposal of at most `depth` tokens."""
        return Draft(self, depth)

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        del drafted
        self.sequence.keep(accepted, tokens)

    def abandon(self) -> None:
        self.sequence.abandon()

    def count_catching_up(self) -> None:
        """Count catch-up. Call it before the model is fed the pending tokens."""
        # A fully accepted round leaves its last draft token unseen: that is not catching up.
        if self.lag > self.usual_lag:
            self.prefilled_tokens += self.lag

    @property
    def history(self) -> list[int]:
        """The committed text in main ids."""
        return self._main.tokens

    def on_main_ids(self, logits: mx.array) -> mx.array:
        """Return the draft's logits (1, V) as logits of main ids."""
        return logits

    def as_draft_id(self, token: mx.array) -> mx.array:
        """Return the draft's id of a main id that it has drafted, (1,)."""
        return token


class Draft(DraftSampling):
    """The draft tokens of one proposal of a draft model, while it is made."""

    def __init__(self, proposer: DraftModelProposer, depth: int) -> None:
        super().__init__(proposer.sampler, proposer.history, depth, keep_distributions=proposer.keep_distributions)
        self.proposer = proposer

    @property
    def stops_early(self) -> bool:
        """Whether it ends when its tokens' joint probability falls below MIN_JOINT_PROBABILITY."""
        return self.proposer.stops_early and self.sampler.greedy

    @property
    def simple(self) -> bool:
        """Whether its scores are the draft model's unchanged logits, and nothing but tokens is needed."""
        proposer = self.proposer
        return self.sampler.plain_scores and not proposer.keep_distributions and not proposer.maps_ids

    def add(self, logits: mx.array) -> mx.array:
        """Draw the next token, (1,), from `logits` (1, V) of main ids; returns its scores (1, vocabulary)."""
        return self.draw(len(self.tokens), logits)

    def proposal(self) -> Proposal:
        """Return the finished proposal."""
        return Proposal(
            mx.concatenate(self.tokens),
            self.proposer.source,
            len(self.tokens),
            self.distributions,
            stopped_early=len(self.tokens) < self.depth,
        )


class EarlyStop:
    """The joint probability of a round's greedy draft tokens by the draft model.

    It is read one token behind: the device drafts a token while the host waits for the one before.
    """

    def __init__(self) -> None:
        self._joint = 1.0
        self._probabilities: list[mx.array] = []

    def note(self, scores: mx.array) -> mx.array:
        """Take in the greedy token of `scores` (1, V); returns its lazy probability, to be launched with it."""
        self._probabilities.append(top_probabilities(scores))
        return self._probabilities[-1]

    def reached(self) -> bool:
        """Whether the joint probability of the tokens before the newest is below MIN_JOINT_PROBABILITY."""
        if len(self._probabilities) > 1:
            known: float = self._probabilities.pop(0).item()  # type: ignore[assignment]
            self._joint *= known
        return self._joint < MIN_JOINT_PROBABILITY
