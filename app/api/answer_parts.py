"""Separates the thoughts, the reply and the function calls of an answer while it streams."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.text.thinking import GrowingParts
from engine.tokenizers.tool_calls import ToolCall, ToolFormat

# The beginning of a mark that may end the thoughts.
HALF_A_MARK = re.compile(r"\s*(?:<[/|:\w]*|\[/?\w*)\Z")
# Answers in channels may think again after a reply has begun.
_CHANNELS = "<|channel|>"


@dataclass(frozen=True, slots=True)
class Delta:
    """What one piece of text adds to the parts of an answer; `calls` are whole."""

    reasoning: str = ""
    content: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass
class AnswerParts:
    """The parts of an answer whose text arrives in pieces.

    Without a `form` nothing is a call; only the first `most_calls` calls count. An incomplete mark is held back, and so
    is a call until it is whole. Text between the marks of a call stays text if it holds anything but readable calls of
    `tools`. Once a reply has begun, all later text belongs to it, so the cost of a piece does not grow with the answer.
    """

    form: ToolFormat | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    most_calls: int | None = None

    def __post_init__(self) -> None:
        self._parts, self._text = GrowingParts(), ""
        # The characters of the reply that were taken, and its held-back end: a possible mark or an incomplete call.
        self._taken, self._held = 0, ""
        self._replying = False
        self._contents: list[str] = []

    @property
    def content(self) -> str:
        """The reply so far, without calls."""
        return "".join(self._contents)

    @property
    def held(self) -> int:
        """The number of characters at the end of the text that are held back."""
        return len(self._held)

    def add(self, text: str, opening: str = "", *, ended: bool = False) -> Delta:
        """Take the next piece of the answer; `ended` with the last one, which may be empty.

        `opening` is the thinking mark that the prompt ends with (`RequestStats.opening`); the first call uses it.
        """
        self._text = self._text or opening
        reasoning = ""
        if not self._replying:
            reasoning, text = self._separate(text, ended)
            self._replying = self._taken > 0 and not self._text.lstrip().startswith(_CHANNELS)
        content, calls = self._take(text, ended)
        self.reasoning += reasoning
        self._contents.append(content)
        if self.most_calls is not None:
            calls = calls[: self.most_calls - len(self.calls)]
        self.calls += calls
        return Delta(reasoning, content, tuple(calls))

    def _separate(self, text: str, ended: bool) -> tuple[str, str]:
        """Return the new thoughts and the new text of the reply."""
        self._text += text
        parts = self._parts.of(self._text, ended)
        thought = parts.thought or ""
        if not parts.closed and not ended:
            thought = HALF_A_MARK.sub("", thought)
        reasoning = thought[len(self.reasoning) :] if thought.startswith(self.reasoning) else ""
        reply = parts.reply[self._taken :]
        self._taken += len(reply)
        return reasoning, reply

    def _take(self, new: str, ended: bool) -> tuple[str, list[ToolCall]]:
        """Return the content and the calls in the new text of the reply."""
        if self.form is None:
            return new, []
        rest, content = self._held + new, ""
        calls: list[ToolCall] = []
        while (start := rest.find(self.form.start)) >= 0:
            begin = start + len(self.form.start)
            end = rest.find(self.form.end, begin) if self.form.end else -1
            if end < 0 and not ended:
                self._held = rest[start:]
                return content + rest[:start], calls
            inner = rest[begin:end] if end >= 0 else rest[begin:]
            after = end + len(self.form.end) if end >= 0 else len(rest)
            found, alone = self.form.calls(inner, self.tools)
            content += rest[:start] if alone else rest[:after]
            calls += found
            rest = rest[after:]
        shown = len(rest) if ended else len(rest) - _half(rest, self.form.start)
        self._held = rest[shown:]
        return content + rest[:shown], calls


def _half(text: str, mark: str) -> int:
    """Return the length of the longest end of `text` with which `mark` begins."""
    lengths = range(min(len(mark) - 1, len(text)), 0, -1)
    return next((length for length in lengths if mark.startswith(text[-length:])), 0)
