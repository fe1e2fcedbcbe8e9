"""What the pieces of an answer's text add to its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from app.text.growing_calls import CallPiece
from engine.call_forms.form import Marks, ToolCall


@dataclass(frozen=True, slots=True)
class Delta:
    """What one piece of text adds to the parts of an answer; `calls` are whole.

    `shown` is added to the text without calls: thoughts with their marks, then the content. `resumed` is more of the
    call that an earlier piece of text has `begun`, and comes before all else here; `begun` comes after it.
    """

    reasoning: str = ""
    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    shown: str = ""
    resumed: CallPiece | None = None
    begun: CallPiece | None = None

    @property
    def untold_calls(self) -> tuple[ToolCall, ...]:
        """The whole calls of which no piece was told."""
        is_told = self.resumed is not None and self.resumed.end == "whole"
        return self.calls[1:] if is_told else self.calls


class MarkPlace(NamedTuple):
    """A mark with which calls begin, and where it begins in a text."""

    start: int
    mark: Marks


class Taken(NamedTuple):
    """What the text up to the end of a call adds to the reply."""

    content: str
    calls: list[ToolCall]
    # The text after it; None if there is nothing more to read now, because the call is incomplete.
    later: str | None
