"""Caches that all ranks change alike: rank 0 writes each call that changes some into a journal, the others repeat it.

A pass and what was done to caches before it cross together, so a round costs one message. The calls are deterministic
functions of positions and counts, which are the same on every rank; only the arrays differ. What a call makes gets the
next number on every rank, by which later calls name it. Caches know which tokens they hold, so that ranks can tell
whether they still agree.
"""

from __future__ import annotations

import weakref
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import mlx.core as mx

from engine.cluster.messages import Change, Changes
from engine.speculation.cache_rules import copies
from engine.speculation.rollback import Checkpoint, Rollback
from engine.speculation.row_caches import RowCaches
from engine.speculation.shared_caches import SharedCaches

# Changes that are not followed by a pass wait for the next one, but not more of them than this.
MOST_WAITING = 64
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Journal:
    """The changes of rank 0, given to `send` before each pass. Belongs to the engine's thread."""

    def __init__(self, send: Callable[[Changes], None]) -> None:
        self._send = send
        self._waiting: list[Change] = []
        self._dropped: list[int] = []
        self._latest = 0
        self.written = 0

    def number(self, made: object) -> int:
        """A number for what was just made: a text's caches, their transactions, rows or a checkpoint."""
        self._latest += 1
        weakref.finalize(made, self._drop, self._latest).atexit = False
        return self._latest

    def write(self, target: int, method: str, arguments: Sequence[Any], result: Any) -> None:
        """Write a call that the other ranks repeat before the next pass."""
        other = arguments[0].number if arguments and hasattr(arguments[0], "number") else 0
        numbers = [_plain(argument) for argument in arguments[1 if other else 0 :]]
        self._waiting.append(Change(target, method, other, numbers, _plain(result)))
        self.written += 1
        if len(self._waiting) >= MOST_WAITING:
            self.flush()

    def flush(self, caches: int = 0, shape: Sequence[int] = (), check: int | None = None) -> None:
        """Send everything that waits, and announce a pass where one follows."""
        dropped, self._dropped = self._dropped, []
        done, self._waiting = self._waiting, []
        if dropped or done or caches:
            self._send(Changes(done, dropped, caches, tuple(shape), check))

    def _drop(self, number: int) -> None:
        # Called on any thread: caches end whenever the garbage collector finds them.
        self._dropped.append(number)


def journaled(
    method: Callable[Concatenate[Any, _Arguments], _Result],
) -> Callable[Concatenate[Any, _Arguments], _Result]:
    """A method whose calls are written into the `journal` of its object, once they have come to a result."""

    @wraps(method)
    def call(self: Any, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        journal: Journal = self.journal
        before = journal.written
        result = method(self, *arguments, **named)
        # A commit that restores everything is the abort that it has called, and that was written.
        if journal.written == before:
            journal.write(self.number, method.__name__, [*arguments, *named.values()], result)
        return result

    vars(call)["is_journaled"] = True
    return call


class Replay(Journal):
    """A rank that repeats the changes of rank 0 on its own parts of the caches, which `new_caches` makes.

    `run_pass(caches, shape)` runs the model over ids that arrive from rank 0, which it returns; `report(check, digest)`
    sends a digest back.
    """

    def __init__(
        self,
        new_caches: Callable[[], list[Any]],
        run_pass: Callable[[list[Any], Sequence[int]], mx.array],
        report: Callable[[int, tuple[int, int]], None],
    ) -> None:
        super().__init__(lambda _changes: None)
        self._run_pass, self._report = run_pass, report
        self._held: dict[int, Any] = {0: MirroredModel(new_caches, self)}

    def number(self, made: object) -> int:
        self._latest += 1
        self._held[self._latest] = made
        return self._latest

    def write(self, target: int, method: str, arguments: Sequence[Any], result: Any) -> None:
        """Nobody repeats what this rank does."""

    def repeat(self, changes: Changes) -> None:
        """Do what rank 0 did, and run the pass that follows. Raises `RuntimeError` where it comes out otherwise."""
        for change in changes.done:
            target = self._held[change.target]
            method = getattr(type(target), change.method, None)
            if not getattr(method, "is_journaled", False):
                raise RuntimeError(f"no change of caches: {change.method}")
            with_what = [self._held[change.other]] if change.other else []
            found = _plain(method(target, *with_what, *change.arguments))  # type: ignore[misc]
            if found != change.result:
                raise RuntimeError(f"{change.method} came to {found}, and on rank 0 to {change.result}")
        for number in changes.dropped:
            del self._held[number]
        if changes.caches:
            caches: MirroredCaches = self._held[changes.caches]
            if changes.check is not None:
                self._report(changes.check, caches.digest())
            caches.feed(self._run_pass(caches, changes.shape))


def _plain(value: Any) -> Any:
    """A list, a number or a truth as it is; what a call has made as its number."""
    if hasattr(value, "number"):
        return value.number
    return list(value) if isinstance(value, Sequence) else value


class Transcript:
    """The tokens of one text's caches. Ids arrive as arrays, and are read when they are asked for."""

    def __init__(self, tokens: Iterable[int] = ()) -> None:
        self._tokens = list(tokens)
        self._unread: list[mx.array] = []
        self._fed: list[mx.array] = []

    def begin(self) -> None:
        """A transaction begins."""
        self._fed.clear()

    def feed(self, ids: mx.array) -> None:
        """A pass feeds `ids` (rows,), perhaps not evaluated yet; `keep` says what becomes of them."""
        self._fed.append(ids)

    def keep(self, rows: int) -> None:
        """The first `rows` of the ids fed since `begin` stay in the caches."""
        for ids in self._fed:
            if rows > 0:
                self._unread.append(ids[:rows])
                rows -= ids.shape[0]
        self._fed.clear()

    def cut(self, position: int) -> None:
        """Drop all tokens from `position` on."""
        del self._read()[position:]

    def copy(self) -> Transcript:
        """An independent copy, without what is fed now."""
        return Transcript(self._read())

    def digest(self) -> tuple[int, int]:
        """How many tokens there are, and a checksum of them."""
        tokens = self._read()
        return len(tokens), zlib.crc32(" ".join(map(str, tokens)).encode())

    def _read(self) -> list[int]:
        for ids in self._unread:
            self._tokens += cast("list[int]", ids.tolist())
        self._unread.clear()
        return self._tokens


class MirroredModel:
    """Makes caches for texts on every rank, from those that `new_caches` makes for its part of the model."""

    number = 0

    def __init__(self, new_caches: Callable[[], list[Any]], journal: Journal) -> None:
        self._new_caches, self.journal = new_caches, journal

    @journaled
    def new(self) -> MirroredText:
        """The caches of a new text."""
        return MirroredText(self._new_caches(), self.journal, Transcript())


class MirroredCaches(list[Any]):
    """What the model is called with in a pass over some texts, of which row b is fed its first `counts[b]` ids.

    Without `counts`, all of them.
    """

    def __init__(
        self, caches: Iterable[Any], journal: Journal, transcripts: list[Transcript], counts: list[int] | None = None
    ) -> None:
        super().__init__(caches)
        self._transcripts, self._counts = transcripts, counts
        self.journal, self.number = journal, journal.number(self)

    def feed(self, ids: mx.array) -> None:
        """A pass feeds ids (rows, width), padded behind each row's own."""
        for row, transcript in enumerate(self._transcripts):
            transcript.feed(ids[row] if self._counts is None else ids[row, : self._counts[row]])

    def digest(self) -> tuple[int, int]:
        """How many tokens the texts have, and a checksum of them."""
        digests = [transcript.digest() for transcript in self._transcripts]
        return sum(count for count, _ in digests), sum(checksum for _, checksum in digests) & 0xFFFFFFFF


class MirroredText(MirroredCaches, SharedCaches):
    """The caches of one text."""

    def __init__(self, caches: Iterable[Any], journal: Journal, transcript: Transcript) -> None:
        super().__init__(caches, journal, [transcript])
        self.transcript = transcript

    @journaled
    def rollback(self) -> Rollback:
        return _MirroredRollback(self)

    @journaled
    def copies(self) -> MirroredText:
        return MirroredText(copies(self), self.journal, self.transcript.copy())

    @journaled
    def rows(self) -> RowCaches:
        return _MirroredRows(self)


@dataclass(frozen=True)
class _MirroredCheckpoint(Checkpoint):
    number: int = 0


class _MirroredRollback(Rollback):
    """Transactions that keep the text's transcript in step with its caches."""

    def __init__(self, caches: MirroredText) -> None:
        super().__init__(caches)
        self._transcript = caches.transcript
        self.journal, self.number = caches.journal, caches.journal.number(self)

    @journaled
    def begin(self, rows: int) -> None:
        super().begin(rows)
        self._transcript.begin()

    @journaled
    def shorten(self, rows: int) -> None:
        super().shorten(rows)

    @journaled
    def commit(self, keep: int) -> int:
        held = super().commit(keep)
        self._transcript.keep(held)
        return held

    def advance(self, rows: int) -> int:
        kept = 0 if self._rows is None else self.commit(self._rows)
        self.begin(rows)
        return kept

    @journaled
    def abort(self) -> None:
        super().abort()
        self._transcript.keep(0)

    @journaled
    def rewind(self, position: int) -> bool:
        done = super().rewind(position)
        if done:
            self._transcript.cut(position)
        return done

    @journaled
    def remember(self, position: int) -> Checkpoint:
        made = super().remember(position)
        checkpoint = _MirroredCheckpoint(made.position, made.states)
        object.__setattr__(checkpoint, "number", self.journal.number(checkpoint))
        return checkpoint

    @journaled
    def recall(self, checkpoint: Checkpoint) -> None:
        super().recall(checkpoint)
        self._transcript.cut(checkpoint.position)


class _MirroredRows(RowCaches):
    """Rows of a batch, each with the transcript of its text."""

    def __init__(self, caches: MirroredText) -> None:
        super().__init__(caches)
        self._transcripts: list[Transcript] = []
        self._counts: list[int] = []
        self.journal, self.number = caches.journal, caches.journal.number(self)
        # No reference to these rows: they hold these caches, and a circle would outlive them.
        self.caches: list[Any] = MirroredCaches(self.caches, self.journal, self._transcripts, self._counts)

    @journaled
    def add(self, caches: Iterable[Any], length: int) -> None:
        assert isinstance(caches, MirroredText)
        super().add(caches, length)
        self._transcripts.append(caches.transcript)

    @journaled
    def remove(self, row: int) -> list[Any]:
        taken, last = super().remove(row), self._transcripts.pop()
        if row < len(self._transcripts):
            last, self._transcripts[row] = self._transcripts[row], last
        return MirroredText(taken, self.journal, last)

    @journaled
    def begin(self, counts: Sequence[int], more: int = 0) -> None:
        super().begin(counts, more)
        self._counts[:] = counts
        for transcript in self._transcripts:
            transcript.begin()

    @journaled
    def go_on(self, counts: Sequence[int]) -> None:
        super().go_on(counts)
        self._counts[:] = counts

    @journaled
    def commit(self, keep: Sequence[int]) -> list[int]:
        held = super().commit(keep)
        for transcript, rows in zip(self._transcripts, held, strict=True):
            transcript.keep(rows)
        return held

    @journaled
    def abort(self) -> None:
        super().abort()
        for transcript in self._transcripts:
            transcript.keep(0)
