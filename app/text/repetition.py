"""Notices that a model writes the same span again and again. No Qt in here.

Only repetitions up to the end of the text count, so that anything else that follows ends them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.text.fences import is_fence

# Refrains and examples say the same up to three times in a row.
TIMES = 4
# The tokens of a loop of words, some 200 words: a page of nothing else, which a person would not read to its end.
WORDS = 256
# Of one without words, or with another number in each span: boards, rulers and rows of zeros have a few hundred tokens,
# and so have numbered names.
CELLS = 2 * WORDS
# Of one in code, in a table or in a call, which hold data: 16 rows of 16 zeros have about 800 tokens.
CODE = 4 * WORDS
# New tokens between two looks. A look takes some CODE steps, so that the steps for each token stay the same. It takes
# longer in a loop that goes on and on, where looks are rarer.
EVERY = 32
_OF_LOOP = 8

# Stands for any number. No token is empty and spelled so.
_NUMBER = "\0"


class Repetition:
    """Watches the tokens of an answer. Those in `before` were written by requests that this one continues.

    `found` says whether the newest tokens are a span that repeats itself, and `is_new` whether at least half of them
    are of this request: a loop that was let go on is new again when it has doubled.
    """

    def __init__(self, before: Iterable[str] = ()) -> None:
        self.found = self.is_new = False
        # The tokens, and the same with one sign for each number: "7. Poodle" and "8. Poodle" are alike.
        self._tokens, self._alike = list[str](), list[str]()
        self._begun, self._next_look = (0, 0), EVERY
        self.add(before)
        self.look()
        self._begun, self.is_new = (len(self._tokens), len(self._alike)), False

    def add(self, tokens: Iterable[str], *, in_call: bool = False) -> None:
        """Add the texts of new tokens, in a call of a tool or not, and look at them if there are EVERY."""
        for token in tokens:
            self._tokens.append(token)
            is_number = token.strip().isdecimal()
            if not is_number or self._alike[-1:] != [_NUMBER]:
                self._alike.append(_NUMBER if is_number else token)
        if len(self._tokens) >= self._next_look:
            self.look(in_call=in_call)

    def look(self, *, in_call: bool = False) -> None:
        """Set `found` and `is_new` from all tokens so far."""
        self.found, self._next_look = False, len(self._tokens) + EVERY
        for tokens, begun in zip((self._tokens, self._alike), self._begun, strict=True):
            length, period = _repeated_end(tokens)
            if length >= WORDS and length >= self._least(tokens[-period:], in_call):
                self.found, self.is_new = True, length <= 2 * (len(tokens) - begun)
                self._next_look += length // _OF_LOOP
                return

    def _least(self, span: Sequence[str], in_call: bool) -> float:
        """Return the tokens from which repetitions of a span are a loop."""
        text = "".join(span)
        signs = "".join(text.split())
        of_words = 2 * sum(map(str.isalpha, signs)) >= max(1, len(signs))
        in_code = in_call or (not _has_fence(text) and self._ends_in_code())
        if _NUMBER in span:
            # Other numbers are other cells and other data.
            return CELLS if of_words and not in_code else float("inf")
        return CODE if in_code else WORDS if of_words else CELLS

    def _ends_in_code(self) -> bool:
        lines = "".join(self._tokens).splitlines()
        return sum(map(is_fence, lines)) % 2 == 1 or lines[-1].lstrip().startswith("|")


def _has_fence(text: str) -> bool:
    return any(map(is_fence, text.splitlines()))


def _repeated_end(tokens: Sequence[str]) -> tuple[int, int]:
    """Return the length of the longest end of `tokens` that is a span at least TIMES times, and that of the span.

    The last repetition, read backwards, may be incomplete. Spans have up to CODE / TIMES tokens.
    """
    newest = tokens[: -CODE - 1 : -1]
    length = period = 0
    # borders[n] is the length of the longest proper prefix of newest[:n] that is a suffix of it, too (Knuth, Morris and
    # Pratt): newest[:n] repeats its first n - borders[n] tokens.
    borders, border = [0, 0], 0
    for count, token in enumerate(newest[1:], 2):
        while border and newest[border] != token:
            border = borders[border]
        border += newest[border] == token
        borders.append(border)
        if TIMES * (count - border) <= count:
            length, period = count, count - border
    if length == CODE:
        while length < len(tokens) and tokens[-length - 1] == tokens[period - length - 1]:
            length += 1
    return length, period
