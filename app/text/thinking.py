"""Separates the thoughts of a reasoning model from its answer. No Qt in here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.model_files.thought_marks import LEFT_BEHIND, OPENING_WORDS, REPLY_MARKS, THOUGHT_MARKS

# gpt-oss and Muse write several messages: in a channel, to themselves, to the user or to a function.
_FIRST_HEADER = re.compile(r"\s*(?:to=[\w.-]+\s*)?<\|(?:channel|message)\|>")
_HALF_A_HEADER = re.compile(r"(?:\s+t|\s+to|\s*to=[\w.-]*\s*)?(?:\s*<\|?\w*\|?)?")
# Each header begins with a mark or the text, so that long white space is read once.
_HEADER = re.compile(
    r"(?:\A\s*+|(?=<\|(?:end|eom|start|channel|message)\|>))(?:<\|(?:end|eom)\|>\s*+)?(?:<\|start\|>\w++\s*+)?"
    r"(?:to=(?P<role>[\w.-]++)\s*+)?(?:<\|channel\|>(?P<channel>\w++)(?:\s++to=(?P<to>[\w.-]++))?[^<]*+)*"
    r"(?:<\|constrain\|>\w++\s*+)?<\|message\|>"
)
_CLOSING = re.compile(r"<\|(?:end|return|start|call|eom|eot)\|>")
# The beginning of a mark or of the header of another message, which later tokens may complete.
_HALF_A_MARK = re.compile(r"(?:<\|channel\|>(?:\w[^<]*)?)*+(?:<\|constrain\|>\w*\s*)?(?:<(?:\|\w*\|?)?)?\Z")
# With templates that write the opening mark into the prompt, the answer has only the closing one, on a line of its own.
_OPENING_OF = {closing: opening for opening, closing in THOUGHT_MARKS}
_THOUGHT_AGAIN = {opening: re.compile(rf"\s*+{re.escape(opening)}") for opening, _ in THOUGHT_MARKS}
_REPLY_OPENINGS = tuple(opening for opening, _ in REPLY_MARKS)
_LONE_END = re.compile(rf"^[ \t]*({'|'.join(map(re.escape, _OPENING_OF))})[ \t\r]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ThoughtAndReply:
    """The thoughts of an answer, None if nothing is marked, and its reply.

    `end` is the index in the text after the thoughts and their closing mark; `closed` says that they have ended. The
    reply is the text from `begin` on without the `dropped` marks; `begin` is None if it is not a single piece of text.
    `calls` are the messages to functions, each the recipient, a newline and the text; `open_call` is one that has not
    ended.

    Of thoughts between marks, the last ones may not have ended: in `thought` they begin after `earlier` characters, and
    in the text at `opened`, which is 0 as long as there are no thoughts at all.
    """

    thought: str | None
    reply: str
    end: int = 0
    closed: bool = True
    begin: int | None = 0
    dropped: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    open_call: str = ""
    earlier: int = 0
    opened: int = 0


class GrowingParts:
    """The parts of a growing text, which is not searched twice."""

    def __init__(self) -> None:
        self._text, self._ended, self._searched = "", False, 0
        self._parts = ThoughtAndReply(None, "")

    def of(self, text: str, ended: bool) -> ThoughtAndReply:
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


def parts_of(text: str, ended: bool = True, searched: int = 0) -> ThoughtAndReply:
    """Separate the thoughts of an answer from its reply; `ended` is False while more text may come.

    `searched` is the start of a line before which there is no closing mark.
    """
    lead = len(text) - len(text.lstrip())
    bare = text[lead:]
    if _FIRST_HEADER.match(text) or (not ended and bare and _HALF_A_HEADER.fullmatch(text)):
        return _of_messages(text, ended)
    for opening, closing in THOUGHT_MARKS:
        if text.startswith(opening, lead):
            # Words that open thoughts are a part of them.
            start = lead if opening in OPENING_WORDS else _start_of_thoughts(text, lead, opening)
            return _after(text, start, (opening, closing), ended)
        if text.startswith(closing, lead):
            return _after(text, lead, (opening, closing), ended)
    if not ended and _begins_a_mark(bare, [mark for pair in THOUGHT_MARKS for mark in pair]):
        return ThoughtAndReply("", "", len(text), closed=False)
    # An answer may show such marks, for instance in code; a lone closing mark has no opening one before it.
    lone = _LONE_END.search(text, searched)
    if lone and _OPENING_OF[lone[1]] not in text[: lone.start()]:
        return _with_reply(text, text[: lone.start()].strip(), lone.end(), (), ended)
    return _with_reply(text, None, 0, (), ended)


def closing_mark(text: str) -> str:
    """Return the mark that ends the thoughts with which a text begins; "" if it begins with none."""
    return next((closing for opening, closing in THOUGHT_MARKS if text.lstrip().startswith(opening)), "")


def without_thoughts(text: str) -> str:
    """Return an answer's text for the prompts of later turns.

    Templates refuse the marks of messages, or write the marks of replies themselves; other templates handle their own
    marks.
    """
    parts = parts_of(text)
    return parts.reply if parts.begin is None or parts.dropped else text


def begins_in_header(text: str) -> bool:
    """Return whether a text is no more than the beginning of the header of an answer's first message."""
    return _FIRST_HEADER.match(text) is not None and _HEADER.search(text) is None


def _begins_a_mark(text: str, marks: Sequence[str]) -> bool:
    """Whether the text may be the beginning of a mark."""
    return bool(text) and any(mark.startswith(text) for mark in marks)


def _of_messages(text: str, ended: bool) -> ThoughtAndReply:
    headers = list(_HEADER.finditer(text))
    if not headers:
        return _with_reply(text, None, 0, (), ended) if ended else ThoughtAndReply("", "", len(text), closed=False)
    thoughts = []
    replies = []
    calls = []
    open_call = ""
    replying = len(text)
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        end = following.start() if following else len(text)
        whole = ended or following is not None
        body = _CLOSING.split(text[header.end() : end], maxsplit=1)[0]
        body = body if whole else _HALF_A_MARK.sub("", body)
        to = header["role"] or header["to"] or ""
        if to == "self" or (header["channel"] == "analysis" and to in ("", "assistant")):
            thoughts.append(body.strip())
        elif to in ("", "assistant", "user"):
            replies.append(body)
            replying = min(replying, header.end())
        elif whole:
            # The arguments may contain any text; the reader finds their end.
            calls.append(f"{to}\n{text[header.end() : end]}")
        else:
            open_call = f"{to}\n{text[header.end() : end]}"
    thought = "\n\n".join(thoughts) if thoughts else None
    return ThoughtAndReply(
        thought, "\n\n".join(replies), replying, bool(replies or calls), None, (), tuple(calls), open_call
    )


def _start_of_thoughts(text: str, at: int, opening: str) -> int:
    """Return where the thoughts begin after the mark at `at`: models repeat the mark of the prompt at times."""
    start = at + len(opening)
    again = len(text) - len(text[start:].lstrip())
    return again + len(opening) if text.startswith(opening, again) else start


def _after(text: str, start: int, marks: tuple[str, str], ended: bool) -> ThoughtAndReply:
    """Return the parts of an answer whose thoughts begin at `start`."""
    opening, closing = marks
    end = text.find(closing, start)
    thoughts = list[str]()
    # Some models think again before they reply.
    while (
        not _begins_reply(text, start)
        and end >= 0
        and (again := _THOUGHT_AGAIN[opening].match(text, end + len(closing))) is not None
    ):
        thoughts.append(text[start:end].strip())
        start = again.end()
        end = text.find(closing, again.end())
    bare = text[start:].lstrip()
    if _begins_reply(text, start):
        # The reply begins in thoughts that have no text, such as those that the prompt had opened.
        return _with_reply(text, _joined(*thoughts), len(text) - len(bare), (), ended)
    if end >= 0:
        thought = _joined(*thoughts, text[start:end])
        if not ended and _begins_a_mark(text[end + len(closing) :].lstrip(), [opening]):
            return ThoughtAndReply(thought, "", end + len(closing), begin=len(text))
        return _with_reply(text, thought, end + len(closing), LEFT_BEHIND.get(closing, ()), ended)
    if ended and text.startswith(OPENING_WORDS, start):
        return ThoughtAndReply(None, text)
    thought = text[start:] if ended else text[start : len(text) - half_a_mark(text, closing)]
    hidden = not ended and _begins_a_mark(thought.strip(), [opening, *_REPLY_OPENINGS])
    newest = "" if hidden else thought.strip()
    joined = _joined(*thoughts, newest)
    opened = len(text) - len(bare) if thoughts or newest else 0
    earlier = len(joined) - len(newest)
    return ThoughtAndReply(joined, "", len(text), closed=False, earlier=earlier, opened=opened)


def _begins_reply(text: str, at: int) -> bool:
    """Whether the mark of a reply comes next in the text."""
    return text[at:].lstrip().startswith(_REPLY_OPENINGS)


def _joined(*thoughts: str) -> str:
    return "\n\n".join(filter(None, (thought.strip() for thought in thoughts)))


def _with_reply(text: str, thought: str | None, end: int, dropped: tuple[str, ...], ended: bool) -> ThoughtAndReply:
    """Return the parts of an answer whose reply follows `end`."""
    raw = text[end:].lstrip("\r\n") if thought is not None else text
    begin = len(text) - len(raw)
    bare = raw.lstrip()
    for opening, inner in REPLY_MARKS:
        if bare.startswith(opening) or (thought is not None and text.startswith(opening, end)):
            begin = len(text) - len(bare) + len(opening.lstrip())
            dropped = (*dropped, *inner)
    if not ended and _begins_a_mark(bare, [opening.lstrip() for opening, _ in REPLY_MARKS]):
        return ThoughtAndReply(thought, "", end, True, len(text), dropped)
    reply = text[begin:]
    for mark in dropped:
        reply = reply.replace(mark, "")
    if dropped and not ended:
        reply = reply[: len(reply) - max(half_a_mark(reply, mark) for mark in dropped)]
    return ThoughtAndReply(thought, reply, end, True, begin, dropped)


def half_a_mark(text: str, mark: str) -> int:
    """Return the length of the longest end of `text` with which `mark` begins."""
    lengths = range(min(len(mark) - 1, len(text)), 0, -1)
    return next((length for length in lengths if mark.startswith(text[-length:])), 0)
