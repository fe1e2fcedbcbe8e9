"""Caches that know which tokens they hold, on every rank, so that ranks can tell whether they still agree."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Any, cast

import mlx.core as mx

from engine.speculation.rollback import Checkpoint, Rollback
from engine.speculation.row_caches import RowCaches


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


class TrackedRollback(Rollback):
    """Transactions that keep `transcript` in step with the caches."""

    def __init__(self, caches: Sequence[Any], transcript: Transcript) -> None:
        super().__init__(caches)
        self.transcript = transcript

    def begin(self, rows: int) -> None:
        self.transcript.begin()
        super().begin(rows)

    def commit(self, keep: int) -> int:
        held = super().commit(keep)
        self.transcript.keep(held)
        return held

    def abort(self) -> None:
        self.transcript.keep(0)
        super().abort()

    def rewind(self, position: int) -> bool:
        done = super().rewind(position)
        if done:
            self.transcript.cut(position)
        return done

    def recall(self, checkpoint: Checkpoint) -> None:
        super().recall(checkpoint)
        self.transcript.cut(checkpoint.position)


class TrackedRows(RowCaches):
    """Rows of a batch, each with the transcript of its text."""

    def __init__(self, caches: Iterable[Any]) -> None:
        super().__init__(caches)
        self.transcripts: list[Transcript] = []
        self.counts: list[int] = []

    def track(self, transcript: Transcript) -> None:
        """The row that was added last holds this text."""
        self.transcripts.append(transcript)

    def untrack(self, row: int) -> Transcript:
        """Take out the transcript of a row, as `remove` does its caches: the last row takes its number."""
        taken, last = self.transcripts[row], self.transcripts.pop()
        if last is not taken:
            self.transcripts[row] = last
        return taken

    def begin(self, counts: Sequence[int], more: int = 0) -> None:
        for transcript in self.transcripts:
            transcript.begin()
        self.counts[:] = counts
        super().begin(counts, more)

    def go_on(self, counts: Sequence[int]) -> None:
        self.counts[:] = counts
        super().go_on(counts)

    def feed(self, ids: mx.array) -> None:
        """A pass feeds ids (rows, width), padded behind each row's own."""
        feed_rows(self.transcripts, self.counts, ids)

    def commit(self, keep: Sequence[int]) -> list[int]:
        held = super().commit(keep)
        for transcript, rows in zip(self.transcripts, held, strict=True):
            transcript.keep(rows)
        return held

    def abort(self) -> None:
        for transcript in self.transcripts:
            transcript.keep(0)
        super().abort()


def feed_rows(transcripts: Sequence[Transcript], counts: Sequence[int], ids: mx.array) -> None:
    """A pass feeds ids (rows, width), of which the first `counts[b]` are row b's own."""
    for row, (transcript, count) in enumerate(zip(transcripts, counts, strict=True)):
        transcript.feed(ids[row, :count])
