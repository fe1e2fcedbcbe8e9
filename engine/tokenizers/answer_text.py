"""Turns streamed tokens into text: whole characters only, with stop strings cut exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.files.foreign_code import panics_as_errors


class AnswerText:
    """The visible text of one answer, fed a token at a time.

    `detokenizer` is a fresh streaming detokeniser of mlx-lm. Text that may begin a stop string is held back until that
    is decided; `text` is the text returned so far, so joined deltas always equal it. A character that the last token
    leaves incomplete is not shown.

    `after` are the last tokens of an answer that is continued; without them the first space would be dropped.
    """

    def __init__(self, detokenizer: Any, stop: Sequence[str] = (), after: Sequence[int] = ()) -> None:
        self._detokenizer = detokenizer
        if after:
            with panics_as_errors():
                for token in after:
                    detokenizer.add_token(token)
                detokenizer.finalize()
                # Reading the segment makes the next one start after it.
                _ = detokenizer.last_segment
        self._stop_strings = tuple(stop)
        # The most characters that an incomplete stop string can have.
        self._most_held = max((len(string) for string in self._stop_strings), default=1) - 1
        self._held_text = ""
        self._parts: list[str] = []
        self.stopped_by: str | None = None

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, token: int) -> str:
        """Add the next token and return the text that may be shown now. A stop string in it becomes `stopped_by`."""
        with panics_as_errors():
            self._detokenizer.add_token(token)
            segment = self._detokenizer.last_segment
        return self._release(segment, final=False)

    def finish(self) -> str:
        """End the text and return the tail that was held back."""
        with panics_as_errors():
            self._detokenizer.finalize()
            segment = self._detokenizer.last_segment
        return self._release(segment.rstrip("\ufffd"), final=True)

    def _release(self, segment: str, *, final: bool) -> str:
        """Return the part of `segment` that belongs to the text, up to a stop string, and keep it; "" after a stop."""
        if self.stopped_by is not None:
            return ""
        if self._stop_strings:
            segment = self._until_stop(segment, final=final)
        if segment:
            self._parts.append(segment)
        return segment

    def _until_stop(self, segment: str, *, final: bool) -> str:
        """Return the text that can be shown now: up to a stop string, or to what may become one."""
        candidate = self._held_text + segment
        if starts := [(start, stop) for stop in self._stop_strings if (start := candidate.find(stop)) >= 0]:
            start, self.stopped_by = min(starts)
            shown = candidate[:start]
            self._held_text = ""
        else:
            keep = 0 if final else self._longest_stop_prefix(candidate)
            shown = candidate[: len(candidate) - keep]
            self._held_text = candidate[len(candidate) - keep :]
        return shown

    def _longest_stop_prefix(self, text: str) -> int:
        """Return the length of the longest end of `text` that begins a stop string without completing it."""
        for length in range(min(self._most_held, len(text)), 0, -1):
            if any(stop.startswith(text[-length:]) for stop in self._stop_strings):
                return length
        return 0
