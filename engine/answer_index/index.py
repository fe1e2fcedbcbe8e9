"""The index of earlier answers: segments on disk, which a thread of its own writes, merges and cleans.

A new answer becomes a segment, and is merged with those before it that are not much larger, so that a look-up searches
a few segments and each token is sorted seldom. Files that cannot be read are ignored.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from threading import Lock

import numpy as np

from engine.answer_index.segment import BREAK, DEPTH, TOKEN_BYTES, Segment, backwards, merge, write_answer
from engine.files import private_files
from engine.files.atomic_file import PARTIAL
from engine.model_files.adapters import is_adapter

log = logging.getLogger(__name__)

# A segment is merged with the one before it, unless that is this many times as large as all after it.
RATIO = 8
# Segments below so many tokens are always merged: sorting these takes some ten milliseconds.
LEAST_SIZE = 2**16
SUFFIX = ".answers"
# A place is the number of a segment and a position in it, of so many bits.
_POSITION_BITS = 32


@dataclass(frozen=True, slots=True)
class Usage:
    """How often answers used tokens: `tokens` in all, and by distinct id how often if only one chat used it, else 0."""

    tokens: int
    ids: np.ndarray
    alone: np.ndarray


class AnswerIndex:
    """The answers of stored chats in `folder`, at most `budget` bytes, the oldest dropped first.

    `use` selects the tokenizer. All methods but `close` return at once; a future is done when the files are written,
    those of earlier calls, too. Only the engine's thread calls them, and only the index's own thread touches files.
    """

    def __init__(self, folder: Path, budget: int) -> None:
        self._folder = folder
        self._budget = budget
        self._worker = ThreadPoolExecutor(1, "answers")
        # Guards the two fields below.
        self._lock = Lock()
        # What look-ups search, by number, the newest first; nothing while chats are being deleted.
        self._visible: dict[int, Segment] = {}
        self._cleanings = 0
        # Hashes of chats whose answers under way must not be added.
        self._forgotten: set[int] = set()
        # The folder and all segments of the tokenizer in use, the oldest first. Belong to the index's thread.
        self._own = folder
        self._segments: list[Segment] = []
        self._numbers = count(1)

    def use(self, tokenizer: str) -> Future[None]:
        """Search and extend the answers made with this tokenizer from now on; "" is none."""
        with self._lock:
            self._visible = {}
        return self._post(partial(self._open, tokenizer))

    def add(self, chat: str, tokens: Sequence[int]) -> None:
        """Add a finished answer. One of a chat that was forgotten since the start is ignored."""
        # A shorter answer has nothing to look up.
        if len(tokens) > DEPTH:
            self._post(partial(self._add, _hash(chat), tuple(tokens)))

    def forget(self, chats: Collection[str]) -> Future[None]:
        """Delete the answers of these chats for good: from look-ups now, from the files on the index's thread."""
        gone = {_hash(chat) for chat in chats}
        self._forgotten |= gone
        return self._post_cleaning(gone.__contains__)

    def forget_others(self, chats: Collection[str]) -> Future[None]:
        """Delete the answers of all other chats for good, as `forget` does."""
        kept = {_hash(chat) for chat in chats}
        return self._post_cleaning(lambda chat: chat not in kept)

    def usage(self) -> Future[Usage]:
        """Count the tokens of all answers, without those that are being forgotten."""
        return self._worker.submit(self._count)

    def _post_cleaning(self, goes: Callable[[int], bool]) -> Future[None]:
        with self._lock:
            self._cleanings += 1
            self._visible = {}
        return self._post(partial(self._clean, goes))

    def close(self) -> None:
        """Finish what was begun, and end the index's thread."""
        self._worker.shutdown()

    def occurrences(self, newest: Sequence[int], limit: int, least: int) -> tuple[int, list[int]]:
        """Find the longest end of `newest`, of `least` tokens or more, that occurs in the answers.

        Returns its length and the places after its newest occurrences, `limit` of them at most, the newest first.
        """
        text = backwards(newest[-DEPTH:])
        found = [(number, segment, *segment.find(text)) for number, segment in self._visible.items()]
        longest = max((matched for *_, matched in found), default=0)
        places: list[int] = []
        if longest >= least:
            for number, segment, at, matched in found:
                if matched == longest and len(places) < limit:
                    ends = segment.newest(text[: 4 * longest], at, limit - len(places))
                    places += [number << _POSITION_BITS | end for end in ends]
        return longest, places

    def following(self, place: int, count: int) -> list[int]:
        """Return up to `count` tokens from `place` on, breaks between answers included; none if they were forgotten."""
        segment = self._visible.get(place >> _POSITION_BITS)
        return [] if segment is None else segment.following(place & (1 << _POSITION_BITS) - 1, count)

    # On the index's own thread

    def _post(self, work: Callable[[], None]) -> Future[None]:
        return self._worker.submit(self._guard, work)

    def _guard(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            log.warning("the index of answers cannot be written: %s", error)
        except Exception:
            log.exception("the index of answers failed")

    def _open(self, tokenizer: str) -> None:
        self._segments, self._own = [], self._folder / tokenizer
        if not tokenizer:
            return
        private_files.make_folder(self._own)
        for partial_file in self._own.glob(f".*{PARTIAL}"):
            partial_file.unlink(missing_ok=True)
        for path in sorted(self._own.glob(f"*{SUFFIX}"), key=lambda path: (_first(path), -_last(path))):
            if self._segments and _last(path) <= _last(self._segments[-1].path):
                # It was merged into the one before, and the process ended before it was deleted.
                path.unlink(missing_ok=True)
            elif (segment := _read(path)) is not None:
                self._segments.append(segment)
        self._publish()

    def _add(self, chat: int, tokens: Sequence[int]) -> None:
        if self._own == self._folder or chat in self._forgotten:
            return
        number = _last(self._segments[-1].path) + 1 if self._segments else 0
        path = self._own / _name(number, number)
        write_answer(path, chat, tokens)
        self._segments.append(Segment(path))
        self._merge()
        self._fit()
        self._publish()

    def _merge(self) -> None:
        """Merge the newest segment with those before it that are small, or not RATIO times as large as all after."""
        merged, size = 1, self._segments[-1].size
        for segment in reversed(self._segments[:-1]):
            if segment.size >= max(RATIO * size, LEAST_SIZE):
                break
            merged, size = merged + 1, size + segment.size
        if merged > 1:
            parts = self._segments[-merged:]
            path = self._own / _name(_first(parts[0].path), _last(parts[-1].path))
            merge(path, reversed(parts))
            self._segments[-merged:] = [Segment(path)]
            for segment in parts:
                segment.path.unlink(missing_ok=True)

    def _fit(self) -> None:
        """Delete files of other tokenizers, then the oldest answers, while there are more bytes than the budget."""
        files = {path: path.stat() for path in self._folder.glob(f"*/*{SUFFIX}")}
        excess = sum(file.st_size for file in files.values()) - self._budget
        for path in sorted(files, key=lambda path: files[path].st_mtime_ns):
            if excess > 0 and path.parent != self._own:
                path.unlink(missing_ok=True)
                excess -= files[path].st_size
        if excess > 0:
            # Some more, so that this is not done for each answer.
            oldest = self._segments.pop(0)
            oldest.shorten(TOKEN_BYTES * oldest.size - excess - self._budget // RATIO)
            self._segments[:0] = [Segment(oldest.path)] if oldest.path.exists() else []

    def _clean(self, goes: Callable[[int], bool]) -> None:
        """Rewrite the files of all tokenizers without the chats for which `goes` is true."""
        for path in self._folder.glob(f"*/*{SUFFIX}"):
            segment = _read(path)
            if segment is not None and (gone := [chat for chat in segment.chats if goes(chat)]):
                segment.without(gone)
        self._segments = [
            Segment(segment.path) if any(map(goes, segment.chats)) else segment
            for segment in self._segments
            if segment.path.exists()
        ]
        # If this fails, look-ups find nothing until the next start.
        with self._lock:
            self._cleanings -= 1
        self._publish()

    def _count(self) -> Usage:
        parts = [segment.arrays() for segment in self._segments]
        tokens = np.concatenate([np.empty(0, np.uint32), *(part[1] for part in parts)])
        owners = (np.repeat(part[0]["chat"], part[0]["length"]) for part in parts)
        chats = np.concatenate([np.empty(0, np.uint64), *owners])
        # Each chat's tokens side by side: a number for the chat in the upper half, the id in the lower one.
        numbers = np.unique(chats, return_inverse=True)[1].astype(np.uint64) << np.uint64(32)
        used, counts = np.unique((numbers | tokens)[tokens != BREAK], return_counts=True)
        ids, first, in_chats = np.unique(used & np.uint64(BREAK), return_index=True, return_counts=True)
        return Usage(int(counts.sum()), ids.astype(np.int64), np.where(in_chats == 1, counts[first], 0))

    def _publish(self) -> None:
        """Let look-ups search all segments, unless a chat is still to be deleted from them."""
        numbers = {segment: number for number, segment in self._visible.items()}
        found = {numbers.get(one) or next(self._numbers): one for one in reversed(self._segments)}
        with self._lock:
            self._visible = {} if self._cleanings else found


def tokenizer_name(model: Path) -> str:
    """Return a name of the tokenizer in a model's folder: models with equal files share answers, but no adapters."""
    if is_adapter(model):
        return hashlib.sha256(str(model).encode()).hexdigest()[:32]
    try:
        with (model / "tokenizer.json").open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]
    except OSError:
        return hashlib.sha256(str(model).encode()).hexdigest()[:32]


def _hash(chat: str) -> int:
    return int.from_bytes(hashlib.sha256(chat.encode()).digest()[:8], "little")


def _name(first: int, last: int) -> str:
    return f"{first}-{last}{SUFFIX}"


def _first(path: Path) -> int:
    return int(path.stem.partition("-")[0])


def _last(path: Path) -> int:
    return int(path.stem.partition("-")[2])


def _read(path: Path) -> Segment | None:
    """Return the segment in a file; None if it is unusable, and the file is deleted."""
    try:
        return Segment(path)
    except (OSError, ValueError) as error:
        log.warning("%s is ignored: %s", path, error)
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return None
