"""Separates the thoughts of a reasoning model from its answer. No Qt in here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.model_files.thought_marks import LEFT_BEHIND, OPENING_WORDS, REPLY_MARKS, THOUGHT_MARKS

# gpt-oss and Muse write several messages: in a channel, to themselves, to the user or to a function.
_FIRST_HEADER = re.compile(r"(?:to=[\w.-]++\s*+)?<\|(?:channel|message)\|>")
_HALF_A_HEADER = re.compile(r"(?:\s+t|\s+to|\s*to=[\w.-]*\s*)?(?:\s*<\|?\w*\|?)?")
# Each header ends with this mark. It begins with a mark or the text, so that long white space is read once.
_HEADER_END = "<|message|>"
_HEADER = re.compile(
    r"(?:\A\s*+|(?=<\|(?:end|eom|start|channel|message)\|>))(?:<\|(?:end|eom)\|>\s*+)?(?:<\|start\|>\w++\s*+)?"
    r"(?:to=(?P<role>[\w.-]++)\s*+)?(?:<\|channel\|>(?P<channel>\w++)(?:\s++to=(?P<to>[\w.-]++))?[^<]*+)*"
    r"(?:<\|constrain\|>\w++\s*+)?<\|message\|>"
)
_CLOSING = re.compile(r"<\|(?:end|return|start|call|eom|eot)\|>")
_LONGEST_CLOSING = len("<|return|>")
# The beginning of a mark or of the header of another message, which later tokens may complete.
_HALF_A_MARK = re.compile(r"(?:<\|channel\|>(?:\w[^<]*)?)*+(?:<\|constrain\|>\w*\s*)?(?:<(?:\|\w*\|?)?)?\Z")
_REPLY_OPENINGS = tuple(opening for opening, _ in REPLY_MARKS)


@dataclass(frozen=True, slots=True)
class ThoughtAndReply:
    """The thoughts of an answer, None if nothing is marked, and its reply.

    `end` is the index in the text after the thoughts and their closing mark; `closed` says that they have ended. The
    reply is the text from `begin` on without the `dropped` marks; `begin` is None if it is not a single piece of text.
    `calls` are the messages to functions, each the recipient, a newline and the text; `open_call` is a message to a
    function that has not ended.

    The last thoughts between marks may not have ended. They begin after `earlier` characters of `thought`, and at
    `opened` in the text, which is 0 as long as there are no thoughts at all.
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
    """Separates the thoughts and the reply of a growing text, of which each piece is read about once.

    The parts do not depend on the pieces in which the text came. A mark that closes thoughts counts after opened
    thoughts, or at the beginning of the text. In a reply that has begun it is text, because shown text stays.
    """

    def __init__(self) -> None:
        self._text = ""
        self._ended = False
        self._parts = ThoughtAndReply(None, "")
        # The length of the white space at the beginning.
        self._lead = 0
        # The reader of an answer that begins with thoughts or a message; None for other answers.
        self._reader: _Messages | _Thoughts | None = None

    def of(self, text: str, ended: bool) -> ThoughtAndReply:
        """Return the parts, like `parts_of`. A text that does not begin with the last one is read from its start."""
        if text is self._text and ended is self._ended:
            return self._parts
        if not text.startswith(self._text):
            self._lead = 0
            self._reader = None
        self._text = text
        self._ended = ended
        self._lead = _after_space(text, self._lead)
        if self._reader is None:
            self._reader = _reader_of(text, self._lead)
        self._parts = self._reply() if self._reader is None else self._reader.read(text, ended)
        return self._parts

    def _reply(self) -> ThoughtAndReply:
        """Return the parts of a text that begins with no mark, or with a half one."""
        text = self._text
        if self._lead == len(text):
            return ThoughtAndReply(None, text)
        marks = [mark for pair in THOUGHT_MARKS for mark in pair]
        if not self._ended and (_HALF_A_HEADER.fullmatch(text) or _begins_a_mark(text[self._lead :], marks)):
            return ThoughtAndReply("", "", len(text), closed=False)
        return _with_reply(text, None, 0, self._lead, (), self._ended)


def parts_of(text: str, ended: bool = True) -> ThoughtAndReply:
    """Separate the thoughts of an answer from its reply; `ended` is False while more text may come."""
    return GrowingParts().of(text, ended)


def closing_mark(text: str) -> str:
    """Return the mark that ends the thoughts with which a text begins; "" if it begins with no thoughts."""
    for opening, closing in THOUGHT_MARKS:
        if text.lstrip().startswith(opening):
            return closing
    return ""


def without_thoughts(text: str) -> str:
    """Return an answer's text for the prompts of later turns.

    Templates refuse the marks of messages, or write the marks of replies themselves; other templates handle their own
    marks.
    """
    parts = parts_of(text)
    return parts.reply if parts.begin is None or parts.dropped else text


def begins_in_header(text: str) -> bool:
    """Return whether a text is no more than the beginning of the header of an answer's first message."""
    return _FIRST_HEADER.match(text, _after_space(text, 0)) is not None and _HEADER_END not in text


def _after_space(text: str, at: int) -> int:
    """Return the index after the white space that begins at `at`."""
    return len(text) - len(text[at:].lstrip())


def _begins_a_mark(text: str, marks: Sequence[str]) -> bool:
    """Return whether the text is the beginning of a mark, or a whole one."""
    return text != "" and any(mark.startswith(text) for mark in marks)


def _reader_of(text: str, lead: int) -> _Messages | _Thoughts | None:
    """Return the reader of a text that begins, after white space, with a message or thoughts; None for other texts."""
    if _FIRST_HEADER.match(text, lead):
        return _Messages()
    for opening, closing in THOUGHT_MARKS:
        if text.startswith(opening, lead):
            return _Thoughts(opening, closing, lead, has_opening=True)
        if text.startswith(closing, lead):
            return _Thoughts(opening, closing, lead, has_opening=False)
    return None


class _Messages:
    """Reads a growing answer that consists of messages: thoughts, replies and calls.

    A message goes on up to the header of the next one. The text before the newest message is not read again.
    """

    def __init__(self) -> None:
        # The texts of the messages that have ended; a call has its function in the first line.
        self._thoughts: list[str] = []
        self._replies: list[str] = []
        self._calls: list[str] = []
        # Where the first reply begins; None if there is none.
        self._first_reply: int | None = None
        # The kind of the newest message: "thought", "reply", "call", or "" if there is no message.
        self._kind = ""
        # The function that a call is for.
        self._function = ""
        # Where the text of the newest message begins.
        self._body_begin = 0
        # Where the closing mark of the newest message is; None without one.
        self._body_close: int | None = None
        # Before this index, there is no end of the next header.
        self._searched = 0
        # Before this index, there is no closing mark.
        self._closing_searched = 0
        # Before this index, there is no half mark at the end of the text.
        self._half_searched = 0

    def read(self, text: str, ended: bool) -> ThoughtAndReply:
        """Return the parts of the text, which begins with the text of the last call."""
        last_mark = text.find(_HEADER_END, self._searched)
        while last_mark >= 0:
            self._begin_message(text, last_mark + len(_HEADER_END))
            last_mark = text.find(_HEADER_END, self._searched)
        self._searched = max(self._body_begin, len(text) - len(_HEADER_END) + 1)
        if not self._kind:
            if ended:
                return _with_reply(text, None, 0, _after_space(text, 0), (), ended)
            return ThoughtAndReply("", "", len(text), closed=False)
        self._find_close(text)
        body = text[self._body_begin : self._body_end(text, ended)]
        thoughts = [*self._thoughts, body.strip()] if self._kind == "thought" else self._thoughts
        replies = [*self._replies, body] if self._kind == "reply" else self._replies
        # The arguments of a call may contain any text; the reader finds their end.
        call = f"{self._function}\n{text[self._body_begin :]}" if self._kind == "call" else ""
        calls = [*self._calls, call] if call and ended else self._calls
        return ThoughtAndReply(
            "\n\n".join(thoughts) if thoughts else None,
            "\n\n".join(replies),
            len(text) if self._first_reply is None else self._first_reply,
            bool(replies or calls),
            None,
            (),
            tuple(calls),
            "" if ended else call,
        )

    def _begin_message(self, text: str, begin: int) -> None:
        """End the newest message and begin the one whose header ends at `begin`."""
        header = _HEADER.search(text, self._body_begin, begin)
        # `_HEADER` matches the mark `_HEADER_END` alone, too.
        assert header is not None
        self._end_message(text, header.start())
        self._body_begin = self._searched = self._closing_searched = self._half_searched = begin
        self._body_close = None
        recipient = header["role"] or header["to"] or ""
        if recipient == "self" or (header["channel"] == "analysis" and recipient in ("", "assistant")):
            self._kind = "thought"
        elif recipient in ("", "assistant", "user"):
            self._kind = "reply"
            self._first_reply = begin if self._first_reply is None else self._first_reply
        else:
            self._kind = "call"
            self._function = recipient

    def _end_message(self, text: str, end: int) -> None:
        """Store the newest message as one that has ended; its text ends at `end` at the latest."""
        self._find_close(text)
        body = text[self._body_begin : end if self._body_close is None else min(self._body_close, end)]
        if self._kind == "thought":
            self._thoughts.append(body.strip())
        elif self._kind == "reply":
            self._replies.append(body)
        elif self._kind == "call":
            self._calls.append(f"{self._function}\n{text[self._body_begin : end]}")

    def _find_close(self, text: str) -> None:
        """Find the closing mark of the newest message."""
        if self._body_close is None:
            closing = _CLOSING.search(text, self._closing_searched)
            self._closing_searched = max(self._body_begin, len(text) - _LONGEST_CLOSING + 1)
            if closing is not None:
                self._body_close = closing.start()
                # A half mark may stand before it, where none was at the end of the text.
                self._half_searched = self._body_begin

    def _body_end(self, text: str, ended: bool) -> int:
        """Return where the text of the newest message ends, without a half mark at its end unless it has `ended`."""
        end = len(text) if self._body_close is None else self._body_close
        if ended:
            return end
        half = _HALF_A_MARK.search(text, self._half_searched, end)
        assert half is not None
        # Text that begins no mark here begins no mark with more text either.
        self._half_searched = half.start()
        return half.start()


class _Thoughts:
    """Reads a growing answer that begins with the mark of thoughts, at `lead`; some models think several times.

    Thoughts that have ended are not read again.
    """

    def __init__(self, opening: str, closing: str, lead: int, *, has_opening: bool) -> None:
        self._opening = opening
        self._closing = closing
        # The thoughts that have ended before the newest ones.
        self._earlier = ""
        self._has_earlier = False
        # Where the newest thoughts begin. Words that open thoughts are a part of them; marks are not.
        is_mark = has_opening and opening not in OPENING_WORDS
        self._start = lead + len(opening) if is_mark else lead
        # Whether the opening mark may come again: models repeat the mark of the prompt at times.
        self._may_repeat = is_mark
        # The end of the white space with which the newest thoughts begin.
        self._bare = self._start
        # The end of the white space after their closing mark.
        self._after = self._start
        # Before this index, the newest thoughts have no closing mark.
        self._searched = self._start

    def read(self, text: str, ended: bool) -> ThoughtAndReply:
        """Return the parts of the text, which begins with the text of the last call."""
        while True:
            self._bare = _after_space(text, self._bare)
            self._skip_repeated_mark(text)
            if text.startswith(_REPLY_OPENINGS, self._bare):
                # The reply begins in thoughts that have no text, such as thoughts that the prompt had opened.
                return _with_reply(text, self._earlier, self._bare, self._bare, (), ended)
            close = text.find(self._closing, self._searched)
            if close < 0:
                self._searched = max(self._start, len(text) - len(self._closing) + 1)
                return self._open_parts(text, ended)
            self._searched = close
            end = close + len(self._closing)
            self._after = _after_space(text, max(self._after, end))
            if not text.startswith(self._opening, self._after):
                return self._closed_parts(text, close, end, ended)
            self._earlier = _joined(self._earlier, text[self._start : close])
            self._has_earlier = True
            self._start = self._bare = self._searched = self._after + len(self._opening)

    def _skip_repeated_mark(self, text: str) -> None:
        if self._may_repeat and text.startswith(self._opening, self._bare):
            self._start = self._bare + len(self._opening)
            self._searched = max(self._searched, self._start)
            self._bare = _after_space(text, self._start)
            self._may_repeat = False
        elif self._may_repeat:
            # More text may complete the mark.
            self._may_repeat = self._opening.startswith(text[self._bare :])

    def _closed_parts(self, text: str, close: int, end: int, ended: bool) -> ThoughtAndReply:
        """Return the parts of a text whose last thoughts go up to `close`, and whose closing mark goes up to `end`."""
        thought = _joined(self._earlier, text[self._start : close])
        later = text[self._after : self._after + len(self._opening)]
        if not ended and _begins_a_mark(later, [self._opening]):
            return ThoughtAndReply(thought, "", end, begin=len(text))
        return _with_reply(text, thought, end, self._after, LEFT_BEHIND.get(self._closing, ()), ended)

    def _open_parts(self, text: str, ended: bool) -> ThoughtAndReply:
        """Return the parts of a text whose last thoughts have not ended."""
        if ended and text.startswith(OPENING_WORDS, self._start):
            return ThoughtAndReply(None, text)
        end = len(text) if ended else len(text) - half_a_mark(text, self._closing)
        newest = text[self._bare : end].rstrip()
        if not ended and _begins_a_mark(newest, [self._opening, *_REPLY_OPENINGS]):
            newest = ""
        joined = _joined(self._earlier, newest)
        opened = self._bare if self._has_earlier or newest else 0
        earlier = len(joined) - len(newest)
        return ThoughtAndReply(joined, "", len(text), closed=False, earlier=earlier, opened=opened)


def _joined(*thoughts: str) -> str:
    return "\n\n".join(filter(None, (thought.strip() for thought in thoughts)))


def _with_reply(
    text: str, thought: str | None, end: int, bare: int, dropped: tuple[str, ...], ended: bool
) -> ThoughtAndReply:
    """Return the parts of an answer whose reply follows `end`; the white space after `end` ends at `bare`."""
    begin = 0
    if thought is not None:
        begin = bare - len(text[end:bare].lstrip("\r\n"))
    for opening, inner in REPLY_MARKS:
        if text.startswith(opening, bare) or (thought is not None and text.startswith(opening, end)):
            begin = bare + len(opening.lstrip())
            dropped = (*dropped, *inner)
    if not ended and _begins_a_mark(text[bare:], [opening.lstrip() for opening, _ in REPLY_MARKS]):
        return ThoughtAndReply(thought, "", end, True, len(text), dropped)
    reply = text[begin:]
    for mark in dropped:
        reply = reply.replace(mark, "")
    if dropped and not ended:
        reply = reply[: len(reply) - max(half_a_mark(reply, mark) for mark in dropped)]
    return ThoughtAndReply(thought, reply, end, True, begin, dropped)


def half_a_mark(text: str, mark: str) -> int:
    """Return how many characters at the end of `text` are the beginning of `mark`, but not all of it; 0 if none are."""
    for length in range(min(len(mark) - 1, len(text)), 0, -1):
        if mark.startswith(text[-length:]):
            return length
    return 0
