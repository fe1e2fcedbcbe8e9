"""Notices that a model writes the same span again and again. No Qt in here.

Only repetitions up to the end of the text count, so that anything else that follows ends them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from app.text.fences import is_fence

# Refrains and examples say the same up to three times in a row.
TIMES = 4
# The least tokens of a loop of words, some 200 words: a page of nothing else, which nobody would read to its end.
WORDS = 256
# The least tokens of a loop of emoji or of numbered lines: a board of 10 by 10 emoji has about 400 tokens, and so have
# 100 numbered lines that were asked for.
EMOJI = 2 * WORDS
# The least tokens of a loop of other signs: rules, boxes and rows of zeros have a few hundred tokens.
SIGNS = 4 * WORDS
# In code, tables and calls, which repeat data on purpose, a loop has this many times as many tokens: 1,000 zeros have
# 3,000 tokens.
IN_CODE = 4

# New tokens between two looks at the end of the text.
EVERY = 32
# A look reads this many tokens, so a token costs the same few steps in a long answer.
_WINDOW = 1024
# Some looks read this many tokens, for spans of up to a quarter of that.
_LONG_WINDOW = 4096
# One look in so many reads _LONG_WINDOW tokens.
_LOOKS_PER_LONG_ONE = 16
# In a loop that goes on, the next look waits one more token for each of so many tokens of the loop.
_LOOP_PER_TOKEN_WAITED = 8
# The beginning of a text that is JSON from its first sign on.
_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{"\d-])')
_FIRST_EMOJI = "\U0001f000"
# Stands for any number. No token is spelled so.
_NUMBER = "\0"


class Repetition:
    """Watches the tokens of an answer for a span that repeats itself at the end.

    Tokens in `before` were written by requests that this one continues. `found` says whether the newest tokens are such
    a span, and `is_new` whether at least half of them are of this request: a loop that was let go on is new again when
    it has doubled.
    """

    def __init__(self, before: Iterable[str] = ()) -> None:
        self.found = False
        self.is_new = False
        # The tokens.
        self._tokens = list[str]()
        # The tokens with one sign for each number that begins a line, so that "7. Poodle" and "8. Poodle" are equal.
        self._alike = list[str]()
        # Whether there is a letter or digit in the newest line.
        self._line_begun = False
        self._begun = (0, 0)
        self._looks = 0
        self._next_look = EVERY
        self.add(before)
        self.look()
        self._begun = (len(self._tokens), len(self._alike))
        self.is_new = False

    def add(self, tokens: Iterable[str], *, in_call: bool = False) -> None:
        """Add the texts of new tokens, in a call of a tool or not, and look at them if there are EVERY."""
        for token in tokens:
            self._tokens.append(token)
            self._add_alike(token)
        if len(self._tokens) >= self._next_look:
            self._looks += 1
            is_long_look = self.found or self._looks % _LOOKS_PER_LONG_ONE == 0
            self._look(_LONG_WINDOW if is_long_look else _WINDOW, in_call)

    def _add_alike(self, token: str) -> None:
        *before, newest = token.split("\n")
        within_number = not before and self._alike[-1:] == [_NUMBER]
        if not token.strip().isdecimal() or not (within_number or before or not self._line_begun):
            self._alike.append(token)
        elif not within_number:
            self._alike.append(_NUMBER)
        self._line_begun = (self._line_begun and not before) or any(map(str.isalnum, newest))

    def look(self, *, in_call: bool = False) -> None:
        """Set `found` and `is_new` from all tokens so far."""
        self._look(_LONG_WINDOW, in_call)

    def _look(self, window: int, in_call: bool) -> None:
        self.found = False
        self._next_look = len(self._tokens) + EVERY
        for tokens, begun in zip((self._tokens, self._alike), self._begun, strict=True):
            length, period = _repeated_end(tokens, window)
            if length >= WORDS and length >= self._least(tokens[len(tokens) - period :], in_call):
                self.found = True
                self.is_new = length <= 2 * (len(tokens) - begun)
                self._next_look += length // _LOOP_PER_TOKEN_WAITED
                return

    def _least(self, span: Sequence[str], in_call: bool) -> float:
        """Return how many tokens the repetitions of a span need to be a loop."""
        text = "".join(span)
        signs = "".join(text.split())
        if 2 * sum(map(str.isalpha, signs)) >= max(1, len(signs)):
            least: float = EMOJI if _NUMBER in span else WORDS
        elif _NUMBER in span:
            # A text that counts, or fills a table with numbers, never has the same number twice.
            return float("inf")
        elif max(signs, default="") >= _FIRST_EMOJI:
            least = EMOJI
        else:
            # A drawing is mostly spaces, and some tokenizers have no tokens of several.
            visible = sum(map(bool, map(str.strip, span)))
            least = SIGNS * len(span) / (visible or len(span))
        return IN_CODE * least if in_call or self._ends_in_code(text) else least

    def _ends_in_code(self, span: str) -> bool:
        """Return whether the text ends in code, in a table or in JSON; False if the span has a fence of code itself."""
        if any(map(is_fence, span.splitlines())):
            return False
        text = "".join(self._tokens)
        in_block = sum(map(is_fence, text.splitlines())) % 2 == 1
        in_table = text.rstrip().rpartition("\n")[2].lstrip().startswith("|")
        return in_block or in_table or _JSON.match(text) is not None


def _repeated_end(tokens: Sequence[str], window: int) -> tuple[int, int]:
    """Return the length of the longest repetitive end of `tokens`, and the length of the span that it repeats.

    The end consists of the span at least TIMES times; its first repetition may be incomplete. It is looked for among
    the last `window` tokens. Both lengths are 0 if there is none.
    """
    newest = tokens[: -window - 1 : -1]
    length = period = 0
    # borders[n] is the length of the longest proper prefix of newest[:n] that is a suffix of it, too (Knuth, Morris and
    # Pratt): newest[:n] repeats its first n - borders[n] tokens.
    borders = [0, 0]
    border = 0
    for count, token in enumerate(newest[1:], 2):
        while border and newest[border] != token:
            border = borders[border]
        if newest[border] == token:
            border += 1
        borders.append(border)
        if TIMES * (count - border) <= count:
            length = count
            period = count - border
    if length == window:
        while length < len(tokens) and tokens[-length - 1] == tokens[period - length - 1]:
            length += 1
    return length, period
