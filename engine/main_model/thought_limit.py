"""Ends the thoughts of an answer after a number of tokens, with the mark that the model's family ends them with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.model_files.thought_marks import MESSAGE_MARKS, THOUGHT_MARKS
from engine.requests import MAX_DEPTH
from engine.tokenizers.prompts import local_decoder

# The most tokens of a mark that opens thoughts, with the white space around it.
_OPENING = 48
# More than the tokens of two rounds, the second of which starts before the first is read.
_NEAR = 2 * (MAX_DEPTH + 2)
_MESSAGES = [(start + opening, *others) for opening, *others in MESSAGE_MARKS for start in ("", "<|start|>assistant")]
_MARKS = (*((opening, closing, "", opening.removesuffix("thought")) for opening, closing in THOUGHT_MARKS), *_MESSAGES)


class _ThoughtPlace(NamedTuple):
    """The place after some tokens of an answer: in thoughts, or where they may begin (again).

    It began at the token `since`, after `used` tokens of thoughts. The texts open the newest thoughts, end them, open a
    reply at the limit, and begin more thoughts.
    """

    thinks: bool = False
    since: int = 0
    used: int = 0
    opening: str = ""
    closing: str = ""
    reply: str = ""
    again: str = ""

    def used_at(self, at: int) -> int:
        """The tokens of thoughts among the first `at` of the answer."""
        return self.used + (at - self.since if self.thinks else 0)


class ThoughtLimit:
    """Limits the thoughts of an answer to `most` tokens, their marks not counted.

    The answer begins at `position` of its sequence and continues the text `begun`, which may be a mark that the
    template opened thoughts with. If it may have `calls`, gpt-oss chooses the channel after its thoughts. Belongs to
    the engine's thread.
    """

    def __init__(self, most: int, position: int, begun: str, tokenizer: Any, *, calls: bool) -> None:
        self._most = most
        self._position = position
        self._calls = calls
        self._tokens_of = partial(tokenizer.encode, add_special_tokens=False)
        self._text_of = local_decoder(tokenizer)
        # The limit, once it has ended the thoughts.
        self.reached: int | None = None
        self._place = self._opened(_ThoughtPlace(), begun, 0)
        self._read_length = 0
        if self._place is not None and self._place.thinks:
            thought = begun.partition(self._place.opening)[2].strip()
            used = min(most, len(self._tokens_of(thought)))
            self._place = None if self._place.closing in thought else self._place._replace(used=used)

    @property
    def near(self) -> bool:
        """Whether the next rounds may reach the limit, or more thoughts after it."""
        return self._place is not None and self._place.used_at(self._read_length) + _NEAR > self._most

    def read(self, answer: Sequence[int]) -> None:
        """Read the committed tokens of the answer."""
        while self._read_length < len(answer) and self._place is not None:
            self._read_length += 1
            self.reached = self._most if self._place.used_at(self._read_length) > self._most else self.reached
            self._place = self._after(self._place, answer, self._read_length)

    def restrict(
        self,
        allowed: NDArray[np.bool_] | None,
        shape: tuple[int, int],
        committed: Sequence[int],
        drafted: Sequence[int],
    ) -> NDArray[np.bool_] | None:
        """Return which of the `allowed` tokens, all if None, the limit allows, as `Constraint.allowed` does.

        `shape` is (rows, vocabulary), also the shape of `allowed`, which is changed in place.
        """
        answer = [*committed[self._position :], *drafted]
        known = len(committed) - self._position
        self.read(answer[:known])
        place = self._place
        first = len(answer) + 1 - shape[0]
        for at in range(known, len(answer) + 1):
            place = self._after(place, answer, at) if place is not None and at > known else place
            if place is not None and place.opening and at >= first and place.used_at(at) >= self._most:
                allowed = np.ones(shape, dtype=np.bool_) if allowed is None else allowed
                self._hold(allowed[at - first], place, at)
        return allowed

    def _hold(self, row: NDArray[np.bool_], place: _ThoughtPlace, at: int) -> None:
        """Exclude what may not follow the first `at` tokens: all but the mark in thoughts, more thoughts after it."""
        if not place.thinks:
            # If it is several tokens, the first begins other texts, too.
            if len(again := self._tokens_of(place.again)) == 1:
                row[again] = False
        # A grammar that excludes the mark does not know of the thoughts.
        elif row[token := self._ending(place)[place.used_at(at) - self._most]]:
            row[:] = False
            row[token] = True

    def _ending(self, place: _ThoughtPlace) -> list[int]:
        """Return the tokens that end the thoughts at the limit."""
        reply = place.reply.removesuffix("final<|message|>") if self._calls else place.reply
        return [*self._tokens_of(place.closing), *self._tokens_of(reply)]

    def _after(self, place: _ThoughtPlace, answer: Sequence[int], at: int) -> _ThoughtPlace | None:
        """Return the place after the first `at` tokens, from the one before the last of these; None in a reply."""
        if not place.thinks:
            return self._opened(place, self._text_of(answer[max(place.since, at - _OPENING) : at]), at)
        used = place.used_at(at)
        after = place._replace(thinks=False, since=at, used=self._most)
        if used > self._most:
            return place if used - self._most < len(self._ending(place)) else after
        # A mark has at most as many tokens as characters.
        ended = place.closing in self._text_of(answer[max(place.since, at - len(place.closing)) : at])
        return after._replace(used=used - len(self._tokens_of(place.closing))) if ended else place

    def _opened(self, place: _ThoughtPlace, text: str, at: int) -> _ThoughtPlace | None:
        """Return the place after the `text` since the beginning or the last thoughts; None if it is a reply."""
        bare = text.lstrip()
        if (marks := next((marks for marks in _MARKS if bare.startswith(marks[0])), None)) is not None:
            return _ThoughtPlace(True, at, place.used, *marks)
        return place if any(opening.startswith(bare) for opening, *_ in _MARKS) else None
