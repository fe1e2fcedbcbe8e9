"""Finds calls beside a model's form in an answer while it streams."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from engine.call_forms.form import ToolCall
from engine.call_forms.stray import BEGINNING, is_cut

# A call has the name of its function within as many characters.
_MOST_HEAD = 80
_FENCE, _OTHER_FENCE = "```", "~~~"
# The marks of calls in another form than the model's.
_MARK = re.compile(r"\s*+(?:<(?:tool|function)|\[TOOL_CALL)", re.IGNORECASE)


class StrayCalls:
    """Separates such calls of functions with these `names` from text: they end an answer, and begin on a line. `read`
    returns the calls in a text that is nothing but calls. `cut` says that the answer ended within one. Such a call
    stays text, because it may be one, unless it has marks.
    """

    def __init__(self, names: Collection[str], read: Callable[[str], list[ToolCall]]) -> None:
        self._names, self._read = names, read
        called = "|".join(map(re.escape, names))
        line = rf"\s*+(?:(?:{BEGINNING})|(?:<function=|[\"'])?(?:{called})\s*[({{])"
        self._first, self._later = (re.compile(rf"{begin}{line}", re.IGNORECASE) for begin in (r"(?:\A|\n)", r"\n"))
        self._half = re.compile(rf"(?:\A|\n)\s*+([^\n]{{0,{_MOST_HEAD}}})\Z")
        self._begun = self._named = self._fenced = self.cut = False
        self.held = ""

    def take(self, text: str, *, ended: bool, cut: bool) -> tuple[str, list[ToolCall]]:
        """Return the text that is known to be no call, and the calls once the answer has `ended`, unless it was `cut`, so
        that they may only seem to be whole.
        """
        self.held += text
        if self._named and not ended:
            return "", []
        at = 0
        while (found := (self._later if self._begun else self._first).search(self.held, at)) is not None:
            at, call = found.end(), self.held[found.start() :]
            if self._is_fenced(found.start()):
                continue
            if ended and not cut and (calls := self._read(call.strip())):
                return self._release(found.start(), drop=True), calls
            named = any(name in call for name in self._names)
            if ended and named and is_cut(call):
                self.cut = True
                if cut and _MARK.match(call):
                    return self._release(found.start(), drop=True), []
            if not ended and (named or len(call.strip()) <= _MOST_HEAD):
                self._named = named
                return self._release(found.start()), []
        return self._release(len(self.held) if ended else self._half_line()), []

    def flush(self) -> str:
        """Return the text that was held back, because the answer has calls in its form."""
        return self._release(len(self.held))

    def _half_line(self) -> int:
        """Return where the last line begins, with the white space before it, if it may go on as a call."""
        half = self._half.search(self.held)
        if half is None or (half.start() == 0 and self._begun and not self.held.startswith("\n")):
            return len(self.held)
        line = half[1].lower()
        if line.startswith(_FENCE):
            return half.start()
        begins = [_FENCE, "<function=", *self._names, "calling", "call", "using", "use", "invoking", "action", "tool"]
        return half.start() if any(one.lower().startswith(line) for one in begins) else len(self.held)

    def _is_fenced(self, at: int) -> bool:
        """Return whether a block of code of another language is open at a place of the text that is held back."""
        fences = self.held.count(_FENCE, 0, at) + self.held.count(_OTHER_FENCE, 0, at)
        return self._fenced ^ bool(fences % 2)

    def _release(self, count: int, *, drop: bool = False) -> str:
        self._fenced = self._is_fenced(count)
        text, self.held = self.held[:count], "" if drop else self.held[count:]
        self._begun = self._begun or bool(text)
        return text
