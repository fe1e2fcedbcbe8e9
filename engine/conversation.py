"""One text in the caches of the main model and of the draft model."""

from __future__ import annotations

from collections.abc import Sequence as Tokens
from dataclasses import dataclass

import mlx.core as mx

from engine.loading import LoadedModel
from engine.prompts import shared_prefix
from engine.speculation.sequence import Sequence


@dataclass(eq=False)
class Conversation:
    """The sequences of both models for one text; `draft` is None until a draft model was used.

    It belongs to the conversation that the caller calls `name`; without a name it is never written to disk.
    """

    main: Sequence
    draft: Sequence | None = None
    name: str | None = None

    @property
    def bytes(self) -> int:
        return self.main.bytes + (self.draft.bytes if self.draft is not None else 0)

    def arrays(self) -> list[mx.array]:
        """Every array that the two sequences keep."""
        return [array for known in (self.main, self.draft) if known is not None for array in known.kept_arrays()]

    def fork(self) -> Conversation | None:
        """A copy without a name, or None where the main model's caches cannot be copied."""
        main = self.main.fork()
        return None if main is None else Conversation(main, self.draft.fork() if self.draft is not None else None)


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
