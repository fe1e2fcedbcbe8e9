"""Finished turns' caches, main and draft together, so that the next turn reads only what is new.

An entry is taken out while a request works on it and put back when it ends, so no two requests share a cache.
"""

from __future__ import annotations

from collections.abc import Sequence as Tokens
from dataclasses import dataclass

from engine.loading import LoadedModel
from engine.speculation.sequence import Sequence


@dataclass(eq=False)
class Conversation:
    """What both models know of one text; `draft` is None until a draft model was asked."""

    main: Sequence
    draft: Sequence | None = None

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for sequence in (self.main, self.draft) if sequence for array in sequence.arrays())


class PrefixCache:
    """Conversations in order of use, the latest last, within `budget` bytes."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._entries: list[Conversation] = []

    @property
    def bytes(self) -> int:
        return sum(entry.bytes for entry in self._entries)

    def take(self, model: LoadedModel, tokens: Tokens[int]) -> Conversation:
        """The conversation that shares most with `tokens`, cut back to what it shares; or a new one.

        Its main sequence holds exactly `tokens`, of which at least the last is pending.
        """
        best, shared = None, 0
        for entry in self._entries:
            usable = _usable_prefix(entry.main, tokens)
            if usable > shared:
                best, shared = entry, usable
        if best is None:
            best = Conversation(Sequence(model.model, model.new_caches()))
        else:
            self._entries.remove(best)
            best.main.rewind(shared)
        best.main.tokens = list(tokens)
        return best

    def put(self, conversation: Conversation) -> None:
        """Keep a conversation that no request works on any more; the least recently used make room."""
        if conversation.draft is not None and not conversation.draft.intact:
            conversation.draft = None
        if not conversation.main.intact:
            return
        self._entries.append(conversation)
        while len(self._entries) > 1 and self.bytes > self.budget:
            self._entries.pop(0)

    def forget_drafts(self) -> None:
        """Another draft model: what the last one knew is of no use."""
        for entry in self._entries:
            entry.draft = None

    def clear(self) -> None:
        self._entries.clear()


def continue_on(sequence: Sequence | None, model: LoadedModel, tokens: Tokens[int]) -> Sequence:
    """`sequence` moved on to `tokens` as far as its caches can be cut back to what both share, or a new one."""
    usable = 0 if sequence is None else _usable_prefix(sequence, tokens)
    if sequence is None or usable == 0:
        sequence = Sequence(model.model, model.new_caches())
    else:
        sequence.rewind(usable)
    sequence.tokens = list(tokens)
    return sequence


def _usable_prefix(sequence: Sequence, tokens: Tokens[int]) -> int:
    """How many leading tokens the caches can serve: all that both share, or nothing where they cannot be cut."""
    held = sequence.tokens[: sequence.position]
    limit = min(len(held), len(tokens) - 1)
    shared = next((index for index in range(limit) if held[index] != tokens[index]), limit)
    return shared if sequence.can_rewind(shared) else 0
