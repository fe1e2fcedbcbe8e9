"""Separates an answer while it streams: what the model thought, what it replied, and the functions that it calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.text.thinking import GrowingParts
from engine.tokenizers.tool_calls import ToolCall, ToolFormat

# What may become a mark that ends the thoughts.
_HALF_A_MARK = re.compile(r"\s*(?:<[/|:\w]*|\[/?\w*)\Z")
# Answers in channels may think again after a reply has begun.
_CHANNELS = "<|channel|>"


@dataclass(frozen=True, slots=True)
class Delta:
    """What is new of an answer: `reasoning`, `content` and whole `calls`."""

    reasoning: str = ""
    content: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass
class AnswerParts:
    """Fed with the text of an answer piece by piece; knows the parts found so far.

    Without a `form` nothing is a call; of the calls the first `most_calls` count. A mark that is not complete yet is
    held back, as is a call until it is whole. Text between the marks that holds more than readable calls of `tools`
    stays text. Once a reply has begun, all that follows belongs to it, and a piece costs the same however long the
    answer is.
    """

    form: ToolFormat | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    most_calls: int | None = None

    def __post_init__(self) -> None:
        self._parts, self._text = GrowingParts(), ""
        # How much of the reply was taken, and the end of it that may be a mark or is an incomplete call.
        self._taken, self._held = 0, ""
        self._replying = False
        self._contents: list[str] = []

    @property
    def content(self) -> str:
        """The reply so far, without calls."""
        return "".join(self._contents)

    @property
    def held(self) -> int:
        """How many characters at the end of what was added are held back."""
        return len(self._held)

    def add(self, text: str, opening: str = "", *, ended: bool = False) -> Delta:
        """Take the next piece of the answer; `ended` with the last one, which may be empty.

        `opening` is the mark of thoughts that the prompt ends with (`RequestStats.opening`); it counts at the first.
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
        """What is new of the thoughts and of the reply."""
        self._text += text
        parts = self._parts.of(self._text, ended)
        thought = parts.thought or ""
        if not parts.closed and not ended:
            thought = _HALF_A_MARK.sub("", thought)
        reasoning = thought[len(self.reasoning) :] if thought.startswith(self.reasoning) else ""
        reply = parts.reply[self._taken :]
        self._taken += len(reply)
        return reasoning, reply

    def _take(self, new: str, ended: bool) -> tuple[str, list[ToolCall]]:
        """The content and the calls in what is new of the reply."""
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
    """How many characters at the end of `text` may be the beginning of `mark`."""
    for length in range(min(len(mark) - 1, len(text)), 0, -1):
        if mark.startswith(text[-length:]):
            return length
    return 0
