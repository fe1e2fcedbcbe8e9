"""Separates the thoughts, the reply and the function calls of an answer while it streams."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from app.text.answer_pieces import CallsRead, Delta, MarkPlace, ReadCall
from app.text.fences import ends_in_code
from app.text.growing_calls import CallPiece, GrowingCalls
from app.text.stray_calls import StrayCalls
from app.text.thinking import GrowingParts, ThoughtAndReply, begins_in_header, half_a_mark
from engine.call_forms.form import CallForm, Marks, ToolCall
from engine.call_forms.tagged import AmbiguousCall

log = logging.getLogger(__name__)

# The beginnings of calls after their marks, apart from the names of functions.
_WORD = re.compile(r"[\w.-]*")
_BEGINNINGS = ("{", "[", "<", "]", '"', "```", "call:", "function")


@dataclass
class AnswerParts:
    """The parts of an answer whose text arrives in pieces.

    Without a `form` nothing is a call; only the first `most_calls` calls count. An incomplete mark is held back, and so
    is a call until it is whole. Text between the marks of a call stays text if it holds anything but readable calls of
    `tools`. White space alone, before, between or after calls, is no content. A call in thoughts counts if the thoughts
    never end; a mark that thoughts only mention begins no call. Once a reply has begun, all later text belongs to it,
    so the cost of a piece does not grow with the answer.

    The values of a call with tags may contain any tags, so from such a call on everything is held back until the answer
    has ended. If it cannot be told where a value ends, the whole call stays text, and `unclear` has the function's
    name.

    If something else than the model ended the answer within a call, such as the limit of tokens, the half call belongs
    to no part: nobody can use half a call, programs that get one with half of its arguments fail, and its marks are no
    text for people. `broken` then says that something is missing. Whole calls before it count, unless their values have
    tags or they share its marks. A text that only mentions a call, or has one in a block of code, stays.

    A call is also reported in pieces before it is whole (`Delta.begun`, `Delta.resumed`). These pieces change neither
    `calls` nor the content, which are the same as for an answer that arrives in one piece.

    In an answer without calls in the form, text that ends it counts as calls if it is almost one (`stray_calls`).
    `broken` says that the answer ended within a call, and `thinking` that it has not got beyond its thoughts.
    """

    form: CallForm | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    most_calls: int | None = None
    # Whether the text ends within a call, which is held back.
    calling: bool = False
    unclear: str = ""
    broken: bool = False
    thinking: bool = False

    def __post_init__(self) -> None:
        self._parts = GrowingParts()
        self._text = ""
        # Whether the answer has anything but white space.
        self._has_begun = False
        # The white space at its beginning, as it arrived, until the answer has begun.
        self._lead: list[str] = []
        # How many characters of the reply were read, in answers of several messages.
        self._read_of_reply = 0
        # The end of the reply that is held back: a possible mark or an incomplete call.
        self._held = ""
        # Whether the held text is a call with tags.
        self._has_tags = False
        # How many characters of the held text were searched for the end of the call.
        self._searched = 0
        self._growing = GrowingCalls(self.form, self.tools) if self.form is not None else None
        self._names = {tool["function"]["name"] for tool in self.tools}
        read = partial(self.form.stray_calls, tools=self.tools) if self.form is not None else None
        self._stray = StrayCalls(self._names, read) if read is not None and self._names else None
        # Whether a call was read, also in the newest piece.
        self._has_called = False
        # The white space since the beginning or the last call; None once text has followed it.
        self._blank: str | None = ""
        # Whether the reply has begun.
        self._replying = False
        # Whether the answer consists of several messages.
        self._in_messages = False
        # The text before the reply: thoughts with their marks. The marks of answers of several messages stay.
        self._head = ""
        # How many characters of the text without calls were returned in `Delta.shown`.
        self._shown = 0
        # The content of each piece.
        self._contents: list[str] = []
        self._marks = self.form.marks if self.form is not None else ()
        # The marks to remove from the reply.
        self._dropped: tuple[str, ...] = ()
        # The end mark to remove directly after a call that began without its start mark; "" if none is expected.
        self._orphan = ""
        # The number of messages to functions that were read.
        self._messages = 0

    @property
    def content(self) -> str:
        """The reply so far, without calls."""
        return "".join(self._contents)

    @property
    def called(self) -> str:
        """The function whose call is being written; "" if none is, or if its form tells the name only at the end."""
        return self._growing.name if self.calling and self._growing is not None else ""

    @property
    def held(self) -> int:
        """The number of characters at the end of the text that are held back."""
        return len(self._blank or "") + len(self._held) + (len(self._stray.held) if self._stray is not None else 0)

    def add(self, text: str, opening: str = "", *, ended: bool = False, cut: bool = False) -> Delta:
        """Add the next piece of the answer; return its parts. `ended` comes with the last piece, which may be empty.

        `cut` says that the model did not end the answer, whose last call may then be incomplete. `opening` is the
        thinking mark that the prompt ends with, see `engine.stats.RequestStats`; only the first piece uses it.
        """
        self._text = self._text or opening
        self._has_begun = self._has_begun or bool(self._text) or bool(text.strip())
        if not self._has_begun and not ended:
            self._lead.append(text)
            return Delta()
        reasoning = ""
        messages = list[ToolCall]()
        was_replying = self._replying
        if not self._replying:
            self._text += "".join(self._lead) + text
            self._lead = []
            # A cut answer that is no more than the beginning of a header has no text.
            is_half_a_header = cut and begins_in_header(self._text)
            parts = self._parts.of(self._text, ended and not is_half_a_header)
            messages, unread = self._read_messages(parts, cut)
            reasoning, text = self._separate(parts, ended, cut)
            text += unread
            self._in_messages = parts.begin is None
        # In answers of several messages, calls are messages of their own.
        if self._in_messages:
            content = text
            calls = messages
        else:
            content, calls = self._separate_calls(text, ended, cut)
            if self._stray is not None:
                content, calls = self._with_stray(self._stray, content, calls, ended, cut)
        self.reasoning += reasoning
        self._contents.append(content)
        if self.most_calls is not None:
            calls = calls[: self.most_calls - len(self.calls)]
        self.calls += calls
        shown = content if was_replying else self._newly_shown()
        resumed, begun = self._next_pieces()
        return Delta(reasoning, content, tuple(calls), shown, resumed, begun)

    def _next_pieces(self) -> tuple[CallPiece | None, CallPiece | None]:
        """Return the next piece of the call that was reported before, and the first piece of another call.

        Each is None if there is none. No other call begins while text before it is held back, nor once there are
        `most_calls`.
        """
        if self._growing is None:
            return None, None
        # With a whole call, `_with_stray` has released the text that was held back.
        waits = self._stray is not None and bool(self._stray.held) and not self.calls
        too_many = self.most_calls is not None and len(self.calls) >= self.most_calls
        return self._growing.next_pieces(waits=waits or too_many)

    def _with_stray(
        self, stray: StrayCalls, content: str, calls: list[ToolCall], ended: bool, cut: bool
    ) -> tuple[str, list[ToolCall]]:
        """Return the content and the calls; if the answer has no calls in the form, the calls that almost have it.

        Such calls are found once the answer has ended. Until then, text that may be one is held back in `stray`.
        """
        if calls or self.calls:
            return stray.flush() + content, calls
        content, calls = stray.add(content, ended=ended, cut=cut)
        # `stray.cut`: the answer ended within a stray call. Whole calls that were found after that one count.
        self.broken = self.broken or (stray.cut and not calls)
        return content, calls

    def _newly_shown(self) -> str:
        """Return the text that the last piece added to the text without calls, and count it as shown."""
        whole = self._text if self._in_messages else self._head + self.content
        new = whole[self._shown :]
        # White space after thoughts may be a part of the text before the reply, then not, and then again.
        self._shown = max(self._shown, len(whole))
        return new

    def _read_messages(self, parts: ThoughtAndReply, cut: bool) -> tuple[list[ToolCall], str]:
        """Return the calls in new messages to functions, and the text of messages whose values have no certain end.

        A message to an unknown function belongs to no part, nor does one that was cut.
        """
        calls = list[ToolCall]()
        unread = ""
        new_messages = parts.calls[self._messages :] if self.form is not None else ()
        for message in new_messages:
            assert self.form is not None
            assert self._growing is not None
            start = message.find(self.form.tags.start) if self.form.tags is not None else -1
            if start >= 0 and self._begins_with_tags(message, start):
                is_cut = cut and message is parts.calls[-1]
                message_calls, _ = self._last_calls(message[start:], is_cut)
                unread += "" if message_calls or is_cut else message[start:]
            else:
                message_calls, _ = self.form.calls(message, self.tools)
            self._growing.end(message_calls)
            calls += message_calls
        self._messages = max(self._messages, len(parts.calls))
        if self._growing is not None and parts.open_call:
            self._growing.read_so_far(parts.open_call, None)
        return calls, unread

    def _separate(self, parts: ThoughtAndReply, ended: bool, cut: bool) -> tuple[str, str]:
        """Return the new thoughts and the new text of the reply, and count both as read."""
        thought = parts.thought or ""
        late = ""
        if not parts.closed:
            at = self._call_in(thought, max(len(self.reasoning), parts.earlier), ended, cut)
            late = thought[at:] if ended else ""
            thought = thought[:at].rstrip()
        self.thinking = not parts.closed
        self._set_head(parts, thought)
        reasoning = thought[len(self.reasoning) :] if thought.startswith(self.reasoning) else ""
        self._dropped = parts.dropped
        if parts.begin is None:
            reply = parts.reply[self._read_of_reply :]
            self._read_of_reply += len(reply)
        else:
            reply = late or (self._text[parts.begin :] if parts.closed else "")
            # White space may come before a mark.
            reply = reply if ended or reply.strip() else ""
            self._replying = bool(reply)
        return reasoning, reply

    def _set_head(self, parts: ThoughtAndReply, thought: str) -> None:
        """Set the text before the reply; `thought` is the part of open thoughts that is known to belong to no call."""
        if parts.closed:
            has_reply = bool(self._text[parts.begin :])
            self._head = self._text[: parts.begin if has_reply else parts.end]
        elif parts.opened:
            self._head = self._text[: parts.opened + max(0, len(thought) - parts.earlier)]

    def _call_in(self, thought: str, at: int, ended: bool, cut: bool) -> int:
        """Return where a call begins, or may begin, in thoughts that have not ended; it begins at `at` or later.

        Without a call, this is the end of the thoughts, or the beginning of half a mark there.
        """
        while (place := self._next_mark(thought, at)) is not None:
            start, mark = place
            at = start + len(mark.start)
            # The thoughts only mention the mark. It was not held back, so a call may begin at the next one.
            if not self._may_begin(thought[at:]):
                continue
            assert self.form is not None
            if self._begins_with_tags(thought, start):
                return start
            inner, after, closed = self._text_of_calls(thought, start, mark, searched=0)
            self._searched = 0
            if not closed and not ended:
                return start
            if self.form.calls(inner, self.tools)[0]:
                return start
            if not closed and cut and self._ends_within_call(thought[:start], thought[start:], mark, cut):
                return start
            at = after
        half = 0 if ended else max((half_a_mark(thought, mark.start) for mark in self._marks), default=0)
        # The end of one mark may look like the beginning of another.
        return max(at, len(thought) - half)

    def _may_begin(self, text: str) -> bool:
        """Return whether a call may begin like this text, which follows a mark of calls.

        Thoughts that only mention the mark are then not held back. Once the answer is False, more text does not change
        it.
        """
        bare = text.lstrip()
        word = _WORD.match(bare)[0]  # type: ignore[index]
        assert self.form is not None
        names = self.form.names(tool["function"]["name"] for tool in self.tools).values()
        named = any(name.startswith(word) if word == bare else name == word for name in names)
        return named or any(bare.startswith(start) or start.startswith(bare) for start in _BEGINNINGS)

    def _next_mark(self, text: str, at: int = 0, *, first: bool = False) -> MarkPlace | None:
        """Return the first mark of calls in the text and its place; None without one. `first` if it begins a reply."""
        lead = len(text) - len(text.lstrip())
        places: list[MarkPlace] = []
        for mark in self._marks:
            start = self._find(mark, text, at)
            counts = not mark.first or (first and start == lead)
            if start >= 0 and counts:
                places.append(MarkPlace(start, mark))
        return min(places, key=lambda place: place.start, default=None)

    def _find(self, mark: Marks, text: str, at: int) -> int:
        """Return where the mark is in the text, -1 if it is not there.

        A mark that is `named` counts only before a function's name.
        """
        start = text.find(mark.start, at)
        while mark.named and start >= 0 and not self._may_begin(text[start + len(mark.start) :]):
            start = text.find(mark.start, start + 1)
        return start

    def _begins_with_tags(self, text: str, at: int) -> bool:
        """Return whether a call of one of the tools begins at `at` that has a tag for each argument."""
        if self.form is None or self.form.tags is None:
            return False
        return self.form.tags.begins(text, at, self._names)

    def _separate_calls(self, new: str, ended: bool, cut: bool) -> tuple[str, list[ToolCall]]:
        """Return the content and the calls in the new text of the reply, and hold back text that may be part of a call.

        With the marks "<call>" and "</call>", the new text "Hm. <call>{…}</call> so" gives "Hm." and the call; " so"
        follows with the next piece. "Hm. <call>{…" gives "Hm."; the remainder is held back.
        """
        if not (self._marks or self._dropped):
            return new, []
        if self._has_tags and not ended:
            self._held += new
            assert self._growing is not None
            self._growing.read_so_far(self._held, None)
            return "", []
        text = self._held + new
        content = ""
        calls: list[ToolCall] = []
        self.calling = False
        self._held = ""
        while text:
            if self._orphan:
                text = self._without_orphan(text, ended, cut)
                if self._orphan:
                    break
            is_first = not self._has_called and self._blank is not None
            place = self._next_mark(text, first=is_first)
            dropped = self._next_dropped(text, len(text) if place is None else place.start)
            if dropped is not None:
                before, text = dropped
                content += self._words(before)
                continue
            if place is None:
                break
            taken = self._read_call(text, place, content, ended, cut)
            content += taken.content
            calls += taken.calls
            if taken.later is None:
                return content, calls
            text = taken.later
        return content + self._last_words(text, content, ended, cut), calls

    def _read_call(self, text: str, place: MarkPlace, before: str, ended: bool, cut: bool) -> ReadCall:
        """Read the text up to the end of the call at `place`; `before` is the content just before this text.

        Set `calling` and hold the call back if it is not whole; set `broken` if the answer ended within it.
        """
        assert self.form is not None
        assert self._growing is not None
        start, mark = place
        has_tags = self._begins_with_tags(text, start)
        inner, end, closed = self._text_of_calls(text, start, mark, self._searched)
        if not ended and (has_tags or not closed):
            self._held = text[start:]
            self.calling = True
            self._has_tags = has_tags
            self._growing.read_so_far(self._held, mark)
            return ReadCall(self._words(text[:start]), [], None)
        self._searched = 0
        if has_tags:
            calls, length = self._last_calls(text[start:], cut)
            only_calls = bool(calls)
            end = start + length
            closed = not cut and self.form.has_end_of_tags(text[start + len(mark.start) :])
        else:
            calls, only_calls = self.form.calls(inner, self.tools)
        self._growing.end(calls)
        self._has_called = self._has_called or bool(calls)
        self.broken = False
        if not calls and not closed:
            self.broken = self._ends_within_call(self._text_before(before) + text[:start], text[start:], mark, cut)
            if self.broken and cut:
                return ReadCall(self._words(text[:start], call_follows=True), [], None)
            if not has_tags:
                end = self._first_end(text, start, mark)
        content = self._words(text[:start] if only_calls else text[:end], call_follows=bool(calls))
        self._orphan = self._marks[0].end if only_calls and mark.whole else ""
        return ReadCall(content, calls, text[end:])

    def _next_dropped(self, text: str, end: int) -> tuple[str, str] | None:
        """Return the text before and after the first mark to remove that begins before `end`; None without one."""
        places = [(start, mark) for mark in self._dropped if 0 <= (start := text.find(mark)) < end]
        if not places:
            return None
        start, mark = min(places)
        return text[:start], text[start + len(mark) :]

    def _last_words(self, text: str, content: str, ended: bool, cut: bool) -> str:
        """Return the content of the text after the last mark, and hold back what may begin another one."""
        half = self._half_mark(self._text_before(content), text) if cut else 0
        if half:
            self.broken = True
            return self._words(text[:-half], call_follows=True)
        shown = len(text) if ended else len(text) - self._incomplete(text)
        self._held = text[shown:]
        words = self._words(text[:shown])
        if ended and self._blank and not self._has_called:
            words = self._blank
            self._blank = ""
        return words

    def _ends_within_call(self, before: str, text: str, mark: Marks, cut: bool) -> bool:
        """Return whether the answer ended within a call that begins with `text` and has no end in it.

        `before` is the reply or the thoughts before it. A mark with nothing after it counts if the answer was cut where
        a call begins.
        """
        assert self.form is not None
        if not text[len(mark.start) :].strip() and not (cut and self._calls_begin_after(before, mark)):
            return False
        return self.form.begins_calls(text, mark, self._names) and not (cut and ends_in_code(before))

    def _half_mark(self, before: str, end: str) -> int:
        """Return how many characters at the end of a cut reply begin a mark of a call; 0 if none do.

        They may be the beginning of a word or a sign, so they count only with a sign among them, and where calls begin
        or if most of the mark is there.
        """
        for mark in self._marks:
            length = half_a_mark(end, mark.start)
            half = end[len(end) - length :]
            text = before + end[: len(end) - length]
            if not half.strip() or half.strip().isalnum() or ends_in_code(text):
                continue
            if length > len(mark.start) // 2 or self._calls_begin_after(text, mark):
                return length
        return 0

    def _text_before(self, content: str) -> str:
        """Return the reply up to and including `content`, with the text that is held back."""
        held_back = self._stray.held if self._stray is not None else ""
        return self.content + held_back + content + (self._blank or "")

    def _calls_begin_after(self, before: str, mark: Marks) -> bool:
        """Return whether calls usually begin after this text: on a line of their own, or after other calls."""
        return self._has_called or mark.start.startswith("\n") or not before.rpartition("\n")[2].strip()

    def _words(self, text: str, *, call_follows: bool = False) -> str:
        """Return the text without white space that is held back until text follows it, or dropped before a call."""
        text = (self._blank or "") + text
        has_words = self._blank is None or bool(text.strip())
        if call_follows:
            self._blank = ""
        else:
            self._blank = None if has_words else text
        return text if has_words else ""

    def _without_orphan(self, text: str, ended: bool, cut: bool) -> str:
        """Remove the mark that ends calls from the beginning of the text; it stays expected while it is incomplete."""
        bare = text.lstrip()
        if bare.startswith(self._orphan):
            bare = bare.removeprefix(self._orphan)
            self._orphan = ""
            return bare
        is_half = self._orphan.startswith(bare)
        if ended or not is_half:
            self._orphan = ""
        return "" if cut and is_half else text

    def _incomplete(self, text: str) -> int:
        """Return how many characters at the end of the text may begin a mark."""
        if self._orphan:
            return len(text)
        marks = [*(mark.start for mark in self._marks if not mark.first), *self._dropped]
        return max((half_a_mark(text, mark) for mark in marks), default=0)

    def _last_calls(self, text: str, cut: bool) -> tuple[list[ToolCall], int]:
        """Return the calls with tags with which the last text of the answer begins, and their end."""
        assert self.form is not None
        if cut:
            return [], len(text)
        try:
            return self.form.last_calls(text, self.tools)
        except AmbiguousCall as unclear:
            self.unclear = str(unclear)
            log.info("a call is left as text, because it cannot be told where its values end")
            return [], len(text)

    def _text_of_calls(self, text: str, start: int, mark: Marks, searched: int) -> CallsRead:
        """Return the text of the calls that begin at `start`, up to their end mark if it is there.

        The first `searched` characters after `start` were searched before: they have no end mark. A part of the end
        mark at the end of `text` is not in the calls' text.
        """
        assert self.form is not None
        begin = start + len(mark.start)
        end = text.find(mark.end, max(begin, start + searched)) if mark.end else -1
        while end >= 0 and self.form.is_in_quotes(text[begin:end]):
            self._searched = end + len(mark.end) - start
            end = text.find(mark.end, start + self._searched)
        after = end + len(mark.end) if end >= 0 else len(text)
        is_closed = end >= 0
        if mark.whole:
            return CallsRead(text[start:after], after, is_closed)
        inner = text[begin : end if is_closed else len(text)]
        if not is_closed and mark.end:
            inner = inner[: len(inner) - half_a_mark(inner, mark.end)]
        return CallsRead(inner, after, is_closed)

    def _first_end(self, text: str, start: int, mark: Marks) -> int:
        """Return where a text ends that begins with a mark but not with calls. An end mark in quotes ends it, too."""
        end = text.find(mark.end, start + len(mark.start)) if mark.end else -1
        return end + len(mark.end) if end >= 0 else len(text)
