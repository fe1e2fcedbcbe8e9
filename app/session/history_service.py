"""The stored figures of all requests: the answers in chats, and the requests of other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.conversations.measured import MeasuredPairs, PairSpeeds
from app.conversations.request_history import ProgramRequest, RequestRow
from app.conversations.store import ConversationStore
from app.session.answer import Answer
from app.session.chats import Chat
from app.session.store_client import StoreClient


@dataclass(frozen=True)
class Requests:
    """The rows that were read, the pairs of all requests, the most used first, and what is measured of them.

    The pairs that were `tried` in comparisons have no figure, because those measured nothing.
    """

    rows: list[RequestRow]
    pairs: list[tuple[str, str]]
    measured: MeasuredPairs
    tried: frozenset[tuple[str, str]] = frozenset()


class HistoryService(QObject):
    """Reads and deletes the figures of requests, and knows the measured speed-up of each pair.

    `changed` is emitted when answers or requests of programs may have ended or been deleted, `measured_changed` when
    `measured` has changed. `speeds_file` holds the speed-ups of pairs.
    """

    changed = Signal()
    measured_changed = Signal()

    def __init__(self, store: StoreClient, speeds_file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        # Used on the store's thread only.
        self._speeds = PairSpeeds(speeds_file)
        self.measured: MeasuredPairs = {}
        store.listed.connect(self.changed)
        store.opened.connect(lambda _report: self.read_measured())

    def read_measured(self) -> None:
        """Read the figures of all pairs again."""
        self._store.run(lambda store: self._speeds.take_answers(store.history.by_pair()), self._take_measured)

    def follow_other_processes(self) -> None:
        """Read the figures of all pairs again if another process, such as a check in a terminal, compared one."""

        def follow(store: ConversationStore) -> MeasuredPairs | None:
            return self._speeds.take_answers(store.history.by_pair()) if self._speeds.is_outdated else None

        self._store.run(follow, lambda measured: None if measured is None else self._take_measured(measured))

    def add_comparison(self, main: str, draft: str, ratio: float | None) -> None:
        """Add how many times as fast a pair was in a comparison, None if that measured nothing.

        `draft` is "" for lookups.
        """

        def add(store: ConversationStore) -> MeasuredPairs:
            self._speeds.add_comparison(main, draft, ratio)
            return self._speeds.take_answers(store.history.by_pair())

        self._store.run(add, self._take_measured)

    def _take_measured(self, measured: MeasuredPairs) -> None:
        if measured != self.measured:
            self.measured = measured
            self.measured_changed.emit()

    def speedup_of(self, main: str, draft: str) -> float | None:
        """Return the measured speed-up of a pair, not rounded; None if it is not known. `draft` is "" for lookups."""
        totals = self.measured.get((main, draft))
        return None if totals is None else totals.speedup

    def note_speedups(self, chat: Chat) -> None:
        """Set the speed-up of its pair in each answer of a chat."""
        for turn in chat.turns:
            self.note_speedup(turn.answer)

    def note_speedup(self, answer: Answer) -> None:
        """Set the speed-up of its pair in an answer."""
        answer.pair_speedup = self.speedup_of(*answer.pair)

    def read(
        self, order: str, descending: bool, pair: tuple[str, str] | None, limit: int, then: Callable[[Requests], object]
    ) -> None:
        """Read the first `limit` requests, of one pair or of all, and the figures of every pair.

        `measured` follows, because another process may have compared a pair meanwhile.
        """

        def read(store: ConversationStore) -> Requests:
            rows = store.history.rows(order=order, descending=descending, pair=pair, limit=limit)
            summaries = store.history.by_pair()
            pairs = list(dict.fromkeys((totals.main_model, totals.draft_model) for totals in summaries))
            return Requests(rows, pairs, self._speeds.take_answers(summaries), self._speeds.tried_in_vain())

        def take(requests: Requests) -> None:
            self._take_measured(requests.measured)
            then(requests)

        self._store.run(read, take)

    def add(self, requests: Sequence[ProgramRequest]) -> None:
        """Add requests of other programs, which may measure a pair."""
        self._store.run(lambda store: store.history.add(requests), lambda _: self.changed.emit())
        if any(request.stats.drafted for request in requests):
            self.read_measured()

    def delete_programs(self) -> None:
        """Delete the requests of other programs."""
        self._store.run(lambda store: store.history.delete_programs(), lambda _: self.changed.emit())

    def export(self, rows: Sequence[RequestRow], file: Path, kind: str, then: Callable[[bool], object]) -> None:
        """Write rows as "csv" or "json"; `then` gets whether that succeeded."""

        def write(store: ConversationStore) -> bool:
            text = store.history.as_csv(rows) if kind == "csv" else store.history.as_json(rows)
            try:
                # Without a byte order mark, Excel reads a CSV file in the system's legacy encoding.
                file.write_text(text, encoding="utf-8-sig" if kind == "csv" else "utf-8", newline="")
            except OSError:
                return False
            return True

        self._store.run(write, then, lambda _error: then(False))
