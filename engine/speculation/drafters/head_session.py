"""A head's session: its context for one conversation, and the tapped rows that it has not read yet.

Rows of the prompt and of plain rounds are collected and read when the head is to propose, so that the first token does
not wait for them. At most MAX_UNREAD_BYTES of them are held. When there are more, the head reads them at once, and only
its own context is kept.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import mlx.core as mx

from engine.errors import is_device_failure
from engine.heads.context import HeadContext
from engine.heads.head import Draw, Head, HeadProposal
from engine.pictures.positions import Positions
from engine.speculation.rounds.rope_positions import rope_positions
from engine.speculation.rounds.taps import Taps

log = logging.getLogger(__name__)

# The most rows that the head reads in one piece.
MAX_PIECE_ROWS = 512
# The most memory of unread rows: a chunk of the prompt for the largest models, a few thousand tokens for small ones,
# where reading at once would delay the first token noticeably.
MAX_UNREAD_BYTES = 2**25


@dataclass(slots=True)
class _Piece:
    """Unread rows of one pass: outputs (1, rows, width) of each tap, valid from row `first` on."""

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
        """Remove the first `most` rows; returns them and their tokens."""
        tokens = self.tokens[:most]
        taken = [output[:, self.first : self.first + len(tokens)] for output in self.outputs]
        self.skip(len(tokens))
        return taken, tokens


class HeadSession:
    """A head's state of one text.

    It is a listener of the main model's sequence (`rounds.sequence.HiddenStateListener`). It covers the positions
    `start` to `length - 1`: the tokens before `start` were not tapped, so proposals may be worse. Call `copy` and
    `rewind` when the sequence is copied or rewound. Belongs to the engine's thread.
    """

    def __init__(self, head: Head, taps: Taps, context: HeadContext | None = None) -> None:
        self.head = head
        self.taps = taps
        # The positions of the text's tokens, where pictures make them differ from indices.
        self.positions: Positions | None = None
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
        """The number of rows that the head has not read yet."""
        return sum(len(piece) for piece in self._unread)

    @property
    def ready(self) -> bool:
        """Whether the head can propose."""
        return bool(self._unread) or self.context.ready

    @property
    def bytes(self) -> int:
        return self.context.nbytes + self._unread_bytes

    def read(self, start: int, outputs: Sequence[mx.array], tokens: Sequence[int]) -> None:
        """Take the rows of `tokens` at positions `start` and on; those that it has already are ignored.

        `outputs` are (1, rows, width) for each tap, with at least as many rows as there are tokens. If it has missed
        rows, it starts again, because a context has no gaps. On failure the head is no longer fed; `read_some`
        re-raises the error later, so the main model's pass is unaffected.
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

    def read_some(self, most: int = MAX_PIECE_ROWS) -> int:
        """Let the head read at most `most` unread rows; returns how many. Evaluates nothing."""
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
            with self._rope_positions():
                self.head.extend(self.context, _joined(by_tap, axis=-1), tokens)
        return len(tokens)

    def propose(self, anchor: int, count: int, draw: Draw) -> HeadProposal:
        """Return `count` draft tokens to follow the newest token, `anchor`; see `Head.propose`."""
        with self._rope_positions():
            return self.head.propose(self.context, mx.array([anchor], mx.int32), count, draw)

    def read_all(self) -> None:
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
        """Forget all rows; the next one will be at position `start`."""
        self._unread.clear()
        self._unread_bytes = 0
        self.context = self.head.new_context(start)

    def copy(self) -> HeadSession:
        """Return an independent session that shares arrays until one of the two changes."""
        twin = HeadSession(self.head, self.taps, self.context.copy())
        twin.positions = self.positions
        twin._unread = deque(_Piece(piece.outputs, list(piece.tokens), piece.first) for piece in self._unread)
        twin._unread_bytes = self._unread_bytes
        return twin

    def arrays(self) -> list[mx.array]:
        """Every array that the context keeps, of the shapes (1, ...) of `HeadContext.kept_arrays`."""
        return self.context.kept_arrays()

    def _rope_positions(self) -> AbstractContextManager[None]:
        """Let the head read the positions of the text in what the body builds."""
        if self.positions is None:
            return nullcontext()
        return rope_positions(self.head.network, self.positions)


def _joined(parts: list[mx.array], axis: int) -> mx.array:
    return mx.concatenate(parts, axis=axis) if len(parts) > 1 else parts[0]
