"""Caches that all ranks change in step: rank 0 keeps a journal of the calls that change caches, the others repeat it.

A pass is announced together with the calls before it, so a round costs one message. The calls are deterministic
functions of positions and counts, which are the same on every rank; only the arrays differ. An object that a call makes
gets the next number on every rank, and later calls name it by that. The result of a call, and the positions of the
caches after it, have to be the same on every rank.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from engine.cluster.errors import OutOfStep
from engine.cluster.messages import Change, Changes
from engine.speculation.caches.cache_rules import copies
from engine.speculation.caches.rollback import Checkpoint, Rollback
from engine.speculation.caches.row_caches import RowCaches
from engine.speculation.caches.shared_caches import SharedCaches

# The most changes that wait for the next pass; then they are sent without one.
MOST_WAITING = 64
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Journal:
    """Collects the changes of rank 0, and passes them to `send` before each pass. Belongs to the engine's thread."""

    def __init__(self, send: Callable[[Changes], None]) -> None:
        self._send = send
        self._waiting: list[Change] = []
        self._dropped: list[int] = []
        self._latest = 0
        self.written = 0

    def number(self, made: object) -> int:
        """Return a number for a new object: a text's caches, their transactions, rows or a checkpoint."""
        self._latest += 1
        weakref.finalize(made, self._drop, self._latest).atexit = False
        return self._latest

    def write(self, target: Any, method: str, arguments: Sequence[Any], result: Any) -> None:
        """Write a call, which the other ranks repeat before the next pass."""
        other = arguments[0].number if arguments and hasattr(arguments[0], "number") else 0
        numbers = [_plain(argument) for argument in arguments[1 if other else 0 :]]
        self._waiting.append(Change(target.number, method, other, numbers, _outcome(target, result)))
        self.written += 1
        if len(self._waiting) >= MOST_WAITING:
            self.flush()

    def flush(self, caches: int = 0, shape: Sequence[int] = ()) -> None:
        """Send all waiting changes, and announce a pass if `caches` is given."""
        dropped = self._dropped
        self._dropped = []
        done = self._waiting
        self._waiting = []
        if dropped or done or caches:
            self._send(Changes(done, dropped, caches, tuple(shape)))

    def _drop(self, number: int) -> None:
        # The garbage collector calls this on any thread.
        self._dropped.append(number)


def journaled(
    method: Callable[Concatenate[Any, _Arguments], _Result],
) -> Callable[Concatenate[Any, _Arguments], _Result]:
    """Decorate a method so that its calls are written into the `journal` of its object after they return."""

    @wraps(method)
    def call(self: Any, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        journal: Journal = self.journal
        before = journal.written
        result = method(self, *arguments, **named)
        # A commit that restores everything calls abort, which is journaled itself.
        if journal.written == before:
            journal.write(self, method.__name__, [*arguments, *named.values()], result)
        return result

    vars(call)["is_journaled"] = True
    return call


class Replay(Journal):
    """Repeats the changes of rank 0 on another rank's parts of the caches, which `new_caches` makes.

    `run_pass(caches, shape)` runs the model over ids that arrive from rank 0.
    """

    def __init__(
        self, new_caches: Callable[[], list[Any]], run_pass: Callable[[list[Any], Sequence[int]], object]
    ) -> None:
        super().__init__(lambda _changes: None)
        self._run_pass = run_pass
        self._made: dict[int, Any] = {0: MirroredModel(new_caches, self)}

    def number(self, made: object) -> int:
        self._latest += 1
        self._made[self._latest] = made
        return self._latest

    def write(self, target: Any, method: str, arguments: Sequence[Any], result: Any) -> None:
        """Write nothing, as no rank repeats this rank's calls."""

    def repeat(self, changes: Changes) -> None:
        """Repeat rank 0's calls, and run the pass that follows. Raises `OutOfStep` if an outcome differs."""
        for change in changes.done:
            target = self._made[change.target]
            method = getattr(type(target), change.method, None)
            if not getattr(method, "is_journaled", False):
                raise OutOfStep(f"no change of caches: {change.method}")
            with_what = [self._made[change.other]] if change.other else []
            outcome = _outcome(target, method(target, *with_what, *change.arguments))  # type: ignore[misc]
            if outcome != change.outcome:
                raise OutOfStep(f"{change.method} came to {outcome}, and on rank 0 to {change.outcome}")
        for number in changes.dropped:
            self._made.pop(number, None)
        if changes.caches:
            self._run_pass(self._made[changes.caches], changes.shape)


def _outcome(target: Any, result: Any) -> list[Any]:
    """Return the result of a call of `target`, and the positions of its caches now, if it has any."""
    return [_plain(result), _plain(getattr(target, "positions", getattr(target, "position", None)))]


def _plain(value: Any) -> Any:
    """Return an object that has a number as that, a sequence as a list, and other values unchanged."""
    if hasattr(value, "number"):
        return value.number
    return list(value) if isinstance(value, Sequence) else value


class MirroredModel:
    """Makes the caches of texts on every rank, with `new_caches` for the rank's part of the model."""

    number = 0

    def __init__(self, new_caches: Callable[[], list[Any]], journal: Journal) -> None:
        self._new_caches = new_caches
        self.journal = journal

    @journaled
    def new(self) -> MirroredText:
        """Make the caches of a new text."""
        return MirroredText(self._new_caches(), self.journal)


class MirroredCaches(list[Any]):
    """The caches of one pass."""

    def __init__(self, caches: Iterable[Any], journal: Journal) -> None:
        super().__init__(caches)
        self.journal = journal
        self.number = journal.number(self)


class MirroredText(MirroredCaches, SharedCaches):
    """The caches of one text."""

    @journaled
    def rollback(self) -> Rollback:
        return _MirroredRollback(self)

    @journaled
    def copies(self) -> MirroredText:
        return MirroredText(copies(self), self.journal)

    @journaled
    def rows(self) -> RowCaches:
        return _MirroredRows(self)


@dataclass(frozen=True)
class _MirroredCheckpoint(Checkpoint):
    number: int = 0


class _MirroredRollback(Rollback):
    def __init__(self, caches: MirroredText) -> None:
        super().__init__(caches)
        self.journal = caches.journal
        self.number = caches.journal.number(self)

    begin = journaled(Rollback.begin)
    shorten = journaled(Rollback.shorten)
    commit = journaled(Rollback.commit)
    abort = journaled(Rollback.abort)
    rewind = journaled(Rollback.rewind)
    recall = journaled(Rollback.recall)

    @journaled
    def remember(self, position: int) -> Checkpoint:
        made = super().remember(position)
        checkpoint = _MirroredCheckpoint(made.position, made.states)
        object.__setattr__(checkpoint, "number", self.journal.number(checkpoint))
        return checkpoint


class _MirroredRows(RowCaches):
    def __init__(self, caches: MirroredText) -> None:
        super().__init__(caches)
        self.journal = caches.journal
        self.number = caches.journal.number(self)
        self.caches: list[Any] = MirroredCaches(self.caches, self.journal)

    begin = journaled(RowCaches.begin)
    go_on = journaled(RowCaches.go_on)
    commit = journaled(RowCaches.commit)
    add = journaled(RowCaches.add)

    @journaled
    def remove(self, row: int) -> list[Any]:
        return MirroredText(super().remove(row), self.journal)
