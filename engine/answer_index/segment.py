"""A segment of the index of answers: a file with the tokens of some answers and their sorted order, memory-mapped.

The tokens are stored backwards, the newest answer first, so that the text before a token is read forwards from it. The
order sorts all tokens by the text before them: a suffix array of the stored stream. Tokens are big-endian, because
their bytes then compare like the numbers, and a look-up is a binary search over slices of the file. Libraries either
only sort, which takes a few lines of numpy here, or search texts that do not change.
"""

from __future__ import annotations

import logging
import mmap
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import numpy as np

from engine.files.atomic_file import write_atomically

log = logging.getLogger(__name__)

# The tokens before another one by which it is sorted: longer matches are equally reliable.
DEPTH = 16
# Stands before each answer; no vocabulary has it.
BREAK = 0xFFFF_FFFF
# The text at each so many places of the order is kept in memory, where most steps of a binary search are faster.
FENCE = 256
# Bytes of a token on disk: itself and its place in the order.
TOKEN_BYTES = 8

_MAGIC = b"Tandem answers 1"
_HEADER = struct.Struct("<16sQQ")
# The chat's hash, and the number of tokens with the break.
_ANSWER = np.dtype([("chat", "<u8"), ("length", "<u4")])
# The occurrences of a match, on either side of where it belongs, among which the newest ones are sought.
_SAMPLE = 32


class Segment:
    """The answers in the file at `path`. Raises `OSError` and `ValueError` if they cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(self._file) < _HEADER.size:
            raise ValueError("it has no header")
        magic, answers, self.size = _HEADER.unpack_from(self._file)
        self._tokens_at = _HEADER.size + answers * _ANSWER.itemsize
        fences = 4 * DEPTH * -(-self.size // FENCE)
        end = self._tokens_at + TOKEN_BYTES * self.size + fences
        if magic != _MAGIC or end != len(self._file):
            raise ValueError("it is no segment of this version")
        self._answers = np.frombuffer(self._file, _ANSWER, answers, _HEADER.size)
        if int(self._answers["length"].sum()) != self.size:
            raise ValueError("its answers do not fill it")
        self._order = memoryview(self._file)[self._tokens_at + 4 * self.size : end - fences].cast("I")
        self._fences = [self._file[start : start + 4 * DEPTH] for start in range(end - fences, end, 4 * DEPTH)]
        self.chats = frozenset(self._answers["chat"].tolist())

    def find(self, text: bytes) -> tuple[int, int]:
        """Return where `text`, the last tokens backwards, belongs in the order, and how many of them match there."""
        fence = bisect_left(self._fences, text)
        low, high = max(0, fence - 1) * FENCE, min(self.size, fence * FENCE)
        at = bisect_left(self._order, text, low, high, key=self._reader(len(text)))
        beside = [self._shared(text, near) for near in (at - 1, at) if 0 <= near < self.size]
        return at, max(beside, default=0)

    def newest(self, text: bytes, at: int, most: int) -> list[int]:
        """Return the ends of the newest `most` occurrences of `text`; `at` is where it belongs in the order."""
        key = self._reader(len(text))
        low = bisect_left(self._order, text, max(0, at - _SAMPLE), at, key=key)
        high = bisect_right(self._order, text, at, min(self.size, at + _SAMPLE), key=key)
        # The newest answer is stored first.
        return [self.size - position for position in sorted(self._order[low:high])[:most]]

    def following(self, end: int, count: int) -> list[int]:
        """Return up to `count` tokens from position `end` on, counted from the oldest token; breaks are tokens, too."""
        last = self.size - end
        first = max(0, last - count)
        if last <= first:
            return []
        stretch = self._file[self._tokens_at + 4 * first : self._tokens_at + 4 * last]
        return [*reversed(struct.unpack(f">{last - first}I", stretch))]

    def _reader(self, size: int) -> Callable[[int], bytes]:
        """Return a function that reads `size` bytes of the stream from a position on."""
        file, start = self._file, self._tokens_at
        return lambda position: file[start + 4 * position : start + 4 * position + size]

    def _shared(self, text: bytes, index: int) -> int:
        """Return how many tokens at this place of the order equal those of `text`."""
        start = self._tokens_at + 4 * self._order[index]
        read = self._file[start : start + len(text)]
        for place in range(0, len(text), 4):
            if read[place : place + 4] != text[place : place + 4]:
                return place // 4
        return len(text) // 4

    def without(self, chats: Collection[int]) -> None:
        """Rewrite the file without the answers of `chats`; delete it if none is left or it cannot be written."""
        self._keep(~np.isin(self._answers["chat"], np.array([*chats], "<u8")))

    def shorten(self, most: int) -> None:
        """Rewrite the file with the newest answers, of at most `most` bytes."""
        self._keep(np.cumsum(self._answers["length"], dtype=np.int64) * TOKEN_BYTES <= most)

    def _keep(self, kept: np.ndarray) -> None:
        answers, tokens, order = self.arrays()
        stays = np.repeat(kept, answers["length"])
        moved = np.cumsum(stays) - 1
        try:
            if kept.any():
                _write(self.path, answers[kept], tokens[stays], moved[order[stays[order]]])
                return
        except OSError as error:
            log.warning("%s is deleted, because it cannot be rewritten: %s", self.path, error)
        self.path.unlink(missing_ok=True)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the answers, the tokens and their order as they are in the file."""
        tokens = np.frombuffer(self._file, ">u4", self.size, self._tokens_at)
        order = np.frombuffer(self._file, "<u4", self.size, self._tokens_at + 4 * self.size)
        return self._answers, tokens, order


def backwards(tokens: Sequence[int]) -> bytes:
    """Return the tokens as they are stored: the last one first."""
    return struct.pack(f">{len(tokens)}I", *reversed(tokens))


def write_answer(path: Path, chat: int, tokens: Sequence[int]) -> None:
    """Write a segment with one answer. Raises OSError."""
    stream = np.frombuffer(backwards([BREAK, *tokens]), ">u4")
    _write(path, np.array([(chat, len(stream))], _ANSWER), stream, _sorted(stream))


def merge(path: Path, segments: Iterable[Segment]) -> None:
    """Write the answers of `segments`, the newest first, to one file. Raises OSError."""
    answers, tokens, _ = zip(*(segment.arrays() for segment in segments), strict=True)
    stream = np.concatenate(tokens)
    _write(path, np.concatenate(answers), stream, _sorted(stream))


def _sorted(stream: np.ndarray) -> np.ndarray:
    """Return the positions of the stream, sorted by the DEPTH tokens from each on.

    After Manber and Myers (1990), Suffix arrays: each pass doubles the tokens that count.
    """
    rank, width = stream.astype(np.uint64), 1
    while True:
        key = rank << np.uint64(32)
        key[:-width] |= rank[width:]
        order = np.argsort(key)
        width *= 2
        if width >= DEPTH:
            return order
        ordered = key[order]
        rank[order] = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])]).astype(np.uint64)


def _write(path: Path, answers: np.ndarray, tokens: np.ndarray, order: np.ndarray) -> None:
    header = _HEADER.pack(_MAGIC, len(answers), len(tokens))
    at = order[::FENCE, None] + np.arange(DEPTH)
    fences = np.append(tokens, np.zeros(DEPTH, tokens.dtype))[at].astype(">u4")
    arrays = answers, tokens.astype(">u4"), order.astype("<u4"), fences
    write_atomically(path, (header, *(array.tobytes() for array in arrays)))
