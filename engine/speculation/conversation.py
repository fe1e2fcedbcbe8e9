"""One text in the caches of the main model and of its drafter."""

from __future__ import annotations

import logging
from collections.abc import Sequence as Tokens
from dataclasses import dataclass

import mlx.core as mx

from engine.errors import is_device_failure
from engine.heads.head import Head
from engine.main_model.loading import LoadedModel
from engine.speculation.drafters.head_session import HeadSession
from engine.speculation.rounds.sequence import Sequence
from engine.speculation.rounds.taps import Taps
from engine.tokenizers.prompts import shared_prefix

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Conversation:
    """The sequences of both models for one text; `draft` is None until a draft model was used, `head` until a head was.

    It belongs to the conversation that the caller calls `name`; without a name it is never written to disk.
    """

    main: Sequence
    draft: Sequence | None = None
    name: str | None = None
    head: HeadSession | None = None

    @property
    def bytes(self) -> int:
        return sum(known.bytes for known in (self.main, self.draft, self.head) if known is not None)

    def arrays(self) -> list[mx.array]:
        """Every array that models and head keep."""
        arrays = [array for known in (self.main, self.draft) if known is not None for array in known.kept_arrays()]
        return arrays + (self.head.arrays() if self.head is not None else [])

    def rewind(self, length: int) -> None:
        """Go back to the first `length` tokens, which the main model's caches can reach."""
        self.main.rewind(length)
        if self.head is not None:
            self.head.rewind(length)
            if not self.head.ready and length > 1 and self.main.unread(length - 1):
                # The main model reads one token again, and the head gets the state that it lacks.
                self.head.rewind(length - 1)

    def follow(self, head: Head, taps: Taps) -> HeadSession:
        """Let `head` follow what the main model reads from now on, from where it knows the text."""
        if self.head is None or self.head.head is not head:
            self.head = HeadSession(head, taps)
        if self.head.length < self.main.position:
            self.head.restart(self.main.position)
        self.main.follower = self.head
        return self.head

    def drop_drafter(self) -> None:
        """Forget what a draft model or a head has cached."""
        self.draft = self.head = self.main.follower = None

    def settle(self) -> None:
        """No request uses it any more: nothing is left unread, followed or under way. Raises what evaluating raises."""
        self.main.follower = None
        try:
            if self.head is not None:
                # It may know rows that the caches have to be fed again, and those come again then.
                self.head.rewind(self.main.position)
                self.head.settle()
        except Exception as error:
            if is_device_failure(error):
                raise
            log.warning("what a head has read is lost", exc_info=error)
            self.head = None
        # A pass that was rolled back may still be under way, and its failure is to be known before this is kept.
        mx.eval(self.arrays())

    def fork(self) -> Conversation | None:
        """A copy without a name, or None where the main model's caches cannot be copied."""
        main = self.main.fork()
        if main is None:
            return None
        draft = self.draft.fork() if self.draft is not None else None
        return Conversation(main, draft, head=self.head.copy() if self.head is not None else None)


def continue_on(sequence: Sequence | None, model: LoadedModel, tokens: Tokens[int]) -> Sequence:
    """`sequence` set to `tokens`, with its caches cut back to what they share, or a new one where that is nothing."""
    reach = 0 if sequence is None else usable_prefix(sequence, tokens)
    if sequence is None or reach == 0:
        sequence = Sequence(model.model, model.new_caches())
    else:
        sequence.rewind(reach)
    sequence.tokens = list(tokens)
    return sequence


def usable_prefix(sequence: Sequence, tokens: Tokens[int]) -> int:
    """How many of `tokens` need not be fed again, because the caches hold them; at least the last one is pending."""
    held = sequence.tokens[: sequence.position]
    return sequence.reach(shared_prefix(held, tokens[: len(tokens) - 1]))
