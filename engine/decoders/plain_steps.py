"""Steps of one token for each answer of a batch, one behind the other: all that happens while nothing proposes.

`RaggedDecoder` runs them in place of its rounds, and goes back to these when somebody joins, leaves or may propose.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from engine.decoders.ragged_round import Drawing, Member, Proposed, RaggedRound
from engine.events import TokensCommitted
from engine.generation import Generation
from engine.speculation.batch_drafting import BatchDrafting
from engine.speculation.choosing.choice import Choice, MeasuredRound
from engine.speculation.sequence_batch import SequenceBatch

# The controller learns from the first steps and then from one in so many; of the others it is told the time only.
KNOWN, EVERY = 8, 64


class PlainSteps:
    """Steps of `members`, which are all of `batch` and have no followers, for the reasons that `choices` give.

    Few functions are called for a step, and few for each answer: on a GPU that time is all the host's.
    """

    def __init__(
        self,
        members: list[Member],
        choices: list[Choice],
        batch: SequenceBatch,
        drafting: BatchDrafting,
        drawing: Drawing,
    ) -> None:
        self._members, self._choices = members, choices
        self._batch, self._drafting, self._drawing = batch, drafting, drawing
        # Both change when something may propose, or nothing does for another reason.
        self._version, self._why_plain = drafting.alone.version, drafting.alone.why_plain
        self._generations = [member.generation for member in members]
        self._settings = [generation.speculation for generation in self._generations]
        self._texts = [generation.conversation.main.tokens for generation in self._generations]
        samplers = [member.generation.sampler for member in members]
        self._argmax = all(sampler.plain_argmax and not sampler.alternatives for sampler in samplers)
        self._nothing = Proposed([None] * len(members))
        # Typical steps so far, and those that the controller was not told of yet, with their seconds.
        self._typical = 0
        self._passed, self._passed_s = 0, 0.0

    @classmethod
    def of(
        cls, members: list[Member], batch: SequenceBatch, drafting: BatchDrafting, drawing: Drawing
    ) -> PlainSteps | None:
        """The steps of `members`, or None where something may propose for one of them, or follows its text."""
        choices = [drafting.always_plain(member.request, member.generation.speculation) for member in members]
        followed = any(member.generation.conversation.main.follower is not None for member in members)
        decided = [choice for choice in choices if choice is not None]
        if followed or len(decided) < len(members):
            return None
        return cls(members, decided, batch, drafting, drawing)

    def go_on(self, current: RaggedRound, members: Sequence[Member]) -> bool:
        """Whether they still are the steps of `members`, behind `current`."""
        if members != self._members or current.members != members or not current.proposed.plain:
            return False
        drafting = self._drafting.alone
        if drafting.version != self._version or drafting.why_plain is not self._why_plain:
            return False
        for generation, settings in zip(self._generations, self._settings, strict=True):
            if generation.speculation is not settings:
                return False
        return True

    def start_next(self, current: RaggedRound) -> RaggedRound | None:
        """Start the step behind `current`, which has not been read; None where that ends every answer."""
        for generation in self._generations:
            if generation.budget - len(generation.ids) > 1:
                break
        else:
            return None
        started_at, fed = time.perf_counter(), current.sampled
        done = self._batch.feed(fed)
        drawn = (fed, fed) if not self._argmax else self._drawing.dispatch_likeliest(done.logits, self._batch)
        ahead = RaggedRound(
            self._members, self._choices, self._nothing, done, started_at, None, True, False, drawn[0], drawn[1]
        )
        if not self._argmax:
            self._drawing.dispatch(ahead, self._batch, [fed[row : row + 1] for row in range(len(self._members))])
        current.followed = True
        return ahead

    def settle(
        self, current: RaggedRound, ended_at: float | None
    ) -> tuple[float, list[tuple[Generation, TokensCommitted | Exception]]]:
        """Wait for a step and append its tokens; returns when it ended, and what it brought.

        The one before ended at `ended_at`, None where that does not tell what this one took.
        """
        tokens, logprobs = current.read()
        now = time.perf_counter()
        interrupted = False
        outcome: list[tuple[Generation, TokensCommitted | Exception]] = []
        for row, member in enumerate(current.members):
            generation, choice = member.generation, current.choices[row]
            interrupted = interrupted or generation.timing_interrupted
            generation.timing_interrupted = False
            if member.error is not None:
                outcome.append((generation, member.error))
                continue
            self._texts[row].append(tokens[row])
            passed, generation.round_ended = now - generation.round_ended, now
            likeliest = current.likeliest[row].read()[0] if row in current.likeliest else ()
            why = choice.reason, choice.arguments
            event = generation.add_plain_token(tokens[row], logprobs[row], likeliest, why, 1, max(0.0, passed), now)
            outcome.append((generation, event))
        if ended_at is not None and not interrupted and current.pipelined and current.followed:
            self._typical += 1
            if self._typical <= KNOWN or self._typical % EVERY == 0:
                self.tell_passed()
                rows = len(tokens)
                self._drafting.observe_round(
                    self._members[0].request, MeasuredRound(rows, rows, now - ended_at, answers=rows)
                )
            else:
                self._passed += 1
                self._passed_s += now - ended_at
        return now, outcome

    def tell_passed(self) -> None:
        """Tell the controller of the steps that it was not told of; to be called when they end."""
        if self._passed:
            requests = [member.request for member in self._members]
            self._drafting.pass_over(requests, self._passed, self._passed_s)
            self._passed, self._passed_s = 0, 0.0
