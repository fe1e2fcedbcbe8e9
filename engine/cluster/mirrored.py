"""Caches that all ranks change alike: every operation on rank 0 is written into a journal, which the others replay.

A pass and what was done to caches before it cross together, so a round costs one message. Operations are deterministic
functions of positions and counts, which are the same on every rank; only the arrays differ.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import mlx.core as mx

from engine.cluster.tracked import TrackedRollback, TrackedRows, Transcript, feed_rows
from engine.speculation.cache_rules import copies
from engine.speculation.rollback import CachesOutOfStep, Checkpoint, Rollback
from engine.speculation.row_caches import RowCaches
from engine.speculation.shared_caches import SharedCaches

Operation = list[Any]
# Operations that are not followed by a pass wait for the next one, but not more of them than this.
MOST_WAITING = 64


class Journal:
    """The operations of rank 0, given to `send` before each pass. Belongs to the engine's thread.

    Only `drop` may be called from any thread: caches end whenever the garbage collector finds them.
    """

    def __init__(self, send: Callable[[list[Operation]], None]) -> None:
        self._send = send
        self._waiting: list[Operation] = []
        self._dropped: list[int] = []
        self._numbers = count(1)

    def number(self) -> int:
        """A number that no caches and no checkpoint have had."""
        return next(self._numbers)

    def add(self, operation: str, *arguments: Any) -> None:
        """Write an operation that the other ranks carry out before the next pass."""
        self._waiting.append([operation, *arguments])
        if len(self._waiting) >= MOST_WAITING:
            self.flush()

    def drop(self, number: int) -> None:
        """Nothing refers to these caches, or to this checkpoint, any more."""
        self._dropped.append(number)

    def flush(self) -> None:
        """Send everything that waits."""
        dropped, self._dropped = self._dropped, []
        operations, self._waiting = self._waiting, []
        if dropped:
            operations.append(["drop", *dropped])
        if operations:
            self._send(operations)


class MirroredCaches(list[Any]):
    """Caches on rank 0, known to the other ranks by `number`; `feed` is told the ids of each pass."""

    def __init__(self, caches: Iterable[Any], journal: Journal, number: int, feed: Callable[[mx.array], None]) -> None:
        super().__init__(caches)
        self.journal, self.number, self.feed = journal, number, feed
        weakref.finalize(self, journal.drop, number).atexit = False

    def digest(self) -> tuple[int, int]:
        """See `Transcript.digest`."""
        raise NotImplementedError


class MirroredText(MirroredCaches, SharedCaches):
    """The caches of one text."""

    def __init__(self, caches: Iterable[Any], journal: Journal, number: int, transcript: Transcript) -> None:
        super().__init__(caches, journal, number, lambda ids: transcript.feed(ids[0]))
        self.transcript = transcript

    @classmethod
    def empty(cls, caches: Iterable[Any], journal: Journal) -> MirroredText:
        """New caches, which the other ranks make as well."""
        number = journal.number()
        journal.add("new", number)
        return cls(caches, journal, number, Transcript())

    def digest(self) -> tuple[int, int]:
        return self.transcript.digest()

    def rollback(self) -> Rollback:
        return _MirroredRollback(self)

    def copies(self) -> MirroredText:
        number = self.journal.number()
        self.journal.add("copy", self.number, number)
        return MirroredText(copies(self), self.journal, number, self.transcript.copy())

    def rows(self) -> RowCaches:
        return _MirroredRows(self)


class _RowsOfTexts(MirroredCaches):
    """What the model is called with in a pass over a batch."""

    def __init__(self, caches: Iterable[Any], journal: Journal, number: int, rows: TrackedRows) -> None:
        # No reference to the rows: they hold these caches, and a circle would outlive them.
        transcripts, counts = rows.transcripts, rows.counts
        super().__init__(caches, journal, number, lambda ids: feed_rows(transcripts, counts, ids))
        self._transcripts = transcripts

    def digest(self) -> tuple[int, int]:
        parts = [transcript.digest() for transcript in self._transcripts]
        return sum(length for length, _ in parts), sum(checksum for _, checksum in parts) & 0xFFFFFFFF


@dataclass(frozen=True)
class _MirroredCheckpoint(Checkpoint):
    number: int = 0


class _MirroredRollback(TrackedRollback):
    """Writes every operation into the journal before it is done here."""

    def __init__(self, caches: MirroredText) -> None:
        super().__init__(caches, caches.transcript)
        self._journal, self._number = caches.journal, caches.number
        # `commit` may call `abort`; the outermost operation says it all.
        self._inside = False

    def begin(self, rows: int) -> None:
        self._journal.add("begin", self._number, rows)
        super().begin(rows)

    def shorten(self, rows: int) -> None:
        self._journal.add("shorten", self._number, rows)
        super().shorten(rows)

    def commit(self, keep: int) -> int:
        self._inside = True
        try:
            held = super().commit(keep)
        except CachesOutOfStep:
            # It has restored everything.
            self._journal.add("abort", self._number)
            raise
        finally:
            self._inside = False
        self._journal.add("commit", self._number, keep, held)
        return held

    def abort(self) -> None:
        if not self._inside:
            self._journal.add("abort", self._number)
        super().abort()

    def rewind(self, position: int) -> bool:
        done = super().rewind(position)
        if done:
            self._journal.add("rewind", self._number, position)
        return done

    def remember(self, position: int) -> Checkpoint:
        made = super().remember(position)
        number = self._journal.number()
        self._journal.add("remember", self._number, position, number)
        checkpoint = _MirroredCheckpoint(made.position, made.states, number)
        weakref.finalize(checkpoint, self._journal.drop, number).atexit = False
        return checkpoint

    def recall(self, checkpoint: Checkpoint) -> None:
        assert isinstance(checkpoint, _MirroredCheckpoint)
        self._journal.add("recall", self._number, checkpoint.number)
        super().recall(checkpoint)


class _MirroredRows(TrackedRows):
    """Writes every operation into the journal before it is done here."""

    def __init__(self, caches: MirroredText) -> None:
        super().__init__(caches)
        self._journal, self._number = caches.journal, caches.journal.number()
        self._journal.add("rows", self._number, caches.number)
        self.caches: list[Any] = _RowsOfTexts(self.caches, self._journal, self._number, self)

    def add(self, caches: Iterable[Any], length: int) -> None:
        assert isinstance(caches, MirroredText)
        self._journal.add("add_row", self._number, caches.number, length)
        super().add(caches, length)
        self.track(caches.transcript)

    def remove(self, row: int) -> list[Any]:
        number = self._journal.number()
        self._journal.add("remove_row", self._number, row, number)
        return MirroredText(super().remove(row), self._journal, number, self.untrack(row))

    def begin(self, counts: Sequence[int], more: int = 0) -> None:
        self._journal.add("begin_rows", self._number, list(counts), more)
        super().begin(counts, more)

    def go_on(self, counts: Sequence[int]) -> None:
        self._journal.add("go_on_rows", self._number, list(counts))
        super().go_on(counts)

    def commit(self, keep: Sequence[int]) -> list[int]:
        held = super().commit(keep)
        self._journal.add("commit_rows", self._number, list(keep), held)
        return held

    def abort(self) -> None:
        self._journal.add("abort_rows", self._number)
        super().abort()
