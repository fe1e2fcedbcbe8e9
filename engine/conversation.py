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
    """What both models know of one text; `draft` is None until a draft model was asked.

    All of it belongs to the conversation that the caller calls `name`. Without one it never reaches the disk.
    """

    main: Sequence
    draft: Sequence | None = None
    name: str | None = None

    @property
    def bytes(self) -> int:
        return self.main.bytes + (self.draft.bytes if self.draft is not None else 0)

    def arrays(self) -> list[mx.array]:
        """Every array that both keep."""
        return [array for known in (self.main, self.draft) if known is not None for array in known.kept_arrays()]

    def fork(self) -> Conversation | None:
        """Another conversation that holds the same, or None where the main model's caches cannot be copied."""
        main = self.main.fork()
        return None if main is None else Conversation(main, self.draft.fork() if self.draft is not None else None)


def continue_on(sequence: Sequence | None, model: LoadedModel, tokens: Tokens[int]) -> Sequence:
    """`sequence` moved on to `tokens` as far as its caches can be cut back to what both share, or a new one."""
    reach = 0 if sequence is None else usable_prefix(sequence, tokens)
    if sequence is None or reach == 0:
        sequence = Sequence(model.model, model.new_caches())
    else:
        sequence.rewind(reach)
    sequence.tokens = list(tokens)
    return sequence


def usable_prefix(sequence: Sequence, tokens: Tokens[int]) -> int:
    """How many leading tokens the caches can serve; at least the last token is left to be fed."""
    held = sequence.tokens[: sequence.position]
    return sequence.reach(shared_prefix(held, tokens[: len(tokens) - 1]))
