"""The caches of finished turns of all resident main models, each with its drafter's.

The next turn prefills only the new tokens.

A request that continues exactly where an entry ends takes the entry out and puts it back longer. One that branches off
earlier (another chat with the same system prompt, a regenerated answer, an edited message) works on a copy, which
shares its arrays with the entry until one of them writes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import mlx.nn as nn

from engine.main_model.loaded_model import LoadedModel
from engine.pictures.placed import PlacedPicture, content_of
from engine.prefix.kept import KEPT_CHECKPOINTS, KeptConversations, sequences_of
from engine.prefix.store import PrefixStore
from engine.prefix.text_index import TextIndex
from engine.speculation.conversation import CachedConversation
from engine.speculation.drafters.sources import Drafter
from engine.speculation.rounds.sequence import CHECKPOINT_SPACING, CachedSequence
from engine.status import PrefixCacheUsage

# Reading fewer tokens again takes about as long as the pass that one more checkpoint adds.
LEAST_GAIN = 64


class PrefixCache:
    """Conversations in order of use, the latest last, within `budget` bytes. Each belongs to one main model.

    `store` has conversations of earlier sessions with the main model in use.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.store: PrefixStore | None = None
        self._kept = KeptConversations()
        self._forgotten: set[str] = set()

    @property
    def usage(self) -> PrefixCacheUsage:
        return PrefixCacheUsage(len(self._kept), self.bytes, self.budget)

    @property
    def bytes(self) -> int:
        return self._kept.bytes

    @property
    def latest(self) -> CachedConversation:
        """The conversation that was used last. Raises IndexError if there is none."""
        return self._kept.latest

    def take(
        self,
        model: LoadedModel,
        tokens: Sequence[int],
        name: str | None = None,
        pictures: tuple[PlacedPicture, ...] = (),
        *,
        shared: bool = False,
        caller: str = "",
        opening: int = 0,
        boundaries: Sequence[int] = (),
    ) -> CachedConversation:
        """Return a conversation for `tokens`, with as many of them cached as an entry can provide.

        With a `name`, entries with a name may provide them. Without one, entries of the same `caller` without a name
        may, and entries of other callers the first `opening` tokens, the system message, if they begin with all of
        them: programs must not find out from speeds what chats, or other callers, said. The main sequence holds exactly
        `tokens` with `pictures`; at least the last one is pending. `boundaries` are the ends of turns in it.
        """
        content = content_of(tokens, pictures)
        audience = caller if name is None else None
        store = None if name is None else self.store
        best, reach = self._kept.best(model.model, content, audience, opening)
        if store is not None and (stored := store.find(content, better_than=reach)) is not None:
            self._kept.add(stored)
            best, reach = self._kept.best(model.model, content, audience, opening)
        taken = self._take_out(best, reach) if best is not None else None
        if taken is None:
            taken = CachedConversation(CachedSequence(model.model, model.new_caches()))
        elif best is not None and best.audience == audience:
            taken.rewind(reach)
        else:
            taken.keep_for_others(reach)
        taken.main.tokens = list(tokens)
        taken.main.pictures = pictures
        # Half of what finished turns may take, as the rest of this one is kept there, too.
        taken.main.checkpoint_bytes = self.budget // 2
        taken.name = name
        taken.shared = shared
        taken.caller = caller
        taken.opening = opening
        taken.main.boundaries = self._checkpoint_places(taken, content, boundaries)
        return taken

    def put(self, conversation: CachedConversation) -> None:
        """Keep a conversation that no request uses any more, and drop the least recently used ones over the budget."""
        if conversation.draft is not None and not conversation.draft.intact:
            conversation.draft = None
        main = conversation.main
        conversation.finish_work()
        if not main.intact or main.position == 0 or conversation.name in self._forgotten:
            return
        if any(_covers(entry, conversation) for entry in self._kept.continuations(conversation)):
            return
        main.remember()
        for entry in self._kept.beginnings(conversation):
            if _covers(conversation, entry):
                self._kept.remove(entry)
        self._kept.add(conversation)
        self.shrink()

    def shrink(self, budget: int | None = None) -> None:
        """Drop checkpoints, and then the least recently used, until the rest fits into `budget`, by default its own."""
        budget = self.budget if budget is None else budget
        while self.bytes > budget and (entry := self._kept.thinnable) is not None:
            self._kept.change(entry, partial(_thin, newest=KEPT_CHECKPOINTS - 1))
        while self._kept and self.bytes > budget:
            self._kept.remove(self._kept.oldest)

    def drop_inner_checkpoints(self) -> None:
        """Drop the inner checkpoints of all conversations: what branches off there is read from an earlier place on."""
        for entry in self._kept:
            self._kept.change(entry, partial(_thin, newest=1))

    def use_drafter(self, model: nn.Module, drafter: Drafter | None) -> None:
        """Drop the caches of the previous drafter of the main model in use.

        The store saves and finds caches of `drafter` from now on.
        """
        for entry in self._kept:
            if entry.main.model is model:
                self._kept.change(entry, CachedConversation.drop_drafter)
        if self.store is not None:
            self.store.use_drafter(drafter)

    def forget(self, names: Collection[str]) -> None:
        """Forget these conversations for good, also those that a request still uses."""
        self._forgotten.update(names)
        for entry in self._kept:
            if entry.name in self._forgotten:
                self._kept.remove(entry)
        if self.store is not None:
            self.store.forget(names)

    def save(self) -> None:
        """Save conversations with a name to the store, if there is one; only the latest ones if not all fit.

        What consists mostly of a shared one is not saved as well: the rest of it is read again in less time.
        """
        if self.store is not None:
            self._save(self.store)

    def release(self, model: nn.Module, store: PrefixStore | None) -> None:
        """Save the conversations of a main model that is to be unloaded to its store, if it has one, and drop them."""
        if store is not None:
            self._save(store)
        for entry in self._kept:
            if entry.main.model is model:
                self._kept.remove(entry)

    def _save(self, store: PrefixStore) -> None:
        """Save the named conversations of the store's model, the latest first, as far as its budget reaches."""
        named = [entry for entry in self._kept if entry.name and entry.main.model is store.model]
        shared = TextIndex[CachedConversation]()
        for entry in named:
            if entry.shared:
                shared.add(entry.main.tokens, entry)
        left = store.budget
        remaining = []
        for entry in reversed(named):
            size = entry.bytes
            if size <= left and not _is_mostly_shared(entry, shared):
                left -= size
                remaining.append(entry)
        for entry in reversed(remaining):
            store.save(entry)

    def _checkpoint_places(
        self, taken: CachedConversation, content: Sequence[int], boundaries: Sequence[int]
    ) -> tuple[int, ...]:
        """Return where to take checkpoints: where turns end, at intervals, and where a text parts from a kept one."""
        sequence = taken.main
        if not sequence.needs_boundaries:
            return ()
        places = {*boundaries, *range(CHECKPOINT_SPACING, len(content), CHECKPOINT_SPACING)}
        parting = self._kept.most_shared(sequence.model, content[:-1], taken.audience)
        before = max((place for place in (*places, sequence.position) if place <= parting), default=0)
        if parting - before >= LEAST_GAIN:
            places.add(parting)
        return tuple(sorted(places))

    def _take_out(self, entry: CachedConversation, reach: int) -> CachedConversation | None:
        if reach == entry.main.position:
            self._kept.remove(entry)
            return entry
        self._kept.use(entry)
        return entry.fork()


def _thin(entry: CachedConversation, newest: int) -> None:
    for sequence in sequences_of(entry):
        sequence.thin(0, newest=newest)


def _is_mostly_shared(entry: CachedConversation, shared: TextIndex[CachedConversation]) -> bool:
    return not entry.shared and 2 * shared.most_shared(entry.main.tokens) > entry.main.position


def _covers(entry: CachedConversation, other: CachedConversation) -> bool:
    """Whether `entry` can provide all that `other` can, so that `other` is not needed."""
    held_tokens = other.main.position
    if entry.main.model is not other.main.model:
        return False
    if entry is other or held_tokens > entry.main.position or (other.draft is not None and entry.draft is None):
        return False
    if other.head is not None and (entry.head is None or entry.head.start > other.head.start):
        return False
    if entry.audience != other.audience or (other.name and not entry.name):
        # They serve different requests, or only `other` may be stored on disk.
        return False
    if entry.opening < other.opening:
        # Other callers may use less of `entry`.
        return False
    if entry.main.content[:held_tokens] != other.main.content[:held_tokens]:
        return False
    positions = {held_tokens, *(checkpoint.position for checkpoint in other.main.checkpoints)}
    return all(entry.main.reach(position) == position for position in positions)
