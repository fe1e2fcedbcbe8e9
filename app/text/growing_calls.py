"""What is told of calls while the model writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.call_forms.form import CallForm, Marks, ToolCall
from engine.call_forms.growing import GrowingCall


@dataclass(frozen=True, slots=True)
class CallPiece:
    """More of a call that is being written: `arguments` go on with the text of their JSON.

    `end` is "" while the call goes on, "whole" with its last piece, and "incomplete" if it does not become whole: the
    answer was cut, or the text is no call after all. Its JSON then has no end, so no program takes it for a call.
    """

    name: str
    arguments: str = ""
    end: str = ""


class _CallInProgress:
    """A call that is being written; `told` is how many characters of its arguments were told."""

    def __init__(self, call: GrowingCall | None) -> None:
        self.call = call
        self.told = 0
        # The function's real name, "" until a piece was told.
        self.name = ""


class GrowingCalls:
    """Tells each call of an answer in pieces while it is written in a `form`, as one of `tools`."""

    def __init__(self, form: CallForm, tools: Sequence[Mapping[str, Any]]) -> None:
        self._form, self._tools = form, tools
        self._open: _CallInProgress | None = None
        self._last_piece: CallPiece | None = None

    @property
    def name(self) -> str:
        """The real name of the function whose call is being written; "" without one and until it is known."""
        call = self._open.call if self._open is not None else None
        return self._form.real_name(call.name, self._tools) if call is not None and call.name else ""

    def note(self, text: str, mark: Marks | None) -> None:
        """Take the text so far of the call that is being written, which begins with `mark` if there is one."""
        if self._open is None:
            self._open = _CallInProgress(self._form.growing_call(mark, self._tools))
        if self._open.call is not None:
            self._open.call.read(text)

    def end(self, calls: Sequence[ToolCall]) -> None:
        """Note that the call which was being written has become the first of `calls`, or none of them."""
        ended = self._open
        self._open = None
        if ended is None or ended.call is None or not ended.name:
            return
        told = ended.call.arguments[: ended.told]
        if calls and calls[0].name == ended.name and calls[0].arguments.startswith(told):
            self._last_piece = CallPiece(ended.name, calls[0].arguments[ended.told :], "whole")
        else:
            self._last_piece = CallPiece(ended.name, end="incomplete")

    def take(self, *, waits: bool) -> tuple[CallPiece | None, CallPiece | None]:
        """Return the next piece of the call of which pieces were told before, and the first piece of another one.

        Each is None if there is none. While it `waits`, no other call begins.
        """
        resumed = self._last_piece
        self._last_piece = None
        if self._open is not None and self._open.name:
            return self._next_piece(self._open), None
        begun = None
        if self._open is not None and not waits:
            begun = self._next_piece(self._open)
        return resumed, begun

    def _next_piece(self, progress: _CallInProgress) -> CallPiece | None:
        """Return what is new of a call; None for nothing."""
        call = progress.call
        if call is None or not call.name:
            return None
        new = call.arguments[progress.told :]
        if progress.name and not new:
            return None
        progress.told = len(call.arguments)
        progress.name = progress.name or self._form.real_name(call.name, self._tools)
        return CallPiece(progress.name, new)
