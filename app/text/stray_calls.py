"""Finds calls in an answer that are not in the form of its model, while the answer streams."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from engine.call_forms.form import ToolCall
from engine.call_forms.stray import BEGINNING, is_cut

# The name of a call's function begins within this many characters.
_MOST_HEAD = 80
_FENCES = ("```", "~~~")
# The beginnings of lines that `BEGINNING` may match when they go on.
_BEGINNINGS = (
    *("calling", "call", "using", "use", "invoking", "invoke", "action", "tool", "functions."),
    *("<tool", "<function=", *_FENCES),
)
# The marks of calls in another form than the model's.
_MARK = re.compile(r"\s*+(?:<(?:tool|function)|\[TOOL_CALL)", re.IGNORECASE)
# What may become a fence, or a longer one.
_HALF_A_FENCE = re.compile(r"(?:`+|~+)\Z")


class StrayCalls:
    """Separates calls without marks, of functions with these `names`, from text.

    Such calls end an answer. Each begins a line, and has the name of its function near its beginning. `read` returns
    the calls in a text that is nothing but calls. Which text is a call does not depend on the pieces in which the
    answer arrives.

    `cut` says that the answer ended within a call. Half a call stays text, because it may be one, unless it has marks.
    """

    def __init__(self, names: Collection[str], read: Callable[[str], list[ToolCall]]) -> None:
        self._names = names
        self._calls_of = read
        self._most_head = _MOST_HEAD + max(map(len, names))
        called = rf"(?:<function=|[\"'])?(?:{'|'.join(map(re.escape, names))})\s*"
        self._line = _on_a_line(rf"(?:{BEGINNING}|{called}[({{])")
        # A line that has only a function's name may go on as a call, also below it.
        self._half_line = _on_a_line(rf"(?:{called}|[^\n]{{0,{self._most_head}}})\Z")
        # Whether text was released, and whether a block of code is open at its end.
        self._begun = False
        self._fenced = False
        # Whether the text that is held back begins with a line that has the name of a function.
        self._named = False
        # Whether the text that is held back is nothing but white space.
        self._is_blank = False
        # Whether the answer ended within a call.
        self.cut = False
        # The end of the text, which may be a call.
        self.held = ""

    def add(self, text: str, *, ended: bool, cut: bool) -> tuple[str, list[ToolCall]]:
        """Add the next piece; return the text that is known to be no call, and the calls once the answer has `ended`.

        There are no calls in an answer that was `cut`, because its calls may only seem to be whole.
        """
        self.held += text
        if not ended and (self._named or (self._is_blank and not text.strip())):
            return "", []
        searched = 0
        while (begin := self._line[self._begun].search(self.held, searched)) is not None:
            start = begin.start("before")
            line = begin.start("line")
            searched = line + 1
            if self._is_fenced(start):
                continue
            head = self.held[line : line + self._most_head]
            is_named = any(name in head for name in self._names)
            if not ended and (is_named or len(head) < self._most_head):
                self._named = is_named
                return self._release(start), []
            if ended and is_named:
                taken = self._last_calls(start, line, cut)
                if taken is not None:
                    return taken
        return self._release(len(self.held) if ended else self._known()), []

    def _last_calls(self, start: int, line: int, cut: bool) -> tuple[str, list[ToolCall]] | None:
        """Return the text before `start` and the calls from `line` to the end of the answer.

        There are no calls if the answer ended within one that has marks, which is dropped. None if all is text.
        """
        written = self.held[line:].strip()
        if not cut and (calls := self._calls_of(written)):
            return self._release(start, drop=True), calls
        if is_cut(written):
            self.cut = True
            if cut and _MARK.match(written):
                return self._release(start, drop=True), []
        return None

    def flush(self) -> str:
        """Return the text that was held back, because the answer has calls in its form."""
        return self._release(len(self.held))

    def _known(self) -> int:
        """Return how many characters of the text are known to be no call.

        This is where the last line begins, with the white space before it, if it may go on as a call; otherwise the
        length of the text, without a part of a fence at its end.
        """
        half = self._half_line[self._begun].search(self.held)
        if half is not None and self._may_go_on(half["line"]):
            return half.start("before")
        fence = _HALF_A_FENCE.search(self.held)
        return len(self.held) if fence is None else fence.start()

    def _may_go_on(self, line: str) -> bool:
        """Return whether a line may go on as one with which a call begins, or as a fence."""
        line = line.lower()
        words = line.lstrip("*[")
        name = line.removeprefix("<function=").lstrip("\"'").rstrip()
        is_word = any(word.startswith(words) for word in _BEGINNINGS)
        return is_word or line.startswith(_FENCES) or any(other.lower().startswith(name) for other in self._names)

    def _is_fenced(self, at: int) -> bool:
        """Return whether a block of code of another language is open at a place of the text that is held back."""
        return self._fenced ^ bool(sum(self.held.count(fence, 0, at) for fence in _FENCES) % 2)

    def _release(self, count: int, *, drop: bool = False) -> str:
        """Return the first characters that are held back; `drop` the others instead of holding them further."""
        self._fenced = self._is_fenced(count)
        text = self.held[:count]
        self.held = "" if drop else self.held[count:]
        self._is_blank = bool(self.held) and not self.held.strip()
        self._begun = self._begun or bool(text)
        return text


def _on_a_line(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return two searches for a pattern at the beginning of a line, with the white space `before` it.

    The first search is for a text that begins a line, the second for a text that begins within a line. Both begin at
    the first line break of white space, so that long white space is read once.
    """
    below = r"(?<!\s)[^\S\n]*+(?=\n)"
    line = rf"(?P<before>\s*+)(?P<line>{pattern})"
    return re.compile(rf"(?:\A|{below}){line}", re.IGNORECASE), re.compile(below + line, re.IGNORECASE)
