"""Writes streamed text to disk: it is collected for half a second, then written in one transaction.

So text that has been on the screen for a second is on disk, however fast tokens come.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from app.conversations.database.errors import NotFound, StoreError, StoreNotWritable, as_store_error
from app.conversations.database.records import Error
from app.conversations.store import ConversationStore
from engine.events import Token
from engine.stats import RequestStats, RoundRecord

_log = logging.getLogger(__name__)

# Seconds between the first unwritten text and its write.
FLUSH_AFTER = 0.5


class StoreSubmitter(Protocol):
    """Hands an operation to the store's thread."""

    def __call__(self, operation: Callable[[ConversationStore], None], delay: float = 0.0) -> Future[None]: ...


class _Unwritten(NamedTuple):
    """The text, the tokens and the rounds of an answer that are not on disk yet."""

    text: str
    tokens: list[Token]
    rounds: list[RoundRecord]


class AnswerWriter:
    """Collects one answer's text from any thread, and writes it now and then. Every answer ends with one `finish`.

    While writing fails, each flush tries again; `write_error` is the last error, or None. The text of an answer whose
    chat was deleted meanwhile is dropped.
    """

    def __init__(self, submit: StoreSubmitter, message_id: int) -> None:
        self.message_id = message_id
        self.write_error: StoreError | None = None
        self._submit = submit
        self._lock = threading.Lock()
        self._texts: list[str] = []
        self._tokens: list[Token] = []
        self._rounds: list[RoundRecord] = []
        # Whether a flush is in the queue of the store's thread.
        self._flush_waits = False
        # Whether the answer's chat was deleted.
        self._gone = False

    def append(self, text: str, tokens: Sequence[Token] = (), rounds: Sequence[RoundRecord] = ()) -> None:
        """Add the text and the tokens of some rounds, to be written later. Does not wait."""
        with self._lock:
            if self._gone:
                return
            self._texts.append(text)
            self._tokens.extend(tokens)
            self._rounds.extend(rounds)
            if self._flush_waits:
                return
            self._flush_waits = True
        self._submit(self._flush, FLUSH_AFTER)

    def finish(
        self, reason: str | None, stats: RequestStats, error: Error | None = None, *, compare: bool = False
    ) -> Future[None]:
        """Write the text that is left, and end the answer with the engine's `reason` or its `error`, and its figures.

        With `compare`, the store also looks whether the text was given before. Returns at once; the future ends when
        all is on disk, or with the error of the store's `answers.finish`.
        """

        def end(store: ConversationStore) -> None:
            with self._unwritten() as (text, tokens, rounds):
                store.answers.finish(self.message_id, reason, stats, text, tokens, rounds, error=error, compare=compare)

        return self._submit(end)

    def _flush(self, store: ConversationStore) -> None:
        """Write the collected text, on the store's thread; if that fails, keep the text and try again later."""
        with self._lock:
            self._flush_waits = False
        try:
            with self._unwritten() as (text, tokens, rounds):
                # Rounds come only with text or tokens.
                if text or tokens:
                    store.answers.append(self.message_id, text, tokens, rounds)
            self.write_error = None
        except NotFound:
            self._gone = True
        except Exception as error:
            if self.write_error is None and not isinstance(error, StoreNotWritable):
                _log.exception("the text of an answer was not written")
            self.write_error = as_store_error(error)
            # Submits the next flush.
            self.append("")

    @contextmanager
    def _unwritten(self) -> Iterator[_Unwritten]:
        """Yield the collected text, tokens and rounds, and forget them if the block succeeds."""
        with self._lock:
            texts = list(self._texts)
            tokens = list(self._tokens)
            rounds = list(self._rounds)
        yield _Unwritten("".join(texts), tokens, rounds)
        with self._lock:
            del self._texts[: len(texts)]
            del self._tokens[: len(tokens)]
            del self._rounds[: len(rounds)]
