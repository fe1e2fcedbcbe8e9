"""The conversations of the prefix cache in the order of their use, with their sizes and an index of their texts.

What an answer costs here does not grow with the number of conversations: sizes are added up as they change, and what
shares a beginning with a text is found by `TextIndex`.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import mlx.nn as nn

from engine.prefix.text_index import TextIndex
from engine.speculation.conversation import CachedConversation
from engine.speculation.rounds.sequence import CachedSequence

# Some conversations can neither be cut anywhere nor have a checkpoint where a text parts from them. This many of them,
# which share the most with the text, are asked whether they can be cut there. They can only be cut a few rows from
# their ends, so one that can be shares nearly its whole text, and is among the first.
MOST_KEPT_CANDIDATES = 32
# No other conversation is dropped for an inner checkpoint of one that has at most this many.
KEPT_CHECKPOINTS = 4


@dataclass
class _KeptTexts:
    """The texts of one main model's conversations with one audience."""

    whole: TextIndex[CachedConversation] = field(default_factory=TextIndex)
    # What precedes each inner checkpoint.
    checkpoints: TextIndex[CachedConversation] = field(default_factory=TextIndex)


class _Noted(NamedTuple):
    """What was noted of a conversation: its bytes, its text, the places of its inner checkpoints, and its opening.

    The opening are the tokens that it may provide to other callers; none if it is a chat's, or not read so far.

    Exactly this is taken back, so that the indexes stay right whatever happens to the conversation meanwhile.
    """

    bytes: int
    text: list[int]
    checkpoints: list[int]
    opening: list[int]


class KeptConversations:
    """Conversations that no request uses, the least recently used first. They change by `change` only."""

    def __init__(self) -> None:
        self._noted: OrderedDict[CachedConversation, _Noted] = OrderedDict()
        # Those with more checkpoints than a full cache leaves them, in the same order.
        self._thinnable: OrderedDict[CachedConversation, None] = OrderedDict()
        # By the main model and the audience, see `CachedConversation.audience`.
        self._texts: defaultdict[tuple[int, str | None], _KeptTexts] = defaultdict(_KeptTexts)
        # By the main model.
        self._openings: defaultdict[int, TextIndex[CachedConversation]] = defaultdict(TextIndex)
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._noted)

    def __iter__(self) -> Iterator[CachedConversation]:
        """Iterate over a copy, the least recently used first."""
        return iter([*self._noted])

    @property
    def latest(self) -> CachedConversation:
        """The conversation that was used last. Raises IndexError if there is none."""
        if not self._noted:
            raise IndexError("no conversation is kept")
        return next(reversed(self._noted))

    @property
    def oldest(self) -> CachedConversation:
        """The least recently used conversation. There must be one."""
        return next(iter(self._noted))

    @property
    def thinnable(self) -> CachedConversation | None:
        """The least recently used conversation with more checkpoints than a full cache leaves it, if there is one."""
        return next(iter(self._thinnable), None)

    def add(self, entry: CachedConversation) -> None:
        """Keep a conversation as the one that was used last."""
        self._note(entry)

    def remove(self, entry: CachedConversation) -> None:
        self._forget(entry)
        del self._noted[entry]

    def use(self, entry: CachedConversation) -> None:
        """Make a conversation the most recently used one."""
        self._noted.move_to_end(entry)
        if entry in self._thinnable:
            self._thinnable.move_to_end(entry)

    def change(self, entry: CachedConversation, step: Callable[[CachedConversation], object]) -> None:
        """Let `step` drop parts of a conversation, which keeps its place."""
        self._forget(entry)
        step(entry)
        self._note(entry)

    def best(
        self, model: nn.Module, content: Sequence[int], audience: str | None, opening: int = 0
    ) -> tuple[CachedConversation | None, int]:
        """Return the conversation that needs the fewest of the tokens `content` fed, and how many it can provide.

        It has the same `audience`, or begins with the same `opening` tokens, which is all that it provides then. Of
        conversations that can provide as many, one that ends there is preferred: it needs no copy.
        """
        texts = self._texts.get((id(model), audience), _KeptTexts())
        looked_up = content[: len(content) - 1]
        best = None
        longest = 0
        for index in (texts.whole, texts.checkpoints):
            shared = next(index.beginnings(looked_up), None)
            if shared is not None and shared.length > longest:
                best, longest = shared
        for entry, length in islice(texts.whole.nearest(looked_up), MOST_KEPT_CANDIDATES):
            if length <= longest:
                break
            reach = entry.main.reach(length)
            if reach > longest:
                best = entry
                longest = reach
        if audience is not None and opening > longest:
            for entry in islice(self._with_opening(model, content[:opening]), MOST_KEPT_CANDIDATES):
                if entry.main.reach(opening) == opening:
                    return entry, opening
        return best, longest

    def _with_opening(self, model: nn.Module, opening: Sequence[int]) -> Iterator[CachedConversation]:
        """Generate the conversations of all callers with exactly this opening, the newest first."""
        openings = self._openings.get(id(model), TextIndex[CachedConversation]())
        for shared in openings.beginnings(opening):
            if shared.length < len(opening):
                return
            yield shared.value

    def most_shared(self, model: nn.Module, content: Sequence[int], audience: str | None) -> int:
        """Return how many of the first tokens of `content` the text of some conversation with this audience shares."""
        texts = self._texts.get((id(model), audience), _KeptTexts())
        return texts.whole.most_shared(content)

    def continuations(self, entry: CachedConversation) -> list[CachedConversation]:
        """Return the conversations whose texts begin with the text of `entry`, and which serve the same requests."""
        return list(self._texts_of(entry).whole.continuations(_text(entry.main)))

    def beginnings(self, entry: CachedConversation) -> list[CachedConversation]:
        """Return the conversations with whose texts the text of `entry` begins, and which serve the same requests."""
        return [shared.value for shared in self._texts_of(entry).whole.beginnings(_text(entry.main))]

    def _texts_of(self, entry: CachedConversation) -> _KeptTexts:
        return self._texts[id(entry.main.model), entry.audience]

    def _note(self, entry: CachedConversation) -> None:
        """Enter a conversation into the indexes and count its bytes, as they are now."""
        text = list(_text(entry.main))
        opening = text[: entry.opening] if entry.name is None and len(text) >= entry.opening else []
        noted = _Noted(entry.bytes, text, _inner_checkpoints(entry.main), opening)
        self._noted[entry] = noted
        self.bytes += noted.bytes
        if any(len(sequence.checkpoints) > KEPT_CHECKPOINTS for sequence in sequences_of(entry)):
            self._thinnable[entry] = None
        texts = self._texts_of(entry)
        texts.whole.add(noted.text, entry)
        for place in noted.checkpoints:
            texts.checkpoints.add(noted.text[:place], entry)
        if opening:
            self._openings[id(entry.main.model)].add(opening, entry)

    def _forget(self, entry: CachedConversation) -> None:
        """Remove exactly what `_note` has entered."""
        noted = self._noted[entry]
        self.bytes -= noted.bytes
        self._thinnable.pop(entry, None)
        texts = self._texts_of(entry)
        texts.whole.remove(noted.text, entry)
        for place in noted.checkpoints:
            texts.checkpoints.remove(noted.text[:place], entry)
        if not texts.whole:
            # Another model may get the same id later.
            del self._texts[id(entry.main.model), entry.audience]
        if noted.opening:
            openings = self._openings[id(entry.main.model)]
            openings.remove(noted.opening, entry)
            if not openings:
                del self._openings[id(entry.main.model)]


def sequences_of(entry: CachedConversation) -> list[CachedSequence]:
    return [sequence for sequence in (entry.main, entry.draft) if sequence is not None]


def _text(sequence: CachedSequence) -> Sequence[int]:
    """Return the text that the caches hold."""
    return sequence.content[: sequence.position]


def _inner_checkpoints(sequence: CachedSequence) -> list[int]:
    return [checkpoint.position for checkpoint in sequence.checkpoints if 0 < checkpoint.position < sequence.position]
