"""Rounds of one token each, one behind the other: all that happens for each of them while nothing proposes.

`SpeculativeDecoder` hands over a plain round that is under way, and gets one back where these end.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import mlx.core as mx

from engine.events import TokensCommitted
from engine.generation import Generation
from engine.speculation.choosing.choice import Choice
from engine.speculation.drafting import Drafting
from engine.speculation.round import Drawn, PendingRound, Rounds
from engine.stats import RoundRecord

# The controller is told of the first rounds and then of one in so many: the others say nothing new, and their
# accounts would be a third of a token's host work.
KNOWN, EVERY = 8, 64


class PlainRounds:
    """Decodes `generation` from the pipelined plain round `current` on, for the reason that `choice` gives.

    `accounted_to` is when the time begins that belongs to `current`, a `time.perf_counter()`. `drafting`, where there
    is one, is told of some rounds, and `update_log` is called before these are counted.
    """

    def __init__(
        self,
        generation: Generation,
        rounds: Rounds,
        current: PendingRound,
        choice: Choice,
        accounted_to: float,
        drafting: Drafting | None,
        update_log: Callable[[], None],
    ) -> None:
        self.choice, self.accounted_to = choice, accounted_to
        self._generation, self._rounds, self._drafting = generation, rounds, drafting
        self._tokens = rounds.sequence.tokens
        self._drawn: Drawn = current.sampled, current.logprobs, current.likeliest
        # All that is told of a round's start is the same of every one.
        self._first = current
        self._update_log = update_log
        self._why = choice.reason or "no-guess", choice.arguments
        self._speculation = generation.speculation
        self._version = None if drafting is None else drafting.version
        self._why_plain = None if drafting is None else drafting.why_plain
        # The latest round, if the controller is to be told of it, and the tokens and seconds of those that it was not.
        self._told: RoundRecord | None = None
        self._passed_tokens, self._passed_s = 0, 0.0
        self._begun = False

    def step(self) -> TokensCommitted | None:
        """Start the next round, and read the one under way; None, with nothing done, where these rounds end."""
        generation, drafting = self._generation, self._drafting
        if (
            generation.cancelled
            or generation.budget - len(generation.ids) <= 1
            or generation.speculation is not self._speculation
            or (drafting is not None and drafting.version != self._version)
            or (drafting is not None and drafting.why_plain is not self._why_plain)
        ):
            return None
        now = time.perf_counter()
        if self._begun and self._told is None and not generation.timing_interrupted:
            self._passed_tokens += 1
            self._passed_s += now - generation.round_ended
            generation.round_ended = now
        else:
            self._account(now)
        sampled, logprobs, likeliest = self._drawn
        self._drawn = self._rounds.go_on(sampled)
        self._first.followed = True
        token: int = sampled.item()  # type: ignore[assignment]
        [logprob] = self._rounds.read_log_probabilities(logprobs)
        others = () if likeliest is None else likeliest.read()[0]
        now = time.perf_counter()
        busy, self.accounted_to = max(0.0, now - self.accounted_to), now
        tells = drafting is not None and (generation.round < KNOWN or generation.round % EVERY == 0)
        if tells:
            self._update_log()
        event = generation.add_plain_token(token, logprob, others, self._why, 1, busy, now)
        if self._rounds.reads_scores:
            # The CPU ran the first half of the pass while the host did all this.
            mx.async_eval(self._drawn[0])  # type: ignore[no-untyped-call]
        self._told = event.round if tells else None
        self._tokens.append(token)
        if generation.reason is not None:
            self._rounds.sequence.keep_fed()
        return event

    def end(self) -> PendingRound:
        """End these rounds; returns the one that is under way."""
        self._account(time.perf_counter())
        if self._drafting is not None and self._passed_tokens:
            self._drafting.pass_over(self._passed_tokens, self._passed_s)
        self._rounds.sequence.keep_fed()
        sampled, logprobs, likeliest = self._drawn
        return PendingRound(None, None, sampled, logprobs, 1, 0.0, None, likeliest, pipelined=True)

    def _account(self, now: float) -> None:
        """Learn from the latest round; its time includes delivering its event, up to when the next one may begin."""
        generation, drafting = self._generation, self._drafting
        if self._begun and generation.timing_interrupted:
            # Time spent on other requests is not charged to this one's rounds.
            self.accounted_to = now
            if drafting is not None:
                drafting.interrupted()
        elif drafting is not None and self._told is not None:
            drafting.pass_over(self._passed_tokens, self._passed_s)
            self._passed_tokens, self._passed_s = 0, 0.0
            drafting.observe(self.choice, self._first, self._told, now - generation.round_ended)
        elif self._begun:
            self._passed_tokens += 1
            self._passed_s += now - generation.round_ended
        self._begun = True
        generation.timing_interrupted = False
        generation.round_ended = now
