"""Separates an answer while it streams: what the model thought, what it replied, and the functions that it calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.text.thinking import GrowingParts
from engine.tool_calls import ToolCall, ToolFormat

# What may become a mark that ends the thoughts.
_HALF_A_MARK = re.compile(r"\s*(?:<[/|:\w]*|\[/?\w*)\Z")


@dataclass(frozen=True, slots=True)
class Delta:
    """What is new of an answer: `reasoning`, `content` and whole `calls`."""

    reasoning: str = ""
    content: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass
class AnswerParts:
    """Fed with the text of an answer piece by piece; the parts found so far are its fields.

    Without a `form` nothing is a call. A mark that is not complete yet is held back, as is a call until it is whole.
    Text between the marks that is no call that can be read stays text.
    """

    form: ToolFormat | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    reasoning: str = ""
    content: str = ""
    calls: list[ToolCall] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._parts, self._text = GrowingParts(), ""
        # How much of the reply was taken apart into content and calls.
        self._taken = 0

    def add(self, text: str, *, ended: bool = False) -> Delta:
        """Take the next piece of the answer; `ended` with the last one, which may be empty."""
        self._text += text
        parts = self._parts.of(self._text, ended)
        thought = parts.thought or ""
        if not parts.closed and not ended:
            thought = _HALF_A_MARK.sub("", thought)
        reasoning = thought[len(self.reasoning) :] if thought.startswith(self.reasoning) else ""
        self.reasoning += reasoning
        content, calls = self._take(parts.reply, ended)
        self.content += content
        self.calls += calls
        return Delta(reasoning, content, tuple(calls))

    def _take(self, reply: str, ended: bool) -> tuple[str, list[ToolCall]]:
        """The content and the calls in what is new of the reply."""
        if self.form is None:
            # Half a mark of thoughts that was shown as text may be taken back by the text after it.
            new, self._taken = reply[self._taken :], max(self._taken, len(reply))
            return new, []
        content = ""
        calls: list[ToolCall] = []
        while (start := reply.find(self.form.start, self._taken)) >= 0:
            begin = start + len(self.form.start)
            end = reply.find(self.form.end, begin) if self.form.end else (len(reply) if ended else -1)
            if end < 0 and not ended:
                content += reply[self._taken : start]
                self._taken = start
                return content, calls
            inner = reply[begin:end] if end >= 0 else reply[begin:]
            after = end + len(self.form.end) if end >= 0 else len(reply)
            found = self.form.calls(inner, self.tools)
            content += reply[self._taken : start] if found else reply[self._taken : after]
            calls += found
            self._taken = after
        upto = len(reply) if ended else len(reply) - _half(reply, self.form.start, self._taken)
        content += reply[self._taken : upto]
        self._taken = max(self._taken, upto)
        return content, calls


def _half(text: str, mark: str, start: int) -> int:
    """How many characters at the end of `text`, from `start` on, may be the beginning of `mark`."""
    for length in range(min(len(mark) - 1, len(text) - start), 0, -1):
        if mark.startswith(text[-length:]):
            return length
    return 0
