"""Reports the calls of an answer in pieces while the model writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.call_forms.form import CallForm, Marks, ToolCall
from engine.call_forms.growing import GrowingCall


@dataclass(frozen=True, slots=True)
class CallPiece:
    """The next piece of a call that is being written; `arguments` is the next part of the text of their JSON.

    `end` is "" while the call goes on, "whole" with its last piece, and "incomplete" if it does not become whole: the
    answer was cut, or the text is no call after all. Its JSON then has no end, so no program takes it for a call.
    """

    name: str
    arguments: str = ""
    end: str = ""


class _CallInProgress:
    """A call that is being written; `told` is how many characters of its arguments were reported."""

    def __init__(self, call: GrowingCall | None) -> None:
        self.call = call
        self.told = 0
        # The function's real name, "" until a piece was reported.
        self.name = ""


class GrowingCalls:
    """Reports each call of an answer in pieces while it is written in a `form`, as a call of one of `tools`."""

    def __init__(self, form: CallForm, tools: Sequence[Mapping[str, Any]]) -> None:
        self._form = form
        self._tools = tools
        self._current: _CallInProgress | None = None
        self._last_piece: CallPiece | None = None

    @property
    def name(self) -> str:
        """The real name of the function whose call is being written; "" without one and until it is known."""
        call = self._current.call if self._current is not None else None
        return self._form.real_name(call.name, self._tools) if call is not None and call.name else ""

    def read_so_far(self, text: str, mark: Marks | None) -> None:
        """Read the whole text so far of the call that is being written; it begins with `mark` unless that is None."""
        if self._current is None:
            self._current = _CallInProgress(self._form.growing_call(mark, self._tools))
        if self._current.call is not None:
            self._current.call.read(text)

    def end(self, calls: Sequence[ToolCall]) -> None:
        """End the call that was being written; if it became whole, it is the first of `calls`."""
        ended = self._current
        self._current = None
        if ended is None or ended.call is None or not ended.name:
            return
        told = ended.call.arguments[: ended.told]
        if calls and calls[0].name == ended.name and calls[0].arguments.startswith(told):
            self._last_piece = CallPiece(ended.name, calls[0].arguments[ended.told :], "whole")
        else:
            self._last_piece = CallPiece(ended.name, end="incomplete")

    def next_pieces(self, *, waits: bool) -> tuple[CallPiece | None, CallPiece | None]:
        """Return the next piece of the call that was reported before, and the first piece of another call.

        Each is None if there is none. While it `waits`, no other call begins. A piece is returned once.
        """
        resumed = self._last_piece
        self._last_piece = None
        if self._current is not None and self._current.name:
            return self._next_piece(self._current), None
        begun = None
        if self._current is not None and not waits:
            begun = self._next_piece(self._current)
        return resumed, begun

    def _next_piece(self, progress: _CallInProgress) -> CallPiece | None:
        """Return the piece of a call that was not reported yet, and count it as reported; None if nothing is new."""
        call = progress.call
        if call is None or not call.name:
            return None
        new = call.arguments[progress.told :]
        if progress.name and not new:
            return None
        progress.told = len(call.arguments)
        progress.name = progress.name or self._form.real_name(call.name, self._tools)
        return CallPiece(progress.name, new)
