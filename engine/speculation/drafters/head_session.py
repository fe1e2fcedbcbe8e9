"""A head's session: its context for one conversation, and the tapped rows that it has not read yet.

Rows of the prompt and of plain rounds are collected and read when the head is to propose, so that the first token does
not wait for them. No more than MAX_UNREAD_BYTES of them are held: what is beyond is read at once, a chunk of the prompt
after the other, and only the head's own context is kept.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.errors import is_device_failure
from engine.heads.head import Head, HeadContext
from engine.speculation.rounds.taps import Taps

log = logging.getLogger(__name__)

# The most rows that the head reads in one piece.
MAX_ROWS = 512
# The most memory of rows that wait to be read: a chunk of the prompt for the largest models, a few thousand tokens for
# the small ones, where reading at once would be felt in the time to the first token.
MAX_UNREAD_BYTES = 2**25


@dataclass(slots=True)
class _Piece:
    """Rows of one pass that are unread: outputs (1, rows, width) of each tap, of which `first` and on count."""

    outputs: list[mx.array]
    tokens: list[int]
    first: int = 0

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def nbytes(self) -> int:
        return sum(output.nbytes for output in self.outputs)

    def skip(self, rows: int) -> None:
        """Forget the first `rows` rows."""
        del self.tokens[:rows]
        self.first += rows

    def take(self, most: int) -> tuple[list[mx.array], list[int]]:
        """The first `most` rows and their tokens, which are no part of it any more."""
        tokens = self.tokens[:most]
        taken = [output[:, self.first : self.first + len(tokens)] for output in self.outputs]
        self.skip(len(tokens))
        return taken, tokens


class HeadSession:
    """What `head` knows of one text. Follows the main model's sequence; see `engine.speculation.rounds.taps.Follower`.

    It knows the positions `start` to `length - 1`: the tokens before `start` were not tapped, so that proposals may be
    worse. `copy` and `rewind` go with those of the sequence. Belongs to the engine's thread.
    """

    def __init__(self, head: Head, taps: Taps, context: HeadContext | None = None) -> None:
        self.head = head
        self.taps = taps
        self.context = head.new_context() if context is None else context
        self._unread: deque[_Piece] = deque()
        self._unread_bytes = 0
        self._failure: Exception | None = None

    @property
    def start(self) -> int:
        """The position of the first row."""
        return self.context.start

    @property
    def length(self) -> int:
        """The position after the last row, unread ones included."""
        return self.context.length + self.unread

    @property
    def unread(self) -> int:
        """How many rows the head has still to read."""
        return sum(len(piece) for piece in self._unread)

    @property
    def ready(self) -> bool:
        """Whether the head can propose."""
        return bool(self._unread) or self.context.ready

    @property
    def bytes(self) -> int:
        return self.context.nbytes + self._unread_bytes

    def read(self, start: int, outputs: Sequence[mx.array], tokens: Sequence[int]) -> None:
        """Take the rows of `tokens`, at positions `start` and on, of which it may have some already.

        After rows that it has missed it starts anew: a context has no gaps. If the head fails, it is left alone from
        then on, and `read_some` raises what it raised: the main model's pass has nothing to do with that.
        """
        if self._failure is not None:
            return
        if start > self.length:
            self.restart(start)
        known = self.length - start
        if known >= len(tokens):
            return
        piece = _Piece(list(outputs), list(tokens))
        piece.skip(known)
        self._unread.append(piece)
        self._unread_bytes += piece.nbytes
        try:
            while self._unread_bytes > MAX_UNREAD_BYTES and self.read_some():
                mx.eval(self.arrays())
        except Exception as error:
            if is_device_failure(error):
                raise
            log.warning("the head %s failed", self.head.kind, exc_info=error)
            self._failure = error

    def read_some(self, most: int = MAX_ROWS) -> int:
        """Have the head read at most `most` unread rows; returns how many. Nothing is evaluated."""
        if self._failure is not None:
            raise self._failure
        rows: list[list[mx.array]] = []
        tokens: list[int] = []
        while self._unread and len(tokens) < most:
            piece = self._unread[0]
            taken, their_tokens = piece.take(most - len(tokens))
            rows.append(taken)
            tokens += their_tokens
            if not len(piece):
                self._unread.popleft()
                self._unread_bytes -= piece.nbytes
        if tokens:
            by_tap = [_joined(list(parts), axis=1) for parts in zip(*rows, strict=True)]
            self.head.extend(self.context, _joined(by_tap, axis=-1), tokens)
        return len(tokens)

    def settle(self) -> None:
        """Read everything that is unread, and evaluate the context."""
        while self.read_some():
            mx.eval(self.arrays())
        mx.eval(self.arrays())

    def rewind(self, length: int) -> None:
        """Forget the rows from position `length` on."""
        while self._unread and self.length > length:
            last = self._unread[-1]
            keep = max(0, len(last) - (self.length - length))
            del last.tokens[keep:]
            if not len(last):
                self._unread.pop()
                self._unread_bytes -= last.nbytes
        if length < self.context.start:
            self.restart(length)
        elif length < self.context.length:
            self.context.rewind(length)

    def restart(self, start: int) -> None:
        """Forget everything; the next row will be that of position `start`."""
        self._unread.clear()
        self._unread_bytes = 0
        self.context = self.head.new_context(start)

    def copy(self) -> HeadSession:
        """An independent session that shares arrays until one of the two changes."""
        twin = HeadSession(self.head, self.taps, self.context.copy())
        twin._unread = deque(_Piece(piece.outputs, list(piece.tokens), piece.first) for piece in self._unread)
        twin._unread_bytes = self._unread_bytes
        return twin

    def arrays(self) -> list[mx.array]:
        """Every array that the context keeps."""
        return self.context.kept_arrays()


def _joined(parts: list[mx.array], axis: int) -> mx.array:
    return mx.concatenate(parts, axis=axis) if len(parts) > 1 else parts[0]
