"""Steps of one token for each answer of a batch, one behind the other: all that happens while nothing proposes.

`RaggedDecoder` runs them in place of its rounds, and goes back to these when somebody joins, leaves or may propose.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import mlx.core as mx

from engine.decoders.ragged_round import Drawing, Member, RaggedRound
from engine.events import TokensCommitted
from engine.speculation.batch_drafting import BatchDrafting
from engine.speculation.depth import Choice
from engine.speculation.sequence_batch import SequenceBatch


class PlainSteps:
    """Steps of `members`, which are all of `batch` and have no followers, for the reasons that `choices` give."""

    def __init__(
        self, members: list[Member], choices: list[Choice], batch: SequenceBatch, drafting: BatchDrafting
    ) -> None:
        self._members, self._choices = members, choices
        self._batch, self._drafting = batch, drafting
        self._why_plain = drafting.why_plain
        self._generations = [member.generation for member in members]
        self._settings = [generation.speculation for generation in self._generations]
        samplers = [member.generation.sampler for member in members]
        self._argmax = all(sampler.plain_argmax and not sampler.alternatives for sampler in samplers)

    @classmethod
    def of(cls, members: list[Member], batch: SequenceBatch, drafting: BatchDrafting) -> PlainSteps | None:
        """The steps of `members`, or None where something may propose for one of them, or follows its text."""
        choices = [drafting.always_plain(member.request, member.generation.speculation) for member in members]
        followed = any(member.generation.conversation.main.follower is not None for member in members)
        decided = [choice for choice in choices if choice is not None]
        return cls(members, decided, batch, drafting) if len(decided) == len(members) and not followed else None

    def serve(self, members: Sequence[Member]) -> bool:
        """Whether they still are the steps of `members`."""
        if members != self._members or self._drafting.why_plain != self._why_plain:
            return False
        return [generation.speculation for generation in self._generations] == self._settings

    def start_next(self, current: RaggedRound, drawing: Drawing) -> RaggedRound | None:
        """Start the step behind `current`, which has not been read; None where that ends every answer."""
        for generation in self._generations:
            if generation.budget - len(generation.ids) > 1:
                break
        else:
            return None
        started_at, members = time.perf_counter(), list(self._members)
        done = self._batch.feed(current.sampled)
        ahead = RaggedRound(members, self._choices, [None] * len(members), done, started_at, None, pipelined=True)
        if self._argmax:
            drawing.dispatch_likeliest(ahead, self._batch)
        else:
            fed: list[mx.array | None] = [current.sampled[row : row + 1] for row in range(len(members))]
            drawing.dispatch(ahead, self._batch, fed)
        current.followed = True
        return ahead

    def commit(self, current: RaggedRound, row: int, now: float) -> TokensCommitted:
        """Append the token of a member of a step that was read."""
        generation = current.members[row].generation
        (token, logprob), choice = current.token(row), current.choices[row]
        generation.conversation.main.tokens.append(token)
        passed, generation.round_ended = now - generation.round_ended, now
        likeliest = current.likeliest[row].read()[0] if row in current.likeliest else ()
        why = choice.reason, choice.arguments
        return generation.add_plain_token(token, logprob, likeliest, why, 1, max(0.0, passed), now)
