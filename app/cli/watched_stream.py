"""Stops an answer in the terminal that repeats itself, as the window does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.conversations.database.records import REPEATING
from app.text.repetition import Repetition
from engine import Event, Finished, TokensCommitted
from engine.client import RequestStream


class WatchedStream:
    """The events of a request, which is cancelled once the newest tokens are a loop; then its reason is REPEATING.

    `tokens` are the texts of all tokens: of `before`, which were written by requests that this one continues, then of
    this one.
    """

    def __init__(self, stream: RequestStream, before: Sequence[str] = ()) -> None:
        self.tokens = list(before)
        self._stream = stream
        self._repetition = Repetition(before)
        self._stopped = False

    def cancel(self) -> None:
        self._stream.cancel()

    def __iter__(self) -> Iterator[Event]:
        for event in self._stream:
            if isinstance(event, TokensCommitted):
                self._watch([token.text for token in event.tokens])
            elif isinstance(event, Finished) and self._stopped and event.reason != "stop":
                event = replace(event, reason=REPEATING)
            yield event

    def _watch(self, tokens: list[str]) -> None:
        self.tokens += tokens
        self._repetition.add(tokens)
        if self._repetition.found and self._repetition.is_new and not self._stopped:
            self._stopped = True
            self._stream.cancel()
