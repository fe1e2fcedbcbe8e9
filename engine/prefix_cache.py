"""Finished turns' caches, main and draft together, so that the next turn reads only what is new.

A request that goes on exactly where an entry ends takes the entry along and brings it back longer. One that goes
elsewhere from the middle (another chat with the same system prompt, a regenerated answer, an edited message, a branch)
works on a copy, whose arrays are shared until one of both writes, so nobody loses what the other needs.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence as Tokens

from engine.conversation import Conversation, usable_prefix
from engine.loading import LoadedModel
from engine.prefix_store import PrefixStore
from engine.speculation.sequence import Sequence
from engine.status import PrefixCacheUsage


class PrefixCache:
    """Conversations in order of use, the latest last, within `budget` bytes; `store` has those of earlier sessions."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.store: PrefixStore | None = None
        self._entries: list[Conversation] = []
        self._forgotten: set[str] = set()

    @property
    def usage(self) -> PrefixCacheUsage:
        return PrefixCacheUsage(len(self._entries), self.bytes, self.budget)

    @property
    def bytes(self) -> int:
        return sum(entry.bytes for entry in self._entries)

    def take(self, model: LoadedModel, tokens: Tokens[int], name: str | None = None) -> Conversation:
        """The conversation `name`, which holds as much of `tokens` as any entry can give, perhaps nothing.

        Its main sequence holds exactly `tokens`, of which at least the last is pending.
        """
        best, reach = self._best(tokens)
        if self.store is not None and (stored := self.store.find(tokens, better_than=reach)) is not None:
            self._entries.append(stored)
            best, reach = self._best(tokens)
        taken = self._lend(best, reach) if best is not None else None
        if taken is None:
            taken = Conversation(Sequence(model.model, model.new_caches()))
        else:
            taken.main.rewind(reach)
        taken.main.tokens = list(tokens)
        taken.name = name
        return taken

    def put(self, conversation: Conversation) -> None:
        """Keep a conversation that no request works on any more; the least recently used make room."""
        if conversation.draft is not None and not conversation.draft.intact:
            conversation.draft = None
        main = conversation.main
        if not main.intact or main.position == 0 or conversation.name in self._forgotten:
            return
        if any(_covers(entry, conversation) for entry in self._entries):
            return
        main.remember()
        self._entries = [entry for entry in self._entries if not _covers(conversation, entry)]
        self._entries.append(conversation)
        self.shrink()

    def shrink(self, budget: int | None = None) -> None:
        """Drop the least recently used until `budget` bytes (the cache's own by default) are enough."""
        budget = self.budget if budget is None else budget
        while self._entries and self.bytes > budget:
            self._entries.pop(0)

    def use_draft(self, draft: LoadedModel | None) -> None:
        """Drop what another draft model has cached; the store keeps and finds caches of `draft` from now on."""
        for entry in self._entries:
            entry.draft = None
        if self.store is not None:
            self.store.use_draft(draft)

    def forget(self, names: Collection[str]) -> None:
        """Drop these conversations for good, also those that a request still works on."""
        self._forgotten.update(names)
        self._entries = [entry for entry in self._entries if entry.name not in self._forgotten]
        if self.store is not None:
            self.store.forget(names)

    def save(self) -> None:
        """Hand to the store, if there is one, what has a name and fits; the latest first of all."""
        if self.store is None:
            return
        room, kept = self.store.budget, []
        for entry in reversed(self._entries):
            if entry.name is not None and entry.bytes <= room:
                room -= entry.bytes
                kept.append(entry)
        for entry in reversed(kept):
            self.store.save(entry)

    def clear(self) -> None:
        self._entries.clear()

    def _best(self, tokens: Tokens[int]) -> tuple[Conversation | None, int]:
        best, longest = None, 0
        for entry in self._entries:
            reach = usable_prefix(entry.main, tokens)
            if reach > longest or (reach == longest > 0 and entry.main.position == reach):
                best, longest = entry, reach
        return best, longest

    def _lend(self, entry: Conversation, reach: int) -> Conversation | None:
        self._entries.remove(entry)
        if reach == entry.main.position:
            return entry
        self._entries.append(entry)
        return entry.fork()


def _covers(entry: Conversation, other: Conversation) -> bool:
    """Whether `entry` can serve whatever `other` can, so that one of them is enough."""
    held = other.main.position
    if entry is other or held > entry.main.position or (other.draft is not None and entry.draft is None):
        return False
    if entry.name is None and other.name is not None:
        # Only the other may be kept on disk.
        return False
    if entry.main.tokens[:held] != other.main.tokens[:held]:
        return False
    positions = {held, *(kept.position for kept in other.main.checkpoints)}
    return all(entry.main.reach(position) == position for position in positions)
