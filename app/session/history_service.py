"""The stored figures of all requests: the answers in chats, and the requests of other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.conversations.request_history import ProgramRequest, RequestRow, Totals
from app.conversations.store import ConversationStore
from app.session.store_client import StoreClient

Requests = tuple[list[RequestRow], list[Totals]]


class HistoryService(QObject):
    """Reads and deletes the figures of requests.

    `changed` is emitted when answers or requests of programs may have ended or been deleted.
    """

    changed = Signal()

    def __init__(self, store: StoreClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        store.listed.connect(self.changed)

    def read(
        self, order: str, descending: bool, pair: tuple[str, str] | None, limit: int, then: Callable[[Requests], object]
    ) -> None:
        """Read the first `limit` requests, of one pair or of all, and the figures of every pair."""

        def read(store: ConversationStore) -> Requests:
            rows = store.history.rows(order=order, descending=descending, pair=pair, limit=limit)
            return rows, store.history.by_pair()

        self._store.run(read, then)

    def add(self, requests: Sequence[ProgramRequest]) -> None:
        """Add requests of other programs."""
        self._store.run(lambda store: store.history.add(requests), lambda _: self.changed.emit())

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
