"""A small model with the main model's vocabulary guesses what the main model will say.

The draft model reads the prompt on the first speculative round, after the first token is out, and later catches up on
exactly the tokens that it has not seen. Its guesses are drawn with the noise that the main model will use at the same
position, so both agree as often as their distributions overlap (Daliri, Musco, Suresh, arXiv:2408.07978).
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.sampling import DRAFT, Sampler
from engine.speculation.proposers.proposal import Proposal, Trial
from engine.speculation.sequence import PREFILL_CHUNK
from engine.speculation.sequence import Sequence as CachedSequence

# Tokens of an answer that one look compares, and guesses of the rounds that it stands for.
MOST_LOOKED_AT = 64
LOOK_DEPTH = 8
# Below this chance that all guesses so far are right, one more is hardly ever worth drafting and verifying. Rounds of
# the starter pair lose nothing by it on chats, and four fifths of their cost on text that its draft cannot guess.
LEAST_CHANCE = 0.4
# Of so many scores only the largest counts when a chance is estimated. Exponentials of all of them would cost the CPU
# as much as a sixth of a step, and the estimate is 4 % above the chance on the mean of the starter draft's guesses.
SCORES_PER_TERM = 32


class DraftModelProposer:
    """Guesses with a draft model that stands at a committed position of its own.

    `sequence` is the draft model's; guesses end at its `context_length`. With `keep_distributions` they are drawn
    independently of the main model's noise and handed on with their distributions, for rejection acceptance.
    """

    source = "draft"
    bucket = ""
    # Committed tokens that a round leaves to be read by the next one as a matter of course.
    usual_backlog = 1

    def __init__(
        self, sequence: CachedSequence, sampler: Sampler, context_length: int, *, keep_distributions: bool = False
    ) -> None:
        self.sequence = sequence
        self.read_tokens = 0
        self._sampler = sampler
        self._context_length = context_length
        self._keep_distributions = keep_distributions and not sampler.greedy
        # Whether a round ends where its guesses become unlikely, however many were asked for.
        self.stops_early = False
        self._answer_from = 0
        self._seen: list[Trial] = []

    @property
    def backlog(self) -> int:
        """Committed tokens that the draft model has not read, the newest one aside."""
        return len(self.sequence.pending) - 1

    @property
    def unread(self) -> int:
        return max(0, self.backlog - self.usual_backlog)

    @property
    def reason(self) -> str:
        return "draft-context-full" if len(self.sequence.tokens) >= self._context_length else "no-guess"

    def limit(self) -> int:
        return max(0, self._context_length - len(self.sequence.tokens))

    def prepare(self) -> bool:
        if self.backlog <= PREFILL_CHUNK and not self.sequence.reads_to_a_boundary:
            return False
        self.read_tokens += self.sequence.read(PREFILL_CHUNK)
        return True

    def propose(self, depth: int) -> Proposal:
        sequence, sampler = self.sequence, self._sampler
        history = self._history
        self._count_catching_up()
        noise = self._noise(len(history), depth)
        logits = sequence.verify()
        sequence.commit(0, [])
        guesses: list[mx.array] = []
        distributions: list[mx.array] = []
        likely = Likelihood() if self.stops_early and sampler.greedy else None
        for index in range(depth):
            seen = mx.concatenate(guesses) if guesses and sampler.penalised else None
            scores = sampler.scores(self._on_main_ids(logits), history, seen)
            row = None if noise is None else noise[index : index + 1]
            logprobs = scores if row is None else sampler.log_probabilities(scores)
            if self._keep_distributions:
                distributions.append(sampler.probabilities(logprobs))
            guesses.append(sampler.draw(logprobs, row))
            # The device guesses this one while the next is still being built.
            mx.async_eval(guesses[-1])  # type: ignore[no-untyped-call]
            if index + 1 == depth or (likely is not None and not likely.goes_on(scores)):
                break
            if index == 0:
                sequence.open_drafts(depth - 1)
            logits = sequence.draft(self._as_draft_id(guesses[-1]))
        count = len(guesses)
        if 1 < count < depth:
            sequence.close_drafts(count - 1)
        return Proposal(
            mx.concatenate(guesses),
            self.source,
            count,
            mx.concatenate(distributions) if distributions else None,
            stopped=count < depth,
        )

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        del drafted
        if self.sequence.rollback.active:
            self.sequence.commit(accepted, tokens)
        else:
            self.sequence.append(tokens)

    def trials(self) -> Sequence[Trial]:
        seen, self._seen = self._seen, []
        return seen

    def reset(self, tokens: Sequence[int]) -> None:
        # Its sequence was moved on to the conversation already.
        self._answer_from = len(tokens)

    @property
    def can_look(self) -> bool:
        sequence = self.sequence
        written = len(sequence.tokens) - max(sequence.position + 1, self._answer_from)
        return written > 0 and not sequence.needs_boundaries and not self._sampler.penalised

    def look(self) -> None:
        """Read what was missed in one pass, and compare with it what would have been guessed."""
        sequence, unread = self.sequence, self.backlog
        compared = min(unread, len(sequence.tokens) - max(self._answer_from, 1), MOST_LOOKED_AT)
        while self.backlog > compared:
            sequence.read(min(PREFILL_CHUNK, self.backlog - compared))
        self.read_tokens += unread
        first = sequence.position + 1
        logprobs = self._sampler.log_probabilities(self._sampler.scores(sequence.reread(compared), ()))
        drawn: list[int] = self._sampler.draw(logprobs, self._sampler.noise(first, compared)).tolist()  # type: ignore[assignment]
        self._seen += _as_rounds(drawn, sequence.tokens[first : first + compared])

    def abandon(self) -> None:
        if self.sequence.rollback.active:
            self.sequence.abort()

    def _count_catching_up(self) -> None:
        # A fully accepted round leaves its last guess unread: that is not catching up.
        if self.backlog > self.usual_backlog:
            self.read_tokens += self.backlog

    @property
    def _history(self) -> list[int]:
        """The committed text in main ids."""
        return self.sequence.tokens

    def _on_main_ids(self, logits: mx.array) -> mx.array:
        """The draft's logits (1, V) by main ids."""
        return logits

    def _as_draft_id(self, guess: mx.array) -> mx.array:
        return guess

    def _noise(self, position: int, depth: int) -> mx.array | None:
        if self._keep_distributions:
            return self._sampler.noise(position, depth, DRAFT)
        # One row more than the guesses: the main model draws its own token from the same block of noise.
        return self._sampler.noise(position, depth + 1)


class Likelihood:
    """Whether the guesses of a round are still likely to be right, all of them, as the draft model sees it."""

    def __init__(self) -> None:
        self._chance = 1.0
        self._under_way: list[mx.array] = []
        self._first = True

    def goes_on(self, scores: mx.array) -> bool:
        """Takes the greedy guess of `scores` (1, vocabulary) in. False once the guesses have become unlikely.

        Waits for the first guess. Later ones are looked at when the next is under way, so that the device need not
        wait for the host.
        """
        chance = estimated_chance(scores)
        mx.async_eval(chance)  # type: ignore[no-untyped-call]
        self._under_way.append(chance)
        if self._first or len(self._under_way) > 1:
            self._first = False
            known: float = self._under_way.pop(0).item()  # type: ignore[assignment]
            self._chance *= known
        return self._chance >= LEAST_CHANCE


def estimated_chance(scores: mx.array) -> mx.array:
    """About how likely the likeliest token of `scores` (1, vocabulary) is: a lazy array of shape ()."""
    terms = scores.shape[1] // SCORES_PER_TERM
    if terms > 1:
        scores = scores[:, : terms * SCORES_PER_TERM].reshape(SCORES_PER_TERM, terms).max(axis=0)
    return mx.exp(scores.max() - mx.logsumexp(scores))


def _as_rounds(guessed: Sequence[int], came: Sequence[int]) -> list[Trial]:
    """The rounds of LOOK_DEPTH guesses in which `came` would have been committed, had `guessed` been guessed."""
    rounds: list[Trial] = []
    start = 0
    while start < len(came):
        ahead = min(LOOK_DEPTH, len(came) - start)
        right = next((i for i in range(ahead) if guessed[start + i] != came[start + i]), ahead)
        rounds.append(Trial("", ahead, right))
        start += right + 1
    return rounds
