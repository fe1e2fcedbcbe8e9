"""Records of how each new piece of an answer's text extends its thoughts, its reply and its calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from app.text.growing_calls import CallPiece
from engine.call_forms.form import Marks, ToolCall


@dataclass(frozen=True, slots=True)
class Delta:
    """The additions of one piece of text to the parts of an answer; `calls` are whole.

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
        """The whole calls that no `CallPiece` has reported."""
        is_told = self.resumed is not None and self.resumed.end == "whole"
        return self.calls[1:] if is_told else self.calls


class MarkPlace(NamedTuple):
    """A mark with which calls begin, and where it begins in a text."""

    start: int
    mark: Marks


class CallsRead(NamedTuple):
    """The text of calls, with or without their marks, the index after it, and whether the end mark is there."""

    text: str
    after: int
    is_closed: bool


class ReadCall(NamedTuple):
    """The content and the calls in the text up to the end of a call."""

    content: str
    calls: list[ToolCall]
    # The text after the call; None if there is nothing more to read now, because the call is incomplete.
    later: str | None
