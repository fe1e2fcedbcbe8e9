"""A rank that follows rank 0: it replays the journal on its own parts of the caches, and runs the same passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from engine.cluster.tracked import TrackedRollback, TrackedRows, Transcript
from engine.speculation.cache_rules import copies
from engine.speculation.rollback import Checkpoint, UnknownCacheKind


class _Text:
    def __init__(self, caches: list[Any], transcript: Transcript) -> None:
        self.caches, self.transcript = caches, transcript
        self._rollback: TrackedRollback | None = None

    @property
    def rollback(self) -> TrackedRollback | None:
        """None where a cache has no rule: rank 0 keeps every row then, so there is nothing to roll back."""
        if self._rollback is None:
            try:
                self._rollback = TrackedRollback(self.caches, self.transcript)
            except UnknownCacheKind:
                return None
        return self._rollback


class Replica:
    """The caches of one rank. `run_pass(caches, shape)` runs the model over ids that arrive from rank 0, which it
    returns; `report` sends a digest back.
    """

    def __init__(
        self,
        new_caches: Callable[[], list[Any]],
        run_pass: Callable[[list[Any], Sequence[int]], mx.array],
        report: Callable[[int, tuple[int, int]], None],
    ) -> None:
        self._new_caches, self._run_pass, self._report = new_caches, run_pass, report
        self._texts: dict[int, _Text] = {}
        self._rows: dict[int, TrackedRows] = {}
        self._checkpoints: dict[int, Checkpoint] = {}

    def carry_out(self, operation: str, *arguments: Any) -> None:
        """One entry of the journal."""
        _OPERATIONS[operation](self, *arguments)

    def _new(self, number: int) -> None:
        self._texts[number] = _Text(self._new_caches(), Transcript())

    def _copy(self, number: int, new: int) -> None:
        text = self._texts[number]
        self._texts[new] = _Text(copies(text.caches), text.transcript.copy())

    def _drop(self, *numbers: int) -> None:
        for number in numbers:
            for held in (self._texts, self._rows, self._checkpoints):
                held.pop(number, None)

    def _pass(self, number: int, shape: Sequence[int]) -> None:
        if number in self._rows:
            rows = self._rows[number]
            rows.feed(self._run_pass(rows.caches, shape))
        else:
            text = self._texts[number]
            text.transcript.feed(self._run_pass(text.caches, shape)[0])

    def _check(self, serial: int, number: int) -> None:
        if number in self._rows:
            parts = [transcript.digest() for transcript in self._rows[number].transcripts]
            self._report(serial, (sum(part[0] for part in parts), sum(part[1] for part in parts) & 0xFFFFFFFF))
        else:
            self._report(serial, self._texts[number].transcript.digest())

    def _begin(self, number: int, rows: int) -> None:
        self._transaction(number).begin(rows)

    def _shorten(self, number: int, rows: int) -> None:
        self._transaction(number).shorten(rows)

    def _commit(self, number: int, keep: int, held: int) -> None:
        _agree(self._transaction(number).commit(keep), held)

    def _abort(self, number: int) -> None:
        self._transaction(number).abort()

    def _rewind(self, number: int, position: int) -> None:
        _agree(self._transaction(number).rewind(position), True)

    def _remember(self, number: int, position: int, checkpoint: int) -> None:
        self._checkpoints[checkpoint] = self._transaction(number).remember(position)

    def _recall(self, number: int, checkpoint: int) -> None:
        self._transaction(number).recall(self._checkpoints[checkpoint])

    def _make_rows(self, number: int, source: int) -> None:
        self._rows[number] = TrackedRows(self._texts[source].caches)

    def _add_row(self, number: int, source: int, length: int) -> None:
        rows, text = self._rows[number], self._texts[source]
        rows.add(text.caches, length)
        rows.track(text.transcript)

    def _remove_row(self, number: int, row: int, new: int) -> None:
        rows = self._rows[number]
        self._texts[new] = _Text(rows.remove(row), rows.untrack(row))

    def _begin_rows(self, number: int, counts: Sequence[int], more: int) -> None:
        self._rows[number].begin(counts, more)

    def _go_on_rows(self, number: int, counts: Sequence[int]) -> None:
        self._rows[number].go_on(counts)

    def _commit_rows(self, number: int, keep: Sequence[int], held: Sequence[int]) -> None:
        _agree(self._rows[number].commit(keep), held)

    def _abort_rows(self, number: int) -> None:
        self._rows[number].abort()

    def _transaction(self, number: int) -> TrackedRollback:
        rollback = self._texts[number].rollback
        assert rollback is not None
        return rollback


def _agree(own: Any, of_leader: Any) -> None:
    """An operation has to come out alike on every rank."""
    if own != of_leader:
        raise RuntimeError(f"the caches hold {own}, and those of rank 0 {of_leader}")


_OPERATIONS: dict[str, Callable[..., None]] = {
    "new": Replica._new,
    "copy": Replica._copy,
    "drop": Replica._drop,
    "pass": Replica._pass,
    "check": Replica._check,
    "begin": Replica._begin,
    "shorten": Replica._shorten,
    "commit": Replica._commit,
    "abort": Replica._abort,
    "rewind": Replica._rewind,
    "remember": Replica._remember,
    "recall": Replica._recall,
    "rows": Replica._make_rows,
    "add_row": Replica._add_row,
    "remove_row": Replica._remove_row,
    "begin_rows": Replica._begin_rows,
    "go_on_rows": Replica._go_on_rows,
    "commit_rows": Replica._commit_rows,
    "abort_rows": Replica._abort_rows,
}
