"""Ends the thoughts of an answer after a number of tokens, with the mark that the model's family ends them with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.model_files.thought_marks import CALLING_MARKS, MESSAGE_MARKS, THOUGHT_MARKS

# The most tokens of a mark that opens thoughts, with the white space around it.
_OPENING = 48


@dataclass(frozen=True, slots=True)
class _Marks:
    """The mark that opens thoughts, the one that ends them, the beginning of a reply, and of more thoughts after them.

    The reply's is written at the limit only.
    """

    opening: str
    closing: str
    reply: str = ""
    again: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """The place after some tokens of an answer: in thoughts, or where they may begin (again).

    It began at the token `since`, after `used` tokens of thoughts. `marks` are those of the newest thoughts.
    """

    thinks: bool = False
    since: int = 0
    used: int = 0
    marks: _Marks = _Marks("", "")

    def used_at(self, at: int) -> int:
        """The tokens of thoughts among the first `at` of the answer."""
        return self.used + (at - self.since if self.thinks else 0)


class ThoughtLimit:
    """Limits the thoughts of an answer to `most` tokens, their marks not counted.

    The answer begins at `position` of its sequence and continues the text `begun`, which may be a mark that the
    template opened thoughts with. `tokens_of` returns the tokens of a text, `text_of` the text of tokens. If the
    answer may have `calls`, the model chooses after a message of thoughts whom the next one is for. Belongs to the
    engine's thread.
    """

    def __init__(
        self,
        most: int,
        position: int,
        begun: str,
        tokens_of: Callable[[str], list[int]],
        text_of: Callable[[Sequence[int]], str],
        *,
        calls: bool,
    ) -> None:
        self._most, self._position, self._tokens_of, self._text_of = most, position, tokens_of, text_of
        pairs = [(opening, closing, "", opening.removesuffix("thought")) for opening, closing in THOUGHT_MARKS]
        messages = [*(CALLING_MARKS if calls else ()), *MESSAGE_MARKS]
        messages += [(f"<|start|>assistant{opening}", *others) for opening, *others in messages]
        self._marks = [_Marks(*texts) for texts in (*pairs, *messages)]
        # Whether the limit has ended the thoughts.
        self.reached = False
        self._read, self._place = 0, self._opened(_Place(), begun, 0)
        if self._place is not None and self._place.thinks:
            _, _, thought = begun.partition(self._place.marks.opening)
            closed, used = self._place.marks.closing in thought, min(most, len(tokens_of(thought.strip())))
            self._place = None if closed else replace(self._place, used=used)

    def within(self, tokens: int) -> bool:
        """Whether the limit, or more thoughts after it, may come within the next `tokens` tokens."""
        return self._place is not None and self._place.used_at(self._read) + tokens > self._most

    def read(self, answer: Sequence[int]) -> None:
        """Take the committed tokens of the answer."""
        while self._read < len(answer) and self._place is not None:
            self._read += 1
            self.reached = self.reached or self._place.used_at(self._read) > self._most
            self._place = self._after(self._place, answer, self._read)

    def restrict(
        self,
        allowed: NDArray[np.bool_] | None,
        shape: tuple[int, int],
        committed: Sequence[int],
        drafted: Sequence[int],
    ) -> NDArray[np.bool_] | None:
        """Return which of the `allowed` tokens, all if None, the limit allows, as `Constraint.allowed` does."""
        answer = [*committed[self._position :], *drafted]
        known, first = len(answer) - len(drafted), len(answer) + 1 - shape[0]
        self.read(answer[:known])
        place = self._place
        for at in range(known, len(answer) + 1):
            place = self._after(place, answer, at) if place is not None and at > known else place
            if place is not None and place.marks.opening and at >= first and place.used_at(at) >= self._most:
                allowed = np.ones(shape, dtype=np.bool_) if allowed is None else allowed
                self._hold(allowed[at - first], place, answer, at)
        return allowed

    def _hold(self, row: NDArray[np.bool_], place: _Place, answer: Sequence[int], at: int) -> None:
        """Exclude what may not follow the first `at` tokens: all but the mark in thoughts, more thoughts after it."""
        if not place.thinks:
            # If it is several tokens, the first begins other texts, too.
            if len(again := self._tokens_of(place.marks.again)) == 1:
                row[again] = False
        # A grammar that excludes the mark does not know of the thoughts.
        elif row[token := self._ending(place, answer, at)[0]]:
            row[:] = False
            row[token] = True

    def _ending(self, place: _Place, answer: Sequence[int], at: int) -> list[int]:
        """Return the tokens that end the thoughts after the first `at`; the model may have begun the mark itself."""
        mark, over = self._tokens_of(place.marks.closing), place.used_at(at) - self._most
        limit = at - over
        begun = range(min(len(mark) - 1, limit - place.since), 0, -1)
        known = next((count for count in begun if [*answer[limit - count : limit]] == mark[:count]), 0)
        return [*mark, *self._tokens_of(place.marks.reply)][known + over :]

    def _after(self, place: _Place, answer: Sequence[int], at: int) -> _Place | None:
        """Return the place after the first `at` tokens, from the one before the last of these; None in a reply."""
        if not place.thinks:
            return self._opened(place, self._text_of(answer[max(place.since, at - _OPENING) : at]), at)
        used, closing = place.used_at(at), place.marks.closing
        if used > self._most:
            return place if self._ending(place, answer, at) else _Place(False, at, self._most, place.marks)
        # A mark has at most as many tokens as characters.
        ended = closing in self._text_of(answer[max(place.since, at - len(closing)) : at])
        return _Place(False, at, used - len(self._tokens_of(closing)), place.marks) if ended else place

    def _opened(self, place: _Place, text: str, at: int) -> _Place | None:
        """Return the place after the `text` since the beginning or the last thoughts; None if it is a reply."""
        bare = text.lstrip()
        marks = next((one for one in self._marks if bare.startswith(one.opening)), None)
        if marks is not None:
            return _Place(True, at, place.used, marks)
        return place if any(one.opening.startswith(bare) for one in self._marks) else None
