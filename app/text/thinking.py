"""Separates the thoughts of a reasoning model from its answer. No Qt in here."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.model_files.thought_marks import THOUGHT_MARKS

# gpt-oss writes messages of several channels: all but the one called final are thoughts.
_CHANNEL, _FINAL = "<|channel|>", "final"
_HEADER = re.compile(r"(?:<\|end\|>)?\s*(?:<\|start\|>\w+)?<\|channel\|>(\w+)[^<]*<\|message\|>")
_CLOSING = re.compile(r"<\|(?:end|return|start)\|>")
# The beginning of a mark, which the next token may complete.
_HALF_A_MARK = re.compile(r"<(?:\|\w*\|?)?\Z")
# With templates that write the opening mark into the prompt, the answer has only the closing one, on a line of its own.
_LONE_END = re.compile(r"^[ \t]*(?:</think>|</thinking>|</seed:think>|\[/THINK\])[ \t\r]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parts:
    """The thoughts of an answer, None if nothing is marked, and its reply.

    `end` is the index in the text after the thoughts and their closing mark; `closed` says that they have ended.
    """

    thought: str | None
    reply: str
    end: int = 0
    closed: bool = True


class GrowingParts:
    """The parts of a growing text, which is not searched twice."""

    def __init__(self) -> None:
        self._text, self._ended, self._searched = "", False, 0
        self._parts = Parts(None, "")

    def of(self, text: str, ended: bool) -> Parts:
        """Return what `parts_of` returns."""
        if text is self._text and ended is self._ended:
            return self._parts
        if not text.startswith(self._text):
            self._searched = 0
        self._parts = parts_of(text, ended, self._searched)
        self._text, self._ended = text, ended
        # A closing mark counts only when its line is complete.
        self._searched = text.rfind("\n") + 1 if self._parts.thought is None else 0
        return self._parts


def parts_of(text: str, ended: bool = True, searched: int = 0) -> Parts:
    """Separate the thoughts of an answer from its reply; `ended` is False while more text may come.

    `searched` is the start of a line before which there is no closing mark.
    """
    lead = len(text) - len(text.lstrip())
    if text.startswith(_CHANNEL, lead) or (not ended and text[lead:] and _CHANNEL.startswith(text[lead:])):
        return _of_channels(text, ended)
    for opening, closing in THOUGHT_MARKS:
        if text.startswith(opening, lead):
            return _after(text, lead + len(opening), closing)
    rest = text[lead:]
    if not ended and rest and any(opening.startswith(rest) for opening, _ in THOUGHT_MARKS):
        # Possibly the beginning of a mark.
        return Parts("", "", len(text), closed=False)
    # An answer may show such marks, for instance in code; a lone closing mark has no opening one before it.
    lone = _LONE_END.search(text, searched)
    if lone and lone[0].strip().replace("/", "", 1) not in text[: lone.start()]:
        return Parts(text[: lone.start()].strip(), text[lone.end() :].lstrip("\r\n"), lone.end())
    return Parts(None, text)


def without_thoughts(text: str) -> str:
    """Return an answer's text for the prompts of later turns.

    Templates of models with channels refuse messages with such marks; other templates handle their own marks.
    """
    return parts_of(text).reply if text.lstrip().startswith(_CHANNEL) else text


def _of_channels(text: str, ended: bool) -> Parts:
    headers = list(_HEADER.finditer(text))
    if not headers:
        return Parts(None, text) if ended else Parts("", "", len(text), closed=False)
    ends = [header.start() for header in headers[1:]] + [len(text)]
    messages = [
        (header, _message(text[header.end() : end], ended or end < len(text)))
        for header, end in zip(headers, ends, strict=True)
    ]
    thoughts = [body.strip() for header, body in messages if header[1] != _FINAL]
    finals = [(header, body) for header, body in messages if header[1] == _FINAL]
    thought = "\n\n".join(thoughts) if thoughts else None
    if not finals:
        return Parts(thought, "", len(text), closed=False)
    return Parts(thought, "".join(body for _, body in finals), finals[0][0].end())


def _message(body: str, whole: bool) -> str:
    body = _CLOSING.split(body, maxsplit=1)[0]
    return body if whole else _HALF_A_MARK.sub("", body)


def _after(text: str, start: int, closing: str) -> Parts:
    end = text.find(closing, start)
    if end < 0:
        return Parts(text[start:].strip(), "", len(text), closed=False)
    after = end + len(closing)
    return Parts(text[start:end].strip(), text[after:].lstrip("\r\n"), after)
